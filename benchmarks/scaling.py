"""How far the studies scale: their jobs, with measured costs, scheduled on 1 to 1024 cores. A simulation.

The jobs and what they wait for are those of the workflow. The cost of a job is what Snakemake measured (its
metadata), or the wall time in the record of a run plus what a job takes beside it; of a job that was not measured,
the mean of its like (Gram matrices by n^2). A run is a start and equal repeats, so that its cost is known for other
numbers of repeats; the start of a study's runs is taken to be that of its shortest one. A holdout run does its first
repeat twice. What reads the tidy tables is taken to grow with the number of repeats as well; parts of a nested study
are not repeats and stay. With --block, runs longer than so many seconds are split into blocks of whole repeats (or
parts), each with a start of its own; the workflow cannot do that. Without, the largest block that reaches the goals,
12-fold on 16 cores and 100-fold on 256, is looked for.

Ready jobs start in the order of the longest path behind them. Time that the scheduler itself needs, waiting for a
shared disk, and memory bandwidth are left out; a Gram job of two threads counts as twice its time on one core.
"""

import argparse
import base64
import heapq
import itertools
import json
import math
from collections import Counter, defaultdict
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple

import h5py

from grambench import layout
from grambench.config.load import read
from grambench.plan import Plan

ROOT = Path(__file__).parent.parent
CORES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
GOALS = {16: 12.0, 256: 100.0}
BLOCKS = (math.inf, 3600, 1800, 900, 600, 300, 180, 120, 60, 30, 20, 10)
TWO_THREADS = 5000  # examples, from which on a Gram job has two, see workflow/rules/grams.smk
READERS = ("collect", "reproduce", "claims", "table", "figure")  # of numbers of all repeats


class Job(NamedTuple):
    """What a job is, what it waits for, and what it stands for in averages."""

    rule: str
    needs: list
    like: tuple = ()
    size: float = 1.0
    threads: int = 1


def workflow(plan):
    """Return all jobs by their first output; the same edges as in workflow/rules."""
    jobs = {}
    for study, settings in plan.studies.items():
        for dataset in plan.datasets(study):
            raw, prepared, n = plan.raw(dataset), layout.PREPARED.format(dataset=dataset), plan.dataset(dataset).n
            jobs[raw] = Job("fetch", [])
            jobs[prepared] = Job("prepare", [raw])
            grams = plan.grams(study, dataset)
            if grams:
                inner = layout.INNER.format(dataset=dataset)
                jobs[inner] = Job("inner", [prepared], size=n**2)
                threads = 2 if n > TWO_THREADS else 1
                jobs |= {gram: Job("gram", [inner], size=n**2 / threads, threads=threads) for gram in grams}
            for task in plan.tasks(study, dataset):
                name = layout.RECORD.format(study=study, dataset=dataset, task=task)
                jobs[name] = Job("run", [prepared, *grams], (study, task))
        runs, reproduction, claims = (
            pattern.format(study=study) for pattern in (layout.RUNS, layout.REPRODUCTION, layout.CLAIMS)
        )
        jobs[runs] = Job("collect", plan.records(study), (study,))
        jobs[reproduction] = Job("reproduce", [runs, *plan.prepared(study)], (study,))
        jobs[claims] = Job("claims", [runs], (study,))
        for pattern, names, suffix in (
            (layout.TABLE, settings.tables, "csv"),
            (layout.FIGURE, settings.figures, "svg"),
        ):
            for each in names:
                name = pattern.format(study=study, table=each, figure=each, suffix=suffix)
                rule = "table" if pattern == layout.TABLE else "figure"
                jobs[name] = Job(rule, [runs, reproduction, *plan.prepared(study)], (study,))
    jobs[layout.REPORT] = Job("report", [name for name in jobs if jobs[name].rule != "fetch"])
    return jobs


def measured(folders):
    """Return seconds by output from Snakemake's metadata."""
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
            seconds[base64.b64decode(encoded).decode()] = note["endtime"] - note["starttime"]
    return seconds


