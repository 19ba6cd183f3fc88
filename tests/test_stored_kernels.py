"""Kernels of other packages: read from their files, and learned from in studies as kernels of vectors are."""

from pathlib import Path

import h5py
import numpy as np
import pytest
import scipy.io
import yaml
from specifications import make_run

from grambench import cli, experiments
from grambench.commands import compare
from grambench.common import layout
from grambench.common.errors import ConfigError, DataError
from grambench.config.load import check
from grambench.config.project import Configuration
from grambench.datasets import readers, store
from grambench.datasets.descriptions import Dataset
from grambench.datasets.formats.kernels import Kernels, remarks
from grambench.datasets.store import PreparedDataset
from grambench.experiments.pools import Pools, full_pool
from grambench.experiments.splits import splits
from grambench.kernels.functions import Kernel
from grambench.pipeline.check import check_dataset, without_features
from grambench.pipeline.targets import kernels_of
from grambench.report import answer

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3)).round(3)
Y = np.where(X[:, 0] + X[:, 1] ** 2 > 0.5, 1, -1)
LINEAR = X @ X.T
GAUSSIAN = np.exp(-((X[:, None] - X) ** 2).sum(axis=-1))
SPLITS = {"repetitions": 2, "shares": [0.5, 0.25, 0.25], "values": [1.0, 10.0], "trace": 1.0}


def libsvm(matrix, labels):
    lines = (
        f"{label} 0:{row + 1} " + " ".join(f"{column + 1}:{value!r}" for column, value in enumerate(values.tolist()))
        for row, (label, values) in enumerate(zip(labels, matrix, strict=True))
    )
    return "\n".join(lines) + "\n"


def write(folder, matrix=LINEAR, labels=Y):
    """Write a matrix and labels in every format; return the place of each by format."""
    np.save(folder / "k.npy", matrix)
    np.save(folder / "y.npy", labels)
    np.savez(folder / "k.npz", k=matrix, y=labels)
    scipy.io.savemat(folder / "k.mat", {"k": matrix, "y": labels.astype(float)})
    with h5py.File(folder / "new.mat", "w") as file:
        file["k"], file["y"] = matrix.T, labels[None].astype(float)
    (folder / "k.libsvm").write_text(libsvm(matrix, labels))
    (folder / "y.txt").write_text("".join(f"{label}\n" for label in labels))
    return {
        "npy": ("k.npy", "y.npy"),
        "text labels": ("k.npy", "y.txt"),
        "npz": ("k.npz:k", "k.npz:y"),
        "mat 5": ("k.mat:k", "k.mat:y"),
        "mat 7.3": ("new.mat:k", "new.mat:y"),
        "libsvm": ("k.libsvm", None),
    }


def read(folder, kernels, labels=None, **options):
    reader = Kernels(format="kernels", kernels=kernels, labels=labels, **options)
    places = [*kernels.values(), *([labels] if labels else [])]
    return readers.read(reader, {name: folder / name for name in dict.fromkeys(p.partition(":")[0] for p in places)})


def made(**changes):
    """Return a data set of stored kernels, the linear and the Gaussian one."""
    values = {"name": "made", "features": np.empty((60, 0)), "labels": Y.astype(np.int8), "orders": None, "source": {}}
    return PreparedDataset(**values | {"kernels": {"linear": LINEAR, "gaussian": GAUSSIAN}} | changes)


@pytest.mark.parametrize("format", ["npy", "text labels", "npz", "mat 5", "mat 7.3", "libsvm"])
def test_every_format_gives_the_same_kernel_and_labels(tmp_path, format):
    place, labels = write(tmp_path)[format]
    raw = read(tmp_path, {"a graph kernel/3": place}, labels)
    np.testing.assert_array_equal(raw.kernels["a graph kernel/3"], LINEAR)
    np.testing.assert_array_equal(raw.labels, Y)
    assert raw.features.shape == (60, 0)


def test_labels_may_be_texts_and_rows_that_are_left_out_have_no_columns(tmp_path):
    words = np.array(["b", "a", "c"] * 20)
    np.savez(tmp_path / "k.npz", k=LINEAR, y=words)
    raw = read(tmp_path, {"k": "k.npz:k"}, "k.npz:y", positive="a", negative=["c"], test_rows=6)
    rows = np.flatnonzero(words != "b")
    np.testing.assert_array_equal(raw.kernels["k"], LINEAR[np.ix_(rows, rows)])
    assert raw.labels.tolist() == words[rows].tolist() and np.count_nonzero(raw.test) == 4


