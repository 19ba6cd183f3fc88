"""What the plan makes of a nested study: no Gram files, entries of one file, sweeps that scale the kernels."""

import itertools
import json
from pathlib import Path

import pytest
import yaml

from grambench import algorithms
from grambench.common import layout
from grambench.common.errors import ConfigError
from grambench.common.layout import Cell
from grambench.config.load import check, read
from grambench.config.study import Study
from grambench.experiments.run import Run
from grambench.kernels.functions import FAMILIES
from grambench.pipeline import fingerprint
from grambench.pipeline.plan import Plan
from grambench.pipeline.resources import START

CONFIG = Path(__file__).parent.parent / "config"
NESTED = {
    "name": "small",
    "title": "Small",
    "paper": "Nobody",
    "protocol": {"kind": "nested_cv", "outer_folds": 4, "inner_folds": 2, "select": "C", "values": [1.0, 10.0]},
    "kernels": [{"family": "polynomial", "values": [1]}, {"family": "gaussian", "values": [0.5]}],
    "datasets": ["sonar"],
    "algorithms": {
        "unif": {"algorithm": "uniform_svm"},
        "rkl_l1": {"algorithm": "rkl", "parameters": {"norm": "l1"}},
        "rkl_l2": {"algorithm": "rkl", "title": "RKL two", "parameters": {"norm": "l2"}},
    },
    "sweeps": {
        "scales": {
            "kind": "scaling",
            "label": "Factor",
            "scale": "log",
            "values": [0.1, 1.0, 10.0],
            "algorithms": ["rkl_l1", "rkl_l2"],
            "datasets": ["sonar"],
            "references": {"rkl_l2": "unif"},
        }
    },
}
PROTOCOLS = [
    NESTED["protocol"],
    {"kind": "online"},
    {"kind": "random_splits", "sizes": {"default": [60, 60, 60]}, "values": [1.0]},
    {"kind": "per_class_splits", "sizes": {"default": [10, 5, 5]}, "values": [1.0]},
]
FAMILY = {"family": "gaussian", "low": 0.1, "high": 10.0, "count": 4, "spacing": "log"}
EXPERIMENTS = {"online": "online", "nested_cv": "offline", "random_splits": "offline", "per_class_splits": "offline"}


def plan(folder, **changes):
    """Return a plan of the small study, changed, and of a shipped one."""
    (folder / "config/studies").mkdir(parents=True)
    (folder / "config/studies/small.yaml").write_text(yaml.safe_dump(NESTED | changes, sort_keys=False))
    return Plan({"studies": ["small", "omkc"], "seed": 7}, folder / "config")


def settings(plan, study, dataset, task):
    """Return the settings of a run."""
    return json.loads(plan.specs.of_cell(Cell.of(study, dataset, task)).spec)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return plan(tmp_path_factory.mktemp("small"))


def test_runs_of_a_nested_study_need_no_gram_files(small):
    assert small.targets.grams("small", "sonar") == []
    assert len(small.targets.grams("omkc", "sonar")) == 16
    assert small.targets.records("small") == [
        f"results/runs/small/sonar/{task}.h5" for task in ("unif", "rkl_l1", "rkl_l2", "rkl_l1/scales", "rkl_l2/scales")
    ]


def test_settings_of_a_plain_run(small):
    plain = settings(small, "small", "sonar", "rkl_l2")
    (point,) = plain.pop("points")
    assert point["norm"] == "l2" and len(point) > 1  # defaults are there too
    defaults = {"trace": 1.0, "refit": True, "standardise": True, "steps": None, "checkpoints": 50}
    assert plain == {
        "study": "small",
        "dataset": "sonar",
        "algorithm": "rkl_l2",
        "experiment": "offline",
        "file": "rkl",
        "sweep": "",
        "values": [],
        "protocol": NESTED["protocol"] | defaults | {"center": False, "ties": "first"},
        "kernels": ["polynomial_p1", "gaussian_sigma0.5"],
        "seed": 7,
        "tune": {"parameter": "C", "values": [1.0, 10.0], "by": "error", "also": {}},
    }


