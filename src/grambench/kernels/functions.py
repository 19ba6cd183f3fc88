"""Kernel functions by name: each maps inner products to the entries of a Gram matrix.

All kernels here are functions of the inner product <x, x'> and of the squared norms, so that the kernels of one data
set share a single pass over the features (OMKC, Section 5.1; Hoi et al. 2013).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grambench.common.errors import unknown_name

Floats = NDArray[np.float64]

LOG_POSITIVE = -745.2  # exp of anything below is 0 in float64


def polynomial(inner: Floats, squared_distance: Floats, degree: float, out: Floats) -> None:
    """Homogeneous polynomial kernel <x, x'>^p of integer degree p >= 1 (OMKC, Section 5.1)."""
    np.copyto(out, inner)
    for _ in range(int(degree) - 1):  # repeated products are exact on integer features
        np.multiply(out, inner, out=out)


def inhomogeneous(inner: Floats, squared_distance: Floats, degree: float, out: Floats) -> None:
    """Inhomogeneous polynomial kernel (<x, x'> + 1)^d of integer degree d >= 1 (RKL, Section 6; Gai et al. 2010).

    RKL names degrees only, of kernels "the same as in SimpleMKL"; the 1 is that of SimpleMKL's toolbox (Rakotomamonjy
    et al. 2008).
    """
    polynomial(inner + 1.0, squared_distance, degree, out)


def gaussian(inner: Floats, squared_distance: Floats, width: float, out: Floats) -> None:
    """Gaussian kernel exp(-||x - x'||^2 / (2 sigma^2)) (OMKC, Section 5.1)."""
    np.multiply(squared_distance, -1.0 / (2.0 * width**2), out=out)
    _exp(out)


def _exp(values: Floats) -> None:
    """Replace `values`, a contiguous array, by their exponentials as the C library computes them.

    np.exp has a routine of its own on processors with AVX-512, which differs in the last bit of 5 entries in 100. Where
    scores cancel, that bit decides a prediction: OMKC's published support vectors on a3a need the C library's. SciPy's
    inverse Box-Cox transformation with exponent 0 is that exponential. Results that are 0 are set without it, since an
    underflow costs three times an ordinary result.
    """
    inv_boxcox = _inv_boxcox()
    positive = ~(values <= LOG_POSITIVE)  # what is not a number stays so
    if positive.all():
        inv_boxcox(values, 0.0, out=values)
    else:
        (where,) = positive.reshape(-1).nonzero()  # quicker than a boolean index
        exponentials = inv_boxcox(values.take(where), 0.0)
        values.fill(0.0)
        values.reshape(-1)[where] = exponentials


@cache
def _inv_boxcox() -> Any:
    from scipy.special import inv_boxcox  # takes longest to load, and settings are read without it

    return inv_boxcox


@dataclass(frozen=True, slots=True)
class Family:
    """A family of kernels with one parameter.

    Attributes
    ----------
    function : callable
        (inner, squared_distance, parameter, out) -> None; all arrays have one shape, `out` receives the entries.
    symbol : str
        The parameter's symbol in names, such as "sigma".
    title : str
        What people read, with {:g} for the parameter.
    uses_distance : bool
        Whether the function reads `squared_distance`; otherwise it may be empty.
    check : callable
        Returns whether a value of the parameter is allowed.
    requirement : str
        What the check demands, in words.
    relative : bool
        Whether inner products are divided by the number of features first, and distances by the median distance of the
        training examples: the parameter is in units of the data then, and the family's name says which.
    """

    function: Callable[[Floats, Floats, float, Floats], None]
    symbol: str
    title: str
    uses_distance: bool
    check: Callable[[float], bool]
    requirement: str
    relative: bool = False


class Units(NamedTuple):
    """What relative kernels measure in: d, and the median squared distance between two different training examples."""

    features: int
    squared_distance: float


def _is_degree(value: float) -> bool:
    return value >= 1 and float(value).is_integer()


FAMILIES: dict[str, Family] = {
    "polynomial": Family(polynomial, "p", "polynomial p = {:g}", False, _is_degree, "a whole number of at least 1"),
    "inhomogeneous": Family(
        inhomogeneous, "d", "polynomial (⟨x, x'⟩ + 1)^{:g}", False, _is_degree, "a whole number of at least 1"
    ),
    "gaussian": Family(gaussian, "sigma", "gaussian σ = {:g}", True, lambda s: 0 < s < np.inf, "a positive number"),
    "mediangaussian": Family(
        gaussian, "sigma", "gaussian σ = {:g} medians", True, lambda s: 0 < s < np.inf, "a positive number", True
    ),
    "meanpolynomial": Family(
        inhomogeneous, "p", "polynomial (⟨x, x'⟩/d + 1)^{:g}", False, _is_degree, "a whole number of at least 1", True
    ),
}


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel: a family and the value of its parameter.

    Raises
    ------
    ConfigError
        If the family does not exist.
    ValueError
        If the parameter's value is not allowed.
    """

    family: str
    parameter: float

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise unknown_name("kernel family", self.family, FAMILIES)
        family = FAMILIES[self.family]
        if not family.check(self.parameter):
            raise ValueError(
                f"{self.family} kernel: {family.symbol} must be {family.requirement}, got {self.parameter}"
            )

    @property
    def name(self) -> str:
        """The kernel's name in files and tables, such as "gaussian_sigma0.5"."""
        short = f"{self.parameter:g}"
        value = short if float(short) == self.parameter else repr(self.parameter)
        return f"{self.family}_{FAMILIES[self.family].symbol}{value}"

    @property
    def title(self) -> str:
        """The kernel's name for people, such as "gaussian σ = 0.5"."""
        return FAMILIES[self.family].title.format(self.parameter)

    @classmethod
    def parse(cls, name: str) -> "Kernel":
        """Return the kernel of a name that `name` made."""
        family, _, rest = name.partition("_")
        if family not in FAMILIES or not rest.startswith(FAMILIES[family].symbol):
            raise unknown_name("kernel", name, [f"{key}_{value.symbol}1" for key, value in FAMILIES.items()])
        return cls(family, float(rest.removeprefix(FAMILIES[family].symbol)))

    @property
    def relative(self) -> bool:
        """Whether the parameter is in units of the data, so that `fill` needs them."""
        return FAMILIES[self.family].relative

    def fill(self, inner: Floats, squared_distance: Floats, out: Floats, units: Units | None = None) -> None:
        """Write the Gram entries that belong to `inner` and `squared_distance` into `out` (all of one shape).

        Raises
        ------
        ValueError
            If a relative kernel gets no units.
        """
        family = FAMILIES[self.family]
        if family.relative:
            if units is None:
                raise ValueError(
                    f"{self.name}: its parameter is in units of training examples, and there are none here"
                )
            if family.uses_distance:
                squared_distance = squared_distance / units.squared_distance
            else:
                inner = inner / units.features
        family.function(inner, squared_distance, self.parameter, out)
