"""Each format from a few lines of it, and one clear line for files that are something else."""

import bz2
import gzip
import lzma
import os
import re
import zlib
from decimal import Decimal
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import pytest
import rdata
import scipy.io
from reading import read
from scipy import sparse

from grambench.common.errors import DataError
from grambench.datasets import readers, streams
from grambench.datasets.formats import arrays
from grambench.datasets.formats.columns import Csv

BUNDLED = Path(__file__).parents[1] / "data" / "bundled"


def written(path, text):
    path.write_text(text)
    return path


def test_csv(tmp_path):
    raw = read("csv", written(tmp_path / "a", "x,y,label\n1,2.5,a\n\n-3,1e-3,b\n"), header_lines=1, label=-1)
    assert raw.features.tolist() == [[1, 2.5], [-3, 1e-3]]
    assert raw.features.dtype == np.float64
    assert raw.labels.tolist() == ["a", "b"]
    assert raw.orders is None


@pytest.mark.parametrize(("ending", "compress"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)])
def test_compressed_text(tmp_path, ending, compress):
    path = tmp_path / f"a.txt.{ending}"
    path.write_bytes(compress(b"X1 X2 C\n1 2 1\n3 0.5 2\n"))
    raw = read("csv", path, label=-1, separator=" ", header_lines=1)
    assert raw.features.tolist() == [[1, 2], [3, 0.5]]
    assert raw.labels.tolist() == [1, 2]
    path.write_bytes(compress(b"1 2:5\n"))
    assert read("libsvm", path, columns=2).features.tolist() == [[0, 5]]
    for damaged in (path.read_bytes()[:-5], b""):
        path.write_bytes(damaged)
        with pytest.raises(DataError, match=rf"^a\.txt\.{ending}: cannot be read as libsvm: ") as caught:
            read("libsvm", path, columns=2)
        assert "\n" not in str(caught.value)


def test_missing_values(tmp_path):
    path = written(tmp_path / "a", "7,1,?,1\n8,2,5,0\n9,,6,1\n")
    assert np.isnan(read("csv", path, label=-1).features).sum() == 2
    raw = read("csv", path, label=-1, drop=[0], drop_incomplete=True)
    assert raw.features.tolist() == [[2, 5]]
    assert raw.labels.tolist() == [0]


def test_missing_values_that_splits_fill(tmp_path):
    path = written(tmp_path / "a", "1,red,u\n?,blue,v\n3,NA,u\n4,red,?\n")
    options = {"label": -1, "numbers": True, "one_hot": {"1": ["blue", "red", "?"]}, "impute": True}
    with pytest.raises(DataError, match="label: missing in line 4"):
        read("csv", path, **options)
    raw = read("csv", path, **options, drop_incomplete=True, minmax=True)
    np.testing.assert_array_equal(raw.features, [[-1, -1, 1, -1], [np.nan, 1, -1, -1], [1, -1, -1, 1]])
    assert raw.remarks() == {
        "rows used": "3 of 4; 1 lacks a value",
        "missing values": "1 of 12; each split fills them by medians of its training examples",
    }
    # without a column of "?", a missing text leaves its row out
    left = read("csv", path, **options | {"one_hot": {"1": ["blue", "red"]}, "impute": False}, drop_incomplete=True)
    assert left.features.tolist() == [[1, 0, 1]] and left.remarks() == {"rows used": "1 of 4; 3 lack a value"}
    others = read("csv", path, label=1, drop=[2], codes={"?": 9}, classes=["red"], drop_incomplete=True)
    assert others.remarks() == {"rows used": "2 of 4; 1 lacks a value"}


def test_a_parquet_file_with_the_options_of_a_table(tmp_path):
    table = pd.DataFrame(
        {
            "x": np.array([0.1, np.nan, 3.0], dtype=np.float32),
            "n": pd.array([1, None, 3], dtype="Int64"),
            "b": [True, False, True],
            "d": [Decimal("31.30"), None, Decimal("2.50")],
            "c": pd.Categorical(["u", None, "v"]),
            "y": [900000000000206976, 900000000000206977, 900000000000206976],
            "t": pd.date_range("2020-01-01", periods=3),
        }
    )
    table.to_parquet(path := tmp_path / "a.parquet")
    one_hot = {"c": ["u", "v", "?"]}
    raw = read("parquet_table", path, label="y", drop=["t"], numbers=True, one_hot=one_hot, impute=True)
    expected = [[np.float32(0.1), 1, 1, 31.3, 1, 0, 0], [np.nan, np.nan, 0, np.nan, 0, 0, 1], [3, 3, 1, 2.5, 0, 1, 0]]
    np.testing.assert_array_equal(raw.features, np.array(expected, dtype=np.float64))
    assert raw.labels.tolist() == ["900000000000206976", "900000000000206977", "900000000000206976"]
    with pytest.raises(DataError, match="column t: expected numbers, got '2020-01-01 00:00:00', a date or a time"):
        read("parquet_table", path, label="y", numbers=True, one_hot=one_hot, impute=True)


