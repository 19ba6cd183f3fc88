"""Kernel functions by name: each maps base values to the entries of a Gram matrix.

A function reads one kind of base values: inner products <x, x'>, squared distances or chi-square distances. The kernels
of one base share a single pass over the features (OMKC, Section 5.1; Hoi et al. 2013).

Chosen by published numbers: the forms of the polynomial, the chi-square and the Gaussian kernel.
"""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from grambench.common.errors import unknown_name
from grambench.common.parameters import Rule
from grambench.common.types import Floats

LOG_POSITIVE = -745.2  # exp of anything below is 0 in float64


def polynomial(inner: Floats, degree: float, out: Floats) -> None:
    """Homogeneous polynomial kernel <x, x'>^p of integer degree p >= 1 (OMKC, Section 5.1)."""
    np.copyto(out, inner)
    # Repeated products, unlike powers, are exact on integer features.
    for _ in range(int(degree) - 1):
        np.multiply(out, inner, out=out)


def inhomogeneous(inner: Floats, degree: float, out: Floats) -> None:
    """Inhomogeneous polynomial kernel (<x, x'> + 1)^d of integer degree d >= 1 (RKL, Section 6; Gai et al. 2010).

    RKL gives the degrees only, of kernels "the same as in SimpleMKL". The 1 is from SimpleMKL's toolbox (Rakotomamonjy
    et al. 2008).
    """
    polynomial(inner + 1.0, degree, out)


def unitpolynomial(inner: Floats, degree: float, out: Floats) -> None:
    """Polynomial kernel ((1 + <u, v>) / 2)^p of integer degree p >= 1, which is 1 for equal unit vectors."""
    polynomial((1.0 + inner) / 2.0, degree, out)


def gaussian(squared: Floats, width: float, out: Floats) -> None:
    """Gaussian kernel exp(-||x - x'||^2 / (2 sigma^2)) (OMKC, Section 5.1)."""
    np.multiply(squared, -1.0 / (2.0 * width**2), out=out)
    _exp(out)


def exponential(distance: Floats, scale: float, out: Floats) -> None:
    """Exponential kernel exp(-d / s) of distances d in units of their mean (Zhang et al. 2007, of chi-square)."""
    np.multiply(distance, -1.0 / scale, out=out)
    _exp(out)


def _exp(values: Floats) -> None:
    """Replace `values`, a contiguous array, by their exponentials as the C library computes them.

    np.exp uses another routine on processors with AVX-512, which differs in the last bit of 5 entries in 100. If
    scores cancel, that bit decides a prediction: OMKC's published support vectors on a3a need the C library. SciPy's
    inverse Box-Cox transformation with exponent 0 calls its exponential. Results of 0 are set without a call, since an
    underflow costs three times an ordinary result.

    Chosen by published numbers: the C library's exponential.
    """
    inv_boxcox = _inv_boxcox()
    zero = values <= LOG_POSITIVE  # not for NaN, which stays NaN
    if not zero.any():
        inv_boxcox(values, 0.0, out=values)
    else:
        # Integer indices are quicker than a boolean mask.
        (indices,) = (~zero).reshape(-1).nonzero()
        exponentials = inv_boxcox(values.take(indices), 0.0)
        values.fill(0.0)
        values.reshape(-1)[indices] = exponentials


@cache
def _inv_boxcox() -> Any:
    # SciPy takes longest to load, and settings are read without it.
    from scipy.special import inv_boxcox

    return inv_boxcox


@dataclass(frozen=True, slots=True)
class FunctionFamily:
    """A family of kernel functions with one parameter.

    Attributes
    ----------
    function : callable
        (values, parameter, out) -> None; `out` receives a kernel value for each base value, in an array of one shape.
    symbol : str
        The symbol of the parameter in names, such as "sigma".
    requirement : Rule
        The rule for values of the parameter.
    reads : str
        The base values of the function: "inner" (products), "squared" (distances) or "chisquare" (distances).
    unit : str
        The unit of the training examples by which base values are divided first, see `grambench.kernels.units`. Empty
        if the parameter is not in units of the data.
    """

    function: Callable[[Floats, float, Floats], None]
    symbol: str
    requirement: Rule
    reads: str
    unit: str = ""


DEGREE = Rule("be a whole number of at least 1", lambda value: value >= 1 and float(value).is_integer())
WIDTH = Rule("be a positive number", lambda value: 0 < value < np.inf)

PER_FEATURE = ("inner", "features")

