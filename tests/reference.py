"""Naive references: each algorithm in lists and dicts, in the order of its pseudo-code; imports nothing from src.

Every function takes (grams, labels, order, uniforms, **parameters) and returns a dictionary with the mistakes of each
round (list of bool), the number of support vectors after each round (list of int), the normalised weights after each
round (list of lists) and the number of updates of each kernel (list of int). `uniforms` are the random numbers in
the order in which the compiled algorithm draws them, one row a round; those that draw one kernel a round take them one
after the other instead, and their second pass goes on where the first has ended. These return as well the score of each
round and the kernel that was selected.

Conventions of OMKC's published numbers: sign(0) is +1, and sums run in four lanes (`dot`).

With a `budget` an expansion of so many support vectors forgets the oldest before one is added; 0 is no bound.
"""

import math


def sign(value):
    return 1 if value >= 0 else -1


def dot(left, right):
    """Sum of products, term number k in lane k mod 4, lanes added as (0 + 1) + (2 + 3)."""
    lanes = {0: 0.0, 1: 0.0, 2: 0.0, 3: 0.0}
    for k, (a, b) in enumerate(zip(left, right, strict=True)):
        lanes[k % 4] += a * b
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])


def score(gram, expansion, i, budget=0):
    """f(x_i) = sum over the support vectors s of y_s k(x_s, x_i), in the order in which they were added.

    `expansion` has the forgotten ones as well, which are left out.
    """
    kept = expansion[-budget:] if budget else expansion
    return dot([y for _, y in kept], [float(gram[s][i]) for s, _ in kept])


def normalised(weights):
    total = sum(weights)
    return [w / total for w in weights]


def sizes(expansions):
    return [len(expansion) for expansion in expansions]


def held(expansion, budget):
    return min(len(expansion), budget) if budget else len(expansion)


def perceptron(grams, labels, order, uniforms, kernel=0, budget=0):
    expansion, mistakes, counts = [], [], []
    for i in order:
        wrong = sign(score(grams[kernel], expansion, i, budget)) != labels[i]
        if wrong:
            expansion.append((i, labels[i]))
        mistakes.append(wrong)
        counts.append(held(expansion, budget))
    one_hot = [float(k == kernel) for k in range(len(grams))]
    updates = [len(expansion) if k == kernel else 0 for k in range(len(grams))]
    return {"mistakes": mistakes, "support_vectors": counts, "weights": [one_hot] * len(order), "updates": updates}


def perceptron_u(grams, labels, order, uniforms, budget=0):
    m, n = len(grams), len(labels)
    mean = [[sum(float(gram[i][j]) for gram in grams) / m for j in range(n)] for i in range(n)]
    result = perceptron([mean], labels, order, uniforms, budget=budget)
    uniform = [1.0 / m] * m
    return result | {"weights": [uniform] * len(order), "updates": result["updates"] * m}


def perceptron_star(grams, labels, order, uniforms, validation=0.1, budget=0):
    tenth = max(1, int(validation * len(order) + 0.5))
    trials = [sum(perceptron(grams, labels, order[:tenth], uniforms, k, budget)["mistakes"]) for k in range(len(grams))]
    return perceptron(grams, labels, order, uniforms, trials.index(min(trials)), budget)


def om2(grams, labels, order, uniforms, p=1.001, margin=1.0, step="one", passes=1, budget=0):
    """Jie et al. 2010 with two classes: coefficient +eta for the right class's row, -eta for the other's."""
    m = len(grams)
    q = max(2.0, 2 * math.log(m)) if p is None else 1 / (1 - 1 / p)
    expansion, mistakes, counts, weights, added = [], [], [], [], 0
    squared = [2.0**-52] * m  # ||theta_k||^2
    w = [1.0] * m

    def scored(i):
        rows = {}  # score of each class by kernel
        for k in range(m):
            rows[k] = {1: 0.0, -1: 0.0}
            for s, y, eta in expansion:
                rows[k][y] += eta * float(grams[k][s][i])
                rows[k][-y] -= eta * float(grams[k][s][i])
        return rows

    for i in list(order) * passes:
        rows = scored(i)
        scores = {c: sum(w[k] * rows[k][c] for k in range(m)) for c in (1, -1)}
        gap = scores[labels[i]] - scores[-labels[i]]
        mistakes.append(gap <= 0)
        if gap <= margin:
            eta = min(1.0, 1 - 2 * gap / (2 * m ** (2 / q))) if step == "shortened" else 1.0
            if budget and len(expansion) == budget:
                del expansion[0]
                pairs = [(s, r, 2 * y * eta * z * rate) for s, y, eta in expansion for r, z, rate in expansion]
                squared = [2.0**-52 + sum(c * float(gram[s][r]) for s, r, c in pairs) for gram in grams]
                rows = scored(i)
            added += 1
            for k in range(m):
                squared[k] += 2 * eta * (rows[k][labels[i]] - rows[k][-labels[i]]) + 2 * eta**2 * float(grams[k][i][i])
            expansion.append((i, labels[i], eta))
            norms = [max(value, 2.0**-52) ** 0.5 for value in squared]
            group = max(norms) * sum((value / max(norms)) ** q for value in norms) ** (1 / q)
            w = [(value / group) ** (q - 2) / q for value in norms]
        weights.append(normalised(w))
        counts.append(len({s for s, _, _ in expansion}))
    return {"mistakes": mistakes, "support_vectors": counts, "weights": weights, "updates": [added] * m}


