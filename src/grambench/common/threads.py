"""Threads of numerical libraries: the variables that set them, and a limit in a process that runs already.

Supervisors import this module, so that it imports no library itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
TINY = 2**13  # multiplications of matrix and vector from which OpenBLAS uses threads
SMALL = 2**30  # multiplications that one thread does in a few tenths of a second


@cache
def _libraries() -> list[Any]:
    # Finding the libraries takes milliseconds.
    from threadpoolctl import ThreadpoolController

    libraries: list[Any] = ThreadpoolController().select(user_api="blas").lib_controllers
    return libraries


@contextmanager
def one_thread(multiplications: int) -> Iterator[None]:
    """Limit BLAS to one thread, unless the largest product has more multiplications than SMALL, or less than TINY.

    On a busy machine, threads wait for each other many times longer than a small product takes.
    """
    libraries = _libraries() if TINY < multiplications <= SMALL else []
    before = [(library, count) for library in libraries if (count := library.get_num_threads()) != 1]
    for library, _ in before:
        library.set_num_threads(1)
    try:
        yield
    finally:
        for library, count in before:
            library.set_num_threads(count)