def test_zero_is_a_label_as_any_other(tmp_path):
    path = written(tmp_path / "a", "1,0\n2,1\n3,2\n4,0\n")
    raw = read("csv", path, label=-1, positive=1, negative=0)
    assert raw.features.tolist() == [[1], [2], [4]] and raw.labels.tolist() == [0, 1, 0]
    reader = Csv.model_validate({"format": "csv", "label": -1, "positive": 1, "negative": 0})
    streams.check_classes(np.array([0.0, 1.0, 2.0]), reader)


def test_codes(tmp_path):
    path = written(tmp_path / "a", "y,n,1\n?,y,0\n")
    codes = {"y": 1, "n": -1, "?": 0}
    assert read("csv", path, label=-1, codes=codes).features.tolist() == [[1, -1], [0, 1]]
    with pytest.raises(
        DataError, match=r"^a: cannot be read as csv: column 1: expected numbers, got 'n' in line 1; name its values"
    ):
        read("csv", path, label=-1, codes={"y": 1, "?": 0})
    codes = {"y": 1, "n": None}  # missing values, both the coded one and the one without a code
    assert np.isnan(read("csv", path, label=-1, codes=codes).features).tolist() == [[False, True], [True, False]]
    path = written(tmp_path / "a", "A41,6,1\nA410,12.5,2\n")  # numbers beside codes
    raw = read("csv", path, label=-1, codes={"A41": 41, "A410": 410})
    assert raw.features.tolist() == [[41, 6], [410, 12.5]]


def test_rows_of_different_length(tmp_path):
    with pytest.raises(DataError, match=r"a: cannot be read as csv: line 2: expected 3 columns, got 2$"):
        read("csv", written(tmp_path / "a", "1,2,3\n1,2\n"), label=-1)


LETTERS = "1,a\n2,b\n3,c\n1,a\n5,d\n2,b\n2,a\n"


def test_classes(tmp_path):
    path = written(tmp_path / "a", LETTERS)
    raw = read("csv", path, label=-1, positive=["a", "c"], negative=["d"])
    assert raw.features.ravel().tolist() == [1, 3, 1, 5, 2]
    assert raw.labels.tolist() == ["a", "c", "a", "d", "a"]
    raw = read("csv", path, label=-1, positive=["a"], negative=["b"], rows=3)
    assert (raw.features.ravel().tolist(), raw.labels.tolist()) == ([1, 2, 1], ["a", "b", "a"])
    with pytest.raises(DataError, match=r"^expected a class 'e' among the labels, got 'a', 'b', 'c', 'd'$"):
        read("csv", path, label=-1, positive="a", negative="e")
    numbers = written(tmp_path / "b", "5,1\n6,2\n7,3\n")
    assert read("csv", numbers, label=-1, positive=[3], negative=[1]).labels.tolist() == [1, 3]


def test_unique(tmp_path):
    path = written(tmp_path / "a", LETTERS)
    raw = read("csv", path, label=-1, unique=True)
    assert raw.features.ravel().tolist() == [1, 2, 3, 5, 2]  # the first of each, in the file's order
    assert raw.labels.tolist() == ["a", "b", "c", "d", "a"]  # equal features with another label stay
    assert read("csv", path, label=-1, unique=True, rows=3).labels.tolist() == ["a", "b", "c"]
    path = written(tmp_path / "b", "1,?,a\n1,,a\n1,?,b\n?,1,a\n")
    np.testing.assert_array_equal(
        read("csv", path, label=-1, unique=True, impute=True).features, [[1, np.nan], [1, np.nan], [np.nan, 1]]
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"positive": ["a", "b"]}, "where several labels become"),
        ({"positive": ["a", "b"], "negative": "b"}, "either .1 or -1, got 'b' as both"),
    ],
)
def test_classes_must_be_two_sides(tmp_path, change, message):
    with pytest.raises(ValueError, match=message):
        read("csv", written(tmp_path / "a", LETTERS), label=-1, **change)


