"""Images in archives, and the lists that say which words each has and to which part of a split it belongs.

Archives are read member by member in memory: nothing is unpacked, so that no path in an archive is ever one of the
machine's. An image is known by its name, or where lists name it by the number that its file's name begins with.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

import numpy as np

from grambench.common.errors import DataError
from grambench.config.dataset import Folders, Generated, ImageReader, ImageSets, Numbered, Source, WordLists
from grambench.datasets import drawings, unpack
from grambench.datasets.listed import Listed

SUFFIXES = (".jpg", ".jpeg", ".png")
LARGEST = 50  # mebibytes of an archive's member that is read
WORD = re.compile(r"[0-9]+")
LAST_NUMBER = re.compile(r"[0-9]+$")


def read(reader: ImageReader, archives: Sequence[Path]) -> Listed:
    """Read the lists, and find their images.

    Parameters
    ----------
    reader : ImageReader
        Where they are.
    archives : sequence of Path
        Tar files.

    Raises
    ------
    DataError
        If a list is missing or not understood, or names an image that no archive has.
    """
    if isinstance(reader, Numbered | Folders):
        return _by_name(reader, archives)
    texts: dict[str, str] = {}
    found: dict[str, str] = {}
    for path, data in _members(archives, reader.mebibytes):
        if path.startswith(reader.images.rstrip("/") + "/") and path.lower().endswith(SUFFIXES):
            if number := WORD.match(PurePosixPath(path).name):
                found.setdefault(number[0], path)
        elif not path.lower().endswith(SUFFIXES):
            texts[path] = data.decode("utf-8", errors="replace")
    if isinstance(reader, WordLists):
        parts = [_word_lists(reader, texts, path) for path in (reader.train, reader.test)]
    elif isinstance(reader, ImageSets):
        parts = [_image_sets(reader, texts, part) for part in (reader.train, reader.test)]
    else:
        raise DataError(f"expected a reader of images, got {type(reader).__name__}")
    paths: list[str] = []
    words: list[frozenset[str]] = []
    counts = []
    for part in parts:
        if not reader.partial and (missing := [number for number in part if number not in found]):
            raise DataError(f"image {missing[0]}: listed, but not in the archive ({len(missing)} such images)")
        there = [number for number in part if number in found]
        paths += [found[number] for number in there]
        words += [part[number] for number in there]
        counts.append(len(there))
    return Listed(paths, words, np.repeat([False, True], counts))


def _by_name(reader: Numbered | Folders, archives: Sequence[Path]) -> Listed:
    """Return the images of which names or folders say the class; there is no split."""
    top = reader.images.rstrip("/") + "/"
    words: dict[str, frozenset[str]] = {}
    for path, _ in _members(archives, reader.mebibytes):
        if not path.startswith(top) or not path.lower().endswith(SUFFIXES):
            continue
        if isinstance(reader, Folders):
            words[path] = frozenset({PurePosixPath(path).parent.name})
            continue
        number = LAST_NUMBER.search(PurePosixPath(path).stem)
        place = (int(number[0]) - 1) // reader.each if number else -1
        if not 0 <= place < len(reader.names):
            last = reader.each * len(reader.names)
            raise DataError(f"{path}: expected a name that ends in a number from 1 to {last}")
        words[path] = frozenset({reader.names[place]})
    paths = sorted(words)
    return Listed(paths, [words[path] for path in paths], np.zeros(len(paths), dtype=np.bool_))


def _members(archives: Sequence[Path], mebibytes: int) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of the ordinary files in archives that are not too large."""
    for archive in archives:
        yield from unpack.tar_files(archive, mebibytes, LARGEST)


def _text(texts: Mapping[str, str], path: str) -> str:
    if path not in texts:
        raise DataError(f"{path}: expected a list in the archive, got none")
    return texts[path]


def _word_lists(reader: WordLists, texts: Mapping[str, str], path: str) -> dict[str, frozenset[str]]:
    words = [line.strip() for line in _text(texts, reader.words).splitlines()]
    found: dict[str, frozenset[str]] = {}
    for number, line in enumerate(_text(texts, path).splitlines(), 1):
        if not line.strip():
            continue
        image, *places = line.split()
        if not all(WORD.fullmatch(place) and 1 <= int(place) <= len(words) for place in places):
            raise DataError(f"{path}, line {number}: expected an image and numbers of its words, got {line[:80]!r}")
        said = frozenset(words[int(place) - 1] for place in places)
        if found.setdefault(image, said) != said:  # Corel5k's test list names one image twice, with the same words
            raise DataError(f"{path}, line {number}: image {image} has other words than where it stood before")
    return found


def _image_sets(reader: ImageSets, texts: Mapping[str, str], part: str) -> dict[str, frozenset[str]]:
    folder, suffix = reader.sets.rstrip("/") + "/", f"_{part}.txt"
    classes: dict[str, set[str]] = {}
    for path in sorted(path for path in texts if path.startswith(folder) and path.endswith(suffix)):
        name = path.removeprefix(folder).removesuffix(suffix)
        for number, line in enumerate(texts[path].splitlines(), 1):
            match line.split():
                case [image, ("1" | "-1" | "0") as said]:
                    classes.setdefault(image, set()).update({name} if said == "1" else ())
                case _:
                    raise DataError(f"{path}, line {number}: expected an image and 1, -1 or 0, got {line[:80]!r}")
    if not classes:
        raise DataError(f"{folder}*{suffix}: expected a list a class in the archive, got none")
    return {image: frozenset(names) for image, names in sorted(classes.items())}


def found(source: Source, files: Mapping[str, Path]) -> Listed:
    """Return the images of a source, drawn or from archives; raise DataError where that cannot be."""
    if isinstance(source, Generated):
        return drawings.listed(int(source.parameters["train"]), int(source.parameters["test"]))
    if not isinstance(source.reader, ImageReader):
        raise DataError(f"expected a reader of images, got {type(source.reader).__name__}")
    return read(source.reader, list(files.values()))


def contents(source: Source, files: Mapping[str, Path], wanted: Sequence[str]) -> dict[str, bytes]:
    """Return the files of images of a source; raise DataError where one is not there."""
    if isinstance(source, Generated):
        return drawings.drawn(wanted, seed=source.seed)
    names = set(wanted)
    held = {path: data for path, data in _members(list(files.values()), source.reader.mebibytes) if path in names}
    if missing := sorted(names - set(held)):
        raise DataError(f"{missing[0]}: not in the archive, or larger than {LARGEST} MiB")
    return held
