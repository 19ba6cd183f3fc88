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
    return Rule(
        f"be a whole number {limits}",
        lambda value: isinstance(value, int) and value >= least and (most is None or value <= most),
    )


def one_of(options: Collection[Any]) -> Rule:
    """Return the rule of a value that is one of the options."""
    *others, final = map(str, options)
    return Rule(f"be {', '.join(others)} or {final}" if others else f"be {final}", lambda value: value in options)


POSITIVE = Rule("be positive and finite", lambda value: 0.0 < value < inf)
ABOVE_0 = Rule("be positive", lambda value: value > 0.0)  # infinity too


class Checked:
    """Base of dataclasses whose fields have rules, which values of None need not meet.

    A subclass that defines `__post_init__` must call this one.
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        """Raise ValueError for the first value that breaks its rule."""
        for name, rules in _rules(type(self)):  # type: ignore[arg-type]
            value = getattr(self, name)
            for rule in rules:
                if value is not None and not rule.holds(value):
                    raise ValueError(f"{name} must {rule.requirement}, got {value!r}")


@cache
def _rules(cls: type) -> list[tuple[str, list[Rule]]]:
    """Return the rules of each field; a subclass that only changes the default of a field keeps its rules."""
    rules: dict[str, list[Rule]] = {}
    for base in reversed(cls.__mro__):
        for name, hint in get_type_hints(base, include_extras=True).items():
            rules[name] = _rules_of(hint) or rules.get(name, [])
    return [(name, rules[name]) for name in cls.__dataclass_fields__]  # type: ignore[attr-defined]


def _rules_of(hint: Any) -> list[Rule]:
    if get_origin(hint) is Literal:
        return [one_of(get_args(hint))]
    return [rule for rule in get_args(hint)[1:] if isinstance(rule, Rule)] if get_origin(hint) is Annotated else []
