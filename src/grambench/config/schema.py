"""JSON schemas of the YAML files, for editors that complete and check while typing."""

import json
from pathlib import Path

from grambench.config.dataset import Dataset
from grambench.config.load import Model
from grambench.config.project import Project
from grambench.config.study import Study

MODELS: dict[str, type[Model]] = {"config": Project, "study": Study, "dataset": Dataset}


def schemas() -> dict[str, str]:
    """Return the text of each schema by its name, made from the models."""
    return {
        name: json.dumps(model.model_json_schema(), indent=2, ensure_ascii=False) + "\n"
        for name, model in MODELS.items()
    }


def write(folder: Path) -> None:
    """Write all schemas as <name>.schema.json."""
    for name, text in schemas().items():
        (folder / f"{name}.schema.json").write_text(text, encoding="utf-8")
