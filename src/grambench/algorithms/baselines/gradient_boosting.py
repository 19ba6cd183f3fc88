"""Gradient boosting: trees that correct each other, on binned features (Friedman 2001, Annals of Statistics 29).

Each tree is fitted to the gradient of the loss of the trees before it. Features are binned, which makes the search for
splits fast, and a fifth of the examples tells when further trees no longer help.

Formula
-------
    s(x, c) ← s(x, c) + ν · tree_c(x),   tree_c ≈ −gradient of Σ_i −log softmax(s(x_i))_{y_i}

ν is the learning rate, and each round grows a tree for each class. Two classes need one tree a round, of the log-odds.
No kernel is used, and no work is counted.

Complexity
----------
O(n d) for each level of each tree, with n examples of d features. Each fit grows trees twice: up to `patience` rounds
beyond the best one on four fifths of the examples, and then the best number of rounds on all.

Deviations
----------
This is LightGBM on one thread, in its deterministic mode. Rounds are selected by the log-loss on a stratified fifth of
the training examples, and the trees are grown anew on all. If the fifth has fewer than 20 examples, which tell little,
100 rounds are grown. By default, leaves have 20 examples or a tenth of all if that is fewer. Sparse features are
converted to dense ones.

References
----------
Friedman (2001). Greedy function approximation: a gradient boosting machine. Annals of Statistics 29, 1189-1232. DOI
10.1214/aos/1013203451

Ke, Meng, Finley, Wang, Chen, Ma, Ye and Liu (2017). LightGBM: a highly efficient gradient boosting decision tree.
Advances in Neural Information Processing Systems 30.
"""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np

from grambench.algorithms.checks import check_class_numbers
from grambench.algorithms.fit import Fit
from grambench.algorithms.on_features import check_both_classes, draw_seed, features_of, to_dense, without_kernels
from grambench.algorithms.oracle import stratified_folds
from grambench.common.parameters import POSITIVE, Checked, at_least, within
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool

NEEDS = "features"
MANY_CLASSES = True

FOLDS = 5  # of which one tells when to stop
FEW = 20  # examples, of which fewer do not
USUAL = 100  # rounds, where none tells


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Checked):
    """Parameters of gradient boosting.

    Attributes
    ----------
    learning_rate : float
        By which every tree is shrunk.
    rounds : int
        The largest number of rounds.
    patience : int
        Rounds without a lower log-loss on the examples left out, after which no more are grown.
    leaves : int
        The largest number of leaves of a tree.
    depth : int or None
        The largest depth of a tree; None for any.
    leaf : int or None
        The least number of examples of a leaf; None for 20, or a tenth of all examples if that is fewer.
    """

    learning_rate: Annotated[float, POSITIVE] = 0.1
    rounds: Annotated[int, at_least(1)] = 500
    patience: Annotated[int, at_least(1)] = 20
    leaves: Annotated[int, within("[2, 131072]")] = 31
    depth: Annotated[int | None, at_least(1)] = None
    leaf: Annotated[int | None, within("[1, 1000000000]")] = None


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Select the number of rounds, and grow the trees.

    Raises
    ------
    ImportError
        If LightGBM or the OpenMP library that it needs is not installed.
    """
    try:
        import lightgbm
    except ImportError:
        raise ImportError('gradient_boosting needs LightGBM: pip install "lightgbm>=4.6,<5"') from None
    # its wheels do not bring the OpenMP library, which a slim container or macOS may lack
    except OSError as error:
        raise ImportError(f"gradient_boosting needs OpenMP (Debian: libgomp1, macOS: libomp), got {error}") from None
    check_class_numbers(pool, labels, order)
    check_both_classes(labels)
    features, classes, n = to_dense(features_of(pool)), int(labels.max()) + 1, len(labels)
    settings = {
        **({"objective": "binary"} if classes == 2 else {"objective": "multiclass", "num_class": classes}),
        **{"learning_rate": parameters.learning_rate, "num_leaves": parameters.leaves},
        **{"max_depth": parameters.depth or -1},
        **{"min_data_in_leaf": parameters.leaf or max(1, min(20, n // 10))},
        **{"num_threads": 1, "deterministic": True, "seed": draw_seed(rng), "verbosity": -1},
        # two ways to the same trees, of which the second takes less time with many features
        "force_row_wise" if features.shape[1] <= n else "force_col_wise": True,
    }

    def grow(rows: Any, rounds: int, **options: Any) -> Any:
        return lightgbm.train(settings, lightgbm.Dataset(features[rows], labels[rows]), rounds, **options)

    # a class with fewer examples than folds has none in the last one
    left_out, rounds = stratified_folds(labels, FOLDS, rng)[-1], parameters.rounds
    if len(left_out) < FEW:
        rounds = min(rounds, USUAL)
    else:
        stop = lightgbm.early_stopping(parameters.patience, verbose=False)
        judged = lightgbm.Dataset(features[left_out], labels[left_out])
        kept = np.setdiff1d(np.arange(n), left_out)
        rounds = grow(kept, rounds, valid_sets=[judged], callbacks=[stop]).best_iteration or rounds
    return without_kernels(pool, partial(_scores, grow(np.arange(n), rounds)))


def _scores(model: Any, features: Any) -> Floats:
    """Return the sums of the trees, (t, C); of two classes, half of the log-odds with either sign."""
    sums = model.predict(to_dense(features), raw_score=True)
    return sums if sums.ndim == 2 else np.stack([-sums, sums], axis=1) / 2.0
