"""Gram matrices: against scikit-learn, and what a reader says about a damaged file."""

import math
import re
from functools import partial
from pathlib import Path

import h5py
import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from grambench.common.errors import DataError
from grambench.config.load import load
from grambench.config.study import Study
from grambench.kernels import grams, matrices
from grambench.kernels.functions import FAMILIES, Kernel
from grambench.kernels.labels import kernel_label


@pytest.fixture
def features():
    return np.random.default_rng(0).normal(size=(83, 7))


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (Kernel("polynomial", 3), partial(polynomial_kernel, degree=3, gamma=1, coef0=0)),
        *((Kernel("inhomogeneous", d), partial(polynomial_kernel, degree=d, gamma=1, coef0=1)) for d in (1, 2, 10)),
        (Kernel("gaussian", 0.5), partial(rbf_kernel, gamma=2.0)),
        (Kernel("gaussian", 2.0), partial(rbf_kernel, gamma=0.125)),
    ],
)
def test_equals_scikit_learn(features, kernel, expected):
    (gram,) = grams.compute(grams.inner_products(features), [kernel])
    np.testing.assert_allclose(gram, expected(features), rtol=1e-10, atol=1e-12)


def test_is_symmetric_with_unit_diagonal_and_no_negative_distance(features):
    twice = np.vstack([features, features]) * 1e3  # equal rows, whose computed distances round below 0
    gram = grams.compute(grams.inner_products(twice), [Kernel("gaussian", 2.0**-6)])[0]
    assert np.array_equal(gram, gram.T)
    assert np.array_equal(np.diagonal(gram), np.ones(len(gram)))
    assert gram.max() <= 1.0


ENTRIES = "expected finite values, got others for examples of squared norm"


@pytest.mark.parametrize(
    ("kernel", "factor"),
    [
        (Kernel("polynomial", 1000), 1e2),
        (Kernel("polynomial", 1), 1e200),
        (Kernel("polynomial", 2), 1e100),
        (Kernel("inhomogeneous", 10), 1e16),
        (Kernel("gaussian", 1.0), 1e308),
        (Kernel("gaussian", 1e-160), 1.0),  # distances of 0 are not a number
        (Kernel("gaussian", 1e200), 1.0),
    ],
)
def test_a_matrix_that_would_not_be_finite_is_refused_before_it_is_made(features, kernel, factor, tmp_path):
    with np.errstate(all="ignore"):
        inner = grams.inner_products(factor * features)
    with pytest.raises(ValueError, match=f"^{re.escape(kernel.name)}: {ENTRIES}"):
        matrices.write_gram(tmp_path / "gram.h5", inner, kernel)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("family", ["polynomial", "inhomogeneous", "unitpolynomial", "gaussian"])
@pytest.mark.parametrize("sign", [1, -1])  # the largest inner product may be that of an example and its opposite
def test_a_matrix_is_refused_just_where_it_is_not_finite(features, family, sign):
    refused = 0
    features = np.vstack([features, sign * features[:1]])
    for exponent in range(0, 154, 17):
        inner = grams.inner_products(10.0**exponent * features)
        for parameter in (1, 3, 100):
            kernel, values = Kernel(family, parameter), np.empty_like(inner)
            distance = np.empty_like(inner)
            grams.squared_distances(inner, np.diagonal(inner), np.diagonal(inner), distance)
            with np.errstate(all="ignore"):
                kernel.fill(distance if kernel.reads == "squared" else inner, values)
            if np.isfinite(values).all():
                grams.compute(inner, [kernel])
            else:
                refused += 1
                with pytest.raises(ValueError, match=ENTRIES):
                    grams.compute(inner, [kernel])
    assert (refused == 0) == (family == "gaussian")


def test_sparse_features_give_the_same_matrix(features):
    features[features < 0.5] = 0.0
    dense, thin = grams.inner_products(features), grams.inner_products(sparse.csr_array(features))
    np.testing.assert_allclose(dense, thin, rtol=0, atol=1e-12)


@pytest.mark.parametrize("tile", [1, 10, 83, 200])
def test_tiles_do_not_change_the_file(features, tmp_path, monkeypatch, tile):
    inner, kernel = grams.inner_products(features), Kernel("gaussian", 1.0)
    expected = grams.compute(inner, [kernel])[0]
    monkeypatch.setattr(grams, "GRAM_TILE", tile)
    path = tmp_path / "gram.h5"
    matrices.write_gram(path, inner, kernel, threads=3)
    mapped = matrices.open_matrix(path)
    assert np.array_equal(mapped, expected)
    assert not mapped.flags.writeable
    assert mapped.flags.c_contiguous
    with h5py.File(path) as file:  # the same numbers by HDF5's own reading, not compressed, not in chunks
        assert np.array_equal(file["matrix"][:], expected)
        assert file["matrix"].chunks is None
    assert [entry.name for entry in tmp_path.iterdir()] == ["gram.h5"]


