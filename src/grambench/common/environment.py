"""The environment of processes that compute, which makes their numbers the same on other machines.

Supervisors import this module, so that it imports no library itself.
"""

import re
from pathlib import Path

from grambench.common import threads

# NumPy and OpenBLAS select routines by processor, which add in other orders and round otherwise. These variables select
# those for AVX2; of NumPy's names some are of versions before 2.4.
CORE = "OPENBLAS_CORETYPE"
AVX2 = {
    CORE: "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR",
}


def instructions(info: Path = Path("/proc/cpuinfo")) -> dict[str, str]:
    """Return the variables that limit libraries to AVX2, if the processor has it; else none.

    Only Linux on x86-64 says so in this file; elsewhere libraries select by processor.
    """
    text = info.read_text(encoding="utf-8", errors="replace") if info.is_file() else ""
    flags = re.search(r"^flags\s*:(.*)$", text, re.MULTILINE)
    return AVX2 if flags and {"avx2", "fma"} <= set(flags[1].split()) else {}


# with another hash seed, a set of texts has another order
COMPUTING = dict.fromkeys(threads.VARIABLES, "1") | {"PYTHONHASHSEED": "0"} | instructions()
