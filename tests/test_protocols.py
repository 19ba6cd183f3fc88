"""What a study may ask of its protocol: settings, sizes, sweeps and selections, checked when it is loaded."""

import json
import re
from pathlib import Path

import pytest
from specifications import make_run

from grambench.common.errors import ConfigError
from grambench.config import protocols
from grambench.config.load import check
from grambench.config.names import Tuning
from grambench.config.study import Study
from grambench.experiments import run
from grambench.experiments.run import Reference, Run
from grambench.kernels.dictionary import FamilyRange

SOURCE = Path(protocols.__file__).parent.parent
TWO = {"parameter": "p", "values": [1.1, 2], "also": {"C": [1, 10]}}
PROTOCOLS = {
    "online": {"kind": "online"},
    "nested_cv": {"kind": "nested_cv", "select": "C", "values": [1]},
    "random_splits": {"kind": "random_splits", "values": [1], "shares": [0.5, 0.25, 0.25]},
    "official_split": {"kind": "official_split", "values": [1]},
    "per_class_splits": {"kind": "per_class_splits", "sizes": {"default": [10, 5, 8]}, "values": [1]},
}
STUDY = {
    "name": "s",
    "title": "-",
    "paper": "-",
    "protocol": PROTOCOLS["per_class_splits"],
    "kernels": [{"family": "polynomial", "values": [1]}],
    "datasets": ["toy"],
    "algorithms": {"obscure": {}, "uniform_svm": {}},
}


def refused(message, **changes):
    with pytest.raises(ConfigError, match=message):
        check(Study, STUDY | changes, "s.yaml")


def test_there_is_a_case_of_every_protocol():
    assert PROTOCOLS.keys() == protocols.KINDS.keys()


@pytest.mark.parametrize("kind", ["random_splits", "per_class_splits"])
def test_a_study_needs_sizes_of_each_data_set(kind):
    protocol = {"kind": kind, "sizes": {"other": [2, 2, 2]}, "values": [1]}
    refused("sizes: toy has none, and there is no default", protocol=protocol)


@pytest.mark.parametrize("kind", ["random_splits", "per_class_splits", "official_split", "nested_cv"])
@pytest.mark.parametrize("value", [-1, 0])
def test_values_of_C_are_positive(kind, value):
    protocol = PROTOCOLS[kind] | {"values": [value, 1]}
    refused(f"protocol.{kind}: values of C must be positive, got {value}", protocol=protocol)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"sweeps": {"k": {"values": [1, 2]}}}, "sweep k asks for 2 kernels, the study has 1"),
        ({"sweeps": {"k": {"values": [0]}}}, "values must be whole numbers from 1 on, got 0"),
        ({"sweeps": {"k": {"values": [1.5]}}}, "values must be whole numbers from 1 on, got 1.5"),
        (
            {"sweeps": {"k": {"values": [1]}}, "protocol": PROTOCOLS["online"]},
            "sweep k is of kind size, but a study of kind online allows parameter",
        ),
        ({"tune": {"parameter": "C", "values": [1], "also": {"C": [1]}}}, "C is tuned and stands under also"),
        ({"tune": TWO, "parameters": {"C": 1}}, "obscure sets C, which is tuned"),
        ({"tune": TWO, "protocol": PROTOCOLS["online"]}, "obscure tunes p, but a study of kind online has no valid"),
    ],
)
def test_sizes_and_choices_that_cannot_be(changes, said):
    usual = {"kind": "size", "of": "kernels", "label": "-", "algorithms": ["obscure"], "datasets": ["toy"]}
    sweeps = {name: usual | sweep for name, sweep in changes.get("sweeps", {}).items()}
    entry = {key: changes[key] for key in ("tune", "parameters") if key in changes}
    refused(
        said,
        sweeps=sweeps,
        algorithms={"obscure": entry, "uniform_svm": {}},
        protocol=changes.get("protocol", STUDY["protocol"]),
    )


