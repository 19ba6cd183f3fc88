"""Streams as data sets: stored chunk by chunk, read chunk by chunk, learned by the loop of all passes on features."""

import dataclasses
import hashlib
import zipfile

import h5py
import numpy as np
import pandas as pd
import pytest
from specifications import make_run

from grambench.algorithms.feature_learner import SAMPLE, FeatureLearner
from grambench.common.errors import ConfigError, DataError
from grambench.common.files import sha256
from grambench.config.load import check
from grambench.datasets import readers, store, streams
from grambench.datasets.descriptions import Dataset
from grambench.datasets.fetch import fetch
from grambench.datasets.formats import batches
from grambench.datasets.formats.batches import CsvRows, LandMask, Parquet
from grambench.datasets.formats.reader import Raw
from grambench.datasets.prepare import prepare
from grambench.experiments import online
from grambench.experiments.passes import CHUNK, ChunkOrder, RunningMoments, cut
from grambench.experiments.seeds import seeds
from grambench.kernels.functions import Kernel

KERNELS = [Kernel.parse(name) for name in ("gaussian_sigma1.0", "gaussian_sigma2.0")]
F32 = np.float32


def content(features, labels):
    """Return the content of a stream, computed from whole arrays."""
    parts = (np.asarray(features, "<f4"), np.asarray(labels, "<i1"))
    digests = [hashlib.sha256(part.tobytes()).digest() for part in parts]
    return hashlib.sha256(repr(features.shape).encode() + b"".join(digests)).hexdigest()


def described(features, labels, **changes):
    numbers = {"n": len(labels), "d": features.shape[1], "positives": int((np.asarray(labels) == 1).sum())}
    source = {"kind": "generated", "generator": "twonorm", "seed": 0}
    plain = {"name": "toy", "title": "t", "kind": "stream", "content": content(features, labels), "sources": [source]}
    return check(Dataset, plain | numbers | changes, "test")


