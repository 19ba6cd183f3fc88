"""Which rows train, validate and test: of the sizes asked for, disjoint, and the same for every algorithm."""

from dataclasses import replace

import numpy as np
import pytest
from problems import prepared
from specifications import make_run

from grambench.common.errors import DataError
from grambench.experiments.splits import MOST_OF_CLASS, first_of_each, shuffled, splits

NAMES = ("ant", "bee", "cat", "dog", "eel", *"fghijklmnopqrstuvwxyz")
PROTOCOLS = {
    "nested_cv": {"outer_folds": 4, "inner_folds": 3, "select": "C", "values": [1.0]},
    "random_splits": {"repetitions": 3, "sizes": {"default": [40, 30, 50]}, "values": [1.0]},
    "official_split": {"repetitions": 3, "validation": 0.25, "values": [1.0]},
    "per_class_splits": {"repetitions": 3, "sizes": {"default": [10, 5, 8]}, "values": [1.0]},
}
REFITTED = [
    (kind, {"refit": refit}) for kind in PROTOCOLS for refit in ((True,) if kind == "nested_cv" else (True, False))
]


def dataset(n=150, classes=2, test=None):
    """Return labels in a random order, as many of each class, with rows that are equal to their numbers."""
    labels = np.random.default_rng(0).permutation(np.arange(n) % classes)
    labels, names = (labels, NAMES[:classes]) if classes > 2 else (2 * labels - 1, ())
    return prepared(np.arange(float(n))[:, None], labels, classes=names, test=test)


def asked(kind, file="cka", protocol=(), **changes):
    return make_run(file, kind, protocol=PROTOCOLS[kind] | dict(protocol), **changes)


def drawn(run, data):
    return [split for split, _ in splits(run, data)]


def with_official_split(data):
    return replace(data, test=np.arange(len(data.labels)) % 3 == 0)


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize(("kind", "refit"), REFITTED)
def test_parts_are_disjoint_and_the_same_for_every_algorithm(kind, refit, classes):
    data = with_official_split(dataset(classes=classes)) if kind == "official_split" else dataset(classes=classes)
    first, again = (drawn(asked(kind, file, refit), data) for file in ("cka", "alignf"))
    assert len(first) == asked(kind).protocol.repetitions
    for split, other in zip(first, again, strict=True):
        assert len(split.folds) == (3 if kind == "nested_cv" else 1)
        for fold, same in zip(split.folds, other.folds, strict=True):
            together = np.concatenate([fold.train, fold.validation, split.test])
            assert len(np.unique(together)) == len(together)
            expected = np.concatenate([fold.train, fold.validation]) if split.refits else fold.train
            assert np.array_equal(np.sort(split.train), np.sort(expected))
            assert np.array_equal(fold.train, same.train) and np.array_equal(fold.validation, same.validation)
            assert np.array_equal(split.order_of(fold.train), other.order_of(fold.train))
        assert split.refits == refit["refit"]
        assert np.array_equal(split.train, other.train) and np.array_equal(split.test, other.test)


@pytest.mark.parametrize("kind", PROTOCOLS)
def test_a_block_of_repetitions_has_the_splits_and_seeds_of_the_whole(kind):
    data = with_official_split(dataset())
    whole, block = (list(splits(asked(kind, block=numbers), data)) for numbers in (None, [1, 2]))
    for (split, seed), (other, same) in zip(whole[1:3], block, strict=True):
        assert np.array_equal(split.train, other.train) and np.array_equal(split.test, other.test)
        assert seed.spawn_key == same.spawn_key and seed.entropy == same.entropy
    assert whole[0][1].entropy != whole[1][1].entropy


@pytest.mark.parametrize("kind", PROTOCOLS)
def test_splits_depend_on_the_seed_and_the_name_of_the_data_set(kind):
    data = with_official_split(dataset())
    (first, *_) = drawn(asked(kind), data)
    for other in (drawn(asked(kind, seed=8), data)[0], drawn(asked(kind), replace(data, name="other"))[0]):
        assert not np.array_equal(first.folds[0].validation, other.folds[0].validation)


