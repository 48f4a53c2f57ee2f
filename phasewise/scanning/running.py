"""Runs points as processes of their own, several at a time, until all are done."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from phasewise.errors import PhasewiseError
from phasewise.mpi.children import child
from phasewise.mpi.launch import OURS, SHARED, without_mpi
from phasewise.mpi.signals import Interrupts
from phasewise.scanning.definition import Point

POLL_SECONDS = 0.02
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
SIGNALS = {9: "it was killed, perhaps for want of memory", 11: "it met a segmentation fault"}
"""What the signals that may end a run mean."""


@dataclass(frozen=True)
class Job:
    """A point and the run that it needs: the study's file, overrides, and its folder."""

    point: Point
    study: Path
    overrides: tuple[str, ...]
    folder: Path
    resume: bool
    ranks: int = 1
    threads: int = 1

    @property
    def command(self) -> list[str]:
        """The command line of the run."""
        words = [sys.executable, "-m", "phasewise", "run", str(self.study)]
        for override in self.overrides:
            words += ["--set", override]
        words += ["--out", str(self.folder), "--quiet", "--threads", str(self.threads)]
        if self.ranks > 1:
            words += ["--ranks", str(self.ranks)]
        return [*words, "--resume"] if self.resume else words

    def to_dict(self) -> dict[str, Any]:
        """The job as `phasewise.scanning.batch` reads it."""
        return {
            "number": self.point.number,
            "study": str(self.study),
            "overrides": list(self.overrides),
            "folder": str(self.folder),
            "resume": self.resume,
            "threads": self.threads,
        }


@dataclass(frozen=True)
class Ended:
    """How the run of a point ended. why: why it failed, empty if it did not."""

    point: Point
    why: str
    resumed: bool
    stopped: bool
    """Whether it was asked to stop, so that it can go on."""


Prepare = Callable[[Point], Job]
Report = Callable[[Ended], None]


class _Running:
    """A process at work on one point, or on a batch of them."""

    def __init__(self, jobs: Sequence[Job], stack: ExitStack) -> None:
        self._jobs = jobs
        self._stack = stack
        self._words: IO[bytes] = stack.enter_context(TemporaryFile())  # noqa: SIM115
        self._told: IO[bytes] = stack.enter_context(TemporaryFile())  # noqa: SIM115
        command, given = jobs[0].command, subprocess.DEVNULL
        if len(jobs) > 1:
            command, given = (
                [sys.executable, "-m", "phasewise.scanning.batch"],
                _listed(jobs, stack),
            )
        self.process: subprocess.Popen[bytes] = stack.enter_context(
            child(
                command,
                own_cores(os.environ),
                stdin=given,
                stdout=self._told,
                stderr=self._words,
            )
        )

    def ended(self, asked: bool) -> list[Ended]:
        """How each point ended; asked: the process was asked to stop."""
        status = self.process.wait()
        self._words.seek(0)
        self._told.seek(0)
        why = _reason(status, self._words.read().decode(errors="replace")) if status else ""
        stopped = asked and status != 0
        told = _told(self._told) if len(self._jobs) > 1 else {}
        self._stack.close()
        own = ("" if stopped else why, stopped)
        return [
            Ended(job.point, why, job.resume, stopped)
            for job in self._jobs
            for why, stopped in [told.get(job.point.number, own)]
        ]


def _listed(jobs: Sequence[Job], stack: ExitStack) -> int:
    """A file, open for reading, with the jobs of a batch."""
    file = stack.enter_context(TemporaryFile())  # noqa: SIM115
    file.write(json.dumps([job.to_dict() for job in jobs]).encode())
    file.seek(0)
    return file.fileno()


def _told(lines: IO[bytes]) -> dict[int, tuple[str, bool]]:
    """What a batch told of its points: why each failed, and whether it was stopped. Other lines,
    which libraries print, are passed over.
    """
    found = {}
    for line in lines:
        with suppress(ValueError, KeyError, TypeError):
            one = json.loads(line)
            found[int(one["number"])] = (str(one["why"]), bool(one["stopped"]))
    return found


def own_cores(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of a run that keeps to its own cores, whatever started this process:
    libraries start no threads beside those of the run.
    """
    return without_mpi(environment) | dict.fromkeys(ONE_THREAD, "1") | {SHARED: "1"}


def run_points(
    points: Iterable[Point],
    jobs: int,
    prepare: Prepare,
    report: Report,
    interrupts: Interrupts,
    batch: int = 1,
) -> bool:
    """Run `points`, `batch` of them in a process, in `jobs` processes at a time; False if a signal
    asked to stop before the end.

    prepare: makes the job of a point just before it starts; if it raises, the point has failed.
    report: called when a point has ended. Runs that are asked to stop end their turn and write a
    checkpoint; if this process dies, the system asks them.
    """
    waiting, running = deque(points), list[_Running]()
    with ExitStack() as everything:
        try:
            asked = False
            while waiting or running:
                if interrupts.requested and not asked:
                    asked = True
                    waiting.clear()
                    _terminate(running)
                while waiting and len(running) < jobs:
                    some = [waiting.popleft() for _ in range(min(batch, len(waiting)))]
                    _begin(some, prepare, report, running, everything)
                done = [one for one in running if one.process.poll() is not None]
                for one in done:
                    running.remove(one)
                    for ended in one.ended(asked):
                        report(ended)
                if not done:
                    time.sleep(POLL_SECONDS)
        except BaseException:
            _terminate(running)  # all at once, rather than one after another
            raise
    return not asked


def _begin(
    points: Iterable[Point],
    prepare: Prepare,
    report: Report,
    running: list[_Running],
    everything: ExitStack,
) -> None:
    jobs = []
    for point in points:
        try:
            jobs.append(prepare(point))
        except PhasewiseError as error:
            report(Ended(point, str(error), False, False))
    if jobs:
        stack = ExitStack()
        everything.push(stack)
        running.append(_Running(jobs, stack))


def _terminate(running: Iterable[_Running]) -> None:
    for one in running:
        one.process.terminate()


def _reason(status: int, said: str) -> str:
    """Why a run failed: its own sentence, or else its last line, or how it ended."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    own = [line.removeprefix(OURS) for line in lines if line.startswith(OURS)]
    if own:
        return own[-1]
    if status < 0:
        return SIGNALS.get(-status, f"it was ended by signal {-status}")
    return lines[-1][:200] if lines else f"it ended with status {status}"