def test_alignment_is_measured_where_a_study_shows_it():
    shipped = Plan({"studies": ["ca_gaussian", "leaderboard", "omkc"]}, CONFIG)
    runs = [("ca_gaussian", "da", "dirichlet"), ("omkc", "omkc_dd", "sonar")]
    assert all("aligns" not in settings(shipped, study, dataset, task) for study, task, dataset in runs)
    assert settings(shipped, "leaderboard", "sonar", "uniform_svm")["aligns"] is False


def test_runs_on_many_images_share_distances_unless_they_are_charged_with_each_value():
    shipped = Plan({"studies": ["obscure_caltech_39", "leaderboard_images", "oks", "obscure_digits"]}, CONFIG)
    assert shipped.targets.pairs("obscure_caltech_39", "caltech_102") == [
        "results/pairs/obscure_caltech_39/caltech_102.h5"
    ]
    assert shipped.targets.kernels_from("obscure_caltech_39", "caltech_102")[-1].startswith("results/pairs/")
    assert len(json.loads(shipped.specs.pairs("obscure_caltech_39", "caltech_102").spec)["sources"]) == 13
    photographs = {"leaderboard_images/caltech_20", "leaderboard_images/flowers_17"}
    names = shipped.targets.datasets("leaderboard_images")
    shared = {path for name in names for path in shipped.targets.pairs("leaderboard_images", name)}
    assert {f"results/pairs/{name}.h5" for name in photographs} < shared
    assert len(shared) == len(names) - 2  # blocks of pixels are no images
    for study in ("oks", "obscure_digits"):
        assert not any(shipped.targets.pairs(study, dataset) for dataset in shipped.targets.datasets(study))


def test_kernels_on_all_views_are_those_of_each_data_set():
    board = Plan({"studies": ["leaderboard_views"]}, CONFIG)
    kernels = {
        name: board.targets.kernels("leaderboard_views", name)
        for name in ("wdbc", "brca_5", "htad_7", "mfeat_10", "synthetic_sparse")
    }
    counts = {"wdbc": 9, "brca_5": 9, "htad_7": 6, "mfeat_10": 18, "synthetic_sparse": 60}
    assert {name: len(found) for name, found in kernels.items()} == counts
    assert [kernel.view for kernel in kernels["wdbc"]] == ["mean"] * 3 + ["error"] * 3 + ["worst"] * 3
    swept = settings(board, "leaderboard_views", "wdbc", "uniform_svm/without")
    assert swept["values"] == [1, 2, 3] and len(swept["points"]) == 3 and swept["size"] == "without"
    centred, plain = (settings(board, "leaderboard_views", "wdbc", task) for task in ("d1_centred", "d1"))
    assert centred["protocol"] == plain["protocol"] | {"center": True}


def test_an_entry_may_have_the_kernels_of_another_pool():
    board = Plan({"studies": ["leaderboard"]}, CONFIG)
    study = board.studies["leaderboard"]
    others = {name: entry for name, entry in study.algorithms.items() if entry.pool}
    assert len(others) == 9 and {entry.pool for entry in others.values()} == {"features"}
    run = settings(board, "leaderboard", "heart", "d1_features")
    singles = [f"feature_{k}/mediangaussian_sigma1" for k in range(1, 14)]
    assert run["kernels"] == ["mediangaussian_sigma1", *singles]
    assert len(settings(board, "leaderboard", "heart", "d1")["kernels"]) == 13
    cells = [cell for cell in board.targets.cells() if cell.algorithm in others]
    assert len(cells) == 9 * 27
    counts = {cell.dataset: len(board.targets.kernels(*cell[:3])) for cell in cells}
    assert (min(counts.values()), max(counts.values())) == (5, 45)
    # what else differs is the data sets and the name: the same settings, tuned at the same values
    for name, entry in others.items():
        same = {"pool": None, "datasets": [], "title": None, "algorithm": None}
        first = study.algorithms[name.removesuffix("_features")]
        assert entry.model_copy(update=same) == first.model_copy(update=same), name
        assert study.file(name) == study.file(name.removesuffix("_features"))


