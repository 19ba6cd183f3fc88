"""Images in archives, and lists of their words and of the split.

The members of an archive are read in memory and never written to a path that the archive names. An image is identified
by its path, or by the number at the beginning of its file name if lists name it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from grambench.common.errors import DataError
from grambench.common.types import Labels
from grambench.datasets import unpack
from grambench.datasets.formats.reader import Label, Reader

SUFFIXES = (".jpg", ".jpeg", ".png")
LARGEST = 50  # the largest size of a file in an archive in mebibytes; larger files are not read
WORD = re.compile(r"[0-9]+")
LAST_NUMBER = re.compile(r"[0-9]+$")


@dataclass(frozen=True, slots=True)
class Listed:
    """N images with their words, the training images first.

    Attributes
    ----------
    paths : list of str
        The paths of the images in the archives.
    words : list of frozenset of str
        The words or classes of each image.
    test : ndarray of bool (N,)
        Whether each image is in the test part of the split.
    """

    paths: list[str]
    words: list[frozenset[str]]
    test: NDArray[np.bool_]

    def among(self, groups: Sequence[Sequence[Label]]) -> tuple[list[int], Labels]:
        """Return the indices of the images with words of exactly one group, and the numbers of these groups."""
        matches = [[number for number, group in enumerate(groups) if words & set(group)] for words in self.words]
        rows = [row for row, numbers in enumerate(matches) if len(numbers) == 1]
        return rows, np.array([matches[row][0] for row in rows], dtype=np.int8)


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

    def list_images(self, archives: Sequence[Path]) -> Listed:
        """Return the images of tar files with their words.

        Raises
        ------
        DataError
            If a list is missing or malformed, or names an image that no archive has.
        """
        raise NotImplementedError

    def is_image(self, path: str) -> bool:
        """Return whether a path in an archive is that of an image."""
        return path.startswith(self.images.rstrip("/") + "/") and path.lower().endswith(SUFFIXES)


class ListReader(ImageReader):
    """Base of the formats with lists of the training and of the test images.

    Attributes
    ----------
    train, test : str
        The lists, or what their names have, of the training and of the test images.
    """

    train: str
    test: str

    def words_of(self, texts: Mapping[str, str], part: str) -> dict[str, frozenset[str]]:
        """Return the words of each image of a part, `train` or `test`, from the texts of archives by their paths."""
        raise NotImplementedError

    def list_images(self, archives: Sequence[Path]) -> Listed:
        """Return the listed images; see ImageReader."""
        texts: dict[str, str] = {}
        path_of: dict[str, str] = {}
        for path, data in read_members(archives, self.mebibytes):
            if self.is_image(path):
                if number := WORD.match(PurePosixPath(path).name):
                    path_of.setdefault(number[0], path)
            elif not path.lower().endswith(SUFFIXES):
                texts[path] = data.decode("utf-8", errors="replace")
        parts = [self.words_of(texts, part) for part in (self.train, self.test)]
        for part in parts:
            if not self.partial and (missing := [number for number in part if number not in path_of]):
                raise DataError(f"image {missing[0]}: listed, but not in the archive ({len(missing)} such images)")
        images = [(part, number) for part in parts for number in part if number in path_of]
        test = np.array([part is parts[1] for part, _ in images], dtype=np.bool_)
        return Listed([path_of[number] for _, number in images], [part[number] for part, number in images], test)


class WordLists(ListReader):
    """Lists with one image per line: its number, and the numbers of its words, which start at 1 (Corel5k).

    Attributes
    ----------
    train, test : str
        The lists of the training and of the test images.
    words : str
        The list of the words, one per line.
    """

    format: Literal["word_lists"]
    words: str

    def words_of(self, texts: Mapping[str, str], part: str) -> dict[str, frozenset[str]]:
        """Return the words of each image of a list."""
        words = [line.strip() for line in _text(texts, self.words).splitlines()]
        words_of: dict[str, frozenset[str]] = {}
        for number, line in enumerate(_text(texts, part).splitlines(), 1):
            if not line.strip():
                continue
            image, *numbers = line.split()
            if not all(WORD.fullmatch(word) and 1 <= int(word) <= len(words) for word in numbers):
                raise DataError(f"{part}, line {number}: expected an image and numbers of its words, got {line[:80]!r}")
            image_words = frozenset(words[int(word) - 1] for word in numbers)
            # Corel5k's test list names one image twice, with the same words.
            if words_of.setdefault(image, image_words) != image_words:
                raise DataError(f"{part}, line {number}: image {image} has other words than where it stood before")
        return words_of


class ImageSets(ListReader):
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

    def words_of(self, texts: Mapping[str, str], part: str) -> dict[str, frozenset[str]]:
        """Return the classes of each image of a part."""
        folder, suffix = self.sets.rstrip("/") + "/", f"_{part}.txt"
        classes: dict[str, set[str]] = {}
        for path in sorted(path for path in texts if path.startswith(folder) and path.endswith(suffix)):
            name = path.removeprefix(folder).removesuffix(suffix)
            for number, line in enumerate(texts[path].splitlines(), 1):
                match line.split():
                    case [image, ("1" | "-1" | "0") as mark]:
                        classes.setdefault(image, set()).update({name} if mark == "1" else ())
                    case _:
                        raise DataError(f"{path}, line {number}: expected an image and 1, -1 or 0, got {line[:80]!r}")
        if not classes:
            raise DataError(f"{folder}*{suffix}: expected a list a class in the archive, got none")
        return {image: frozenset(names) for image, names in sorted(classes.items())}


class PathReader(ImageReader):
    """Base of the formats in which the path of an image tells its class; they have no split."""

    def word(self, path: str) -> str:
        """Return the class of an image."""
        raise NotImplementedError

    def list_images(self, archives: Sequence[Path]) -> Listed:
        """Return the images in the order of their paths; see ImageReader."""
        members = read_members(archives, self.mebibytes)
        words = {path: frozenset({self.word(path)}) for path, _ in members if self.is_image(path)}
        paths = sorted(words)
        return Listed(paths, [words[path] for path in paths], np.zeros(len(paths), dtype=np.bool_))


class Numbered(PathReader):
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

    def word(self, path: str) -> str:
        """Return the class of an image, by the number in its name."""
        number = LAST_NUMBER.search(PurePosixPath(path).stem)
        label = (int(number[0]) - 1) // self.each if number else -1
        if not 0 <= label < len(self.names):
            n_images = self.each * len(self.names)
            raise DataError(f"{path}: expected a name that ends in a number from 1 to {n_images}")
        return self.names[label]


class Folders(PathReader):
    """Images in one folder for each class, with the name of the class."""

    format: Literal["folders"]

    def word(self, path: str) -> str:
        """Return the class of an image, the name of its folder."""
        return PurePosixPath(path).parent.name


def read_members(archives: Sequence[Path], mebibytes: int) -> Iterator[tuple[str, bytes]]:
    """Yield the path and content of each ordinary file in archives that is not too large."""
    for archive in archives:
        yield from unpack.tar_files(archive, mebibytes, LARGEST)


def _text(texts: Mapping[str, str], path: str) -> str:
    if path not in texts:
        raise DataError(f"{path}: expected a list in the archive, got none")
    return texts[path]
