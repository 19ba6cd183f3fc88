"""Generated data sets: what the papers say of them, the same on every platform, no network and no mirror."""

from typing import get_args

import numpy as np
import pytest

from grambench.common.errors import ConfigError, DataError
from grambench.config.load import check
from grambench.datasets import generators, store
from grambench.datasets.descriptions import NOTE, Dataset
from grambench.datasets.fetch import fetch
from grambench.datasets.prepare import prepare
from grambench.datasets.sources import Generated

N = 4000
PARAMETERS = {
    "dirichlet": {},
    "relevance": {"gamma": 5},
    "ringnorm": {"positives": 1500},
    "waveform": {"positives": 1300},
    "additive_views": {"views": 5, "relevant": 2},
    "redundant_views": {"views": 5, "relevant": 2},
    "xor_views": {"views": 3},
    "twonorm": {},
    "chessboard": {"squares": 4, "noise": 0.1},
    "sea": {},
    "turning_plane": {"turns": 1},
}


def drawn(generator, seed=3, n=N, **more):
    return generators.generate(generator, PARAMETERS[generator] | more, seed, n)


def describe(content="f" * 64, **change):
    features, labels = drawn("ringnorm", n=50, positives=20)
    plain = {"name": "toy", "title": "t", "licence": "l", "citation": "c", "url": "u", "content": content}
    source = {"kind": "generated", "generator": "ringnorm", "parameters": {"positives": 20}, "seed": 3}
    numbers = {"n": 50, "d": features.shape[1], "positives": int((labels == 1).sum())}
    return check(Dataset, plain | numbers | {"sources": [source | change]}, "test")


def test_names_are_those_of_the_description():
    images = {"drawings"}  # grambench.datasets.drawings
    assert set(get_args(Generated.model_fields["generator"].annotation)) == set(generators.GENERATORS) | images
    assert set(PARAMETERS) == set(generators.GENERATORS)


@pytest.mark.parametrize("generator", PARAMETERS)
def test_same_seed_same_sample(generator):
    (features, labels), again, other = drawn(generator), drawn(generator), drawn(generator, seed=4)
    assert np.array_equal(features, again[0]) and np.array_equal(labels, again[1])
    assert not np.array_equal(features, other[0])
    assert features.dtype == np.float64 and features.shape[0] == N
    assert labels.dtype == np.int8 and set(labels.tolist()) == {-1, 1}
    assert np.array_equal(features, features.round(6))


def test_dirichlet():
    features, labels = drawn("dirichlet")
    (x,) = features.T
    assert -10 <= x.min() < -9.9 and 9.9 < x.max() <= 10
    waves = np.sin(2**0.5 * x) + np.sin(12**0.5 * x) + np.sin(60**0.5 * x)
    assert labels.tolist() == np.where(waves > 0, 1, -1).tolist()


@pytest.mark.parametrize("gamma", [0, 1, 40])
def test_relevance(gamma):
    features, labels = drawn("relevance", n=20000, gamma=gamma)
    theta = np.array([(i / 50) ** gamma for i in range(1, 51)])
    mean = 1.75 * theta / np.sqrt((theta**2).sum())
    noise = features - labels[:, None] * mean
    assert abs(noise.mean(axis=0)).max() < 0.05
    assert abs(np.cov(noise.T) - np.eye(50)).max() < 0.06
    assert abs(labels.mean()) < 0.03


def test_ringnorm():
    features, labels = drawn("ringnorm", n=20000, positives=10000)
    wide, narrow = features[labels == 1], features[labels == -1]
    assert abs(wide.mean(axis=0)).max() < 0.1 and abs(wide.std(axis=0) - 2).max() < 0.1
    assert abs(narrow.mean(axis=0) - 2 / 20**0.5).max() < 0.1 and abs(narrow.std(axis=0) - 1).max() < 0.1


def test_waveform():
    features, labels = drawn("waveform", n=20000, positives=8000)
    wave = {peak: np.array([max(6 - abs(i - peak), 0) for i in range(1, 22)]) for peak in (7, 11, 15)}
    others = (wave[7] + wave[15] + wave[11] + wave[15]) / 4  # the two pairs equally often
    assert abs(features[labels == 1].mean(axis=0) - (wave[7] + wave[11]) / 2).max() < 0.1
    assert abs(features[labels == -1].mean(axis=0) - others).max() < 0.1
    ends = features[:, [0, 20]]  # where every wave is 0, or nearly so
    assert abs(ends[:, 1].std() - 1) < 0.05


def related(features, labels):
    """Return the correlation of each column with the labels."""
    return np.array([np.corrcoef(column, labels)[0, 1] for column in features.T])


