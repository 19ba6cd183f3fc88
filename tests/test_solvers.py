"""The solvers against LIBSVM, SciPy and brute force, and with input that nobody should give them."""

import itertools

import numba
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from problems import labelled
from sklearn.svm import SVC

from grambench.common.errors import SolverError
from grambench.solvers import certificates, gradient_projection, leave_one_out, meb, nnls, projections, smo, svm
from grambench.solvers.combination import Combination, product, row

pytestmark = pytest.mark.compiled

COMPILED = not numba.config.DISABLE_JIT
compiled = pytest.mark.skipif(not COMPILED, reason="too many steps for the interpreter")
EXAMPLES = 60 if COMPILED else 10


def points(seed, n=40, d=3):
    return labelled(seed, n, d, lambda x, noise: x[0] + 0.5 * x[1] ** 2 + 0.5 * noise > 0.3)


def linear(features):
    return features @ features.T


def gaussian(features, s=1.0):
    return np.exp(-((features[:, None] - features[None]) ** 2).sum(axis=2) / (2 * s * s))


GRAMS = {
    "linear": linear,
    "gaussian": gaussian,
    "polynomial": lambda features: (linear(features) + 1) ** 3,
    "offset": lambda features: linear(features) + 1e3,
}


def single(gram):
    """Rounded to what LIBSVM keeps of a kernel."""
    return gram.astype(np.float32).astype(np.float64)


def train(gram, labels, C, **settings):
    return svm.train(Combination.single(gram), labels, C, **settings)


def enclose(gram, **settings):
    return meb.enclose(Combination.single(gram), **settings)


# --- support vector machines ------------------------------------------------------------------------------------------


@compiled
@pytest.mark.parametrize("kind", GRAMS)
@pytest.mark.parametrize(("C", "scale"), [(1e-2, 1.0), (1.0, 1e-3), (1.0, 1.0), (1e4, 1.0), (1e-2, 1e5), (1e4, 1e-6)])
def test_csvc_is_libsvms(kind, C, scale):
    for seed in range(2):  # with the third, LIBSVM takes 200 million steps
        features, labels = points(seed)
        same = single(scale * GRAMS["linear" if kind == "offset" else kind](features))
        gram = same + 1e3 * scale if kind == "offset" else same  # which changes nothing, but LIBSVM would lose digits
        ours = train(gram, labels, C, tolerance=1e-8)
        theirs = SVC(C=C, kernel="precomputed", tol=1e-8).fit(same, labels)
        dual = np.zeros(len(labels))
        dual[theirs.support_] = theirs.dual_coef_[0]
        # either may violate the conditions by 1e-8, which costs n C 1e-8 if every example were at fault; a few are.
        # Decision values follow with the root of the objective's error, and less where the problem curves.
        value = np.abs(dual).sum() - 0.5 * dual @ same @ dual
        assert ours.objective == pytest.approx(value, rel=1e-8)
        np.testing.assert_allclose(gram @ ours.dual + ours.bias, theirs.decision_function(same), rtol=0, atol=2e-5)
        assert ours.bias == pytest.approx(theirs.intercept_[0], abs=2e-5)  # LIBSVM's convention without free ones, too


@compiled
@pytest.mark.parametrize("kind", ["linear", "gaussian", "polynomial"])
@pytest.mark.parametrize("C", [1e-2, 1.0, 1e3])
def test_l2_svm_is_the_hard_margin_machine(kind, C):
    """With K + I/C and a box that no coefficient reaches; strictly concave, so that the coefficients are unique."""
    features, labels = points(3)
    whole = single(GRAMS[kind](features) + np.eye(len(labels)) / C)
    gram = whole - np.eye(len(labels)) / C
    ours = train(gram, labels, C, loss="squared", tolerance=1e-9)
    theirs = SVC(C=1e9, kernel="precomputed", tol=1e-9).fit(whole, labels)
    dual = np.zeros(len(labels))
    dual[theirs.support_] = theirs.dual_coef_[0]
    # curvature 1/C turns errors of 1e-9 in the gradient into C 1e-9 in coefficients, up to the condition of the support
    np.testing.assert_allclose(ours.dual, dual, rtol=0, atol=1e-8 * C * 10)
    assert ours.bias == pytest.approx(theirs.intercept_[0], abs=1e-7)
    xi = np.maximum(1 - labels * (gram @ ours.dual + ours.bias), 0)
    np.testing.assert_allclose(labels * ours.dual, C * xi, rtol=0, atol=1e-7 * C)  # the squared loss's condition
    assert ours.objective == pytest.approx(0.5 * ours.dual @ gram @ ours.dual + 0.5 * C * xi @ xi, rel=1e-7)


