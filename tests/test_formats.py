"""Binary formats by their own types: each input gives its values, or one line that names file, place and what it is."""

import gzip
import os
import re
from decimal import Decimal

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.io
from reading import ADAPTER, read
from scipy import sparse

from grambench.common.errors import DataError
from grambench.datasets import readers

X = np.array([[31.3, 2.0], [0.0, -4.5], [7.25, 0.0]])
Y = np.array([1, -1, 1])


def refusal(format, *paths, **options):
    with pytest.raises(DataError) as caught:
        read(format, *paths, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def dense(raw):
    return raw.features if isinstance(raw.features, np.ndarray) else raw.features.toarray()


# Parquet


def parquet(path, x, y=Y):
    pyarrow.parquet.write_table(pa.table({"x": x, "y": y}), path)
    return path


PARQUET = {"columns": ["x"], "label": "y"}
DECIMALS = [Decimal("31.30"), Decimal("-0.01"), Decimal("12345678.90")]


@pytest.mark.parametrize(
    ("x", "values"),
    [
        (pa.array(DECIMALS, pa.decimal128(12, 2)), [31.3, -0.01, 12345678.9]),
        (pa.array(DECIMALS, pa.decimal256(50, 30)), [31.3, -0.01, 12345678.9]),
        (pa.array([1.5, 2.5, 1.5]).dictionary_encode(), [1.5, 2.5, 1.5]),
        (pa.array([True, False, True]), [1, 0, 1]),
        (pa.array([1, 2, 3], pa.uint8()), [1, 2, 3]),
        (pa.array(np.array([1, 2, 3], np.float16)), [1, 2, 3]),
        (pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0, 1], pa.int8())), [1, 0, 1]),
        (pa.array(["31.30", "-1e3", "2"]), [31.3, -1000, 2]),
    ],
    ids=str,
)
def test_parquet_is_read_by_its_types(tmp_path, x, values):
    assert read("parquet", parquet(tmp_path / "a", x), **PARQUET).features.ravel().tolist() == values


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (pa.array([10, 11, 12], pa.date32()), "row 1, column x: expected a number, got '1970-01-11', a date"),
        (pa.array([0, 1, 2], pa.timestamp("s")), "row 1, column x: expected a number, got '1970-01-01 00:00:00', a "),
        (pa.array([0, 1, 2], pa.time32("s")), "row 1, column x: expected a number, got '00:00:00', a date or a time"),
        (pa.array([[1], [2], [3]]), "row 1, column x: expected a number, got '[1]'"),
        (pa.array(["1.5", "2.5", "n.d."]), "row 3, column x: expected a number, got 'n.d.'; `texts` takes columns of"),
        (pa.array(["a", "b"]).dictionary_encode().take([0, 1, 0]), "row 1, column x: expected a number, got 'a'"),
        (pa.array([1, None, 3]), "row 2: expected a value in column x, got none"),
    ],
    ids=str,
)
def test_what_is_no_number_in_parquet_is_named_with_its_row(tmp_path, x, message):
    got = refusal("parquet", parquet(tmp_path / "a.parquet", x), **PARQUET)
    assert got.startswith(f"a.parquet: cannot be read as parquet: {message}")


def test_columns_of_parquet_that_are_neither_numbers_nor_texts_are_named(tmp_path):
    for x, kind in ((pa.array([0, 1, 2], pa.duration("s")), "duration[s]"), (pa.array([[1], [2], []]), "list<")):
        got = refusal("parquet_table", parquet(tmp_path / "a.parquet", x), label="y")
        assert f"column x: expected numbers, booleans, decimals, dictionaries or texts, got {kind}" in got


@pytest.mark.parametrize(
    ("x", "y", "options", "message"),
    [
        (["u", "v", "u"], Y, {}, r"^b: .*row 1, column x: expected a number, got 'u'; `texts` takes columns of texts$"),
        ([1, 2, 3], Y, {"texts": ["x"]}, r"^a: .*row 1, column x: expected a text, got 1\.5$"),
        ([1.5] * 3, ["1", "x", "1"], {}, "^b: expected 1 columns and labels that are numbers, as in a, got 1 .* texts"),
    ],
)
def test_a_second_file_of_other_types_is_named(tmp_path, x, y, options, message):
    paths = [parquet(tmp_path / "a", [1.5, 2.5, 3.5]), parquet(tmp_path / "b", x, y)]
    reader = ADAPTER.validate_python({"format": "parquet", "positive": 1} | PARQUET | options)
    for reading in (readers.read, lambda *arguments: list(readers.chunks(*arguments))):
        with pytest.raises(DataError, match=message):
            reading(reader, {path.name: path for path in paths})