FAMILIES = {
    "polynomial": FunctionFamily(polynomial, "p", DEGREE, "inner"),
    "inhomogeneous": FunctionFamily(inhomogeneous, "d", DEGREE, "inner"),
    "unitpolynomial": FunctionFamily(unitpolynomial, "p", DEGREE, "inner"),
    "meanpolynomial": FunctionFamily(inhomogeneous, "p", DEGREE, *PER_FEATURE),
    "gaussian": FunctionFamily(gaussian, "sigma", WIDTH, "squared"),
    "mediangaussian": FunctionFamily(gaussian, "sigma", WIDTH, "squared", "median"),
    "meangaussian": FunctionFamily(exponential, "s", WIDTH, "squared", "mean"),
    "chisquare": FunctionFamily(exponential, "s", WIDTH, "chisquare", "mean"),
}


def view_of(name: str) -> str:
    """Return the view of a kernel's name: "size" of "size/gaussian_sigma0.5", "" of a kernel on no view."""
    return name.rpartition("/")[0]


def single_features(d: int) -> dict[str, int]:
    """Return the position of each of d features by the name of the view that has this feature alone."""
    return {f"feature_{position + 1}": position for position in range(d)}


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel: a family, the value of its parameter and the view of the examples that it compares.

    The view is "" for a data set with a single view.

    Raises
    ------
    ConfigError
        If the family does not exist.
    ValueError
        If the parameter's value is not allowed.

    Examples
    --------
    >>> Kernel("gaussian", 0.5).name
    'gaussian_sigma0.5'
    >>> Kernel.parse("gist/chisquare_s1")
    Kernel(family='chisquare', parameter=1.0, view='gist')
    """

    family: str
    parameter: float
    view: str = ""

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise unknown_name("kernel family", self.family, FAMILIES)
        symbol, rule = FAMILIES[self.family].symbol, FAMILIES[self.family].requirement
        if not rule.holds(self.parameter):
            raise ValueError(f"{self.family} kernel: {symbol} must {rule.requirement}, got {self.parameter}")

    @property
    def name(self) -> str:
        """The kernel's name in files and tables, such as "gaussian_sigma0.5" or "gist/chisquare_s1"."""
        short = f"{self.parameter:g}"
        value = short if float(short) == self.parameter else repr(self.parameter)
        return f"{self.view}{'/' if self.view else ''}{self.family}_{FAMILIES[self.family].symbol}{value}"

    @classmethod
    def parse(cls, name: str) -> "Kernel":
        """Return the kernel of a name in the format of `name`."""
        view, _, function = name.rpartition("/")
        family, _, rest = function.rpartition("_")
        symbol = FAMILIES[family].symbol if family in FAMILIES else ""
        if not symbol or not rest.startswith(symbol) or rest == symbol:
            raise unknown_name("kernel", name, [f"{key}_{value.symbol}1" for key, value in FAMILIES.items()])
        return cls(family, float(rest.removeprefix(symbol)), view)

    @property
    def unit(self) -> str:
        """The name of the unit of base values, or "" if the parameter is not in units of the training examples."""
        return FAMILIES[self.family].unit

    @property
    def reads(self) -> str:
        """The base values of the function: "inner", "squared" or "chisquare"."""
        return FAMILIES[self.family].reads

    @property
    def base(self) -> str:
        """What pairs of rows give: "inner" products, which give squared distances too, or "chisquare" distances."""
        return "chisquare" if self.reads == "chisquare" else "inner"

    def fill(self, values: Floats, out: Floats, unit: float | None = None) -> None:
        """Write the kernel values of base values, which the function `reads`, into `out`, an array of one shape.

        Raises
        ------
        ValueError
            If a kernel whose parameter is in units of the training examples gets no unit.
        """
        family = FAMILIES[self.family]
        if family.unit:
            if unit is None:
                raise ValueError(
                    f"{self.name}: its parameter is in units of training examples, and there are none here"
                )
            values = values / unit
        family.function(values, self.parameter, out)

    def refuse_infinite(self, largest: float, unit: float | None = None, limit: float = np.inf) -> None:
        """Raise ValueError unless values between examples of squared norms up to `largest` are finite, up to a limit.

        Inner products are at most `largest`, and squared distances at most four times `largest`. Kernels are monotone
        in both, so their values are finite if they are finite at these bounds and at 0.
        """
        inner, squared = np.full(2, largest), np.array([0.0, 4.0 * largest])
        values = np.full(2, np.nan)
        # A width whose square overflows raises an ArithmeticError; the values then stay NaN.
        with np.errstate(all="ignore"), contextlib.suppress(ArithmeticError):
            self.fill(inner if self.reads == "inner" else squared, values, unit)
        if not np.isfinite([squared[1], *values]).all() or np.abs(values).max() > limit:
            raise ValueError(
                f"{self.name}: expected finite values, got others for examples of squared norm {largest:g}; "
                "scale the features or take another parameter"
            )