# --- repeated random splits -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "sizes"),
    [
        ({}, [40, 30, 50]),
        ({"sizes": {"default": [40, 30, 50], "made": [10, 10, 10]}}, [10, 10, 10]),
        ({"sizes": {}, "shares": [0.5, 0.25, 0.25], "most": 100}, [50, 25, 25]),
        ({"sizes": {}, "shares": [0.29, 0.58, 0.13], "most": 100}, [29, 58, 13]),
    ],
)
def test_random_splits_have_the_sizes_asked_for_and_differ(settings, sizes):
    first, second, _ = drawn(asked("random_splits", protocol=settings), dataset())
    for split in (first, second):
        assert [len(part) for part in (split.train, split.folds[0].validation, split.test)] == sizes
    assert not np.array_equal(first.train, second.train)


def test_too_few_examples_are_said():
    with pytest.raises(DataError, match=r"made: 40 \+ 30 \+ 50 examples are needed, and it has 100"):
        drawn(asked("random_splits"), dataset(n=100))


# --- the split that comes with the data -------------------------------------------------------------------------------


def test_the_official_split_is_kept_and_shared_by_all_repetitions():
    data = with_official_split(dataset())
    (split, *others) = drawn(asked("official_split"), data)
    assert all(other is split for other in others)
    assert np.array_equal(split.train, np.flatnonzero(~data.test))
    assert np.array_equal(split.test, np.flatnonzero(data.test))
    assert len(split.folds[0].validation) == round(0.25 * len(split.train))


def test_the_training_examples_of_the_selection_keep_the_order_of_all():
    for refit in (True, False):
        (split, *_) = drawn(asked("official_split", protocol={"refit": refit}), with_official_split(dataset()))
        fold = split.folds[0]
        seen = split.train[split.order_of(split.train)]
        assert np.array_equal(fold.train[split.order_of(fold.train)], seen[np.isin(seen, fold.train)])


def test_data_without_a_split_are_refused():
    with pytest.raises(DataError, match="made: expected a data set with a split of its own, got one without"):
        drawn(asked("official_split"), dataset())


# --- outer folds of nested cross-validation ---------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 5])
def test_outer_folds_are_tested_in_turn_and_inner_folds_validate_in_turn(classes):
    data = dataset(classes=classes)
    found = drawn(asked("nested_cv"), data)
    assert np.array_equal(np.sort(np.concatenate([split.test for split in found])), np.arange(150))
    shares = {label: np.count_nonzero(data.labels == label) for label in np.unique(data.labels)}
    for split in found:
        assert np.array_equal(np.sort(np.concatenate([fold.validation for fold in split.folds])), split.train)
        for label, count in shares.items():
            assert abs(np.count_nonzero(data.labels[split.test] == label) - count / 4) < 1


def test_too_few_examples_of_a_class_for_the_folds_are_said():
    labels = np.where(np.arange(30) < 4, 1, -1).astype(np.int8)
    few = replace(dataset(n=30), labels=labels)
    with pytest.raises(DataError, match="made: 4 outer folds with 4 inner folds need more than 4 examples"):
        drawn(asked("nested_cv", protocol={"inner_folds": 4}), few)
    assert len(drawn(asked("nested_cv"), few)) == 4


# --- equally many examples of each class ------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_draws_have_so_many_of_each_class(classes):
    data = dataset(classes=classes)
    found = drawn(asked("per_class_splits"), data)
    for split in found:
        for part, count in ((split.train, 10), (split.folds[0].validation, 5), (split.test, 8)):
            assert np.unique(data.labels[part], return_counts=True)[1].tolist() == [count] * classes
    assert not np.array_equal(np.sort(found[0].train), np.sort(found[1].train))


def test_the_test_part_of_a_split_is_used_whole_and_for_nothing_else():
    data = dataset(n=90, classes=3, test=np.arange(90) >= 60)
    (split, *_) = drawn(asked("per_class_splits", protocol={"sizes": {"made": [0, 4, 0]}}), data)
    assert np.array_equal(split.test, np.arange(60, 90))
    assert len(split.folds[0].validation) == 12
    assert np.array_equal(np.sort(np.concatenate([split.train, split.folds[0].validation])), np.arange(60))


