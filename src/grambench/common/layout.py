"""Where every result lies, relative to the root of a project: the patterns that rules, commands and docs share."""

from pathlib import Path

RESULTS = Path("results")
LAST_RUN = "results/last_run.json"
RAW = "data/raw/{dataset}/source.json"
BUNDLED = "data/bundled"
PREPARED = "results/datasets/{dataset}.h5"
IMAGES = "results/images/{base}.h5"
CODEBOOK = "results/features/{base}/{descriptor}.codebook.h5"
DESCRIBED = "results/features/{base}/{descriptor}/{part}.h5"  # until they are put together
FEATURES = "results/features/{base}/{descriptor}.h5"
INNER = "results/grams/{dataset}/inner.h5"
GRAM = "results/grams/{dataset}/{kernel}.h5"
RECORD = "results/runs/{study}/{dataset}/{task}.h5"
BLOCK = "results/blocks/{study}/{dataset}/{task}/{block}.h5"  # until the record is put together
REPLICATION = "results/replications/{study}/{dataset}/{task}/{block}.h5"
REPLICATIONS = "results/replications/{study}.csv"
RUNS = "results/{study}/runs.parquet"
CURVES = "results/{study}/curves.parquet"
CELLS = "results/{study}/cells.csv"
SUMMARY = "results/{study}/summary.csv"
REPRODUCTION = "results/{study}/reproduction.csv"
CLAIMS = "results/{study}/claims.csv"
CHANCES = Path("config/replications/claims.csv")  # shipped, of all studies
TABLE = "results/{study}/tables/{table}.{suffix}"
FIGURE = "results/{study}/figures/{figure}.{suffix}"
REPORT = "results/report/index.html"  # the first page
REPORT_FILE = "results/report/report.html"  # all pages as one file
REPORT_PAGES = "results/report/pages"
REPORT_FILES = "results/report/files"  # what the pages offer for download
NOTES = Path("docs/reproduction.md")  # what does not come out and why
# what the names in braces stand for: Snakemake makes, and `grambench clean` removes, nothing else
WILDCARDS = dict.fromkeys(("study", "dataset", "base", "descriptor", "table", "figure"), "[a-z][a-z0-9_]*")
WILDCARDS |= {"kernel": "[a-z]+_[a-z]+[0-9.e+-]+", "task": "[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)?"}
WILDCARDS |= {"block": "[0-9]+-[0-9]+", "part": "[0-9]+"}


def located(results: Path, path: str) -> Path:
    """Return where a file of the layout lies in a results folder that need not be the repository's."""
    return results / Path(path).relative_to(RESULTS)
