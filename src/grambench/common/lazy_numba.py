"""Numba's `njit`, which imports Numba at the first call of a compiled function: the import takes .25 seconds.

A function that it decorates can be called, from compiled code too, and pickled. It has no other attributes of Numba's.
"""

from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any

used: list["_Compiled"] = []  # the functions that this process has called, or compiled


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator of functions that Numba compiles at their first call, with the options of numba.njit."""
    return lambda function: _Compiled(function, options)


class _Compiled:
    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.name = function.__qualname__
        self._function, self._options = function, options

    @cached_property
    def _dispatcher(self) -> Any:
        import numba

        used.append(self)
        return numba.njit(**self._options)(self._function)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self._dispatcher(*arguments, **keywords)

    def loaded(self) -> list[Any]:
        """Return the types of arguments for which compiled code was loaded, and not compiled by this process."""
        # a plain function if Numba's compiler is switched off
        stats = getattr(self._dispatcher, "stats", None)
        return list(stats.cache_hits) if stats else []

    def load(self, types: Any) -> None:
        """Load the compiled code for types of arguments."""
        self._dispatcher.compile(types)

    def __reduce__(self) -> str:
        return self.name

    @property
    def _numba_type_(self) -> Any:
        # Numba reads this attribute where one compiled function calls another.
        return self._dispatcher._numba_type_
