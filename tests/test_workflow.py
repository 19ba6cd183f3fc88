"""The workflow itself, on a copy of the repository with a small study: what runs, what reruns, what survives."""

import re
import zipfile
from pathlib import Path

import data_dictionary
import numpy as np
import pandas as pd
import pytest
import yaml
from copies import AFTER_RUNS, NESTED, NEW, ONLINE, ROOT, STUDY, Copy, flip_bit

from grambench.common import layout
from grambench.common.errors import DataError
from grambench.config.metrics import MEASURED
from grambench.config.study import Study
from grambench.pipeline import fingerprint
from grambench.pipeline.job import Job
from grambench.pipeline.steps import claims, collect, report, reproduce, table
from grambench.report import site
from grambench.results import replications


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    copy = Copy(tmp_path_factory.mktemp("finished"))
    (copy.folder / "config/studies/small.yaml").write_text(yaml.safe_dump(NESTED, sort_keys=False))
    copy.edit("config/config.yaml", "studies: [omkc]", "studies: [omkc, small]")
    limit = "workflow.scheduler.job_rate_limiter"
    copy.edit("Snakefile", "workflow.default", f"onsuccess:\n    print('limit:', {limit})\n\n\nworkflow.default")
    assert "limit: None" in copy.snakemake(), "of jobs a second, unless the user sets one"
    return copy


@pytest.fixture
def copy(finished, tmp_path):
    return finished.clone(tmp_path / "copy")


def both(*tasks):
    return {f"{dataset}/{task}" for dataset in STUDY["datasets"] for task in tasks}


DD = both("omkc_dd") | {"sonar/omkc_dd/beta"}
GRAMS = {
    f"grams/{dataset}/{name}.h5"
    for dataset in STUDY["datasets"]
    for name in ("polynomial_p1", "gaussian_sigma0.5", "gaussian_sigma8")
}
INNER = {f"grams/{dataset}/inner.h5" for dataset in STUDY["datasets"]}
EVERYTHING = both(*STUDY["algorithms"]) | {"sonar/omkc_dd/beta"}  # of the online study
SMALL = {"small/sonar/unif", "small/sonar/total", "small/sonar/total/scales"}
CODE = "\nfrom grambench", "\nMORE = 1\nfrom grambench"  # before the first import of the package
EDITS = {
    "what changes no result": (
        [
            (ONLINE + "omkc_dd.py", "", "# a remark\n"),
            ("config/config.yaml", "seconds: 1800", "seconds: 900"),
            ("config/config.yaml", "[bundled, package]", "[bundled, package, debian]"),
        ],
        set(),
    ),
    "an algorithm": ((ONLINE + "omkc_dd.py", *CODE), DD | AFTER_RUNS),
    "its docstring": ((ONLINE + "omkc_dd.py", '\n"""\n', '\nOr not.\n"""\n'), {"report"}),
    "a parameter in the study": (
        ("config/studies/omkc.yaml", "delta: 0.01", "delta: 0.02"),
        both("omkc_sd") | AFTER_RUNS,
    ),
    "a kernel function": (
        ("src/grambench/kernels/functions.py", *CODE),
        GRAMS | INNER | EVERYTHING | SMALL | AFTER_RUNS,
    ),
    "an entry's title": (("config/studies/small.yaml", "title: Sum", "title: Total"), AFTER_RUNS - {"collect"}),
    "the list of kernels": (
        ("config/studies/omkc.yaml", "  - 8\n", "  - 8\n  - 16\n"),
        {f"grams/{dataset}/gaussian_sigma16.h5" for dataset in STUDY["datasets"]} | EVERYTHING | AFTER_RUNS,
    ),
    "a licence text": (("config/datasets/sonar.yaml", "licence:", "licence: x"), {"report"}),
    "the figures": (("src/grambench/report/figures/curves.py", *CODE), {"figure", "report"}),
    "an algorithm's title": (
        (ONLINE + "omkc_dd.py", '"""', '"""The '),
        {"summarise", "claims", "table", "figure", "report"},
    ),
    "a claim's wording": (("src/grambench/claims/omkc.py", *CODE), {"claims", "report"}),
    "what the papers' own numbers say": (("config/replications/claims.csv", "omkc,1a,holds,", "omkc,1a,fails,"), None),
    "the report's page": (("src/grambench/report/templates/frame.html", "<title>", "<title>x "), {"report"}),
    "a published number": (("config/published/omkc_tables_3_4.csv", "34.51", "34.52"), None),
}