def test_only_the_relevant_views_tell_of_the_label():
    features, labels = drawn("additive_views")
    assert features.shape == (N, 20)
    squares = np.abs(related(features**2, labels))
    assert squares[:8].min() > 0.15 and squares[8:].max() < 0.06
    features, labels = drawn("redundant_views")
    means = np.abs(related(features, labels))
    assert means[[0, 4]].min() > 0.35 and np.delete(means, [0, 4]).max() < 0.06


def test_two_views_tell_by_their_signs_together_what_neither_tells_alone():
    features, labels = drawn("xor_views")
    assert features.shape == (N, 6)
    assert np.array_equal(np.sign(features[:, 0] * features[:, 2]), labels)
    assert np.abs(related(np.hstack([features, features**2]), labels)).max() < 0.06


@pytest.mark.parametrize("generator", ["ringnorm", "waveform"])
def test_a_stand_in_has_as_many_positives_as_the_sample(generator):
    labels = drawn(generator)[1]
    assert int((labels == 1).sum()) == PARAMETERS[generator]["positives"]
    assert 0.3 < (labels[: N // 2] == 1).sum() / (labels == 1).sum() < 0.7  # in random order


def test_wrong_parameters_are_told_in_one_line():
    with pytest.raises(DataError, match=r"^generator relevance: .*'gama'; its parameters: gamma, rho, d$"):
        drawn("relevance", gama=5)
    with pytest.raises(
        DataError, match=r"^generator chessboard: missing a required .*; its parameters: squares, noise$"
    ):
        generators.generate("chessboard", {}, 1, 10)
    with pytest.raises(DataError, match=r"^generator sea: .*'part'; its parameters: noise$"):
        generators.generate("sea", {"part": 3}, 1, 10)
    with pytest.raises(ConfigError, match="generator: Input should be 'dirichlet', "):
        describe(generator="ringnrm")


def test_fetch_and_prepare(tmp_path):
    features, labels = drawn("ringnorm", n=50, positives=20)
    expected = store.PreparedDataset(name="toy", features=features, labels=labels, orders=None, source={}).content
    dataset = describe(expected)
    note = fetch(dataset, tmp_path / "toy", bundled=tmp_path, kinds=["generated"])
    assert sorted(path.name for path in (tmp_path / "toy").iterdir()) == [f".{NOTE}.seal", NOTE]
    assert (note["status"], note["files"]) == ("ok", {})
    assert note["origin"] == "generator ringnorm(positives=20), seed 3"
    prepared = prepare(dataset, tmp_path / "toy")
    assert np.array_equal(prepared.features, features) and prepared.labels.tolist() == labels.tolist()
    assert prepared.source["kind"] == "generated"


def test_no_mirror_delivers_what_has_no_files(tmp_path):
    (tmp_path / "SHA256SUMS").write_text("")
    note = fetch(describe(), tmp_path / "toy", bundled=tmp_path, mirrors=[tmp_path], kinds=["http"])
    assert note["status"] == "unavailable"
    (reason,) = [tried["reason"] for tried in note["tried"]]
    assert reason == "in no mirror, and kind generated is not among those allowed (http)"


def test_twonorm_has_the_least_error_of_its_source():
    features, labels = drawn("twonorm", n=100_000)
    assert 100.0 * np.mean((features.sum(axis=1) > 0) != (labels > 0)) == pytest.approx(2.28, abs=0.15)


def test_a_chessboard_has_as_many_wrong_labels_as_asked_for():
    features, labels = drawn("chessboard", n=50_000)
    right = np.where(np.floor(features).sum(axis=1) % 2 == 0, 1, -1)
    assert np.mean(labels != right) == pytest.approx(0.1, abs=0.01)
    assert features.min() >= 0.0 and features.max() <= 4.0


@pytest.mark.parametrize("generator", ["twonorm", "ringnorm", "waveform", "sea", "turning_plane"])
def test_generators_draw_streams_part_by_part(generator):
    parameters = {"turns": 1.0, "noise": 0.0} if generator == "turning_plane" else {}
    parameters |= {"noise": 0.0} if generator == "sea" else {}
    parts = list(generators.draw(generator, parameters, 5, 10_000, size=3000))
    assert [len(labels) for _, labels in parts] == [3000, 3000, 3000, 1000]
    features, labels = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    assert not np.array_equal(features[:1000], features[3000:4000])
    assert 0.3 < (labels == 1).mean() < 0.7
    position = np.arange(10_000)
    if generator == "sea":  # whose thresholds change at the quarters of the stream, not of its parts
        theta = np.array([8.0, 9.0, 7.0, 9.5])[position // 2500]
        assert np.array_equal(labels, np.where(features[:, :2].sum(axis=1) <= theta, 1, -1))
    if generator == "turning_plane":
        angle = 2.0 * np.pi * position / 10_000
        side = np.cos(angle) * features[:, 0] + np.sin(angle) * features[:, 1]
        assert np.array_equal(labels, np.where(side > 0, 1, -1))
