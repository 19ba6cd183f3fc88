"""What an audit, an attack and a first-time user found: results that are stale, damaged or stand-ins say so."""

import json
import re
import shutil
from base64 import urlsafe_b64decode
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from copies import STUDY, Copy

from grambench.common import files, layout
from grambench.config.load import read
from grambench.kernels import matrices
from grambench.pipeline import last_run, status
from grambench.pipeline.expected import expected_lines
from grambench.pipeline.job import Job
from grambench.pipeline.plan import Plan
from grambench.pipeline.steps import fetch

ROOT = Path(__file__).parent.parent
SMALL = {"datasets": ["sonar"], "sweeps": {}, "replications": None, "published": None, "tables": {}, "figures": {}}
AUTHORS = "46829dc84702e47fc52479e4ef5c59c5a7cf5aede1ac8c5cb260fbcecd0a61f9"  # iono.mat


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A copy in which two small studies were run, one after the other; with what the second run has said."""
    algorithms = {name: STUDY["algorithms"][name] for name in ("perceptron", "omkc_dd")}
    changes = {"datasets": ["sonar"], "algorithms": algorithms, "sweeps": {}, "replications": None}
    copy = Copy(tmp_path_factory.mktemp("finished"), **changes)
    other = STUDY | SMALL | {"name": "other", "title": "Other", "paper": "P", "algorithms": {"perceptron": {}}}
    (copy.folder / "config/studies/other.yaml").write_text(yaml.safe_dump(other))
    for each in ("other", "omkc"):
        copy.said = copy.call("grambench.cli", "run", each)
    return copy


@pytest.fixture
def copy(finished, tmp_path, monkeypatch):
    """A copy of the finished one, which is the working folder."""
    copied = finished.clone(tmp_path / "copy")
    monkeypatch.chdir(copied.folder)
    return copied


def mistakes(copy):
    """Return the mean mistakes of each algorithm, as the summary of study omkc has them."""
    table = pd.read_csv(copy.folder / layout.SUMMARY.format(study="omkc"))
    return table[table.metric == "mistake_percent"].set_index("algorithm")["mean"].to_dict()


# stand-ins


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """A project whose data set was fetched when only what is bundled was allowed, as by the demo."""
    for name in ("config", "data/bundled"):
        shutil.copytree(ROOT / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRAMBENCH_MIRROR", raising=False)
    bundled = plan(sources=["bundled"])
    note = layout.RAW.format(dataset="ionosphere")
    fetch.main(Job(*bundled.specs.fetch("ionosphere"), [Path(note)]))
    assert json.loads(Path(note).read_text())["kind"] == "bundled"
    return bundled.specs.fetch("ionosphere").spec


def plan(**settings):
    return Plan(
        read(Path("config/config.yaml")) | {"studies": ["omkc"], "datasets": ["ionosphere"]} | settings, Path("config")
    )


def test_a_more_faithful_source_is_asked_once_it_is_allowed(stand_in):
    assert (
        plan(sources=["bundled", "debian"]).specs.fetch("ionosphere").spec == stand_in
    )  # which has no permutations either
    assert plan(sources=["bundled", "http"]).specs.fetch("ionosphere").spec != stand_in


def test_a_more_faithful_source_is_asked_once_a_mirror_has_it(stand_in, tmp_path):
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (mirror / "SHA256SUMS").write_text(f"{'0' * 64}  another.mat\n")
    assert plan(sources=["bundled"], mirrors=[str(mirror)]).specs.fetch("ionosphere").spec == stand_in
    (mirror / "SHA256SUMS").write_text(f"{AUTHORS}  iono.mat\n")
    better = plan(sources=["bundled"], mirrors=[str(mirror)])
    assert better.specs.fetch("ionosphere").spec != stand_in
    assert any(
        line.startswith("asked for again, as a more faithful source may answer: ionosphere; ")
        for line in expected_lines(better, 1, slurm=False)
    )
    assert not any("again" in line for line in expected_lines(plan(sources=["bundled"]), 1, slurm=False))


def test_what_is_there_stays_where_no_more_faithful_source_answers(stand_in, tmp_path):
    mirror, note = tmp_path / "mirror", layout.RAW.format(dataset="ionosphere")
    mirror.mkdir()
    (mirror / "SHA256SUMS").write_text(f"{AUTHORS}  iono.mat\n")  # which is not there
    fetch.main(Job(*plan(sources=[], mirrors=[str(mirror)]).specs.fetch("ionosphere"), [Path(note)]))
    told = json.loads(Path(note).read_text())
    assert (told["status"], told["kind"]) == ("ok", "bundled") and "iono.mat" in told["tried"][0]["reason"]


def test_a_run_and_its_report_say_which_data_sets_are_stand_ins(finished):
    line = "sonar: a stand-in, no published permutations: no cell can be exact; to try the first source again: "
    line += "grambench fetch sonar, then the same run"
    assert line in finished.said
    page = (finished.folder / "results/report/index.html").read_text()
    assert "Data of a substitute source (no published permutations: no cell can be exact): sonar." in page


# the report


def test_a_report_shows_studies_of_earlier_runs_and_makes_lost_pages_again(copy):
    folder = copy.folder / "results/report"
    page = (folder / "index.html").read_text()
    assert page.count("from an earlier run") == 1 and "study-omkc" in page and "study-other" in page
    assert "stale" not in page
    lost = [folder / name for name in ("report.html", "pages/study-omkc.html", "pages/report.css")]
    for path in lost:
        path.unlink()
    copy.edit("config/studies/other.yaml", "repetitions: 2", "repetitions: 3")
    copy.call("grambench.cli", "run", "omkc")
    assert all(path.is_file() for path in lost)
    assert (folder / "index.html").read_text().count("from an earlier run and stale") == 1


# what a record was made from


def without_notes(copy):
    """Lose what Snakemake has noted of its runs."""
    shutil.rmtree(copy.folder / ".snakemake")


def test_an_edit_of_a_kernel_reaches_the_tables_without_snakemakes_notes(copy):
    """The Gram matrices are made again, not only the records that read them."""
    before, gram = mistakes(copy), copy.folder / layout.GRAM.format(dataset="sonar", kernel="gaussian_sigma8")
    old = matrices.open_matrix(gram).copy()
    copy.edit("src/grambench/kernels/functions.py", "-1.0 / (2.0 * width**2)", "-1.0 / (20.0 * width**2)")
    without_notes(copy)
    copy.snakemake(layout.SUMMARY.format(study="omkc"))
    np.testing.assert_allclose(matrices.open_matrix(gram), old**0.1)
    assert mistakes(copy) != before


def test_failed_names_the_stale_gram_matrices_and_not_the_records_that_read_them(copy):
    asked = last_run.read(layout.RESULTS, "omkc")
    gram = layout.GRAM.format(dataset="sonar", kernel="gaussian_sigma8")
    asked["omkc"]["sonar"].inputs[gram] = "of another code"
    runs = dict.fromkeys(asked["omkc"]["sonar"].runs, "of another code")
    asked["omkc"]["sonar"].runs.update(runs)
    found = status.file_statuses(asked)
    assert [item.status for item in found if item.inputs] == ["stale"] * 2
    assert status.failed_targets(found) == [gram]


def test_a_changed_description_makes_all_that_hangs_on_it_stale(copy):
    """The prepared data set and its records go by the description, not by the notes of Snakemake alone."""
    settings = read(Path("config/config.yaml")) | {"studies": ["omkc"]}
    assert Plan(settings, Path("config")).specs.stale() == []
    copy.edit("config/datasets/sonar.yaml", "positive: R, minmax: true", "positive: R")
    changed, prepared = Plan(settings, Path("config")), layout.PREPARED.format(dataset="sonar")
    assert changed.specs.stale() == [prepared]
    without_notes(copy)
    changed.specs.age()
    assert Path(prepared).stat().st_mtime == 1.0  # before anything that it is made from
    # other values than those of the content hash: the data set is unavailable, and so are its runs
    copy.snakemake(prepared)
    inner = layout.INNER.format(dataset="sonar")
    assert changed.specs.stale() == [inner, *changed.targets.records("omkc")]  # by one level
    copy.snakemake(layout.CELLS.format(study="omkc"))
    assert changed.specs.stale() == []


def test_old_files_of_failed_jobs_are_made_again_though_snakemake_notes_these_as_done(copy):
    """On a cluster, which keeps incomplete files, a refused or cancelled job is noted as if it had succeeded."""
    settings = read(Path("config/config.yaml")) | {"studies": ["omkc"]}
    plan = Plan(settings, Path("config"))
    before = {path: path.stat().st_mtime for path in Path("results").rglob("*") if path.is_file()}

    def aged():
        return {str(path) for path in before if path.stat().st_mtime == 1.0}

    plan.specs.age()
    assert before == {path: path.stat().st_mtime for path in before}
    collected = {pattern.format(study="omkc") for pattern in (layout.RUNS, layout.CURVES, layout.CELLS)}
    some = list(plan.targets.algorithms("omkc"))[:1]
    Plan(settings | {"algorithms": some}, Path("config")).specs.age()
    assert aged() == collected
    Plan(settings | {"seed": 7}, Path("config")).specs.age()
    assert aged() == {*collected, *plan.targets.records("omkc")}
    notes = {urlsafe_b64decode(path.name).decode() for path in Path(".snakemake/metadata").iterdir()}
    assert layout.SUMMARY.format(study="omkc") in notes and not notes & aged()


# seals and checksums


def test_every_file_that_a_later_step_reads_is_sealed(finished):
    """But the configuration, which is for people to edit, and the report, which has its SHA256SUMS."""
    unsealed = [
        path.relative_to(finished.folder).as_posix()
        for path in (finished.folder / "results").rglob("[!.]*")
        if path.is_file() and files.found_fault(path) and not {"logs", "report"} & set(path.parts)
    ]
    assert unsealed == []
    assert not files.found_fault(finished.folder / layout.RAW.format(dataset="sonar"))


def test_a_table_that_was_edited_is_told_and_not_offered(copy, call):
    paths = [Path(layout.TABLE.format(study="omkc", table="table2", suffix=each)) for each in ("csv", "md", "tex")]
    for path in paths:
        path.write_bytes(path.read_bytes().replace(b"a", b"b", 1))
    code, said, _ = call("status")
    assert code == 1 and all(re.search(rf"damaged +omkc: {path.name}", said) for path in paths)
    assert "table2.csv: damaged" in copy.call("grambench.cli", "run", "omkc", expect=1)


@pytest.mark.parametrize("name", ["published/omkc_tables_3_4.csv", "replications/omkc.csv", "replications/claims.csv"])
def test_numbers_that_are_shipped_are_refused_where_they_were_changed(tmp_path, monkeypatch, name):
    shutil.copytree(ROOT / "config", tmp_path / "config")
    monkeypatch.chdir(tmp_path)
    plan()
    path = tmp_path / "config" / name
    path.write_bytes(path.read_bytes().replace(b"2", b"3", 1))
    with pytest.raises(Exception, match=rf"{name}: damaged, expected sha256 .*, got .*make checksums"):
        plan()


def test_everything_that_is_shipped_is_listed():
    for folder in (ROOT / "config/published", ROOT / "config/replications"):
        assert sorted(files.checksums(folder)) == sorted(path.name for path in folder.glob("*.csv"))


# repair


def test_repair_tells_first_and_removes_damaged_files_that_are_planned(copy, call, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda question: "")
    foreign, record = Path("results/runs/omkc/notes.h5"), Path("results/runs/omkc/sonar/perceptron.h5")
    foreign.write_bytes(b"of somebody else")
    before = {path for path in Path("results").rglob("*") if path.is_file()}
    assert call("repair", "-y")[:2] == (0, "results: nothing is damaged\n")
    record.write_bytes(record.read_bytes()[:-40])
    code, said, _ = call("repair")
    assert code == 1 and "perceptron.h5: truncated" in said and "nothing was removed" in said and record.is_file()
    code, said, _ = call("repair", "-y")
    assert code == 1 and "grambench run" in said and "snakemake" not in said
    assert {path for path in Path("results").rglob("*") if path.is_file()} == before - {record}
