"""Image descriptors and visual words: against the definitions written out, OpenCV, scikit-learn and drawn images."""

import dataclasses
import io
import math
import zlib

import numpy as np
import pytest
from PIL import EpsImagePlugin, Image
from sklearn.cluster import KMeans

from grambench import features
from grambench.common.errors import ConfigError, DataError, unknown_name
from grambench.features import gaussian, harris, hue, images, points, sift, words
from grambench.features.descriptors import gist, lab, phog
from grambench.features.gaussian import blur
from grambench.features.images import grey

LOCAL = [name for name in features.names() if features.has_words(name)]
WHOLE = [name for name in features.names() if not features.has_words(name)]


def drawn(height=48, width=64, seed=0):
    """Draw coloured discs on a noisy ground."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:height, :width]
    image = np.full((height, width, 3), 90.0)
    for _ in range(12):
        row, column, radius = rng.uniform(0, height), rng.uniform(0, width), rng.uniform(3, 10)
        image[(y - row) ** 2 + (x - column) ** 2 < radius**2] = rng.uniform(0, 255, 3)
    return np.clip(image + rng.normal(scale=4.0, size=image.shape), 0, 255).astype(np.uint8)


def settings(name):
    """Return settings with which a small image has points."""
    return {"step": 4, "cells": [3, 4]} if name.startswith("dense") else {}


def described(name, image):
    return features.load(name).describe(features.parameters(name, {}), image)


def local(name, image):
    return features.load(name).local(features.parameters(name, settings(name)), image)


def cosines(a, b):
    a, b = a.astype(float), b.astype(float)
    return (a * b).sum(axis=1) / np.maximum(np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1), 1e-9)


# The registry


def test_the_views_of_the_descriptors():
    views = [view for name in features.names() for view in features.views(name)]
    assert len(features.names()) == 9
    assert len(views) == len(set(views)) == 15 + 4  # those of OKS, and the levels of PHOG
    assert all(features.descriptor(view) in view for view in views)
    for name in WHOLE:
        layouts = described(name, drawn())
        assert [f"{name}_{layout}" if layout else name for layout in layouts] == features.views(name)


@pytest.mark.compiled
@pytest.mark.parametrize("name", features.names())
def test_a_descriptor_says_what_it_is_and_keeps_its_image(name):
    module, image = features.load(name), drawn()
    assert ": " in module.__doc__.splitlines()[0]
    image.flags.writeable = False
    (described if name in WHOLE else local)(name, image)
    with pytest.raises(ConfigError, match="unknown parameter"):
        features.parameters(name, {"no_such": 1})
    assert features.resolved(name, {}) == dataclasses.asdict(module.Parameters())


@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [
        ("dense_sift", {"step": 0}, "step must be a whole number of at least 1, got 0"),
        ("dense_sift", {"step": 2.5}, "step must be a whole number of at least 1, got 2.5"),
        ("dense_hue", {"cells": []}, "cells must have at least one side"),
        ("dense_sift", {"cells": [4, 25]}, "each of cells must be a whole number from 1 to 24, got 25"),
        ("harris_sift", {"words": 0}, "words must be a whole number of at least 1, got 0"),
        ("harris_hue", {"threshold": 0.0}, "threshold must be positive, got 0.0"),
        ("gist", {"size": 100}, "size must be a multiple of 64, got 100"),
    ],
)
def test_settings_are_checked(name, wrong, message):
    with pytest.raises(ConfigError, match=f"{name}: {message}"):
        features.parameters(name, wrong)


def test_unknown_names_are_refused():
    for function in (features.module, features.views, features.descriptor):
        with pytest.raises(ConfigError, match="did you mean dense_sift"):
            function("dense_sfit")
    with pytest.raises(ConfigError, match=r"unknown column 'x': known: 100, .*, 159 and 1 more$"):
        raise unknown_name("column", "x", map(str, range(100, 161)))


# Decoding


def encoded(array, format="PNG", mode=None, **options):
    buffer = io.BytesIO()
    image = Image.fromarray(array)
    (image.convert(mode) if mode else image).save(buffer, format, **options)
    return buffer.getvalue()


def test_decoding_gives_the_pixels():
    image = drawn()
    assert np.array_equal(images.decode(encoded(image), "a.png"), image)
    levels = image[:, :, 0]
    assert np.array_equal(images.decode(encoded(levels), "a.png"), np.repeat(levels[:, :, None], 3, axis=2))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"no image", "expected a JPEG or PNG image, got 8 bytes of another kind"),
        (b"", "expected a JPEG or PNG image, got 0 bytes"),
        *((encoded(drawn(), kind), "expected a JPEG or PNG image") for kind in ("BMP", "GIF", "TIFF", "PPM", "WEBP")),
        (encoded(drawn(), "JPEG")[:700], "expected a whole image, got a damaged one"),
        (encoded(drawn())[:2000], "expected a whole image, got a damaged one"),
        (encoded(drawn(), "JPEG", "CMYK"), "expected an image of mode RGB or L, got CMYK"),
        (encoded(drawn(), "PNG", "P"), "expected an image of mode RGB or L, got P"),
        (encoded(drawn(), "PNG", "RGBA"), "expected an image of mode RGB or L, got RGBA"),
        (encoded(drawn()[:15]), "expected at least 16 x 16 pixels, got 64 x 15"),
    ],
)
def test_what_is_no_usable_image_is_refused_in_one_line(data, message):
    with pytest.raises(DataError, match=f"^some/image: {message}") as caught:
        images.decode(data, "some/image")
    assert "\n" not in str(caught.value)


EPS = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 40 32\n%%EndComments\nshowpage\n%%EOF\n"


def test_a_program_is_no_image_and_no_other_program_gets_it(monkeypatch):
    """Pillow would draw it with Ghostscript, and PostScript can do what a program can."""
    called = []

    def ghostscript(*arguments, **options):
        called.append(arguments)
        return Image.new("RGB", (40, 32)).im

    monkeypatch.setattr(EpsImagePlugin, "Ghostscript", ghostscript)
    assert Image.open(io.BytesIO(EPS)).load() and called
    called.clear()
    with pytest.raises(DataError, match=rf"^some/image: expected a JPEG or PNG image, got {len(EPS)} bytes of another"):
        images.decode(EPS, "some/image")
    assert not called


@pytest.mark.parametrize("side", [8_000, 11_000, 60_000])
def test_decompression_bombs_are_refused_before_they_are_unpacked(side):
    small = encoded(np.zeros((16, 16), dtype=np.uint8))
    header = small[12:16] + side.to_bytes(4, "big") * 2 + small[24:29]
    bomb = small[:12] + header + zlib.crc32(header).to_bytes(4, "big") + small[33:]
    with pytest.raises(DataError, match="some/image: expected at most 50000000 pixels"):
        images.decode(bomb, "some/image")


# Colours


def naive_counts(channels, bins, bands):
    counts = np.zeros((bands, bins, bins, bins), dtype=int)
    for y, row in enumerate(channels.tolist()):
        for a, b, c in row:
            counts[int(y / len(channels) * bands), a * bins // 256, b * bins // 256, c * bins // 256] += 1
    return counts.ravel()


def any_colours():
    """Return random colours, and all whose channels are 0, 1, 127, 128, 254 or 255."""
    chosen = np.stack(np.meshgrid(*3 * [[0, 1, 127, 128, 254, 255]]), axis=-1).reshape(-1, 3)
    drawn_colours = np.random.default_rng(5).integers(0, 256, size=(48 * 64 - len(chosen), 3))
    return np.concatenate([chosen, drawn_colours]).astype(np.uint8).reshape(48, 64, 3)


def hsv_of(image):
    return np.asarray(Image.fromarray(image).convert("HSV"))


@pytest.mark.parametrize(("name", "convert"), [("rgb", lambda image: image), ("hsv", hsv_of), ("lab", lab.convert)])
def test_colour_histograms_count_as_loops_do(name, convert):
    for image in (drawn(), drawn(height=49), any_colours()):
        counts = described(name, image)
        assert np.array_equal(counts[""], naive_counts(convert(image), 16, 1))
        assert np.array_equal(counts["v3h1"], naive_counts(convert(image), 12, 3))


def test_lab_of_known_colours():
    """White, black, grey 119 and the primaries, as printed by Lindbloom's calculator (sRGB, D65)."""
    colours = [(255, 255, 255), (0, 0, 0), (119, 119, 119), (255, 0, 0), (0, 255, 0), (0, 0, 255)]
    expected = np.array(
        [(100, 0, 0), (0, 0, 0), (50.03, 0, 0), (53.24, 80.09, 67.2), (87.73, -86.18, 83.18), (32.3, 79.19, -107.86)]
    )
    got = lab.convert(np.array([colours], dtype=np.uint8))[0].astype(float)
    assert np.abs(got - [(2.55 * lightness, a + 128, b + 128) for lightness, a, b in expected]).max() <= 0.6


