"""What the site generates beside its pages: the order of the gallery, and a page for each algorithm."""

from pathlib import Path
from typing import Any

# The examples in the order in which a reader is likely to need them.
EXAMPLES = [
    "plot_views.py",
    "plot_grid_search.py",
    "plot_calibration.py",
    "plot_own_algorithm.py",
    "plot_results_with_pandas.py",
    "plot_rkl_scaling.py",
    "plot_minimum_enclosing_ball.py",
    "plot_alignment_landscape.py",
    "plot_online_pass.py",
    "plot_oks_picks.py",
    "plot_budget.py",
    "plot_obscure_progress.py",
]


class GalleryOrder:
    """The sorting key of sphinx-gallery: the position of an example in EXAMPLES."""

    def __init__(self, folder: Any) -> None:
        """Accept the folder, which the order does not depend on."""

    def __call__(self, name: str) -> int:
        """Return the position of an example."""
        return EXAMPLES.index(Path(name).name)


def plain_axes(gallery_conf: dict[str, Any], name: str) -> None:
    """Remove the upper and right line of every plot, before an example runs."""
    import matplotlib.pyplot as plt

    plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})
