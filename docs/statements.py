"""The section "Every statement of the paper" of docs/papers, made of the claims and their verdicts in a results folder.

    python docs/statements.py RESULTS [PAPER ...]

Each page's section is written anew: all claims of the paper's studies, and the rows of `docs/papers/statements`, which
has the statements that no claim judges, with the reason or with what decides them. `docs/page_numbers.py` looks up the
numbers of our results in these rows; it runs after this program where the words of a row have changed.
"""

import re
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from grambench.claims import CONTRADICTED, load_claims
from grambench.report import study_page

PAPERS = Path(__file__).parent / "papers"
STUDIES = PAPERS.parent.parent / "config" / "studies"
NAMES = ("omkc", "rkl", "ca", "oks", "obscure")
MARKUP, BACKSLASH = r"([|*<])", r"\\\1"  # what Markdown would take for its own, and how it is escaped
HEADING = "## Every statement of the paper\n"
NOT_RUN = "not run"
BY_STUDY = "by study"  # rows of one statement whose verdicts are decided and differ
DECIDED = (*study_page.DECIDED, "by number", BY_STUDY)
SAME = f"A claim that several studies judge in the same words counts once (*{BY_STUDY}* if they differ)."
AGAIN = "Rows that judge a statement again, with KL-C without its bias, do not count."
VARIANT = "without its bias"  # in rows that judge a statement again, by KL-C's variant


class Statement(NamedTuple):
    """A statement of a paper; `claim` is empty where no claim judges it."""

    claim: str
    section: str
    statement: str
    verdict: str = ""
    evidence: str = ""


def statements(paper: str, results: Path | None = None) -> list[Statement]:
    """Return all statements in the order of the paper's sections.

    Parameters
    ----------
    paper : str
        One of NAMES.
    results : Path, optional
        The results folder; without it claims have no verdict, and without their
        study's claims.csv they are "not run".
    """
    found = []
    studies = sorted(path.stem for path in STUDIES.glob("*.yaml") if path.stem.split("_")[0] == paper)
    for study in studies:
        claims = load_claims(study)
        file = results / study / "claims.csv" if results else None
        judged = pd.read_csv(file, index_col="claim") if file and file.exists() else None
        prefix = f"{study} " if study != paper else ""
        for claim in claims:
            verdict: tuple[str, ...] = ()
            if results:
                known = judged is not None and claim.id in judged.index
                verdict = tuple(judged.loc[claim.id, ["verdict", "evidence"]]) if known else (NOT_RUN, f"run `{study}`")
            found.append(Statement(prefix + claim.id, claim.section, claim.statement, *verdict))
    rows = pd.read_csv(PAPERS / "statements" / f"{paper}.csv", keep_default_na=False)
    found += [Statement("", *row) for row in rows.itertuples(index=False)]
    return sorted(found, key=_position)


def section(found: list[Statement]) -> str:
    """Return the section of a page: how many statements are decided, and a table of all.

    A claim that several studies have counts once, and rows of a variant do not count.
    """
    by_statement: dict[object, set[str]] = {}
    variants = sum(VARIANT in each.statement for each in found)
    for each in found:
        if VARIANT not in each.statement:
            by_statement.setdefault(each.statement if each.claim else each, set()).add(each.verdict)
    counts = Counter(map(_joint, by_statement.values()))
    decided = sum(counts[verdict] for verdict in DECIDED)
    parts = [
        f"{verdict} {counts[verdict]}" for verdict in (*DECIDED, "undecided", "unavailable", NOT_RUN) if counts[verdict]
    ]
    lines = [
        HEADING,
        f"{decided} of {counts.total()} statements ({decided / counts.total():.0%}) are decided; {', '.join(parts)}.",
        "*Claim* is the number in the report; the runs of studies do not judge a statement without one.",
        f"*{CONTRADICTED}* is what the paper's own numbers or words do not fulfil. *by number*: each stands beside",
        "ours with a verdict. [Verdicts](../verdicts.md) says how *most* and the like, tests and times are read.",
        *([SAME] if len(by_statement) < len(found) - variants else []),
        *([AGAIN] if variants else []),
        "\n| section | claim | statement | verdict | evidence |",
        "|---|---|---|---|---|",
    ]
    for each in found:
        cells = (each.section, each.claim, each.statement, each.verdict, each.evidence)
        lines.append("".join(f"| {re.sub(MARKUP, BACKSLASH, cell)} " for cell in cells) + "|")
    return "\n".join(lines) + "\n"


def _joint(verdicts: set[str]) -> str:
    """Return the verdict on a statement by the verdicts of its rows."""
    if len(verdicts) == 1:
        return min(verdicts)
    return BY_STUDY if verdicts <= {*DECIDED} else "undecided"


def _position(statement: Statement) -> tuple[list[int], str]:
    """Return the key that sorts statements by section: the abstract first, appendices and theorems last."""
    if statement.section.startswith("Abstract"):
        return [0], ""
    number = re.search(r"Section (\d+(?:\.\d+)*)", statement.section)
    return ([int(part) for part in number[1].split(".")], "") if number else ([99], statement.section)


def main() -> None:
    """Write the sections of the named papers' pages, or of all."""
    results = Path(sys.argv[1] if len(sys.argv) > 1 else "")
    if not list(results.glob("*/claims.csv")):
        raise SystemExit(f"{results}: expected a folder with STUDY/claims.csv, such as results/reference/files")
    for paper in sys.argv[2:] or NAMES:
        page = PAPERS / f"{paper}.md"
        text = page.read_text(encoding="utf-8")
        before, _, after = text.partition(HEADING)
        _, heading, rest = after.partition("\n## ")
        text = f"{before.rstrip()}\n\n{section(statements(paper, results))}{heading}{rest}"
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