@pytest.mark.parametrize(
    ("kernels", "named"),
    [
        ({"kernels": [{"family": "mediangaussian", "values": [1]}]}, "mediangaussian"),
        (
            {"dictionary": {"family": "gaussian", "low": 1, "high": 2, "count": 2, "spacing": "log", "unit": "median"}},
            "dict",
        ),
    ],
)
def test_an_online_study_has_no_kernels_in_units_of_training_examples(kernels, named):
    refused(f"{named}.* is in units of training examples", protocol=PROTOCOLS["online"], **kernels)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kernels": STUDY["kernels"]}, "subsets: expected neither kernels nor a dictionary beside them"),
        ({"protocol": PROTOCOLS["official_split"]}, "subsets: expected a protocol of kind random_splits that neither"),
        ({"protocol": PROTOCOLS["random_splits"] | {"trace": 1.0}}, "subsets: expected a protocol of kind random_spl"),
        ({"algorithms": {"easy_mkl": {"center": True}}}, "subsets: expected a protocol of kind random_splits"),
        ({"subsets": {"n_subsets": 0}}, "subsets: n_subsets must be a whole number of at least 1, got 0"),
        (
            {"subsets": {"n_subsets": 2, "seed": 1}},
            "subsets: expected no seed, since each repetition has its own, got 1",
        ),
        ({"values": [20, 30]}, "sweep k asks for 30 kernels, which is no multiple of n_widths, 20"),
        ({"values": [20, 120]}, "sweep k asks for 120 kernels, the study has 100"),
    ],
)
def test_subsets_that_cannot_be(changes, said):
    sweep = {"kind": "size", "of": "kernels", "label": "-", "algorithms": ["easy_mkl"], "datasets": ["toy"]}
    usual = {"subsets": {"n_subsets": 5}, "kernels": [], "protocol": PROTOCOLS["random_splits"]}
    usual |= {"algorithms": {"easy_mkl": {}}, "sweeps": {"k": sweep | {"values": [20, 100]}}}
    check(Study, STUDY | usual, "s.yaml")
    if "values" in changes:
        changes = {"sweeps": {"k": sweep | changes}}
    refused(said, **usual | changes)


@pytest.mark.parametrize("kind", [kind for kind in PROTOCOLS if kind != "online"])
@pytest.mark.parametrize("tune", [TWO, {"parameter": "p", "values": [1.1, 2], "by": "alignment"}])
def test_every_protocol_with_validation_examples_selects_by_error_and_alignment_and_with_c(kind, tune):
    """Under holdout, two hyperparameters at once were refused before."""
    entries = {"obscure": {"tune": tune}, "uniform_svm": {"then": "uniform_svm"}}
    study = check(Study, STUDY | {"protocol": PROTOCOLS[kind], "algorithms": entries}, "s.yaml")
    assert study.algorithms["obscure"].tune.parameter == "p"
    assert study.algorithms["uniform_svm"].then == "uniform_svm"


@pytest.mark.parametrize(
    ("kind", "changes", "said"),
    [
        ("random_splits", {"values": [1.0, 1.0]}, "values must ascend"),
        ("official_split", {"values": [2.0, 1.0]}, "values must ascend"),
        ("per_class_splits", {"values": [2.0, 1.0]}, "values must ascend"),
        ("nested_cv", {"values": [2.0, 1.0]}, "values must ascend"),
        ("random_splits", {"shares": [0.5, 0.5, 0.25]}, "shares must sum to 1, got 1.25"),
        ("official_split", {"validation": 1.0}, "protocol.official_split.validation: Input should be less than 1"),
        ("nested_cv", {"refit": False}, "protocol.nested_cv.refit: Input should be True"),
        ("online", {"refit": True}, "protocol.online.refit: no such key"),
        ("online", {"checkpoints": 1}, "protocol.online.checkpoints: .*greater than or equal to 2"),
        ("nested_cv", {"outer_folds": 1}, "protocol.nested_cv.outer_folds: .*greater than or equal to 2"),
        ("random_splits", {"steps": 0}, "protocol.random_splits.steps: .*greater than or equal to 1"),
        ("per_class_splits", {"trace": 0.0}, "protocol.per_class_splits.trace: .*greater than 0"),
        ("official_split", {"values": []}, "protocol.official_split.values: .*at least 1 item"),
        ("per_class_splits", {"sizes": {"default": [1, 2]}}, "protocol.per_class_splits.sizes.default"),
    ],
)
def test_settings_that_cannot_be_are_named(kind, changes, said):
    refused(said, protocol=PROTOCOLS[kind] | changes)