def test_files_side_by_side_have_columns_of_the_same_examples(tmp_path):
    genes, lipids = written(tmp_path / "genes", "a,b\n1,2\n3,4\n"), written(tmp_path / "lipids", "c,y\n5,u\n6,v\n")
    kinds = written(tmp_path / "kinds", "kind\nwt\nppar\n")
    options = {"header_lines": 1, "side_by_side": True, "positive": "ppar"}
    raw = read("csv", genes, lipids, kinds, label=-1, drop=[3], **options)
    assert raw.features.tolist() == [[1, 2, 5], [3, 4, 6]] and raw.labels.tolist() == ["wt", "ppar"]
    assert read("csv", genes, kinds, label="kind", **options).features.tolist() == [[1, 2], [3, 4]]
    written(kinds, "kind\nwt\n")
    with pytest.raises(DataError, match="equally many rows in files side by side: genes has 2, kinds has 1"):
        read("csv", genes, kinds, label=-1, **options)


def test_files_are_stacked_in_the_order_of_the_description(tmp_path):
    parts = [written(tmp_path / "b", "x,l\n1,u\n"), written(tmp_path / "a", "x,l\n2,v\n1,u\n")]
    raw = read("csv", *parts, header_lines=1, label=-1, unique=True)
    assert (raw.features.ravel().tolist(), raw.labels.tolist()) == ([1, 2], ["u", "v"])
    parts = [written(tmp_path / "c", "+1 1:5\n"), written(tmp_path / "d", "-1 2:6\n")]
    assert read("libsvm", *parts, columns=2).features.tolist() == [[5, 0], [0, 6]]


def test_one_hot(tmp_path):
    path = written(tmp_path / "a", "red,x,1\nblue,y,0\n")
    raw = read("csv", path, label=-1, one_hot={"0": ["blue", "red"]})
    assert raw.features.tolist() == [[0, 1], [1, 0]]
    with pytest.raises(DataError, match="column 0: expected one of red, got 'blue'"):
        read("csv", path, label=-1, one_hot={"0": ["red"]})
    # columns as in the file, whatever the order of the description
    raw = read("csv", path, label=-1, one_hot={"1": ["x", "y"], "0": ["red", "blue"]})
    assert raw.features.tolist() == [[1, 0, 1, 0], [0, 1, 0, 1]]
    with pytest.raises(DataError, match="one_hot: expected one of 0, 1, 2, or a number from -3 to 2, got '7'"):
        read("csv", path, label=-1, one_hot={"7": ["x"]})


def test_scaling_and_zero_columns(tmp_path):
    path = written(tmp_path / "a", "0,10,5,1\n1,20,5,0\n4,15,5,0\n")  # one is constant
    raw = read("csv", path, label=-1, minmax=True, zero_columns=1)
    assert raw.features.tolist() == [[-1, -1, -1, 0], [-0.5, 1, -1, 0], [1, 0, -1, 0]]


def test_arff_as_weka_writes_it(tmp_path):
    """Quotes where a value needs them, of either kind; types in capitals, texts and dates, tabs, comments."""
    head = (
        "@RELATION r\r\n@ATTRIBUTE \"the x\" INTEGER\r\n@attribute k {red, 'dark blue', \"it's\", 'a,b'}\r\n"
        "@attribute note string\n@attribute day date 'yyyy-MM-dd'\n\n@attribute y {0,1}\n@DATA\n"
    )
    rows = "1,red,'so, so',2020-01-01,0\n% a comment\n?,'dark blue',x,?,1\n-3, 'a,b' ,y,?,1\n4,\"it's\",?,?,0\n"
    path = written(tmp_path / "a", head + rows)
    options = {"label": "y", "numbers": True, "one_hot": {"k": ["red", "dark blue", "it's", "a,b"]}}
    raw = read("arff", path, **options, drop=["note", "day"])
    expected = [[1, 1, 0, 0, 0], [np.nan, 0, 1, 0, 0], [-3, 0, 0, 0, 1], [4, 0, 0, 1, 0]]
    assert np.array_equal(raw.features, expected, equal_nan=True) and raw.labels.tolist() == [0, 1, 1, 0]
    with pytest.raises(DataError, match="column day: expected numbers, got '2020-01-01', a date or a time"):
        read("arff", path, **options, drop=["note"])
    tabs = written(tmp_path / "tabs", "@attribute x real\n@attribute y {0,1}\n@data\n1.5\t0\n2\t1\n")
    assert read("arff", tabs, label="y").features.tolist() == [[1.5], [2]]


