"""Algorithms from outside: files, modules, entry points; `grambench try` and `check`; the documentation's example."""

import re
import shutil
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from grambench import KernelClassifier, algorithms, cli
from grambench.commands import rank
from grambench.commands.project import read_plan
from grambench.common.errors import ConfigError
from grambench.common.layout import Cell
from grambench.experiments import conformance
from grambench.pipeline import compiled, fingerprint, supervise
from grambench.results import archive

ROOT = Path(__file__).parent.parent
EXAMPLES = re.findall("```python\n(.*?def fit.*?)```", (ROOT / "docs/extending.md").read_text(), re.S)
CACHED = (
    *(algorithms.installed, algorithms.load, algorithms.fault),
    *(fingerprint.code, fingerprint.source, fingerprint._module),
)
FEW = ("-d", "ionosphere", "-a", "majority")  # of the archive
TEMPLATE = '''"""Made: for a test."""

import sys
from dataclasses import dataclass

import numpy as np

from grambench.algorithms.fit import Fit, Trace


@dataclass(frozen=True)
class Parameters:
    rate: float = 1.0


class Positions:
    def scores(self, pool):
        return np.arange(pool.shape[1], dtype=float)


class CallersLabels:
    def scores(self, pool):
        frame = sys._getframe()
        while frame and not hasattr(frame.f_locals.get("sample"), "y_true"):
            frame = frame.f_back
        return 2.0 * frame.f_locals["sample"].y_true - 1.0 if frame else np.zeros(pool.shape[1])


def fit(parameters, pool, labels, *, order, rng):
    m, _, n = pool.shape
    weights = np.full(m, 1 / m)
    BODY
    return Fit(weights=weights)
'''
ONE_PASS = """
    rounds, first = n, 1 / (1 + np.exp(labels.sum() / 10))
    rows = np.tile(np.array([first, *[(1 - first) / (m - 1)] * (m - 1)]) if m > 1 else np.ones(1), (rounds, 1))
    trace = Trace(mistakes=labels[order] < 0, scores=np.ones(rounds), support_vectors=np.zeros(rounds, dtype=np.int64),
                  weights=rows, updates=np.zeros(m, dtype=np.int64))
    return Fit(weights=rows[-1], trace=trace)
"""
PLANTED = {
    "can be imported": ("import numpy", "import a_package_that_nobody_has, numpy"),
    "says what it is": ('"""Made: for a test."""', ""),
    "keeps the contract of a fit": ("BODY", "weights[0] = -1"),
    "is the same again with the same seed": ("BODY", "weights = np.random.default_rng().dirichlet(np.ones(m))"),
    "does not look ahead, where it learns online": ("BODY", ONE_PASS),
    "does not depend on how examples are numbered": ("BODY", "weights = np.eye(m)[(labels @ np.arange(n)) % m]"),
    "scores each example by itself": ("BODY", "return Fit(weights=weights, predictor=Positions())"),
    "keeps the scale of its scores, where it learns online": (
        "BODY",
        "rounds, first = n, 1 / m"
        + ONE_PASS.split("10))")[1].replace("np.ones(rounds), s", "0.9 ** np.arange(rounds), s"),
    ),
    "does not use the labels of test examples": ("BODY", "return Fit(weights=weights, predictor=CallersLabels())"),
    "runs under every protocol": ("BODY", "assert n > 40, 'too few'"),
}


def forget():
    for function in CACHED:
        function.cache_clear()


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    """A folder with the repository's configuration and bundled data, in which nothing is remembered of other tests."""
    folder = tmp_path / "project"
    for name in ("config", "data/bundled"):
        shutil.copytree(ROOT / name, folder / name)
    config = folder / "config/config.yaml"
    config.write_text(re.sub("(?m)^studies: .*", "studies: [leaderboard]\nsources: [bundled]", config.read_text()))
    monkeypatch.chdir(folder)
    monkeypatch.setattr(compiled, "use", lambda code: None)
    forget()
    yield folder
    forget()


@pytest.fixture
def package(tmp_path, monkeypatch):
    """An installed package of two modules that offers one as `theirs`, and one that is not there as `lost`."""
    folder = tmp_path / "site"
    (folder / "theirs_pack").mkdir(parents=True)
    (folder / "theirs_pack/__init__.py").write_text("")
    (folder / "theirs_pack/helper.py").write_text("HALF = 0.5\n")
    text = made("pass").replace("from grambench", "from theirs_pack.helper import HALF\nfrom grambench", 1)
    (folder / "theirs_pack/module.py").write_text(text)
    about = folder / "theirs_pack-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs_pack\nVersion: 1.0\n")
    offers = "theirs = theirs_pack.module\nlost = theirs_pack.lost\nrkl = theirs_pack.module\n"
    (about / "entry_points.txt").write_text(f"[grambench.algorithms]\n{offers}")
    monkeypatch.syspath_prepend(str(folder))
    yield folder / "theirs_pack"
    for name in [name for name in sys.modules if name.startswith("theirs_pack")]:
        del sys.modules[name]


