"""Snakemake's output as one progress bar: what is done, what failed, the time left; errors are shown above it.

`snakemake --logger grambench`, which `grambench run` calls. Snakemake finds plugins by the names of their packages,
and loads them whenever it starts, so that nothing is imported here that it does not need then.
"""

import logging
import signal
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from types import FrameType
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

# of profiles/slurm: files of ours are whole, and without accounting nothing depends on an account
NOISE = ("--keep-incomplete mode", "No SLURM account given", "Unable to guess SLURM account", "No account was given")
SECONDS = 1.0, 60.0  # between two drawings of the bar on a terminal, and of lines in a file


class LogHandler(LogHandlerBase):
    """Draws the bar."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = True  # all records are looked at, errors above all
    has_formatter = False
    needs_rulegraph = False

    def __post_init__(self) -> None:
        """Begin with nothing to do."""
        self.bar: Any = None
        self.outputs: dict[int, list[str]] = {}  # of jobs that run
        self.asked: dict[int, tuple[int, int]] = {}  # minutes and MB of each job
        self.failed = 0
        self.waits = False
        self.ended = threading.Event()
        self.interrupted = False
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, self._interrupt)

    def emit(self, record: logging.LogRecord) -> None:
        """Show what a record of Snakemake's log says."""
        values = record.__dict__
        match values.get("event"):
            case LogEvent.RUN_INFO if total := values["stats"].get("total"):
                self._begin(total)
            case LogEvent.JOB_INFO:
                self.outputs[values["jobid"]] = values["output"]
                resources = values.get("resources") or {}
                self.asked[values["jobid"]] = resources.get("runtime", 0), resources.get("mem_mb", 0)
            case LogEvent.JOB_FINISHED:
                self.failed += self._failed(self.outputs.pop(values["job_id"], []))
            case LogEvent.PROGRESS:
                self._begin(values["total"])
                self.bar.set_postfix_str(f"{self.failed} failed", refresh=False)
                self.bar.update(values["done"] - self.bar.n)
            case _ if record.getMessage().startswith(NOISE) or values.get("indent"):  # a member of a group
                pass
            case LogEvent.GROUP_ERROR if not self.interrupted:
                self._count(values["job_error_info"])
                self._write(self._lost_job(values["job_error_info"], values["aux_logs"]))
            case _ if record.getMessage().startswith("Trying to restart job"):
                self.failed -= 1
                self._write("It is tried again.")
            case _ if record.levelno >= logging.WARNING and not self.interrupted:
                self._write(self.format(record))
                if record.levelno >= logging.ERROR and len(self.outputs) > 1 and not self.waits:
                    self.waits = True  # for as long as the limit of a run, without another word of Snakemake
                    self._write("other steps are still running: waiting for them; Ctrl-C ends them")
                if values.get("event") == LogEvent.JOB_ERROR:
                    self._count([values])

    def close(self) -> None:
        """Leave the bar as it is."""
        self.ended.set()
        if self.bar is not None:
            self.bar.close()
        super().close()

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        """Note that steps end because they were told to, which is no error to show; what comes again is ignored."""
        if self.interrupted:
            return
        self.interrupted = True
        # nothing catches an interrupt while jobs are planned, and Python would print where it was
        raise KeyboardInterrupt if self.bar else SystemExit(128 + number)

    def _begin(self, total: int) -> None:
        from tqdm import tqdm

        if self.bar is None:
            between = SECONDS[not sys.stderr.isatty()]
            form = "{percentage:3.0f} % |{bar:30}| {n_fmt} of {total_fmt} steps{postfix}, {remaining} left"
            self.bar = tqdm(total=total, bar_format=form, mininterval=between, maxinterval=between, smoothing=0.05)
            threading.Thread(target=self._tick, args=(between,), daemon=True).start()
        self.bar.total = total

    def _tick(self, seconds: float) -> None:
        """Draw the time left while a long step says nothing."""
        while not self.ended.wait(seconds):
            self.bar.refresh()

    def _write(self, text: str) -> None:
        from grambench.common.errors import visible

        text = visible(text)
        if self.bar is None:
            print(text, file=sys.stderr)  # noqa: T201
        else:
            self.bar.write(text, file=sys.stderr)

    def _count(self, steps: Iterable[Mapping[str, Any]]) -> None:
        """Count a job that has failed, whose steps run no longer; one that is tried again is not counted."""
        self.failed += 1
        for step in steps:
            self.outputs.pop(step["jobid"], None)

    def _failed(self, outputs: list[str]) -> bool:
        """Return whether what a job has left says that it failed, which is no error to Snakemake."""
        from grambench.pipeline import status

        return any(status.output_status(path) not in ("", "ok") for path in outputs)

    def _lost_job(self, steps: Sequence[Mapping[str, Any]], logs: Sequence[str]) -> str:
        """Return the line on a job of a cluster that has failed."""
        from grambench.pipeline import cluster

        more = f", with {len(steps) - 1} more in it" * (len(steps) > 1)
        first = f"{steps[0]['rule_name']} {next(iter(steps[0]['output']), '')}"
        # members of a group follow each other
        minutes, megabytes = zip(*(self.asked.get(step["jobid"], (0, 0)) for step in steps), strict=True)
        ended = cluster.how_it_ended(logs) if logs else cluster.refused(sum(minutes), max(megabytes))
        return f"Error in a job of {first}{more}: {ended}"
