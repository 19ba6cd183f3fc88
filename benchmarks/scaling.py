"""How far the studies scale: their jobs, with measured costs, scheduled on 1 to 1024 cores. A simulation.

The jobs and what they wait for are those of the workflow, with long runs split into blocks of repetitions as it does.
The cost of a job is what Snakemake measured (its metadata), or the wall time in the record of a run plus what a job
takes beside it; of a job that was not measured, the mean of its like (Gram matrices by n^2). A run is a start and equal
repetitions, so that its cost is known for other numbers of repetitions and for its blocks; the start of a study's runs
is taken to be that of its shortest one. What reads the tidy tables is taken to grow with the number of repetitions as
well; outer folds of nested cross-validation stay. Speed-up is that over one core that does no run in blocks.

Ready jobs start in the order of the longest path behind them. Time that the scheduler itself needs, waiting for a
shared disk, and memory bandwidth are left out; a Gram job of two threads counts as twice its time on one core.
"""

import argparse
import base64
import heapq
import itertools
import json
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple

import h5py

from grambench.common import layout
from grambench.common.layout import Cell
from grambench.config.load import read
from grambench.config.protocols import NestedCV
from grambench.pipeline.plan import Plan

ROOT = Path(__file__).parent.parent
CORES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
GOALS = {16: 12.0, 256: 100.0}
WHOLE = 1e9  # seconds of a block, of which no run has more than one
TWO_THREADS = 5000  # examples, from which on a Gram job has two, see workflow/rules/grams.smk
READERS = ("collect", "reproduce", "claims", "table", "figure")  # of numbers of all repetitions


class Job(NamedTuple):
    """What a job is, what it waits for, the cell and number of repetitions of a run, and its size."""

    rule: str
    needs: list
    run: tuple = ()
    repetitions: int = 0
    size: float = 1.0
    threads: int = 1


def plan_of(settings, repetitions=None, block=None):
    """Return the plan of a project, at another number of repetitions or another limit of blocks."""
    limits = settings.get("limits", {}) | ({"block_seconds": block} if block else {})
    plan = Plan(settings | {"limits": limits}, ROOT / "config")
    for name, study in plan.studies.items():
        if repetitions and not isinstance(study.protocol, NestedCV):
            protocol = replace(study.protocol, repetitions=repetitions)
            plan.studies[name] = study.model_copy(update={"protocol": protocol})
    return plan


def workflow(plan):
    """Return all jobs by their first output; the same edges as in workflow/rules."""
    jobs = {}
    for study, settings in plan.studies.items():
        for dataset in plan.targets.datasets(study):
            raw, prepared, n = (
                plan.targets.raw(dataset),
                layout.PREPARED.format(dataset=dataset),
                plan.targets.dataset(dataset).n,
            )
            jobs[raw] = Job("fetch", [])
            jobs[prepared] = Job("prepare", [raw])
            grams = plan.targets.grams(study, dataset)
            if grams:
                inner = layout.INNER.format(dataset=dataset)
                jobs[inner] = Job("inner", [prepared], size=n**2)
                threads = 2 if n > TWO_THREADS else 1
                jobs |= {gram: Job("gram", [inner], size=n**2 / threads, threads=threads) for gram in grams}
            for run in (cell for cell in plan.targets.cells(study) if cell.dataset == dataset):
                blocks = {block.path(layout.BLOCK): block.block for block in plan.resources.blocks(run)}
                if not blocks:
                    jobs[run.path()] = Job("run", [prepared, *grams], run, settings.protocol.repetitions)
                    continue
                for block, (first, last) in blocks.items():
                    jobs[block] = Job("run", [prepared, *grams], run, last - first + 1)
                jobs[run.path()] = Job("join", list(blocks))
        runs, reproduction, claims = (
            pattern.format(study=study) for pattern in (layout.RUNS, layout.REPRODUCTION, layout.CLAIMS)
        )
        jobs[runs] = Job("collect", plan.targets.records(study), (study,))
        jobs[reproduction] = Job("reproduce", [runs, *plan.targets.prepared(study)], (study,))
        jobs[claims] = Job("claims", [runs], (study,))
        for pattern, names, suffix in (
            (layout.TABLE, settings.tables, "csv"),
            (layout.FIGURE, settings.figures, "svg"),
        ):
            for each in names:
                name = pattern.format(study=study, table=each, figure=each, suffix=suffix)
                rule = "table" if pattern == layout.TABLE else "figure"
                jobs[name] = Job(rule, [runs, reproduction, *plan.targets.prepared(study)], (study,))
    jobs[layout.REPORT] = Job("report", [name for name in jobs if jobs[name].rule != "fetch"])
    return jobs