@settings(max_examples=EXAMPLES, deadline=None)
@given(
    rows=st.lists(st.tuples(*[st.integers(-2, 2)] * 2, st.sampled_from([-1, 1])), min_size=1, max_size=8),
    C=st.sampled_from([1e-3, 1.0, 50.0]),
    kind=st.sampled_from(sorted(GRAMS)),
    loss=st.sampled_from(["hinge", "squared"]),
)
@example(rows=[(0, 0, 1)], C=1.0, kind="linear", loss="hinge")
@example(rows=[(0, 0, 1), (0, 0, -1)], C=1.0, kind="linear", loss="squared")
@example(rows=[(1, 1, 1)] * 3 + [(1, 1, -1)] * 2, C=1.0, kind="gaussian", loss="hinge")
@example(rows=[(1, 1, -1)] * 8, C=1.0, kind="polynomial", loss="squared")
def test_tiny_problems_with_duplicates_and_ties(rows, C, kind, loss):
    """One example, one class, identical examples with equal and opposite labels, rank 0 to 2: always the optimum."""
    features, labels = np.array([r[:2] for r in rows], dtype=float), np.array([r[2] for r in rows], dtype=np.int8)
    gram = np.ascontiguousarray(GRAMS[kind](features))
    machine = train(gram, labels, C, loss=loss, tolerance=1e-6, max_steps=200_000)
    certificate = certificates.svm(gram, labels, C, machine.dual, machine.bias, loss=loss)
    assert certificate.kkt <= 1e-6 + 1e-9  # rounding of K v at entries up to 1e3
    # n C times the violation, where 1 is the least that a problem with two classes may cost at C = 1 and n C the most
    assert certificate.gap <= 1e-5 * max(C, 1.0)
    assert abs(machine.dual.sum()) <= 1e-12 * max(np.abs(machine.dual).sum(), 1.0)
    if len(set(labels)) == 1:
        assert machine.bias == labels[0]
        assert not machine.dual.any()


def test_the_bias_is_the_mean_of_what_the_free_coefficients_say():
    """Far from convergence they disagree; the mean is LIBSVM's choice."""
    features, labels = points(2)
    gram = gaussian(features)
    machine = train(gram, labels, 1.0, tolerance=0.3)
    free = (np.abs(machine.dual) > 0) & (np.abs(machine.dual) < 1.0)
    says = (labels - gram @ machine.dual)[free]
    assert np.ptp(says) > 0.1
    assert machine.bias == pytest.approx(says.mean(), abs=1e-12)


@compiled
@pytest.mark.parametrize("loss", ["hinge", "squared"])
def test_a_warm_start_changes_the_steps_only(loss):
    features, labels = points(4)
    combination = Combination.single(gaussian(features))
    exact = svm.train(combination, labels, 10.0, loss=loss, tolerance=1e-10)
    cold = svm.train(combination, labels, 10.0, loss=loss, tolerance=1e-8)
    again = svm.train(combination, labels, 10.0, loss=loss, tolerance=1e-8, start=exact.dual)
    assert again.steps == 0
    near = svm.train(combination, labels, 9.9, loss=loss, tolerance=1e-10).dual
    assert svm.train(combination, labels, 10.0, loss=loss, tolerance=1e-8, start=near).steps < cold.steps
    rng = np.random.default_rng(0)
    starts = [
        near,
        svm.train(combination, labels, 1e3, loss=loss).dual,
        np.zeros(len(labels)),
        labels * 1.0,  # not balanced
        -labels * 1.0,  # of the wrong signs: nothing is left of it
        rng.normal(size=len(labels)),
        1e12 * rng.normal(size=len(labels)),
        1e-12 * labels,
    ]
    for start in starts:
        copy = start.copy()
        warm = svm.train(combination, labels, 10.0, loss=loss, tolerance=1e-8, start=start)
        # n C 1e-8 is 4e-6 of an objective above 100; what is left of a start of 1e12 must not be more
        assert warm.objective == pytest.approx(exact.objective, rel=1e-7)
        assert warm.bias == pytest.approx(exact.bias, abs=1e-6)
        assert certificates.svm(gaussian(features), labels, 10.0, warm.dual, warm.bias, loss=loss).kkt < 1.1e-8
        assert np.array_equal(start, copy)


@given(
    start=st.lists(st.integers(-(10**12), 10**12).map(lambda k: 1e-6 * k), min_size=1, max_size=10),
    data=st.data(),
    box=st.sampled_from([0.1, 1.0, np.inf]),
)
@settings(max_examples=EXAMPLES, deadline=None)
def test_any_start_is_made_feasible(start, data, box):
    signs = np.array(data.draw(st.lists(st.sampled_from([-1, 1]), min_size=len(start), max_size=len(start))))
    lower, upper = np.where(signs > 0, 0.0, -box), np.where(signs > 0, box, 0.0)
    dual = svm.feasible(np.array(start), lower, upper)
    assert ((dual >= lower) & (dual <= upper)).all()
    assert abs(dual.sum()) <= svm.BALANCE_TOLERANCE * np.abs(dual).sum()
    assert np.array_equal(svm.feasible(dual, lower, upper), dual)  # to the bit: coefficients at C stay there


