"""Features that approximate kernels, and online algorithms on them."""

import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import joblib
import numpy as np
import pytest
import reference
from kernel_pools import on_vectors
from problems import in_a_ring as stream

from grambench import KernelClassifier, algorithms
from grambench.algorithms.experts import LOSSES, loss_value, step_length
from grambench.algorithms.streaming import inner_product
from grambench.estimators.kernels import DEFAULT
from grambench.kernels.approximation import FeatureMap
from grambench.kernels.functions import Kernel
from grambench.kernels.streamed import VectorKernels

GAUSSIANS = [Kernel("gaussian", 2.0**power) for power in (-1, 0, 1)]
ON_FEATURES = [name for name in algorithms.names("online") if algorithms.load(name).start]
STOCHASTIC = ("omkc_ds", "omkc_sd", "omkc_ss")
SELECTING = ("oks", "som")  # whose rounds predict with the kernel drawn in each, not with the selected one


def features(kernels, examples, method="fourier", n_components=64, scale=True, seed=0):
    rng = np.random.default_rng(seed)
    bank = FeatureMap(VectorKernels(kernels, examples, scale=scale), examples, method, n_components, rng)
    out = np.empty((len(examples), bank.starts[-1]), dtype=np.float32)
    for rows, values in bank.blocks(examples):
        out[rows] = values
    return bank.starts, out


def grams(starts, values):
    parts = [values[:, a:b].astype(float) for a, b in pairwise(starts)]
    return [part @ part.T for part in parts]


@pytest.mark.parametrize("seed", range(3))
def test_fourier_features_have_the_kernel_as_mean_and_the_documented_variance(seed):
    X = np.random.default_rng(seed).normal(size=(40, 4))
    exact = on_vectors(GAUSSIANS, X).grams()
    draws = np.array([grams(*features(GAUSSIANS, X, n_components=64, seed=number)) for number in range(100)])
    variance = (1.0 - exact**2) ** 2 / 64.0
    error = (draws.mean(axis=0) - exact) / np.sqrt(variance / 100.0 + 1e-12)
    off = ~np.eye(40, dtype=bool)
    assert np.abs(error[:, off]).mean() < 1.0  # 0.8 for a normal error
    assert np.allclose((draws.var(axis=0)[:, off] / variance[:, off]).mean(), 1.0, atol=0.1)
    assert np.allclose(draws[:, :, ~off], 1.0, atol=1e-5)


@pytest.mark.compiled
def test_the_double_angle_gives_the_features_of_half_the_width():
    X = np.random.default_rng(0).normal(size=(30, 5))
    widths = [Kernel("gaussian", 2.0**power) for power in range(6, -40, -1)]
    starts, together = features(widths, X)
    for k, kernel in enumerate(widths):
        alone = features([kernel], X)[1]
        # the angle is computed anew after twelve doublings
        assert np.abs(together[:, starts[k] : starts[k + 1]] - alone).max() < 2.0 ** (k % 13) * 3e-7


def test_nystroem_and_raw_features_are_exact_among_landmarks():
    X = np.random.default_rng(1).normal(size=(50, 3))
    for method, kernels in (("nystroem", DEFAULT), ("fourier", DEFAULT[:4])):
        for approximated, exact in zip(
            grams(*features(kernels, X, method, 50)), on_vectors(kernels, X, trace=50.0).grams(), strict=True
        ):
            assert np.allclose(approximated, exact, atol=2e-5)


def test_nystroem_features_project_on_the_landmarks():
    """Between other examples they are k(x, L) K_LL^-1 k(L, x')."""
    X = np.random.default_rng(2).normal(size=(60, 3))
    rng = np.random.default_rng(0)
    bank = FeatureMap(VectorKernels(GAUSSIANS, X, scale=False), X, "nystroem", 20, rng)
    landmarks = X[np.random.default_rng(0).permutation(60)[:20]]
    ((_, values),) = bank.blocks(X)
    for k, kernel in enumerate(GAUSSIANS):
        basis = on_vectors([kernel], landmarks)
        among, between = basis.grams()[0], on_vectors([kernel], landmarks, X, basis=basis).grams()[0]
        z = values[:, bank.starts[k] : bank.starts[k + 1]].astype(float)
        assert np.allclose(z @ z.T, between @ np.linalg.solve(among, between.T), atol=1e-4)


