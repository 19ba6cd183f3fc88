"""The report without a run: an archived study has the numbers that its own run showed."""

import json
import re
import shutil
from pathlib import Path

import made_report
import presentation
import pytest
from planted import CONFIG

from grambench.common import layout, shipped
from grambench.common.files import SUMS, sha256
from grambench.common.layout import Cell
from grambench.config.study import Study
from grambench.pipeline import last_run, reference_report
from grambench.pipeline.plan import Plan
from grambench.pipeline.steps import report
from grambench.report.record import describe
from grambench.results import archive

STUDY = "ca_relevance"  # of the archive of this repository


@pytest.fixture(scope="module")
def both(site, tmp_path_factory):
    """What the report shows of the small study, from its files and from its archive."""
    root = shutil.copytree(site.parents[1], tmp_path_factory.mktemp("both") / "project")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        settings = json.loads(made_report.SPEC)["study"]
        run = report.study_report(settings, settings, Path)
        rows = presentation.cells().to_dict("records")
        archive.write("omkc", layout.RESULTS, [Cell("omkc", r["dataset"], r["algorithm"], r["sweep"]) for r in rows])
        # the records of this study do not have all numbers of its tables
        folder = archive.ARCHIVE / "omkc"
        for pattern in (layout.RUNS, layout.CURVES, layout.CELLS):
            shutil.copy(pattern.format(**made_report.NAMES), folder)
        # in the order in which `collect` writes them
        presentation.runs().sort_values(["value", "repetition"], kind="stable").to_parquet(folder / "runs.parquet")
        (folder / SUMS).write_text("".join(f"{sha256(folder / name)}  {name}\n" for name in archive.NAMES))
        published = [*(root / "published").iterdir()]
        shutil.rmtree(layout.RESULTS)
        study = Study.model_validate(settings)
        chances = presentation.ROOT / layout.CHANCES
        origin = reference_report.remark("omkc", lacking=2, changed=3)
        return run, reference_report.study_report(study, published, [], chances, origin)


def _without_ids(content):
    """Return a file without the names that Matplotlib gives the paths of a figure, by their places in memory."""
    return re.sub(rb"(?<=[\"#])[a-z][0-9a-f]{10}(?=[\")])", b"", content)


def test_an_archived_study_has_the_files_and_the_records_that_it_had(both):
    run, archived = both
    assert {*run.files} - {*archived.files} == {
        f"figures/{name}.{suffix}"
        for name in run.study.figures
        for suffix in ("pdf", "column.svg", "column.pdf")
        if f"figures/{name}.{suffix}" in run.files
    }
    version = f"Reference results {archived.earlier.split()[2]}"
    for name, content in archived.files.items():
        if name.startswith("tables/for") or not name.endswith((".md", ".tex")):
            assert _without_ids(content) == _without_ids(run.files[name]), name
        else:
            text = content.decode()
            assert version in text and re.sub(rf"\s*{version}\.", "", text, count=1) == run.files[name].decode(), name
    assert all(figure.caption.endswith(f". {version}") for figure in archived.figures)
    assert archived.records.keys() == run.records.keys()
    for path, record in archived.records.items():
        assert describe(record) == describe(run.records[path])
    assert archived.prepared == run.prepared
    # of some claims the paper's own numbers give no probability
    assert {*archived.claims["probability"]} >= {""} and "nan" not in {*archived.claims["probability"]}


def test_its_page_says_where_its_numbers_are_from_and_links_no_record_that_is_not_there(both):
    run, archived = both
    assert run.earlier == ""
    assert re.match("reference results [0-9a-f]{8} of revision abc123, ", archived.earlier)
    assert "; runs not archived yet: 2; runs whose settings or code have changed since: 3, which " in archived.earlier
    name = "pages/record-omkc-wdbc-omkc_dd.html"
    pages = [made_report.pages_of(each)[name].decode() for each in both]
    links = ['href="../../runs/omkc/wdbc/omkc_dd.h5"' in text for text in pages]
    assert links == [True, False]


def test_a_study_is_shown_from_results_if_it_was_run_whole(monkeypatch):
    def planned(study, **asked):
        return Plan({"studies": [study], **asked}, CONFIG)

    whole, own, other = planned(STUDY), planned("streams"), planned("omkc")
    some = planned(STUDY, datasets={STUDY: whole.targets.datasets(STUDY)[:1]})
    for mine, shown in ((whole, {STUDY}), (some, set())):
        finished = {STUDY: mine.specs, "streams": own.specs, "omkc": other.specs}
        monkeypatch.setattr(last_run, "finished", lambda _, found=finished: found)
        assert {*reference_report.run_here(whole, others=False)} == shown
        # omkc is archived, and shown where it is asked for
        assert {*reference_report.run_here(whole, others=True)} == shown | {"streams"}


def test_the_report_of_the_archive_needs_no_run(project, call, monkeypatch):
    monkeypatch.setattr(shipped, "ROOT", project)
    nothing = "reference: no study yet; grambench archive STUDY adds one that was run"
    assert call("report") == (2, "", f"grambench: {nothing}\n")
    shutil.copytree(CONFIG.parent / archive.ARCHIVE / STUDY, archive.ARCHIVE / STUDY)
    shutil.copytree(archive.ARCHIVE / STUDY, archive.ARCHIVE / "other")
    code, said, err = call("report", STUDY, "-c", "1")
    index = Path(layout.REFERENCE_REPORT)
    *_, last = said.splitlines()
    assert (code, last, err) == (0, f"studies: 1 from reference, 0 from results; report: {index.resolve()}", "")
    assert (
        f"reference results {archive.version_of(STUDY)} of revision"
        in (index.parent / f"pages/study-{STUDY}.html").read_text()
    )
    code, _, err = call("report", "nothing")
    assert code == 2 and err == f"grambench: unknown study of {archive.ARCHIVE} 'nothing': known: {STUDY}, other\n"
    shutil.rmtree(archive.ARCHIVE / "other")
    path = archive.ARCHIVE / STUDY / "runs.parquet"
    path.write_bytes(path.read_bytes()[:-1])
    code, said, err = call("report")
    assert (code, said) == (2, "") and f"{path}: damaged" in err