@compiled
@pytest.mark.parametrize("scale", [1e-12, 1e12])
@pytest.mark.parametrize("loss", ["hinge", "squared"])
def test_a_scaled_gram(scale, loss):
    """K s and C / s is the same machine with coefficients / s; at the same C, the optimum is another one."""
    features, labels = points(5)
    gram = gaussian(features, 0.5)
    plain = train(gram, labels, 1.0, loss=loss, tolerance=1e-8)
    scaled = train(scale * gram, labels, 1.0 / scale, loss=loss, tolerance=1e-8)
    values = gram @ plain.dual + plain.bias
    # both end within 1e-8 of the conditions, by other ways; values follow with the square root of the gap
    np.testing.assert_allclose(scale * gram @ scaled.dual + scaled.bias, values, rtol=0, atol=1e-6)
    same = train(scale * gram, labels, 1.0, loss=loss)
    certificate = certificates.svm(scale * gram, labels, 1.0, same.dual, same.bias, loss=loss)
    assert certificate.kkt <= svm.TOLERANCE * 1.001
    assert (
        certificate.gap <= 2 * svm.TOLERANCE
    )  # of the hard margin at 1e12, ||w|| off by the margin's error on both sides


@settings(max_examples=EXAMPLES, deadline=None)
@given(
    st.integers(2, 6).flatmap(
        lambda n: st.tuples(
            st.lists(st.integers(-3, 3), min_size=n * n, max_size=n * n),
            st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n),
        )
    ),
    st.sampled_from(["hinge", "squared"]),
)
def test_an_indefinite_gram_ends(entries_and_labels, loss):
    """A stationary point within the box, or an error; for the L2-SVM no answer to a problem that has none."""
    entries, signs = entries_and_labels
    labels = np.array(signs, dtype=np.int8)
    n = len(labels)
    gram = np.array(entries, dtype=float).reshape(n, n)
    gram = gram + gram.T
    try:
        machine = train(gram, labels, 2.0, loss=loss, max_steps=5_000)
    except SolverError:
        assume(False)
    assert np.isfinite(machine.dual).all()
    assert np.isfinite(machine.bias)
    assert (labels * machine.dual >= 0).all()
    certificate = certificates.svm(gram, labels, 2.0, machine.dual, machine.bias, loss=loss)
    assert certificate.kkt <= svm.TOLERANCE * 1.001
    if loss == "hinge":
        assert np.abs(machine.dual).max() <= 2.0


U = np.array([1.0, 1.0, -2.0]) / np.sqrt(6)


# The first pair curves the wrong way; every pair curves the right way, but three examples together do not.
@pytest.mark.parametrize(("gram", "labels"), [(-np.eye(2), [1, -1]), (np.eye(3) - 1.2 * np.outer(U, U), [1, 1, -1])])
def test_an_unbounded_l2_svm_is_an_error(gram, labels):
    with pytest.raises(SolverError, match="unbounded"):
        train(gram, np.array(labels, dtype=np.int8), 1e6, loss="squared", max_steps=100_000)


def test_an_indefinite_gram_with_a_convex_l2_svm():
    features, labels = points(6, n=12)
    gram = gaussian(features) - 0.3 * np.eye(12)
    assert np.linalg.eigvalsh(gram)[0] < -0.1
    ours = train(gram, labels, 2.0, loss="squared", tolerance=1e-9)  # K + I/2
    theirs = train(gram + 0.3 * np.eye(12), labels, 5.0, loss="squared", tolerance=1e-9)  # K + 0.3 I + I/5: the same
    np.testing.assert_allclose(ours.dual, theirs.dual, rtol=0, atol=1e-7)


def test_malformed_machines_are_refused():
    features, labels = points(0, n=6)
    gram = linear(features)
    for C in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="C must be positive and finite"):
            train(gram, labels, C)
    for wrong in (labels[:-1], np.append(labels, labels[0]), labels * 2, np.abs(labels) - 1, labels[:, None]):
        with pytest.raises(ValueError, match=r"labels: expected 6 of -1 or \+1"):
            train(gram, wrong, 1.0)
    with pytest.raises(SolverError, match="after 3 steps; scale the kernels"):
        train(gram, labels, 1.0, max_steps=3)


def test_entries_near_the_end_of_the_range_of_numbers():
    """The right machine, or an error; nothing that is not a number."""
    features, labels = points(7, n=10)
    for scale in (1e150, 1e300, 1e307, 1e-150, 1e-300, 1e-310):
        gram = gaussian(features) * scale
        for solve in (
            lambda g: train(g, labels, 1.0, max_steps=2_000),
            lambda g: train(g, labels, 1.0, loss="squared", max_steps=2_000),
            lambda g: enclose(g, max_steps=2_000),
        ):
            try:
                with np.errstate(over="ignore"):
                    found = solve(gram)
            except SolverError:
                continue
            assert np.isfinite(found.dual).all()
            if isinstance(found, meb.MEB):
                assert found.squared_radius == pytest.approx(
                    scale * enclose(gaussian(features)).squared_radius, rel=1e-3
                )
            else:
                assert np.isfinite(found.objective)


