"""Numba's `njit`, which imports Numba at the first call of a compiled function: the import takes .25 seconds.

A function that it decorates can be called, from compiled code too, and pickled. It has no other attributes of Numba's.
"""

from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any


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

        return numba.njit(**self._options)(self._function)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self._dispatcher(*arguments, **keywords)

    def __reduce__(self) -> str:
        return self.name

    @property
    def _numba_type_(self) -> Any:
        # Numba reads this attribute where one compiled function calls another.
        return self._dispatcher._numba_type_
