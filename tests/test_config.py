"""Configuration: every file of the repository is valid, and a wrong one gets a line for each fault."""

import itertools
import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import schemas
import yaml

from grambench import cli
from grambench.common.errors import ConfigError
from grambench.config.load import check, load, read
from grambench.config.project import Configuration, Project
from grambench.config.study import Study
from grambench.pipeline.plan import Plan

ROOT = Path(__file__).parent.parent
CONFIG = ROOT / "config"


def test_schemas_are_in_sync_with_the_models():
    for name, text in schemas.schemas().items():
        written = (CONFIG / "schema" / f"{name}.schema.json").read_text()
        assert written == text, "run: make schema"


def test_every_data_set_is_valid_for_an_editor():
    editor = jsonschema.Draft202012Validator(json.loads((CONFIG / "schema/dataset.schema.json").read_text()))
    kinds = {}
    for path in (CONFIG / "datasets").glob("*.yaml"):
        assert path.read_text().startswith("# yaml-language-server: $schema=../schema/dataset.schema.json\n")
        values = yaml.safe_load(path.read_text())
        assert editor.is_valid(values), path.name
        kinds[frozenset(values)] = values
    for values in kinds.values():  # a data set of each set of keys
        assert not editor.is_valid(values | {"colour": "red"}), values["name"]


def test_every_file_of_the_repository_is_valid():
    configuration = Configuration(CONFIG)
    plan = Plan(yaml.safe_load((CONFIG / "config.yaml").read_text()), CONFIG)
    demo = Plan(
        yaml.safe_load((CONFIG / "config.yaml").read_text()) | yaml.safe_load((CONFIG / "demo.yaml").read_text()),
        CONFIG,
    )
    assert len(plan.targets.datasets("omkc")) == 16
    assert demo.targets.datasets("omkc") == ["ionosphere", "votes84", "sonar"]
    assert len(plan.targets.records("omkc")) == 16 * 8 + 8 * 4 + 6 * 2
    for name in configuration.names("studies"):
        assert configuration.study(name).name == name


def test_the_pool_is_the_papers():
    names = [kernel.name for kernel in Configuration(CONFIG).study("omkc").kernel_list()]
    assert names[:4] == ["polynomial_p1", "polynomial_p2", "polynomial_p3", "gaussian_sigma0.015625"]
    assert names[-1] == "gaussian_sigma64"
    assert len(names) == 16


def kernels(family, *values):
    return {"kernels": [{"family": family, "values": list(values)}]}