# --- combinations -----------------------------------------------------------------------------------------------------


def base(seed=0, m=11, n=14):
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(m, n, 3))
    return np.ascontiguousarray(factors @ factors.transpose(0, 2, 1)), rng


def test_rows_are_those_of_the_whole_combination():
    grams, rng = base()
    combination = Combination(grams)
    for used in (0, 1, 3, 4, 5, 8, 11):  # four kernels are added at a time
        weights = np.zeros(11)
        weights[rng.permutation(11)[:used]] = 10.0 ** rng.uniform(-3, 1, size=used)
        combination.reweight(weights)
        whole = np.tensordot(weights, grams, 1)
        for i in (3, 0, 3, 13):
            # eleven products of size 100 at most and their sum: rounding of a few units
            np.testing.assert_allclose(row(combination.rows, i), whole[i], rtol=0, atol=1e-13)
        np.testing.assert_allclose(combination.rows.diagonal, np.diagonal(whole), rtol=0, atol=1e-13)
        vector = rng.normal(size=14) * (np.arange(14) % 2)
        np.testing.assert_allclose(combination.product(vector), whole @ vector, rtol=0, atol=1e-12)
        np.testing.assert_allclose(product(combination.rows, vector), whole @ vector, rtol=0, atol=1e-12)


def test_rows_are_counted_and_kept():
    grams, _ = base()
    combination = Combination(grams)
    with pytest.raises(ValueError, match="read-only"):
        combination.grams[0, 0, 0] = 1.0
    assert grams.flags.writeable
    weights = np.ones(11)
    combination.reweight(weights)
    for i in (3, 0, 3):
        row(combination.rows, i)
    assert combination.row_additions == 2 * 11
    weights[0] = 5.0  # the caller's array may change: it is not the combination's
    assert combination.rows.weights[0] == 1.0
    combination.reweight(np.ones(11))
    assert combination.rows.computed.tolist() == [i in (0, 3) for i in range(14)]
    row(combination.rows, 0)
    assert combination.row_additions == 2 * 11
    combination.reweight(weights)
    assert not combination.rows.computed.any()
    np.testing.assert_allclose(row(combination.rows, 0), np.tensordot(weights, grams, 1)[0], rtol=0, atol=1e-13)
    assert combination.row_additions == 3 * 11
    combination.update_images(np.zeros((11, 14)), np.arange(14.0))
    assert combination.row_additions == 3 * 11 + 13 * 11
    combination.quadratic_forms(np.ones(14))
    assert combination.row_additions == 3 * 11 + 13 * 11 + 11 * 14 // 2


