"""The claims of CA: what the paper's own printed numbers say to them, and planted results that turn each one round."""

import itertools

import numpy as np
import pytest
from planted import CONFIGURATION, answers, evidence, plain, verdicts

from grambench.claims import ca, ca_dirichlet, ca_relevance

STUDIES = {
    name: CONFIGURATION.study(name)
    for name in ("ca_dirichlet", "ca_gaussian", "ca_relevance", "ca_mnist", "ca_letter", "ca_eleven")
}
RANKS = {  # Table 2
    "ca_mnist": {"ca_1d": 1, "cr": 2, "da": 4.5, "d1": 4.5, "d2": 5, "du": 4},
    "ca_letter": {"ca_1d": 1, "ca_nd": 4.5, "cr": 2, "da": 3.5, "d1": 7, "d2": 6, "du": 5},
    "ca_eleven": {"ca_1d": 3, "ca_nd": 2, "cr": 3, "da": 3, "d1": 4, "d2": 6, "du": 6},
}
SECONDS = {  # Table 2; they stand for the work, of which the paper has no counts
    "ca_mnist": {"ca_1d": 12, "cr": 377, "da": 31, "d1": 57, "d2": 58, "du": 10},
    "ca_letter": {"ca_1d": 9, "ca_nd": 1986, "cr": 590, "da": 11, "d1": 21, "d2": 22, "du": 5},
}
NOISE = (0.0, 0.1, -0.05)  # of three draws
TWO_MINIMA = [0.0, -1.0, 0.0, -0.5, 0.0, 0.1, -2.0]
THREE_MINIMA = [0.0, -1.0, 0.0, -0.5, 0.0, -0.1, 0.0]


def swept(sweep, dataset, algorithm, metric, curve):
    return [(dataset, algorithm, sweep, float(value), 0, metric, result) for value, result in curve]


def printed(study):
    """Return Table 2 as runs. A printed rank stands for the error: what is decided is the order of the ranks."""
    if study == "ca_dirichlet":
        errors = ca_dirichlet.PRINTED.items()
        return [row for name, value in errors for row in plain("dirichlet", name, ca.ERROR, value)]
    shown = {ca.ERROR: RANKS.get(study, {}), ca.OPERATIONS: SECONDS.get(study, {})}
    return [
        row
        for dataset in ca.SETS[study]
        for metric, numbers in shown.items()
        for name, value in numbers.items()
        for row in plain(dataset, name, metric, value)
    ]


def dirichlet():
    rows = printed("ca_dirichlet")
    for name, error in {"ca_1d": 2.6, "cr": 4.2, "da": 15.0, "d1": 16.0, "d2": 17.0, "du": 30.0}.items():
        rows += plain("dirichlet", name, ca.ERROR, error)
    for name in ca.FINITE:
        curve = zip([1, 2, 5, 10, 20], [20.0, 18.0, 12.0, 6.0, 3.0], strict=True)
        rows += swept("resolution", "dirichlet", name, ca.ERROR, curve)
    found = (
        [(1.43, 1.40), (5.0, 7.73), (3.45, 3.44), (7.75, np.nan)],
        [(0.3, 0.4), (0.1, 0.2), (0.3, 0.4), (0.3, np.nan)],
    )
    for metric, kernels in zip(("parameter", "weight"), found, strict=True):
        for slot, values in enumerate(kernels, start=1):
            rows += plain("dirichlet", "ca_1d", f"{metric}:{slot}", *values)
    return rows + plain("dirichlet", "ca_1d", "converged", 1, 1)


def gaussian():
    rows = [plain("dirichlet", name, ca.ERROR, 2.6) for name in ca.CONTINUOUS]
    return [*itertools.chain(*rows), *plain("dirichlet", "ca_1d", "converged", 1, 1)]