def recorded(folders):
    """Return (wall seconds, points of a sweep, repeats) by record."""
    found = {}
    for folder in map(Path, folders):
        for path in (folder / "runs").rglob("[!.]*.h5"):
            try:
                with h5py.File(path, "r") as file:
                    if file.attrs["status"] == "ok":
                        wall = json.loads(file.attrs["provenance"])["wall_seconds"]
                        points, repeats = next(iter(file["metrics"].values())).shape[:2]
                        found[f"results/{path.relative_to(folder)}"] = wall, points, repeats
            except OSError:  # being written
                continue
    return found


class Costs:
    """Seconds of every job, at any number of repeats."""

    def __init__(self, plan, jobs, seconds, records):
        self.plan, self.jobs, self.records = plan, jobs, records
        beside = [seconds[name] - wall for name, (wall, *_) in records.items() if name in seconds]
        self.beside = max(median(beside), 0.0) if beside else 0.0
        self.start = {
            study: min((wall for name, (wall, *_) in records.items() if jobs[name].like[0] == study), default=1.0)
            for study in plan.studies
        }
        self.least = min((value for name, value in seconds.items() if name in jobs), default=0.3)
        known = {name: seconds[name] for name, job in jobs.items() if name in seconds and job.rule != "run"}
        self.each, self.estimated = {}, {}
        for name, job in jobs.items():
            if job.rule != "run":
                self.each[name] = job.threads * (known.get(name) or self._like(name, job, known))
        alike, whole = defaultdict(list), defaultdict(list)
        for name in set(records) & set(jobs):
            alike[jobs[name].like].append(self._repeat(name))
            whole[jobs[name].like[0]].append(self._repeat(name))
        everything = [value for values in whole.values() for value in values]
        self.repeat = {}
        for name, job in jobs.items():
            if job.rule == "run":
                if name not in records:
                    self.estimated[name] = job.rule
                likes = alike[job.like] or whole[job.like[0]] or everything
                self.repeat[name] = self._repeat(name) if name in records else mean(likes)

    def _like(self, name, job, known):
        self.estimated[name] = job.rule
        sizes = [(known[other], self.jobs[other].size) for other in known if self.jobs[other].rule == job.rule]
        return job.size * sum(cost for cost, _ in sizes) / sum(size for _, size in sizes) if sizes else self.least

    def _extra(self, name):
        """Return how many repeats a run does beside its own: a holdout run has the first one at one point twice."""
        holdout = self.plan.studies[self.jobs[name].like[0]].protocol.kind == "holdout"
        return holdout / (self.records[name][1] if name in self.records else 1)

    def _repeat(self, name):
        wall, _, repeats = self.records[name]
        return max(wall - self.start[self.jobs[name].like[0]], 0.0) / (repeats + self._extra(name))

    def mark(self, name):
        """Return the name of a job for people, after a ~ where its cost was not measured."""
        return "~" * (name.partition("#")[0] in self.estimated) + name.removeprefix("results/")

    def repeats(self, study, repeats):
        """Return the repeats of a study's runs where `repeats` are asked for: a nested one has its parts."""
        protocol = self.plan.studies[study].protocol
        return protocol.parts if protocol.kind == "nested" else repeats

    def of(self, name, repeats):
        """Return seconds of a run with so many repeats, or of another job of a study with so many."""
        job = self.jobs[name]
        if job.rule == "run":
            study = job.like[0]
            return self.beside + self.start[study] + (repeats + self._extra(name)) * self.repeat[name]
        if job.rule not in READERS:
            return self.each[name]
        protocol = self.plan.studies[job.like[0]].protocol
        more = 1.0 if protocol.kind == "nested" else repeats / protocol.repeats
        return self.least + max(self.each[name] - self.least, 0.0) * max(more, 1.0)