def test_each_data_set_of_images_has_the_kernels_of_the_study_that_is_about_it():
    board = Plan({"studies": ["leaderboard_images", "oks", "obscure_flowers", "obscure_caltech_39"]}, CONFIG)
    kernels = {name: board.targets.kernels("leaderboard_images", name) for name in ("corel5k_sky_grass", "flowers_17")}
    assert kernels["flowers_17"] == board.targets.kernels("obscure_flowers", "flowers_17")
    assert kernels["corel5k_sky_grass"] == board.targets.kernels("oks", "corel5k_sky_grass")
    of_caltech = board.targets.kernels("leaderboard_images", "caltech_20")
    assert of_caltech == board.targets.kernels("obscure_caltech_39", "caltech_102") and len(of_caltech) == 39
    assert len(board.targets.kernels("leaderboard_images", "digits_quadrants")) == 12
    assert len(settings(board, "leaderboard_images", "flowers_17", "cka")["kernels"]) == 7


def test_a_data_set_without_views_has_kernels_on_all_features_and_no_sweep_over_views():
    board = Plan(
        {"studies": ["leaderboard_views"], "datasets": ["banana"]}, CONFIG, {}, {"studies": ["leaderboard_views"]}
    )
    assert [kernel.view for kernel in board.targets.kernels("leaderboard_views", "banana")] == [""] * 3
    assert not any(cell.sweep for cell in board.targets.cells())


def test_settings_of_a_scaling_sweep(small):
    own, other = (settings(small, "small", "sonar", f"{name}/scales") for name in ("rkl_l1", "rkl_l2"))
    assert own["values"] == other["values"] == [0.1, 1.0, 10.0]
    assert len(own["points"]) == len(other["points"]) == 1
    assert own["reference"] == {"file": "rkl", "parameters": own["points"][0]}
    assert other["reference"]["file"] == "uniform_svm"
    assert own["experiment"] == "scaling" and Run.from_dict(own).scaled == "all"


def test_settings_of_a_parameter_sweep(small):
    swept = settings(small, "omkc", "wdbc", "omkc_dd/beta")
    assert [point["beta"] for point in swept["points"]] == swept["values"]
    assert swept["experiment"] == "online" and "reference" not in swept


def test_a_run_depends_on_its_protocol_its_algorithm_and_its_reference(small, monkeypatch):
    seen = {}
    monkeypatch.setattr(fingerprint, "code", lambda *modules: seen.setdefault("modules", set(modules)))
    expected = {
        ("omkc", "om2"): {"experiments.online", "algorithms.online.om2"},
        ("small", "rkl_l2"): {"experiments.offline", "algorithms.batch.rkl"},
        ("small", "rkl_l1/scales"): {"experiments.scaling", "algorithms.batch.rkl"},
        ("small", "rkl_l2/scales"): {"experiments.scaling", "algorithms.batch.rkl", "algorithms.batch.uniform_svm"},
    }
    always = {"pipeline.steps.run", "pipeline.steps.fit"}
    for (study, task), modules in expected.items():
        seen.clear()
        fingerprint.run_code(small.specs.run_of(Cell.of(study, "sonar", task)))
        assert seen["modules"] == {f"grambench.{name}" for name in modules | always}


def test_claims_depend_on_the_studys_own_module(small):
    assert small.specs.claims("omkc").code == fingerprint.code(
        "grambench.pipeline.steps.claims", "grambench.claims.omkc"
    )
    assert small.specs.claims("small").code == fingerprint.code("grambench.pipeline.steps.claims")


def test_figures_and_tables_depend_on_the_module_of_their_kind_and_no_other():
    plan = Plan({"studies": ["omkc"]}, CONFIG)
    study = plan.studies["omkc"]
    for step, items in (("figure", study.figures), ("table", study.tables)):
        kinds = {item.kind for item in items.values()}
        assert len(kinds) > 2
        module = f"grambench.pipeline.steps.{step}"
        assert fingerprint.closure(module).isdisjoint(f"grambench.report.{step}s.{kind}" for kind in kinds)
        for name, item in items.items():
            made = getattr(plan.specs, step)("omkc", name)
            assert made.code == fingerprint.code(module, f"grambench.report.{step}s.{item.kind}")


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol["kind"])
def test_every_algorithm_is_accepted_under_every_protocol(tmp_path, protocol):
    names = algorithms.names()
    made = plan(tmp_path, protocol=protocol, algorithms={name: {} for name in names}, sweeps={}, dictionary=FAMILY)
    for name in names:
        plain = settings(made, "small", "sonar", name)
        assert (plain["experiment"], plain["file"]) == (EXPERIMENTS[protocol["kind"]], name)