def relevance():
    rows = []
    for step, dataset in enumerate(ca_relevance.SETS):
        errors = dict.fromkeys(ca.ONE_PARAMETER, 10.0 + step) | {"ca_nd": 14.0 - step}
        alignments = dict.fromkeys(ca.ONE_PARAMETER, 0.3) | {"ca_nd": 0.2 + 0.05 * step, "da": 0.295}
        rows += plain(dataset, ca_relevance.FREE, ca.ERROR, *(20.0 - step + 2 * each for each in NOISE))
        work = {"ca_nd": 5.0, ca_relevance.FREE: 2.0, "cr": 10.0}
        for name in [*ca.METHODS, ca_relevance.FREE]:
            rows += plain(dataset, name, ca.OPERATIONS, work.get(name, 1.0))
        for name in ca.METHODS:
            rows += plain(dataset, name, ca.ERROR, *(errors[name] + each for each in NOISE))
            rows += plain(dataset, name, ca.ALIGNMENT, alignments[name])
        for name in ("ca_1d", "ca_nd"):
            rows += plain(dataset, name, "converged", 1)
            rows += swept("validation", dataset, name, ca.ERROR, [(200, errors[name] + 1.5)])
    return rows


def real(study):
    rows = printed(study)
    for dataset, name in itertools.product(ca.SETS[study], RANKS[study]):
        rows += plain(dataset, name, "converged", 1)
        rows += plain(dataset, name, ca.ALIGNMENT, 0.5 if name == "ca_nd" else 0.41 - 0.01 * RANKS[study][name])
    for dataset in ca.SETS[study] if study != "ca_eleven" else ():
        rows += plain(dataset, "cr_dc", ca.OPERATIONS, SECONDS[study]["cr"] / 3)
        rows += plain(dataset, "ca_1d", ca.ITERATIONS, 5, 9)
        rows += plain(dataset, "cr", ca.ITERATIONS, 20, 50, 51)
        for number in (1, 2):
            curve = enumerate(np.array(TWO_MINIMA))
            rows += swept("profile", dataset, "ca_1d", f"search_objective_{number}", curve)
        never = ((value, np.nan) for value in range(len(TWO_MINIMA)))
        rows += swept("profile", dataset, "ca_1d", "search_objective_3", never)
    return rows


PLANTED = {"ca_dirichlet": dirichlet, "ca_gaussian": gaussian, "ca_relevance": relevance}


def planted(study):
    return PLANTED[study]() if study in PLANTED else real(study)


def changed(study, dataset, algorithm, metric, change, sweep=""):
    """Return the planted rows, `change` applied to those meant (None: all data sets), without those it makes None."""
    rows = []
    for row in planted(study):
        meant = (dataset in (None, row[0]), algorithm == row[1], sweep == row[2], metric == row[5])
        value = change(row[3] if sweep else row[4], row[6]) if all(meant) else row[6]
        if value is not None:
            rows.append((*row[:6], value))
    return rows


def to(value):
    return lambda place, old: value


GONE = to(None)


@pytest.mark.parametrize("study", ca.SETS)
def test_the_claims_speak_of_the_data_sets_and_methods_of_the_study(study):
    assert ca.SETS[study] == STUDIES[study].datasets
    assert set(ca.methods(evidence(STUDIES[study]))) == set(RANKS[study]) <= set(STUDIES[study].algorithms)
    assert ("cr_dc" in STUDIES[study].algorithms) == (study != "ca_eleven")
    assert ("ca_nd" in STUDIES[study].algorithms) == (study != "ca_mnist")


def test_the_claims_on_generated_data_speak_of_what_the_studies_have():
    assert STUDIES["ca_relevance"].datasets == ca_relevance.SETS
    assert {*ca.METHODS, ca_relevance.FREE} <= set(STUDIES["ca_relevance"].algorithms)
    study = STUDIES["ca_dirichlet"]
    assert {*ca_dirichlet.PRINTED, *ca.ONE_PARAMETER} <= set(study.algorithms)
    assert study.sweeps["resolution"].algorithms == ca.FINITE
    frequencies = study.algorithms[ca_dirichlet.ALL_THREE].parameters["values"]
    assert np.allclose(frequencies, ca_dirichlet.FREQUENCIES, atol=1e-8)
    steps = study.sweeps["resolution"].values
    assert ca_dirichlet.TENTH in steps and max(steps) > ca_dirichlet.TENTH


