"""Fixtures for `make test-slurm`: a real SLURM of four nodes on this machine, and copies of the repository on it."""

import shutil
import tempfile
import time
from pathlib import Path

import cluster as private
import pytest
from copies import NEW, ONLINE, Copy
from harness import OnCluster

STORM, CALM = ("crashed", "requeued", "late", "hoard"), ("slow", "quick", "hidden")
# each leaves the job's id behind, so that a test knows which job to do harm to; fit is called several times a run
BODY = """import os, pathlib, time
    with pathlib.Path('results/{name}.jobs').open('a') as jobs:
        first = jobs.tell() == 0
        jobs.write(os.environ['SLURM_JOB_ID'] + ' ' + str(os.getpid()) + '\\n')
    {rest}"""
REST = {
    "hoard": "hoard = np.ones(173_000_000); time.sleep(3)",  # 1320 MiB, more than it may at first beside the rest
    "slow": "while not pathlib.Path('results/go').exists(): time.sleep(0.1)",  # however long Snakemake takes to start
    "quick": "",
    "hidden": "",
}


def pytest_addoption(parser):
    parser.addoption("--study", default="tests/slurm/small.yaml", help="what to run on one machine and on the cluster")


@pytest.fixture(scope="session")
def cluster():
    if lacking := private.missing():
        pytest.skip(f"SLURM is not installed, lacking {', '.join(lacking)}; try: {private.INSTALL}")
    folder = Path(tempfile.mkdtemp(prefix="gb-slurm-"))  # short: the path of a socket has 108 bytes
    made = private.Cluster(folder)
    try:
        start = time.monotonic()
        made.start()
        print(f"\nstart of the cluster: {time.monotonic() - start:.1f} s")
        yield made
    finally:
        made.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def faulty(tmp_path_factory, cluster):
    """Make copies whose study is full of algorithms to which something happens, with data and Gram matrices made."""

    def made(names):
        alone = {"experts": None, "published": None, "sweeps": {}}
        algorithms = {name: {"title": name} for name in names}
        copy = Copy(tmp_path_factory.mktemp(names[0]), datasets=["sonar"], algorithms=algorithms, **alone)
        for name in names:
            rest = REST.get(name, "if first: time.sleep(900)")
            (copy.folder / ONLINE / f"{name}.py").write_text(NEW.format(body=BODY.format(name=name, rest=rest)))
        kernels = ("polynomial_p1", "gaussian_sigma0.5", "gaussian_sigma8")
        copy.snakemake(*(f"results/grams/sonar/{kernel}.h5" for kernel in kernels))
        return OnCluster(copy.folder, cluster)

    return made
