"""JSON schemas of the YAML files, for editors that complete and check while typing.

python docs/schemas.py FOLDER
"""

import json
import sys
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from grambench.config.project import Project
from grambench.config.study import Study
from grambench.datasets.descriptions import BaseDataset, Dataset, Images, Task

MODELS: dict[str, Any] = {"config": Project, "study": Study, "dataset": Dataset | BaseDataset | Images | Task}


def schemas() -> dict[str, str]:
    """Return the text of each schema by its name, made from the models."""
    return {
        name: json.dumps(TypeAdapter(model).json_schema(), indent=2, ensure_ascii=False) + "\n"
        for name, model in MODELS.items()
    }


def write(folder: Path) -> None:
    """Write all schemas as <name>.schema.json."""
    for name, text in schemas().items():
        (folder / f"{name}.schema.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
