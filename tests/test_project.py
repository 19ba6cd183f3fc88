"""A project outside the repository: what it has itself, what comes with the package, and that no clone is needed."""

import os
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder
from test_own_data import CALL, PEOPLE

from grambench.common import shipped
from grambench.config.project import Configuration

ROOT = Path(__file__).parent.parent
SHIPPED = ["Snakefile", "workflow", "profiles", "envs/environment.yaml", "config", "docs/papers", "data/bundled"]


@pytest.fixture
def project(tmp_path, monkeypatch, call):
    """A new project; the current folder is the one that holds it."""
    monkeypatch.chdir(tmp_path)
    assert call("init", "mine")[0] == 0
    return tmp_path / "mine"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of the repository as it stands."""
    folder = tmp_path_factory.mktemp("wheel")
    return Path(next(WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])))


def test_a_new_project_is_small_and_its_study_short(project, call):
    files = sorted(str(path.relative_to(project)) for path in project.rglob("*") if path.is_file())
    settings = ["config/config.yaml", "config/datasets/iris.yaml", "config/studies/first.yaml"]
    assert files == [".gitignore", *settings, "iris.csv", "profiles/slurm/profile.yaml"]
    assert len((project / settings[2]).read_text().splitlines()) <= 25
    code, out, _ = call("-C", "mine", "fetch", "iris")
    assert code == 0 and "iris               ok" in out


def test_nothing_is_written_over(project, call):
    code, _, err = call("init", "mine")
    assert code == 2 and "mine: expected a new or an empty folder, got one with files" in err


def test_from_below_and_from_afar(project, monkeypatch, call):
    below = project / "notes/2027"
    below.mkdir(parents=True)
    (below / "people.csv").write_text(PEOPLE)
    monkeypatch.chdir(below)
    assert call("add-dataset", "people.csv", *CALL)[0] == 0  # paths of the call are seen from where it is made
    assert Path.cwd() == project
    description = yaml.safe_load((project / "config/datasets/people.yaml").read_text())
    assert description["sources"][0]["files"][0]["path"] == "../../notes/2027/people.csv"
    (below / "mine.py").write_text("")
    monkeypatch.chdir(below)
    code, out, err = call("check", "mine.py")
    assert code in (1, 2) and "no such file" not in err + out and "unknown" not in err + out
    monkeypatch.chdir(project.parent)
    assert call("-C", "mine/notes", "fetch", "people")[0] == 0
    monkeypatch.chdir(project.parent)
    assert call("-C", "yours", "status") == (2, "", "grambench: -C yours: No such file or directory\n")
    code, _, err = call("status")
    assert code == 2 and err.endswith("name a project with -C, or make one with grambench init\n")


def test_its_own_come_first_and_the_shipped_ones_by_name(project):
    configuration = Configuration(project / "config")
    assert {"first", "omkc"} <= set(configuration.names("studies"))
    assert configuration.study("omkc").datasets == Configuration(ROOT / "config").study("omkc").datasets
    own = (ROOT / "config/datasets/sonar.yaml").read_text().replace("title: ", "title: My ")
    (project / "config/datasets/sonar.yaml").write_text(own)
    assert Configuration(project / "config").dataset("sonar").title.startswith("My ")
    assert configuration.path("published/omkc_tables_3_4.csv") == shipped.ROOT / "config/published/omkc_tables_3_4.csv"


def test_the_wheel_has_the_workflow_and_the_configuration(wheel):
    files = {path for name in SHIPPED for path in [ROOT / name, *(ROOT / name).rglob("*")] if path.is_file()}
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {f"grambench/shipped/{path.relative_to(ROOT)}" for path in files} <= names
    code = {path.relative_to(ROOT / "src") for path in (ROOT / "src").rglob("*") if path.is_file()}
    assert {str(path) for path in code if "__pycache__" not in path.parts} <= names


def test_the_sdist_has_what_the_wheel_is_made_from(tmp_path):
    (archive,) = SdistBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    names = subprocess.run(["tar", "tzf", archive], capture_output=True, text=True, check=True).stdout.splitlines()
    inside = {name.partition("/")[2] for name in names}
    assert {"pyproject.toml", "README.md", "LICENSE", "CITATION.cff", "src/grambench/cli.py", *SHIPPED[:1]} <= inside
    assert {"data/bundled/SHA256SUMS", "config/studies/omkc.yaml", "workflow/rules/runs.smk"} <= inside


@pytest.mark.workflow
def test_the_wheel_alone_carries_a_project_and_the_recipe_of_the_readme_for_an_algorithm_of_ones_own(wheel, tmp_path):
    """No clone, no line of YAML by hand for a CSV file: the package lies unpacked elsewhere, as pip leaves it."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "site")}
    environment.pop("GRAMBENCH_MIRROR", None)

    def call(folder, *arguments):
        command = [sys.executable, "-m", "grambench.cli", *arguments]
        answer = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        assert answer.returncode == 0, answer.stdout[-3000:] + answer.stderr[-6000:]
        return answer.stdout

    readme = (ROOT / "README.md").read_text()
    assert "grambench init work; cd work    # mine.py goes there\n" in readme
    (entry,) = re.findall(r"`(mine: {path: .*?})`", readme)
    run, table = (shlex.split(line, comments=True) for line in re.findall(r"^grambench (.* first .*)$", readme, re.M))
    assert (run[0], table[0]) == ("run", "table")
    call(tmp_path, "init", "work")
    project = tmp_path / "work"
    (project / "people.csv").write_text(PEOPLE)
    call(project, "add-dataset", "people.csv", *CALL, "--study", "first")
    example, *_ = re.findall(r"```python\n(.*?def fit.*?)```", (ROOT / "docs/extending.md").read_text(), re.S)
    (project / "mine.py").write_text(example)
    study = project / "config/studies/first.yaml"
    text = study.read_text().replace("repetitions: 10", "repetitions: 2")
    study.write_text(text.replace("algorithms: #", f"algorithms:\n  {entry}\n  #", 1))
    with (project / "config/config.yaml").open("a") as settings:
        settings.write("sources: [file, bundled]\n")
    said = call(project / "config", *run, "people", "-c", "2", "--", "--quiet", "rules")
    assert f"report: {project / 'results/report/index.html'}" in said
    shown = (project / "results/first/tables/accuracy.md").read_text()
    assert re.search(r"^\| Algorithm +\|.* people +\|", shown, re.M)
    assert re.search(r"^\| Gaussian SVM +(\| \**[0-9.]+\**[^|]*){3}\|", shown, re.M), shown
    call(project, *table)
    number, title = r"(?:\\textbf\{)?[0-9.]+ \$\\pm\$ [0-9.]+\}?", "Mean of aligned kernels"
    for_paper = (project / "table.tex").read_text()
    assert re.search(rf"^{title} & {number} & {number} & [0-9.]+ ", for_paper, re.M), for_paper
    assert not list((tmp_path / "site/grambench").rglob("*.h5"))
    listed = call(project, "list", "studies")
    assert "first " in listed and "omkc " in listed
