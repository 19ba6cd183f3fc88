"""Tasks: some classes of a base against others, made from files that are fetched once."""

import json
import shutil
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import yaml
from toys import BASE, CSV, MORE, SOURCE, SUM, TASK

from grambench.common import layout
from grambench.common.errors import ConfigError, DataError
from grambench.config.load import check, read
from grambench.config.project import Configuration
from grambench.datasets import store
from grambench.datasets.descriptions import NOTE, BaseDataset, Dataset, Task, model_of
from grambench.datasets.prepare import check as check_delivered
from grambench.pipeline import last_run, status
from grambench.pipeline.job import Job
from grambench.pipeline.plan import Plan
from grambench.pipeline.steps import fetch as fetch_step
from grambench.pipeline.steps import prepare as prepare_step

ROOT = Path(__file__).parents[1]
CONFIG = ROOT / "config"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a base and two tasks, as the current folder."""
    shutil.copytree(CONFIG, tmp_path / "config")
    for values in (BASE, TASK, TASK | MORE):
        write(tmp_path, values)
    (tmp_path / layout.BUNDLED).mkdir(parents=True)
    (tmp_path / layout.BUNDLED / "toy.csv").write_text(CSV)
    (tmp_path / layout.BUNDLED / "SHA256SUMS").write_text(f"{SUM}  toy.csv\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRAMBENCH_MIRROR", raising=False)
    return tmp_path


def write(folder: Path, values: dict[str, Any]) -> None:
    (folder / "config" / "datasets" / f"{values['name']}.yaml").write_text(yaml.safe_dump(values, sort_keys=False))


def study(folder: Path, *datasets: str) -> Plan:
    values = yaml.safe_load((CONFIG / "studies/omkc.yaml").read_text())
    values |= {"name": "small", "datasets": list(datasets), "published": None, "replications": None}
    values |= {key: {} for key in ("sweeps", "tables", "figures")}
    (folder / "config/studies/small.yaml").write_text(yaml.safe_dump(values, sort_keys=False))
    return Plan({"studies": ["small"]}, folder / "config")


def prepared(plan: Plan, name: str) -> store.PreparedDataset | store.Unavailable:
    """Run both steps as the workflow does."""
    if not Path(plan.targets.raw(name)).is_file():
        fetch_step.main(Job(*plan.specs.fetch("toy"), [Path(plan.targets.raw(name))]))
    output = Path(layout.PREPARED.format(dataset=name))
    prepare_step.main(Job(*plan.specs.prepare(name), [output], [Path(plan.targets.raw(name))]))
    return store.read(output)


def with_its_content(plan: Plan, folder: Path, values: dict[str, Any]) -> dict[str, Any]:
    """Return a task with the content that the error message gives, as people do it."""
    refused = prepared(plan, values["name"])
    assert isinstance(refused, store.Unavailable)
    return values | {"content": refused.reasons[0].split("got ")[1][:64]}


def test_a_task_is_a_data_set_with_what_its_base_knows(folder: Path) -> None:
    dataset = Configuration(folder / "config").dataset("toy_a_b")
    assert (dataset.name, dataset.base, dataset.folder) == ("toy_a_b", "toy", "toy")
    assert (dataset.licence, dataset.citation, dataset.title) == ("CC0", "Nobody", "Toy, a or b")
    reader = dataset.sources[0].reader
    assert (reader.positive, reader.negative, reader.rows) == (["a"], ["b"], None)
    assert check(Dataset, json.loads(dataset.model_dump_json()), "copy") == dataset


def test_tasks_share_one_fetch(folder: Path) -> None:
    plan = study(folder, "toy_a_b", "toy_few")
    assert plan.targets.raw("toy_a_b") == plan.targets.raw("toy_few") == f"data/raw/toy/{NOTE}"
    assert plan.targets.raw("sonar") == f"data/raw/sonar/{NOTE}"
    write(folder, with_its_content(plan, folder, TASK))
    write(folder, with_its_content(plan, folder, TASK | MORE))
    plan = Plan({"studies": ["small"]}, folder / "config")
    first, few = prepared(plan, "toy_a_b"), prepared(plan, "toy_few")
    assert [path.name for path in (folder / "data/raw").iterdir()] == ["toy"]
    assert isinstance(first, store.PreparedDataset) and isinstance(few, store.PreparedDataset)
    assert first.features[:3].tolist() == [[0, 0], [1, 1], [4, 16]]
    assert first.labels.tolist() == [1, -1] * 10
    assert few.features[:, 0].tolist() == [0, 2, 3, 4, 6, 7, 8]
    assert few.labels.tolist() == [1, 1, -1, 1, 1, -1, 1]


def test_a_fetch_depends_on_the_base_alone_and_nothing_on_its_prose(folder: Path) -> None:
    before = study(folder, "toy_a_b")
    write(folder, BASE | {"citation": "corrected", "licence": "other"})
    assert study(folder, "toy_a_b").specs.prepare("toy_a_b") == before.specs.prepare("toy_a_b")
    write(folder, TASK | {"negative": ["c"], "title": "other"})
    after = study(folder, "toy_a_b")
    assert before.specs.fetch("toy") == after.specs.fetch("toy")
    assert before.specs.prepare("toy_a_b").spec != after.specs.prepare("toy_a_b").spec
    write(folder, BASE | {"n": 41})  # which decides whether files without a checksum are what they should be
    assert study(folder, "toy_a_b").specs.fetch("toy").spec != after.specs.fetch("toy").spec


def test_a_class_that_is_not_there(folder: Path) -> None:
    write(folder, TASK | {"negative": ["e"]})
    refused = prepared(study(folder, "toy_a_b"), "toy_a_b")
    assert isinstance(refused, store.Unavailable)
    assert refused.reasons == (
        "toy_a_b: expected a class 'e' among the labels, got 'a', 'b', 'c', 'd' (source bundled toy.csv)",
    )


def test_a_base_in_a_study_is_refused_in_one_line(folder: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        study(folder, "sonar", "toy")
    place = f"{folder}/config/studies/small.yaml: datasets"
    expected = f"{place}: expected a task, got toy, which has 4 classes; name one of its tasks: toy_a_b, toy_few"
    assert str(caught.value) == expected
    with pytest.raises(ConfigError, match="got toy, which has 4"):
        Plan({"studies": ["omkc"], "datasets": ["toy"]}, folder / "config")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (TASK | {"base": "tot"}, "unknown base of toy_a_b 'tot': did you mean toy"),
        (TASK | {"base": "sonar"}, "toy_a_b.yaml: base: expected a data set with `classes`, got sonar, which has none"),
        (TASK | {"base": "toy_few"}, "expected a data set with `classes`, got toy_few, which has none"),
        (TASK | {"base": "toy_a_b"}, "expected a data set with `classes`, got toy_a_b, which has none"),
        (TASK | {"positive": []}, "expected positive, negative and positives of two classes, or else classes"),
        (TASK | {"licence": "own"}, "licence: unknown key 'licence': known: base, "),
        (
            TASK | {"blocks": {"image": [10**12, 1], "rows": 10**12, "columns": 1}},
            r"blocks.rows: Input should be less than or equal to 1000 \(got 10+\)$",
        ),
        (TASK | {"negative": ["a", "b"]}, "a label becomes either .1 or -1, got 'a' as both"),
    ],
)
def test_a_wrong_task_is_told_where(folder: Path, values: dict[str, Any], message: str) -> None:
    write(folder, values)
    with pytest.raises(ConfigError, match=message) as caught:
        Configuration(folder / "config").dataset("toy_a_b")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "source",
    [
        SOURCE | {"reader": {"format": "csv", "label": -1, "positive": "a"}},
        SOURCE | {"content": "0" * 64, "variant": "another order"},
        {"kind": "generated", "generator": "dirichlet", "seed": 1},
    ],
    ids=["positive", "variant", "generated"],
)
def test_sources_of_a_base(folder: Path, source: dict[str, Any]) -> None:
    write(folder, BASE | {"sources": [source]})
    with pytest.raises(ConfigError, match="sources of a base have files, all with the same rows") as caught:
        Configuration(folder / "config").dataset("toy_a_b")
    assert "\n" not in str(caught.value)


def test_the_key_tells_the_model() -> None:
    assert model_of(TASK) is Task and model_of(BASE) is BaseDataset and model_of({"name": "x"}) is Dataset


def test_what_failed_for_several_tasks_is_fetched_once(folder: Path) -> None:
    (folder / layout.BUNDLED / "toy.csv").unlink()
    plan = study(folder, "toy_a_b", "toy_few")
    prepared(plan, "toy_a_b")
    found = status.file_statuses(last_run.requests_of(plan))
    assert [item.status for item in found[:2]] == ["unavailable", "unavailable"]
    assert status.failed_targets(found) == [f"data/raw/toy/{NOTE}"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (CSV, ""),
        (CSV + "1,2,a\n", "expected 40 x 2 features, got 41 x 2"),
        (CSV.replace("d", "a"), "expected 4 classes, got 3"),
        ("<!DOCTYPE html>\n<html>a page, with a comma</html>\n", "toy.csv: cannot be read as csv: "),
    ],
    ids=["whole", "rows", "classes", "page"],
)
def test_a_base_without_a_checksum_is_read_before_it_is_taken(tmp_path: Path, body: str, message: str) -> None:
    (tmp_path / "toy.csv").write_text(body)
    files = [{"name": "toy.csv", "url": "http://data.example/toy.csv"}]
    base = check(
        BaseDataset, BASE | {"sources": [{"kind": "http", "files": files, "reader": SOURCE["reader"]}]}, "test"
    )
    with pytest.raises(DataError, match=message) if message else nullcontext():
        check_delivered(base, base.sources[0], {"toy.csv": tmp_path / "toy.csv"})


def test_a_fetch_that_cannot_write_is_one_line(folder: Path) -> None:
    spec, output = study(folder, "toy_a_b").specs.fetch("toy").spec, folder / "data/raw/toy" / NOTE
    output.mkdir(parents=True)
    command = [sys.executable, "-m", "grambench.pipeline.steps", "fetch", *Job("", "code", [output]).argv]
    answer = subprocess.run(command, input=spec, capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    assert answer.stderr == f"{output}: cannot be written (Is a directory); make it writable and fetch again\n"


def test_examples_of_a_task_and_of_a_generated_source() -> None:
    text = (ROOT / "docs" / "extending_studies.md").read_text()
    examples = [yaml.safe_load(block.split("```")[0]) for block in text.split("```yaml\n")[1:]]
    (task,) = (example for example in examples if "base" in example)
    (source,) = (example for example in examples if "sources" in example)
    base = check(BaseDataset, read(CONFIG / "datasets/letter.yaml"), "letter.yaml")
    dataset = check(Task, task, "docs/extending_studies.md").of(base)
    check(Dataset, dataset.model_dump() | source, "docs/extending_studies.md")