def omkc_dd(grams, labels, order, uniforms, beta=0.8, budget=0, step=1):
    """Hoi et al. 2013, Algorithm 1; Jin et al. 2010, Algorithm 1, has a step (OM-1)."""
    m = len(grams)
    w = [1.0 / m] * m  # line 2
    f = [[] for _ in range(m)]
    mistakes, counts, weights = [], [], []
    for i in order:  # lines 3, 4
        signs = [sign(score(grams[k], f[k], i, budget)) for k in range(m)]
        mistakes.append(sign(dot(w, signs)) != labels[i])  # lines 5, 6
        for k in range(m):  # line 7
            if signs[k] != labels[i]:  # line 8
                w[k] *= beta  # line 9
                f[k].append((i, step * labels[i]))  # line 10
        weights.append(normalised(w))  # line 12
        counts.append(sum(held(expansion, budget) for expansion in f))
    return {"mistakes": mistakes, "support_vectors": counts, "weights": weights, "updates": sizes(f)}


def selection(w, delta):
    """Equation (6) and Section 4.2."""
    q = [value / max(w) for value in w]
    return q, [(1.0 - delta) * value + delta / len(w) for value in q]


def omkc_ds(grams, labels, order, uniforms, beta=0.8, delta=0.01, budget=0):
    """Hoi et al. 2013, Algorithm 2, drawing with p and voting with weights q."""
    m = len(grams)
    w = [1.0] * m
    f = [[] for _ in range(m)]
    mistakes, counts, weights = [], [], []
    for t, i in enumerate(order):  # lines 2, 7
        q, p = selection(w, delta)  # line 3
        drawn = [float(uniforms[t][k]) < p[k] for k in range(m)]  # lines 4 to 6
        signs = [sign(score(grams[k], f[k], i, budget)) for k in range(m)]
        mistakes.append(sign(dot([q[k] * drawn[k] for k in range(m)], signs)) != labels[i])  # lines 8, 9
        for k in range(m):  # line 10
            if signs[k] != labels[i]:  # line 11
                w[k] *= beta  # line 12
                f[k].append((i, labels[i]))  # line 13
        weights.append(normalised(w))
        counts.append(sum(held(f[k], budget) for k in range(m) if drawn[k]))
    return {"mistakes": mistakes, "support_vectors": counts, "weights": weights, "updates": sizes(f)}


def omkc_sd(grams, labels, order, uniforms, beta=0.8, delta=0.01, budget=0):
    """Hoi et al. 2013, Algorithm 3."""
    m = len(grams)
    w = [1.0] * m
    f = [[] for _ in range(m)]
    mistakes, counts, weights = [], [], []
    for t, i in enumerate(order):  # lines 2, 4
        q, p = selection(w, delta)  # lines 3, 7
        signs = [sign(score(grams[k], f[k], i, budget)) for k in range(m)]
        mistakes.append(sign(dot(q, signs)) != labels[i])  # lines 5, 6
        for k in range(m):  # line 8
            if float(uniforms[t][k]) < p[k] and signs[k] != labels[i]:  # lines 9, 10
                w[k] *= beta  # line 11
                f[k].append((i, labels[i]))  # line 12
        weights.append(normalised(w))
        counts.append(sum(held(expansion, budget) for expansion in f))
    return {"mistakes": mistakes, "support_vectors": counts, "weights": weights, "updates": sizes(f)}


def omkc_ss(grams, labels, order, uniforms, beta=0.8, delta=0.01, budget=0):
    """Hoi et al. 2013, Algorithm 4."""
    m = len(grams)
    w = [1.0] * m
    f = [[] for _ in range(m)]
    mistakes, counts, weights = [], [], []
    for t, i in enumerate(order):  # lines 2, 8
        q, p = selection(w, delta)  # lines 3, 4
        drawn = [float(uniforms[t][k]) < p[k] for k in range(m)]  # lines 5 to 7
        signs = [sign(score(grams[k], f[k], i, budget)) for k in range(m)]
        mistakes.append(sign(dot([q[k] * drawn[k] for k in range(m)], signs)) != labels[i])  # lines 9, 10
        for k in range(m):  # line 11
            if drawn[k] and signs[k] != labels[i]:  # line 12
                w[k] *= beta  # line 13
                f[k].append((i, labels[i]))  # line 14
        weights.append(normalised(w))
        counts.append(sum(held(f[k], budget) for k in range(m) if drawn[k]))
    return {"mistakes": mistakes, "support_vectors": counts, "weights": weights, "updates": sizes(f)}


om1 = omkc_dd