def test_lab_and_hues_are_those_of_the_formulas():
    image = any_colours()
    parts = lab.LINEAR[image.astype(int)] @ lab.TO_XYZ.T
    roots = np.where(parts > lab.LINEAR_PART, np.cbrt(parts), parts / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = np.moveaxis(roots, 2, 0)
    expected = np.stack([(116 * y - 16) * 2.55 + 0.5, 500 * (x - y) + 128.5, 200 * (y - z) + 128.5], axis=2)
    # Rounding decides where a channel is a whole number, as those of greys are.
    clear = abs(expected - np.rint(expected)) > 1e-9
    assert clear.mean() > 0.99
    assert np.array_equal(lab.convert(image)[clear], np.floor(expected[clear]))
    red, green, blue = np.moveaxis(image.astype(float), 2, 0)
    first, second = (red - green) / math.sqrt(2), (red + green - 2 * blue) / math.sqrt(6)
    bins, weights = hue.hues(image)
    turns = (np.arctan2(first, second) / (2 * math.pi) + 1) * hue.BINS + 0.5
    clear = abs(turns - np.rint(turns)) > 1e-9
    assert clear.mean() > 0.95
    assert np.array_equal(bins[clear], np.floor(turns[clear]) % hue.BINS)
    assert np.array_equal(weights, np.floor(hue.SATURATION_UNITS * np.sqrt(first**2 + second**2) + 0.5))


# Gist


def grating(period, turn, size=128):
    """Draw a wave whose direction is `turn` clockwise from the right."""
    y, x = np.mgrid[:size, :size]
    wave = 128 + 60 * np.sin(2 * np.pi / period * (x * math.cos(turn) + y * math.sin(turn)))
    return np.repeat(wave.astype(np.uint8)[:, :, None], 3, axis=2)


@pytest.mark.parametrize("scale", range(4))
@pytest.mark.parametrize("orientation", [0, 1, 3, 4, 6])
def test_gist_of_a_grating_is_largest_at_its_scale_and_orientation(scale, orientation):
    image = grating(1.85**scale / 0.3, orientation * math.pi / 8)
    vector = gist.describe(gist.Parameters(size=128), image)[""].reshape(4, 8, 16)
    assert vector.shape == (4, 8, 16)
    means = vector.mean(axis=2)
    assert np.unravel_index(means.argmax(), means.shape) == (scale, orientation)


def test_gist_tells_blocks_and_is_nothing_for_a_flat_image():
    image = np.full((128, 128, 3), 128, dtype=np.uint8)
    assert np.abs(gist.describe(gist.Parameters(size=128), image)[""]).max() < 1e-3
    image[32:64, 64:96] = grating(1 / 0.3, 0.0)[32:64, 64:96]
    blocks = gist.describe(gist.Parameters(size=128), image)[""].reshape(4, 8, 4, 4)
    assert np.unravel_index(blocks[0, 0].argmax(), (4, 4)) == (1, 2)


def test_coarse_scales_of_gist_lose_nothing_by_leaving_out_pixels(monkeypatch):
    image = drawn(128, 128)
    short = gist.describe(gist.Parameters(size=128), image)[""]
    gist._filters.cache_clear()
    monkeypatch.setattr(gist, "EVERY", (1, 1, 1, 1))
    whole = gist.describe(gist.Parameters(size=128), image)[""]
    gist._filters.cache_clear()
    assert np.array_equal(short[:256], whole[:256])
    assert np.abs(short - whole).max() < 0.1 * whole.max()  # blocks of every fourth pixel begin 1.5 pixels off
    assert np.corrcoef(short[256:], whole[256:])[0, 1] > 0.99


# SIFT


def naive_sift(image, row, column, cell):
    """SIFT of one upright patch by its definition, in double precision."""
    height, width = image.shape
    histogram = np.zeros((4, 4, 8))
    for y in range(height):
        for x in range(width):
            right = (float(image[y, min(x + 1, width - 1)]) - float(image[y, max(x - 1, 0)])) / 2
            up = (float(image[max(y - 1, 0), x]) - float(image[min(y + 1, height - 1), x])) / 2
            angle = math.atan2(up, right) % (2 * math.pi) / (math.pi / 4)
            for i in range(4):
                for j in range(4):
                    share = max(0, 1 - abs(y - row - (i - 1.5) * cell) / cell)
                    share *= max(0, 1 - abs(x - column - (j - 1.5) * cell) / cell)
                    for o in range(8) if share else ():
                        near = max(0, 1 - min(abs(angle - o), abs(angle - o - 8)))
                        histogram[i, j, o] += math.hypot(right, up) * share * near
    offsets = np.array([-1.5, -0.5, 0.5, 1.5])
    weights = np.exp(-(offsets[:, None] ** 2 + offsets**2) / 8)
    vector = (histogram * weights[:, :, None]).ravel()
    vector = np.minimum(vector / np.linalg.norm(vector), 0.2)
    return np.minimum(512 * vector / np.linalg.norm(vector), 255)


def levels(height=40, width=44, seed=1):
    return gaussian.blur(images.grey(drawn(height, width, seed)), 1.0)


@pytest.mark.compiled
@pytest.mark.parametrize("cell", [3, 4, 6])
def test_sift_is_its_definition_written_out(cell):
    image = levels()
    rows, columns = np.array([0, 7]), np.array([2, 44 - 5 * cell + 1])
    made = sift.dense(image, rows, columns, cell)
    middle = (points.reach(cell) - 1) / 2
    for vector, (a, b) in zip(made, [(a, b) for a in rows for b in columns], strict=True):
        assert np.abs(vector - naive_sift(image, a + middle, b + middle, cell)).max() <= 2.0


@pytest.mark.parametrize("cell", [3.0, 4.6])
def test_sift_at_points_is_its_definition_too(cell):
    image = levels()
    places = np.array([[20, 20], [3, 30], [33, 5]])  # some patches lie partly outside
    for vector, (row, column) in zip(sift.at_points(image, places, cell), places, strict=True):
        assert np.abs(vector - naive_sift(image, row, column, cell)).max() <= 1.0


@pytest.mark.parametrize("cell", [4, 8])
def test_sift_is_that_of_opencv(cell):
    cv2 = pytest.importorskip("cv2")
    image = drawn(120, 150, seed=3)
    starts = np.arange(0, 120 - 5 * cell, 8), np.arange(0, 150 - 5 * cell, 8)
    ours = sift.dense(gaussian.blur(images.grey(image), 1.5), *starts, cell)  # OpenCV smooths to 1.6 from 0.5
    middle = (points.reach(cell) - 1) // 2
    keypoints = [
        cv2.KeyPoint(float(b + middle), float(a + middle), cell / 1.5, 0.0) for a in starts[0] for b in starts[1]
    ]
    theirs = cv2.SIFT_create().compute(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), keypoints)[1]
    assert len(theirs) == len(ours) > 100
    told = ours.any(axis=1)
    assert told.sum() > 100  # the ground between the discs has little contrast
    assert np.median(cosines(ours[told], theirs[told])) > 0.99