@pytest.mark.parametrize(
    ("study", "decided"),
    [
        ("ca_dirichlet", {"1a", "1b", "1c", "1d"}),
        ("ca_mnist", {"3a", "3b", "3d", "5a", "5b", "5c", "5g", "5j"}),
        ("ca_letter", {"3a", "3b", "3d", "4b", "5a", "5b", "5c", "5g", "5j"}),
        ("ca_eleven", {"3c", "3d"}),
    ],
)
def test_the_papers_own_numbers_support_its_claims(study, decided):
    found = verdicts(STUDIES[study], printed(study))
    assert {name for name, verdict in found.items() if verdict == "holds"} == decided
    assert {name for name, verdict in found.items() if verdict == "fails"} == set()


@pytest.mark.parametrize("study", STUDIES)
def test_planted_numbers_support_every_claim(study):
    assert set(verdicts(STUDIES[study], planted(study)).values()) == {"holds"}


@pytest.mark.parametrize(
    ("study", "claim", "change"),
    [
        ("ca_dirichlet", "1a", ("dirichlet", "sqrt60", ca.ERROR, to(19.9))),
        ("ca_dirichlet", "1b", ("dirichlet", "sqrt2_sqrt60", ca.ERROR, to(25.1))),
        ("ca_dirichlet", "1b", ("dirichlet", "sqrt2", ca.ERROR, to(16.3))),
        ("ca_dirichlet", "1c", ("dirichlet", "all_three", ca.ERROR, to(5.1))),
        ("ca_dirichlet", "1d", ("dirichlet", "sqrt12", ca.ERROR, to(23.7))),
        ("ca_dirichlet", "1e", ("dirichlet", "ca_1d", ca.ERROR, to(5.1))),
        ("ca_dirichlet", "1f", ("dirichlet", "cr", ca.ERROR, to(5.1))),
        ("ca_dirichlet", "1g", ("dirichlet", "ca_1d", "parameter:2", lambda draw, old: (5.0, 7.6)[draw])),
        ("ca_dirichlet", "1g", ("dirichlet", "ca_1d", "weight:2", lambda draw, old: (0.31, 0.2)[draw])),
        ("ca_dirichlet", "1h", ("dirichlet", "da", ca.ERROR, to(12.2))),
        ("ca_dirichlet", "1i", ("dirichlet", "da", ca.ERROR, lambda v, old: 4.9 if v == 10 else old, "resolution")),
        ("ca_dirichlet", "1j", ("dirichlet", "du", ca.ERROR, lambda v, old: 5.1 if v == 20 else old, "resolution")),
        ("ca_dirichlet", "7", ("dirichlet", "ca_1d", "converged", lambda draw, old: draw)),
        ("ca_gaussian", "1k", ("dirichlet", "cr", ca.ERROR, to(5.1))),
        ("ca_relevance", "2a", ("relevance_40", "d2", ca.ERROR, to(9.0))),
        ("ca_relevance", "2b", ("relevance_40", "ca_nd", ca.ERROR, to(15.0))),
        ("ca_relevance", "2c", ("relevance_20", "cr", ca.ERROR, to(8.0))),
        ("ca_relevance", "2d", ("relevance_40", "d1", ca.ALIGNMENT, to(0.6))),
        ("ca_relevance", "2e", ("relevance_1", "ca_nd_free", ca.ERROR, lambda draw, old: (12, 20, 12)[draw])),
        ("ca_relevance", "2e", ("relevance_1", "ca_nd_free", ca.ERROR, to(8.0))),
        ("ca_relevance", "2f", ("relevance_5", "da", ca.ALIGNMENT, to(0.28))),
        ("ca_relevance", "2g", ("relevance_5", "ca_nd", ca.OPERATIONS, to(1.9))),
        ("ca_relevance", "2g", ("relevance_5", ca_relevance.FREE, ca.OPERATIONS, to(0.9))),
        ("ca_relevance", "2h", (None, "cr", ca.OPERATIONS, to(9.9))),
        ("ca_relevance", "2i", ("relevance_5", "ca_nd", ca.ERROR, lambda v, old: old + 0.6, "validation")),
        ("ca_relevance", "7", ("relevance_5", "ca_nd", "converged", to(0))),
        ("ca_letter", "3d", (None, "cr", ca.ERROR, to(4))),
        ("ca_letter", "3e", (None, "d1", ca.ALIGNMENT, to(0.9))),
        ("ca_letter", "5j", (None, "cr", ca.OPERATIONS, to(89.0))),
        ("ca_mnist", "3a", (None, "cr", ca.ERROR, to(1))),  # a tie of the best is no first rank
        ("ca_mnist", "3b", (None, "du", ca.ERROR, to(1.5))),
        ("ca_eleven", "3c", (None, "da", ca.ERROR, to(1.5))),
        ("ca_letter", "4a", ("letter_k_x", "ca_nd", ca.ALIGNMENT, to(0.3))),
        ("ca_letter", "4b", (None, "ca_nd", ca.ERROR, to(0.5))),
        ("ca_mnist", "5a", (None, "du", ca.OPERATIONS, to(13.0))),
        ("ca_letter", "5b", (None, "da", ca.OPERATIONS, to(8.0))),
        ("ca_mnist", "5c", (None, "cr", ca.OPERATIONS, to(57.5))),
        ("ca_mnist", "5d", (None, "cr_dc", ca.OPERATIONS, to(378.0))),
        ("ca_mnist", "5e", (None, "cr_dc", ca.OPERATIONS, to(90.0))),
        ("ca_mnist", "5f", (None, "cr_dc", ca.OPERATIONS, to(57.5))),
        ("ca_mnist", "5g", (None, "da", ca.OPERATIONS, to(57.5))),
        ("ca_mnist", "5h", ("mnist_4_9", "ca_1d", ca.ITERATIONS, lambda draw, old: 10 if draw == 1 else old)),
        ("ca_letter", "5i", (None, "cr", ca.ITERATIONS, to(24))),
        ("ca_letter", "5i", (None, "cr", ca.ITERATIONS, to(101))),
        ("ca_mnist", "6", ("mnist_3_8", "ca_1d", "search_objective_2", lambda v, old: THREE_MINIMA[int(v)], "profile")),
    ],
)
def test_planted_numbers_refute_a_claim(study, claim, change):
    assert verdicts(STUDIES[study], changed(study, *change))[claim] == "fails"