def test_a_matrix_of_32_bits_becomes_symmetric(tmp_path):
    np.savez(tmp_path / "k.npz", k=(LINEAR * (1 + 1e-7 * np.tri(60))).astype(np.float32), y=Y)
    kernel = read(tmp_path, {"k": "k.npz:k"}, "k.npz:y").kernels["k"]
    np.testing.assert_array_equal(kernel, kernel.T)
    np.testing.assert_allclose(kernel, LINEAR, atol=1e-5)


def changed(row, column, value):
    matrix = LINEAR.copy()
    matrix[row, column] = value
    return matrix


FAULTS = {
    "no square": ({"k": X}, "kernel k: expected a square matrix, values between all examples, got 60 x 3"),
    "no symmetry": ({"k": changed(3, 1, 9.0)}, "kernel k: expected a symmetric matrix, got "),
    "no number": (
        {"k": changed(3, 1, np.nan)},
        "kernel k: expected numbers within 3.4e+38, got nan in row 4, column 2",
    ),
    "infinity": ({"k": changed(0, 0, np.inf)}, "kernel k: expected numbers within 3.4e+38, got inf in row 1, column 1"),
    "texts": ({"k": np.full((60, 60), "a")}, "kernel k: expected numbers, got texts"),
    "objects": (
        {"k": np.full((60, 60), None)},
        "it has an array of Python objects, which could run any code; save texts as",
    ),
    "three axes": ({"k": LINEAR[None]}, "kernel k: expected a matrix, got an array of 1 x 60 x 60"),
    "other examples": (
        {"k": LINEAR, "l": LINEAR[:50, :50]},
        "expected kernels of the same examples, got rows: k 60, l 50",
    ),
    "fewer labels": ({"k": LINEAR, "y": Y[1:]}, "expected as many labels as rows, got 60 rows and 59 labels"),
}


@pytest.mark.parametrize("what", FAULTS)
def test_a_fault_of_a_matrix_is_one_line(tmp_path, what):
    arrays, message = FAULTS[what]
    np.savez(tmp_path / "k.npz", **{"y": Y} | arrays)
    with pytest.raises(DataError) as refusal:
        read(tmp_path, {name: f"k.npz:{name}" for name in arrays if name != "y"}, "k.npz:y")
    assert message in str(refusal.value) and "\n" not in str(refusal.value)


def test_a_fault_of_a_place_is_one_line(tmp_path):
    write(tmp_path)
    np.save(tmp_path / "cut.npy", LINEAR)
    (tmp_path / "cut.npy").write_bytes((tmp_path / "cut.npy").read_bytes()[:-9])
    np.save(tmp_path / "texts.npy", np.where(Y > 0, "a", "b").astype(object))
    (tmp_path / "late.libsvm").write_text(libsvm(LINEAR, Y).replace(" 0:3 ", " 0:4 "))
    (tmp_path / "other.libsvm").write_text(libsvm(LINEAR, -Y))
    cases = [
        ({"k": "k.npz"}, "k.npz:y", "expected the place k.npz:ARRAY, for one of several arrays, got k.npz"),
        ({"k": "k.npy:k"}, "k.npz:y", "expected the place k.npy, for the only array, got k.npy:k"),
        ({"k": "k.npy"}, "texts.npy", "it has an array of Python objects, which could run any code; save texts as"),
        ({"k": "k.npz:z"}, "k.npz:y", "expected a variable 'z', got k, y"),
        ({"k": "cut.npy"}, "y.npy", "cut.npy, y.npy: cannot be read as kernels: it is damaged or has another format"),
        ({"k": "y.txt"}, "y.npy", "or LIBSVM's precomputed kernels, `label 0:1 1:value ...`, got b'"),
        ({"k": "late.libsvm"}, None, "expected all examples in their order, 0:1, 0:2 and so on, got 0:4 in row 3"),
        ({"k": "k.libsvm", "l": "other.libsvm"}, None, "expected the same labels in each file, got others"),
        ({"k": "k.npy"}, None, "expected `labels`, the place of the labels, which only LIBSVM's files have"),
    ]
    for kernels, labels, message in cases:
        with pytest.raises(DataError) as refusal:
            read(tmp_path, kernels, labels)
        assert message in str(refusal.value) and "\n" not in str(refusal.value)
    large = np.eye(400)
    np.savez_compressed(tmp_path / "large.npz", k=large)
    np.save(tmp_path / "large.npy", large)
    for place in ("large.npz:k", "large.npy"):
        with pytest.raises(DataError, match="expected at most 1 MiB"):
            read(tmp_path, {"k": place}, "y.npy", mebibytes=1)
    with pytest.raises(ValueError, match="minmax, unique and zero_columns: expected features, got stored kernels"):
        read(tmp_path, {"k": "k.npy"}, "y.npy", minmax=True)


