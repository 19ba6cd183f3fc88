"""Pools of kernels on vectors, views and pixels, with units and scales of another pool where one is given."""

from grambench.kernels.bases import Vectors, Views
from grambench.kernels.computed import Computed
from grambench.kernels.pixels import PixelPool, Pixels
from grambench.kernels.subsets import SubsetPool


def _pool(kind, base, kernels, train, test=None, *, basis=None, **more):
    measures = None if basis is None else basis.measures
    return kind(kernels, base(train), None if test is None else base(test), measures=measures, **more)


def on_vectors(kernels, train, test=None, **more):
    return _pool(Computed, Vectors, kernels, train, test, **more)


def on_views(kernels, train, test=None, **more):
    return _pool(Computed, Views, kernels, train, test, **more)


def on_images(kernels, train, test=None, **more):
    views = list(dict.fromkeys(kernel.view for kernel in kernels))
    return _pool(PixelPool, lambda images: Pixels(images, views), kernels, train, test, **more)


def on_subsets(kernels, train, test=None, **more):
    return _pool(SubsetPool, Vectors, kernels, train, test, **more)