PASSES = {"protocol": {"kind": "online", "repetitions": 0}}
FAMILIES = {"families": [{"family": "gaussian", "values": [1]}]}
SWEEP = {"parameter": "beta", "values": [0.5], "label": "beta", "algorithms": ["omkc_dd"], "datasets": ["wdbc"]}
TABLE = {"title": "Own", "caption": "Own", "algorithms": ["om2"], "metrics": ["seconds"]}
GRID = {"low": 0.1, "high": 0.9, "count": 10**9, "spacing": "linear"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (PASSES, r"protocol.online.repetitions: .*greater than or equal to 1 \(got 0\)"),
        ({"protocol": {"kind": "online", "repetitions": True}}, "protocol.repetitions: expected a number, got True"),
        (kernels("gaussian", 2, True), "kernels.0.values.1: expected a number, got True"),
        ({"seconds": True, "claim": "yes"}, "seconds: expected a number, got True"),
        (
            {"kernels": [{"family": "gaussian"}]},
            r"^omkc.yaml: kernels.0.KernelFamily.values: Field required \(got .*\)$",
        ),
        ({"kernels": [FAMILIES]}, r"^omkc.yaml: kernels.0.ViewKernels.views: Field required \(got .*\)$"),
        ({"pools": {"own": []}}, "pools.own: List should have at least 1 item"),
        ({"kernels": [{"views": "features"} | FAMILIES]}, "kernels: expected `views: features` in one of the `pools`"),
        (kernels("gaussian", 1, 1), "kernel gaussian_sigma1 is listed twice"),
        ({"datasets": ["wdbc", "wdbc"]}, "data set wdbc is listed twice"),
        ({"pools": {"own": [{"family": "gaussian", "values": [1, 1.0]}]}}, "kernel gaussian_sigma1 is listed twice"),
        ({"published": {"runs": 20, "results": ["a.csv", "a.csv"]}}, "file a.csv is listed twice"),
        ({"sweeps": {"beta": SWEEP | {"algorithms": ["om2", "om2"]}}}, "algorithms: om2 is listed twice"),
        ({"sweeps": {"beta": SWEEP | {"datasets": ["wdbc", "wdbc"]}}}, "datasets: wdbc is listed twice"),
        ({"sweeps": {"beta": SWEEP | {"values": [1, 0.5, 1.0]}}}, "values: 1 is listed twice"),
        ({"tables": {"own": TABLE | {"algorithms": ["om2", "om2"]}}}, "tables.own: algorithms: om2 is listed twice"),
        ({"tables": {"own": TABLE | {"metrics": ["seconds", "seconds"]}}}, "metrics: seconds is listed twice"),
        ({"tables": {"own": TABLE | {"algorithms": []}}}, "tables.own.algorithms: List should have at least 1 item"),
        ({"tables": {"own": TABLE | {"metrics": []}}}, "tables.own.metrics: List should have at least 1 item"),
        ({"algorithms": {"om2": {}}}, "beta names algorithm omkc_dd, which the study does not have"),
        (kernels("gausian", 1), "unknown kernel family 'gausian': did you mean gaussian"),
        (kernels("gaussian", -1), "sigma must be a positive number, got -1"),
        (
            {"published": ["x.csv"]},
            r"published: expected values by the keys runs, results, .*, resampled \(got \['x.csv'\]\)",
        ),
        ({"algorithms": {"om2": {"tune": ["p"]}}}, r"om2.tune: expected values by their keys \(got \['p'\]\)"),
        (
            {"sweeps": dict.fromkeys(("beta", "delta"), SWEEP | {"values": GRID | {"count": True}})},
            "^omkc.yaml: sweeps.beta.values.count: expected a number, got True\n",
        ),
        ({"colour": "red"}, r"colour: unknown key 'colour': known: .* \(got 'red'\)"),
    ],
)
def test_a_wrong_study_names_the_place(change, message):
    values = yaml.safe_load((CONFIG / "studies/omkc.yaml").read_text()) | change
    with pytest.raises(ConfigError, match=message) as caught:
        check(Study, values, "omkc.yaml")
    assert all(line.startswith("omkc.yaml: ") for line in str(caught.value).splitlines())


def test_kernels_are_on_views_of_any_name():
    values = yaml.safe_load((CONFIG / "studies/omkc.yaml").read_text())
    study = check(Study, values | {"kernels": [{"views": ["TP 53", "a/b", "all"]} | FAMILIES]}, "omkc.yaml")
    assert [kernel.view for kernel in study.kernel_list(["other"])] == ["TP 53", "a/b", "all"]


def test_a_study_shows_only_its_own_data_sets(tmp_path):
    shutil.copytree(CONFIG, tmp_path / "config")
    path = tmp_path / "config/studies/omkc.yaml"
    path.write_text(path.read_text().replace("  - ionosphere\n", "", 1))
    with pytest.raises(ConfigError, match="beta names data set ionosphere, which the study does not have"):
        Configuration(tmp_path / "config").study("omkc")
    sized = tmp_path / "config/studies/leaderboard_views.yaml"
    sized.write_text(sized.read_text().replace("synthetic_dense: [", "other: [", 1))
    with pytest.raises(ConfigError, match="sizes names data set other, which the study does not have"):
        Configuration(tmp_path / "config").study("leaderboard_views")
    path.write_text(path.read_text().replace("name: omkc", "name: other", 1))
    with pytest.raises(ConfigError, match="expected omkc, the name of the file, got other"):
        Configuration(tmp_path / "config").study("omkc")