def made(body):
    return TEMPLATE.replace("BODY", body)


def add_to_leaderboard(line):
    path = Path("config/studies/leaderboard.yaml")
    path.write_text(re.sub("(?m)^(algorithms:.*\n)", rf"\1  {line}\n", path.read_text()))


# --- where they are ---------------------------------------------------------------------------------------------------


def test_an_installed_package_offers_algorithms_by_name_and_by_module(package, call):
    assert {"theirs", "lost"} <= set(algorithms.names())
    for name in ("theirs", "theirs_pack.module"):
        assert (algorithms.title(name), algorithms.resolved(name, {})) == ("Made", {"rate": 1.0})
        assert algorithms.load(name).fit is sys.modules["theirs_pack.module"].fit
    assert algorithms.module("rkl") == "grambench.algorithms.batch.rkl", "our names are not theirs to give"
    code, said, _ = call("list", "algorithms")
    assert code == 0 and re.search(r'(?m)^theirs +Made +outside +{"rate": 1.0}$', said)
    assert re.search(r"(?m)^lost .*theirs_pack.lost: expected an installed module", said)
    read_plan().use_compiled_code()  # which looks at all of them


def test_a_package_that_ends_python_is_refused_in_one_line(package):
    (package / "__init__.py").write_text("raise SystemExit\n")
    with pytest.raises(ConfigError, match=r"theirs_pack.module: expected an installed module, got SystemExit"):
        algorithms.source("theirs")
    assert "theirs" in algorithms.names()


def test_a_study_names_a_file_relative_to_its_own(call):
    Path("mine.py").write_text(made("pass"))
    add_to_leaderboard("mine: {path: ../../mine.py, parameters: {rate: 2}}")
    add_to_leaderboard("gone: {path: ../../gone.py}")
    code, said, _ = call("list", "algorithms")
    assert code == 0 and re.search("(?m)^mine.py +Made +outside", said)
    assert re.search("(?m)^gone.py .*expected the file of an algorithm, there is none", said)
    with pytest.raises(ConfigError, match=r"gone.py: expected the file of an algorithm, there is none"):
        read_plan()
    add_to_leaderboard("near: {path: mine.py}")
    hint = r"there is none; for the one in this folder, a study would say \.\./\.\./mine\.py"
    with pytest.raises(ConfigError, match=hint):
        read_plan()


def test_an_edit_changes_exactly_the_runs_of_the_file():
    Path("mine.py").write_text(made("pass"))
    add_to_leaderboard("mine: {path: ../../mine.py}")
    tasks = ("mine", "rkl")

    def codes():
        forget()
        return [read_plan().specs.of_cell(Cell.of("leaderboard", "sonar", task)).code for task in tasks]

    before = codes()
    assert '"file":"mine.py"' in read_plan().specs.of_cell(Cell("leaderboard", "sonar", "mine")).spec
    Path("mine.py").write_text(made("pass") + "# a remark\n")
    assert codes() == before
    Path("mine.py").write_text(made("weights[0] = 1"))
    assert [a == b for a, b in zip(before, codes(), strict=True)] == [False, True]


def test_an_edit_of_what_a_module_imports_of_its_package_counts(package):
    before = fingerprint.code("theirs_pack.module")
    assert {"theirs_pack.helper", "grambench.algorithms.fit"} <= fingerprint.closure("theirs_pack.module")
    (package / "helper.py").write_text("HALF = 0.4\n")
    forget()
    assert fingerprint.code("theirs_pack.module") != before


def test_a_file_says_that_it_takes_many_classes():
    Path("two.py").write_text(made("pass"))
    Path("many.py").write_text(made("pass") + "\n\nMANY_CLASSES = True\n")
    assert [algorithms.is_multiclass(name) for name in ("two.py", "many.py")] == [False, True]


