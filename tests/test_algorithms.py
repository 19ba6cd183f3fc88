"""Every online algorithm of the registry against its naive reference, and what must hold for all of them."""

import dataclasses

import numpy as np
import pytest
import reference
from fitting import fit, scores
from kernel_pools import on_vectors

from grambench import algorithms
from grambench.common.errors import ConfigError
from grambench.experiments.conformance import same
from grambench.kernels import grams
from grambench.kernels.functions import Kernel
from grambench.kernels.pool import Stored

# ogd and raker, which learn without a budget, have tests of their own in test_streaming.py.
NAMES = [name for name in algorithms.names("online") if "budget" in algorithms.fields(name)]
DRAWING = [
    "oks",
    "oks_loss",
    "som",
]  # one kernel a round, of which they ask for single values; by default in two passes
KERNELS = [
    *(Kernel("polynomial", degree) for degree in (1, 2, 3)),
    *(Kernel("gaussian", 2.0**power) for power in (-6, -1, 0, 2)),
]


def problem(seed, n=60, d=3, duplicates=True):
    """A noisy problem with duplicated rows and integer features, so that scores of exactly 0 and ties occur."""
    rng = np.random.default_rng(seed)
    features = rng.integers(-2, 3, size=(n, d)).astype(float) if duplicates else rng.normal(size=(n, d))
    labels = np.where(features[:, 0] * features[:, 1] + 0.3 * rng.normal(size=n) > 0, 1, -1).astype(np.int8)
    return grams.compute(grams.inner_products(features), KERNELS), labels, rng.permutation(n).astype(np.int32)


def passed(name, grams, labels, order, seed=5, **settings):
    """Return the trace of one pass."""
    return fit(name, grams, labels, order, seed=seed, **settings).trace


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(6))
def test_equals_the_reference(name, seed):
    gram_list, labels, order = problem(seed, duplicates=seed % 2 == 0)
    trace = passed(name, gram_list, labels, order, seed)
    uniforms = np.random.default_rng(seed).random((len(order), len(gram_list)))
    expected = getattr(reference, name)(gram_list, [int(y) for y in labels], list(order), uniforms)
    assert trace.mistakes.tolist() == expected["mistakes"]
    assert trace.support_vectors.tolist() == expected["support_vectors"]
    assert trace.updates.tolist() == expected["updates"]
    np.testing.assert_allclose(trace.weights, expected["weights"], rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("omkc")])
@pytest.mark.parametrize("beta", [0.05, 0.5, 1.0])
def test_equals_the_reference_at_other_discounts(name, beta):
    gram_list, labels, order = problem(7)
    trace = passed(name, gram_list, labels, order, beta=beta)
    uniforms = np.random.default_rng(5).random((len(order), len(gram_list)))
    expected = getattr(reference, name)(gram_list, [int(y) for y in labels], list(order), uniforms, beta=beta)
    assert trace.mistakes.tolist() == expected["mistakes"]
    np.testing.assert_allclose(trace.weights, expected["weights"], rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    "settings",
    [
        {"p": 2.0},
        {"p": 1.2, "margin": 0.0},
        {"p": 1.01, "margin": 5.0},
        {"p": None},
        {"p": None, "step": "shortened"},
        {"step": "shortened"},
        {"passes": 2},
        {"p": None, "step": "shortened", "passes": 2},
        {"p": 1.5, "step": "shortened", "passes": 3, "margin": 0.5},
    ],
    ids=str,
)
@pytest.mark.parametrize("kernels", [7, 1])
def test_om2_equals_the_reference_at_other_settings(settings, kernels):
    gram_list, labels, order = problem(8, duplicates=False)
    gram_list = gram_list[-kernels:]
    fitted = fit("om2", gram_list, labels, order[:50], **settings)
    trace = fitted.trace
    expected = reference.om2(gram_list, [int(y) for y in labels], list(order[:50]), None, **settings)
    assert trace.mistakes.tolist() == expected["mistakes"]
    assert len(trace.mistakes) == 50 * settings.get("passes", 1)
    assert trace.support_vectors.tolist() == expected["support_vectors"]
    assert trace.updates.tolist() == expected["updates"]
    np.testing.assert_allclose(trace.weights, expected["weights"], rtol=0, atol=1e-10)
    assert fitted.work.kernel_values == trace.support_vectors[-1] * gram_list.size / len(labels)
    assert fitted.work.row_additions == trace.updates.sum()