@pytest.mark.parametrize(
    ("study", "claim", "change"),
    [
        ("ca_dirichlet", "1a", ("dirichlet", "sqrt60", ca.ERROR, GONE)),
        ("ca_dirichlet", "1b", ("dirichlet", "sqrt60", ca.ERROR, GONE)),
        ("ca_dirichlet", "1c", ("dirichlet", "all_three", ca.ERROR, GONE)),
        ("ca_dirichlet", "1d", ("dirichlet", "all_three", ca.ERROR, GONE)),
        ("ca_dirichlet", "1e", ("dirichlet", "ca_1d", ca.ERROR, GONE)),
        ("ca_dirichlet", "1f", ("dirichlet", "cr", ca.ERROR, GONE)),
        ("ca_dirichlet", "1h", ("dirichlet", "du", ca.ERROR, GONE)),
        ("ca_dirichlet", "1i", ("dirichlet", "da", ca.ERROR, lambda v, old: None if v == 10 else old, "resolution")),
        ("ca_dirichlet", "1j", ("dirichlet", "du", ca.ERROR, lambda v, old: None if v == 20 else old, "resolution")),
        ("ca_relevance", "2a", ("relevance_40", "d2", ca.ERROR, GONE)),
        ("ca_relevance", "2b", ("relevance_0", "ca_nd", ca.ERROR, GONE)),
        ("ca_relevance", "2a", ("relevance_5", "d2", ca.ERROR, to(9.9))),  # below that at gamma 0
        ("ca_relevance", "2b", ("relevance_2", "ca_nd", ca.ERROR, to(14.1))),  # above it
        ("ca_relevance", "2c", ("relevance_20", "cr", ca.ERROR, GONE)),
        ("ca_relevance", "2d", ("relevance_40", "d1", ca.ALIGNMENT, GONE)),
        ("ca_relevance", "2e", ("relevance_1", "ca_nd_free", ca.ERROR, lambda draw, old: None if draw else old)),
        ("ca_relevance", "2f", (None, "da", ca.ALIGNMENT, GONE)),
        ("ca_relevance", "2g", (None, "ca_1d", ca.OPERATIONS, GONE)),
        ("ca_relevance", "2i", (None, "ca_nd", ca.ERROR, GONE, "validation")),
        ("ca_gaussian", "1k", ("dirichlet", "cr", ca.ERROR, GONE)),
        ("ca_letter", "4a", (None, "d1", ca.ALIGNMENT, GONE)),
        ("ca_mnist", "5d", (None, "cr_dc", ca.OPERATIONS, GONE)),
    ],
)
def test_what_is_missing_or_goes_both_ways_leaves_a_claim_undecided(study, claim, change):
    assert verdicts(STUDIES[study], changed(study, *change))[claim] == "undecided"


