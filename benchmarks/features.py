"""Image descriptors: processor time an image, SIFT against OpenCV's at as many points, and a codebook.

The images are those of a folder or of a tar archive, evenly chosen by name. Processor time, since others may be at
work; run with OPENBLAS_NUM_THREADS=1. OpenCV comes with the development packages.
"""

import argparse
import tarfile
import time
from pathlib import Path
from statistics import median

import cv2
import numpy as np

from grambench import features
from grambench.features import images, points, words
from grambench.features.descriptors import dense_sift

SUFFIXES = (".jpg", ".jpeg", ".png")


def read(path, count):
    """Return images by name."""
    if path.is_dir():
        names = sorted(str(each) for each in path.rglob("*") if each.suffix.lower() in SUFFIXES)
        return [images.decode(Path(name).read_bytes(), name) for name in evenly(names, count)]
    with tarfile.open(path) as archive:
        members = {each.name: each for each in archive if each.isfile() and each.name.lower().endswith(SUFFIXES)}
        chosen = [members[name] for name in evenly(sorted(members), count)]
        chosen.sort(key=lambda member: member.offset)  # a compressed archive is read forwards
        return [images.decode(archive.extractfile(member).read(), member.name) for member in chosen]


def evenly(names, count):
    return [names[i] for i in np.linspace(0, len(names) - 1, min(count, len(names))).astype(int)]


def timed(function, *arguments):
    start = time.process_time()
    result = function(*arguments)
    return result, time.process_time() - start


def opencv(parameters, image):
    """Describe the points of `dense_sift` by OpenCV."""
    keypoints = []
    for cell in parameters.cells:
        rows, columns = (points.starts(length, cell, parameters.step) for length in image.shape[:2])
        middle = (points.reach(cell) - 1) / 2
        keypoints += [
            cv2.KeyPoint(float(b + middle), float(a + middle), cell / 1.5, 0.0) for a in rows for b in columns
        ]
    return cv2.SIFT_create().compute(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), keypoints)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--images", type=int, default=20)
    parser.add_argument("--points", type=int, default=700, help="of an image, for the codebook")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    chosen = read(arguments.path, arguments.images)
    shape = " x ".join(str(int(median(image.shape[k] for image in chosen))) for k in (1, 0))
    print(f"{len(chosen)} images, {shape} pixels; medians of processor time")
    samples = {}
    for name in features.names():
        module, parameters = features.load(name), features.parameters(name, {})
        function = module.local if features.has_words(name) else module.describe
        function(parameters, chosen[0])  # compiles
        made = [timed(function, parameters, image) for image in chosen]
        line = f"{name:12} {1000 * median(taken for _, taken in made):7.1f} ms"
        if features.has_words(name):
            rng = np.random.default_rng(0)
            samples[name] = np.concatenate([rng.permutation(each.vectors)[: arguments.points] for each, _ in made])
            line += f", {median(len(each.heights) for each, _ in made):.0f} points"
        print(line)
    parameters = dense_sift.Parameters()
    theirs, ratios = [], []
    for image in chosen:
        theirs.append(timed(opencv, parameters, image)[1])
        ratios.append(theirs[-1] / timed(dense_sift.local, parameters, image)[1])
    print(
        f"OpenCV's SIFT.compute at the points of dense_sift {median(theirs):.2f} s, {median(ratios):.1f} times as long"
    )
    for name, drawn in samples.items():
        wanted = features.parameters(name, {}).words
        book, taken = timed(words.codebook, drawn, wanted, np.random.default_rng(0))
        assigned = [timed(words.Centres(book).nearest, drawn[:9800])[1] for _ in range(5)]
        print(
            f"{name:12} {wanted} words of {len(drawn)} samples {taken:.1f} s; "
            f"assigning {len(drawn[:9800])} {1000 * median(assigned):.0f} ms"
        )


if __name__ == "__main__":
    main()