def sample(n=2 * CHUNK + 100, d=2, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((n, d)).astype(F32).astype(np.float64)
    return features, np.where(features.sum(axis=1) > 0, 1, -1).astype(np.int8)


def stored(path, features, labels, size=1000, **changes):
    """Return a stream that was stored in chunks of a size."""
    dataset = described(features, labels, **changes)
    parts = [Raw(features[i : i + size], labels[i : i + size].astype(float)) for i in range(0, len(labels), size)]
    store.write(path, streams.Stream(dataset, dataset.sources[0], {}, iter(parts)))
    return store.read(path)


# storing


@pytest.mark.parametrize("size", [1, 37, 5000])
def test_a_stored_stream_does_not_depend_on_the_size_of_chunks(tmp_path, size):
    features, labels = sample(200)
    stream = stored(tmp_path / "s.h5", features, labels, size)
    assert stream.is_stream and stream.features.dtype == np.float32
    assert np.array_equal(stream.features, features) and np.array_equal(stream.labels, labels)
    with h5py.File(tmp_path / "s.h5") as file:
        assert file.attrs["content"] == content(features, labels)


def test_what_is_wrong_with_a_stream_is_told_in_one_line(tmp_path):
    features, labels = sample(50)
    path = tmp_path / "s.h5"

    def fails(message, *parts, **changes):
        dataset = described(features, labels, **changes)
        raws = iter([Raw(values, names.astype(float)) for values, names in parts])
        with pytest.raises(DataError, match=message):
            store.write(path, streams.Stream(dataset, dataset.sources[0], {}, raws))
        assert list(tmp_path.iterdir()) == []

    bad = features.copy()
    bad[33, 1] = np.nan
    parts = (bad[:20], labels[:20]), (bad[20:], labels[20:])
    fails(r"^row 34, feature 2: expected finite numbers of 32 bits, got nan$", *parts)
    bad[33, 1] = 1e39
    fails(r"^row 34, feature 2: expected finite numbers of 32 bits, got 1e\+39$", (bad, labels))
    fails(r"^expected 50 rows, got 20: the stream ends early$", (features[:20], labels[:20]))
    fails(r"^expected 50 rows, got more: the stream ends late$", (features, labels), (features, labels))
    fails(r"^row 21: expected 2 columns, got 1$", (features[:20], labels[:20]), (features[20:, :1], labels[20:]))
    fails(r"^expected two classes, one of them 1\.0, got 3: ", (features, np.where(np.arange(50) == 7, 5, labels)))
    fails(r"^expected 3 examples labelled \+1, got \d+$", (features, labels), positives=3)
    fails(r"^expected content f+, got \w+: other values", (features, labels), content="f" * 64)
    # a stream is read while it is written, and its faults make its data set unavailable
    dataset = described(features, labels)
    store.write_or_note(path, "toy", lambda: streams.Stream(dataset, dataset.sources[0], {}, iter([])), "")
    assert store.read(path) == store.Unavailable("toy", ("expected 50 rows, got 0: the stream ends early",))


def test_descriptions_that_no_stream_fits():
    features, labels = sample(50)
    blocks = {"image": [1, 2], "rows": 1, "columns": 2}
    with pytest.raises(ConfigError, match="expected a stream without blocks"):
        described(features, labels, blocks=blocks)
    source = {"kind": "http", "files": [{"name": "a", "url": "http://a/a"}]}
    reader = {"format": "csv", "label": 0, "positive": 1}
    with pytest.raises(ConfigError, match="expected the sha256 of each file of a stream, got none in http://a/a"):
        described(features, labels, sources=[source | {"reader": reader}])
    source["files"][0]["sha256"] = "f" * 64
    reader = {"format": "parquet", "columns": ["a"], "label": "y", "positive": 1}
    for option in ("rows", "unique", "minmax", "zero_columns", "test_rows"):
        with pytest.raises(ConfigError, match=rf"{option}: expected none of a stream .*batches \(http://a/a\)"):
            described(features, labels, sources=[source | {"reader": reader | {option: 1}}])


# formats and generators


def test_parquet(tmp_path):
    frame = pd.DataFrame(
        {
            "delay": [-3, 0, 2, 9],
            "date": ["01310905", "12312359", "02100000", "06061200"],
            "place": ["ATL", "ATK", "BOS", "AT"],
            "distance": [5, 6, 7, 8],
        }
    )
    paths = [tmp_path / "1.parquet", tmp_path / "2.parquet"]
    frame[:3].to_parquet(paths[0])
    frame[3:].to_parquet(paths[1])
    options = {"columns": ["distance", "date", "place"], "texts": ["place"], "digits": {"date": [4, 4]}}
    options |= {"label": "delay", "above": 0}
    reader = Parquet(format="parquet", positive=1, **options)
    raw = readers.read(reader, {path.name: path for path in paths})
    codes = [int.from_bytes(place.encode().ljust(3, b"\0"), "big") for place in frame["place"]]
    expected = [[5, 131, 905], [6, 1231, 2359], [7, 210, 0], [8, 606, 1200]]
    assert raw.features.tolist() == [[*row, code] for row, code in zip(expected, codes, strict=True)]
    assert raw.labels.tolist() == [0, 0, 1, 1]
    assert sorted(codes) == [codes[i] for i in np.argsort(frame["place"])]
    files = [{"name": path.name, "path": str(path), "sha256": sha256(path)} for path in paths]
    source = {"kind": "file", "files": files, "reader": reader.model_dump()}
    dataset = described(raw.features, np.array([-1, -1, 1, 1]), sources=[source])
    fetch(dataset, tmp_path / "raw", bundled=tmp_path, kinds=["file"])
    stream = prepare(dataset, tmp_path / "raw")
    store.write(tmp_path / "out.h5", stream)
    again = store.read(tmp_path / "out.h5")
    assert again.source["kind"] == "file"
    assert np.array_equal(again.features, raw.features) and again.labels.tolist() == [-1, -1, 1, 1]
    # a change of columns from one file to the next
    frame[3:].drop(columns="place").to_parquet(paths[1])
    with pytest.raises(DataError, match=r"^2\.parquet: cannot be read as parquet: .*expected a column 'place', got "):
        list(readers.chunks(reader, {path.name: path for path in paths}))
    for column, value, message in [
        ("place", None, "row 2: expected a value in column place, got none"),
        ("date", "0131090", "row 2: expected 8 digits, got '0131090'"),
        ("date", "0131090x", "row 2: expected 8 digits, got '0131090x'"),
    ]:
        wrong = frame.copy()
        wrong.loc[1, column] = value
        wrong.to_parquet(paths[0])
        with pytest.raises(DataError, match=message):
            readers.read(reader, {"1.parquet": paths[0]})
    paths[0].write_bytes(b"PAR1")
    with pytest.raises(DataError, match=r"^1\.parquet: cannot be read as parquet"):
        list(readers.chunks(reader, {"1.parquet": paths[0]}))


CSV_OPTIONS = {"columns": ["a", "b", "place"], "texts": ["place"], "label": "delay", "above": 15}
CSV_OPTIONS |= {"positive": 1}


def test_csv_is_read_in_batches(tmp_path, monkeypatch):
    """Texts, decimals after whole numbers, and missing values, in the first batch and in later ones."""
    monkeypatch.setattr(batches, "BATCH", 1000)
    rng = np.random.default_rng(0)
    n = 2500
    frame = pd.DataFrame({"a": rng.integers(0, 9, n), "b": rng.integers(0, 9, n), "delay": rng.integers(0, 31, n)})
    frame["place"] = np.where(frame["b"] > 4, "ATL", "São")
    table = frame.astype(object)
    table.loc[5, "a"], table.loc[6, "delay"], table.loc[n - 1, "delay"], table.loc[n - 2, "a"] = None, "nan", "NA", 2.5
    table.insert(0, "un, used", "x")
    table.to_csv(tmp_path / "plain.csv", index=False)
    with zipfile.ZipFile(tmp_path / "packed.csv.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("folder")
        archive.write(tmp_path / "plain.csv", "folder/plain.csv")
    reader = CsvRows(format="csv_rows", drop_incomplete=True, **CSV_OPTIONS)
    kept = frame.astype({"a": float}).drop(index=[5, 6, n - 1])
    kept.loc[n - 2, "a"] = 2.5
    codes = [int.from_bytes(place.encode()[:3], "big") for place in kept["place"]]
    for path in (tmp_path / "plain.csv", tmp_path / "packed.csv.zip"):
        parts = list(readers.chunks(reader, {path.name: path}))
        assert len(parts) > 1, "it was read at once"
        features, labels = np.vstack([part.features for part in parts]), np.concatenate([part.labels for part in parts])
        assert np.array_equal(features, np.column_stack([kept["a"], kept["b"], codes]))
        assert np.array_equal(labels, kept["delay"] > 15)
    with pytest.raises(DataError, match="row 6: expected a value in column a, got none"):
        readers.read(CsvRows(format="csv_rows", **CSV_OPTIONS), {"plain.csv": tmp_path / "plain.csv"})
    with zipfile.ZipFile(tmp_path / "packed.csv.zip", "a") as archive:
        archive.write(tmp_path / "plain.csv", "other.csv")
    with pytest.raises(DataError, match=r"packed\.csv\.zip: expected an archive with one file, got 2"):
        list(readers.chunks(reader, {"packed.csv.zip": tmp_path / "packed.csv.zip"}))


def test_words_of_a_csv_file_are_texts(tmp_path):
    (tmp_path / "a.csv").write_text("day,y\n+1,true\n2e1,false\n")
    reader = CsvRows(format="csv_rows", columns=["day"], label="y", positive="true")
    raw = readers.read(reader, {"a.csv": tmp_path / "a.csv"})
    assert raw.features.tolist() == [[1], [20]] and raw.labels.tolist() == ["true", "false"]
    (tmp_path / "a.csv").write_text("day,y\n1,900000000000206975\n-9,900000000000206976\nNULL,3\n")
    reader = CsvRows(format="csv_rows", columns=["day"], label="y", positive="3", missing=[-9], drop_incomplete=True)
    raw = readers.read(reader, {"a.csv": tmp_path / "a.csv"})
    assert raw.features.tolist() == [[1]] and raw.labels.tolist() == ["900000000000206975"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a column 'a', got no names"),
        ("a,b,place,delay\n", "expected at least one row, got none"),
        ("a,b,delay\n1,2,3\n", "expected a column 'place', got a, b, delay"),
        ("a,b,place,delay\n" + "1,2,x,NA\n" * 3, "row 1: expected a value in column delay, got none"),
        ("a,b,place,delay\n1,2,x,soon\n", "row 1, column delay: expected a number, got 'soon'"),
        ("a,b,place,delay\n" + "1,2,x,3\n" * 9 + "1,late,x,3\n", "row 10, column b: expected a number, got 'late'"),
        ("a,b,place,delay\n1,2020-01-01,x,3\n", "row 1, column b: expected a number, got '2020-01-01', a date"),
        ("a,b,place,delay\n1,1_1,x,3\n2,1,x,3\n", "row 1, column b: expected a number, got '1_1'"),
        ("a,b,place,delay\n1,n/a,x,3\n", "row 1: expected a value in column b, got none"),
        ("a,b,place,delay\n1,2,x,3\n1,2\n", "line 3: expected 4 columns, got 2"),
        ("a,b,b,place,delay\n1,2,3,x,3\n", "expected a column 'b', got 2 of them"),
    ],
)
def test_csv_files_that_do_not_fit_are_refused(tmp_path, text, message):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(DataError, match=message):
        readers.read(CsvRows(format="csv_rows", **CSV_OPTIONS), {"a.csv": tmp_path / "a.csv"})


def test_a_batch_without_a_complete_row_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(batches, "BATCH", 1000)
    (tmp_path / "a.csv").write_text("a,delay\n" + "0131,NA\n" * 3000 + "0228,20\n")
    options = CSV_OPTIONS | {"columns": ["a"], "texts": [], "digits": {"a": [2, 2]}, "drop_incomplete": True}
    raw = readers.read(CsvRows(format="csv_rows", **options), {"a.csv": tmp_path / "a.csv"})
    assert raw.features.tolist() == [[2, 28]] and raw.labels.tolist() == [1]
    (tmp_path / "a.csv").write_text("a,y\n" + "1,\n" * 1000 + "2,late\n")  # the first batch has no label at all
    reader = CsvRows(format="csv_rows", columns=["a"], label="y", positive="late", drop_incomplete=True)
    assert readers.read(reader, {"a.csv": tmp_path / "a.csv"}).labels.tolist() == ["late"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"columns": ["a", "a"], "texts": []}, "expected different columns and another label, got a, a, delay"),
        ({"columns": ["a", "delay"], "texts": []}, "expected different columns and another label, got a, delay, delay"),
        ({"texts": ["c"]}, "texts: expected one of a, b, place, got 'c'"),
        ({"digits": {"c": [2]}}, "digits: expected one of a, b, place, got 'c'"),
    ],
)
def test_columns_that_do_not_fit_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        CsvRows(format="csv_rows", **CSV_OPTIONS | changes)


