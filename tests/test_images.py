"""Images in archives, the tasks that are made of them, and their way to a described data set."""

import bz2
import gzip
import io
import json
import lzma
import tarfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sklearn.metrics.pairwise import additive_chi2_kernel

from grambench import features as registry
from grambench.common.errors import DataError
from grambench.common.files import sha256, write_text
from grambench.config.load import check
from grambench.datasets import collection, drawings, store, unpack, views
from grambench.datasets.descriptions import Images, Task
from grambench.datasets.formats.images import Folders, ImageSets, Numbered, WordLists
from grambench.datasets.prepare import prepare
from grambench.datasets.store import Unavailable
from grambench.features import descriptors
from grambench.kernels import matrices
from grambench.pipeline.job import Job
from grambench.pipeline.steps import codebook, describe, features, pairs
from grambench.pipeline.steps import images as images_step

WORDS = WordLists(
    format="word_lists", images="set/images", train="set/train.txt", test="set/test.txt", words="set/words.txt"
)
SETS = ImageSets(format="image_sets", images="voc/JPEG", sets="voc/Main", train="train", test="val")


def picture(number=0, size=(40, 32)):
    stream = io.BytesIO()
    pixels = np.random.default_rng(number).integers(0, 255, (size[1], size[0], 3), dtype=np.uint8)
    Image.fromarray(pixels).save(stream, "png")
    return stream.getvalue()


def archive(path, members):
    with tarfile.open(path, "w:xz") as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


def listed(**changes):
    members = {
        "set/words.txt": b"sky\r\npeople\r\npolar bear\r\n",
        "set/train.txt": b"1 1\n2 1 2\n3 2 3\n\n4 3\n",
        "set/test.txt": b"5 2\n5 2\n6 1 3 \n",
        **{f"set/images/{number}000/{number}.png": picture(number) for number in range(1, 7)},
    }
    return {name: data for name, data in (members | changes).items() if data is not None}


def test_a_task_has_the_images_with_words_of_one_side(tmp_path):
    found = WORDS.list_images([archive(tmp_path / "a.tar.xz", listed())])
    assert [sorted(words) for words in found.words] == [
        ["sky"],
        ["people", "sky"],
        ["people", "polar bear"],
        ["polar bear"],
        ["people"],
        ["polar bear", "sky"],
    ]
    rows, labels = found.among([["sky"], ["people"]])
    assert [found.paths[row].rpartition("/")[2] for row in rows] == ["1.png", "3.png", "5.png", "6.png"]
    assert labels.tolist() == [0, 1, 1, 0]
    assert found.test.tolist() == [False] * 4 + [True] * 2


def test_difficult_objects_belong_to_no_class(tmp_path):
    members = {
        "voc/Main/cat_train.txt": b"000001  1\n000002 -1\n000003  0\n",
        "voc/Main/car_train.txt": b"000001 -1\n000002  1\n000003  1\n",
        "voc/Main/cat_val.txt": b"000004  1\n",
        "voc/Main/car_val.txt": b"000004  1\n",
        **{f"voc/JPEG/{number:06d}_jpg.rf.1f.jpg": picture(number) for number in range(1, 5)},
    }
    rows, labels = SETS.list_images([archive(tmp_path / "a.tar.xz", members)]).among([["cat"], ["car"]])
    assert (rows, labels.tolist()) == ([0, 1, 2], [0, 1, 1])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"set/images/3000/3.png": None}, r"image 3: listed, but not in the archive \(1 such images\)"),
        ({"set/test.txt": b"5 2\n5 1\n"}, "set/test.txt, line 2: image 5 has other words than where it stood before"),
        ({"set/test.txt": b"5 9\n"}, "set/test.txt, line 1: expected an image and numbers of its words, got '5 9'"),
        ({"set/test.txt": None}, "set/test.txt: expected a list in the archive, got none"),
    ],
)
def test_what_is_missing_or_wrong_is_named(tmp_path, changes, message):
    with pytest.raises(DataError, match=message):
        WORDS.list_images([archive(tmp_path / "a.tar.xz", listed(**changes))])


def test_images_that_a_partial_archive_lacks_are_left_out(tmp_path):
    path = archive(tmp_path / "a.tar.xz", listed(**{"set/images/3000/3.png": None}))
    found = WORDS.model_copy(update={"partial": True}).list_images([path])
    assert len(found.paths) == 5


