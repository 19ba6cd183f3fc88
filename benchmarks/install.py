"""What `pip install grambench` costs: megabytes, and the time until the estimators are imported.

Installs the repository into a new virtual environment, which is removed at the end. Prints the size of the installed
packages, largest first, and the median times of an import of grambench's classifier and of scikit-learn's SVM, in turn.
The index is that of pip's configuration.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parent.parent
IMPORTS = {
    "scikit-learn's SVC": "from sklearn.svm import SVC",
    "grambench's KernelClassifier": "from grambench import KernelClassifier",
    "numba, which the first fit imports": "import numba",
}
CLOCK = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"
PIP = ("pip", "setuptools", "pkg_resources", "_distutils_hack")  # of the environment, not of the package


def megabytes(path):
    """Return the size of a file or folder in millions of bytes, byte code aside and byte code alone."""
    files = [file for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file()]
    sizes = [(file.suffix == ".pyc", file.stat().st_size / 1e6) for file in files]
    return sum(size for compiled, size in sizes if not compiled), sum(size for compiled, size in sizes if compiled)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extra", default="", help="an extra to install, such as workflow")
    parser.add_argument("--repetitions", type=int, default=7, help="of each import (default: 7)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = Path(folder) / "bin/python"
        target = f"{ROOT}[{arguments.extra}]" if arguments.extra else str(ROOT)
        subprocess.run([python, "-m", "pip", "install", "--quiet", target], check=True)
        (packages,) = Path(folder).glob("lib/python3*/site-packages")
        sizes = {path.name: megabytes(path) for path in packages.iterdir() if not path.name.startswith(PIP)}
        files, compiled = (sum(values) for values in zip(*sizes.values(), strict=True))
        print(f"{files + compiled:6.0f} MB installed, {compiled:.0f} of them byte code that pip has compiled")
        for name, size in sorted(sizes.items(), key=lambda item: -sum(item[1]))[:8]:
            print(f"{sum(size):6.0f} MB {name}")
        times = {name: [] for name in IMPORTS}
        for _ in range(arguments.repetitions):
            for name, statement in IMPORTS.items():
                command = [python, "-c", CLOCK.format(statement)]
                answer = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
                times[name].append(float(answer.stdout))
        reference = median(times["scikit-learn's SVC"])
        for name, values in times.items():
            print(f"{median(values):6.2f} s, {median(values) / reference:.2f} times scikit-learn's: {name}")


if __name__ == "__main__":
    main()
