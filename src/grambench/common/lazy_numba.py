"""Numba's `njit`, which imports Numba at the first call of a compiled function: the import takes .25 seconds.

A function that it decorates can be called, from compiled code too, and pickled. It has no other attributes of Numba's.
A function decorated by `operation` calls a method of its first argument.
"""

import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property, partial, update_wrapper
from pathlib import Path
from types import FunctionType
from typing import Any

COMPILED = ("algorithms", "common", "features", "kernels", "solvers")  # packages with compiled functions
LOADING = ("_load_overload", "_guard_against_spurious_io_errors")  # methods of Numba's cache, which are not public
LONG = 2.0  # seconds of compilation of which the user is told


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
        return self._compiled(self._function)

    @cached_property
    def _inner(self) -> Any:
        # Compiled callers need no conversion of Python's objects, which takes time to compile.
        function = self._function
        code, names, defaults = function.__code__, function.__globals__, function.__defaults__
        copy = FunctionType(code, names, argdefs=defaults, closure=function.__closure__)
        copy.__qualname__, copy.__module__ = f"{self.name}.inner", function.__module__  # names in the cache
        return self._compiled(copy, no_cpython_wrapper=True)

    def _compiled(self, function: Callable[..., Any], **options: Any) -> Any:
        import numba

        dispatcher = numba.njit(**{"no_cfunc_wrapper": True, **options, **self._options})(function)
        kept: Any = getattr(dispatcher, "_cache", None)
        # Another version of Numba may have other methods, and then loads as it does.
        if self._options.get("cache") and all(hasattr(kept, name) for name in LOADING):
            # Bound to the instance, since Numba's own class serves other packages as well.
            kept.load_overload = partial(_load, kept)
        if files := getattr(kept, "_cache_file", None):
            # Numba reads nothing of what another version has kept.
            files._version = f"{numba.__version__} {_code()}"
        return dispatcher

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self._dispatcher(*arguments, **keywords)

    def __reduce__(self) -> str:
        return self.name

    @property
    def _numba_type_(self) -> Any:
        # Numba reads this attribute where one compiled function calls another. What was compiled for Python serves too.
        return (self.__dict__.get("_dispatcher") or self._inner)._numba_type_


@cache
def _code() -> str:
    """Return a name for the state of all modules with compiled code, by the times of their last change.

    Numba compiles a function again if its own file changes, but not if a function that it calls does.
    """
    package = Path(__file__).parent.parent
    files = sorted(path for name in COMPILED for path in (package / name).rglob("*.py"))
    # lstat, since an editor locks a file by a link to nothing
    states = [(path.name, path.lstat().st_mtime_ns) for path in files]
    return hashlib.sha256(repr(states).encode()).hexdigest()


def _load(kept: Any, signature: Any, context: Any) -> Any:
    """Return a function from the cache of compiled code, or None.

    Numba first fills all tables of its compiler, in twice the time of all else. Only memory management is needed here.
    """
    from numba.core.runtime.nrt import rtsys

    rtsys.initialize(context)
    with kept._guard_against_spurious_io_errors():
        return kept._load_overload(signature, context)


@contextmanager
def notice(show: Callable[[str], None]) -> Iterator[None]:
    """Show "compiling, once" when all compilations together have taken 2 seconds, and nothing after each of them."""
    from numba.core import event

    class Listener(event.Listener):
        seconds, started = 0.0, list[float]()

        def on_start(self, _: Any) -> None:
            self.started.append(time.monotonic())
            # Functions that a function calls are compiled within its compilation, so that a long one has many events.
            if self.seconds + self.started[-1] - self.started[0] > LONG:
                show("compiling, once")

        def on_end(self, _: Any) -> None:
            started = self.started.pop()
            if not self.started:
                self.seconds += time.monotonic() - started
                show("")

    with event.install_listener("numba:compile", Listener()):
        yield


@njit(cache=True)
def largest(values):  # type: ignore[no-untyped-def]
    """Return the largest number, NaN if one is; a loop, which compiles in a tenth of the time of `values.max()`."""
    most = values[0]
    for k in range(1, values.size):
        if values[k] > most or values[k] != values[k]:
            most = values[k]
    return most


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
