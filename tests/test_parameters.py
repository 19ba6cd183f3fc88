"""Rules in the types of parameters, and what algorithms inherit of them."""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import pytest

from grambench import algorithms
from grambench.common.parameters import POSITIVE, Checked, at_least, one_of, whole, within


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Checked):
    C: Annotated[float, POSITIVE] = 1.0
    p: Annotated[float | None, within("(1, 2]")] = None
    passes: Annotated[int, at_least(1)] = 1
    depth: Annotated[int | None, at_least(1)] = None
    norm: Literal["l1", "l2", "none"] = "l1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heirs(Parameters):
    C: float = 10.0
    words: Annotated[int, whole(1, 9)] = 1


@pytest.mark.parametrize("kind", [Parameters, Heirs])
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"C": 0.0}, r"C must be positive and finite, got 0\.0"),
        ({"C": float("inf")}, "C must be positive and finite, got inf"),
        ({"C": float("nan")}, "C must be positive and finite, got nan"),
        ({"p": 1.0}, r"p must lie in \(1, 2\], got 1\.0"),
        ({"passes": 0}, "passes must be at least 1, got 0"),
        ({"norm": "l3"}, "norm must be l1, l2 or none, got 'l3'"),
        ({"norm": None}, "norm must be l1, l2 or none, got None"),
        ({"C": None}, "C must be positive and finite, got None"),
        ({"C": "1"}, "C must be positive and finite, got '1'"),
        ({"passes": 1.5}, "passes must be a whole number, got 1\\.5"),
        ({"passes": True}, "passes must be a whole number, got True"),
        ({"passes": 1e300}, "passes must be below 2\\^53, got 1e\\+300"),
        ({"C": 10**30}, "C must have a decimal point from 2\\^53 on, got 10*"),
        ({"depth": 2.5}, "depth must be a whole number, got 2\\.5"),
    ],
)
def test_a_value_that_breaks_its_rule_is_refused(kind, settings, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        kind(**settings)


def test_values_that_keep_their_rules_are_taken():
    assert Heirs(C=2, p=2.0, norm="none", words=9).C == 2
    assert Heirs().p is None
    passes = Heirs(passes=2.0).passes  # a value that is tuned is a float
    assert (passes, type(passes)) == (2, int)
    assert Heirs(words=np.int64(2)).words == 2
    for words in (1.0, True, None):
        with pytest.raises(ValueError, match=f"words must be a whole number from 1 to 9, got {words}"):
            Heirs(words=words)
    assert one_of(["a"]).requirement == "be a"


def test_documentation_of_inherited_parameters_is_inherited():
    for name, words in (
        ("omkc_ss", "Smoothing of the sampling"),
        ("ca_nd", "eta_max"),
        ("simple_mkl", "Relative duality"),
    ):
        assert words in algorithms.prose(name)
        assert words not in algorithms.source(name).read_text()