def test_escapes_and_comments_of_arff(tmp_path):
    head = "@attribute y {no,'50\\% \\'ok\\''} % the class\n@attribute 'don\\'t' real\n@attribute b real\n@data\n"
    options = {"label": "y", "drop": ["don't"]}
    for rows in ("{1 5, 2 7}\n{0 '50\\% \\'ok\\'', 2 3}\n", "no,5,7\n'50\\% \\'ok\\'',0,3\n"):
        raw = read("arff", written(tmp_path / "a", head + rows), **options)
        assert raw.features.tolist() == [[7], [3]] and raw.labels.tolist() == ["no", "50% 'ok'"]


@pytest.mark.parametrize(
    "line", ["@attribute don't real", "@Attribute a{1} real", "@attribute a", "@attribute 'a real"]
)
def test_a_column_of_arff_that_cannot_be_read_moves_no_other(tmp_path, line):
    path = written(
        tmp_path / "a", f"@attribute y {{u,v}}\n{line}\n@attribute b real\n@attribute c real\n@data\n{{2 7}}\n"
    )
    with pytest.raises(DataError, match=f"line 2: expected @attribute, a name and a type, got {re.escape(line)}$"):
        read("arff", path, label="y")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("x,u", "line 5, column a: expected a number, got 'x'"),
        ("1,w", "line 5, column b: expected one of u, v, got 'w'"),
        ("1", "line 5: expected 2 columns, got 1"),
        ("1,u,2", "line 5: expected 2 columns, got 3"),
        ("{0 x}", "line 5, column a: expected a number, got 'x'"),
    ],
)
def test_a_wrong_row_of_arff_is_named(tmp_path, row, message):
    path = written(tmp_path / "a", f"@attribute a real\n@attribute b {{u,v}}\n@data\n1,u\n{row}\n")
    with pytest.raises(DataError, match=f"^a: cannot be read as arff: {message}$"):
        read("arff", path, label="b")


def test_libsvm(tmp_path):
    path = written(tmp_path / "a", "+1 1:0.5 3:2\n-1 2:1 \n+1\n")
    raw = read("libsvm", path, columns=3)
    assert raw.features.tolist() == [[0.5, 0, 2], [0, 1, 0], [0, 0, 0]]
    assert raw.labels.tolist() == [1, -1, 1]
    assert len(read("libsvm", path, columns=3, rows=2).labels) == 2


@pytest.mark.parametrize(("index", "message"), [(0, "Invalid index 0"), (3, "2, but input file contains 3 features")])
def test_libsvm_index_out_of_range(tmp_path, index, message):
    with pytest.raises(DataError, match=message):
        read("libsvm", written(tmp_path / "a", f"1 {index}:1\n"), columns=2)


def test_mat_blocks_stay_sparse(tmp_path):
    first, second = sparse.csc_matrix([[0.0, 1.0]]), sparse.csc_matrix([[2.0, 0.0]])
    scipy.io.savemat(tmp_path / "a.mat", {"A": first, "B": second, "y": np.array([[1]], dtype=np.int16)})
    labels = written(tmp_path / "more.labels", "-1\n")
    raw = read("mat_blocks", tmp_path / "a.mat", labels, features=["A", "B"], labels=["y", "more.labels"])
    assert isinstance(raw.features, sparse.csr_array)
    assert raw.features.toarray().tolist() == [[0, 1], [2, 0]]
    assert raw.labels.tolist() == [1, -1]


def test_indices_stay_sparse(tmp_path):
    parts = [written(tmp_path / "a.data", "1 3 \n2\n"), written(tmp_path / "b.data", "3\n")]
    labels = [written(tmp_path / "a.labels", "1\n-1\n"), written(tmp_path / "b.labels", "1\n")]
    options = {"features": ["a.data", "b.data"], "labels": ["a.labels", "b.labels"]}
    raw = read("indices", *parts, *labels, columns=3, **options)
    assert isinstance(raw.features, sparse.csr_array)
    assert raw.features.toarray().tolist() == [[1, 0, 1], [0, 1, 0], [0, 0, 1]]
    assert raw.labels.tolist() == [1, -1, 1]
    with pytest.raises(DataError, match="cannot be read as indices"):
        read("indices", *parts, *labels, columns=2, **options)


