"""Configuration: every file of the repository is valid, and a wrong one gets a line for each fault."""

import json
import re
import shutil
from pathlib import Path

import jsonschema
import pytest
import yaml

from grambench.common.errors import ConfigError
from grambench.config import schema
from grambench.config.load import check, load
from grambench.config.project import Configuration, Project
from grambench.config.study import Study
from grambench.pipeline.plan import Plan

ROOT = Path(__file__).parent.parent
CONFIG = ROOT / "config"


def test_schemas_are_in_sync_with_the_models():
    for name, text in schema.schemas().items():
        written = (CONFIG / "schema" / f"{name}.schema.json").read_text()
        assert written == text, "run: make schema"


def test_every_data_set_is_valid_for_an_editor():
    editor = jsonschema.Draft202012Validator(json.loads((CONFIG / "schema/dataset.schema.json").read_text()))
    for path in (CONFIG / "datasets").glob("*.yaml"):
        assert path.read_text().startswith("# yaml-language-server: $schema=../schema/dataset.schema.json\n")
        values = yaml.safe_load(path.read_text())
        assert editor.is_valid(values), path.name
        assert not editor.is_valid(values | {"colour": "red"}), path.name


def test_every_file_of_the_repository_is_valid():
    configuration = Configuration(CONFIG)
    plan = Plan(yaml.safe_load((CONFIG / "config.yaml").read_text()), CONFIG)
    demo = Plan(
        yaml.safe_load((CONFIG / "config.yaml").read_text()) | yaml.safe_load((CONFIG / "demo.yaml").read_text()),
        CONFIG,
    )
    assert len(plan.datasets("omkc")) == 16
    assert demo.datasets("omkc") == ["ionosphere", "votes84", "sonar"]
    assert len(plan.records("omkc")) == 16 * 8 + 8 * 4
    for name in configuration.names("datasets"):
        assert configuration.description(name).name == name
    for name in configuration.names("studies"):
        assert configuration.study(name).name == name


def test_the_pool_is_the_papers():
    names = [kernel.name for kernel in Configuration(CONFIG).study("omkc").kernel_list()]
    assert names[:4] == ["polynomial_p1", "polynomial_p2", "polynomial_p3", "gaussian_sigma0.015625"]
    assert names[-1] == "gaussian_sigma64"
    assert len(names) == 16


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"protocol": {"kind": "online", "repeats": 0}},
            r"protocol.online.repeats: .*greater than or equal to 1 \(got 0\)",
        ),
        ({"kernels": [{"family": "gaussian", "values": [1, 1]}]}, "kernel gaussian_sigma1 is listed twice"),
        ({"datasets": ["wdbc", "wdbc"]}, "data set wdbc is listed twice"),
        ({"algorithms": {"om2": {}}}, "beta names algorithm omkc_dd, which the study does not have"),
        ({"kernels": [{"family": "gausian", "values": [1]}]}, "unknown kernel family 'gausian': did you mean gaussian"),
        ({"kernels": [{"family": "gaussian", "values": [-1]}]}, "sigma must be a positive number, got -1"),
        ({"colour": "red"}, r"colour: Extra inputs are not permitted \(got 'red'\)"),
    ],
)
def test_a_wrong_study_names_the_place(change, message):
    values = yaml.safe_load((CONFIG / "studies/omkc.yaml").read_text()) | change
    with pytest.raises(ConfigError, match=message) as caught:
        check(Study, values, "omkc.yaml")
    assert all(line.startswith("omkc.yaml: ") for line in str(caught.value).splitlines())


def test_a_study_shows_only_its_own_data_sets(tmp_path):
    shutil.copytree(CONFIG, tmp_path / "config")
    path = tmp_path / "config/studies/omkc.yaml"
    path.write_text(path.read_text().replace("  - ionosphere\n", "", 1))
    with pytest.raises(ConfigError, match="beta names data set ionosphere, which the study does not have"):
        Configuration(tmp_path / "config").study("omkc")
    path.write_text(path.read_text().replace("name: omkc", "name: other", 1))
    with pytest.raises(ConfigError, match="expected omkc, as the file is called, got other"):
        Configuration(tmp_path / "config").study("omkc")


def test_unreadable_files(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        load(Project, tmp_path / "config.yaml")
    (tmp_path / "config.yaml").write_text("studies: [omkc\n")
    with pytest.raises(ConfigError, match="not valid YAML") as caught:
        load(Project, tmp_path / "config.yaml")
    assert "\n" not in str(caught.value)


def test_documents_name_only_what_exists():
    """Every file and make target that README and docs mention is there."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))):
        text = page.read_text()
        for target in re.findall(r"\bmake ([a-z-]+)(?=`|  )", text):
            assert target in targets, f"{page.name}: make {target}"
        for path in re.findall(r"`((?:src|config|docs|tests|benchmarks|envs|workflow|profiles)/[\w./-]+)`", text):
            assert (ROOT / path).exists() or "mine" in path, f"{page.name}: {path}"
        for path in re.findall(r"\]\(((?!http)[^)#]+)\)", text):
            assert (page.parent / path).exists(), f"{page.name}: {path}"
