"""Numba's `njit`, which imports Numba at the first call of a compiled function: the import takes .25 seconds.

A function that it decorates can be called, from compiled code too, and pickled. It has no other attributes of Numba's.
A function decorated by `operation` calls a method of its first argument.
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


class operation:
    """A function that compiled functions call, and that is the method of its name of its first argument's class.

    Numba has no methods of NamedTuples. Here it compiles the method with each function that calls the operation, anew
    for each class of NamedTuples. The decorated function serves classes without the method. Uncompiled calls serve
    instances of any class.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self._name, self._default = function.__name__, function

    def _implementation(self, kind: type) -> Callable[..., Any]:
        implementation: Callable[..., Any] = getattr(kind, self._name, self._default)
        return implementation

    def __call__(self, first: Any, *arguments: Any) -> Any:
        """Return what the method returns, uncompiled."""
        return self._implementation(type(first))(first, *arguments)

    @cached_property
    def _numba_type_(self) -> Any:
        from numba.core.registry import cpu_target
        from numba.extending import overload

        def stub(first: Any, *arguments: Any) -> None:
            """Stand for the operation in Numba's table of functions."""

        # Not strict: methods name the arguments that follow the first.
        overload(stub, strict=False)(lambda first, *arguments: self._implementation(first.instance_class))
        cpu_target.typing_context.refresh()
        return cpu_target.typing_context.resolve_value_type(stub)