ONLINE = {"protocol": {"kind": "online"}, "sweeps": {}}
SCALES = NESTED["sweeps"]["scales"]
PARAMETERS = {name: value for name, value in SCALES.items() if name not in ("kind", "references")}
TABLE = {"title": "A", "caption": "B", "algorithms": ["unif"], "metrics": ["kernels_selected"]}
TUNE = {"parameter": "C", "values": [2.0]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sweeps": {"scales": SCALES | {"parameter": "norm"}}}, "scaling.parameter: no such key"),
        ({"sweeps": {"scales": SCALES | {"kind": "parameter"}}}, "parameter.parameter: Field required"),
        (
            {"sweeps": {"scales": SCALES | {"kind": "parameter", "parameter": "norm"}}},
            "parameter.references: no such key",
        ),
        ({"sweeps": {"scales": SCALES | {"references": {"unif": "rkl_l1"}}}}, "references name unif, which is not"),
        ({"sweeps": {"scales": SCALES | {"references": {"rkl_l1": "rkl"}}}}, "scales names algorithm rkl, which"),
        (ONLINE | {"sweeps": {"s": SCALES}}, "sweep s is of kind scaling, but a study of kind online allows parameter"),
        ({"algorithms": NESTED["algorithms"] | {"unif": {"parameters": {"C": 1.0}}}}, "unif sets C, which cross-"),
        (
            ONLINE | {"algorithms": {"unif": {"tune": TUNE | {"by": "alignment"}}}},
            "unif tunes C, but a study of kind online has no validation examples",
        ),
        (
            ONLINE | {"algorithms": {"om2": {"tune": TUNE | {"parameter": "p"}}}},
            "om2 tunes p, but a study of kind online has no validation examples",
        ),
        (
            ONLINE | {"algorithms": {"cka": {"then": "uniform_svm"}}},
            "cka selects, then trains, but a study of kind online has no validation examples",
        ),
        (
            {
                "algorithms": {"l2": {"algorithm": "lp_mkl", "tune": TUNE | {"parameter": "p"}}},
                "sweeps": {"norms": PARAMETERS | {"parameter": "p", "algorithms": ["l2"]}},
            },
            "sweep norms sets p, which l2 tunes",
        ),
        ({"sweeps": {"cs": PARAMETERS | {"parameter": "C"}}}, "cs sets C, which cross-validation selects"),
        ({"algorithms": {"cka": {"pool": "others"}}}, "unknown pool of cka 'others'"),
        (
            ONLINE | {"pools": {"other": NESTED["kernels"]}, "algorithms": {"perceptron": {"pool": "other"}}},
            "perceptron: a study of kind online has one pool for all entries",
        ),
        (
            {
                "pools": {"other": NESTED["kernels"]},
                "algorithms": {"cka": {"pool": "other"}},
                "sweeps": {
                    "scales": {
                        "kind": "scaling",
                        "label": "F",
                        "values": [1],
                        "algorithms": ["cka"],
                        "datasets": ["sonar"],
                    }
                },
            },
            "sweep scales names cka, which has a pool of its own",
        ),
        ({"experts": "omkc_dd"}, "experts names algorithm omkc_dd, which the study does not have"),
        (
            {"tables": {"one": TABLE | {"metrics": ["acuracy_percent"]}}},
            "unknown metric of one 'acuracy_percent': did you mean accuracy_percent",
        ),
        (
            {"tables": {"one": TABLE | {"highlight": ["kernels_selected"]}}},
            "for which neither low nor high values are best",
        ),
    ],
)
def test_a_wrong_study_is_refused(change, message):
    check(Study, NESTED, "small.yaml")
    with pytest.raises(ConfigError, match=message):
        check(Study, NESTED | change, "small.yaml")


FEATURES = {"approximation": "fourier", "n_components": 64}
STREAM = ONLINE | {"protocol": {"kind": "online", "stored": False}, "datasets": ["sonar", "heart"]}