# HDF5


def h5(path, **items):
    """Write arrays by their paths; a tuple also has attributes."""
    with h5py.File(path, "w") as file:
        for name, item in items.items():
            values, attributes = item if isinstance(item, tuple) else (item, {})
            target = file.require_group(name) if values is None else file.create_dataset(name, data=values)
            target.attrs.update(attributes)
    return path


def parts(matrix):
    return {f"X/{part}": getattr(matrix, part) for part in ("data", "indices", "indptr")}


NAMES = np.array([b"T cell", b"B cell"])
CODES = np.array([1, -1, 0], np.int8)
OBS = {"obs/kind/codes": CODES, "obs/kind/categories": NAMES}
OLD = {"obs": np.array([(1,), (-1,), (0,)], [("kind", "i1")]), "uns/kinds": NAMES}
CSR, CSC = sparse.csr_array(X), sparse.csc_array(X)


CODED = [
    {"X": X} | OBS,
    {"X": (None, {"encoding-type": "csr_matrix", "shape": CSR.shape})} | parts(CSR) | OBS,
    {"X": (None, {"encoding-type": "csc_matrix", "shape": CSC.shape})} | parts(CSC) | OBS,
    {"X": (None, {"h5sparse_format": "csr", "h5sparse_shape": CSR.shape})} | parts(CSR) | OLD,
    {"X": X} | OLD,
]


@pytest.mark.parametrize(
    ("items", "labels"),
    [
        *((items, ["B cell", None, "T cell"]) for items in CODED),
        ({"X": X, "obs/kind/values": [3, 4, 5], "obs/kind/mask": [False, True, False]}, [3, None, 5]),
        ({"X": X, "obs/kind/values": [True, False, False], "obs/kind/mask": [False, True, False]}, [1, None, 0]),
        ({"X": X, "obs/kind": ["u", "", "v"]}, ["u", None, "v"]),
        ({"X": X, "obs/kind": [1.0, np.nan, 2.0]}, [1, None, 2]),
    ],
)
def test_anndata_of_all_versions(tmp_path, items, labels):
    path, options = (
        h5(tmp_path / "a", **items),
        {"label": "kind", "names": "uns/kinds" if "uns/kinds" in items else None},
    )
    assert refusal("hdf5", path, **options).startswith("a: cannot be read as hdf5: label: missing in row 2; drop_inc")
    raw = read("hdf5", path, **options, drop_incomplete=True)
    assert dense(raw).tolist() == X[[0, 2]].tolist() and raw.labels.tolist() == [labels[0], labels[2]]


def test_anndata_07_has_categories_beside_its_codes(tmp_path):
    path = h5(tmp_path / "a", X=X, **{"obs/kind": [1, 0, 0], "obs/__categories/kind": NAMES})
    with h5py.File(path, "a") as file:
        file["obs/kind"].attrs["categories"] = file["obs/__categories/kind"].ref
    assert read("hdf5", path, label="kind").labels.tolist() == ["B cell", "T cell", "T cell"]


LABELS = {"obs/kind": [1, 2, 1]}


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ({"X": np.array([[b"a"], [b"b"], [b"a"]])} | LABELS, "X: expected numbers, got texts"),
        ({"X": np.array([["a"], ["b"], ["a"]], object)} | LABELS, "X: expected numbers, got texts or objects"),
        ({"X": X + 1j} | LABELS, "X: expected numbers, got complex numbers"),
        ({"X": X[:, 0]} | LABELS, "X: expected a matrix, got an array of 3"),
        ({"X": X[:, :, None]} | LABELS, "X: expected a matrix, got an array of 3 x 2 x 1"),
        ({"X/raw": X} | LABELS, "X: expected numbers, got a group"),
        ({"X": X, "obs/kind": X}, "kind: expected a vector, got an array of 3 x 2"),
        (
            {"X": X, "obs/kind/codes": [0, 2, 1], "obs/kind/categories": NAMES},
            "codes from -1 (missing) to 1, got 2 in row 2",
        ),
        ({"X": X, "obs/kind/codes": [0, -2, 1], "obs/kind/categories": NAMES}, "to 1, got -2 in row 2"),
        ({"X": X, "obs/other": [1, 2, 3]}, "expected a column 'kind', got other"),
        ({"Z": X} | LABELS, "expected a matrix 'X', got Z, obs"),
        ({"X": X, "obs/kind": [1, 2]}, "expected as many labels as rows, got 3 rows and 2 labels"),
        ({"X": np.zeros((20_000, 1000))} | LABELS, "X: expected at most 128 MiB, got more"),
    ],
)
def test_what_hdf5_holds_in_place_of_a_matrix_is_named(tmp_path, items, message):
    got = refusal("hdf5", h5(tmp_path / "a.h5", **items), label="kind")
    assert message in got and (got.startswith("a.h5: cannot be read as hdf5: ") or "MiB" in got)


