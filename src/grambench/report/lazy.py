"""The types of what kinds of tables and figures import only where they need it: a study that names them loads fast."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.axis import Axis as Axis
    from matplotlib.figure import Figure as Figure
    from matplotlib.transforms import Bbox as Bbox
    from pandas import DataFrame as DataFrame
    from pandas import Series as Series

    from grambench.results.characteristics import Characteristics as Characteristics
    from grambench.results.characteristics import Prepared as Prepared
    from grambench.results.statistics import Sample as Sample
    from grambench.results.study import Results as Results
    from grambench.results.study import ViewEffect as ViewEffect
else:
    Axes = Axis = Bbox = Characteristics = DataFrame = Figure = Prepared = Results = Sample = Series = Any
    ViewEffect = Any

Canvas = Figure
Comparison = dict[tuple[str, str, str, str], Series]  # rows of reproduction.csv, see tables.comparison