def test_an_entry_on_features_has_data_sets_of_its_own_and_no_gram_files(tmp_path):
    entries = {"omkc_dd": {"datasets": ["sonar"]}, "raker": FEATURES}
    streams = plan(tmp_path, **STREAM, algorithms=entries)
    runs = [str(cell) for cell in streams.targets.cells("small")]
    assert runs == ["small/sonar/omkc_dd", "small/sonar/raker", "small/heart/raker"]
    assert streams.targets.kernels_from("small", "sonar") == []
    assert settings(streams, "small", "sonar", "raker").items() >= FEATURES.items()
    assert "approximation" not in settings(streams, "small", "sonar", "omkc_dd")
    million = {"raker": FEATURES, "ogd": FEATURES | {"n_components": 6400}}
    seconds = plan(tmp_path / "b", **STREAM | {"datasets": ["twonorm_1000000"]}, algorithms=million)
    costs = [seconds.resources.expected_seconds(cell) - START for cell in seconds.targets.cells("small")]
    assert costs[1] == pytest.approx(100 * costs[0])


SUBSETS = {"subsets": {"n_subsets": 50, "n_widths": 4}, "kernels": [], "sweeps": {}}
SUBSETS |= {"protocol": {"kind": "random_splits", "values": [1], "shares": [0.5, 0.2, 0.3]}, "datasets": ["sonar"]}


def test_kernels_of_subsets_have_no_gram_files(tmp_path):
    many = plan(tmp_path, **SUBSETS, algorithms={"easy_mkl": {}, "gaussian_svm": {}})
    assert many.targets.kernels_from("small", "sonar") == []
    defaults = {"size": 3, "widest": None, "seed": 0}
    assert settings(many, "small", "sonar", "easy_mkl")["subsets"] == SUBSETS["subsets"] | defaults


GIST = {"kernels": [{"views": ["gist"], "families": [{"family": "gaussian", "values": [1]}]}], "sweeps": {}}
GIST |= {"datasets": ["corel5k_sky_grass"]}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"algorithms": {"omm2": {}}}, "unknown algorithm 'omm2': did you mean om2"),
        ({"algorithms": {"rkl_l1": {}}}, "unknown algorithm 'rkl_l1': did you mean rkl"),
        ({"algorithms": {"rkl": {"parameters": {"nrm": "l1"}}}}, "unknown parameter of rkl 'nrm': did you mean norm"),
        (
            {"protocol": NESTED["protocol"] | {"values": [-1.0, 1.0]}, "algorithms": {"uniform_svm": {}}},
            "values of C must be positive, got -1",
        ),
        ({"protocol": NESTED["protocol"] | {"select": "D"}}, "unknown parameter of the algorithms of small 'D'"),
        (ONLINE | {"algorithms": {"omkc_dd": {"center": True}}}, "does not center"),
        ({"algorithms": {"linear_svm": {"center": True}}}, "does not learn from the study's kernels"),
        (
            {"protocol": {"kind": "official_split", "values": [1.0]}, "algorithms": {"om2": {}}},
            "sonar has no official split into training and test examples, which kind official_split",
        ),
        ({"algorithms": {"ca_1d": {}}}, "ca_1d: ca_1d learns from a continuous family of kernels; give"),
        (
            GIST | {"algorithms": {"ca_1d": {}}, "dictionary": FAMILY},
            "datasets: ca_1d learns from a continuous family of kernels on vectors, but data set",
        ),
        (
            GIST | {"algorithms": {"logistic_regression": {}}},
            "datasets: logistic_regression learns from feature vectors, but data set corel5k_sky_grass has views",
        ),
        (
            GIST | {"kernels": [GIST["kernels"][0] | {"datasets": ["sonar"]}]},
            "kernels names data set sonar, which the study does not have",
        ),
        (
            GIST
            | {"kernels": [GIST["kernels"][0] | {"datasets": ["corel5k_sky_grass"]}]}
            | {"datasets": ["corel5k_sky_grass", "flowers_17"]},
            "flowers_17 has no kernels: name it under `datasets`",
        ),
        (
            STREAM | {"algorithms": {"uniform_svm": FEATURES}},
            "approximation: expected one of .*raker.*, got uniform_svm",
        ),
        (
            STREAM | {"algorithms": {"raker": {"n_components": 64}}},
            "n_components: expected an approximation beside it, got none",
        ),
        (
            {"algorithms": {"cka": {}, "again": {"algorithm": "cka"}}},
            "algorithms.again: expected a title of its own, got 'CKA' as of cka; set its `title`",
        ),
        (STREAM | {"algorithms": {"raker": {"datasets": ["wdbc"]}}}, "unknown data set 'wdbc'"),
        (
            STREAM | {"algorithms": {"raker": FEATURES}, "protocol": NESTED["protocol"]},
            "raker: expected a study of kind online for an approximation, got nested_cv",
        ),
        (
            STREAM
            | {"protocol": STREAM["protocol"] | {"standardise": True}}
            | {"algorithms": {"raker": FEATURES, "omkc_dd": {}}},
            "omkc_dd: expected an approximation, without which a pass does not standardise",
        ),
        (
            STREAM | {"algorithms": {"raker": FEATURES, "omkc_dd": {}}, "datasets": ["flights"]},
            "flights is a stream; expected an approximation of omkc_dd",
        ),
        (
            ONLINE | {"algorithms": {"raker": FEATURES}, "datasets": ["flights"]},
            "flights is a stream; expected a study of kind online with `stored: false`",
        ),
        (
            STREAM
            | {"algorithms": {"raker": FEATURES}, "datasets": ["mnist_1000"]}
            | {"kernels": [GIST["kernels"][0] | {"views": "all"}]},
            "approximation: raker takes vectors and groups of their columns, not mnist_1000",
        ),
        (
            SUBSETS | {"algorithms": {"simple_mkl": {}}},
            "subsets: expected an algorithm that stores no kernels, easy_mkl, lp_mkl, rkl, uniform_svm, got simple_mkl",
        ),
        (
            SUBSETS | {"algorithms": {"easy_mkl": {}}, "datasets": ["fourclass"]},
            "fourclass: subsets: size: expected at most 2, the number of features, got 3",
        ),
    ],
)
def test_what_cannot_run_is_refused_in_one_line(tmp_path, changes, message):
    with pytest.raises(ConfigError, match=message) as error:
        plan(tmp_path, **{"sweeps": {}} | changes)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("family", [*FAMILIES, "matern32", "rational_quadratic"])