def test_an_inner_product_is_that_of_its_halves():
    rng = np.random.default_rng(0)
    for size in (1, 2, 3, 7, 64, 100):
        a, b = rng.normal(size=(2, size)).astype(np.float32)
        assert np.isclose(inner_product(a, b, np.empty(size, dtype=np.float32)), np.dot(a, b), atol=1e-5)


@pytest.mark.compiled
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_a_step_is_the_derivative_of_the_loss(loss):
    code, width = LOSSES[loss], 1e-6
    for score in (-900.0, -3.0, -0.4, 0.3, 2.0, 900.0):
        for y in (-1, 1):
            change = loss_value(code, y * (score + width)) - loss_value(code, y * (score - width))
            assert np.isclose(-y * change / (2 * width), step_length(code, y, score), atol=1e-4)


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["omkc_dd", *STOCHASTIC])
def test_omkc_on_features_is_the_printed_algorithm(name):
    X, y = stream(300)
    starts, values = features(GAUSSIANS, X, n_components=32)
    labels = np.where(y > 0, 1, -1).astype(np.int8)
    algorithm = algorithms.load(name)
    state = algorithm.start(algorithms.parameters(name, {}), starts, np.random.default_rng(5))
    votes = np.concatenate([state.block(values[a : a + 70], labels[a : a + 70]) for a in range(0, 300, 70)])
    uniforms = np.random.default_rng(5).random((300, 3)) if name in STOCHASTIC else np.zeros((300, 3))
    expected = getattr(reference, name)(grams(starts, values), labels.tolist(), range(300), uniforms)
    assert np.array_equal((votes >= 0) != (labels > 0), expected["mistakes"])
    np.testing.assert_allclose(state.weights, expected["weights"][-1], atol=1e-6)
    assert state.updates.tolist() == expected["updates"] and state.updates.min() > 0


def naive_selection(name, values, starts, labels, uniforms, delta, eta, step, beta=0.8):
    """Return the scores, weights, updates and classifiers of OKS or SOM on features, in float64; eta is a function."""
    parts = [slice(a, b) for a, b in pairwise(starts)]
    m, linear, scores = len(parts), np.zeros(values.shape[1]), []
    losses, updates, q = np.zeros(m), np.zeros(m, dtype=int), np.full(m, 1.0 / m)
    for t, (x, y, u) in enumerate(zip(values.astype(float), labels, uniforms, strict=True), start=1):
        w = np.exp(-eta(t) * losses) if name == "oks" else beta**losses
        q = w / w.sum()
        p = (1 - delta) * q + delta / m
        k = int(np.searchsorted(np.cumsum(p), u, side="right"))
        scores.append(float(linear[parts[k]] @ x[parts[k]]))
        if y * scores[-1] <= 0:
            updates[k] += 1
            losses[k] += 1 / p[k] if name == "oks" else 1
            linear[parts[k]] += step * y / (p[k] if name == "oks" else 1) * x[parts[k]]
    return np.array(scores), losses, updates, [linear[part] for part in parts]


