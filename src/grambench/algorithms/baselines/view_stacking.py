"""View stacking: an SVM on each view, and logistic regression on their decision values (late fusion, Wolpert 1992).

Each source of features has its own classifier, and a second one weights their outputs. Users do this in place of a
learned combination of kernels.

Formula
-------
    f(x) = Σ_v a_v g_v(x) + b,   g_v a Gaussian SVM on view v

a and b are fitted to decision values of SVMs that were trained without the example, in cross-validation. No kernel of
the pool is used, and no work is counted.

Complexity
----------
folds + 1 SVMs a view.

Deviations
----------
This is scikit-learn's StackingClassifier with SVC and LogisticRegression. The width of the Gaussian kernel is
scikit-learn's, 1/(2σ²) = 1/(d var). Without two examples of each class, a and b are fitted to decision values of the
SVMs on all examples.

References
----------
Wolpert (1992). Stacked generalization. Neural Networks 5, 241-259. DOI 10.1016/S0893-6080(05)80023-1
"""

from functools import partial
from typing import Any

import numpy as np

from grambench.algorithms.fit import Fit
from grambench.algorithms.on_features import check_both_classes, side_by_side, views_of, without_kernels
from grambench.algorithms.settings import CrossValidated as Parameters
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool

NEEDS = "features"


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Train the SVMs and the regression."""
    from sklearn.ensemble import StackingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer
    from sklearn.svm import SVC

    check_both_classes(labels)
    views = views_of(pool)
    ends = np.cumsum([0, *(values.shape[1] for values in views.values())]).tolist()
    machines = [
        (view or "all", make_pipeline(FunctionTransformer(partial(_columns, first, last)), SVC(C=parameters.C)))
        for view, first, last in zip(views, ends, ends[1:], strict=False)
    ]
    features = side_by_side(views)
    folds = min(parameters.folds, int(np.count_nonzero(labels == 1)), int(np.count_nonzero(labels == -1)))
    if folds < 2:
        machines = [(view, machine.fit(features, labels)) for view, machine in machines]
    model = StackingClassifier(machines, LogisticRegression(), cv=folds if folds >= 2 else "prefit")
    model.fit(features, labels)
    return without_kernels(pool, model.decision_function, views=True)


def _columns(first: int, last: int, features: Any) -> Any:
    return features[:, first:last]