def test_files_of_kernels_of_any_family_have_a_rule(family):
    pattern = layout.expression(layout.GRAM)
    for parameter in ("0.0625", "1e-05", "16"):
        found = pattern.fullmatch(f"results/grams/iris/{family}_sigma{parameter}.h5")
        assert found and found["kernel"] == f"{family}_sigma{parameter}"


def test_studies_without_the_data_sets_asked_for_are_left_out(tmp_path):
    folder = tmp_path / "config"
    plan(tmp_path)
    found = Plan({"studies": ["omkc", "small", "ca_mnist"], "datasets": ["sonar"]}, folder)
    assert (list(found.studies), found.left_out) == (["omkc", "small"], ["ca_mnist"])
    with pytest.raises(ConfigError, match="none of the studies ca_mnist has a data set and an algorithm asked for"):
        Plan({"studies": ["ca_mnist"], "datasets": ["sonar"]}, folder)


@pytest.mark.parametrize("asked", [["wdbc"], ["wdbc", "sonar"], ["digits_10"], {"omkc": ["wdbc"], "rkl": []}])
def test_what_is_left_of_a_project_is_made_of_studies_again(asked):
    """Steps build a study from the settings that they are given, restricted to the data sets asked for."""
    found = Plan(read(CONFIG / "config.yaml") | {"datasets": asked}, CONFIG)
    report = json.loads(found.specs.report({}).spec)
    assert report["order"] == list(found.studies)
    for name, settings in report["studies"].items():
        assert json.loads(found.specs.reproduce(name).spec) == {"study": settings}
        study = check(Study, settings, name)
        assert study.datasets == found.targets.datasets(name) and study.datasets
    assert {cell.study for cell in found.targets.cells()} == set(found.studies) and found.left_out


def test_a_project_can_ask_for_some_of_a_studys_entries(small, tmp_path):
    chosen = plan(tmp_path)
    chosen.project.algorithms["small"] = ["rkl_l2"]
    assert [cell.task for cell in chosen.targets.cells("small")] == ["rkl_l2", "rkl_l2/scales"]
    assert chosen.targets.records("omkc") == small.targets.records("omkc")
    with pytest.raises(ConfigError, match=r"unknown algorithm of small 'rkl_l3': did you mean rkl_l"):
        Plan({"studies": ["small"], "algorithms": {"small": ["rkl_l3"]}}, tmp_path / "config")


