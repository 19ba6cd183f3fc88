"""The models of `config/datasets/*.yaml`: the sources of a data set, the format of its files, the expected content.

A file describes a data set of two classes (Dataset), one of more (BaseDataset),
or a task made of one of these: some of its classes against others, or all at once (Task).
"""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from grambench.common.errors import DataError
from grambench.common.models import ConfigModel
from grambench.datasets.formats.batches import BatchReader
from grambench.datasets.formats.images import ImageSets, WordLists
from grambench.datasets.formats.reader import Label, LabelList, check_sides, listed
from grambench.datasets.sources import Generated, Own, Sha256, Source

NOTE = "source.json"
OF_ALL_ROWS = ("rows", "unique", "minmax", "zero_columns", "test_rows")  # options of readers that batches do not have
MOST_BLOCKS = 1000  # down and across
MOST_COLUMNS = 10**7  # of a view; a list of them takes 0.4 GB
DatasetName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]


class Description(ConfigModel):
    """Base of the descriptions of data sets.

    Attributes
    ----------
    name : str
        The name in studies, which is also the name of the file.
    title, licence, citation, url : str
        Information for people; `url` is the address of a page about the data set.
    n, d : int
        The numbers of examples and features; d is 0 for images, whose features are computed, and for stored kernels.
    sources : list of Source
        The sources in order of fidelity; the first that delivers is used.
    collection : str or None
        The collection that the examples are from, if several data sets share some: they have one vote together where
        algorithms are compared. Otherwise the data set is a collection of its own. A task has that of its base.
    """

    name: DatasetName
    sources: Annotated[list[Source], Field(min_length=1)]
    title: str
    licence: str = ""
    citation: str = ""
    url: str = ""
    n: Annotated[int, Field(ge=2)]
    d: Annotated[int, Field(ge=0)] = 0
    collection: DatasetName | None = None

    @property
    def folder(self) -> str:
        """The name of the folder of its fetched files."""
        return self.name

    @property
    def stored_kernels(self) -> list[str]:
        """The views of stored kernels; empty if kernels are computed from features."""
        return [*getattr(self.sources[0].reader, "kernels", [])]

    def lacks(self, source: Source) -> str:
        """Return in words what data from a source lack compared with the first source; empty if nothing."""
        first = self.sources[0]
        if getattr(first.reader, "orders", None) and not getattr(source.reader, "orders", None):
            return "no published permutations: no cell can be exact"
        return (source.variant or "") if source.variant != first.variant else ""

    def located(self, folder: Path) -> Self:
        """Return the description with paths of the user's files, which are relative to `folder`, relative to here."""
        sources = [source.located(folder) if isinstance(source, Own) else source for source in self.sources]
        return self.model_copy(update={"sources": sources})

    @model_validator(mode="after")
    def _check_file_names(self) -> Self:
        for source in self.sources:
            names = [file.name for file in source.files]
            if len(set(names)) != len(names) or NOTE in names:
                raise ValueError(f"files of one source need different names, none of them {NOTE}; got {names}")
        return self


class PixelBlocks(ConfigModel):
    """The division of the pixels of an image into blocks of equal size, the views block_1, block_2 ... row by row.

    Attributes
    ----------
    image : two ints
        The height and width of an image in pixels.
    rows, columns : int
        The numbers of blocks down and across.
    """

    image: tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]]
    rows: Annotated[int, Field(ge=1, le=MOST_BLOCKS)]
    columns: Annotated[int, Field(ge=1, le=MOST_BLOCKS)]

    @model_validator(mode="after")
    def _check_equal_sizes(self) -> Self:
        if self.image[0] % self.rows or self.image[1] % self.columns:
            raise ValueError(f"blocks: {self.rows} x {self.columns} do not divide an image of {self.image}")
        return self

    def views(self) -> list[str]:
        """Return the names of the views, row by row."""
        return [f"block_{number + 1}" for number in range(self.rows * self.columns)]


def _positions(columns: Any) -> Any:
    """Return positions of columns, in which a text "5-9" stands for 5, 6, 7, 8 and 9."""
    if not isinstance(columns, list):
        return columns
    expanded: list[Any] = []
    for column in columns:
        first, dash, last = str(column).partition("-")
        is_range = dash and first.isdecimal() and last.isdecimal()
        if is_range and len(expanded) + int(last) - int(first) >= MOST_COLUMNS:
            raise ValueError(f"expected at most {MOST_COLUMNS} columns of a view, got {column}")
        expanded += range(int(first), int(last) + 1) if is_range else [column]
    return expanded


Position = Annotated[int, Field(ge=0)]
Range = Annotated[str, Field(pattern=r"^\d+-\d+$")]
Positions = Annotated[
    list[Position],
    Field(min_length=1),
    BeforeValidator(_positions, json_schema_input_type=list[Position | Range]),
]


ColumnViews = dict[Annotated[str, Field(pattern=r"^\S([^\x00-\x1f\x7f-\x9f]*\S)?$")], Positions]
ViewsAre = Literal["sources", "columns"]