def test_om2_of_two_passes_scores_as_a_third_would_begin():
    gram_list, labels, order = problem(9, duplicates=False)
    settings = {"p": None, "step": "shortened"}
    fitted = fit("om2", gram_list, labels, order[:50], passes=2, **settings)
    third = fit("om2", gram_list, labels, order[:50], passes=3, **settings).trace
    coming = Stored(gram_list).part(order[:1], np.arange(len(labels)))
    assert scores(fitted, coming).tobytes() == third.scores[100:101].tobytes()
    assert same(fitted.trace.scores, third.scores[:100])
    assert fitted.trace.updates[0] > fitted.trace.support_vectors[-1]  # some examples were added again


@pytest.mark.parametrize("passes", [1, 2])
def test_om2_passes_over_rows_on_demand_as_over_matrices(passes):
    rng = np.random.default_rng(0)
    features, labels = rng.integers(-2, 3, size=(50, 3)).astype(float), rng.choice([-1, 1], size=50).astype(np.int8)
    order = rng.permutation(50)[:40].astype(np.int32)
    made = on_vectors(KERNELS, features)
    matrices = Stored(on_vectors(KERNELS, features).grams())
    settings = {"p": 1.5, "step": "shortened", "passes": passes}
    assert made.along(order).on_demand
    assert same(fit("om2", made, labels, order, **settings), fit("om2", matrices, labels, order, **settings))


@pytest.mark.parametrize("step", [2.0**-10, 0.3, 1.0, 7.0, 2.0**10])
@pytest.mark.parametrize("seed", [0, 1])
def test_om1_is_omkc_dd_whatever_its_step(seed, step):
    gram_list, labels, order = problem(seed, duplicates=seed == 0)
    one, other = (
        fit("om1", gram_list, labels, order, beta=0.6, step=step),
        fit("omkc_dd", gram_list, labels, order, beta=0.6),
    )
    assert same(one.trace, other.trace)
    assert same(one.weights, other.weights)
    assert same(scores(one, gram_list), scores(other, gram_list))
    expected = reference.om1(gram_list, [int(y) for y in labels], list(order), None, beta=0.6, step=step)
    assert one.trace.mistakes.tolist() == expected["mistakes"]


@pytest.mark.parametrize("name", NAMES)
def test_trace_is_well_formed(name):
    gram_list, labels, order = problem(1)
    trace, rounds = passed(name, gram_list, labels, order[:40]), 80 if name in DRAWING else 40
    assert trace.mistakes.shape == trace.support_vectors.shape == (rounds,)
    assert trace.weights.shape == (rounds, len(gram_list))
    assert trace.updates.shape == (len(gram_list),)
    np.testing.assert_allclose(trace.weights.sum(axis=1), 1.0, atol=1e-12)
    assert (trace.weights >= 0).all()
    assert trace.support_vectors[-1] <= trace.updates.sum()
    assert 0 < trace.mistakes.sum() < rounds


@pytest.mark.parametrize("name", NAMES)
def test_earlier_rounds_ignore_later_labels(name):
    gram_list, labels, order = problem(2)
    changed = labels.copy()
    changed[order[30:]] *= -1
    # Perceptron(*) looks ahead over its validation examples, which end before round 30
    before, after = passed(name, gram_list, labels, order), passed(name, gram_list, changed, order)
    assert before.mistakes[:30].tolist() == after.mistakes[:30].tolist()
    assert before.mistakes.tolist() != after.mistakes.tolist()