def test_what_suffices_does_not_hang_on_our_own_error_with_the_three_frequencies():
    """Printed are 2.3 %, ours are .8 %; a method that is as good as printed must not fail for that."""
    before = verdicts(STUDIES["ca_dirichlet"], changed("ca_dirichlet", "dirichlet", "all_three", ca.ERROR, to(0.1)))
    assert {before[name] for name in ("1e", "1f", "1i", "1j")} == {"holds"}


@pytest.mark.parametrize("study", ca.SETS)
def test_half_of_the_data_sets_decide(study):
    half = (len(ca.SETS[study]) + 1) // 2
    for count, expected in ((half, {"holds"}), (half - 1, {"undecided"})):
        at_hand = ca.SETS[study][:count]
        found = verdicts(STUDIES[study], [row for row in planted(study) if row[0] in at_hand])
        assert {found[name] for name in found if name != "6"} == expected


def test_evidence_has_the_numbers():
    found = {claim: answer.evidence for claim, answer in answers(STUDIES["ca_dirichlet"], dirichlet()).items()}
    assert found["1a"] == "√2 26.1 %, √12 26.8 %, √60 28.6 %"
    assert found["1e"] == "CA-1D 2.6 %"
    assert found["1g"] == "all three found in 2 of 2 draws, each with more weight than any other in 2"
    found = {claim: answer.evidence for claim, answer in answers(STUDIES["ca_letter"], real("ca_letter")).items()}
    # printed ranks in the place of errors: these are their ranks
    ranks = "CA-1D 1, CR 2, DA 3, CA-nD 4, DU 5, D2 6, D1 7"
    assert found["3a"] == found["4b"] == f"median ranks {ranks}; 12 of 12 data sets"
    assert found["5d"] == "CR-DC 2e+02 operations, CR 5.9e+02 operations; 12 of 12 data sets"
    assert found["6"].startswith("no more than 2 minima (most 2; 0 of 6 curves have more)")
    gap = answers(STUDIES["ca_dirichlet"], changed("ca_dirichlet", "dirichlet", "da", ca.ERROR, GONE))["1h"]
    assert gap.evidence == "D1 16.0 %, D2 17.0 %, DU 30.0 %; all three frequencies 2.3 %; not available: da"


@pytest.mark.parametrize(
    ("curve", "count"),
    [
        ([1.0, 0.0, 1.0], 1),
        ([0.0, 1.0, 2.0], 0),  # an end
        ([0.0, 1.0, 0.0], 0),  # both ends
        ([2.0, 2.0, 1.0, 2.0], 1),  # a flat end that falls
        ([1.0, 1.0, 2.0, 0.0], 0),  # a flat end that rises
        ([1.0, 0.0, 0.0, 1.0], 1),  # a flat bottom
        ([3.0, 3.0, 3.0], 0),
        (TWO_MINIMA, 2),
        (THREE_MINIMA, 3),
        ([1.0, 0.0, 1.0, 1.0 - 1e-7, 1.0], 1),  # too shallow
        ([1.0, 0.0, 1.0, 1.0 - 1e-5, 1.0], 2),
        ([1.0, 0.5, 0.5 + 1e-7, 0.0, 1.0], 1),  # a ripple on a slope, measured to the lower ridge beside it
        ([0.0, 0.5, 0.5 - 1e-5, 1.0], 1),
    ],
)
def test_local_minima_are_counted_without_the_ends(curve, count):
    assert ca.local_minima(curve) == count
    assert ca.local_minima(np.flip(curve)) == count
    assert ca.local_minima(1e-6 * np.array(curve) - 0.001) == count
