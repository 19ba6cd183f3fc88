"""The claims of CA (Afkanpour et al. 2013) on 50 features of falling relevance, Sections 3.1 and B.2: hypothesis H3.

Means over the random splits are compared as they stand; "significantly" is the corrected resampled t-test at 5 %.
"""

from grambench.claims import Answer, Claim, Evidence, ca
from grambench.results.statistics import BEST_LEVEL

SETS = [f"relevance_{gamma}" for gamma in (0, 1, 2, 5, 10, 20, 40)]
SMALL, LARGE = ["relevance_0", "relevance_1"], ["relevance_20", "relevance_40"]
FREE = "ca_nd_free"  # lambda = 0
SIMILAR = 2.0  # points of error
REACHED = 0.01  # alignment by which "the same" may fall short


def _judge_change(evidence: Evidence, names: list[str], sign: float) -> Answer:
    """Judge a claim on how the mean errors of some methods change with gamma, which each of them must fulfil.

    They rise where the sign is +1. The change from gamma 0 to 40 can refute it, and the others can leave it undecided.
    """
    means = [evidence.available_means(name, names, ca.ERROR) for name in SETS]
    errors = {name: [row[name] for row in means] for name in names if all(name in row for row in means)}
    title = evidence.results.title
    parts = (
        f"{title(name)} {row[0]:.1f} to {row[-1]:.1f} % ({min(row):.1f} to {max(row):.1f})"
        for name, row in errors.items()
    )
    changes = {name: [sign * (error - first) for error in rest] for name, (first, *rest) in errors.items()}
    answer = Answer.on_all({name: row[-1] > 0.0 for name, row in changes.items()}, names, ", ".join(parts))
    always = all(min(row) > 0.0 for row in changes.values())
    return answer if always or answer.verdict == "fails" else Answer.undecided(answer.evidence)


def the_others_get_worse(evidence: Evidence) -> Answer:
    """All methods with one parameter get worse with gamma (here: a higher mean error at 40 than at 0).

    Undecided where the mean error at a gamma between them is no higher than at 0. Evidence: at both (least to most).
    """
    return _judge_change(evidence, ca.ONE_PARAMETER, 1.0)


def ca_nd_gets_better(evidence: Evidence) -> Answer:
    """CA-nD even improves with gamma (here: a lower mean error at 40 than at 0).

    Undecided where the mean error at a gamma between them is no lower than at 0. Evidence: as 2a.
    """
    return _judge_change(evidence, ["ca_nd"], -1.0)


def _leads(evidence: Evidence, metric: str, sign: float, style: str) -> Answer:
    """Judge whether CA-nD is ahead of all others at large gamma; higher is better where the sign is +1."""
    leads = ca.leads(evidence, metric, sign, LARGE)
    text = f"ahead of the best other by {', '.join(f'{style.format(lead)} ({name})' for name, lead in leads.items())}"
    return Answer.on_all({name: lead > 0.0 for name, lead in leads.items()}, LARGE, text)


def ca_nd_is_best(evidence: Evidence) -> Answer:
    """CA-nD has an edge in test error when many features are irrelevant (here: the lowest mean at gamma 20 and 40)."""
    return _leads(evidence, ca.ERROR, -1.0, "{:.1f} points")


def ca_nd_is_best_aligned(evidence: Evidence) -> Answer:
    """CA-nD has a real edge in test alignment when many features are irrelevant (here: highest at gamma 20 and 40)."""
    return _leads(evidence, ca.ALIGNMENT, 1.0, "{:.3f}")


def overfits_without_regularisation(evidence: Evidence) -> Answer:
    """Without lambda, CA-nD drastically overfits for small gamma (here: significantly higher at gamma 0 and 1)."""
    hits, parts = {}, []
    for name in SMALL:
        free, regularised = (evidence.results.values(name, method, ca.ERROR) for method in (FREE, "ca_nd"))
        if free.size != regularised.size or free.size < 2:
            continue
        p = evidence.results.p_value(name, FREE, "ca_nd", ca.ERROR)
        hits[name] = bool(free.mean() > regularised.mean()) and p < BEST_LEVEL
        parts.append(f"{name} {free.mean():.1f} against {regularised.mean():.1f} %, p = {p:.2g}")
    return Answer.on_all(hits, SMALL, "; ".join(parts))


def da_reaches_ca_1d(evidence: Evidence) -> Answer:
    """DA achieves the same test alignment as CA-1D (here: at every gamma it falls short by 0.01 at most)."""
    means = evidence.means(["da", "ca_1d"], ca.ALIGNMENT, SETS)
    gains = {name: row["da"] - row["ca_1d"] for name, row in means.items()}
    span = "({:+z.3f} to {:+z.3f})"
    return Answer.by_values(gains, lambda gain: gain >= -REACHED, SETS, "every", "DA reaches it", span)


def ca_nd_is_slower(evidence: Evidence) -> Answer:
    """CA-nD takes longer than CA-1D, by the search in many dimensions and by the selection of lambda.

    Here: at every gamma, by work; it takes more than CA-1D without lambda, and more with it.
    """
    means = evidence.means(["ca_1d", FREE, "ca_nd"], ca.OPERATIONS, SETS)
    steps = {name: min(row[FREE] / row["ca_1d"], row["ca_nd"] / row[FREE]) for name, row in means.items()}
    phrase, span = "each step takes more operations", "(the smaller one {:.3g} to {:.3g} times)"
    return Answer.by_values(steps, lambda step: step > 1.0, SETS, "every", phrase, span)


def similar_with_200_examples(evidence: Evidence) -> Answer:
    """Results are similar with a validation set of 200 (here: CA-1D's and CA-nD's mean errors, within 2 points)."""
    changes = {}
    for dataset, means in evidence.means(["ca_1d", "ca_nd"], ca.ERROR, SETS).items():
        fewer = {name: evidence.results.swept("validation", dataset, name, ca.ERROR).to_numpy() for name in means}
        if all(errors.size for errors in fewer.values()):
            changes[dataset] = max(abs(fewer[name].mean() - mean) for name, mean in means.items())
    span = "(largest {:.2f} to {:.2f} points)"
    return Answer.by_values(changes, lambda change: change <= SIMILAR, SETS, "every", "similar errors", span)


CLAIMS = [
    Claim("2a", "Section 3.1, Figure 2", the_others_get_worse),
    Claim("2b", "Section 3.1, Figure 2", ca_nd_gets_better),
    Claim("2c", "Sections 3.1, B.2, Figure 2", ca_nd_is_best),
    Claim("2d", "Section B.2, Figure 4", ca_nd_is_best_aligned),
    Claim("2e", "Section 3.1", overfits_without_regularisation),
    Claim("2f", "Section B.2, Figure 4", da_reaches_ca_1d),
    Claim("2g", "Section 3.1, Figure 2", ca_nd_is_slower),
    Claim("2h", "Section 3.1, footnote 8", ca.cr_is_ten_times_slower),
    Claim("2i", "Section B.2", similar_with_200_examples),
    ca.ENDS,
]