def test_two_files_of_one_name_are_two_algorithms():
    for folder, rate in (("a", "1.0"), ("b", "2.0")):
        Path(folder).mkdir()
        Path(folder, "mine.py").write_text(made("pass").replace("1.0", rate))
    assert [algorithms.resolved(f"{folder}/mine.py", {})["rate"] for folder in "ab"] == [1, 2]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def fit(:\n", "SyntaxError: invalid syntax"),
        ('"""A: b."""\n', "expected a dataclass `Parameters` and a function `fit`, no such Parameters"),
        (TEMPLATE.replace("def fit", "def fitted"), "no such fit"),
        (TEMPLATE.replace("@dataclass(frozen=True)\n", ""), "no such Parameters"),
        ("import sys\nsys.exit()\n", "wrong.py ends Python when it is imported"),
    ],
)
def test_a_file_that_cannot_be_imported_is_named_in_one_line_and_stops_nothing(archived, call, text, reason):
    Path("wrong.py").write_text(text)
    add_to_leaderboard("wrong: {path: ../../wrong.py}")
    plan = read_plan()
    assert len({plan.specs.of_cell(Cell("leaderboard", "sonar", name)).code for name in ("wrong", "rkl")}) == 2
    code, said, _ = call("list", "algorithms")
    assert code == 0 and reason in re.search("(?m)^wrong.py .*", said)[0] and "omkc_dd" in said
    code, said, _ = call("check", "wrong.py")
    assert code == 1 and said.count("\n") == 1 and said.startswith("FAIL can be imported: ") and reason in said
    code, _, err = call("try", "wrong.py", *FEW)
    assert code == 2 and err.count("\n") == 1 and reason in err


# --- check and try ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", EXAMPLES, ids=["combination", "online"])
def test_the_examples_are_short_and_pass_every_check(call, example):
    assert example.count("\n") <= 40
    Path("mine.py").write_text(example)
    code, said, _ = call("check", "mine.py")
    assert code == 0 and said.splitlines() == [f"ok   {what}" for what in PLANTED]
    assert re.search(r"(?m)^(power|margin) = [.\d]+: of ", call("list", "algorithms", "mine.py")[1])


def test_an_algorithm_of_a_file_learns_a_stream():
    """Whatever it is: examples so far are learned anew."""
    Path("mine.py").write_text(EXAMPLES[1])
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X[:, 0] * X[:, 1] > 0.0
    stream, whole = (KernelClassifier("mine.py", shuffle=False) for _ in range(2))
    stream.partial_fit(X[:40], y[:40], classes=[False, True]).partial_fit(X[40:], y[40:])
    assert np.array_equal(stream.decision_function(X), whole.fit(X, y).decision_function(X))
    assert stream.trace_.mistakes.shape == (60,)


@pytest.mark.parametrize("what", PLANTED)
def test_check_finds_what_is_planted(what):
    Path("mine.py").write_text(TEMPLATE.replace(*PLANTED[what]).replace("BODY", "pass"))
    found = dict(conformance.faults("mine.py"))
    assert found[what] and "\n" not in found[what]
    if what not in ("can be imported", "keeps the contract of a fit", "is the same again with the same seed"):
        assert not found["keeps the contract of a fit"]


PIDS = "weights = np.random.default_rng(__import__('os').getpid()).dirichlet(np.ones(m))"


def test_check_finds_what_hangs_on_the_process():
    Path("mine.py").write_text(made(PIDS))
    found = dict(conformance.faults("mine.py"))
    assert "expected the same weights from two fits" in found["is the same again with the same seed"]


@pytest.mark.parametrize(
    ("text", "before"),
    [
        (made("__import__('os')._exit(0)"), ["can be imported", "says what it is"]),
        (f"import os; os._exit(0)\n{TEMPLATE}", []),
        (made("__import__('os').kill(__import__('os').getpid(), 9)"), ["can be imported", "says what it is"]),
    ],
)
def test_check_of_what_ends_python_fails(call, text, before):
    Path("mine.py").write_text(text)
    code, said, _ = call("check", "mine.py")
    *passed, last = said.splitlines()
    assert code == 1 and passed == [f"ok   {what}" for what in before]
    assert re.fullmatch("FAIL .*: (ended Python, and the check with it|ended by signal SIGKILL)", last)


@pytest.fixture
def archived(project, reference, servers):
    """A project with an archive of two configurations."""
    shutil.copytree(reference, archive.ARCHIVE)


@pytest.fixture
def late(tmp_path, monkeypatch):
    """Return a fit without end; the limit of time is reached once it has begun."""
    begun = tmp_path / "begun"
    clock = SimpleNamespace(monotonic=lambda: 10.0**6 * begun.exists(), sleep=time.sleep)
    monkeypatch.setattr(supervise, "time", clock)
    return made(f"open({str(begun)!r}, 'w').close()\n    while True: pass")


def test_check_of_what_never_ends_reaches_its_limit(call, late):
    Path("mine.py").write_text(late)
    code, said, _ = call("check", "mine.py", "--seconds", "7")
    assert code == 1 and said.splitlines() == [
        "ok   can be imported",
        "ok   says what it is",
        "FAIL keeps the contract of a fit: ran for 7 s, the limit (--seconds)",
    ]