def test_labels_of_neither_class_are_left_out(tmp_path):
    pd.DataFrame({"a": [1, 2, 3], "y": ["p", "q", "r"]}).to_parquet(tmp_path / "1.parquet")
    reader = Parquet(format="parquet", columns=["a"], label="y", positive="r", negative=["p"])
    (chunk,) = readers.chunks(reader, {"1": tmp_path / "1.parquet"})
    assert chunk.features.tolist() == [[1], [3]] and chunk.labels.tolist() == ["p", "r"]
    files = [{"name": "1", "path": str(tmp_path / "1.parquet"), "sha256": sha256(tmp_path / "1.parquet")}]
    source = {"kind": "file", "files": files, "reader": reader.model_dump() | {"negative": ["p", "s"]}}
    dataset = described(chunk.features, [-1, 1], sources=[source])
    fetch(dataset, tmp_path / "raw", bundled=tmp_path, kinds=["file"])
    with pytest.raises(DataError, match="expected a class 's' among the labels, got none of it"):
        store.write(tmp_path / "s.h5", prepare(dataset, tmp_path / "raw"))


def test_land_mask(tmp_path):
    mask = np.random.default_rng(0).random((18, 36)) < 0.5
    mask[0], mask[-1] = True, False
    np.savez_compressed(tmp_path / "mask.npz", mask=mask, lat=np.zeros(18))
    reader = LandMask(format="land_mask", rows=70_000, seed=3, positive=1)
    raw = readers.read(reader, {"mask": tmp_path / "mask.npz"})
    assert raw.features.shape == (70_000, 3)
    assert np.allclose(np.square(raw.features).sum(axis=1), 1.0, atol=1e-5)
    assert abs(raw.features.mean(axis=0)).max() < 0.01
    latitude, longitude = np.degrees(np.arcsin(raw.features[:, 2])), np.degrees(np.arctan2(*raw.features.T[1::-1]))
    # Points are rounded, so that those at the borders of cells are left out.
    row, column = (90 - latitude) / 10, (longitude + 180) / 10
    inside = (abs(row - row.round()) > 1e-3) & (abs(column - column.round()) > 1e-3)
    expected = ~mask[row[inside].astype(int), column[inside].astype(int)]
    assert inside.mean() > 0.99 and raw.labels[inside].tolist() == expected.tolist()
    np.savez_compressed(tmp_path / "mask.npz", mask=mask.astype(float))
    with pytest.raises(DataError, match=r"cannot be read as land_mask: .*expected rows of booleans, got float64"):
        list(readers.chunks(reader, {"mask": tmp_path / "mask.npz"}))