def link_outside(file, pipe):
    file["X"] = h5py.ExternalLink(pipe, "X")


def store_outside(file, pipe):
    file.create_dataset("X", (3, 2), "f8", external=[(pipe, 0, 48)])


def map_outside(file, pipe):
    layout = h5py.VirtualLayout((3, 2), "f8")
    layout[:] = h5py.VirtualSource(pipe, "X", (3, 2))
    file.create_virtual_dataset("X", layout)


@pytest.mark.parametrize("write", [link_outside, store_outside, map_outside])
@pytest.mark.parametrize("format", ["hdf5", "mat"])
def test_data_of_other_files_are_refused(tmp_path, write, format):
    """The other file is a pipe, which would hang whoever opened it."""
    os.mkfifo(tmp_path / "pipe")
    path = h5(tmp_path / "a.h5", **LABELS)
    with h5py.File(path, "a") as file:
        write(file, str(tmp_path / "pipe"))
    options = {"label": "kind"} if format == "hdf5" else {"data": "X", "labels": "obs/kind"}
    assert "X: expected data in the file itself, got a link to another file" in refusal(format, path, **options)


# MATLAB


def mat5(path, **variables):
    scipy.io.savemat(path, variables)
    return path


def mat73(path, **items):
    """Write as MATLAB 7.3 does: HDF5 after 512 bytes, with the axes in the opposite order."""
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, value in items.items():
            if sparse.issparse(value):
                matrix = sparse.csc_array(value)
                group = file.create_group(name)
                group.attrs["MATLAB_sparse"] = matrix.shape[0]
                group["data"], group["ir"], group["jc"] = matrix.data, matrix.indices, matrix.indptr
            elif isinstance(value, str):
                file[name] = np.array([list(map(ord, value))], np.uint16).T
                file[name].attrs["MATLAB_class"] = np.bytes_("char")
            elif np.iscomplexobj(value):
                file[name] = np.asarray(value).T.copy().view([("real", "f8"), ("imag", "f8")])
            else:
                file[name] = np.asarray(value).T
    with path.open("r+b") as stream:
        stream.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\0\2IM")
    return path


@pytest.mark.parametrize("write", [mat5, mat73])
@pytest.mark.parametrize("matrix", [X, sparse.csc_array(X), X.astype(np.float32)], ids=["dense", "sparse", "single"])
def test_matlab_of_both_formats(tmp_path, write, matrix):
    path = write(tmp_path / "a.mat", X=matrix, XT=matrix.T, Y=Y[None], A=np.column_stack([Y, X]), P=[[3, 1, 2]])
    for options in ({"data": "X"}, {"data": "XT", "transposed": True}):
        raw = read("mat", path, labels="Y", orders="P", **options)
        assert np.allclose(dense(raw), X, atol=1e-6) and raw.labels.tolist() == Y.tolist()
        assert raw.orders.tolist() == [[2, 0, 1]]
    assert read("mat", path, data="A").features.tolist() == X.tolist()
    raw = read("mat_blocks", path, features=["X", "X"], labels=["Y", "Y"])
    assert sparse.issparse(raw.features) and raw.features.shape == (6, 2)


@pytest.mark.parametrize("write", [mat5, mat73])
@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"X": X + 1j, "Y": Y}, "X: expected numbers, got (complex numbers|records or complex numbers)"),
        ({"X": X, "Y": "abc"}, "Y: expected numbers, got ('char'|texts)"),
        ({"X": X, "Y": X}, "Y: expected a vector, got an array of 3 x 2"),
        ({"X": X[:, :, None] * [1.0, 2.0], "Y": Y}, "X: expected a matrix, got an array of 3 x 2 x 2"),
        ({"Z": X, "Y": Y}, "expected a variable 'X', got "),
    ],
)
def test_what_matlab_holds_in_place_of_numbers_is_named(tmp_path, write, variables, message):
    path = write(tmp_path / "a.mat", **variables)
    with pytest.raises(DataError, match=rf"^a\.mat: cannot be read as mat: {message}"):
        read("mat", path, data="X", labels="Y")