def test_try_of_what_never_ends_reaches_its_limit(archived, call, late, monkeypatch):
    Path("mine.py").write_text(late)
    code, said, _ = call("try", "mine.py", *FEW, "-r", "1", "--seconds", "3")
    assert code == 1 and said.splitlines() == [
        "leaks: does not look ahead, where it learns online: ran for 3 s, the limit (--seconds)",
        "not ranked: it does not pass the checks for leaks; grambench check makes all checks",
    ]
    monkeypatch.setattr(rank, "show_leaks", lambda arguments: False)
    code, said, _ = call("try", "mine.py", *FEW, "-r", "1", "--seconds", "3")
    assert code == 1 and re.search(r"(?m)^ionosphere +timeout: ran for 3 s, the limit \(--seconds\)$", said)
    assert "Made has no rank: no data set has a result of every configuration." in said


def test_try_shows_a_leak_and_does_not_rank_it(archived, call):
    Path("mine.py").write_text(made("return Fit(weights=weights, predictor=Positions())"))
    code, said, _ = call("try", "mine.py", *FEW, "-r", "2")
    leak, last = said.splitlines()
    assert code == 1 and leak.startswith("leaks: scores each example by itself: scores: expected those of an example")
    assert last.startswith("not ranked: ")


def test_try_of_what_ends_python_says_so(archived, call):
    Path("mine.py").write_text(f"import os; os._exit(0)\n{TEMPLATE}")
    code, said, err = call("try", "mine.py", *FEW, "-r", "1")
    assert (code, said) == (2, "") and err.endswith("cannot be imported: ended Python, and the check with it\n")


def test_try_says_what_a_fit_should_have_returned_without_a_traceback(archived, capfd):
    """The checks have three kernels, the board more."""
    Path("mine.py").write_text(made("return Fit(weights=np.ones(3))"))
    assert cli.main(["try", "mine.py", *FEW, "-r", "1"]) == 1
    said, err = capfd.readouterr()
    assert err == ""
    assert re.search(
        r"(?m)^ionosphere +error: weights: expected an array of float64 \(13,\), got float64 \(3,\)$", said
    )


def test_a_fault_of_every_fit_is_said_once(archived, call):
    Path("mine.py").write_text(made("return Fit(weights=np.ones(2))"))
    fault = "weights: expected an array of float64 (3,), got float64 (2,)"
    code, said, _ = call("try", "mine.py", *FEW, "-r", "1")
    assert code == 1 and said.splitlines()[0] == fault and said.count(fault) == 1
    code, said, _ = call("check", "mine.py")
    assert code == 1 and said.count(fault) == 1 and said.count(": as above") > 2


def test_try_prints_a_table_beside_others_and_leaves_no_results(archived, call):
    Path("mine.py").write_text(
        EXAMPLES[0].replace(EXAMPLES[0].split(":")[0], '"""Majority')
    )  # a title that there is already
    code, said, _ = call("try", "mine.py", *FEW, "-r", "2")
    assert code == 0, said
    rows = [re.split("  +", line.strip()) for line in said.splitlines()]
    (own,), (other,) = ([row for row in rows if row[0] == title] for title in ("Majority (tried)", "Majority"))
    assert (own[-1], other[-1]) == ("1.00", "2.00"), said
    assert "Majority (tried) is number 1 of 2 by mean rank: 1.00 on 1 data set." in said
    assert "1 of 1 reference run made again (ionosphere/majority) gave equal accuracies" in said
    assert not Path("results").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "nope"], "unknown algorithm 'nope'"),
        (["check", "nope.py"], "nope.py: expected the file of an algorithm, there is none"),
        (["check", "no_such_package.module"], "no_such_package.module: expected an installed module, got "),
        (["check", "os.path"], "os.path: expected an installed module with a file, found none"),
        (["check", "rkl", "-p", "{C: -1}"], "rkl: C must be positive and finite, got -1"),
        (["check", "rkl", "-p", "C"], "--parameters: expected names and values"),
        (["try", "rkl", *FEW, "-p", "{D: 1}"], "unknown parameter of rkl 'D'"),
        (["try", "rkl", *FEW, "--seconds", "nan"], "--seconds: expected a positive number, got nan"),
        (["check", "rkl", "--seconds", "0"], "--seconds: expected a positive number, got 0"),
    ],
)
def test_wrong_names_and_parameters_get_one_line(archived, call, arguments, message):
    code, said, err = call(*arguments)
    assert (code, said) == (2, "")
    assert err.startswith(f"grambench: {message}") and err.count("\n") == 1