def test_an_archive_writes_nowhere(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    path = archive(inside / "a.tar.xz", listed(**{"../outside.png": picture(), "/outside.png": picture()}))
    with tarfile.open(path) as tar:
        assert "../outside.png" in tar.getnames()
    WORDS.list_images([path])
    assert sorted(each.name for each in tmp_path.rglob("*")) == ["a.tar.xz", "inside"]
    assert not Path("/outside.png").exists()


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress], ids=["gz", "bz2", "xz"])
def test_an_archive_with_another_end_is_one_line(tmp_path, compress):
    plain = lzma.decompress(archive(tmp_path / "a", listed()).read_bytes())
    packed = compress(plain)
    half = len(packed) // 2
    flipped = bytes([packed[half] ^ 255]) + packed[half + 1 :]
    # gzip compares checksums at its end alone, which may be beyond that of the archive
    for end in (b"", bytes(5000), *([] if compress is gzip.compress else [flipped])):
        (tmp_path / "a").write_bytes(packed[:half] + end)
        with pytest.raises(DataError) as raised:
            WORDS.list_images([tmp_path / "a"])
        assert "\n" not in str(raised.value)


def test_links_and_holes_in_an_archive_are_no_files(tmp_path):
    """A link to itself, and a file of 40 MiB that takes 512 bytes."""
    path = archive(tmp_path / "a", listed(**{"set/train.txt": None}))
    plain = io.BytesIO(lzma.decompress(path.read_bytes()))
    with tarfile.open(fileobj=plain, mode="a") as tar:
        link = tarfile.TarInfo("set/train.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "train.txt"
        tar.addfile(link)
        hole = tarfile.TarInfo("set/hole.txt")
        hole.pax_headers = {"GNU.sparse.major": "0", "GNU.sparse.minor": "1", "GNU.sparse.map": "0,0"}
        hole.pax_headers["GNU.sparse.size"] = str(40 << 20)
        tar.addfile(hole)
    path.write_bytes(plain.getvalue())
    assert "set/hole.txt" not in dict(unpack.tar_files(path, 1, 50))
    with pytest.raises(DataError, match=r"set/train.txt: expected a list in the archive, got none"):
        WORDS.list_images([path])


def test_an_archive_that_unpacks_to_more_than_it_may_is_not_read(tmp_path):
    path = archive(tmp_path / "a", listed(**{"set/zeros.txt": bytes(2 << 20)}))
    assert WORDS.list_images([path]).paths
    with pytest.raises(
        DataError, match=r"^a: expected at most 1 MiB, got more; `mebibytes` of its reader is the limit"
    ):
        WORDS.model_copy(update={"mebibytes": 1}).list_images([path])


def test_a_header_that_claims_gigabytes_is_not_believed(tmp_path):
    path = tmp_path / "a"
    long_name = tarfile.TarInfo("x")
    long_name.type, long_name.size = tarfile.GNUTYPE_LONGNAME, 7 << 30
    path.write_bytes(long_name.tobuf(tarfile.GNU_FORMAT) + bytes(1 << 20))
    with pytest.raises(DataError, match=r"^a: expected "):
        WORDS.list_images([path])


# the whole way, as the rules go it


@pytest.fixture
def fetched(tmp_path):
    """Return a function that makes a base of an archive, as fetched, with a task."""

    def make(members):
        path = archive(tmp_path / "a.tar.xz", members)
        source = {"kind": "mirror", "files": [{"name": path.name, "sha256": sha256(path)}]}
        source["reader"] = WORDS.model_dump(include={"format", "images", "train", "test", "words"})
        prose = dict.fromkeys(("title", "licence", "citation", "url"), "-")
        numbers = {"name": "toy", "n": 6, "descriptors": {"lab": {}}, "sources": [source]}
        base = check(Images, prose | numbers, "toy")
        note = {"status": "ok", "index": 0, "kind": "mirror", "origin": base.sources[0].origin}
        note |= {"mirror": None, "files": {path.name: sha256(path)}, "tried": []}
        write_text(tmp_path / "source.json", json.dumps(note))
        return base

    return make


TASK = {"name": "toy_sky", "title": "-", "base": "toy", "positive": ["sky"], "negative": ["people"], "n": 4}


def of(base, **changes):
    return check(Task, TASK | {"positives": 2, "content": "f" * 64} | changes, "toy_sky").of(base)


def test_a_task_is_prepared_as_described(fetched, tmp_path):
    base = fetched(listed())
    with pytest.raises(DataError, match=r"toy_sky: expected content .*, got ([0-9a-f]{64})") as raised:
        prepare(of(base), tmp_path)
    content = str(raised.value).split("got ")[1][:64]
    prepared = prepare(of(base, content=content), tmp_path)
    path = tmp_path / "toy_sky.h5"
    store.write(path, prepared)
    again = store.read(path)
    assert again.images == prepared.images
    assert again.test.tolist() == [False, False, True, True]
    assert again.content == content
    assert again.features.shape == (4, 0)
    for changes, message in (({"n": 5}, "expected 5 images, got 4"), ({"positives": 1}, "expected 1 examples lab")):
        with pytest.raises(DataError, match=message):
            prepare(of(base, content=content, **changes), tmp_path)


def test_another_split_or_another_image_is_other_content(fetched, tmp_path):
    def content(members):
        with pytest.raises(DataError) as raised:
            prepare(of(fetched(members)), tmp_path)
        return str(raised.value).split("got ")[1][:64]

    moved = listed(**{"set/images/1000/1.png": None, "set/images/1001/1.png": picture(1)})
    swapped = listed(**{"set/train.txt": b"1 1\n2 1 2\n4 3\n5 2\n", "set/test.txt": b"3 2 3\n6 1 3\n"})
    assert len({content(listed()), content(moved), content(swapped)}) == 3


def run(base, tmp_path, tasks=((("sky",), ("people",)),)):
    output = tmp_path / "toy.h5"
    spec = {"base": base.model_dump(mode="json"), "tasks": tasks}
    images_step.main(Job(json.dumps(spec), "code", [output], [tmp_path / "source.json"]))
    return output


def test_the_images_of_a_base_are_those_of_its_tasks(fetched, tmp_path):
    path = run(fetched(listed()), tmp_path)
    collected = collection.read(path)
    assert [each.rpartition("/")[2] for each in collected.paths] == ["1.png", "3.png", "5.png", "6.png"]
    assert collected.test.tolist() == [False, False, True, True]
    assert collection.files(path, [1, 3]) == [picture(3), picture(6)]


def test_a_damaged_image_makes_the_base_unavailable_and_is_named(fetched, tmp_path):
    path = run(fetched(listed(**{"set/images/3000/3.png": picture(3)[:300]})), tmp_path)
    collected = collection.read(path)
    assert isinstance(collected, Unavailable)
    assert "set/images/3000/3.png" in str(collected)
    output = tmp_path / "lab.h5"
    spec = json.dumps({"descriptor": "lab", "settings": {}, "part": 0, "parts": 1})
    describe.main(Job(spec, "code", [output], [path]))
    assert isinstance(views.read(output), Unavailable)


def test_a_descriptor_that_cannot_be_imported_leaves_its_images_undescribed(fetched, tmp_path, monkeypatch):
    folder = tmp_path / "descriptors"
    folder.mkdir()
    (folder / "mine.py").write_text('"""Mine: new."""\nimport a_package_that_nobody_has\n')
    monkeypatch.setitem(vars(registry.REGISTRY), "folder", tmp_path)
    monkeypatch.setattr(descriptors, "__path__", [str(folder)])
    assert not registry.has_words("mine") and registry.resolved("mine", {"bins": 3}) == {"bins": 3}
    output = tmp_path / "mine.h5"
    spec = json.dumps({"descriptor": "mine", "settings": {"bins": 3}, "part": 0, "parts": 1})
    describe.main(Job(spec, "code", [output], [run(fetched(listed()), tmp_path)]))
    described = views.read(output)
    assert isinstance(described, Unavailable)
    assert "descriptor mine cannot be imported: ModuleNotFoundError: No module named" in str(described)


def test_distances_among_images_go_through_a_file_and_back(tmp_path, monkeypatch):
    rng = np.random.default_rng(3)
    names = tuple("cab")
    task = store.PreparedDataset(
        name="toy", features=np.empty((3, 0)), labels=np.array([1, -1, 1]), orders=None, source={}, images=names
    )
    counts = {"lab": rng.poisson(4.0, (4, 8)).astype(np.uint16)}
    prepared, described, output = (tmp_path / f"{name}.h5" for name in ("toy", "lab", "pairs"))
    store.write(prepared, task)
    store.write(described, views.DescribedImages("lab", list("abcd"), counts))
    spec = json.dumps({"sources": [["lab", "chisquare"], ["lab", "inner"]]})
    pairs.main(Job(spec, "code", [output], [prepared, described]))
    found = matrices.open_pairs(output)
    histograms = counts["lab"][[2, 0, 1]] / counts["lab"][[2, 0, 1]].sum(axis=1, keepdims=True)
    rows = counts["lab"][[2, 0, 1]] / np.linalg.norm(counts["lab"][[2, 0, 1]], axis=1, keepdims=True)
    assert np.allclose(found["lab", "chisquare"], -additive_chi2_kernel(histograms), rtol=1e-12)
    assert np.allclose(found["lab", "inner"], rows @ rows.T, rtol=1e-12)
    monkeypatch.setattr(pairs, "MOST", 2)
    pairs.main(Job(spec, "code", [output], [prepared, described]))
    assert matrices.open_pairs(output) == {}
    store.write(described, Unavailable("toy", ("no images",)))
    pairs.main(Job(spec, "code", [output], [prepared, described]))
    with pytest.raises(DataError, match=r"holds no matrices \(toy is unavailable: no images"):
        matrices.open_pairs(output)


def test_descriptions_do_not_depend_on_the_number_of_parts(fetched, tmp_path):
    path = run(fetched(listed()), tmp_path)
    book = tmp_path / "words.h5"
    settings = {"step": 6, "cells": [4], "words": 5}
    spec = {"descriptor": "dense_sift", "settings": settings, "seed": 1}
    codebook.main(Job(json.dumps(spec), "code", [book], [path]))
    found = []
    for parts in (1, 3):
        (tmp_path / str(parts)).mkdir()
        outputs = [tmp_path / f"{parts}/{part}.h5" for part in range(parts)]
        for part, output in enumerate(outputs):
            spec = {"descriptor": "dense_sift", "settings": settings, "part": part, "parts": parts}
            describe.main(Job(json.dumps(spec), "code", [output], [path, book]))
        whole = tmp_path / f"{parts}.h5"
        features.main(Job("", "code", [whole], outputs))
        found.append(views.read(whole))
    first, second = found
    assert first.paths == second.paths == collection.read(path).paths
    assert set(first.views) == {"dense_sift", "dense_sift_v3h1"}
    for view, values in first.views.items():
        assert np.array_equal(values, second.views[view])
        assert values.dtype == np.uint16
        assert (values.sum(axis=1) > 0).all()
    some = first.of(first.paths[::-1])
    assert np.array_equal(some["dense_sift"], first.views["dense_sift"][::-1])
    with pytest.raises(DataError, match=r"toy: other.png is not described"):
        first.of(["other.png"])


def test_drawings_are_the_same_every_time_and_alone():
    paths = drawings.listed(3, 1).paths
    together = drawings.draw(paths, seed=1)
    assert drawings.draw(paths[2:3], seed=1)[paths[2]] == together[paths[2]]
    assert len(set(together.values())) == 4
    assert drawings.draw(paths, seed=2)[paths[0]] != together[paths[0]]


# classes by names and folders


def named(**changes):
    members = {f"set/jpg/image_{number:04d}.jpg": picture(number) for number in range(1, 7)}
    members |= {"set/jpg/files.txt": b"", "set/readme.txt": b""} | changes
    return {path: data for path, data in members.items() if data is not None}


def test_equally_many_images_of_each_class_are_numbered(tmp_path):
    reader = check(Numbered, {"format": "numbered", "images": "set/jpg", "names": ["a", "b", "c"], "each": 2}, "reader")
    found = reader.list_images([archive(tmp_path / "a.tar.xz", named())])
    assert [next(iter(words)) for words in found.words] == ["a", "a", "b", "b", "c", "c"]
    assert not found.test.any()
    assert found.among([["c"], ["a"]])[1].tolist() == [1, 1, 0, 0]
    for stray in ("set/jpg/image_0007.jpg", "set/jpg/image.jpg", "set/jpg/image_0000.jpg"):
        with pytest.raises(DataError, match=f"{stray}: expected a name that ends in a number from 1 to 6"):
            reader.list_images([archive(tmp_path / "b.tar.xz", named(**{stray: picture(9)}))])


def test_folders_are_classes(tmp_path):
    members = {f"set/{folder}/image_{number}.jpg": picture(number) for folder in ("ant", "bee") for number in (1, 2)}
    reader = check(Folders, {"format": "folders", "images": "set"}, "reader")
    found = reader.list_images([archive(tmp_path / "a.tar.xz", members)])
    assert found.words == [frozenset({"ant"})] * 2 + [frozenset({"bee"})] * 2