def refused(path, text):
    """Write a file that is refused, and return why, in one line."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: ") and "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seed: 1\nlimits: {}\nseed: 2\n", "line 3: expected each key of a mapping once, got 'seed' again"),
        ("limits:\n  seconds: 1\n  'seconds': 2\n", "line 3: expected each key of a mapping once, got 'seconds' again"),
        ("pools:\n  1: []\n  1.0: []\n", "line 3: expected each key of a mapping once, got '1.0' again"),
        ("limits: {memory_mb: 1, seconds: 1, memory_mb: 2}\n", "line 1: expected each key of a mapping once"),
        ("title: Z\xfcrich\n".encode("latin-1"), "expected UTF-8, got byte 0xfc at 8; save it as UTF-8"),
        ("studies: [omkc\n", "not valid YAML: while parsing"),
        ("paper: 2001-99-99\n", "not valid YAML: month must be in 1..12"),
        ("a: &a [*a]\n", "line 1: expected &a before *a, its alias"),
    ],
)
def test_a_file_of_which_something_would_be_lost_is_refused(tmp_path, text, message):
    assert message in refused(tmp_path / "config.yaml", text)
    with pytest.raises(ConfigError, match="no such file"):
        load(Project, tmp_path / "nothing.yaml")


def test_equal_keys_of_different_mappings_and_merged_ones_are_no_fault(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text("a: &a {x: 1, y: [{x: 2}, {x: 3}]}\nb: {<<: *a, x: 4}\nc: [*a, *a, x, x]\n")
    assert read(path) == yaml.safe_load(path.read_text())


def test_a_file_that_would_fill_the_memory_or_the_stack_is_refused(tmp_path):
    """Aliases of aliases: 9 ** 9 values in 306 bytes. Brackets overflow the stack of YAML's own loader."""
    letters = "abcdefghi"
    rows = [f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]" for before, name in itertools.pairwise(letters)]
    bomb = "\n".join(["a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1]", *rows])
    assert "and 100000 values, those that aliases stand for included; got more" in refused(tmp_path / "a.yaml", bomb)
    for text in ("[" * 60, "- " * 60):
        assert "expected at most 50 lists and mappings in each other" in refused(tmp_path / "b.yaml", text)
        # libyaml may say it first
        assert "b.yaml: not valid YAML: " in refused(tmp_path / "b.yaml", 2000 * text)


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("config", {"datasets": []}, "^config.yaml: datasets: List should have at least 1 item[^\n]*$"),
        ("config", {"datasets": {"omkc": "wdbc"}}, "^config.yaml: datasets.omkc: Input should be a valid list[^\n]*$"),
        ("config", {"algorithms": {"omkc": []}}, "algorithms.omkc: List should have at least 1 item"),
        ("config", {"limits": {"seconds": math.inf}}, "limits.seconds: Input should be a finite number"),
        ("config", {"limits": {"block_seconds": math.inf}}, "limits.block_seconds: Input should be a finite number"),
        ("omkc", {"seconds": math.inf}, "seconds: Input should be a finite number"),
        ("omkc", {"datasets": []}, "datasets: List should have at least 1 item"),
        ("omkc", {"algorithms": {}}, "algorithms: Dictionary should have at least 1 item"),
        ("omkc", {"algorithms": {"omkc_dd": {"parameters": {"beta": math.nan}}}}, "beta.*: Input should be a finite"),
        ("omkc", kernels("gaussian", math.inf), "values.0: Input should be a finite number"),
        ("omkc", kernels("gaussian", 1e-200), r"gaussian_sigma1e-200: expected a parameter between 1e-100 and 1e\+100"),
        ("rkl", kernels("inhomogeneous", 10**9), r"inhomogeneous_d1e\+09: expected a parameter between 1 and 1000"),
        ("omkc", {"dictionary": GRID | {"family": "gaussian"}}, "dictionary.count: Input should be less than or"),
        (
            "omkc",
            {"dictionary": GRID | {"family": "gaussian", "low": 1e-200, "count": 9}},
            r"dictionary: .*expected bounds between 1e-100 and 1e\+100, got 1e-200",
        ),
    ],
)
def test_what_no_run_could_use_is_refused_at_load(file, change, message):
    model, path = (Project, CONFIG / "config.yaml") if file == "config" else (Study, CONFIG / f"studies/{file}.yaml")
    check(model, read(path), path.name)
    with pytest.raises(ConfigError, match=message):
        check(model, read(path) | change, path.name)