@pytest.mark.parametrize("n", [14, 40, 65])  # 32 rows are reflected at a time
def test_rows_of_nearly_all_examples_are_those_computed_one_by_one(n):
    grams, rng = base(5, m=6, n=n)
    grams += grams.transpose(0, 2, 1)  # symmetric to the last bit
    together, single = Combination(grams), Combination(grams)
    weights = np.append(rng.random(5), 0.0)
    for combination in (together, single):
        combination.reweight(weights)
        row(combination.rows, 3)
    for examples in (np.arange(n) < n // 2, np.arange(n) != 5):
        together.compute(examples)
        assert together.rows.computed.sum() == (n if examples.sum() == n - 1 else 1)
    assert np.array_equal(together.rows.cache, [row(single.rows, i) for i in range(n)])
    assert together.row_additions == 5 + 5 * n // 2


@pytest.mark.parametrize("support", [0, 1, 3, 4, 5, 7, 8, 11, 14])  # rows go by four or eight
def test_quadratic_forms(support):
    grams, rng = base(1)
    grams += grams.transpose(0, 2, 1)
    vector = np.zeros(14)
    vector[rng.permutation(14)[:support]] = rng.normal(size=support)
    forms, expected = Combination(grams).quadratic_forms(vector), [vector @ gram @ vector for gram in grams]
    np.testing.assert_allclose(forms, expected, rtol=1e-12, atol=1e-13)
    # A vector of many zeros is read in another way, with the same bits, and so are several vectors.
    sparse = Combination(np.pad(grams, ((0, 0), (0, 40), (0, 40)))).quadratic_forms(np.pad(vector, (0, 40)))
    assert np.array_equal(forms, sparse)
    several = Combination(grams).quadratic_forms(np.stack([np.ones(14), vector]))
    assert np.array_equal(forms, several[1])


@pytest.mark.parametrize("changed", [0, 1, 3, 4, 5, 8, 11, 14])  # rows go by four
def test_images_follow_a_change(changed):
    grams, rng = base(2)
    images, change = rng.normal(size=(11, 14)), np.zeros(14)
    change[rng.permutation(14)[:changed]] = rng.normal(size=changed)
    expected = images + np.array([gram @ change for gram in grams])
    Combination(grams).update_images(images, change)
    np.testing.assert_allclose(images, expected, rtol=0, atol=1e-12)


def test_a_block_is_that_of_the_whole_combination():
    grams, rng = base(3)
    combination, chosen = Combination(grams), np.array([2, 5, 6, 13])
    combination.reweight(rng.random(11) * (np.arange(11) % 3 > 0))
    whole = np.tensordot(combination.rows.weights, grams, 1)
    np.testing.assert_allclose(combination.block(chosen), whole[np.ix_(chosen, chosen)], rtol=0, atol=1e-13)
    assert combination.block(chosen[:0]).shape == (0, 0)


def test_a_single_gram_is_read_in_place():
    """And copied row by row where compiled code may not have it, since it is read-only."""
    features, labels = points(0)
    gram = gaussian(features)
    locked = gram.copy()
    locked.flags.writeable = False
    given, copied = Combination.single(gram), Combination.single(locked)
    assert given.rows.cache is gram
    one, other = (svm.train(combination, labels, 10.0) for combination in (given, copied))
    assert np.array_equal(one.dual, other.dual)
    assert (one.bias, one.steps) == (other.bias, other.steps)
    assert given.row_additions == 0 < copied.row_additions
    assert np.array_equal(gram, locked)


@pytest.mark.parametrize("scale", [1.0, 1e6])  # a start that is too long is shortened, and its image with it
@pytest.mark.parametrize("loss", ["hinge", "squared"])
def test_a_start_whose_image_is_known(loss, scale):
    features, labels = points(0)
    combination = Combination.single(scale * gaussian(features))
    start = svm.train(Combination.single(gaussian(features, 2.0)), labels, 3.0, loss=loss).dual
    image = combination.product(start)
    plain = svm.train(combination, labels, 3.0, loss=loss, start=start)
    known = svm.train(combination, labels, 3.0, loss=loss, start=start, image=image)
    assert np.array_equal(plain.dual, known.dual)
    assert np.array_equal(image, combination.product(start))


def test_malformed_grams_are_refused():
    for shape in ((0, 3, 3), (1, 0, 0), (2, 3, 4), (3, 3)):
        with pytest.raises(ValueError, match=r"expected an array \(m, n, n\) with m, n >= 1"):
            Combination(np.zeros(shape))
    for value in (np.nan, np.inf, -np.inf):
        grams, _ = base()
        grams[2, 1, 4] = value
        with pytest.raises(ValueError, match="Gram matrix 2: expected finite entries, got 1 that are not"):
            Combination(grams)
    largest = np.full((1, 2, 2), 1e308)  # whose sum is infinite, but no entry
    with np.errstate(over="ignore"):
        assert Combination(largest).diagonals.tolist() == [[1e308, 1e308]]


# --- minimum enclosing balls ------------------------------------------------------------------------------------------


def smallest_circle(features):
    """Brute force in the plane: the smallest of all circles on two or three points that holds all of them."""
    best = (np.inf, features[0])
    if np.ptp(features, axis=0).max() == 0:
        return 0.0, features[0]  # no two points
    candidates = [(a + b) / 2 for a, b in itertools.combinations(features, 2)]
    for a, b, c in itertools.combinations(features, 3):
        edges = 2 * np.array([b - a, c - a])
        if abs(np.linalg.det(edges)) > 1e-9:
            candidates.append(np.linalg.solve(edges, [b @ b - a @ a, c @ c - a @ a]))
    for centre in candidates:
        best = min(best, (float(((features - centre) ** 2).sum(axis=1).max()), tuple(centre)))
    return best[0], np.array(best[1])


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(st.tuples(*[st.integers(-4, 4)] * 2), min_size=1, max_size=7), st.sampled_from([1.0, 1e-6, 1e6]))
@example([(0, 0)], 1.0)
@example([(2, 1)] * 5, 1.0)
@example([(-1, -1), (0, 0), (2, 2), (4, 4)], 1e6)
def test_ball_is_the_smallest_circle(corners, scale):
    features = scale * np.array(corners, dtype=float)
    squared, centre = smallest_circle(np.array(corners, dtype=float))
    squared, centre = squared * scale**2, centre * scale
    ball = enclose(linear(features), tolerance=1e-9)
    assert (ball.dual >= 0).all()
    assert ball.dual.sum() == pytest.approx(1.0, abs=1e-14)
    span = max(np.abs(features).max(), scale) ** 2
    assert ball.squared_radius == pytest.approx(squared, rel=1e-9, abs=1e-13 * span)  # 1e-14: the solver's own floor
    # the centre is off by at most the root of the gap, sqrt(1e-9) r
    np.testing.assert_allclose(
        ball.dual @ features, centre, rtol=0, atol=4e-5 * np.sqrt(squared) + 1e-6 * np.sqrt(span)
    )
    farthest = ((features - ball.dual @ features) ** 2).sum(axis=1).max()
    assert farthest <= squared * (1 + 2e-9) + 1e-12 * span  # every example is inside