class Dataset(Description):
    """A data set of two classes, or a task of more.

    Attributes
    ----------
    kind : str
        "vectors", or "stream": prepared and read chunk by chunk as 32-bit numbers, for online studies on features that
        approximate kernels.
    positives : int
        The number of examples labelled +1; 0 for a multi-class task.
    content : str
        The PreparedDataset.content of every source that is no variant.
    base : str or None
        The base of a task, whose files it uses.
    descriptors : list of str or None
        The descriptors of a data set of images.
    blocks : PixelBlocks or None
        The blocks of images whose features are rows of pixels.
    views : dict of list of int
        Groups of features, such as measurements of one kind, by name: their positions from 0, in which "5-9" stands for
        5 to 9. A feature may be in several groups or in none. Each stored kernel (format `kernels`) is a view too.
    views_are : str
        What the views are: "sources", measured apart by different instruments, assays or descriptors, or "columns",
        groups of columns of one table.
    """

    kind: Literal["vectors", "stream"] = "vectors"
    positives: Annotated[int, Field(ge=0)]
    content: Sha256
    views: ColumnViews = {}
    views_are: ViewsAre = "columns"
    blocks: SkipJsonSchema[PixelBlocks | None] = None
    base: SkipJsonSchema[DatasetName | None] = None  # set by Task.of, never in a file
    descriptors: SkipJsonSchema[list[str] | None] = None

    @property
    def folder(self) -> str:
        """The name of the folder of its fetched files; a task uses those of its base."""
        return self.base or self.name

    @property
    def classes(self) -> list[Label]:
        """The labels of a multi-class task in the order of their numbers; empty for two classes."""
        return self.sources[0].reader.classes

    def view_names(self) -> list[str]:
        """Return the views of vectors, of pixels or of stored kernels, "" if there are none."""
        return self.blocks.views() if self.blocks else self.stored_kernels or [*self.views] or [""]

    @property
    def imputed(self) -> bool:
        """Whether features may be missing, for each split to fill."""
        return any(getattr(source.reader, "impute", False) for source in self.sources)

    @property
    def has_split(self) -> bool:
        """Whether the data come with a training and a test part."""
        source = self.sources[0]
        generated = isinstance(source, Generated) and self.descriptors
        return bool(generated or isinstance(source.reader, WordLists | ImageSets) or source.reader.test_rows)

    def least(self) -> int:
        """Return the number of examples of the smallest source, on which estimates of resources are based."""
        return min([self.n, *(source.n for source in self.sources if source.n)])

    def check_content(self, source: Source, positives: int, content: str) -> None:
        """Raise DataError unless data of a source have the content, and as many examples labelled +1, as described."""
        expected = source.positives or self.positives
        if not self.classes and positives != expected:
            raise DataError(f"expected {expected} examples labelled +1, got {positives}")
        if content != (described := source.content or self.content):
            fault = "other values than the description was written for"
            hint = "; describe them anew: grambench add-dataset --replace" if source.kind == "file" else ""
            raise DataError(f"expected content {described}, got {content}: {fault}{hint}")

    @model_validator(mode="after")
    def _check_views(self) -> Self:
        for view, columns in self.views.items():
            if outside := [column for column in columns if column >= self.d]:
                raise ValueError(f"views: {view} has column {outside[0]}, expected 0 to {self.d - 1}")
            if len(set(columns)) < len(columns):
                raise ValueError(f"views: {view} has a column twice")
        # methods without kernels would learn from features that all others lack
        within = set().union(*self.views.values())
        if self.views and len(within) < self.d:
            without = next(column for column in range(self.d) if column not in within)
            raise ValueError(f"views: expected each feature in a view, got none of feature {without}")
        if self.views and self.blocks:
            raise ValueError("expected views or blocks, got both")
        if self.views_are == "sources" and not (self.views or self.descriptors or self.stored_kernels):
            raise ValueError("views_are: expected views that are sources, got no views")
        if self.kind == "stream" and self.blocks:
            raise ValueError("kind: expected a stream without blocks")
        for source in self.sources:
            in_batches = self.kind == "stream" and isinstance(source.reader, BatchReader)
            if in_batches and (whole := [option for option in OF_ALL_ROWS if getattr(source.reader, option)]):
                raise ValueError(f"{whole[0]}: expected none of a stream that is read in batches ({source.origin})")
            if [*getattr(source.reader, "kernels", [])] != self.stored_kernels:
                raise ValueError(f"expected the same kernels in every source, got others from {source.origin}")
        if self.stored_kernels and (self.views or self.blocks or self.d or self.kind == "stream"):
            raise ValueError("expected stored kernels alone, got d, views, blocks or a stream beside them")
        return self

    @model_validator(mode="after")
    def _check_labels_and_content(self) -> Self:
        for source in self.sources:
            if not source.reader.classes and not self.positives:
                raise ValueError("expected positives of at least 1 where there are two classes, got 0")
            if not listed(source.reader.positive) and not source.reader.classes:
                raise ValueError(f"expected `positive` in every reader, got none in that of {source.origin}")
            if source.variant is not None and source.content is None:
                raise ValueError(f"expected the content of the variant from {source.origin}, got none")
            # Without checksums, fetching would check the content, for which a stream has to be stored.
            if self.kind == "stream" and not all(file.sha256 for file in source.files):
                raise ValueError(f"expected the sha256 of each file of a stream, got none in {source.origin}")
        return self