def idx(path, kind, values):
    """Write an array as MNIST's files are: two zero bytes, type, number of axes, their lengths, values."""
    array = np.asarray(values, dtype=arrays.IDX_TYPES[kind])
    lengths = b"".join(length.to_bytes(4, "big") for length in array.shape)
    content = bytes([0, 0, kind, array.ndim]) + lengths + array.tobytes()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_idx(tmp_path, ending):
    paths = [
        idx(tmp_path / f"images{ending}", 8, [[[0, 255], [3, 4]], [[5, 6], [7, 8]]]),
        idx(tmp_path / f"more{ending}", 8, [[[1, 1], [1, 1]]]),
        idx(tmp_path / f"labels{ending}", 8, [7, 9]),
        idx(tmp_path / f"more_labels{ending}", 8, [1]),
    ]
    names = [path.name for path in paths]
    raw = read("idx", *paths, features=names[:2], labels=names[2:])
    assert raw.features.tolist() == [[0, 255, 3, 4], [5, 6, 7, 8], [1, 1, 1, 1]]
    assert raw.features.dtype == np.float64
    assert raw.labels.tolist() == [7, 9, 1]
    raw = read("idx", *paths, features=names[:2], labels=names[2:], positive=[1], negative=[7])
    assert raw.features.tolist() == [[0, 255, 3, 4], [1, 1, 1, 1]]


@pytest.mark.parametrize("kind", arrays.IDX_TYPES)
def test_types_of_idx(tmp_path, kind):
    paths = [idx(tmp_path / "x", kind, [[1, 2], [100, 3]]), idx(tmp_path / "y", kind, [5, 6])]
    raw = read("idx", *paths, features=["x"], labels=["y"])
    assert raw.features.tolist() == [[1, 2], [100, 3]] and raw.features.dtype == np.float64
    assert raw.labels.tolist() == [5, 6]


def test_damaged_idx(tmp_path):
    images, labels = idx(tmp_path / "x", 8, np.ones((2, 3, 3))), idx(tmp_path / "y", 8, [0, 1])
    whole = images.read_bytes()
    for damaged, message in (
        (whole[:-1], "expected 18 bytes of 3 axes, got 17"),
        (whole + b"x", "expected 18 bytes of 3 axes, got 19"),
        (whole[:9], "expected 2 bytes of 3 axes, got 0"),
        (b"\x00\x00\x07\x01" + whole[4:], "expected two zero bytes and a type, got 00 00 07 01"),
        (b"", "expected two zero bytes and a type, got nothing"),
    ):
        images.write_bytes(damaged)
        with pytest.raises(DataError, match=rf"^x, y: cannot be read as idx: x: {message}") as caught:
            read("idx", images, labels, features=["x"], labels=["y"])
        assert "\n" not in str(caught.value)


def test_rda():
    path = BUNDLED / "BreastCancer.rda"
    raw = read("rda", path, table="BreastCancer", label="Class", drop=["Id"], positive="malignant")
    assert raw.features.shape == (699, 9)
    assert np.isnan(raw.features).sum() == 16
    assert raw.features[0].tolist() == [5, 1, 1, 1, 2, 1, 3, 1, 1]
    assert sorted(set(raw.labels.tolist())) == ["benign", "malignant"]


def lzma_of_r(content):
    return b"Z" + lzma.compress(content, lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA2, "preset": 6}])


def lazy_load_database(folder, compress=zlib.compress, **objects):
    """Write what R's makeLazyLoadDB writes: objects in an .rdb, their offsets and lengths in an .rdx."""
    places, database = {}, b""
    for name, value in objects.items():
        rdata.write_rds(folder / "object.rds", value, compression=None)
        serialised = (folder / "object.rds").read_bytes()
        entry = len(serialised).to_bytes(4, "big") + compress(serialised)
        places[name] = np.array([len(database), len(entry)], dtype=np.int32)
        database += entry
    (folder / "Rdata.rdb").write_bytes(database)
    rdata.write_rds(folder / "Rdata.rdx", {"variables": places, "references": {}, "compressed": True})
    return [folder / "Rdata.rdb", folder / "Rdata.rdx"]