def multinomial(p, uniform):
    total = 0.0
    for k, value in enumerate(p):
        total += value
        if uniform < total:
            return k
    return len(p) - 1


def value(gram, expansion, i):
    """f(x_i) of an expansion {support vector: coefficient}, in the order in which the support vectors came."""
    total = 0.0
    for s, coefficient in expansion.items():
        total += coefficient * float(gram[s][i])
    return total


def add(expansion, i, coefficient, budget):
    if budget and len(expansion) == budget and i not in expansion:
        del expansion[next(iter(expansion))]
    expansion[i] = expansion.get(i, 0.0) + coefficient


def selection_by_draws(grams, labels, order, uniforms, delta, select, update):
    """What OKS and SOM share; `update` changes the weight and the expansion of the drawn kernel."""
    m, stream = len(grams), iter([float(u) for row in uniforms for u in row])
    w, f, updates = [1.0] * m, [{} for _ in range(m)], [0] * m
    mistakes, scores, counts, weights = [], [], [], []
    for number, smoothing in enumerate(delta):
        for i in order:
            p = [(1 - smoothing) * q + smoothing / m for q in normalised(w)]
            k = multinomial(p, next(stream))
            scores.append(value(grams[k], f[k], i))
            mistakes.append(labels[i] * scores[-1] <= 0)
            updates[k] += update(number, k, i, scores[-1], p[k], w, f)
            weights.append(normalised(w))
            counts.append(sum(sizes(f)))
    q = normalised(w)
    selected = q.index(max(q)) if select == "largest" else multinomial(q, next(stream))
    return {
        "mistakes": mistakes,
        "support_vectors": counts,
        "weights": weights,
        "updates": updates,
        "scores": scores,
        "selected": selected,
        "expansion": f[selected],
    }


def etas(eta, delta, horizon, m, rounds, L):
    """That of Theorems 1 and 3 for each pass."""
    T = rounds * len(delta) if horizon == "all" else rounds
    return [eta or math.sqrt(2 * (1 - d) * math.log(m) / (m * T * L**2)) for d in delta]


def steps(step, delta, horizon, m, rounds, radius, G):
    """That of Theorem 1 for each pass, where ||f|| is the radius."""
    T = rounds * len(delta) if horizon == "all" else rounds
    return [step or math.sqrt(d * radius**2 / (m * T * G**2)) for d in delta]


def oks(
    grams, labels, order, uniforms, delta=(0.5, 0.2), eta=None, horizon="pass", step=1.0, select="largest", budget=0
):
    """Yang et al. 2012, Algorithm 2."""
    eta = etas(eta, delta, horizon, len(grams), len(order), 1.0)

    def update(number, k, i, f_x, p, w, f):
        z = float(labels[i] * f_x <= 0)  # line 6
        w[k] *= math.exp(-eta[number] * z / p)  # line 7
        if z:
            add(f[k], i, step * labels[i] / p, budget)  # line 8
        return int(z)

    return selection_by_draws(grams, labels, order, uniforms, delta, select, update)


def som(grams, labels, order, uniforms, beta=0.8, delta=(0.5, 0.2), step=1.0, select="largest", budget=0):
    """Jin et al. 2010, Algorithm 3."""

    def update(number, k, i, f_x, p, w, f):
        z = labels[i] * f_x <= 0
        if z:
            w[k] *= beta
            add(f[k], i, step * labels[i], budget)
        return int(z)

    return selection_by_draws(grams, labels, order, uniforms, delta, select, update)


LOSSES = {  # (value, derivative) by f(x) at a label y
    "hinge": lambda f, y: (max(0.0, 1 - y * f), -y if y * f < 1 else 0.0),
    "logistic": lambda f, y: (math.log(1 + math.exp(-y * f)), -y / (1 + math.exp(y * f))),
    "squared": lambda f, y: ((f - y) ** 2, 2 * (f - y)),
}


def oks_loss(
    grams,
    labels,
    order,
    uniforms,
    loss="hinge",
    radius=1.0,
    delta=(0.5, 0.2),
    eta=None,
    horizon="pass",
    step=None,
    select="largest",
    budget=0,
):
    """Yang et al. 2012, Algorithm 1, each f_k shrunk to ||f_k|| <= radius."""
    eta = etas(eta, delta, horizon, len(grams), len(order), LOSSES[loss](-radius, 1)[0])
    step = steps(step, delta, horizon, len(grams), len(order), radius, LOSSES[loss](-radius, 1)[1])

    def update(number, k, i, f_x, p, w, f):
        lost, gradient = LOSSES[loss](f_x, labels[i])
        w[k] *= math.exp(-eta[number] * lost / p)  # line 6
        if gradient == 0:
            return 0
        add(f[k], i, -step[number] * gradient / p, budget)  # line 7
        norm = math.sqrt(sum(a * b * float(grams[k][s][r]) for s, a in f[k].items() for r, b in f[k].items()))
        if norm > radius:
            for s in f[k]:
                f[k][s] *= radius / norm
        return 1

    return selection_by_draws(grams, labels, order, uniforms, delta, select, update)
