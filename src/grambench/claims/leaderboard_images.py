"""What the field says of combining descriptors of images, judged as on the leaderboard of views."""

from grambench.claims import Answer, Claim, Evidence, leaderboard
from grambench.claims.leaderboard import LEARNED, SINGLE, SURVEY, UNIFORM

FEATURES = "P. Gehler, S. Nowozin (2009). On feature combination for multiclass object classification. ICCV"


def many_descriptors_beat_one(evidence: Evidence) -> Answer:
    """Several descriptors are better than the best one (here: the uniform mean beats the best kernel)."""
    return leaderboard.many_beat_one(evidence)


def some_learned_beat_uniform(evidence: Evidence) -> Answer:
    """At least one learned combination of descriptors beats their uniform mean (here: of those listed)."""
    return leaderboard.beat(evidence, LEARNED, UNIFORM, most=False)


def most_learned_beat_uniform(evidence: Evidence) -> Answer:
    """Learned combinations of descriptors beat their uniform mean in general (here: most of those listed do)."""
    return leaderboard.beat(evidence, LEARNED, UNIFORM, most=True)


def lp_beta_beats_l1(evidence: Evidence) -> Answer:
    """LP-beta, which combines an SVM on each kernel, beats multiple-kernel learning with the l1 norm."""
    return leaderboard.beat(evidence, ["lp_beta"], "d1", most=False)


def lp_beta_beats_uniform(evidence: Evidence) -> Answer:
    """LP-beta beats the uniform mean of the kernels."""
    return leaderboard.beat(evidence, ["lp_beta"], UNIFORM, most=False)


CLAIMS = [
    Claim("1a", f"{SURVEY}; {SINGLE} stands for a single kernel", many_descriptors_beat_one),
    Claim("1b", leaderboard.CLEAR, some_learned_beat_uniform),
    Claim("1c", leaderboard.DISPUTED, most_learned_beat_uniform),
    Claim("2a", FEATURES, lp_beta_beats_l1),
    Claim("2b", FEATURES, lp_beta_beats_uniform),
]
