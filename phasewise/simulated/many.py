"""Many simulated runs in parallel processes, with a cache so that none is run twice."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache as once
from pathlib import Path
from typing import Any

from phasewise.errors import RunError, StudyError
from phasewise.machines import make_twin
from phasewise.machines.smpirun import simulated_tree
from phasewise.output import number_of
from phasewise.runs.disk import disk_reason
from phasewise.runs.kept import keep, read_kept
from phasewise.scratch import temporary_folder
from phasewise.simulated.simulate import Request, simulate
from phasewise.simulated.workers import in_workers
from phasewise.study import Study

Summary = dict[str, Any]
Report = Callable[[int, int], None]
"""It is called with the number of simulations that are done and the number of all."""


@dataclass(frozen=True)
class Task:
    """A study, and how it is simulated."""

    study: Study
    request: Request

    @property
    def name(self) -> str:
        """The task in words: machine, ranks, process grid, layout, algorithms."""
        own, request = self.study.communication, self.request
        chosen = ", ".join(f"{key} {value}" for key, value in own.algorithms().items())
        return (
            f"{self.study.title} on {request.machine.name}, {number_of(request.ranks, 'rank')}, "
            f"process grid {own.grid_text}, {own.layout_text}, {chosen}"
        )


def simulate_many(
    tasks: Sequence[Task], cache: Path, workers: int = 2, progress: Report | None = None
) -> list[Summary]:
    """The summaries of `tasks`, in their order, as `simulate` gives them.

    cache: a folder with one JSON file per simulation, created if it does not exist; simulations
    that it holds are not run again. A file is named by a hash of everything that the result depends
    on: study, request, twin, driver and SimGrid. workers: how many processes run at the same time.
    RunError, or StudyError, names the task that failed; results that were complete by then are
    kept.
    """
    _make_folder(cache)
    keys = [key_of(task) for task in tasks]
    found = {key: _kept(cache, key) for key in keys}
    missing = {key: task for key, task in zip(keys, tasks, strict=True) if found[key] is None}
    done = len(found) - len(missing)
    report = progress or _silent
    report(done, len(found))
    for key, summary in in_workers(_run, missing, workers, lambda task: task.name):
        found[key] = summary
        _keep(cache, key, summary)
        done += 1
        report(done, len(found))
    return [summary for summary in (found[key] for key in keys) if summary is not None]


def key_of(task: Task) -> str:
    """A hash that names the result of `task` with this driver and this SimGrid."""
    return _hash([input_key(task), simulator()])


def input_key(task: Task) -> str:
    """A hash of all that the result of `task` depends on beside the driver and SimGrid."""
    study, request = task.study, task.request
    twin = make_twin(request.machine, request.twin, request.ranks)
    content: list[object] = [
        study.parameters(),
        study.communication.layout_text,
        study.communication.algorithms(),
        (request.machine.name, request.machine.node_ranks, request.machine.processor),
        (request.ranks, request.twin, request.steps, request.events),
        (request.skeleton, request.computation, *(["ideal"] if request.ideal else [])),
        (twin.platform, twin.hosts, twin.options),
    ]
    # These count only where there are any, so that other simulations are found under their old
    # keys.
    slow = sorted(request.slow.items())
    overhead = request.machine.of_program(study.in_threads).overhead
    content += [one for one in (request.machine.vector, overhead, slow) if one]
    return _hash(content)


def _hash(content: object) -> str:
    return hashlib.sha256(repr(content).encode()).hexdigest()[:32]


@once
def simulator() -> tuple[str, ...]:
    """Hashes of the driver, the platform and smpirun, which holds SimGrid's version."""
    smpirun = shutil.which("smpirun")
    files = [*simulated_tree(), *([Path(smpirun)] if smpirun else [])]
    return tuple(hashlib.sha256(file.read_bytes()).hexdigest() for file in files)


def _run(task: Task) -> Summary:
    try:
        with temporary_folder() as folder:
            return simulate(task.study, task.request, Path(folder))[0]
    except StudyError as error:
        raise StudyError(f"{task.name}: {error}") from None
    except (RunError, OSError) as error:
        raise RunError(f"{task.name}: {error}") from None


def _make_folder(cache: Path) -> None:
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(
            f"the folder {cache} cannot be used for simulations ({disk_reason(error)})"
        ) from error


def _kept(cache: Path, key: str) -> Summary | None:
    """The summary in the cache; None if it is missing or cannot be read."""
    try:
        found = read_kept(cache / f"{key}.json")
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and "communication_seconds" in found else None


def _keep(cache: Path, key: str, summary: Summary) -> None:
    try:
        keep(cache / f"{key}.json", summary)
    except OSError as error:
        raise RunError(f"{cache / key}.json cannot be written ({disk_reason(error)})") from error


def _silent(done: int, every: int) -> None:
    """Reports nothing."""
