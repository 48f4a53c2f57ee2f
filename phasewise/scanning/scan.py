"""A scan from its definition to its table and pictures: from the command line or from Python."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from phasewise.driver import launched_size
from phasewise.errors import StoppedError, StudyError
from phasewise.mpi.progress import Progress, Silent
from phasewise.mpi.signals import Interrupts
from phasewise.output import message
from phasewise.runs.folder import default_name
from phasewise.scanning.axes import axis_of
from phasewise.scanning.definition import Definition, Point, Samples
from phasewise.scanning.folder import (
    COMPLETE,
    FAILED,
    UNFINISHED,
    WAITING,
    ScanFolder,
    State,
)
from phasewise.scanning.results import ScanResults, scan_point
from phasewise.scanning.running import Ended, Job, run_points
from phasewise.scanning.shown import orders
from phasewise.scanning.summing_up import sum_up
from phasewise.scanning.table import check_parquet, write_tables
from phasewise.study import Study, load
from phasewise.study.study import CPU

DEVICE = "run.device"
TABLE_SECONDS = 60.0
"""Least time between tables that are written while points run."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """How a scan is worked on, and what is made of its results."""

    out: Path
    jobs: int = 0
    """Points that run at a time; 0: as many as there are cores for."""
    ranks: int = 1
    threads: int = 1
    """Threads of each rank."""
    batch: int = 1
    """Points that one process runs together, which share launches of kernels on a device."""
    part: tuple[int, int] = (1, 1)
    """(I, N): this is the I-th of N processes that share the scan, and runs every N-th point."""
    plot: tuple[str, ...] = ()
    """Results that are shown; empty: those that the workload chooses."""
    converge: tuple[str, ...] = ()
    """Keys to extrapolate in, as KEY or KEY:ORDER; empty: those that the workload knows."""
    parquet: bool = False
    source: tuple[Path, tuple[str, ...]] | None = None
    """The study's file and its overrides, for a study whose paths are relative to it."""

    def points_at_a_time(self) -> int:
        """How many points or batches run at a time: as many as asked for, or as many as there are
        cores for their ranks and threads. By default batches, which share a device, run one after
        another.
        """
        if self.batch > 1:
            return self.jobs or 1
        cores = len(os.sched_getaffinity(0))
        return self.jobs or max(1, cores // (self.ranks * self.threads))


def scan(
    study: Study | str | Path,
    over: Mapping[str, Any] | None = None,
    *,
    seeds: int | None = None,
    random: int = 0,
    sobol: int = 0,
    sample_seed: int = 1,
    jobs: int = 0,
    ranks: int = 1,
    threads: int = 1,
    batch: int = 1,
    out: str | Path | None = None,
    plot: Sequence[str] = (),
    converge: Sequence[str] = (),
    yes: bool = False,
) -> ScanResults:
    """Run `study`, or the study of a file, at all combinations of values, and return the results.

    Args:
        study: The study, or its file; paths in the study are relative to the file.
        over: Keys with their values: several in a list or array, or a text as after
            ``--over KEY=``, such as "0.3:0.32:21".
        seeds: How many seeds each point is run with.
        random: Number of random samples of the ranges "LOW:HIGH" among the values.
        sobol: Number of samples of a scrambled Sobol sequence, instead of random ones.
        sample_seed: Seed of the samples.
        jobs: Points that run at a time; 0: as many as there are cores for.
        ranks: MPI ranks of each point.
        threads: Threads of each rank.
        batch: Points that one process runs together, sharing launches on a device.
        out: The scan's folder, ``scans/<study>`` by default where the study is a file. Points that
            are complete in it are not run again.
        plot: Results to show, instead of the workload's own choice.
        converge: KEY or KEY:ORDER to extrapolate in; by default the keys that the workload knows.
        yes: Run more than 1000 points.

    Raises:
        StudyError: There is no such scan.
        RunError: The scan was stopped. Points that fail do not stop it, and are marked as failed.
    """
    source = None
    if not isinstance(study, Study):
        source = (Path(study), ())
        out, study = out or default_folder(Path(study)), load(study)
    if out is None:
        raise StudyError("scan needs the folder of the scan: give out, or the path of the study")
    axes = tuple(axis_of(str(key), values) for key, values in (over or {}).items())
    samples = samples_of(random, sobol, sample_seed)
    definition = Definition(as_given(study), axes, samples, seeds)
    definition.check_count(yes)
    request = Request(
        out=Path(out),
        jobs=jobs,
        ranks=ranks,
        threads=threads,
        batch=batch,
        plot=tuple(plot),
        converge=tuple(converge),
        source=source,
    )
    return run_scan(definition, request)


def default_folder(study: Path) -> Path:
    """The folder of a scan of a study's file."""
    return Path("scans") / default_name(study)


def samples_of(random: int, sobol: int, seed: int) -> Samples | None:
    """The samples that --random or --sobol asks for."""
    if random and sobol:
        raise StudyError("--random and --sobol are given; give one of them")
    if not random and not sobol:
        return None
    return Samples("random", random, seed) if random else Samples("sobol", sobol, seed)


def as_given(study: Study) -> Study:
    """The study with its count as one of the given tables, so that these tables make the same
    study.
    """
    tables = {**study.given, study.workload.unit.many: study.count}
    again = Study.from_dict(tables, study.folder)
    if again != study:
        raise StudyError("the study was changed after it was read; set its keys when it is read")
    return again


def run_scan(
    definition: Definition, request: Request, progress: Progress | None = None
) -> ScanResults:
    """Run the points of a scan that are not complete, and write its table and pictures."""
    _check(definition, request)
    folder = ScanFolder(request.out)
    refused = _refused(definition, request.ranks)
    folder.prepare(definition, request.part)
    if refused:
        share = f"{len(refused)} of {definition.count} points cannot be run"
        message(f"warning: {share}: {_first(definition, refused)}")
    with Interrupts() as interrupts:
        try:
            work = _Work(definition, request, folder, refused, progress or Silent())
            whole = run_points(
                work.todo, work.jobs, work.prepare, work.ended, interrupts, request.batch
            )
            results = work.results()
        finally:
            (progress or Silent()).close()
            folder.release()
    if not whole:
        left = sum(point.status != COMPLETE for point in results.points)
        raise StoppedError(
            f"stopped by a signal with {len(results.points) - left} of {len(results.points)} "
            "points complete; go on with the same command"
        )
    return sum_up(results, list(request.plot), list(request.converge))


def _check(definition: Definition, request: Request) -> None:
    """StudyError, before a point runs, if anything in a request cannot be done."""
    orders(definition, list(request.converge))
    for name, least in {"jobs": 0, "ranks": 1, "threads": 1, "batch": 1}.items():
        if getattr(request, name) < least:
            raise StudyError(f"{name} = {getattr(request, name)} must be at least {least}")
    if request.batch > 1 and request.ranks > 1:
        raise StudyError(
            f"batch = {request.batch} is for points of one rank each; leave it or ranks = "
            f"{request.ranks} out"
        )
    if request.batch > 1 and not _may_have_device(definition):
        raise StudyError(
            f"batch = {request.batch} is for points that share a device, and run.device = "
            f'"{CPU}": give a device, or leave batch out, so that points run at once on the cores '
            "(jobs)"
        )
    if request.parquet:
        check_parquet()
    if launched_size() > 1:
        raise StudyError(
            "a scan starts processes of its own: run it without mpiexec, and divide it between "
            "the jobs of a batch array by --part I/N"
        )


def _may_have_device(definition: Definition) -> bool:
    return DEVICE in definition.keys or definition.study.running.device != CPU


def _refused(definition: Definition, ranks: int) -> dict[int, str]:
    """The points whose study cannot be run on this number of ranks, by number, with the reason.

    StudyError if no point can be run, as with a misspelt key.
    """
    found = {}
    for point in definition.points:
        try:
            definition.study_of(point).check_ranks(ranks)
        except StudyError as error:
            found[point.number] = str(error)
    if len(found) == definition.count:
        raise StudyError(f"no point of the scan can be run: {_first(definition, found)}")
    return found


def _first(definition: Definition, refused: Mapping[int, str]) -> str:
    number = min(refused)
    return f"{definition.points[number - 1].name}: {refused[number]}"


class _Work:
    """The work on the points of this part."""

    def __init__(
        self,
        definition: Definition,
        request: Request,
        folder: ScanFolder,
        refused: Mapping[int, str],
        progress: Progress,
    ) -> None:
        self._definition, self._request, self._folder = definition, request, folder
        self._refused, self._progress = refused, progress
        self._failed = dict(refused)
        self._told_of_cpu = request.batch == 1
        self._base = self._study_file()
        place, parts = request.part
        mine = [p for p in definition.points if p.number % parts == place % parts]
        self.todo = [
            point
            for point in mine
            if point.number not in refused and folder.state(point).status != COMPLETE
        ]
        self.jobs = request.points_at_a_time()
        self._mine, self._done = len(mine), len(mine) - len(self.todo)
        self._written = time.monotonic()
        progress.update(self._done, self._mine, "")

    def _study_file(self) -> tuple[Path, tuple[str, ...]]:
        """The file that points are run from, and its overrides."""
        if self._folder.holds_study(self._definition.study):
            return self._folder.study, ()
        if self._request.source is None:
            raise StudyError(
                "the study has paths relative to its folder: give scan the path of its file"
            )
        path, overrides = self._request.source
        return path, overrides

    def prepare(self, point: Point) -> Job:
        """Make the job of a point, just before it starts."""
        self._failed.pop(point.number, None)
        path, overrides = self._base
        resume = self._folder.ready(point)
        own = (*overrides, *point.overrides)
        folder, asked = self._folder.run_folder(point), self._request
        return Job(point, path, own, folder, resume, asked.ranks, asked.threads)

    def ended(self, ended: Ended) -> None:
        """Keep how a point ended, and show it."""
        if ended.why:
            self._failed[ended.point.number] = ended.why
            self._folder.fail(ended.point, ended.why, ended.resumed)
            message(f"warning: point {ended.point.number} ({ended.point.name}): {ended.why}")
        self._tell_of_cpu(ended.point)
        self._done += not ended.stopped
        self._progress.update(self._done, self._mine, ended.point.name)
        if time.monotonic() - self._written >= TABLE_SECONDS:
            self.results()
            self._written = time.monotonic()

    def _tell_of_cpu(self, point: Point) -> None:
        """Say once that a batch found no device, on which its points would share launches."""
        if self._told_of_cpu or self._folder.device(point) != CPU:
            return
        self._told_of_cpu = True
        message(
            f"warning: point {point.number} ran on the CPU, where the points of a batch run one "
            "after another: leave batch out, so that points run at once on the cores (jobs)"
        )

    def results(self) -> ScanResults:
        """Write the table of all points as they are now, those of other parts included, and return
        them.
        """
        state = partial(_state, self._folder, self._failed)
        points = tuple(
            scan_point(point, self._folder.run_folder(point), state(point))
            for point in self._definition.points
        )
        table = write_tables(self._folder.path, points, self._request.parquet)
        return ScanResults(self._definition, self._folder.path, points, table)


def _state(folder: ScanFolder, failed: Mapping[int, str], point: Point) -> State:
    """How far a point is; one that failed here counts as failed even if the disk could not keep
    that.
    """
    state = folder.state(point)
    if state.status in (WAITING, UNFINISHED, FAILED) and point.number in failed:
        return State(FAILED, failed[point.number])
    return state
