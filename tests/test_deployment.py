"""The workflow at home elsewhere: in Snakemake's catalog, as a module, in its reports, in conda and in a container."""

import importlib.metadata
import os
import re
import subprocess
import sys
import tomllib

import pytest
import yaml
from copies import ROOT, copy_repository
from packaging.requirements import Requirement

import grambench
from grambench.config.project import Project

MODULE = """
configfile: "config/config.yaml"

module grambench:
    snakefile: "{workflow}"
    config: config

use rule * from grambench as grambench_*

rule mine:
    input: "results/datasets/wdbc.h5"
    output: "results/mine.txt"
    shell: "wc -c < {{input}} > {{output}}"
"""
CALLERS = {"argcomplete", "hatchling", "pygments", "snakemake"}  # no step imports them
ENVIRONMENT = yaml.safe_load((ROOT / "envs/environment.yaml").read_text())["dependencies"]
PYTHON = next(name.partition("=")[2] for name in ENVIRONMENT if isinstance(name, str) and name.startswith("python="))


def snakemake(folder, *arguments):
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("GRAMBENCH_MIRROR", None)
    command = [sys.executable, "-m", "snakemake", "--cores", "1", *arguments]
    answer = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout[-3000:] + answer.stderr[-6000:]
    return answer.stdout + answer.stderr


@pytest.mark.workflow
def test_the_workflow_is_a_module_of_another(tmp_path):
    """As of the catalog's standardised usage: a folder with a Snakefile of its own and the configuration."""
    copy_repository(tmp_path / "there")
    folder = tmp_path / "here"
    (folder / "workflow").mkdir(parents=True)
    (tmp_path / "there/config").rename(folder / "config")
    workflow = tmp_path / "there/workflow/Snakefile"
    (folder / "workflow/Snakefile").write_text(MODULE.format(workflow=workflow))
    settings = ["--config", "studies=[rkl]", "datasets=[wdbc]", "sources=[package]", "--"]
    planned = snakemake(folder, "--dry-run", *settings, "grambench_all")
    assert re.search(r"grambench_run +12\n", planned) and re.search(r"grambench_report +1\n", planned)
    snakemake(folder, *settings, "mine")
    assert int((folder / "results/mine.txt").read_text()) > 100_000


@pytest.mark.workflow
def test_no_group_of_jobs_waits_for_itself_in_the_shipped_configuration(tmp_path):
    copy_repository(tmp_path)
    snakemake(tmp_path, "--dry-run", "--quiet")


def test_every_file_of_the_report_has_a_caption_that_is_there():
    rules = {path.name: path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk")}
    captions = {name for text in rules.values() for name in re.findall(r'caption="\.\./report/(.+?)"', text)}
    assert captions | {"workflow.rst"} == {path.name for path in (ROOT / "workflow/report").iterdir()}


def test_the_catalog_and_the_configuration_say_the_same():
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert usage["report"] is True and usage["software-stack-deployment"]["conda"] is True
    readme = (ROOT / "config/README.md").read_text()
    keys = set(re.findall(r"^\| `(\w+)` \|", readme.partition("| folder |")[0], re.M))
    assert keys == {*Project.model_fields}


def locked(name):
    """Return the version of a package in the lock, for the Python of the environment."""
    lines = re.findall(r"^([\w.-]+==[^\\\n]+)", (ROOT / "envs/requirements.lock").read_text(), re.M)
    marked = {"python_full_version": f"{PYTHON}.0", "python_version": PYTHON, "sys_platform": "linux"}
    for requirement in map(Requirement, lines):
        if requirement.name == name and (requirement.marker is None or requirement.marker.evaluate(marked)):
            return str(requirement.specifier).removeprefix("==")
    raise AssertionError(f"{name} is not in requirements.lock for Python {PYTHON}")


def test_the_conda_environment_has_the_packages_and_versions_of_the_lock():
    (pip,) = (entry["pip"] for entry in ENVIRONMENT if isinstance(entry, dict))
    entries = [entry.replace("==", "=") for entry in [*ENVIRONMENT, *pip] if isinstance(entry, str)]
    versions = dict(entry.split("=") for entry in entries if "=" in entry and not entry.startswith("python="))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"]["workflow"]]
    assert set(versions) == {Requirement(line).name for line in lines} - CALLERS
    for name, version in versions.items():
        digits = version.split(".")
        assert locked(name).split(".")[: len(digits)] == digits, f"{name} is {locked(name)} in the lock, not {version}"


def test_the_container_is_made_from_the_lock_with_the_python_of_the_environment():
    text = (ROOT / "envs/Containerfile").read_text()
    assert f"python:{PYTHON}-slim" in text and "make .venv/run.stamp" in text
    rule = re.search(r"^\.venv/%\.stamp:.*\n(?:\t.*\n)+", (ROOT / "Makefile").read_text(), re.M)[0]
    assert "--require-hashes -r envs/$(if $(filter run,$*),requirements,$*).lock" in rule


def test_the_lowest_versions_of_the_lock_are_those_that_the_package_allows():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lowest = re.findall(r"^([\w.-]+)==([\d.]+)", (ROOT / "envs/lowest.lock").read_text(), re.M)
    for requirement in map(Requirement, project["dependencies"]):
        (floor,) = (each.version for each in requirement.specifier if each.operator == ">=")
        versions = {version.removesuffix(".0") for name, version in lowest if name == requirement.name}
        assert floor.removesuffix(".0") in versions, (requirement, versions)


def test_continuous_integration_elsewhere_only_calls_the_makefile():
    targets = set(re.findall(r"^([\w-]+)(?=[ :])", (ROOT / "Makefile").read_text(), re.M)) | {
        "test-${{ matrix.versions }}"
    }
    for path in (ROOT / ".github/workflows").glob("*.yml"):
        jobs = yaml.safe_load(path.read_text())["jobs"]
        commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
        assert commands
        assert {command.removeprefix("make ") for command in commands} <= targets
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    lint = re.search(r"^lint:.*\n(?:\t.*\n)+", (ROOT / "Makefile").read_text(), re.M)[0]
    for hook in hooks:
        assert hook["entry"].replace(".venv/bin", "$(BIN)").removesuffix(" check") in lint


def test_a_version_is_the_same_wherever_it_is_written():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == version
    assert f"version = {{{version}}}" in (ROOT / "docs/citing.md").read_text()
    assert re.findall(r"^## ([0-9.]+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[0] == version
    assert not [path for path in (ROOT / "src").rglob("*.py") if re.search("^__version__ = ", path.read_text(), re.M)]
    assert grambench.__version__ == importlib.metadata.version("grambench")