@pytest.mark.compiled
@pytest.mark.parametrize("name", SELECTING)
@pytest.mark.parametrize("eta", [None, 0.02])
def test_selection_on_features_is_the_printed_algorithm(name, eta):
    X, y = stream(600)
    starts, values = features(GAUSSIANS, X, n_components=32)
    labels, n = np.where(y > 0, 1, -1).astype(np.int8), 500
    settings = {"step": 0.5, "delta": [0.3, 0.1]} | ({"eta": eta} if name == "oks" else {})
    state = algorithms.load(name).start(algorithms.parameters(name, settings), starts, np.random.default_rng(5))
    got = np.concatenate([state.block(values[a : min(a + 70, n)], labels[a : min(a + 70, n)]) for a in range(0, n, 70)])
    uniforms = np.random.default_rng(5).random(n)

    def eta_of_round(t):
        """Theorem 3 for T = t where eta is not set."""
        return eta or np.sqrt(2 * (1 - 0.3) * np.log(3) / (3 * t))

    arrays = values[:n], starts, labels[:n], uniforms
    scores, losses, updates, linear = naive_selection(name, *arrays, 0.3, eta_of_round, 0.5)
    assert np.allclose(got, scores, atol=1e-4)
    assert state.updates.tolist() == updates.tolist() and updates.min() > 10
    # The kernel of the smallest losses predicts.
    best = int(np.argmin(losses))
    assert state.weights.tolist() == np.eye(3)[best].tolist()
    expected = values[n:, starts[best] : starts[best + 1]].astype(float) @ linear[best]
    assert np.allclose(state.scores(values[n:]), expected, atol=1e-4)


@pytest.mark.parametrize("name", SELECTING)
def test_a_drawn_selection_changes_no_later_draw(name):
    X, y = stream(400)
    starts, values = features(GAUSSIANS, X, n_components=32)
    labels, draws = np.where(y > 0, 1, -1).astype(np.int8), []
    for looks in (0, 3):
        parameters = algorithms.parameters(name, {"select": "drawn"})
        state = algorithms.load(name).start(parameters, starts, np.random.default_rng(2))
        state.block(values[:200], labels[:200])
        selected = {int(state.weights.argmax()) for _ in range(looks)}
        assert len(selected) == min(looks, 1)
        draws.append(state.block(values[200:], labels[200:]))
    assert np.array_equal(*draws)


def naive_raker(products, labels, loss, eta):
    """Scores, those of each kernel, and weights of Raker, from values (m, n, n) in the order of the rounds."""
    m, n = products.shape[:2]
    dual, theta, scores, each = np.zeros((m, n)), np.ones(m), [], []
    for i, label in enumerate(labels):
        each.append(np.array([dual[k] @ products[k][:, i] for k in range(m)]))
        scores.append(theta @ each[-1] / theta.sum())
        for k, score in enumerate(each[-1]):
            dual[k, i] = eta * step_length(loss, label, score) * label
            theta[k] *= np.exp(-eta * loss_value(loss, label * score))
    return np.array(scores), np.array(each), theta / theta.sum()


@pytest.mark.compiled
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_raker_and_ogd_are_the_printed_algorithms(loss):
    X, y = stream(120)
    labels, starts, values = np.where(y > 0, 1, -1).astype(np.int8), *features(GAUSSIANS, X, n_components=32)
    state = algorithms.load("raker").start(algorithms.parameters("raker", {"loss": loss, "eta": 0.3}), starts, None)
    got = np.concatenate([state.block(values[:50], labels[:50]), state.block(values[50:], labels[50:])])
    expected, _, weights = naive_raker(np.array(grams(starts, values)), labels, LOSSES[loss], 0.3)
    assert np.allclose(got, expected, atol=1e-4) and np.allclose(state.weights, weights, atol=1e-4)
    kernels = on_vectors(GAUSSIANS, X).grams()
    scores, each, _ = naive_raker(kernels, labels, LOSSES[loss], 0.2)
    settings = {"kernels": list(kernels), "scale": False, "shuffle": False, "loss": loss}
    raker, ogd = KernelClassifier("raker", **settings), KernelClassifier("ogd", kernel=1, **settings)
    for model, expected in ((raker, scores), (ogd, each[:, 1])):
        trace = model.fit(np.arange(120), y).trace_
        assert np.allclose(trace.scores, expected, atol=1e-9)
        assert np.array_equal(trace.mistakes, (trace.scores >= 0) != (labels > 0))