def split(costs, repeats, block):
    """Return needs and seconds of all jobs at a number of repeats, long runs in blocks."""
    needs, seconds, parts = {}, {}, {}
    for name, job in costs.jobs.items():
        if job.rule != "run":
            continue
        own = costs.repeats(job.like[0], repeats)
        count = 1
        while costs.of(name, math.ceil(own / count)) > block and count < own:
            count += 1
        parts[name] = [f"{name}#{b}" for b in range(count)] if count > 1 else [name]
        for b, part in enumerate(parts[name]):
            needs[part] = job.needs
            seconds[part] = costs.of(name, own * (b + 1) // count - own * b // count)
    for name, job in costs.jobs.items():
        if job.rule != "run":
            needs[name] = [part for each in job.needs for part in parts.get(each, [each])]
            seconds[name] = costs.of(name, repeats)
    return needs, seconds


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


def simulate(costs, repeats, block):
    """Return makespans by number of cores, the critical path as (job, seconds), and the seconds of all jobs."""
    needs, seconds = split(costs, repeats, block)
    needs = {name: list(dict.fromkeys(inputs)) for name, inputs in needs.items()}
    rank, following, after = ranks(needs, seconds)
    path, name = [], max(rank, key=rank.__getitem__)
    while name:
        path.append((name, seconds[name]))
        name = following[name]
    return {cores: makespan(needs, seconds, rank, after, cores) for cores in CORES}, path, seconds


def show(costs, repeats, block, serial):
    """Print one table; return whether the goals are reached."""
    times, path, seconds = simulate(costs, repeats, block)
    kind = f"runs split into blocks of at most {block:.0f} s" if block < math.inf else "runs whole"
    longest = heapq.nlargest(5, seconds, key=seconds.__getitem__)
    print(f"\n{repeats} repeats, {kind}: {len(seconds)} jobs, {sum(seconds.values()):.0f} s of work")
    print("longest jobs, s: " + ", ".join(f"{costs.mark(name)} {seconds[name]:.1f}" for name in longest))
    print(f"critical path {sum(cost for _, cost in path):.1f} s:")
    print("  " + " > ".join(f"{costs.mark(name)} {cost:.1f}" for name, cost in path))
    print(f"{'cores':>6} {'makespan s':>11} {'speed-up':>9} {'efficiency':>11}")
    for cores, time in times.items():
        print(f"{cores:6} {time:11.1f} {serial / time:9.1f} {serial / time / cores:11.2f}")
    return reached(times, serial)


def reached(times, serial):
    return all(serial / times[cores] >= goal for cores, goal in GOALS.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="*", help="all of config.yaml together where none is named")
    parser.add_argument("--results", nargs="+", default=[ROOT / "results"], help="results folders with records")
    parser.add_argument("--metadata", nargs="+", default=[ROOT / ".snakemake/metadata"], help="Snakemake's, with times")
    parser.add_argument("--repeats", nargs="+", type=int, default=[20, 200])
    parser.add_argument("--block", type=float, help="seconds from which on a run is split")
    arguments = parser.parse_args()
    settings = read(ROOT / "config/config.yaml")
    plan = Plan(settings | ({"studies": arguments.studies} if arguments.studies else {}), ROOT / "config")
    jobs = workflow(plan)
    records = {name: found for name, found in recorded(arguments.results).items() if name in jobs}
    if not records:
        raise SystemExit("no records: run the studies first, or name results folders after --results")
    costs = Costs(plan, jobs, measured(arguments.metadata), records)
    estimated = Counter(costs.estimated.values())
    total = Counter(job.rule for job in jobs.values())
    known = ", ".join(f"{count - estimated[rule]} of {count} {rule}" for rule, count in total.items())
    print(f"jobs with a cost of their own: {known} (~ marks the others)")
    for repeats in arguments.repeats:
        serial = sum(split(costs, repeats, math.inf)[1].values())
        done = show(costs, repeats, math.inf, serial)
        if arguments.block:
            show(costs, repeats, arguments.block, serial)
        elif not done:
            for block in BLOCKS[1:]:
                if reached(simulate(costs, repeats, block)[0], serial):
                    show(costs, repeats, block, serial)
                    break
            else:
                print(f"no block down to {BLOCKS[-1]} s reaches the goals; with the smallest:")
                show(costs, repeats, BLOCKS[-1], serial)


if __name__ == "__main__":
    main()