# the pass


def test_an_order_permutes_chunks_and_the_examples_within():
    n = 3 * CHUNK + 5
    parts = list(ChunkOrder(n, np.random.SeedSequence(1)))
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(n))
    assert len(parts) == 3 and all(len(part) in (CHUNK + 1, CHUNK + 2) and np.ptp(part) < len(part) for part in parts)
    assert any(np.any(np.diff(part) < 0) for part in parts)
    other = np.concatenate(list(ChunkOrder(n, np.random.SeedSequence(2))))
    again = np.concatenate(list(ChunkOrder(n, np.random.SeedSequence(1))))
    assert np.array_equal(np.concatenate(parts), again) and not np.array_equal(again, other)
    assert np.array_equal(np.concatenate(list(ChunkOrder(n, None))), np.arange(n))


def test_parts_are_cut_after_rounds():
    order = [np.arange(4), np.arange(4, 6), np.arange(6, 12)]
    pieces = [piece.tolist() for piece in cut(order, np.array([2, 4, 7, 9, 12]))]
    assert pieces == [[0, 1], [2, 3], [4, 5], [6], [7, 8], [9, 10, 11]]


def test_running_moments_are_those_of_all_examples_so_far():
    rng = np.random.default_rng(0)
    examples = np.column_stack([1e6 + rng.standard_normal(60), np.full(60, 7.3), rng.integers(0, 2, 60)])
    expected = np.zeros_like(examples)
    for t in range(60):
        seen = examples[: t + 1]
        spread = [np.std(column) if np.ptp(column) else 1.0 for column in seen.T]
        expected[t] = (examples[t] - seen.mean(axis=0)) / spread
    for sizes in ([60], [1, 29, 30]):
        moments, start, found = RunningMoments(), 0, []
        for size in sizes:
            found.append(moments.standardised(examples[start : start + size]))
            start += size
        np.testing.assert_allclose(np.concatenate(found), expected, atol=1e-6)