def naive_adaraker(products, labels, loss, eta0):
    """Scores and weights of AdaRaker, each Raker a dictionary, from values (m, n, n) in the order of the rounds."""
    m, n = products.shape[:2]
    active, scores, weights = [], [], []
    for t in range(1, n + 2):
        # Intervals [k 2^j, (k + 1) 2^j - 1], k >= 1, that begin in round t.
        active = [raker for raker in active if raker["last"] >= t]
        for j in range(t.bit_length()):
            if t % 2**j == 0:
                eta = min(0.5, eta0 / np.sqrt(2.0**j))
                raker = {"last": t + 2**j - 1, "eta": eta, "h": eta, "theta": np.ones(m), "dual": np.zeros((m, n))}
                active.append(raker)
        total = sum(raker["h"] for raker in active)
        weights.append(sum(raker["h"] / total * raker["theta"] / raker["theta"].sum() for raker in active))
        if t > n:
            break
        i, y = t - 1, labels[t - 1]
        each = [np.array([raker["dual"][k] @ products[k][:, i] for k in range(m)]) for raker in active]
        single = [raker["theta"] @ f / raker["theta"].sum() for raker, f in zip(active, each, strict=True)]
        whole = sum(raker["h"] * f for raker, f in zip(active, single, strict=True)) / total
        scores.append(whole)
        for raker, f, parts in zip(active, single, each, strict=True):
            raker["h"] *= np.exp(-raker["eta"] * (loss_value(loss, y * f) - loss_value(loss, y * whole)))
            for k in range(m):
                raker["dual"][k, i] = raker["eta"] * step_length(loss, y, parts[k]) * y
                raker["theta"][k] *= np.exp(-raker["eta"] * loss_value(loss, y * parts[k]))
    return np.array(scores), weights[1:]


@pytest.mark.compiled
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@pytest.mark.parametrize("n", [130, 127, 128])
def test_adaraker_is_the_printed_algorithm(loss, n):
    X, y = stream(n)
    labels = np.where(y > 0, 1, -1).astype(np.int8)
    starts, values = features(GAUSSIANS, X, n_components=32)
    parameters = algorithms.parameters("adaraker", {"loss": loss, "eta": 0.8})
    state = algorithms.load("adaraker").start(parameters, starts, None)
    got = np.concatenate([state.block(values[a:b], labels[a:b]) for a, b in pairwise([0, 1, 50, 63, 64, n])])
    expected, weights = naive_adaraker(np.array(grams(starts, values)), labels, LOSSES[loss], 0.8)
    assert np.allclose(got, expected, atol=1e-4)
    assert np.allclose(state.weights, weights[-1], atol=1e-4)
    kernels = on_vectors(GAUSSIANS, X).grams()
    settings = {"kernels": list(kernels), "scale": False, "shuffle": False, "loss": loss, "eta": 0.8}
    model = KernelClassifier("adaraker", **settings).fit(np.arange(n), y)
    expected, weights = naive_adaraker(np.array(kernels), labels, LOSSES[loss], 0.8)
    assert np.allclose(model.trace_.scores, expected, atol=1e-9)
    assert np.allclose(model.trace_.weights, weights, atol=1e-9)


@pytest.mark.parametrize("name", ON_FEATURES)
def test_batches_of_a_stream_change_nothing(name):
    """But for last bits of projections, which the seeds of this test do not meet."""
    X, y = stream(400)
    models = []
    for cuts in ([0, 400], [0, 100, 101, 228, 400]):
        model = KernelClassifier(name, GAUSSIANS, approximation="nystroem", n_components=32, random_state=3)
        # The first call decides the landmarks, so it is the same in both.
        model.partial_fit(*stream(100, seed=9), classes=[0, 1])
        for a, b in pairwise(cuts):
            model.partial_fit(X[a:b], y[a:b])
        models.append(model)
    first, second = models
    assert first.mistakes_ == second.mistakes_ and first.n_samples_seen_ == second.n_samples_seen_ == 500
    assert np.allclose(first.kernel_weights_, second.kernel_weights_)
    assert np.allclose(first.decision_function(X), second.decision_function(X), atol=1e-3)


