"""The figures of the papers' pages, and that of the README, drawn from the tables of these pages.

    python benchmarks/paper_figures.py docs/papers

A figure shows the same numbers as its table, so draw it again after an edit of the table.
"""

import argparse
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

VERDICTS = {"exact": "#3b7fb6", "confirmed": "#4fae8c", "compatible": "#e3c65b", "different": "#d9793f"}
SIGNS = {"exact": "=", "confirmed": "≈", "compatible": "~", "different": "≠"}
WIDE_ENOUGH = 0.03  # of the longest bar: a narrower part has no room for its number
SUMMARY = (  # of the leaderboard, in the README's figure
    *(
        "Kernel stacking",
        "lp-MKL p = 2, centred",
        "lp-MKL p = 1, centred",
        "lp-MKL p = 2",
        "lp-MKL p = 1",
        "EasyMKL",
        "CKA",
    ),
    *(
        "KL-C",
        "RKL",
        "MEMO",
        "Generalised MKL",
        "Localised MKL",
        "MKBoost",
        "Best kernel",
        "Gaussian SVM",
        "CA-1D",
        "CR",
    ),
    *("Random forest", "Gradient boosting", "MLP", "RFM", "OMKC(S,D)", "OM-2", "Perceptron(u)"),
)
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#777777"
STYLE = {
    "font.size": 10,
    "svg.fonttype": "none",  # text stays text: small files, read aloud
    "svg.hashsalt": "grambench",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
}
Rows = list[list[str]]


def table(page: Path, first_cell: str) -> Rows:
    """Return the rows of the table whose header begins with a cell, the header first, without the ruler."""
    text = page.read_text(encoding="utf-8")
    block = next(part for part in re.findall(r"(?:^\|.*\n)+", text, re.M) if part.startswith(f"| {first_cell} |"))
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in block.splitlines()]
    return [rows[0], *rows[2:]]


def numbers(cell: str) -> list[float]:
    return [float(number) for number in re.findall(r"\d*\.?\d+", cell)]


def verdicts(axes: Axes, rows: Rows) -> None:
    """Draw a bar of verdicts for each row: a name and four counts."""
    names = [row[0] for row in rows]
    left = [0.0] * len(rows)
    for position, (verdict, colour) in enumerate(VERDICTS.items(), start=1):
        counts = [numbers(row[position])[0] if row[position] else 0.0 for row in rows]
        axes.barh(names, counts, left=left, color=colour, label=f"{SIGNS[verdict]} {verdict}", height=0.7)
        for index, count in enumerate(counts):
            if count > WIDE_ENOUGH * max(sum(numbers(cell)[0] for cell in row[1:5] if cell) for row in rows):
                axes.text(left[index] + count / 2, index, f"{count:g}", ha="center", va="center", fontsize=9)
            left[index] += count
    axes.invert_yaxis()
    axes.set(xlabel="number of results")
    axes.figure.legend(ncols=4, loc="outside upper center")


def omkc(axes: Axes, page: Path) -> None:
    verdicts(axes, [row for row in table(page, "algorithm")[1:] if row[0] != "all"])


def rkl(axes: Axes, page: Path) -> None:
    rows = table(page, "column")[1:]
    verdicts(axes, rows[: [row[0] for row in rows].index("all eight columns")])
    axes.set(xlabel="number of accuracies")


def ca(axes: Axes, page: Path) -> None:
    verdicts(axes, [row for row in table(page, "item")[1:] if row[1] and row[4]])


def oks(axes: Axes, page: Path) -> None:
    """Draw the accuracies of two methods, ours beside the printed ones."""
    (_, *tasks), *rows = table(page, "method")
    accuracies = {row[0]: [numbers(cell) for cell in row[1:]] for row in rows}
    for name, colour, shift in (("MuSVM", BLUE, -0.15), ("OKS-SVM", ORANGE, 0.15)):
        pairs = accuracies[name]
        heights = [index + shift for index in range(len(tasks))]
        for height, (ours, printed) in zip(heights, pairs, strict=True):
            axes.plot([ours, printed], [height, height], color=colour, linewidth=1, alpha=0.5)
        axes.plot([pair[0] for pair in pairs], heights, "o", color=colour, label=f"{name}, here")
        axes.plot([pair[1] for pair in pairs], heights, "D", color=colour, fillstyle="none", label=f"{name}, printed")
    axes.set_yticks(range(len(tasks)), tasks)
    axes.invert_yaxis()
    axes.set(xlabel="accuracy (%)")
    axes.figure.legend(ncols=4, loc="outside upper center")


def obscure(axes: Axes, page: Path) -> None:
    """Draw the accuracy by p on Caltech-101."""
    header, *rows = table(page, "p")
    for row, colour, look in zip(rows, (BLUE, ORANGE, GREY), ("o-", "s-", "^--"), strict=True):
        points = [(float(p), float(value)) for p, value in zip(header[1:], row[1:], strict=True) if value]
        axes.plot(*zip(*points, strict=True), look, color=colour, label=row[0])
    axes.set(xlabel="p", ylabel="test accuracy (%)")
    axes.legend(loc="upper right")


