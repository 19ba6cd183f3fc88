"""Dataclasses of parameters that check themselves: the rule of a value is part of its field's type.

@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Checked):
C: Annotated[float, POSITIVE] = 1.0
norm: Literal["l1", "l2"] = "l1"
"""

import operator
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from math import inf
from numbers import Integral
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of a value.

    Attributes
    ----------
    requirement : str
        The requirement in words, as the end of a sentence: "be positive".
    holds : callable
        Return whether a value meets the requirement.
    """

    requirement: str
    holds: Callable[[Any], bool]

    def __repr__(self) -> str:
        """Return the requirement, as it is read in signatures."""
        return self.requirement


def at_least(least: float) -> Rule:
    """Return the rule of a value that is not below a bound."""
    return Rule(f"be at least {least}", lambda value: value >= least)


def within(interval: str) -> Rule:
    """Return the rule of a value in an interval, written as (0, 1]."""
    low, high = map(float, interval[1:-1].split(","))
    above = operator.le if interval[0] == "[" else operator.lt
    below = operator.le if interval[-1] == "]" else operator.lt
    return Rule(f"lie in {interval}", lambda value: above(low, value) and below(value, high))


def whole(least: int, most: int | None = None) -> Rule:
    """Return the rule of a whole number between two limits, both included."""
    limits = f"of at least {least}" if most is None else f"from {least} to {most}"

    def holds(value: Any) -> bool:
        is_whole = isinstance(value, Integral) and not isinstance(value, bool)
        return is_whole and value >= least and (most is None or value <= most)

    return Rule(f"be a whole number {limits}", holds)


def one_of(options: Collection[Any]) -> Rule:
    """Return the rule of a value that is one of the options."""
    *others, final = map(str, options)
    return Rule(f"be {', '.join(others)} or {final}" if others else f"be {final}", lambda value: value in options)


# A value that is tuned may be a float.
WHOLE = Rule("be a whole number", lambda value: not isinstance(value, bool) and value % 1 == 0)
NUMBER = Rule("be a number", lambda value: not isinstance(value, bool))
# Compiled code takes no integer beyond 2^63.
EXACT = Rule("be below 2^53", lambda value: value < 2**53)
FLOATING = Rule("have a decimal point from 2^53 on", lambda value: not isinstance(value, int) or value < 2**53)
POSITIVE = Rule("be positive and finite", lambda value: 0.0 < value < inf)
NOT_NEGATIVE = Rule("be at least 0 and finite", lambda value: 0.0 <= value < inf)
ABOVE_0 = Rule("be positive", lambda value: value > 0.0)  # infinity too


class Checked:
    """Base of dataclasses whose fields have rules, which None need not meet where the type of the field has it.

    A whole number that is given as a float becomes an integer. A subclass that defines `__post_init__` must call this
    one.
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        """Raise ValueError for the first value that breaks its rule."""
        for name, (rules, optional) in _rules(type(self)).items():  # type: ignore[arg-type]
            value = getattr(self, name)
            for rule in rules:
                try:
                    holds = (value is None and optional) or rule.holds(value)
                # Text is not compared with numbers, and an array has no truth value.
                except (TypeError, ValueError):
                    holds = False
                if not holds:
                    raise ValueError(f"{name} must {rule.requirement}, got {value!r}")
            if WHOLE in rules and value is not None:
                object.__setattr__(self, name, int(value))


@cache
def _rules(cls: type) -> dict[str, tuple[list[Rule], bool]]:
    """Return the rules of each field and whether it may be None; a subclass that changes a default keeps its rules."""
    rules: dict[str, tuple[list[Rule], bool]] = {}
    for base in reversed(cls.__mro__):
        for name, hint in get_type_hints(base, include_extras=True).items():
            plain = get_args(hint)[0] if get_origin(hint) is Annotated else hint
            rules[name] = _rules_of(hint) or rules.get(name, ([],))[0], NoneType in get_args(plain)
    return {name: rules[name] for name in cls.__dataclass_fields__}  # type: ignore[attr-defined]


def _rules_of(hint: Any) -> list[Rule]:
    if get_origin(hint) is Literal:
        return [one_of(get_args(hint))]
    rules = [rule for rule in get_args(hint)[1:] if isinstance(rule, Rule)] if get_origin(hint) is Annotated else []
    plain: Any = get_args(hint)[0] if rules else None
    plain = get_args(plain)[0] if NoneType in get_args(plain) else plain  # int of int | None
    return [*rules, *{int: [WHOLE, EXACT], float: [NUMBER, FLOATING]}.get(plain, [])]
