"""What the field says of combining several sources of features, on the leaderboard of views.

Claims on many data sets are judged as on the leaderboard of vectors, with one vote for each collection. They are about
views that were measured apart; the last is about groups of columns of one table. Neither counts the synthetic data
sets, which were made for an answer. Claims on synthetic views are judged on one data set by the interval of the
difference, with the corrected resampled t-test (Nadeau and Bengio 2003), at 5 %. A claim is undecided where the
interval holds both answers.
"""

from collections.abc import Callable

import numpy as np

from grambench.claims import Answer, Claim, Evidence, leaderboard
from grambench.claims.leaderboard import (
    ACCURACY,
    CENTRED_SUMS,
    LEARNED,
    RECENT_SUMS,
    RIVALS,
    SINGLE,
    SUMS,
    SURVEY,
    UNIFORM,
)
from grambench.results.statistics import PRACTICAL

SPARSE, MEAN = "d1_centred", "uniform_svm_centred"  # of the same kernels
MUCH = 5.0  # points
RELEVANT = ["view_1", "view_2"]  # of synthetic_sparse
EXAMPLES = 50_000  # of synthetic_sparse and of synthetic_dense
IntervalTest = Callable[[float, float], bool]


def _judge_lead(evidence: Evidence, dataset: str, holds: IntervalTest, fails: IntervalTest) -> Answer:
    """Judge a claim by the interval of the points by which the sparse combination is ahead of the mean."""
    title = evidence.results.title
    if (lead := evidence.results.lead(dataset, SPARSE, MEAN, ACCURACY, n=EXAMPLES)) is None:
        return Answer.undecided(f"not judged: no results of both on {dataset}")
    value, *interval = lead
    text = f"{title(SPARSE)} is {value:+z.1f} points ahead of {title(MEAN)} on {dataset}"
    text += f", 95 % interval {interval[0]:+z.1f} to {interval[1]:+z.1f}"
    return Answer.of(holds(*interval), text, enough=holds(*interval) or fails(*interval))


def sparse_wins_where_few_views_matter(evidence: Evidence) -> Answer:
    """Where 2 of 20 views matter, a sparse combination beats the uniform mean by more than 5 points, both centred."""
    return _judge_lead(evidence, "synthetic_sparse", lambda low, _: low > MUCH, lambda _, high: high < MUCH)


def nothing_is_won_where_all_views_matter(evidence: Evidence) -> Answer:
    """Where all of 20 views matter alike, a sparse combination and the mean, both centred, are within one point."""
    return _judge_lead(
        evidence,
        "synthetic_dense",
        lambda low, high: low >= -PRACTICAL and high <= PRACTICAL,
        lambda low, high: low > PRACTICAL or high < -PRACTICAL,
    )


def no_sum_of_views_learns_exclusive_or(evidence: Evidence) -> Answer:
    """No weighted sum of kernels on single views learns the exclusive or of two views (here: 55 % at most)."""
    sums = [*SUMS, *CENTRED_SUMS, *RECENT_SUMS, UNIFORM, MEAN]
    means = evidence.available_means("synthetic_xor", sums, ACCURACY)
    if not means:
        return Answer.undecided("not judged: no results on synthetic_xor")
    best = max(means, key=lambda name: means[name])
    return Answer.of(
        means[best] <= 55.0, f"the best of {len(means)} is {evidence.results.title(best)}, {means[best]:.1f} %"
    )


def weights_find_the_views_that_matter(evidence: Evidence) -> Answer:
    """By its weights, a sparse combination finds the 2 of 20 views that matter (here: on top in 9 of 10 draws)."""
    shares = evidence.results.view_shares("synthetic_sparse", SPARSE)
    if shares.empty:
        return Answer.undecided("not judged: no weights on synthetic_sparse")
    top = np.argsort(-shares.to_numpy(), axis=1)[:, : len(RELEVANT)]
    hits = sum({str(shares.columns[place]) for place in row} == set(RELEVANT) for row in top)
    return Answer.of(hits >= 0.9 * len(top), f"they have the two largest weights in {hits} of {len(top)} draws")


def many_views_beat_one(evidence: Evidence) -> Answer:
    """Several views are better than the best one (here: the uniform mean beats the best kernel)."""
    return leaderboard.beats(evidence, UNIFORM, SINGLE, _of_sources(evidence))


def some_learned_beat_uniform(evidence: Evidence) -> Answer:
    """At least one learned combination of views beats their uniform mean (here: of those listed)."""
    return _beat(evidence, UNIFORM, most=False)


def most_learned_beat_uniform(evidence: Evidence) -> Answer:
    """Learned combinations of views beat their uniform mean in general (here: most of those listed do)."""
    return _beat(evidence, UNIFORM, most=True)


def some_beat_stacking(evidence: Evidence) -> Answer:
    """Learned combinations of views beat late fusion (here: at least one beats stacking of views)."""
    return _beat(evidence, "view_stacking", most=False)


def some_beat_forest(evidence: Evidence) -> Answer:
    """Learned combinations of views beat a random forest (here: at least one does)."""
    return _beat(evidence, "random_forest", most=False)


def some_learned_beat_uniform_on_columns(evidence: Evidence) -> Answer:
    """At least one learned combination of groups of columns of one table beats their uniform mean."""
    study, apart = evidence.results.study, _of_sources(evidence)
    columns = [name for name in study.datasets if name not in apart and not name.startswith("synthetic_")]
    return leaderboard.beat(evidence, LEARNED, UNIFORM, most=False, datasets=columns)


def _beat(evidence: Evidence, rival: str, *, most: bool) -> Answer:
    return leaderboard.beat(evidence, LEARNED, rival, most=most, datasets=_of_sources(evidence))


def _of_sources(evidence: Evidence) -> list[str]:
    """Return the data sets whose views were measured apart."""
    study = evidence.results.study
    return [name for name in study.datasets if name in study.multisource]


KNOWN = "asked here, of data with a known answer"

CLAIMS = [
    Claim("1a", KNOWN, sparse_wins_where_few_views_matter),
    Claim("1b", KNOWN, nothing_is_won_where_all_views_matter),
    Claim("1c", KNOWN, no_sum_of_views_learns_exclusive_or),
    Claim("1d", KNOWN, weights_find_the_views_that_matter),
    Claim("2a", f"{SURVEY}; {SINGLE} stands for a single kernel", many_views_beat_one),
    Claim("2b", leaderboard.CLEAR, some_learned_beat_uniform),
    Claim("2c", leaderboard.DISPUTED, most_learned_beat_uniform),
    Claim("3a", RIVALS, some_beat_stacking),
    Claim("3b", RIVALS, some_beat_forest),
    Claim("4", leaderboard.CLEAR, some_learned_beat_uniform_on_columns),
]
