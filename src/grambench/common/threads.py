"""The variables that set the threads of numerical libraries; a module of its own, since supervisors load little."""

VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