@pytest.mark.parametrize(("shuffle", "standardise", "classes"), [(True, False, 0), (False, True, 0), (True, True, 3)])
def test_a_stream_is_learned_by_the_loop_of_all_passes(tmp_path, monkeypatch, shuffle, standardise, classes):
    monkeypatch.setattr(online, "KEPT", 1500)
    features, labels = sample()
    stream = stored(tmp_path / "s.h5", features, labels)
    if classes:
        labels = (np.arange(len(labels)) % 3).astype(np.int8)
        stream = dataclasses.replace(stream, labels=labels, classes=("a", "b", "c"))
    protocol = {"repetitions": 2, "checkpoints": 5, "shuffle": shuffle, "stored": False, "standardise": standardise}
    run = make_run("raker", "online", protocol=protocol, kernels=[kernel.name for kernel in KERNELS])
    run = dataclasses.replace(run, approximation="fourier", n_components=8, dataset="toy")
    result = online.outcome(run, stream, [])
    n = len(labels)
    numbers = labels.astype(int) if classes else (labels > 0).astype(int)
    assert result.origin == ("seeded" if shuffle else "stored")
    for r in range(2):
        order = np.concatenate(list(ChunkOrder(n, seeds(run.seed, "toy", r)[0] if shuffle else None)))
        examples = RunningMoments().standardised(features[order]) if standardise else features[order]
        seed = int(seeds(run.seed, "toy/raker", r)[1].generate_state(1)[0])
        settings = {"method": "fourier", "n_components": 8, "scale": False, "seed": seed}
        learner = FeatureLearner("raker", run.points[0], KERNELS, examples[:SAMPLE], classes or 2, **settings)
        scores = learner.learn(examples, numbers[order])
        wrong = 100.0 * learner.mistakes / n
        assert result.metrics["mistake_percent"][0, r] == pytest.approx(wrong, abs=0.05)
        y_pred = scores.argmax(axis=1) if classes else (scores >= 0).astype(int)
        late = 100.0 * np.mean(y_pred[-1500:] != numbers[order][-1500:])
        assert result.metrics["error_percent"][0, r] == pytest.approx(late, abs=0.3)
    assert result.rounds[-1] == n and result.curves["mistake_percent"].shape == (1, 2, 5)