@pytest.mark.parametrize("kind", ["gaussian", "linear", "polynomial"])
@pytest.mark.parametrize("tolerance", [1e-2, 1e-4, 1e-8])
def test_ball_keeps_its_relative_gap(kind, tolerance):
    features, _ = points(8)
    gram = GRAMS[kind](features)
    image = gram @ (beta := enclose(gram, tolerance=tolerance).dual)
    inner = beta @ image
    lower, upper = beta @ np.diagonal(gram) - inner, (np.diagonal(gram) - 2 * image).max() + inner
    assert upper - lower <= tolerance * lower * (1 + 1e-9)


def test_ball_with_a_ridge_and_of_shifted_scaled_kernels():
    features, _ = points(9)
    gram = (linear(features) + 1) ** 2  # no constant diagonal
    plain = enclose(gram, tolerance=1e-10)
    ridged, explicit = enclose(gram, ridge=0.7, tolerance=1e-10), enclose(gram + 0.7 * np.eye(40), tolerance=1e-10)
    assert ridged.squared_radius == pytest.approx(explicit.squared_radius, rel=1e-10)
    np.testing.assert_allclose(ridged.dual, explicit.dual, rtol=0, atol=1e-5)
    assert ridged.squared_radius > plain.squared_radius
    for scale in (1e-12, 1e12):
        assert enclose(scale * gram, tolerance=1e-10).squared_radius == pytest.approx(
            scale * plain.squared_radius, rel=1e-10
        )
    # a constant moves every example by the same vector; at 1e8 eight digits of the kernel are gone
    assert enclose(gram + 1e8, tolerance=1e-6).squared_radius == pytest.approx(plain.squared_radius, rel=2e-6)


@compiled
def test_ball_of_examples_far_from_the_origin_ends():
    """Offsets up to where nothing of the examples' distances is left in the kernel's digits."""
    for offset in (1e3, 1e6, 1e7, 1e8, 1e12):
        features, _ = points(10, n=200)
        gram = linear(features + offset)
        lost = 1e-14 * gram.max()  # of r^2, by the rounding of the entries and the solver's floor
        ball = enclose(gram, max_steps=100_000)
        assert abs(ball.squared_radius - enclose(linear(features)).squared_radius) <= 4 * lost + 1e-3


def test_ball_starts_warm():
    features, _ = points(11)
    combination = Combination.single(gaussian(features))
    cold = meb.enclose(combination, tolerance=1e-10)
    assert meb.enclose(combination, tolerance=1e-8, start=cold.dual).steps == 0
    for i in (0, 17):
        corner = np.eye(40)[i]
        warm = meb.enclose(combination, tolerance=1e-10, start=corner, max_steps=20_000)
        assert warm.squared_radius == pytest.approx(cold.squared_radius, rel=1e-10)
        assert corner.sum() == 1.0
    with pytest.raises(SolverError, match="after 3 steps"):
        meb.enclose(combination, max_steps=3)


def test_ball_of_one_or_identical_examples():
    assert enclose(np.array([[3.7]])).squared_radius == 0.0
    for value in (0.1, 1.0, 1e12 / 3, 0.0):
        for n in (2, 7, 30):
            assert enclose(np.full((n, n), value)).squared_radius <= 1e-14 * value  # of rounding


# --- projections ------------------------------------------------------------------------------------------------------

vectors = st.lists(
    st.floats(-1e3, 1e3) | st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, 1e12, -1e12, 1e200, -1e200]),
    min_size=1,
    max_size=6,
).map(np.array)


@settings(max_examples=EXAMPLES * 2, deadline=None)
@given(vectors)
@example(np.array([1e16, 1e16, 1.0]))
@example(np.array([-1e200, -2e200]))
@example(np.array([1e-200, 1e-200]))
@example(np.array([1e200, 1e200]))
@example(np.array([-0.0, -0.0]))
def test_projections_are_feasible_and_idempotent(vector):
    copy = vector.copy()
    for name, project in projections.PROJECTIONS.items():
        point = project(vector)
        assert (point >= 0).all()
        assert np.isfinite(point).all()
        if name == "l1":
            assert point.sum() == pytest.approx(1.0, abs=1e-15 * 4 * len(vector))
        if name == "l2":
            assert point @ point == pytest.approx(1.0, abs=1e-15 * 4 * len(vector))
        np.testing.assert_allclose(project(point), point, rtol=0, atol=1e-15 * 4 * len(vector))
        assert np.array_equal(vector, copy)


@settings(max_examples=EXAMPLES * 2, deadline=None)
@given(vectors)
@example(np.array([1e16, 1e16, 1.0]))
def test_simplex_is_the_nearest_point(vector):
    """Its optimality conditions: every entry of the support moved by tau, and every other one lies below tau."""
    point = projections.simplex(vector)
    shifted = vector - vector.max()
    tau = (shifted - point)[point > 0]
    # tau lies in [-1, 0], each entry of the support in [-1, 1]: a few units of rounding in sums of six
    assert np.ptp(tau) <= 1e-14
    assert (shifted[point == 0] <= tau.min() + 1e-14).all()