def test_a_patch_without_contrast_is_zeros():
    image = levels()
    rows = columns = np.array([5])
    assert sift.dense(image, rows, columns, 4).any()
    assert not sift.dense(image / np.float32(1000.0), rows, columns, 4).any()
    assert not sift.at_points(np.full_like(image, 7.0), np.array([[20, 20]]), 4.0).any()


def test_sums_of_the_strongest_gradients_do_not_overflow():
    y, x = np.mgrid[:120, :120]
    image = np.where((y + x) // 2 % 2, 255, 0).astype(np.float32)
    vector = sift.dense(image, np.array([0]), np.array([0]), points.LARGEST_CELL)[0].astype(int)
    assert math.hypot(*vector) == pytest.approx(512, abs=12)
    assert np.abs(vector - naive_sift(image, 59, 59, points.LARGEST_CELL)).max() <= 2.0


def test_the_grid_lies_in_the_middle_of_the_image():
    assert points.starts(48, 4, 8).tolist() == [2, 10, 18, 26]  # patches of 19 pixels: 2 + ... + 3
    assert points.starts(19, 4, 8).tolist() == [0]
    assert points.starts(18, 4, 8).tolist() == []
    heights = local("dense_sift", drawn(48, 64)).heights
    assert heights.min() + heights.max() == pytest.approx(1.0, abs=1.5 / 48)


def test_an_image_too_small_for_a_patch_has_no_points():
    image = drawn(16, 16)
    for name in LOCAL:
        found = features.load(name).local(features.parameters(name, {}), image)
        assert found.vectors.dtype == np.uint8
        assert len(found.vectors) == len(found.heights)
        if name.startswith("dense"):
            assert len(found.vectors) == 0
            book = np.zeros((5, found.vectors.shape[1]), dtype=np.uint8)
            assert words.bag(found, book)["v3h1"].tolist() == [0] * 15


# Smoothing and corners


def test_blur_is_a_gaussian():
    from scipy import ndimage

    image = images.grey(drawn(20, 25))
    for sigma in (0.7, 1.5, 9.0):
        expected = ndimage.gaussian_filter(image.astype(float), sigma, mode="nearest", radius=math.ceil(3 * sigma))
        np.testing.assert_allclose(gaussian.blur(image, sigma), expected, atol=1e-3)


def corners_of(image):
    """Return rows and columns, in pixels of the image, and scales of all corners."""
    found = [
        (*(level.points[p] * level.pixel), level.sigma * level.pixel)
        for level in harris.detect(image, 10.0)
        for p in range(len(level.points))
    ]
    return np.array(found).reshape(-1, 3)


def test_harris_finds_the_corners_of_squares_and_nothing_else():
    """Of lone squares: where fields of a chessboard meet, the Laplacian is zero at all scales."""
    image = np.full((96, 112), 40.0, dtype=np.float32)
    image[16:48, 16:48], image[40:80, 64:96] = 220.0, 120.0
    found = corners_of(image)
    expected = np.array([(y, x) for y in (15.5, 47.5) for x in (15.5, 47.5)])
    expected = np.vstack([expected, [(y, x) for y in (39.5, 79.5) for x in (63.5, 95.5)]])
    away = np.abs(found[:, None, :2] - expected).max(axis=2)
    assert (away.min(axis=0) <= 2.0).all()
    assert (away.min(axis=1) <= 2.0 * found[:, 2]).all()  # they move inwards by about the scale


@pytest.mark.parametrize("sigma", [2.0, 4.0])
def test_harris_finds_a_blob_at_its_scale(sigma):
    """The scale-normalised Laplacian of a Gaussian blob is largest at the blob's own scale."""
    y, x = np.mgrid[:72, :72]
    blob = 200.0 * np.exp(-((y - 36.0) ** 2 + (x - 36.0) ** 2) / (2 * sigma**2))
    found = corners_of(blob.astype(np.float32))
    middle = found[np.hypot(found[:, 0] - 36, found[:, 1] - 36) <= 2]
    assert len(middle)
    assert np.abs(np.log2(middle[:, 2] / sigma)).max() <= 0.5


def test_flat_images_and_edges_have_no_corners():
    edge = np.zeros((48, 48), dtype=np.float32)
    assert not len(corners_of(edge))
    edge[:, 20:] = 200.0
    assert not len(corners_of(edge))


# Hue


def naive_hue(image, top, left, bottom, right):
    histogram = np.zeros(36)
    for y in range(max(top, 0), min(bottom, len(image))):
        for x in range(max(left, 0), min(right, image.shape[1])):
            red, green, blue = image[y, x].astype(float)
            first, second = (red - green) / math.sqrt(2), (red + green - 2 * blue) / math.sqrt(6)
            degrees = math.degrees(math.atan2(first, second))
            histogram[round(degrees / 10) % 36] += math.hypot(first, second)
    return 255 * histogram / max(np.linalg.norm(histogram), 1e-9)


@pytest.mark.compiled
def test_hue_is_its_definition_written_out():
    image = drawn(30, 34)
    maps = hue.hues(image)
    corners = np.array([(0, 1), (3, 6), (11, 22), (-5, 28), (10, 10), (24, -3)])
    for vector, (a, b) in zip(hue.patches(*maps, corners, 11), corners, strict=True):
        assert np.abs(vector - naive_hue(image, a, b, a + 11, b + 11)).max() <= 1.5


def test_hue_of_pure_colours_and_of_grey():
    for colour, degrees in (((255, 0, 0), 60), ((255, 255, 0), 0), ((0, 0, 255), 180), ((0, 255, 0), 300)):
        patch = np.full((16, 16, 3), colour, dtype=np.uint8)
        vector = hue.patches(*hue.hues(patch), np.array([[4, 4]]), 9)[0]
        assert vector[degrees // 10] == 255
        assert vector.sum() == 255
    assert not hue.patches(*hue.hues(np.full((16, 16, 3), 99, dtype=np.uint8)), np.array([[4, 4]]), 9).any()


# Points and words


@pytest.mark.parametrize("name", LOCAL)
def test_points_are_whole_numbers_within_the_image_and_the_same_again(name):
    image = drawn(seed=5)
    first, second = local(name, image), local(name, image.copy())
    assert first.vectors.dtype == np.uint8
    assert first.vectors.shape == (len(first.heights), 128 if name.endswith("sift") else 36)
    assert len(first.heights) > 5
    assert first.heights.min() >= 0.0
    assert first.heights.max() < 1.0
    assert np.array_equal(first.vectors, second.vectors)
    assert np.array_equal(first.heights, second.heights)


@pytest.mark.parametrize("name", LOCAL)
def test_heights_are_those_of_the_points(name):
    """Only the lowest third has structure, so that only points of it have vectors."""
    image = np.full((96, 64, 3), 128, dtype=np.uint8)
    image[70:] = drawn(26, 64)
    found = local(name, image)
    told = found.heights[found.vectors.any(axis=1)]
    assert len(told) > 3
    assert told.min() > 0.5


def test_every_band_counts_its_own_words():
    book = np.array([[0, 0], [200, 200]], dtype=np.uint8)
    vectors = np.array([[1, 0], [190, 255], [0, 9], [201, 200], [202, 200]], dtype=np.uint8)
    found = points.Local(vectors, np.array([0.0, 0.3333, 0.3334, 0.67, 0.999]))
    counts = words.bag(found, book)
    assert counts["v3h1"].tolist() == [1, 1, 1, 0, 0, 2]
    assert counts[""].tolist() == [2, 3]


def random_vectors(rng, count, dimensions=128):
    return rng.integers(0, 256, size=(count, dimensions), dtype=np.uint8)


def naive_assign(vectors, centres):
    distances = np.square(vectors[:, None].astype(np.int64) - centres.astype(np.int64)).sum(axis=2)
    return distances.argmin(axis=1), distances.min(axis=1)


@pytest.mark.compiled
@pytest.mark.parametrize("dimensions", [1, 2, 36, 128, 129])
def test_words_are_the_nearest_centres_exactly(dimensions):
    rng = np.random.default_rng(dimensions)
    vectors, centres = random_vectors(rng, 300, dimensions), random_vectors(rng, 40, dimensions)
    vectors[::3], centres[::2] = 255 - vectors[::3] // 32, 255 - centres[::2] // 64  # the largest products
    centres[7] = centres[3]  # equal centres: the first counts
    nearest, distances = words.nearest_words(vectors, centres)
    expected = naive_assign(vectors, centres)
    assert np.array_equal(nearest, expected[0])
    assert np.array_equal(distances, expected[1])
    assert 7 not in nearest


def test_what_would_not_be_exact_is_refused():
    rng = np.random.default_rng(0)
    for wrong in (random_vectors(rng, 9, 130), np.zeros((9, 4)), np.zeros(9, dtype=np.uint8)):
        with pytest.raises(DataError, match="expected rows of uint8 with at most 129 columns, got"):
            words.codebook(wrong, 2, rng)
        with pytest.raises(DataError, match="expected rows of uint8"):
            words.nearest_words(wrong, random_vectors(rng, 2, 4))


def clustered(seed, count=1500, clusters=25, dimensions=16):
    rng = np.random.default_rng(seed)
    middles = rng.uniform(40, 215, size=(clusters, dimensions))
    noisy = middles[rng.integers(clusters, size=count)] + rng.normal(scale=18.0, size=(count, dimensions))
    return np.clip(noisy, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(("clusters", "count"), [(25, 1500), (1, 3000)])
def test_codebooks_are_as_good_as_those_of_scikit_learn(clusters, count):
    samples = clustered(clusters, count, clusters)
    theirs = KMeans(30, n_init=1, random_state=0).fit(samples.astype(float)).inertia_
    ours = [naive_assign(samples, words.codebook(samples, 30, np.random.default_rng(s)))[1].sum() for s in range(5)]
    assert np.median(ours) <= 1.02 * theirs


@pytest.mark.compiled
def test_codebooks_are_the_same_for_any_block_order_and_number_of_threads(monkeypatch):
    threadpoolctl = pytest.importorskip("threadpoolctl")
    samples, made = clustered(3, count=600, dimensions=128), []
    samples.flags.writeable = False  # they are left alone
    for block, threads in ((256, 1), (256, 2), (7, 1), (4096, 2)):
        monkeypatch.setattr(words, "BLOCK", block)
        with threadpoolctl.threadpool_limits(threads):
            made.append(words.codebook(samples, 40, np.random.default_rng(1)))
    made.append(words.codebook(np.asfortranarray(samples), 40, np.random.default_rng(1)))
    assert all(np.array_equal(each, made[0]) for each in made) and made[0].dtype == np.uint8
    assert not np.array_equal(words.codebook(samples, 40, np.random.default_rng(2)), made[0])


def test_centres_are_rounded_means():
    samples = np.array([[0], [1], [1], [200], [201], [202], [202]], dtype=np.uint8)
    book = words.codebook(samples, 2, np.random.default_rng(0))
    assert sorted(book.ravel().tolist()) == [1, 201]  # 2 / 3 and 805 / 4


def test_a_word_that_lost_its_samples_becomes_the_farthest_sample(monkeypatch):
    samples = np.array([[10]] * 5 + [[11]] * 5 + [[90], [250]], dtype=np.uint8)
    monkeypatch.setattr(words, "_seed", lambda *_: np.array([[10], [10], [10]], dtype=np.uint8))
    monkeypatch.setattr(words, "ITERATIONS", 1)
    book = words.codebook(samples, 3, np.random.default_rng(0))
    assert book.ravel().tolist() == [37, 250, 90]  # the mean of all; of the empty ones the farthest first
    monkeypatch.setattr(words, "ITERATIONS", 20)
    assert sorted(words.codebook(samples, 3, np.random.default_rng(0)).ravel().tolist()) == [11, 90, 250]


def test_as_many_words_as_distinct_samples_are_these_and_more_are_refused():
    rng = np.random.default_rng(0)
    distinct = random_vectors(rng, 9, 5)
    samples = distinct[rng.integers(9, size=200)]
    distinct = np.unique(samples, axis=0)
    book = words.codebook(samples, len(distinct), rng)
    assert np.array_equal(np.unique(book, axis=0), distinct)
    with pytest.raises(DataError, match="codebook: expected at least 10 distinct samples, got 9"):
        words.codebook(samples, 10, rng)


# PHOG (Bosch et al. 2007)


def naive_phog(image, threshold, bins):
    """Return the finest level's cells, by loops over the definition."""
    levels = blur(grey(image), phog.SMOOTHING).astype(float)
    height, width = levels.shape
    down, across = np.zeros_like(levels), np.zeros_like(levels)
    down[1:-1, 1:-1] = (levels[2:, 1:-1] - levels[:-2, 1:-1]) / 2
    across[1:-1, 1:-1] = (levels[1:-1, 2:] - levels[1:-1, :-2]) / 2
    size = np.hypot(down, across)
    cells = np.zeros((8, 8, bins))
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            own = size[y, x]
            if own < threshold:
                continue
            dy, dx = (round(each[y, x] / own) for each in (down, across))
            if size[y + dy, x + dx] > own or size[y - dy, x - dx] >= own:
                continue
            place = math.atan2(down[y, x], across[y, x]) / (2 * math.pi) % 1 * bins
            cell = cells[y * 8 // height, x * 8 // width]
            cell[int(place) % bins] += own * (1 - place % 1)
            cell[(int(place) + 1) % bins] += own * (place % 1)
    return cells


@pytest.mark.compiled
def test_phog_counts_the_edges_of_a_pyramid():
    image = np.random.default_rng(0).integers(0, 256, (40, 52, 3)).astype(np.uint8)
    found = phog.describe(phog.Parameters(bins=12, threshold=2.0), image)
    cells = naive_phog(image, 2.0, 12)
    assert cells.sum() > 100
    whole = []
    for level in range(4):
        width = 8 // 2**level
        whole.append(cells.reshape(2**level, width, 2**level, width, 12).sum(axis=(1, 3)).ravel())
        assert np.allclose(found[str(level)], np.concatenate(whole), rtol=1e-4, atol=1e-2)