def test_a_stream_gives_the_mistakes_of_the_same_data_in_memory(tmp_path):
    features, labels = sample(900)
    stream = stored(tmp_path / "s.h5", features, labels)
    whole = store.PreparedDataset(name="toy", features=features, labels=labels, orders=None, source={})
    protocol = {"repetitions": 1, "checkpoints": 7, "shuffle": False, "stored": False}
    run = make_run("raker", "online", protocol=protocol, kernels=[kernel.name for kernel in KERNELS])
    run = dataclasses.replace(run, approximation="fourier", n_components=16, dataset="toy")
    first, second = (online.outcome(run, data, []) for data in (stream, whole))
    for name in first.metrics.keys() - {"seconds", "wall_seconds"}:
        assert np.array_equal(first.metrics[name], second.metrics[name], equal_nan=True), name
    assert np.array_equal(first.curves["mistake_percent"], second.curves["mistake_percent"])


def test_a_study_learns_groups_of_columns_of_a_stream(tmp_path):
    features, _ = sample(900, d=4)
    labels = np.where(features[:, 1] * features[:, 3] > 0, 1, -1).astype(np.int8)
    views = {"first": [0, 1], "decides": [3, 1], "last": [2, 3]}
    stream = stored(tmp_path / "s.h5", features, labels, views=views)
    whole = dataclasses.replace(stream, features=features, labels=labels)
    assert stream.is_stream and not whole.is_stream
    kernels = [f"{view}/gaussian_sigma1" for view in views]
    run = make_run("raker", "online", protocol={"repetitions": 1, "shuffle": False, "stored": False}, kernels=kernels)
    run = dataclasses.replace(run, approximation="fourier", n_components=32, dataset="toy")
    first, second = (online.outcome(run, data, []) for data in (stream, whole))
    assert np.array_equal(first.metrics["mistake_percent"], second.metrics["mistake_percent"])
    assert first.curves["weights"][0, 0, -1].argmax() == list(views).index("decides")