@pytest.mark.parametrize("name", [name for name in ON_FEATURES if name not in SELECTING])
def test_the_next_score_of_a_stream_is_that_of_the_predictor(name):
    X, y = stream(300)
    starts, values = features(GAUSSIANS, X)
    labels = np.where(y > 0, 1, -1).astype(np.int8)
    state = algorithms.load(name).start(algorithms.parameters(name, {}), starts, np.random.default_rng(0))
    state.block(values[:200], labels[:200])
    before = state.scores(values[200:201])
    assert np.isclose(before[0], state.block(values[200:201], labels[200:201])[0], atol=1e-6)


@pytest.mark.parametrize("settings", [{"approximation": "fourier"}, {"budget": 100}], ids=str)
@pytest.mark.parametrize("name", [name for name in ON_FEATURES if "budget" in algorithms.fields(name)])
def test_a_stream_counts_a_score_of_0_as_the_pass_does(name, settings):
    """The features are whole numbers, whose sums are exact in 32 bits too."""
    rng = np.random.default_rng(0)
    X = rng.integers(-1, 2, size=(50, 2)).astype(float)
    y = (X[:, 0] + rng.normal(size=50) > 0).astype(int)
    shared = {"kernels": [Kernel("polynomial", 1.0)], "scale": False, "shuffle": False, "random_state": 0}
    trace = KernelClassifier(name, **shared).fit(X, y).trace_
    if algorithms.zero_is_mistake(name):
        assert trace.mistakes[:50][trace.scores[:50] == 0].sum() >= 8
    stream = KernelClassifier(name, **shared, **settings).partial_fit(X, y, classes=[0, 1])
    assert stream.mistakes_ == trace.mistakes[:50].sum()


@pytest.mark.parametrize("name", ["omkc_dd", *STOCHASTIC])
def test_votes_of_several_classes_are_compared_on_one_scale(name):
    """A class learned with many mistakes does not win by votes that are nearer to 0."""
    X, y = stream(1500)
    y[y == 1] += np.random.default_rng(1).integers(0, 2, size=(y == 1).sum())  # classes 1 and 2 cannot be told apart
    for settings in ({}, {"approximation": "fourier"}, {"budget": 1500}):
        model = KernelClassifier(name, GAUSSIANS, random_state=0, **settings)
        model.partial_fit(X, y, classes=[0, 1, 2]) if settings else model.fit(X, y)
        scores = model.decision_function(X)
        assert np.abs(scores).max() == 1.0
        assert (scores.argmax(axis=1) == 0)[y == 0].mean() > 0.9


def test_a_kernel_too_narrow_for_features_of_32_bits_is_named():
    X, y = np.random.default_rng(0).normal(size=(300, 20)), np.arange(300) % 2
    for width, fits in ((0.25, False), (0.3, False), (1.0, True), (1e-3, True)):  # the last is 0 in 64 bits too
        model = KernelClassifier("perceptron", [Kernel("gaussian", width)], approximation="nystroem")
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model.partial_fit(X, y, classes=[0, 1])
        lost = [str(each.message) for each in said if "below 1e-19 are lost in 32 bits" in str(each.message)]
        assert len(lost) == (not fits) and all(f"gaussian_sigma{width}" in message for message in lost)


def test_kernels_without_finite_features_are_refused():
    X, y = np.random.default_rng(0).normal(size=(300, 2)), np.arange(300) % 2
    for kernel, method, examples, message in (
        ("mediangaussian_sigma1", "fourier", 1e-50 * X, "expected a width of 1e-37 or more, got .* scale"),
        ("polynomial_p2", "nystroem", 0 * X, "polynomial_p2: expected landmarks where the kernel is not 0, got none"),
    ):
        model = KernelClassifier("perceptron", kernel, approximation=method, scale=False)
        with pytest.raises(ValueError, match=message):
            model.partial_fit(examples, y, classes=[0, 1])


@pytest.mark.parametrize("name", ON_FEATURES)
def test_a_stream_is_learned(name):
    X, y = stream(4000)
    settings = {"perceptron": {"kernel": 1}, "ogd": {"kernel": 1}, "om2": {"p": None, "step": "shortened"}}.get(
        name, {}
    )
    model = KernelClassifier(name, GAUSSIANS, approximation="fourier", n_components=128, random_state=0, **settings)
    assert model.fit(X, y).score(*stream(1000, seed=1)) > 0.9
    assert model.mistakes_ < 0.2 * 4000