def test_a_sweep_of_a_billion_points_is_refused_before_it_is_made():
    values = read(CONFIG / "studies/omkc.yaml")
    values["sweeps"]["beta"]["values"] = GRID
    with pytest.raises(ConfigError, match=r"values\.count: Input should be less than or equal to 100000"):
        check(Study, values, "omkc.yaml")


def test_a_study_that_does_not_exist_is_named_wherever_it_stands():
    values = read(CONFIG / "config.yaml")
    for key, names in (("algorithms", ["om2"]), ("datasets", ["sonar"])):
        Plan(values | {key: {"omkc": names}}, CONFIG)
        with pytest.raises(ConfigError, match="unknown study 'omck': did you mean omkc"):
            Plan(values | {key: {"omck": names}}, CONFIG)


def test_files_that_editors_and_systems_leave_behind_are_no_data_sets(tmp_path):
    shutil.copytree(CONFIG, tmp_path / "config")
    for folder in ("datasets", "studies"):
        (tmp_path / "config" / folder / "._sonar.yaml").write_bytes(b"\x00\x05\x16\x07\xff")
        (tmp_path / "config" / folder / ".#sonar.yaml").symlink_to("nobody@nowhere:1")
    for kind in ("datasets", "studies"):
        assert Configuration(tmp_path / "config").names(kind) == Configuration(CONFIG).names(kind)


def test_damaged_costs_are_named(tmp_path):
    shutil.copytree(CONFIG, tmp_path / "config")
    for text in ("study,dataset\nomkc,sonar\n", "study,dataset,task,seconds\nomkc,sonar,om2,long\n"):
        (tmp_path / "config/costs.csv").write_text(text)
        with pytest.raises(
            ConfigError, match=r"costs\.csv: expected columns study, dataset, task and seconds"
        ) as caught:
            _ = Configuration(tmp_path / "config").costs
        assert "\n" not in str(caught.value)


def test_a_file_that_does_not_end_is_refused(tmp_path):
    """A device, or a pipe that nobody writes to, would be read for ever, and a file of gigabytes fill the memory."""
    device, pipe, folder, large = (
        tmp_path / name for name in ("device.yaml", "pipe.yaml", "folder.yaml", "large.yaml")
    )
    device.symlink_to("/dev/zero")
    os.mkfifo(pipe)
    folder.mkdir()
    large.touch()
    os.truncate(large, 2**40)
    script = "import sys; from pathlib import Path; from grambench.config.load import read; read(Path(sys.argv[1]))"
    for path, fault in (
        *((path, "cannot be read (no regular file)") for path in (device, pipe, folder)),
        (large, "expected at most 10 MiB, got more"),
    ):
        answer = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, timeout=600)
        assert answer.stderr.splitlines()[-1] == f"grambench.common.errors.ConfigError: {path}: {fault}"


@pytest.mark.parametrize(("text", "got"), [("", "an empty file"), ("- omkc\n", "['omkc']"), ("5\n", "5")])
@pytest.mark.parametrize("command", [["run", "-n"], ["list", "kernels"], ["validate"], ["fetch"]])
def test_a_configuration_that_is_no_mapping_is_one_line(tmp_path, monkeypatch, capsys, text, got, command):
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert cli.main(command) == 2
    expected = f"config/config.yaml: expected keys and values, such as `name: mine`, got {got}"
    assert capsys.readouterr().err == f"grambench: {expected}\n"
    Path("config/config.yaml").write_text("seed: 1\n")
    if command[0] == "list":
        assert cli.main(command) == 2
        assert capsys.readouterr().err.startswith("grambench: config/config.yaml: studies: ")