@pytest.mark.parametrize("compress", [zlib.compress, lzma_of_r])
def test_rdb(tmp_path, compress):
    table = pd.DataFrame(
        {"c": pd.Categorical(["u", "v", "u"]), "x": [1.5, np.nan, 2.5], "k": pd.array([1, 2, None], dtype="Int32")}
    )
    paths = lazy_load_database(tmp_path, compress, other=np.arange(3), table=table)
    raw = read("rdb", *paths, table="table", label="c", positive="u")
    assert np.array_equal(raw.features, [[1.5, 1], [np.nan, 2], [2.5, np.nan]], equal_nan=True)
    assert raw.labels.tolist() == ["u", "v", "u"]
    assert read("rdb", *paths, table="table", label="c", drop_incomplete=True).features.tolist() == [[1.5, 1]]


def test_a_damaged_rdb_is_refused_in_one_line(tmp_path):
    paths = lazy_load_database(tmp_path, other=np.arange(3), table=pd.DataFrame({"x": [1.0, 2.0], "c": [1, 2]}))
    options = {"table": "table", "label": "c"}
    with pytest.raises(
        DataError,
        match=r"^Rdata\.rdb, Rdata\.rdx: cannot be read as rdb: expected a data frame 'absent', got other, table$",
    ):
        read("rdb", *paths, **options | {"table": "absent"})
    with pytest.raises(DataError, match=r"cannot be read as rdb: expected a data frame, got another object$"):
        read("rdb", *paths, **options | {"table": "other"})
    with pytest.raises(DataError, match=r"^Rdata\.rdx: cannot be read as rdb: "):
        read("rdb", paths[1], **options)
    for path in paths:
        whole = path.read_bytes()
        for damaged in (whole[: len(whole) // 2], b"", b"<html>\n</html>\n"):
            path.write_bytes(damaged)
            with pytest.raises(DataError, match=r"^Rdata\.rdb, Rdata\.rdx: cannot be read as rdb: ") as caught:
                read("rdb", *paths, **options)
            assert "\n" not in str(caught.value)
        path.write_bytes(whole)


BODIES = [b"", b"<html>\n<p>Not found: 404</p>\n</html>\n", b"MATLAB 5.0 MAT-file" + bytes(40), b"\x1f\x8b\xff\xfe\x80"]
FORMATS = {
    "csv": {"label": 0},
    "arff": {"label": 0},
    "parquet_table": {"label": 0},
    "libsvm": {"columns": 2},
    "mat": {},
    "mat_blocks": {"features": ["a"], "labels": ["b"]},
    "indices": {"columns": 2, "features": ["a.mat"], "labels": ["a.mat"]},
    "idx": {"features": ["a.mat"], "labels": ["a.mat"]},
    "hdf5": {"label": "kind", "names": "kinds"},
    "rda": {"table": "t", "label": 0},
    "rdb": {"table": "t", "label": 0},
    "parquet": {"columns": ["a"], "label": "b"},
    "csv_rows": {"columns": ["a"], "label": "b"},
    "land_mask": {"rows": 10, "seed": 0},
    "kernels": {"kernels": {"k": "a.mat:k"}, "labels": "a.mat:y"},
}


def test_every_format_is_tried_with_damaged_files():
    assert set(FORMATS) == {
        model.model_fields["format"].annotation.__args__[0] for model in get_args(readers.VectorReader)
    }


@pytest.mark.parametrize("body", BODIES, ids=["empty", "html", "mat", "gzip"])
@pytest.mark.parametrize("format", FORMATS)
def test_other_files_are_refused_in_one_line(tmp_path, format, body):
    (tmp_path / "a.mat").write_bytes(body)
    with pytest.raises(DataError, match=rf"^a\.mat: cannot be read as {format}: ") as caught:
        read(format, tmp_path / "a.mat", **FORMATS[format])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "compress", [gzip.compress, bz2.compress, lzma.compress, bytes], ids=lambda each: each.__name__
)
def test_what_unpacks_to_more_than_it_may_is_not_read(tmp_path, compress):
    path, rows = tmp_path / "a.csv", (b"0." + b"1" * 59 + b",2\n") * (1 << 14)  # of 64 bytes
    path.write_bytes(compress(rows))
    assert len(read("csv", path, label=-1, positive=2, mebibytes=1).labels) == 1 << 14
    path.write_bytes(compress(rows + b"\n"))
    with pytest.raises(DataError, match=r"^a\.csv: expected at most 1 MiB, got more; `mebibytes` of its reader is"):
        read("csv", path, label=-1, positive=2, mebibytes=1)


def test_a_pipe_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "a.csv")
    with pytest.raises(DataError, match=r"^a\.csv: cannot be read as csv: no regular file$"):
        read("csv", tmp_path / "a.csv", label=-1)
