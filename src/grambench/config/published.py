"""What a study knows of its paper's numbers: the files that have them, the margins, and the replications."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from grambench.common.errors import unknown_name
from grambench.common.models import ConfigModel
from grambench.config.metrics import METRICS
from grambench.config.names import Name, Names

CsvName = Annotated[str, Field(pattern=r"^[a-z0-9_]+\.csv$")]


class Characteristics(ConfigModel):
    """Published characteristics of the data sets: size, dimension and, in studies with experts, the best kernel.

    Attributes
    ----------
    item : str
        The name of the table of the paper in reproduction.csv, such as "Table 3, data sets".
    file : str
        The CSV file with the columns dataset, n, d, and best_kernel if the study has experts.
    """

    item: str
    file: CsvName


class ChosenConvention(ConfigModel):
    """A convention that was chosen because it gives the published numbers of some cells.

    Agreement in these cells is weaker evidence than in others.

    Attributes
    ----------
    convention : str
        The convention in words.
    algorithms : list of str
        The entries whose published numbers decided for it.
    datasets : list of str
        The data sets whose published numbers decided for it; empty stands for all.
    """

    convention: str
    algorithms: Names
    datasets: list[Name] = []

    def covers(self, dataset: str, algorithm: str) -> bool:
        """Return whether the published number of a cell decided for the convention."""
        return algorithm in self.algorithms and (not self.datasets or dataset in self.datasets)


Margin = Annotated[float, Field(gt=0)] | Annotated[str, Field(pattern=r"^[1-9][0-9]* %$")]


class Published(ConfigModel):
    """The paper's numbers, in files of config/published.

    Attributes
    ----------
    runs : int
        The number of runs behind every published mean and standard deviation; the number of data sets if the published
        numbers summarise all data sets.
    results : list of str
        CSV files with one number in a row: table, dataset, algorithm, metric, mean, std (empty if not printed).
    characteristics : Characteristics or None
        The data-set characteristics, if the paper prints them.
    margins : dict of float or str
        For each metric the difference that would matter: in its unit, or as "10 %" of the published mean. A number is
        confirmed if no larger difference is possible.
    chosen : list of ChosenConvention
        The conventions that the paper does not state and that its numbers decided.
    resampled : str
        The source of variation behind a median rank: the "draws" of examples, or the "datasets" as well if the paper
        does not name its own.
    """

    runs: Annotated[int, Field(ge=1)]
    results: list[CsvName] = []
    characteristics: Characteristics | None = None
    margins: dict[Name, Margin] = {}
    chosen: list[ChosenConvention] = []
    resampled: Literal["draws", "datasets"] = "draws"

    @model_validator(mode="after")
    def _check_metrics_of_margins(self) -> Self:
        for metric in self.margins:
            if metric not in METRICS:
                raise unknown_name("metric of margins", metric, METRICS)
        return self

    def margin(self, metric: str, published: float) -> float | None:
        """Return the difference from a published mean that would matter; None where none is declared."""
        declared = self.margins.get(metric)
        if isinstance(declared, str):
            return float(declared.removesuffix(" %")) / 100.0 * abs(published)
        return declared

    def chosen_by(self, dataset: str, algorithm: str) -> str:
        """Return the conventions that the published number of a cell decided, in one line."""
        return "; ".join(choice.convention for choice in self.chosen if choice.covers(dataset, algorithm))

    def files(self) -> list[str]:
        """Return the names of all files."""
        return [*self.results, *([self.characteristics.file] if self.characteristics else [])]


class ReplicationSettings(ConfigModel):
    """Replications of a study with other random splits, which show how far its numbers vary by chance.

    Attributes
    ----------
    count : int
        The largest number of replications, the study itself included.
    seconds : float
        The budget for replicating an entry on a data set. Fewer replications are made if they are expected to take
        longer.
    algorithms : list of str
        The entries that are replicated on every data set.
    datasets : dict of list of str
        The entries that are replicated on one data set only, by data set.
    """

    count: Annotated[int, Field(ge=3, le=1000)] = 20
    seconds: Annotated[float, Field(gt=0)]
    algorithms: list[Name] = []
    datasets: dict[Name, Names] = {}

    def entries(self, dataset: str) -> list[str]:
        """Return the entries that are replicated on a data set."""
        return list(dict.fromkeys([*self.algorithms, *self.datasets.get(dataset, [])]))
