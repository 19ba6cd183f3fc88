"""Kernel functions by name: each maps inner products or distances to the entries of a Gram matrix.

A family says what it is a function of, its base: the inner products <x, x'> with the squared norms, or the chi-square
distances. The kernels of one base share a single pass over the features (OMKC, Section 5.1; Hoi et al. 2013).
"""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from grambench.common.errors import unknown_name
from grambench.common.types import Floats

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


def unitpolynomial(inner: Floats, squared_distance: Floats, degree: float, out: Floats) -> None:
    """Polynomial kernel ((1 + <u, v>) / 2)^p of integer degree p >= 1, which is 1 where unit vectors are equal."""
    polynomial((1.0 + inner) / 2.0, squared_distance, degree, out)


def exponential(inner: Floats, distance: Floats, scale: float, out: Floats) -> None:
    """Exponential kernel exp(-d / s) of distances d in units of their mean (Zhang et al. 2007, of chi-square)."""
    np.multiply(distance, -1.0 / scale, out=out)
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
class Function:
    """A family of kernels with one parameter.

    Attributes
    ----------
    function : callable
        (inner, distance, parameter, out) -> None; all arrays have one shape, `out` receives the entries.
    symbol : str
        The parameter's symbol in names, such as "sigma".
    title : str
        What people read, with {:g} for the parameter.
    uses_distance : bool
        Whether the function reads `distance`; otherwise it may be empty.
    check : callable
        Returns whether a value of the parameter is allowed.
    requirement : str
        What the check demands, in words.
    unit : str
        The field of `Units` that distances, or else inner products, are divided by first: the parameter is in units of
        the data then, and the family's name says which. Empty where there is none.
    base : str
        What it is a function of: "inner" products, with the squared norms, or "chisquare" distances.
    """

    function: Callable[[Floats, Floats, float, Floats], None]
    symbol: str
    title: str
    uses_distance: bool
    check: Callable[[float], bool]
    requirement: str
    unit: str = ""
    base: str = "inner"


class Units(NamedTuple):
    """What relative kernels measure in, by the training examples; NaN for what none of them needs.

    Attributes
    ----------
    features : int
        d.
    squared_distance : float
        The median squared distance between two different training examples.
    mean : float
        The mean distance of a kernel's base, squared or chi-square, between two different training examples.
    """

    features: int
    squared_distance: float
    mean: float


def _is_degree(value: float) -> bool:
    return value >= 1 and float(value).is_integer()


def _is_width(value: float) -> bool:
    return 0 < value < np.inf


DEGREE = "a whole number of at least 1"
WIDTH = "a positive number"


FAMILIES: dict[str, Function] = {
    "polynomial": Function(polynomial, "p", "polynomial p = {:g}", False, _is_degree, DEGREE),
    "inhomogeneous": Function(inhomogeneous, "d", "polynomial (⟨x, x'⟩ + 1)^{:g}", False, _is_degree, DEGREE),
    "unitpolynomial": Function(unitpolynomial, "p", "polynomial ((1 + ⟨x, x'⟩)/2)^{:g}", False, _is_degree, DEGREE),
    "meanpolynomial": Function(
        inhomogeneous, "p", "polynomial (⟨x, x'⟩/d + 1)^{:g}", False, _is_degree, DEGREE, "features"
    ),
    "gaussian": Function(gaussian, "sigma", "gaussian σ = {:g}", True, _is_width, WIDTH),
    "mediangaussian": Function(
        gaussian, "sigma", "gaussian σ = {:g} medians", True, _is_width, WIDTH, "squared_distance"
    ),
    "meangaussian": Function(exponential, "s", "gaussian s = {:g} means", True, _is_width, WIDTH, "mean"),
    "chisquare": Function(exponential, "s", "chi-square s = {:g} means", True, _is_width, WIDTH, "mean", "chisquare"),
}


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel: a family, the value of its parameter and the view of the examples that it compares.

    The view is "" where a data set has one only.

    Raises
    ------
    ConfigError
        If the family does not exist.
    ValueError
        If the parameter's value is not allowed.
    """

    family: str
    parameter: float
    view: str = ""

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
        """The kernel's name in files and tables, such as "gaussian_sigma0.5" or "gist/chisquare_s1"."""
        short = f"{self.parameter:g}"
        value = short if float(short) == self.parameter else repr(self.parameter)
        return f"{self.view}{'/' if self.view else ''}{self.family}_{FAMILIES[self.family].symbol}{value}"

    @property
    def title(self) -> str:
        """The kernel's name for people, such as "gaussian σ = 0.5" or "gist: chi-square s = 1 means"."""
        return f"{self.view}{': ' if self.view else ''}{FAMILIES[self.family].title.format(self.parameter)}"

    @classmethod
    def parse(cls, name: str) -> "Kernel":
        """Return the kernel of a name that `name` made."""
        view, _, function = name.rpartition("/")
        family, _, rest = function.partition("_")
        if family not in FAMILIES or not rest.startswith(FAMILIES[family].symbol):
            raise unknown_name("kernel", name, [f"{key}_{value.symbol}1" for key, value in FAMILIES.items()])
        return cls(family, float(rest.removeprefix(FAMILIES[family].symbol)), view)

    @property
    def relative(self) -> bool:
        """Whether the parameter is in units of the data, so that `fill` needs them."""
        return bool(FAMILIES[self.family].unit)

    @property
    def base(self) -> str:
        """What it is a function of, "inner" products or "chisquare" distances."""
        return FAMILIES[self.family].base

    def fill(self, inner: Floats, distance: Floats, out: Floats, units: Units | None = None) -> None:
        """Write the Gram entries that belong to `inner` and `distance` into `out` (all of one shape).

        The distances are squared ones, or chi-square ones for a kernel of these, which does not read `inner`.

        Raises
        ------
        ValueError
            If a relative kernel gets no units.
        """
        family = FAMILIES[self.family]
        if family.unit:
            if units is None:
                raise ValueError(
                    f"{self.name}: its parameter is in units of training examples, and there are none here"
                )
            unit = getattr(units, family.unit)
            if family.uses_distance:
                distance = distance / unit
            else:
                inner = inner / unit
        family.function(inner, distance, self.parameter, out)

    def refuse_infinite(self, largest: float, units: Units | None = None) -> None:
        """Raise ValueError where values between examples of squared norms up to `largest` are not all finite.

        No inner product exceeds the largest squared norm, and no squared distance four times that; what grows with
        either is largest there, and what falls is finite if it is so at 0.
        """
        inner, distance = np.full(2, largest), np.array([0.0, 4.0 * largest])
        values = np.full(2, np.nan)
        # a width whose square is no number raises, and leaves them
        with np.errstate(all="ignore"), contextlib.suppress(ArithmeticError):
            self.fill(inner, distance, values, units)
        if not np.isfinite([distance[1], *values]).all():
            raise ValueError(
                f"{self.name}: expected finite values, got others for examples of squared norm {largest:g}; "
                "scale the features or take another parameter"
            )