def test_what_is_unusual_in_a_kernel_is_said_and_no_fault():
    assert remarks({"linear": LINEAR, "gaussian": GAUSSIAN}) == []
    negative = GAUSSIAN - 0.5 * np.eye(60)
    said = remarks({"shifted": negative, "zero": changed(4, 4, 0.0)})
    assert said[0].startswith("kernel shifted: has negative eigenvalues")
    assert said[1] == "kernel zero: expected a positive diagonal, got 0 in row 5"


@pytest.mark.parametrize("center", [False, True])
def test_a_split_takes_the_entries_of_its_rows(center):
    names = ["linear/polynomial_p1", "gaussian/polynomial_p1"]
    run = make_run("uniform_svm", "random_splits", protocol=SPLITS | {"center": center}, kernels=names)
    dataset = made()
    split, _ = next(splits(run, dataset))
    pools = Pools(run, dataset, split.train)
    for stored, train, test in zip(
        (LINEAR, GAUSSIAN), pools.train.grams(), pools.between(split.test).grams(), strict=True
    ):
        values = stored[:, split.train]
        if center:
            means = stored[np.ix_(split.train, split.train)].mean(axis=0)
            values = values - values.mean(axis=1)[:, None] - means + means.mean()
        values = values / np.trace(values[split.train])
        np.testing.assert_allclose(train, values[split.train], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(test, values[split.test], rtol=1e-9, atol=1e-12)
    among = pools.among(split.test).grams()[0]
    assert among.shape == (len(split.test),) * 2
    assert pools.train.features == {}


@pytest.mark.parametrize("file", ["uniform_svm", "lp_mkl", "easy_mkl", "om2"])
def test_a_stored_kernel_is_learned_from_as_that_of_vectors(file):
    kernels = ["polynomial_p1", "gaussian_sigma1"]
    settings = {"protocol": SPLITS, "points": [{"p": 1.1}] if file == "om2" else [{}]}
    on_vectors = make_run(file, "random_splits", kernels=kernels, **settings)
    vectors = made(features=X, kernels={})
    expected = experiments.load("offline")(on_vectors, vectors, [])
    stored = made(kernels={"a": LINEAR, "b/c": np.sqrt(GAUSSIAN)})
    run = make_run(file, "random_splits", kernels=["a/polynomial_p1", "b/c/polynomial_p1"], **settings)
    found = experiments.load("offline")(run, stored, [])
    accuracies = [outcome.metrics["accuracy_percent"] for outcome in (expected, found)]
    np.testing.assert_array_equal(*accuracies)
    np.testing.assert_allclose(expected.metrics["kernels_selected"], found.metrics["kernels_selected"])


def test_an_official_split_and_an_online_pass_take_stored_kernels():
    dataset = made(test=np.arange(60) >= 45)
    kernels = ["linear/polynomial_p1", "gaussian/polynomial_p1"]
    protocol = {"validation": 0.2, "values": [1.0, 10.0]}
    run = make_run("cka", "official_split", protocol=protocol, kernels=kernels)
    assert experiments.load("offline")(run, dataset, []).metrics["accuracy_percent"].shape[0] == 1
    online = make_run("perceptron_u", "online", protocol={"repetitions": 2}, kernels=kernels)
    np.testing.assert_array_equal(full_pool(online, dataset, []).grams()[1], GAUSSIAN)
    mistakes = experiments.load("online")(online, dataset, []).metrics["mistake_percent"]
    assert ((mistakes > 0) & (mistakes < 50)).all()


def test_a_prepared_file_keeps_the_kernels_under_their_names(tmp_path):
    dataset = made(kernels={f"view {k}/.": k * LINEAR for k in range(1, 12)})
    store.write(tmp_path / "d.h5", dataset)
    again = store.read(tmp_path / "d.h5")
    assert again.content == dataset.content != made().content
    assert {view: matrix[0, 0] / LINEAR[0, 0] for view, matrix in again.kernels.items()} == {
        f"view {k}/.": pytest.approx(k) for k in range(1, 12)
    }


DESCRIPTION = {
    "name": "mine",
    "title": "Mine",
    "n": 60,
    "positives": int((Y == 1).sum()),
    "content": "f" * 64,
    "sources": [
        {
            "kind": "file",
            "files": [{"name": "k.npz", "path": "k.npz", "sha256": "0" * 64}],
            "reader": {
                "format": "kernels",
                "kernels": {"a": "k.npz:k", "b": "k.npz:l"},
                "labels": "k.npz:y",
                "positive": 1,
            },
        }
    ],
}


def described(**changes):
    return check(Dataset, DESCRIPTION | changes, "mine.yaml")


def test_a_board_of_views_has_each_stored_kernel_once_and_leaves_out_what_needs_features():
    study, dataset = Configuration(Path("config")).study("leaderboard_views"), described()
    assert kernels_of(study, dataset) == [Kernel("polynomial", 1.0, "a"), Kernel("polynomial", 1.0, "b")]
    with pytest.raises(
        ConfigError, match="learns from feature vectors, but data set mine has stored kernels; list other"
    ):
        check_dataset(study, dataset)
    without = without_features(study, ["mine"], ["mine"])
    check_dataset(without, dataset)
    left_out = {name for name, entry in without.algorithms.items() if entry.datasets}
    assert left_out == {
        *("localised_mkl", "makl", "linear_svm", "logistic_regression", "gaussian_svm", "random_forest"),
        *("gradient_boosting", "view_stacking", "k_nearest_neighbours", "mlp", "ard_gp", "rfm"),
    }
    assert all("mine" not in without.algorithms[name].datasets for name in left_out)
    assert without.algorithms["gaussian_svm"].datasets == study.datasets
    vectors = Configuration(Path("config")).study("leaderboard")
    with pytest.raises(ConfigError, match="but data set mine has the views a, b; expected `views: all` in `kernels`"):
        check_dataset(vectors, dataset)


def test_a_view_that_is_named_as_a_single_feature_is_refused_beside_kernels_on_these():
    """Kernels on feature_1 would be on the columns of the view."""
    configuration = Configuration(Path("config"))
    study, dataset = configuration.study("leaderboard"), configuration.dataset("australian")
    check_dataset(study, dataset.model_copy(update={"views": {"feature_0": [0], "feature_one": [0]}}))
    with pytest.raises(ConfigError, match="kernels on single features, and a view of australian is named feature_1"):
        check_dataset(study, dataset.model_copy(update={"views": {"feature_1": [2, 3], "rest": [0, 1]}}))


@pytest.mark.parametrize("changes", [{"d": 3}, {"views": {"v": [0]}, "d": 1}, {"kind": "stream"}])
def test_stored_kernels_have_nothing_beside_them(changes):
    with pytest.raises(ConfigError, match="expected stored kernels alone, got d, views, blocks or a stream"):
        described(**changes)


@pytest.fixture
def project(new_project):
    """A new project, as the current folder, with three kernels in mine.npz, and one in mine.libsvm."""
    kernels = {"linear": LINEAR, "gaussian": GAUSSIAN, "noise": np.eye(60)}
    np.savez("mine.npz", kind=np.where(Y > 0, "sick", "well"), X=X, **kernels)
    Path("one.libsvm").write_text(libsvm(GAUSSIAN, Y))
    return Path()


def test_a_file_of_kernels_is_described_fetched_and_prepared(project, capsys):
    call = ["mine.npz", "--label", "kind", "--positive", "sick", "--drop", "X"]
    assert cli.main(["add-dataset", *call]) == 0
    out = capsys.readouterr().out
    assert (
        f"mine.yaml: 60 x 3 kernels, {(Y == 1).sum()} labelled +1" in out and "kernels: linear, gaussian, noise" in out
    )
    assert "grambench run leaderboard_views -d mine" in out
    assert cli.main(["fetch", "mine"]) == 0 and "ok" in capsys.readouterr().out
    prepared = store.read(Path(layout.PREPARED.format(dataset="mine")))
    np.testing.assert_array_equal(prepared.kernels["gaussian"], GAUSSIAN)
    np.testing.assert_array_equal(prepared.labels, Y)
    assert cli.main(["list", "datasets"]) == 0
    assert any(line.startswith("mine ") and " kernels " in line for line in capsys.readouterr().out.splitlines())
    assert cli.main(["add-dataset", "one.libsvm", "--label", "0"]) == 0
    values = yaml.safe_load(Path("config/datasets/one.yaml").read_text())
    assert values["sources"][0]["reader"]["kernels"] == {"one": "one.libsvm"}


def test_a_wrong_call_on_kernels_is_told(project, capsys):
    cases = [
        (
            ["mine.npz", "--label", "kind"],
            "kernel X: expected a square matrix, values between all examples, got 60 x 3; leave out what is no kernel; "
            "features come as CSV",
        ),
        (
            ["mine.npz", "--label", "kind", "--drop", "X", "--study", "first"],
            "first.yaml: a kernel is on view '', but data set mine has the views gaussian, linear, noise; expected",
        ),
        (["mine.npz", "--label", "kinds"], "mine.npz: --label: unknown array 'kinds': did you mean kind?"),
        (["mine.npz", "--label", "kind", "--drop", "Z"], "mine.npz: --drop: unknown array 'Z'"),
        (
            ["mine.npz", "--label", "kind", "--drop", "X", "--minmax"],
            "mine.npz: --minmax: stored kernels have no columns",
        ),
        (["mine.npz", "--label", "kind", "--drop", "X", "--positive", "ill"], "--positive ill: no such label"),
        (
            ["one.libsvm", "--label", "y"],
            "one.libsvm: --label y: expected 0, the column of the labels in LIBSVM's format",
        ),
    ]
    for call, message in cases:
        assert cli.main(["add-dataset", *call]) == 2
        assert message in capsys.readouterr().err
    assert not Path("config/datasets").exists() or not [*Path("config/datasets").glob("mine.yaml")]


@pytest.mark.parametrize("missing", ["", "NA", np.nan])
def test_a_missing_label_of_kernels_is_no_class(project, capsys, missing):
    labels = np.where(Y > 0, "sick", "well") if isinstance(missing, str) else Y.astype(float)
    labels[[4, 9]] = missing
    np.savez("gaps.npz", k=LINEAR, y=labels)
    assert cli.main(["add-dataset", "gaps.npz", "--label", "y"]) == 2
    assert "gaps.npz: --label y: missing in row 5 and 1 more; name the labels of both" in capsys.readouterr().err
    sides = ["--positive", "sick", "--negative", "well"]
    sides = sides if isinstance(missing, str) else ["--positive", "1", "--negative", "-1"]
    assert cli.main(["add-dataset", "gaps.npz", "--label", "y", *sides]) == 0
    assert "rows used: 58 of 60" in capsys.readouterr().out


def test_numbers_that_are_stored_as_texts_are_labels_of_kernels(project, capsys):
    np.savez("texts.npz", k=LINEAR, y=np.where(Y > 0, "1", "0"))
    assert cli.main(["add-dataset", "texts.npz", "--label", "y"]) == 0
    assert f"{(Y == 1).sum()} labelled +1" in capsys.readouterr().out
    assert cli.main(["fetch", "texts"]) == 0


def test_features_that_are_none_cost_no_division_by_zero(project):
    assert cli.main(["add-dataset", "mine.npz", "--label", "kind", "--drop", "X"]) == 0
    fewest, everything = (compare._fitting("leaderboard_views", "mine", [], seconds) for seconds in (0.0, 1e9))
    assert fewest[0] == ["uniform_svm", "d1", "best_kernel_svm", "kernel_stacking", "majority"]
    assert "majority" in everything[0] and not {"gaussian_svm", "makl"} & {*everything[0], *everything[1]}


@pytest.mark.workflow
def test_stored_kernels_are_compared_in_one_command(project, monkeypatch, capsys):
    monkeypatch.setattr(answer, "REQUIRED", ("uniform_svm", "best_kernel_svm", "easy_mkl", "gaussian_svm", "majority"))
    monkeypatch.setattr(compare, "FIXED_SECONDS", 60.0)  # nothing remains for others
    assert cli.main(["compare", "mine.npz", "--label", "kind", "--drop", "X", "-c", "2"]) == 0
    out = capsys.readouterr().out
    assert "4 configurations, about 2 min on 2 cores; --minutes 1 leaves out d1, " in out
    assert "stored kernels have no features: methods that learn from features are not compared" in out
    assert "ombining kernels" in out and "4 of 26 configurations were compared" in out
    assert "failed" not in out and Path("results/report/index.html").is_file()