@settings(max_examples=EXAMPLES, deadline=None)
@given(vectors, st.integers(0, 2**32 - 1))
def test_sphere_and_orthant_are_nearest_among_others(vector, seed):
    vector = vector / max(np.abs(vector).max(), 1e-300)
    rng = np.random.default_rng(seed)
    others = np.abs(rng.normal(size=(50, len(vector)))) * (rng.random((50, len(vector))) < 0.5)
    others = np.vstack([others[others.any(axis=1)], np.eye(len(vector))])
    found = projections.orthant(vector)
    assert (np.linalg.norm(others - vector, axis=1) >= np.linalg.norm(found - vector) - 1e-12).all()
    others /= np.linalg.norm(others, axis=1)[:, None]
    assert (others @ vector <= projections.sphere(vector) @ vector + 1e-12).all()  # of unit vectors the nearest


# --- non-negative quadratic programs ----------------------------------------------------------------------------------


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(1, 8), st.sampled_from([0.0, 2.0, 6.0]))
def test_nnls_is_optimal(seed, m, rank, spread):
    """Optimality conditions, in units that make every diagonal entry 1; kernels may differ in scale by 10^12."""
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(rank, m)) * 10.0 ** rng.uniform(-spread, spread, size=m)
    matrix, linear = factor.T @ factor, factor.T @ rng.normal(size=rank)
    copies = matrix.copy(), linear.copy()
    found = nnls.minimise(matrix, linear)
    units = np.sqrt(np.diagonal(matrix))
    gradient = (matrix @ found - linear) / units
    size = max(np.abs(linear / units).max(), 1e-300)
    assert (found >= 0).all()
    # eigenvalues are right to 1e-16 of the largest and kept from 1e-12 of it on: their roots lose six digits at worst
    assert gradient.min() >= -1e-6 * size
    assert np.abs(gradient[found * units > 1e-6 * (found * units).max(initial=0.0)]).max(initial=0.0) <= 1e-6 * size
    assert np.array_equal(matrix, copies[0])
    assert np.array_equal(linear, copies[1])


def test_nnls_at_the_edge():
    assert nnls.minimise(np.zeros((2, 2)), np.ones(2)).tolist() == [0.0, 0.0]
    assert nnls.minimise(np.eye(2), -np.ones(2)).tolist() == [0.0, 0.0]
    np.testing.assert_allclose(nnls.minimise(np.diag([1e12, 1e-12]), np.array([1e12, 1e-12])), [1.0, 1.0], rtol=1e-14)
    for matrix, message in (
        (np.array([[1.0, 0.5], [0.0, 1.0]]), "expected a symmetric matrix"),
        (np.array([[1.0, 2.0], [2.0, 1.0]]), "expected no negative eigenvalue"),
        (np.array([[-1e-9]]), "expected no negative eigenvalue"),
        (np.array([[np.nan]]), "expected finite entries"),
    ):
        with pytest.raises(ValueError, match=message):
            nnls.minimise(matrix, np.ones(len(matrix)))


# --- gradient projection ----------------------------------------------------------------------------------------------


def quadratic(matrix, linear):
    """1/2 x'Mx - b'x + constant above 0, with the linear model's relative decrease over the simplex as gap."""
    constant = 1.0 + np.abs(linear).sum() + np.abs(matrix).sum()

    def evaluate(x):
        value = 0.5 * x @ matrix @ x - linear @ x + constant
        gradient = matrix @ x - linear
        gap = (gradient @ x - gradient.min()) / value
        return gradient_projection.Value(value, lambda: gradient_projection.Slope(gradient, gap))

    return evaluate


def descend(evaluate, start, gap=1e-10, iterations=2000, project=projections.simplex):
    history = []
    found = gradient_projection.minimise(
        evaluate, project, start, gap=gap, iterations=iterations, record=history.append
    )
    return found.point, history, found.converged


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 6), st.sampled_from([1e-6, 1.0, 1e6]))
def test_gradient_projection_reaches_the_minimum(seed, m, rank, scale):
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(rank, m))
    matrix, linear = scale * factor.T @ factor, scale * rng.normal(size=m)
    evaluate = quadratic(matrix, linear)
    found, history, converged = descend(evaluate, rng.normal(size=m))
    assert not converged or (evaluate(found).slope().gap <= 1e-10 and evaluate(found).objective == history[-1])
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1.0, abs=1e-14)
    memory = gradient_projection.MEMORY
    assert all(history[k] <= max(history[max(k - memory, 0) : k]) for k in range(1, len(history)))
    assert evaluate(found).objective in (history[-1], min(history))
    others = np.vstack([np.eye(m), rng.dirichlet(np.ones(m), size=20)])
    lowest = min(evaluate(x).objective for x in others)
    reached = evaluate(found).objective
    assert reached <= lowest + 1e-9 * abs(lowest)  # the gap, and as much again of rounding in the line search
    gradient = matrix @ found - linear
    assert gradient @ found - gradient.min() <= 1e-7 * reached