def leaderboard(axes: Axes, page: Path, shown: Sequence[str] = ()) -> None:
    """Draw how far each configuration, or those that are shown, is ahead of equal weights, with its interval."""
    rows = [row for row in table(page, "configuration")[1:] if numbers(row[3]) and (not shown or row[0] in shown)]
    for index, row in enumerate(rows):
        mean, low, high = (float(number) for number in re.findall(r"-?\d*\.?\d+", f"{row[2]} {row[3]}"))
        colour = BLUE if high >= 0.0 else ORANGE
        axes.plot([low, high], [index, index], color=colour, linewidth=2)
        axes.plot(mean, index, "o", color=colour, markersize=5)
    axes.set_yticks(range(len(rows)), [row[0] for row in rows])
    axes.invert_yaxis()
    axes.axvline(0.0, color=GREY, linewidth=1)
    axes.set(xlabel="points ahead of equal weights, 95 % interval\n(orange: all of it below 0)")
    axes.grid(axis="x", alpha=0.3)


def views(axes: Axes, page: Path, columns: dict[int, str]) -> None:
    """Draw two columns of accuracies, by configuration."""
    rows = table(page, "configuration")[1:]
    for (column, label), colour in zip(columns.items(), (ORANGE, BLUE), strict=True):
        drawn = [(numbers(row[column])[0], index) for index, row in enumerate(rows) if row[column]]
        axes.plot(*zip(*drawn, strict=True), "o", color=colour, label=label)
    axes.set_yticks(range(len(rows)), [row[0] for row in rows])
    axes.invert_yaxis()
    axes.set(xlabel="accuracy, %")
    axes.grid(axis="x", alpha=0.3)
    axes.figure.legend(ncols=2, loc="outside upper center")


def summary(readme: Path, board: Path, path: Path) -> None:
    """Draw the verdicts of all papers, in the README's table, above the leaderboard; legible on a telephone."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(5.0, 7.2), layout="constrained")
        above, below = figure.subplots(2, 1, height_ratios=(2, 5))
        rows = [row for row in table(readme, "paper")[1:] if numbers(row[2])]
        names = [re.sub(r"\[(\w+)\].*", r"\1", row[0]) for row in rows]
        counts = [[numbers(cell)[0] for cell in row[2:6]] for row in rows]
        names = [f"{name} ({sum(values):g})" for name, values in zip(names, counts, strict=True)]
        shares = [[100 * value / sum(values) for value in values] for values in counts]
        starts = [0.0] * len(rows)
        for position, (verdict, colour) in enumerate(VERDICTS.items()):
            widths = [values[position] for values in shares]
            above.barh(names, widths, left=starts, color=colour, label=f"{SIGNS[verdict]} {verdict}", height=0.7)
            for index, width in enumerate(widths):
                if width > 100 * WIDE_ENOUGH:
                    place = starts[index] + width / 2
                    above.text(place, index, f"{counts[index][position]:g}", ha="center", va="center", fontsize=9)
                starts[index] += width
        above.invert_yaxis()
        above.set(xlabel="% of the published results", xlim=(0, 100), title="Papers: verdicts")
        figure.legend(ncols=4, loc="outside upper center", columnspacing=1.0, handlelength=1.0, handletextpad=0.4)
        leaderboard(below, board, SUMMARY)
        below.tick_params(axis="y", labelsize=9)
        below.set_title("Leaderboard of vectors, by mean rank")
        figure.savefig(path, metadata={"Date": None, "Creator": None})


FIGURES: dict[str, tuple[Callable[[Axes, Path], None], tuple[float, float]]] = {
    "omkc": (omkc, (7.0, 3.0)),
    "rkl": (rkl, (7.0, 3.4)),
    "ca": (ca, (7.0, 2.4)),
    "oks": (oks, (7.0, 3.6)),
    "obscure": (obscure, (7.0, 3.2)),
    "leaderboard": (leaderboard, (7.0, 8.6)),
    "leaderboard_views": (
        partial(views, columns={1: "2 of 20 views matter", 5: "mean of fifteen collections of sources"}),
        (7.0, 6.4),
    ),
    "leaderboard_images": (
        partial(views, columns={4: "PASCAL, mean of three tasks", 3: "Corel, mean of three tasks"}),
        (7.0, 4.2),
    ),
}


def save(name: str, page: Path, path: Path) -> None:
    """Draw the figure of a page."""
    draw, size = FIGURES[name]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.subplots(), page)
        figure.savefig(path, metadata={"Date": None, "Creator": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="of the pages")
    folder = parser.parse_args().folder
    for name in FIGURES:
        save(name, folder / f"{name}.md", folder / f"{name}.svg")
    summary(folder.parent.parent / "README.md", folder / "leaderboard.md", folder.parent / "results.svg")


if __name__ == "__main__":
    main()
