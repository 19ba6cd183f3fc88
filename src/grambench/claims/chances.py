"""How often a paper's own numbers would fulfil its claims again, as a shipped table says.

`python benchmarks/claims.py` makes the table, config/replications/claims.csv, anew and says how.
"""

from pathlib import Path

import pandas as pd

from grambench.claims import Chance
from grambench.results.reading import as_written

COLUMNS = ["study", "claim", "printed", "probability", "draws", "evidence"]


def read(path: Path, study: str) -> dict[str, Chance]:
    """Return what the shipped table says of a study's claims, by their ids."""
    with as_written(path):
        rows = pd.read_csv(path, dtype={"claim": str})[COLUMNS]
        rows = rows[rows["study"] == study].set_index("claim")[["printed", "evidence", "probability"]]
        return {str(claim): Chance(*row) for claim, *row in rows.itertuples()}