# ARFF, LIBSVM


HEAD = "@relation r\n@attribute x numeric\n@attribute k {'a b',c}\n@attribute y {u,'v w'}\n@DATA\n"


def test_sparse_arff(tmp_path):
    (tmp_path / "a").write_text(HEAD + "{0 1.5, 1 c, 2 u}\n\n{2 'v w'}\n{ }\n-2,c,u\n{0 ?,1 'a b'}\n")
    raw = read("arff", tmp_path / "a", label="y", one_hot={"k": ["a b", "c"]}, numbers=True, positive="u")
    expected = [[1.5, 0, 1], [0, 1, 0], [0, 1, 0], [-2, 0, 1], [np.nan, 1, 0]]
    assert np.array_equal(raw.features, expected, equal_nan=True)
    assert raw.labels.tolist() == ["u", "v w", "u", "u", "u"]


@pytest.mark.parametrize("row", ["{3 u}", "{0 1.5", "{0 1.5 2 u}", "{x 1.5}", "{0 1, 2 'v w}"])
def test_malformed_sparse_arff(tmp_path, row):
    (tmp_path / "a").write_text(HEAD + "{2 u}\n" + row + "\n")
    got = refusal("arff", tmp_path / "a", label="y", codes={"a b": 0, "c": 1})
    assert (
        got == f"a: cannot be read as arff: line 7: expected {{index value, ...}} with indices from 0 to 2, got {row}"
    )


def test_kernel_values_are_named(tmp_path):
    (tmp_path / "a").write_text("1 0:1 1:1 2:.5\n-1\t0:2 1:.5 2:1\n")
    assert "expected features, got kernel values (0:1, 0:2 ...)" in refusal("libsvm", tmp_path / "a", columns=2)


# Binary files where text is expected


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda path: parquet(path, [1.0, 2.0, 3.0]), "a Parquet file; describe it with `format: parquet`"),
        (lambda path: h5(path, X=X), "an HDF5 file; describe it with `format: hdf5`"),
        (lambda path: mat5(path.with_suffix(".mat"), X=X), "a MATLAB file; describe it with `format: mat`"),
        (lambda path: mat73(path, X=X), "a MATLAB file; describe it with `format: mat`"),
        (lambda path: np.save(path.open("wb"), X) or path, "a NumPy array; save features as CSV"),
    ],
)
def test_a_binary_file_is_named_where_text_is_expected(tmp_path, write, message, pack):
    content = write(tmp_path / "a").read_bytes()
    (tmp_path / "b.csv").write_bytes(pack(content))
    with pytest.raises(DataError, match=rf"^b\.csv: cannot be read as csv: .*expected a text, got {message}"):
        read("csv", tmp_path / "b.csv", label=-1)


# Values out of bounds


@pytest.mark.parametrize("value", [1e39, -1e200, np.finfo(np.float64).max])
def test_a_value_beyond_32_bits_is_refused_with_its_place(tmp_path, value):
    large = X.copy()
    large[1, 1] = value
    expected = "^" + re.escape(f"a.csv: row 2, feature 2: expected a number within 3.4e+38, got {value:g}; ")
    (tmp_path / "a.csv").write_text("\n".join(f"{a!r},{b!r},{y}" for (a, b), y in zip(large.tolist(), Y, strict=True)))
    for options in ({}, {"minmax": True}):
        with pytest.raises(DataError, match=expected):
            read("csv", tmp_path / "a.csv", label=-1, **options)
    mat = mat5(tmp_path / "a.mat", X=sparse.csc_array(large), Y=Y)
    with pytest.raises(DataError, match=r"^a\.mat: row 2, feature 2: "):
        read("mat_blocks", mat, features=["X"], labels=["Y"])
    with pytest.raises(DataError, match=r"^a\.h5: row 2, feature 2: "):
        read("hdf5", h5(tmp_path / "a.h5", X=large, **LABELS), label="kind")
    # The largest float32 is no fault, and rows that are left out may hold anything.
    assert read("hdf5", h5(tmp_path / "a.h5", X=X + np.finfo(np.float32).max, **LABELS), label="kind").labels.size == 3
    assert len(read("mat", mat5(tmp_path / "b.mat", X=large, Y=Y), data="X", labels="Y", rows=1).labels) == 1