def test_no_other_module_asks_for_the_name_of_a_protocol():
    """What a protocol needs and yields are its own attributes."""
    compared = re.compile(r"kind\s*(==|!=|in)\s*[({\[]?\"(" + "|".join(protocols.KINDS) + r")\"|\"parts\" in ")
    own = SOURCE / "config/protocols.py"
    found = [path for path in SOURCE.rglob("*.py") if path != own and compared.search(path.read_text())]
    assert found == []


# --- runs -------------------------------------------------------------------------------------------------------------

RUNS = {
    "plain": make_run("cka", "online"),
    "nested_cv": make_run("rkl", "nested_cv", protocol={"select": "C", "values": [1.0]}),
    "random_splits": make_run(
        "ca_1d",
        "random_splits",
        protocol={"sizes": {"default": [4, 4, 4]}, "values": [1.0]},
        dictionary=FamilyRange("gaussian", 0.1, 10.0, [0.1, 10.0], "median"),
        tune=Tuning("gamma", [0.1, 1.0], "alignment"),
        kernels=[],
    ),
    "official_split": make_run("oks", "official_split", protocol={"values": [1.0]}, then="single_kernel", block=[1, 2]),
    "per_class_splits": make_run(
        "obscure",
        "per_class_splits",
        protocol={"sizes": {"default": [4, 4, 4]}, "values": [1.0]},
        tune=Tuning("p", [1.1, 2.0], also={"C": [1.0]}),
        classes=["a", "b", "c"],
        size="examples",
        values=[1, 2],
        points=[{}, {}],
    ),
    "scaling": make_run(
        "rkl",
        "nested_cv",
        protocol={"select": "C", "values": [1.0]},
        experiment="scaling",
        scaled="one",
        reference=Reference("rkl", {"norm": "l1"}),
        values=[0.1, 10.0],
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_run_is_the_same_after_it_was_written_as_json(name):
    asked = RUNS[name]
    written = json.dumps(asked.to_dict())
    again = Run.from_dict(json.loads(written))
    assert json.dumps(again.to_dict()) == written
    for field in ("tune", "dictionary", "reference", "points", "kernels", "block", "classes", "then", "values"):
        assert getattr(again, field) == getattr(asked, field), field
    assert type(again.protocol) is type(asked.protocol) and again.repetitions == asked.repetitions


def test_a_run_is_written_without_what_is_left_at_its_default():
    written = RUNS["plain"].to_dict()
    assert written.keys() == run.REQUIRED | {"protocol"}
    assert written["sweep"] == "" and written["values"] == []


def test_a_block_after_a_runs_own_repetitions_replicates_it():
    asked = make_run("om2", "online", protocol={"repetitions": 5})
    assert list(asked.repetitions) == [0, 1, 2, 3, 4] and not asked.replicates
    for block, replicates in (([0, 4], False), ([2, 3], False), ([5, 9], True)):
        part = make_run("om2", "online", protocol={"repetitions": 5}, block=block)
        assert list(part.repetitions) == list(range(block[0], block[1] + 1)) and part.replicates == replicates


def test_an_offline_protocol_is_asked_for_by_its_type():
    assert RUNS["official_split"].offline is RUNS["official_split"].protocol
    with pytest.raises(TypeError, match="small: expected a protocol with splits, got Online"):
        _ = RUNS["plain"].offline