@pytest.mark.workflow
@pytest.mark.parametrize("what", EDITS)
def test_what_reruns_after_an_edit_of(what, copy):
    edit, expected = EDITS[what]
    for each in edit if isinstance(edit, list) else [edit]:
        copy.edit(*each)
    jobs = copy.would_run()
    if expected is None:  # whatever shows the number, and nothing that computes one
        shows = "claims" if "replications" in edit[0] else "reproduce"
        assert {shows, "report"} <= jobs <= AFTER_RUNS - {"collect"}
    else:
        assert jobs == expected


def test_rules_show_the_paths_of_the_layout():
    """The library names files by the patterns of `layout`, and a rule shows the path itself."""
    rules = "".join(path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk"))
    shown = set(re.findall(r'"((?:results|data)/(?!logs)[^"{]*{\w+}[^"]*|results/report/[^"]+)"', rules))
    pages = [f"results/report/{name}" for name in (site.INDEX, site.WHOLE, site.PAGES, site.FILES)]
    patterns = [layout.RAW, *layout.PATTERNS, *pages]
    known = {
        pattern.replace("{suffix}", suffix) for pattern in patterns for suffix in layout.SUFFIXES.get(pattern, [""])
    }
    known |= {"results/runs/{run}.h5", layout.RAW.replace("dataset", "base")}
    assert shown == known


@pytest.mark.workflow
def test_every_file_of_results_has_the_columns_of_its_declaration(finished):
    written = {path.name: path for path in sorted((finished.folder / "results").glob("*/*.*")) if path.name[0] != "."}
    for declared in data_dictionary.TABLES:
        if declared.file in written:
            path = written.pop(declared.file)
            read = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
            assert list(read.columns) == declared.names, path
            numbers = [column.name for column in declared.columns if column.kind in ("number", "integer")]
            assert read.empty or all(kind.kind in "fi" for kind in read[numbers].dtypes), path
    assert not {name for name in written if name.endswith((".csv", ".parquet"))}
    for path in (finished.folder / "results").glob("*/tables/*.csv"):
        own = [each for each in data_dictionary.TABLES if list(pd.read_csv(path).columns) == each.names]
        assert [each.file for each in own] == ["tables/*.csv"], path


@pytest.mark.workflow
def test_snakemake_reports_figures_tables_and_numbers_with_captions(finished):
    finished.snakemake("--report", "report.zip")
    with zipfile.ZipFile(finished.folder / "report.zip") as archive:
        names = {Path(name).name for name in archive.namelist()}
        page = archive.read("report/report.html").decode()
    for name in (
        "figure1.svg",
        "scales.svg",
        "table3.csv",
        "summary.csv",
        "reproduction.csv",
        "claims.csv",
        "report.html",
    ):
        assert name in names
    assert "Every published number of study omkc beside ours" in page
    assert {"omkc", "small", "Report"} <= set(re.findall(r'"(\w+)": \{', page))


@pytest.mark.workflow
def test_a_new_algorithm_is_one_file_and_one_line(copy):
    (copy.folder / ONLINE / "mine.py").write_text(NEW.format(body=""))
    copy.edit("config/studies/omkc.yaml", "algorithms:\n", "algorithms:\n  mine: {}\n")
    assert copy.would_run() == both("mine") | AFTER_RUNS
    copy.snakemake()
    assert copy.status("wdbc", "mine").metrics["mistake_percent"].mean() == pytest.approx(100 * 357 / 569)


BODIES = {
    "raises": "raise RuntimeError('planted fault')",
    "hangs": "import time; time.sleep(10**6)",
    "hoards": "hoard = []\n    while True: hoard.append(np.ones(2**18))",
    "dies": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "lies": "return Fit(weights=np.full(pool.shape[0], -1.0))",
    "kills": "import os, signal, time; os.kill(os.getppid(), signal.SIGKILL); time.sleep(10**6)",
    "undermines": "import os, signal, sys; os.mkdir(sys.argv[4]); os.kill(os.getppid(), signal.SIGKILL)",
    "digs": "import pathlib, sys; (pathlib.Path(sys.argv[4]) / 'below').mkdir(parents=True, exist_ok=True)",
    "leaves": "import os, sys; os.mkdir(sys.argv[4], 0); os._exit(0)",
}
HIDES = "import os; os.umask(0o777)"
REASONS = {
    "raises": ("error", "RuntimeError: planted fault"),
    "hangs": ("timeout", "ran for 1 s, the limit"),
    "hoards": ("memory", "the limit is 400 MiB"),
    "dies": ("killed", "ended by signal SIGKILL"),
    "lies": ("error", "weights: expected nothing below 0, got -1"),
    "kills": ("killed", "its supervisor was ended by signal SIGKILL"),
    "undermines": ("killed", "its supervisor was ended by signal SIGKILL"),
    "digs": ("error", "IsADirectoryError: "),
    "leaves": ("error", "ended without results/runs/omkc/sonar/"),
}


@pytest.mark.workflow
def test_a_study_survives_its_contestants(tmp_path):
    algorithms = {"perceptron": {}} | {name: {"title": name, "path": f"../../{name}.py"} for name in ("hides", *BODIES)}
    alone = {"experts": None, "published": None, "sweeps": {}}
    copy = Copy(tmp_path, algorithms=algorithms, datasets=["sonar", "dorothea"], **alone)
    copy.edit("config/config.yaml", "memory_mb: 4096", "memory_mb: 400")
    for name, body in {**BODIES, "hides": HIDES}.items():
        # outside the package, whose functions would be compiled again
        (tmp_path / f"{name}.py").write_text(NEW.format(body=body))
    runs = {(dataset, task) for dataset in ("sonar", "dorothea") for task in algorithms} - {("sonar", "hangs")}
    copy.snakemake(*(layout.RECORD.format(study="omkc", dataset=dataset, task=task) for dataset, task in sorted(runs)))
    copy.edit("config/config.yaml", "seconds: 1800", "seconds: 1")  # for what never ends, and no other run
    copy.snakemake()
    copy.edit("config/config.yaml", "seconds: 1", "seconds: 1800")
    for name, (status, reason) in REASONS.items():
        record = copy.status("sonar", name)
        assert record.status == status
        assert reason in record.reason
    assert "planted fault" in copy.status("sonar", "raises").detail
    assert copy.status("sonar", "perceptron").status == "ok"
    assert copy.status("sonar", "hides").status == "ok"
    written = layout.RECORD.format(study="omkc", dataset="sonar", task="{}")
    assert len({(tmp_path / written.format(task)).stat().st_mode for task in ("hides", "perceptron", "digs")}) == 1
    assert copy.status("dorothea", "perceptron").status == "unavailable"

    cells = pd.read_csv(tmp_path / "results/omkc/cells.csv").set_index(["dataset", "algorithm"])
    assert cells.loc[("sonar", "hangs"), "reason"] == "ran for 1 s, the limit"
    page = (tmp_path / "results/report/pages/study-omkc.html").read_text()
    assert "planted fault" in page and "planted fault" in (tmp_path / layout.REPORT).read_text()
    assert "dorothea" in page

    said = copy.call("grambench.cli", "status", expect=1)
    assert "planted fault" in said
    assert "unavailable  data set dorothea" in said
    targets = copy.call("grambench.cli", "failed").split()
    assert set(targets) == {
        "data/raw/dorothea/source.json",
        *(layout.RECORD.format(study="omkc", dataset="sonar", task=name) for name in BODIES),
    }
    (tmp_path / "raises.py").write_text(NEW.format(body=""))
    copy.snakemake("-R", *[target for target in targets if "hangs" not in target])
    assert copy.status("sonar", "raises").status == "ok"
    assert copy.status("sonar", "dies").status == "killed"


@pytest.mark.workflow
def test_a_nested_study_goes_the_same_way(finished):
    runs = pd.read_parquet(finished.folder / layout.RUNS.format(study="small"))
    plain = runs[runs["sweep"] == ""].groupby(["algorithm", "metric"])["result"]
    accuracy = plain.get_group(("unif", "accuracy_percent"))
    assert len(accuracy) == 2 and accuracy.between(50, 100).all()
    assert plain.get_group(("total", "weight:gaussian_sigma8")).tolist() == [1.0, 1.0]
    swept = runs[runs["metric"] == "decision_change"]
    assert sorted(swept["value"]) == [0.1, 0.1, 10.0, 10.0] and (swept["result"] > 0).all()
    shown = (finished.folder / layout.TABLE.format(study="small", table="table1", suffix="md")).read_text()
    assert "2 outer folds, n = 208, d = 60, m = 3" in shown and "| Sum |" in shown


@pytest.mark.workflow
def test_a_study_named_with_its_data_sets_is_planned_alone(finished):
    said = finished.snakemake("--dry-run", "--forceall", "--config", "datasets={small: [sonar]}")
    assert "results/runs/small/sonar/unif.h5" in said and "results/runs/omkc" not in said


@pytest.mark.workflow
def test_what_a_finished_study_lacks_is_said(finished, copy):
    said = finished.call("grambench.cli", "run", "-n")
    assert said.splitlines() == ["jobs: no run; tables and pages only where settings or code have changed"]
    assert "these runs" not in finished.call("grambench.cli", "status")
    (copy.folder / layout.CELLS.format(study="small")).unlink()
    assert copy.call("grambench.cli", "run", "-n").startswith("jobs: tables of 1 study, report\n")
    assert "tables and figures are not of these runs: small; the same" in copy.call("grambench.cli", "status")
    elsewhere = ("grambench.cli", "status", "--results")
    assert "not of these runs: small;" in finished.call(*elsewhere, str(copy.folder / "results"))
    assert "these runs" not in copy.call(*elsewhere, str(finished.folder / "results"))


@pytest.mark.workflow
def test_long_runs_go_in_blocks_and_have_the_same_numbers(finished, copy):
    copy.edit("config/config.yaml", "block_seconds: 60", "block_seconds: 1")
    said = copy.snakemake()
    assert (
        len(re.findall(r"^(?:local)?rule block:", said, re.M))
        == 2 * len(re.findall(r"^(?:local)?rule join:", said, re.M))
        > 0
    )
    for study in ("omkc", "small"):
        before, after = (pd.read_parquet(each.folder / layout.RUNS.format(study=study)) for each in (finished, copy))
        timed = before["metric"].str.endswith(MEASURED)
        assert not timed.all()
        pd.testing.assert_frame_equal(before[~timed], after[~timed], check_exact=True)
    assert copy.status("sonar", "omkc_dd").provenance["blocks"] == 2
    run = "small/sonar/total/scales"
    assert f"{run}: equal: " in copy.call("grambench.cli", "rerun", run)  # as a whole
    assert not list((copy.folder / "results/blocks").rglob("*.h5"))
    assert copy.would_run() == set()


@pytest.mark.workflow
def test_replications_are_made_on_demand_and_rerun_nothing(copy):
    asked = ("omkc", "sonar", "omkc_sd", "mistake_percent", "seeded")
    assert "limit: None" not in copy.snakemake("--max-jobs-per-timespan", "50/1s", "--", "replications")
    found = replications.read(copy.folder / layout.REPLICATIONS.format(study=asked[0]))[asked[1:]]
    own = copy.status("sonar", "omkc_sd").metrics["mistake_percent"].mean()
    assert found.means[0] == pytest.approx(own) and len(set(found.means)) == 3
    made = [path.stem for path in (copy.folder / "results/replications").rglob("*.h5")]
    assert made == ["2-5"]
    assert copy.would_run() == set()


@pytest.mark.workflow
def test_wrong_configuration_is_one_line_and_loses_nothing(copy):
    before = sorted((copy.folder / "results").rglob("*.h5"))
    said = copy.snakemake("--config", "datasets=[sonr]", expect=2)
    assert said.endswith("\ngrambench: command line: datasets: unknown data set 'sonr': did you mean sonar?\n")
    copy.edit("config/config.yaml", "seed: ", "seed: 1\nseed: ")
    assert "expected each key of a mapping once, got 'seed' again" in copy.snakemake(expect=2)
    assert sorted((copy.folder / "results").rglob("*.h5")) == before


RECORD = layout.RECORD.format(study="omkc", dataset="sonar", task="perceptron")
LOST = [  # files and what makes them, none of them from another one
    {
        layout.TABLE.format(study="omkc", table="table2", suffix="md"): "table",
        layout.FIGURE.format(study="omkc", figure="figure1", suffix="png"): "figure",
    },
    {layout.REPRODUCTION.format(study="omkc"): "reproduce"},
    {layout.CURVES.format(study="omkc"): "collect"},
    {RECORD: "sonar/perceptron"},
]


@pytest.mark.workflow
def test_what_is_lost_is_made_again(copy):
    for lost in LOST:
        kept = {name: (copy.folder / name).rename(copy.folder / Path(maker).name) for name, maker in lost.items()}
        assert {*lost.values()} <= copy.would_run()
        for name, path in kept.items():
            path.rename(copy.folder / name)


@pytest.mark.workflow
def test_no_flipped_bit_gets_into_a_table(copy, monkeypatch):
    """Hundreds of flips in every kind of file that a step after the runs reads: each is refused, by the step itself."""
    monkeypatch.chdir(copy.folder)
    study = Study.model_validate(yaml.safe_load(Path("config/studies/omkc.yaml").read_text()))
    spec = fingerprint.spec({"study": study.model_dump(mode="json")})
    both = {name: {"omkc": study.model_dump(mode="json")} for name in ("studies", "whole")}
    shown = fingerprint.spec(both | {"order": ["omkc"], "title": "", "datasets": {}, "earlier": {}, "files": []})
    runs, curves, cells, reproduction, claimed = (
        Path(pattern.format(study="omkc"))
        for pattern in (layout.RUNS, layout.CURVES, layout.CELLS, layout.REPRODUCTION, layout.CLAIMS)
    )
    svg = Path(layout.FIGURE.format(study="omkc", figure="figure1", suffix="svg"))
    given = [path for path in Path("results").rglob("*") if path.is_file()]
    out, three = [Path("out.csv")], [Path(name) for name in ("table2.csv", "out.md", "out.tex")]
    read = {
        Path(RECORD): lambda path: collect.main(Job("[]", output=three, input=[path])),
        runs: lambda path: reproduce.main(Job(spec, output=out, input=[path, cells])),
        cells: lambda path: reproduce.main(Job(spec, output=out, input=[runs, path])),
        curves: lambda path: claims.main(Job(spec, output=out, input=[runs, cells, path])),
        reproduction: lambda path: table.main(Job(spec, output=three, input=[runs, cells, path])),
        claimed: lambda path: report.main(Job(shown, output=[Path("out.html")], input=given)),
        svg: lambda path: report.main(Job(shown, output=[Path("out.html")], input=given)),
    }
    rng = np.random.default_rng(0)
    for path, reader in read.items():
        content = path.read_bytes()
        for place in rng.integers(len(content), size=100):
            flip_bit(path, place)
            with pytest.raises(DataError, match=re.escape(str(path))):
                reader(path)
            path.write_bytes(content)
    assert not list(Path().glob("out.*"))


@pytest.mark.workflow
def test_unfinished_files_and_odd_settings_stop_nothing_but_their_own_cells(tmp_path):
    """Files that no run needs, modules that cannot be imported, braces in texts, and a sweep of thousands of points."""
    points = {"low": 0.5, "high": 0.9, "count": 1700, "spacing": "linear"}
    sweep = {"parameter": "margin", "label": "M", "values": points, "algorithms": ["om2"], "datasets": ["sonar"]}
    copy = Copy(
        tmp_path,
        datasets=["sonar"],
        algorithms={"perceptron": {"title": "w_{best}"}, "om2": {}, "lacks": {}, "slips": {}},
        protocol={"kind": "online", "repetitions": 1, "checkpoints": 2},
        kernels=STUDY["kernels"][:1],
        sweeps={"margin": sweep},
        title="The weight w_{best}",
        experts=None,
        published=None,
    )
    package = copy.folder / "src/grambench"
    for category in ("algorithms/online", "claims", "features/descriptors", "kernels/continuous"):
        (package / category / "wip.py").write_text("def fit(:\n")
        (package / category / "._perceptron.py").write_bytes(b"\x00\x05\x16\x07\xff")
        (package / category / ".#perceptron.py").symlink_to("nobody@nowhere:1")  # as an editor locks a file
    (package / "algorithms/online/lacks.py").write_text('"""Lacks: {braces}."""\nimport a_package_that_nobody_has\n')
    (package / "algorithms/online/slips.py").write_text("def fit(:\n")
    copy.edit("config/studies/omkc.yaml", "caption: ", "caption: The weight w_{best}. ")
    (package / "claims/omkc.py").write_text("CLAIMS = [\n")
    copy.snakemake()
    assert copy.status("sonar", "perceptron").status == "ok"
    swept = copy.status("sonar", "om2/margin")
    assert len(fingerprint.spec(swept.settings)) > 2**17  # more than an argument of a command may hold
    assert swept.metrics["mistake_percent"].shape == (1700, 1)
    for name, reason in (
        ("lacks", "ModuleNotFoundError: No module named 'a_package_that_nobody_has'"),
        ("slips", "SyntaxError: invalid syntax"),
    ):
        record = copy.status("sonar", name)
        assert (record.status, record.reason) == ("error", reason)
    page = (copy.folder / "results/report/pages/study-omkc.html").read_text()
    assert "The weight w_{best}" in page and "a_package_that_nobody_has" in page
    (claim,) = pd.read_csv(copy.folder / layout.CLAIMS.format(study="omkc")).to_dict("records")
    assert (claim["verdict"], "SyntaxError: '[' was never closed" in claim["evidence"]) == ("undecided", True)
    said = copy.call("grambench.cli", "list", "algorithms")
    assert re.search("^wip .*cannot be imported: SyntaxError: invalid syntax", said, re.M) and "omkc_dd" in said
