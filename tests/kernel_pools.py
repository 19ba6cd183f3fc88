"""Pools of kernels on vectors, views and pixels, with units and scales of another pool where one is given."""

from grambench.kernels.bases import Vectors, Views
from grambench.kernels.computed import Computed
from grambench.kernels.pixels import PixelPool, Pixels
from grambench.kernels.subsets import SubsetMeasures, SubsetPool
from grambench.kernels.units import Measures


def _pool(kind, base, kernels, train, test=None, *, basis=None, trace=None, **more):
    train, test = base(train), None if test is None else base(test)
    return kind(Measures(kernels, train, trace) if basis is None else basis.measures, train, test, **more)


def on_vectors(kernels, train, test=None, **more):
    return _pool(Computed, Vectors, kernels, train, test, **more)


def on_views(kernels, train, test=None, **more):
    return _pool(Computed, Views, kernels, train, test, **more)


def on_images(kernels, train, test=None, **more):
    views = list(dict.fromkeys(kernel.view for kernel in kernels))
    return _pool(PixelPool, lambda images: Pixels(images, views), kernels, train, test, **more)


def on_subsets(kernels, train, test=None, *, basis=None):
    train, test = Vectors(train), None if test is None else Vectors(test)
    return SubsetPool(SubsetMeasures(kernels, train) if basis is None else basis.measures, train, test)