@pytest.mark.parametrize("name", NAMES)
def test_renumbered_examples_change_nothing(name):
    gram_list, labels, order = problem(3)
    shuffle = np.random.default_rng(0).permutation(len(labels))
    position = np.argsort(shuffle).astype(np.int32)
    moved = [np.ascontiguousarray(gram[np.ix_(shuffle, shuffle)]) for gram in gram_list]
    before, after = passed(name, gram_list, labels, order), passed(name, moved, labels[shuffle], position[order])
    assert same(before, after)


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_trace_and_input_untouched(name):
    gram_list, labels, order = problem(4)
    copies = gram_list.copy(), labels.copy(), order.copy()
    first, second = (fit(name, gram_list, labels, order) for _ in range(2))
    assert same(first, second)
    for array, copy in zip((gram_list, labels, order), copies, strict=True):
        assert np.array_equal(array, copy)
        assert array.flags.writeable


@pytest.mark.parametrize("name", ["perceptron_u", "perceptron_star", "omkc_dd"])
def test_one_kernel_is_the_perceptron(name):
    gram_list, labels, order = problem(5)
    for gram in gram_list:
        assert (
            passed(name, [gram], labels, order).mistakes.tolist()
            == passed("perceptron", [gram], labels, order).mistakes.tolist()
        )


def test_weights_survive_a_pass_that_would_underflow():
    gram_list, labels, order = problem(6, n=2000)
    trace = passed("omkc_dd", gram_list, labels, order, beta=0.05)
    assert trace.updates.min() > 250  # 0.05 ** 250 < 1e-308, so plain weights would all be 0
    np.testing.assert_allclose(trace.weights.sum(axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_malformed_input_is_refused(name):
    gram_list, labels, order = problem(0)
    with pytest.raises(ValueError, match="at least one kernel"):
        passed(name, [], labels, order)
    message = "expected kernels among 60 examples" if name in DRAWING else "expected contiguous float64"
    with pytest.raises(ValueError, match=message):
        passed(name, [gram_list[0][:-1]], labels, order)
    if name not in DRAWING:  # which have no compiled loop that reads the matrices
        with pytest.raises(ValueError, match=message):
            passed(name, [gram_list[0].astype(np.float32)], labels, order)
    with pytest.raises(ValueError, match="labels must be -1 or"):
        passed(name, gram_list, labels * 2, order)
    for bad in (order * 2, np.append(order, order[0]), order[:0]):
        with pytest.raises(ValueError, match="order must hold distinct indices"):
            passed(name, gram_list, labels, bad.astype(np.int32))


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("omkc_dd", {"beta": 1.2}, r"omkc_dd: beta must lie in \(0, 1\], got 1.2"),
        ("omkc_sd", {"delta": 0}, r"omkc_sd: delta must lie in \(0, 1\), got 0"),
        ("omkc_ss", {"bta": 0.5}, "unknown parameter of omkc_ss 'bta': did you mean beta"),
        ("omkc_dq", {}, "unknown algorithm 'omkc_dq': did you mean omkc_s"),
        ("perceptron", {"kernel": -1}, "perceptron: kernel must be an index"),
        ("perceptron_star", {"validation": 0.0}, "perceptron_star: validation must lie in"),
        ("om2", {"p": 1.0}, r"om2: p must lie in \(1, 2\], got 1.0"),
        ("om2", {"step": "short"}, "om2: step must be one or shortened, got 'short'"),
        ("om2", {"step": "shortened", "margin": 1.5}, "om2: margin must be at most 1 where steps are shortened"),
        ("om2", {"passes": 0}, "om2: passes must be at least 1, got 0"),
        ("om1", {"step": 0.0}, "om1: step must be positive and finite, got 0.0"),
    ],
)
def test_wrong_parameters_give_one_line(name, settings, message):
    with pytest.raises(ConfigError, match=message) as caught:
        algorithms.parameters(name, settings)
    assert "\n" not in str(caught.value)


def test_every_algorithm_names_its_paper():
    import sys

    for name in NAMES:
        algorithm = algorithms.load(name)
        documentation = sys.modules[algorithms.module(name)].__doc__
        assert algorithm.title in documentation
        assert "OMKC" in documentation or "et al." in documentation
        assert dataclasses.is_dataclass(algorithm.parameters)
        assert algorithm.parameters.__dataclass_params__.frozen