def test_exponential_is_the_c_librarys_bit_for_bit():
    rng = np.random.default_rng(1)
    for scale in (1.0, 700.0, 745.2, 800.0, 1e5):  # all normal, some subnormal, some 0, nearly all 0
        distance = 2 * np.concatenate(
            [scale * rng.random(500), [0.0, 708.0, 708.1, 745.1, 745.13, 745.2, 745.3, 1e300]]
        )
        entries = np.empty((1, distance.size))
        Kernel("gaussian", 1.0).fill(distance[None], entries)
        assert entries[0].tolist() == [math.exp(-value / 2) for value in distance]


def test_damaged_files_are_named(features, tmp_path):
    path = tmp_path / "gram.h5"
    with pytest.raises(DataError, match=r"gram\.h5: cannot be read \(No such file"):
        matrices.open_matrix(path)
    inner = grams.inner_products(features)
    matrices.write_inner(path, inner, {})
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"gram\.h5"):
        matrices.open_matrix(path)
    matrices.write_unavailable(path, "no source answered")
    assert matrices.unavailable(path) == "no source answered"
    with pytest.raises(DataError, match="no source answered"):
        matrices.open_matrix(path)


def test_kernel_names_survive_the_round_trip():
    for family in FAMILIES:
        for value in (3, 10) if "polynomial" in family or family == "inhomogeneous" else (2.0**-6, 1 / 3, 1.0):
            for view in ("", "dense_sift_v3h1", "base/gist"):
                kernel = Kernel(family, value, view)
                assert Kernel.parse(kernel.name) == kernel
    assert Kernel("chisquare", 1.0, "dense_sift").name == "dense_sift/chisquare_s1"
    assert Kernel("gaussian", 0.5).name == "gaussian_sigma0.5"
    assert Kernel("inhomogeneous", 3).name == "inhomogeneous_d3"


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("gaussian_sigma0.5", "Gaussian, σ = 0.5"),
        ("mediangaussian_sigma2", "Gaussian, σ = 2 x median distance"),
        ("polynomial_p1", "linear"),
        ("polynomial_p2", "polynomial of degree 2"),
        ("inhomogeneous_d1", "inhomogeneous polynomial of degree 1"),
        ("dense_sift_v3h1/chisquare_s1", "dense SIFT, 3 x 1: chi-square"),
        ("harris_hue/chisquare_s2", "Harris hue: chi-square, scale 2"),
        ("phog_0/meangaussian_s1", "PHOG 0: Gaussian"),
        ("lab/unitpolynomial_p2", "Lab: unit polynomial of degree 2"),
        ("amyloid_tau/gaussian_sigma1", "amyloid tau: Gaussian, σ = 1"),
        *(
            (f"{view}/gaussian_sigma1", f"{view}: Gaussian, σ = 1")
            for view in ("v3h1", "_", "a__b", "TP_53", "a/b_c", "1_2")
        ),
    ],
)
def test_kernels_have_readable_labels(name, label):
    assert Kernel.parse(name).name == name
    assert kernel_label(name) == label


def test_no_study_has_two_kernels_of_one_label():
    for path in (Path(__file__).parents[1] / "config" / "studies").glob("*.yaml"):
        study = load(Study, path)
        for dataset in study.datasets:
            labels = [kernel_label(kernel.name) for kernel in study.kernel_list(dataset=dataset)]
            assert len(set(labels)) == len(labels)


@pytest.mark.parametrize(
    ("family", "value"),
    [("polynomial", 1.5), ("inhomogeneous", math.inf), ("gaussian", -1), ("chisquare", 0), ("meangaussian", math.inf)],
)
def test_wrong_kernel_parameters_are_refused(family, value):
    with pytest.raises(ValueError, match=f"{family} kernel: .* must be .*, got {value}"):
        Kernel(family, value)


def test_a_distance_that_is_no_number_gives_a_value_that_is_none():
    """And not the 0 of an underflow: nobody would see it."""
    values = np.empty((1, 3))
    Kernel("gaussian", 1.0).fill(np.array([[np.nan, 0.0, 1e9]]), values)
    np.testing.assert_array_equal(values, [[np.nan, 1.0, 0.0]])
