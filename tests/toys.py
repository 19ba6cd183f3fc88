"""A made-up base of four classes, and tasks on it."""

import hashlib
from typing import Any

CSV = "".join(f"{row},{row * row},{'abcd'[row % 4]}\n" for row in range(40))
SUM = hashlib.sha256(CSV.encode()).hexdigest()
SOURCE = {"kind": "bundled", "files": [{"name": "toy.csv", "sha256": SUM}], "reader": {"format": "csv", "label": -1}}
BASE: dict[str, Any] = {
    "name": "toy",
    "title": "Toy",
    "licence": "CC0",
    "citation": "Nobody",
    "url": "u",
    "n": 40,
    "d": 2,
    "classes": 4,
    "sources": [SOURCE],
}
TASK: dict[str, Any] = {
    "name": "toy_a_b",
    "title": "Toy, a or b",
    "base": "toy",
    "positive": ["a"],
    "negative": ["b"],
    "n": 20,
    "d": 2,
    "positives": 10,
    "content": "f" * 64,
}
MORE = {"name": "toy_few", "positive": ["c", "a"], "negative": ["d"], "rows": 7, "n": 7, "positives": 5}