def measured(folders):
    """Return seconds by rule and output from Snakemake's metadata."""
    seconds = {}
    for path in itertools.chain.from_iterable(Path(folder).rglob("*") for folder in folders):
        if not path.is_file():
            continue
        try:
            note = json.loads(path.read_text())
        except ValueError:  # being written
            continue
        if note.get("starttime") and note.get("endtime"):
            encoded = "".join(part.removeprefix("@") for part in path.parts[path.parts.index("metadata") + 1 :])
            seconds[note["rule"], base64.b64decode(encoded).decode()] = note["endtime"] - note["starttime"]
    return seconds


def recorded(folders):
    """Return (wall seconds, points of a sweep, repetitions, blocks) by run."""
    found = {}
    for folder in map(Path, folders):
        for path in (folder / "runs").rglob("[!.]*.h5"):
            try:
                with h5py.File(path, "r") as file:
                    if file.attrs["status"] == "ok":
                        provenance = json.loads(file.attrs["provenance"])
                        shape = next(iter(file["metrics"].values())).shape[:2]
                        cell = Cell.parse(path.relative_to(folder / "runs").with_suffix("").as_posix())
                        blocks = provenance.get("blocks", 1)
                        found[cell] = provenance["wall_seconds"], *shape, blocks
            except OSError:  # being written
                continue
    return found


def per_repetition(record, start):
    """Return the seconds of a repetition; each block has a start of its own."""
    wall, _, repetitions, blocks = record
    return max(wall - blocks * start, 0.0) / repetitions


class Costs:
    """Seconds of every job, at any number of repetitions."""

    def __init__(self, plan, seconds, records):
        self.plan, self.records, self.seconds = plan, records, seconds
        names = {run: ("run", run.path()) for run in records}
        beside = [seconds[names[run]] - records[run][0] for run in records if names[run] in seconds]
        self.beside = max(median(beside), 0.0) if beside else 0.0
        self.start = {
            study: min((wall for run, (wall, *_) in records.items() if run.study == study), default=1.0)
            for study in plan.studies
        }
        self.least = min(seconds.values(), default=0.3)
        self.alike, self.whole = defaultdict(list), defaultdict(list)
        for run in records:
            self.alike[run.study, run.task].append(self._repeat(run))
            self.whole[run.study].append(self._repeat(run))
        self.known = defaultdict(list)  # (seconds, size) by rule
        for name, job in workflow(plan).items():
            if (job.rule, name) in seconds and job.rule != "run":
                self.known[job.rule].append((seconds[job.rule, name], job.size))

    def _repeat(self, run):
        return per_repetition(self.records[run], self.start[run.study])

    def has(self, name, job):
        """Whether the cost of a job was measured."""
        return job.run in self.records if job.rule == "run" else (job.rule, name) in self.seconds

    def of(self, name, job, plan):
        """Return the seconds of a job of a plan."""
        if job.rule == "run":
            run = job.run
            everything = [value for values in self.whole.values() for value in values]
            known = run in self.records
            likes = [self._repeat(run)] if known else self.alike[run.study, run.task]
            likes = likes or self.whole[run.study] or everything
            return self.beside + self.start[run.study] + job.repetitions * mean(likes)
        sizes = self.known[job.rule]
        like = job.size * sum(cost for cost, _ in sizes) / sum(size for _, size in sizes) if sizes else self.least
        cost = job.threads * self.seconds.get((job.rule, name), like)
        if job.rule not in READERS:
            return cost
        more = plan.studies[job.run[0]].protocol.repetitions / self.plan.studies[job.run[0]].protocol.repetitions
        return self.least + max(cost - self.least, 0.0) * max(more, 1.0)


def ranks(needs, seconds):
    """Return the seconds from the start of each job to the end of all, on any number of cores, and what comes next."""
    after = defaultdict(list)
    for name, inputs in needs.items():
        for each in inputs:
            after[each].append(name)
    rank, following = {}, {}
    waiting = {name: len(after[name]) for name in needs}
    free = [name for name, count in waiting.items() if not count]
    while free:
        name = free.pop()
        following[name] = max(after[name], key=rank.__getitem__, default=None)
        rank[name] = seconds[name] + (rank[following[name]] if following[name] else 0.0)
        for each in needs[name]:
            waiting[each] -= 1
            if not waiting[each]:
                free.append(each)
    return rank, following, after