def test_gradient_projection_stops():
    evaluate = quadratic(np.diag([1.0, 100.0]), np.zeros(2))
    assert descend(evaluate, np.ones(2), iterations=0)[1] == [evaluate(np.full(2, 0.5)).objective]
    assert len(descend(evaluate, np.ones(2), iterations=2, gap=1e-15)[1]) <= 3
    reached = [descend(evaluate, np.ones(2), iterations=limit, gap=1e-6)[2] for limit in (0, 1, 100)]
    assert reached == [False, False, True]
    flat = quadratic(np.zeros((3, 3)), np.zeros(3))
    found, history, converged = descend(flat, np.array([3.0, 0.0, 0.0]))
    assert found.tolist() == [1.0, 0.0, 0.0]
    assert len(history) == 1
    assert converged


@pytest.mark.parametrize("name", projections.PROJECTIONS)
def test_gradient_projection_stops_at_a_corner_whose_gap_stays_open(name):
    """A gap that inner solvers leave open must not lengthen the step for ever: at 4^510 it would be infinite."""
    calls = []

    def evaluate(x):
        calls.append(x)
        return gradient_projection.Value(float(1 + x[0]), lambda: gradient_projection.Slope(np.array([1.0, 0.0]), 1.0))

    found, _, converged = descend(
        evaluate, np.array([0.5, 0.5]), iterations=3000, project=projections.PROJECTIONS[name]
    )
    assert found[0] == 0.0
    assert not converged
    assert len(calls) < 10


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_gradient_projection_leaves_points_without_a_value(bad):
    """No trial is accepted where the objective is not finite, and none of them is tried for ever."""
    start = np.array([0.5, 0.5])
    calls = []

    def evaluate(x):
        calls.append(x)
        value = 1.0 if np.array_equal(x, start) else bad
        return gradient_projection.Value(value, lambda: gradient_projection.Slope(np.array([1.0, 0.0]), 1.0))

    found, history, converged = descend(evaluate, start)
    assert found.tolist() == start.tolist()
    assert not converged
    assert history == [1.0]
    assert len(calls) < 60


@compiled
@pytest.mark.parametrize("C", [1.0, 100.0])
def test_shrinking_finds_the_optimum_of_all_examples(C):
    """The solution with variables set aside is certified on all of them, and has the value of the one without."""
    rng = np.random.default_rng(3)
    features = rng.standard_normal((smo.SMALL + 200, 4))
    labels = np.where(features[:, 0] * features[:, 1] + 0.5 * rng.standard_normal(len(features)) > 0, 1, -1)
    gram = np.exp(-np.square(features[:, None] - features[None]).sum(axis=2) / 4)
    trained = svm.train(Combination.single(gram), labels.astype(np.int8), C, tolerance=1e-4)
    assert trained.steps > smo.PERIOD
    np.testing.assert_allclose(trained.image, gram @ trained.dual, atol=1e-12 * C)
    certificate = certificates.svm(gram, labels.astype(np.int8), C, trained.dual, trained.bias)
    assert certificate.kkt <= 1.001e-4
    assert certificate.gap < 1e-3


def test_examples_that_are_left_out_change_nothing():
    """Training on some rows of a Gram matrix in place equals training on a copy of these rows and columns."""
    features, labels = points(4, n=60)
    gram, some = gaussian(features), np.random.default_rng(4).random(60) < 0.7
    in_place = svm.train(Combination.single(gram), labels, 5.0, examples=some)
    copied = svm.train(Combination.single(np.ascontiguousarray(gram[np.ix_(some, some)])), labels[some], 5.0)
    assert not in_place.dual[~some].any()
    assert np.array_equal(in_place.dual[some], copied.dual)
    assert (in_place.bias, in_place.steps) == (copied.bias, copied.steps)
    squared = svm.train(Combination.single(gram), labels, 5.0, loss="squared", examples=some)
    for trained in (in_place, squared):
        np.testing.assert_allclose(trained.image, gram @ trained.dual, atol=1e-12)


# --- least-squares SVMs -----------------------------------------------------------------------------------------------


def test_leave_one_out_errors_are_those_of_machines_without_the_example():
    features, _ = points(3, n=30)
    labels, C, wrong = np.digitize(features[:, 0], [-0.5, 0.5]), 5.0, 0
    gram, ones = gaussian(features), np.ones((30, 1))
    for out in range(30):
        rest = np.arange(30) != out
        system = np.block([[gram[np.ix_(rest, rest)] + np.eye(29) / C, ones[1:]], [ones[1:].T, np.zeros((1, 1))]])
        targets = np.where(labels[rest, None] == np.arange(3), 1.0, -1.0)
        solution = np.linalg.solve(system, np.vstack([targets, np.zeros((1, 3))]))
        wrong += (gram[out, rest] @ solution[:-1] + solution[-1]).argmax() != labels[out]
    assert 0 < wrong < 30
    assert leave_one_out.error(gram, labels, C) == wrong / 30
    with pytest.raises(SolverError, match="positive definite"):
        leave_one_out.error(-gram, labels, C)