@pytest.mark.parametrize(("classes", "name"), [(3, "ant"), (2, "-1")])
def test_too_few_examples_of_a_class_are_named(classes, name):
    run = asked("per_class_splits", protocol={"sizes": {"default": [30, 5, 18]}})
    with pytest.raises(DataError, match=f"made: expected 53 examples of {name}, got {90 // classes}"):
        drawn(run, dataset(n=90, classes=classes))


def test_there_is_nothing_to_select_on_without_validation_examples():
    for refit in (True, False):
        run = asked("per_class_splits", protocol={"sizes": {"default": [10, 0, 8]}, "refit": refit})
        (split, *_) = drawn(run, dataset())
        assert (len(split.train), list(split.folds), len(split.test)) == (20, [], 16)


# --- what all splits can do -------------------------------------------------------------------------------------------


def test_orders_are_permutations_of_their_own():
    seed = np.random.SeedSequence(3)
    assert sorted(shuffled(20, seed)) == list(range(20))
    assert np.array_equal(shuffled(20, seed), shuffled(20, np.random.SeedSequence(3)))
    assert not np.array_equal(shuffled(20, seed), np.random.default_rng(seed).permutation(20))


@pytest.mark.parametrize(("classes", "size"), [(2, MOST_OF_CLASS), (5, 8), (10, 4), (25, 2)])
@pytest.mark.parametrize(("kind", "refit"), REFITTED)
def test_few_examples_are_some_of_each_class_and_part(kind, refit, classes, size):
    data = dataset(n=2400, classes=classes, test=np.arange(2400) % 3 == 0)
    sizes = {
        "random_splits": {"sizes": {"default": [750, 500, 750]}},
        "per_class_splits": {"sizes": {"default": [20, 15, 12]}},
    }
    run = asked(kind, protocol=sizes.get(kind, {}) | refit)
    (split, *_) = drawn(run, data)
    reduced = split.reduced(data.labels)
    assert reduced.refits == split.refits and len(reduced.folds) == len(split.folds)
    for part in (reduced.test, *(fold.validation for fold in reduced.folds)):
        counts = np.unique(data.labels[part], return_counts=True)[1]
        assert counts.tolist() == [size] * classes
    for fold, whole in zip(reduced.folds, split.folds, strict=True):
        assert np.isin(fold.train, whole.train).all() and np.isin(fold.validation, whole.validation).all()
        assert np.isin(fold.train, reduced.train).all()
        of_each = np.unique(data.labels[fold.train], return_counts=True)[1]
        assert len(of_each) == classes and of_each.max() <= (len(reduced.folds) - 1 or 1) * size
        seen, all_seen = reduced.train[reduced.order_of(reduced.train)], split.train[split.order_of(split.train)]
        if split.order is not None:
            assert np.array_equal(seen, all_seen[np.isin(all_seen, reduced.train)])
        assert sorted(reduced.order_of(fold.train)) == list(range(len(fold.train)))
    assert np.isin(reduced.test, split.test).all() and not np.isin(reduced.test, reduced.train).any()


def test_fewer_training_examples_are_validated_and_tested_on_the_same():
    data = dataset(classes=3)
    for refit in (True, False):
        (split, *_) = drawn(asked("per_class_splits", protocol={"refit": refit}), data)
        kept = first_of_each(4, data.labels, split.folds[0].train)
        assert np.unique(data.labels[kept], return_counts=True)[1].tolist() == [4, 4, 4]
        fewer = split.shortened(kept)
        assert np.array_equal(fewer.folds[0].train, kept) and fewer.refits == split.refits
        assert fewer.folds[0].validation is split.folds[0].validation and fewer.test is split.test
        expected = [kept, split.folds[0].validation] if refit else [kept]
        assert np.array_equal(fewer.train, np.concatenate(expected))
