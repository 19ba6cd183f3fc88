"""Naive references: each algorithm in lists and dicts, in the order of its pseudo-code; imports nothing from src.

Every function takes (grams, labels, order, uniforms, **parameters) and returns a dictionary with the mistakes of each
round (list of bool), the number of support vectors after each round (list of int), the normalised weights after each
round (list of lists) and the number of updates of each kernel (list of int). `uniforms` are the random numbers in
the order in which the compiled algorithm draws them, one row a round. sign(0) is +1 throughout, as the published
numbers need it.
"""


def sign(value):
    return 1 if value >= 0 else -1


def score(gram, expansion, i):
    """f(x_i) = sum over the support vectors s of y_s k(x_s, x_i), in the order in which they were added."""
    total = 0.0
    for s, y in expansion:
        total += y * float(gram[s][i])
    return total


def normalised(weights):
    total = sum(weights)
    return [w / total for w in weights]


def perceptron(grams, labels, order, uniforms, kernel=0):
    expansion, mistakes, counts = [], [], []
    for i in order:
        wrong = sign(score(grams[kernel], expansion, i)) != labels[i]
        if wrong:
            expansion.append((i, labels[i]))
        mistakes.append(wrong)
        counts.append(len(expansion))
    one_hot = [float(k == kernel) for k in range(len(grams))]
    updates = [len(expansion) if k == kernel else 0 for k in range(len(grams))]
    return {"mistakes": mistakes, "support_vectors": counts, "weights": [one_hot] * len(order), "updates": updates}


def perceptron_u(grams, labels, order, uniforms):
    m, n = len(grams), len(labels)
    mean = [[sum(float(gram[i][j]) for gram in grams) / m for j in range(n)] for i in range(n)]
    result = perceptron([mean], labels, order, uniforms)
    uniform = [1.0 / m] * m
    return result | {"weights": [uniform] * len(order), "updates": result["updates"] * m}


def perceptron_star(grams, labels, order, uniforms, validation=0.1):
    tenth = max(1, int(validation * len(order) + 0.5))
    trials = [sum(perceptron(grams, labels, order[:tenth], uniforms, k)["mistakes"]) for k in range(len(grams))]
    return perceptron(grams, labels, order, uniforms, trials.index(min(trials)))


def omkc_dd(grams, labels, order, uniforms, beta=0.8):
    """Hoi et al. 2013, Algorithm 1."""
    m = len(grams)
    w = [1.0 / m] * m  # line 2
    f = [[] for _ in range(m)]
    mistakes, counts, weights = [], [], []
    for i in order:  # lines 3, 4
        signs = [sign(score(grams[k], f[k], i)) for k in range(m)]
        theta = normalised(w)  # line 12 of the round before
        mistakes.append(sign(sum(theta[k] * signs[k] for k in range(m))) != labels[i])  # lines 5, 6
        for k in range(m):  # line 7
            if signs[k] != labels[i]:  # line 8
                w[k] *= beta  # line 9
                f[k].append((i, labels[i]))  # line 10
        weights.append(normalised(w))
        counts.append(sum(len(expansion) for expansion in f))
    return {"mistakes": mistakes, "support_vectors": counts, "weights": weights, "updates": [len(e) for e in f]}


def omkc_ds(grams, labels, order, uniforms, beta=0.8):
    """Hoi et al. 2013, Algorithm 2."""
    m = len(grams)
    w = [1.0] * m
    f = [[] for _ in range(m)]
    mistakes, counts, weights = [], [], []

    def draw(t):  # lines 3 to 6
        return [float(uniforms[t][k]) < w[k] / max(w) for k in range(m)]

    drawn = draw(0)
    for t, i in enumerate(order):  # lines 2, 7
        signs = [sign(score(grams[k], f[k], i)) for k in range(m)]
        mistakes.append(sign(sum(signs[k] for k in range(m) if drawn[k])) != labels[i])  # lines 8, 9
        for k in range(m):  # line 10
            if signs[k] != labels[i]:  # line 11
                w[k] *= beta  # line 12
                f[k].append((i, labels[i]))  # line 13
        weights.append(normalised(w))
        drawn = draw(t + 1)
        counts.append(sum(len(f[k]) for k in range(m) if drawn[k]))
    return {"mistakes": mistakes, "support_vectors": counts, "weights": weights, "updates": [len(e) for e in f]}


def omkc_sd(grams, labels, order, uniforms, beta=0.8, delta=0.01):
    """Hoi et al. 2013, Algorithm 3."""
    m = len(grams)
    w = [1.0] * m
    f = [[] for _ in range(m)]
    mistakes, counts, weights = [], [], []
    for t, i in enumerate(order):  # lines 2, 4
        q = [w[k] / max(w) for k in range(m)]  # line 3
        signs = [sign(score(grams[k], f[k], i)) for k in range(m)]
        mistakes.append(sign(sum(q[k] * signs[k] for k in range(m))) != labels[i])  # lines 5, 6
        p = [(1.0 - delta) * q[k] + delta / m for k in range(m)]  # line 7
        for k in range(m):  # line 8
            if float(uniforms[t][k]) < p[k] and signs[k] != labels[i]:  # lines 9, 10
                w[k] *= beta  # line 11
                f[k].append((i, labels[i]))  # line 12
        weights.append(normalised(w))
        counts.append(sum(len(expansion) for expansion in f))
    return {"mistakes": mistakes, "support_vectors": counts, "weights": weights, "updates": [len(e) for e in f]}


def omkc_ss(grams, labels, order, uniforms, beta=0.8, delta=0.01):
    """Hoi et al. 2013, Algorithm 4."""
    m = len(grams)
    w = [1.0] * m
    f = [[] for _ in range(m)]
    mistakes, counts, weights = [], [], []

    def draw(t):  # lines 3 to 7
        q = [w[k] / max(w) for k in range(m)]
        p = [(1.0 - delta) * q[k] + delta / m for k in range(m)]
        return q, [float(uniforms[t][k]) < p[k] for k in range(m)]

    q, drawn = draw(0)
    for t, i in enumerate(order):  # lines 2, 8
        signs = [sign(score(grams[k], f[k], i)) for k in range(m)]
        mistakes.append(sign(sum(q[k] * signs[k] for k in range(m) if drawn[k])) != labels[i])  # lines 9, 10
        for k in range(m):  # line 11
            if drawn[k] and signs[k] != labels[i]:  # line 12
                w[k] *= beta  # line 13
                f[k].append((i, labels[i]))  # line 14
        weights.append(normalised(w))
        q, drawn = draw(t + 1)
        counts.append(sum(len(f[k]) for k in range(m) if drawn[k]))
    return {"mistakes": mistakes, "support_vectors": counts, "weights": weights, "updates": [len(e) for e in f]}
