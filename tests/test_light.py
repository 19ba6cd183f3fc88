"""`pip install grambench` brings what the estimators need; all else is of the extra `workflow`."""

import os
import subprocess
import sys
import tomllib
from importlib.metadata import distribution, packages_distributions

import pytest
from copies import ROOT
from packaging.requirements import Requirement

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CORE = {Requirement(line).name for line in PROJECT["dependencies"]}
WORKFLOW = {Requirement(line).name for line in PROJECT["optional-dependencies"]["workflow"]}

IMPORT = """
import sys
from grambench import KernelClassifier, MultipleKernelTransformer
print(sorted({name.partition(".")[0] for name in sys.modules} & set(sys.argv[1:])))
"""

FIT = """
from sklearn.datasets import load_iris
from grambench import KernelClassifier, MultipleKernelTransformer, algorithms

X, y = load_iris(return_X_y=True)
X, y = X[::5], y[::5]
dictionary = {"family": "gaussian", "low": 0.1, "high": 10, "count": 3, "spacing": "log"}
for estimator in (
    KernelClassifier(), KernelClassifier("omkc_dd"), KernelClassifier("ca_1d"), KernelClassifier("cka", dictionary),
    KernelClassifier("rkl", [{"family": "gaussian", "values": [1, 2]}, "rbf"]), MultipleKernelTransformer("alignf"),
):
    estimator.fit(X, y)
for name in algorithms.names():
    assert not algorithms.fault(name), (name, algorithms.fault(name))
"""


def modules_of(distributions):
    """Return the names under which distributions are imported."""
    return {
        module
        for module, owners in packages_distributions().items()
        if {owner.lower() for owner in owners} & distributions
    }


def closure(names):
    """Return the distributions that these need, extras aside, and these themselves."""
    needed, queue = {}, list(names)
    while queue:
        name = queue.pop().lower()
        if name not in needed:
            needed[name] = distribution(name)
            lines = map(Requirement, needed[name].requires or [])
            queue += [line.name for line in lines if line.marker is None or line.marker.evaluate({"extra": ""})]
    return needed.values()


@pytest.fixture(scope="module")
def light(tmp_path_factory):
    """Return a folder with links to the packages that the core needs, and to no other."""
    folder = tmp_path_factory.mktemp("light")
    for package in closure(CORE):
        for name in {file.parts[0] for file in package.files} - {"..", "__pycache__"}:
            (folder / name).symlink_to(package.locate_file(name))
    return folder


def python(*arguments, cwd=None, **variables):
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=os.environ | variables)


def python_with(folder, code, **options):
    """Run code with the packages of a folder and no others."""
    path = os.pathsep.join([str(ROOT / "src"), str(folder)])
    return python("-S", "-c", code, PYTHONPATH=path, NUMBA_DISABLE_JIT="1", PYTHONDONTWRITEBYTECODE="1", **options)


def command_with(folder, call, **options):
    """Call the command with the packages of a folder and no others."""
    return python_with(folder, f"from grambench.cli import main; raise SystemExit(main({call}))", **options)


def test_the_core_is_what_estimators_need():
    assert {"numpy", "scipy", "scikit-learn", "numba", "tqdm"} == CORE
    assert {"snakemake", "pyarrow", "matplotlib", "pandas", "pydantic", "h5py"} < WORKFLOW


def test_an_import_of_the_estimators_loads_neither_the_workflow_nor_numba():
    # scikit-learn imports pandas, pyarrow and psutil itself where these are installed
    theirs = python("-c", "import sys, sklearn.base, sklearn.metrics.pairwise; print(*sys.modules)").stdout.split()
    unwanted = modules_of(WORKFLOW) - {name.partition(".")[0] for name in theirs} | {"numba"}
    assert {"pydantic", "yaml", "h5py", "snakemake", "matplotlib"} < unwanted
    answer = python("-c", IMPORT, *unwanted)
    assert answer.stdout == "[]\n", answer.stderr


def test_estimators_fit_without_the_workflow(light):
    answer = python_with(light, FIT)
    assert answer.returncode == 0, answer.stderr[-2000:]


def test_boosting_names_the_extra_that_it_lacks(light):
    fits = "KernelClassifier('gradient_boosting').fit([[0.0], [1.0]] * 8, [0, 1] * 8)"
    code = f"from grambench import KernelClassifier; {fits}"
    last = python_with(light, code).stderr.splitlines()[-1]
    assert last == 'ImportError: gradient_boosting needs LightGBM: pip install "lightgbm>=4.6,<5"'
    assert PROJECT["optional-dependencies"]["boosting"][0] in PROJECT["optional-dependencies"]["workflow"]


@pytest.mark.parametrize("call", [["run"], ["-C", ".", "list", "studies"], ["try", "a.py"]], ids=" ".join)
def test_the_command_names_the_extra_that_it_lacks(light, call):
    answer = command_with(light, call)
    name = next(word for word in call if word in ("run", "list", "try"))
    expected = f'grambench: grambench {name} needs the workflow extra: pip install ".[workflow]" in a clone\n'
    assert (answer.stdout + answer.stderr, answer.returncode) == (expected, 2)


@pytest.mark.parametrize("call", [["--help"], ["run", "--help"], ["--version"]], ids=" ".join)
def test_help_needs_no_extra(light, call):
    answer = command_with(light, call)
    assert (answer.returncode, answer.stderr) == (0, "") and answer.stdout


def test_init_needs_no_extra(light, tmp_path):
    answer = command_with(light, ["init", str(tmp_path / "project")])
    assert (answer.returncode, answer.stderr) == (0, "")
    assert (tmp_path / "project/config/config.yaml").is_file()


def test_the_list_of_algorithms_needs_no_extra(light, tmp_path):
    for answer in (
        command_with(light, ["list", "algorithms"]),
        command_with(light, ["list", "algorithms"], cwd=tmp_path),
    ):
        assert (answer.returncode, answer.stderr) == (0, "")
        assert len(answer.stdout.splitlines()) > 30 and "cannot be imported" not in answer.stdout


WITHOUT = {  # code, and what it must not pay for
    "the package": ("import grambench", "numpy sklearn numba"),
    "all algorithms": ("from grambench import algorithms as a; any(map(a.fault, a.names()))", "sklearn"),
    "validate": ("from grambench.cli import main; main(['validate'])", "numba scipy.special sklearn pandas"),
    "kinds of tables and figures": (
        "from grambench.config.shown import FIGURES, TABLES; [k.load(n) for k in (FIGURES, TABLES) for n in k.names()]",
        "matplotlib pandas scipy h5py",
    ),
    "names of descriptors, and decoding": (
        "import grambench.features.images; from grambench import features; features.views('gist')",
        "grambench.common.lazy_numba",
    ),
    "a Gram job": ("import grambench.pipeline.steps.gram", "numpy"),
    "its supervised half": ("import grambench.pipeline.steps.evaluate", "pandas numba sklearn pydantic"),
    "the supervisor of a run": ("import grambench.pipeline.steps.run", "pandas sklearn numba"),
    "inner products": ("import grambench.pipeline.steps.inner", "pandas numba"),
}


@pytest.mark.parametrize("what", WITHOUT)
def test_what_is_not_needed_is_not_imported(what):
    code, unwanted = WITHOUT[what]
    answer = python("-c", f"import sys; {code}; print([n for n in {unwanted.split()} if n in sys.modules])", cwd=ROOT)
    assert answer.stdout.splitlines()[-1:] == ["[]"], answer.stderr