def makespan(needs, seconds, rank, after, cores):
    """Return the time at which all is done: whenever a core is free, the ready job with the highest rank starts."""
    waiting = {name: len(set(inputs)) for name, inputs in needs.items()}
    ready = [(-rank[name], name) for name, count in waiting.items() if not count]
    heapq.heapify(ready)
    running, now = [], 0.0
    while ready or running:
        while ready and len(running) < cores:
            _, name = heapq.heappop(ready)
            heapq.heappush(running, (now + seconds[name], name))
        now, done = heapq.heappop(running)
        for name in set(after[done]):
            waiting[name] -= 1
            if not waiting[name]:
                heapq.heappush(ready, (-rank[name], name))
    return now


def simulate(costs, plan):
    """Return the seconds of all jobs, the critical path of (job, seconds), and makespans by number of cores."""
    jobs = workflow(plan)
    seconds = {name: costs.of(name, job, plan) for name, job in jobs.items()}
    needs = {name: list(dict.fromkeys(job.needs)) for name, job in jobs.items()}
    rank, following, after = ranks(needs, seconds)
    path, name = [], max(rank, key=rank.__getitem__)
    while name:
        path.append((name, seconds[name]))
        name = following[name]
    return seconds, path, {cores: makespan(needs, seconds, rank, after, cores) for cores in CORES}


def show(costs, settings, repetitions):
    """Print the table of one number of repetitions, runs whole and in blocks."""
    _, _, whole = simulate(costs, plan_of(settings, repetitions, WHOLE))
    plan = plan_of(settings, repetitions)
    seconds, path, times = simulate(costs, plan)
    jobs = workflow(plan)
    serial = whole[1]

    def mark(name):
        return "~" * (not costs.has(name, jobs[name])) + name.removeprefix("results/").removesuffix(".h5")

    longest = heapq.nlargest(5, seconds, key=seconds.__getitem__)
    print(
        f"\n{repetitions} repetitions: {len(jobs)} jobs, {sum(seconds.values()):.0f} s of work "
        f"({serial:.0f} s without blocks)"
    )
    print("longest jobs, s: " + ", ".join(f"{mark(name)} {seconds[name]:.1f}" for name in longest))
    print(f"critical path {sum(cost for _, cost in path):.1f} s:")
    print("  " + " > ".join(f"{mark(name)} {cost:.1f}" for name, cost in path))
    print(f"{'':6} {'runs whole':>21}   {'in blocks, as the workflow has them':>35}")
    print(f"{'cores':>6} {'makespan s':>11} {'speed-up':>9}   {'makespan s':>11} {'speed-up':>9} {'efficiency':>13}")
    for cores, time in times.items():
        goal = f"  goal {GOALS[cores]:g}: {'yes' if serial / time >= GOALS[cores] else 'NO'}" if cores in GOALS else ""
        before = f"{whole[cores]:11.1f} {serial / whole[cores]:9.1f}"
        print(f"{cores:6} {before}   {time:11.1f} {serial / time:9.1f} {serial / time / cores:13.2f}{goal}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="*", help="all of config.yaml together where none is named")
    parser.add_argument("--results", nargs="+", default=[ROOT / "results"], help="results folders with records")
    parser.add_argument("--metadata", nargs="+", default=[ROOT / ".snakemake/metadata"], help="Snakemake's, with times")
    parser.add_argument("--repetitions", nargs="+", type=int, default=[20, 200])
    arguments = parser.parse_args()
    settings = read(ROOT / "config/config.yaml")
    settings |= {"studies": arguments.studies} if arguments.studies else {}
    plan = plan_of(settings)
    runs = set(plan.targets.cells())
    records = {run: found for run, found in recorded(arguments.results).items() if run in runs}
    if not records:
        raise SystemExit("no records: run the studies first, or name results folders after --results")
    jobs = workflow(plan)
    costs = Costs(plan, measured(arguments.metadata), records)
    total = Counter(job.rule for job in jobs.values())
    own = Counter(job.rule for name, job in jobs.items() if costs.has(name, job))
    known = ", ".join(f"{own[rule]} of {count} {rule}" for rule, count in total.items())
    print(f"jobs with a cost of their own: {known} (~ marks the others)")
    for repetitions in arguments.repetitions:
        show(costs, settings, repetitions)


if __name__ == "__main__":
    main()