@pytest.mark.parametrize("settings", [{"approximation": "fourier", "n_components": 128}, {"budget": 100}], ids=str)
def test_classes_are_learned_one_vs_rest(settings):
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 3.0], [3.0, 0.0], [-3.0, -3.0]])
    y = rng.integers(0, 3, 2000)
    X = centres[y] + rng.normal(size=(2000, 2))
    model = KernelClassifier("omkc_dd", GAUSSIANS, **settings)
    names = np.array(["a", "b", "c"])
    model.partial_fit(X[:100], names[y[:100]], classes=names).partial_fit(X[100:], names[y[100:]])
    assert model.decision_function(X).shape == (2000, 3) and model.kernel_weights_.shape == (3, 3)
    assert np.mean(model.predict(X) == names[y]) > 0.93


@pytest.mark.parametrize("name", ["omkc_dd", "oks"])
@pytest.mark.parametrize(
    "settings", [{"approximation": way} for way in ("fourier", "nystroem")] + [{"budget": 30}], ids=str
)
def test_a_stream_predicts_in_threads_and_from_read_only_memory(name, settings, tmp_path):
    X, y = stream(600)
    model = KernelClassifier(name, GAUSSIANS, random_state=0, **settings).partial_fit(X, y, classes=[0, 1])
    parts = np.split(stream(4000, seed=1)[0], 4)
    expected = [model.decision_function(part) for part in parts]
    joblib.dump(model, tmp_path / "model")
    loaded = joblib.load(tmp_path / "model", mmap_mode="r")
    for each in (model, loaded):
        with ThreadPoolExecutor(4) as pool:
            for _ in range(5):
                assert np.array_equal(list(pool.map(each.decision_function, parts)), expected)
    # what is learned further is the same
    for each in (model, loaded):
        each.partial_fit(*stream(200, seed=2))
    assert np.array_equal(model.decision_function(parts[0]), loaded.decision_function(parts[0]))


@pytest.mark.parametrize("settings", [{}, {"budget": 1000}], ids=str)
def test_mistakes_of_a_stream_are_counted_whatever_the_number_of_classes(settings):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), rng.integers(0, 3, 300)
    for labels in (y, np.minimum(y, 1)):
        model = KernelClassifier("omkc_dd", GAUSSIANS, shuffle=False, scale=False, **settings)
        for k in range(0, 300, 50):
            rows = slice(k, k + 50)
            model.partial_fit(X[rows], labels[rows], classes=np.unique(labels))
        model_of_all = KernelClassifier("omkc_dd", GAUSSIANS, shuffle=False, scale=False).fit(X, labels)
        traces = model_of_all.trace_ if isinstance(model_of_all.trace_, list) else [model_of_all.trace_]
        scores = np.stack([trace.scores for trace in traces])
        predicted = scores.argmax(axis=0) if len(scores) > 1 else (scores[0] >= 0).astype(int)
        wrong = np.count_nonzero(predicted != labels)
        assert model.n_samples_seen_ == 300 and model.mistakes_ == wrong
    assert not hasattr(model.set_params(algorithm="cka").fit(X, y), "mistakes_")


# Buffers of support vectors have a block of spare rows, up to twice what they hold.
@pytest.mark.parametrize(("settings", "growth"), [({"approximation": "fourier"}, 1.001), ({"budget": 10}, 1.5)])
def test_memory_does_not_grow_with_the_stream(settings, growth):
    X, y = stream(300)
    model = KernelClassifier("omkc_dd", GAUSSIANS, **settings).partial_fit(X, y, classes=[0, 1]).partial_fit(X, y)
    size = len(pickle.dumps(model))
    for _ in range(10):
        model.partial_fit(X, y)
    assert len(pickle.dumps(model)) <= growth * size
    assert model.trace_ is None and model.n_samples_seen_ == 3600