class BaseDataset(Description):
    """A data set of more than two classes, which studies use through tasks only.

    Attributes
    ----------
    classes : int
        The number of classes.
    """

    classes: Annotated[int, Field(ge=3)]

    @model_validator(mode="after")
    def _check_sources(self) -> Self:
        for source in self.sources:
            if isinstance(source, Generated) or source.variant or listed(source.reader.positive):
                rule = "sources of a base have files, all with the same rows in the same order (no variants)"
                raise ValueError(f"{rule}, and leave `positive` to its tasks; got other settings for {source.origin}")
        return self


class Images(Description):
    """Images with words or classes, any number each, and an official split; studies use them through tasks only.

    Attributes
    ----------
    descriptors : dict
        The settings that differ from their defaults, by descriptor (grambench.features).
    parts : int
        The number of jobs that compute a descriptor of all images.
    """

    descriptors: Annotated[dict[DatasetName, dict[str, Any]], Field(min_length=1)]
    parts: Annotated[int, Field(ge=1, le=100)] = 1

    @model_validator(mode="after")
    def _check_sources(self) -> Self:
        for source in self.sources:
            if source.content or (listed(source.reader.positive) and not isinstance(source, Generated)):
                raise ValueError(f"content and labels belong to its tasks, got some in the source {source.origin}")
        return self


class Variant(ConfigModel):
    """The expected content of a task if its data come from a source of the base that is a variant."""

    n: Annotated[int, Field(ge=2)]
    positives: Annotated[int, Field(ge=0)]
    content: Sha256


class Task(ConfigModel):
    """A classification task on a base: some classes against others, or a multi-class task.

    Licence, citation, address and sources are those of the base.

    Attributes
    ----------
    name, title : str
        The name, which is also the name of the file, and the title.
    base : str
        The name of the base.
    positive, negative : list of float or str
        The labels that become +1 and -1. Rows with any other label are left out, as are images with labels of both.
    classes : list of float or str
        The labels that become 0, 1, 2 ... in a multi-class task. Images with two of them are left out.
    blocks : PixelBlocks or None
        The blocks into which images are cut if the features are rows of pixels.
    views : dict of list of int
        Groups of features by name; see Dataset.
    views_are : str
        "sources" or "columns"; see Dataset. Descriptors of images are sources.
    rows : int or None
        The number of rows to keep, from the top, after all other rows are left out.
    n, d, positives : int
        The numbers of examples, of features and of examples labelled +1.
    content : str
        The PreparedDataset.content of the task.
    variants : list of Variant
        The expected content for each source of the base that is a variant, in the order of these sources.
    """

    name: DatasetName
    title: str
    base: DatasetName
    positive: LabelList = []
    negative: LabelList = []
    classes: Annotated[LabelList, Field(max_length=127)] = []
    blocks: PixelBlocks | None = None
    views: ColumnViews = {}
    views_are: ViewsAre = "columns"
    rows: Annotated[int, Field(ge=2)] | None = None
    n: Annotated[int, Field(ge=2)]
    d: Annotated[int, Field(ge=0)] = 0
    positives: Annotated[int, Field(ge=0)] = 0
    content: Sha256
    variants: list[Variant] = []

    @model_validator(mode="after")
    def _check_labels(self) -> Self:
        check_sides(self.positive, self.negative)
        binary = (self.positive, self.negative, self.positives)
        if all(binary) == bool(self.classes) or (self.classes and any(binary)):
            raise ValueError("expected positive, negative and positives of two classes, or else classes")
        if self.classes and (len(self.classes) < 2 or len(set(self.classes)) < len(self.classes)):
            raise ValueError(f"classes: expected two different labels at least, got {self.classes}")
        return self

    def of(self, base: BaseDataset | Images) -> Dataset:
        """Return the data set of this task on its base; raise ValueError if they do not fit together."""
        choice = {"positive", "negative", "classes", "rows"}
        values = base.model_dump(include={"licence", "citation", "url", "sources", "collection"})
        values |= self.model_dump(exclude=choice | {"variants"})
        variants = [source for source in values["sources"] if source["variant"]]
        if len(variants) != len(self.variants):
            got = f"{self.name} has numbers of {len(self.variants)}"
            raise ValueError(f"variants: {base.name} has {len(variants)} sources that are variants, {got}")
        for source, variant in zip(variants, self.variants, strict=True):
            source |= variant.model_dump()
        for source in values["sources"]:
            source["reader"] = source.get("reader", {}) | self.model_dump(include=choice)
        if isinstance(base, Images):
            values |= {"descriptors": list(base.descriptors), "views_are": "sources"}
        return Dataset.model_validate(values)


def model_of(values: dict[str, Any]) -> type[Dataset] | type[BaseDataset] | type[Images] | type[Task]:
    """Return the model of the plain values of a file, by a key that only files of this model have."""
    if "base" in values:
        return Task
    return Images if "descriptors" in values else BaseDataset if "classes" in values else Dataset