def test_a_project_can_ask_for_entries_of_every_study(tmp_path):
    """Studies without them are left out; some study has to have each."""
    folder = tmp_path / "config"
    plan(tmp_path)
    found = Plan({"studies": ["small", "omkc", "ca_mnist"], "algorithms": ["om2", "rkl_l2"]}, folder)
    assert (list(found.studies), found.left_out) == (["small", "omkc"], ["ca_mnist"])
    assert [cell.task for cell in found.targets.cells("small")] == ["rkl_l2", "rkl_l2/scales"]
    assert {cell.algorithm for cell in found.targets.cells("omkc")} == {"om2"}
    with pytest.raises(ConfigError, match="none of the studies small, omkc has a data set and an algorithm asked for"):
        Plan({"studies": ["small", "omkc"], "algorithms": ["om2"], "datasets": {"omkc": []}, "seed": 7}, folder)
    with pytest.raises(ConfigError, match="unknown algorithm of small, omkc 'rkl_l3': did you mean rkl_l"):
        Plan({"studies": ["small", "omkc"], "algorithms": ["om2", "rkl_l3"]}, folder)


@pytest.mark.parametrize(
    ("asked", "studies"),
    [
        ({"datasets": {"leaderboard": ["sonar"]}}, ["leaderboard"]),
        ({"algorithms": {"small": ["unif"]}}, ["small"]),  # which config.yaml does not list
        ({"datasets": {"leaderboard": ["sonar"]}, "algorithms": {"small": ["unif"]}}, ["leaderboard", "small"]),
        ({"datasets": ["sonar"], "algorithms": {"small": ["unif"]}}, ["small"]),
        ({"datasets": {"leaderboard": ["sonar"]}, "studies": ["leaderboard", "rkl"]}, ["leaderboard", "rkl"]),
        ({"datasets": ["wdbc"]}, ["omkc", "rkl", "leaderboard"]),
        ({}, ["omkc", "rkl", "leaderboard"]),
    ],
)
def test_a_mapping_on_the_command_line_names_its_studies(tmp_path, asked, studies):
    """In config.yaml a mapping restricts those that it names, and the others are whole."""
    plan(tmp_path)
    configured = {"studies": ["omkc", "rkl", "leaderboard"], "algorithms": {"rkl": ["unif"]}}
    configured |= {"datasets": {"rkl": ["wdbc"], "leaderboard": ["sonar"]}} if not asked else {}
    found = Plan(configured | asked, tmp_path / "config", asked, asked)
    assert list(found.studies) == studies


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol["kind"])
def test_every_protocol_takes_two_and_more_classes(tmp_path, protocol):
    """Of algorithms for two classes, for C classes, and of a selection by alignment where there is one."""
    entries = {"obscure": {}, "om2": {}, "unif": {"algorithm": "uniform_svm"}}
    if protocol["kind"] != "online":
        tune = {"parameter": "p", "values": [2.0], "by": "alignment"}
        entries |= {"lp": {"algorithm": "lp_mkl", "tune": tune}, "cka": {"then": "uniform_svm"}}
    made = plan(tmp_path, protocol=protocol, datasets=["sonar", "digits_10"], algorithms=entries, sweeps={})
    for name, (dataset, classes) in itertools.product(entries, [("sonar", None), ("digits_10", list(range(10)))]):
        asked = settings(made, "small", dataset, name)
        assert (asked["experiment"], asked.get("classes")) == (EXPERIMENTS[protocol["kind"]], classes)


def test_sizes_of_classes_are_swept_and_tuned_with_C(tmp_path):
    sized = {"kind": "size", "of": "kernels", "values": [1, 2], "label": "-", "datasets": ["digits_10"]}
    swept = plan(
        tmp_path,
        protocol=PROTOCOLS[-1],
        datasets=["digits_10"],
        algorithms={"obscure": {"tune": {"parameter": "p", "values": [1.1, 2], "also": {"C": [1, 10]}}}},
        sweeps={"kernels": sized | {"algorithms": ["obscure"]}},
    )
    asked = settings(swept, "small", "digits_10", "obscure/kernels")
    assert (asked["experiment"], asked["size"], asked["values"]) == ("offline", "kernels", [1, 2])
    assert asked["points"][0] == asked["points"][1]
    assert asked["tune"]["also"] == {"C": [1, 10]}
