"""The few best candidates run: their messages simulated, or whole turns on this machine.

The latter starts this module under mpiexec, once for each candidate.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from phasewise.driver import Core, load_core
from phasewise.errors import RunError
from phasewise.launch import (
    find_mpiexec,
    mpiexec_options,
    passed_on,
    rank_variables,
    this_machine,
    without_mpi,
)
from phasewise.machines import Machine
from phasewise.ranks import together
from phasewise.simulate import Request
from phasewise.simulations import Report, Task, simulate_many
from phasewise.study import Study
from phasewise.tuning.candidates import Candidate

SAMPLED_FROM = 64
"""Ranks from which on some of a turn's steps stand for all."""
SAMPLED_STEPS = 4
WORKERS = 2
WARM_UP, TIMED = 2, 5
"""Turns of a run on hardware: not counted, and counted."""


def simulation_task(
    study: Study, machine: Machine, ranks: int, candidate: Candidate, twin: str = "full"
) -> Task:
    """The messages of one turn of `study`, exchanged as `candidate` says; no work is charged."""
    steps = SAMPLED_STEPS if ranks >= SAMPLED_FROM and study.has_field else 0
    request = Request(machine, ranks, twin, steps, skeleton=True, computation=False)
    return Task(replace(candidate.apply(study), turns=1), request)


def simulated_seconds(
    tasks: Sequence[Task], cache: Path | None = None, progress: Report | None = None
) -> list[float]:
    """Communication of a turn [s], mean of the ranks, of each task; RunError as simulate_many.

    cache: a folder that keeps what was simulated; None: one that goes away.
    """
    with TemporaryDirectory(prefix="phasewise-tune-") as folder:
        found = simulate_many(tasks, cache or Path(folder), WORKERS, progress)
    return [float(summary["communication_seconds"]) for summary in found]


def is_hardware(machine: Machine) -> bool:
    """Whether a machine's file was measured on hardware."""
    return machine.measured is not None and machine.measured.reference == "hardware"


def why_not_here(machine: Machine, cores: int) -> str | None:
    """Why candidates that take so many cores cannot be timed on this computer; None: they can."""
    measured, own = machine.measured, this_host()
    assert measured is not None
    if measured.host != own:
        return f"{machine.name} was measured on {measured.host or 'no known host'}, this is {own}"
    here = this_machine().cores
    if cores > here:
        return f"{cores} cores are asked for, and this computer has {here}"
    return None


def this_host() -> str:
    """This computer's name, as a measured machine's file has it."""
    return platform.node().partition(".")[0] or "this-machine"


def turn_seconds(study: Study, ranks: int, threads: int) -> float:
    """Median time [s] of a turn of `study` on this computer; RunError where the ranks fail."""
    path, open_mpi = find_mpiexec()
    machine = this_machine()
    variables = rank_variables(machine, ranks, threads)
    launcher = [path, *mpiexec_options(machine, ranks, threads, open_mpi)]
    if open_mpi:
        launcher += passed_on(variables, os.environ)
    with TemporaryDirectory(prefix="phasewise-tune-") as folder:
        given, answer = Path(folder) / "study.json", Path(folder) / "seconds.json"
        given.write_text(json.dumps(study.resolved()), encoding="utf-8")
        command = [*launcher, sys.executable, "-m", __name__, str(given), str(threads), str(answer)]
        done = subprocess.run(
            command,
            env=without_mpi(os.environ) | variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode or not answer.exists():
            words = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
            own = [line for line in words if line.startswith("phasewise: ")] or words[-1:]
            raise RunError(f"a verifying run failed: {own[0].removeprefix('phasewise: ')}")
        return float(statistics.median(json.loads(answer.read_text(encoding="utf-8"))))


def time_turns(core: Core, study: Study, threads: int) -> list[float]:
    """Times [s] of TIMED turns, each of which all ranks begin and end together; collective."""
    simulation = core.Simulation(study.parameters(), threads)
    seconds = []
    for _ in range(WARM_UP + TIMED):
        core.barrier()
        start = time.perf_counter()
        simulation.step()
        core.barrier()
        seconds.append(time.perf_counter() - start)
    return seconds[WARM_UP:]


def main(words: Sequence[str]) -> int:
    """As one of the ranks: time the study in the first file, write the times into the last."""
    given, threads, answer = words
    core = load_core()

    def here() -> int:
        tables = json.loads(Path(given).read_text(encoding="utf-8"))
        seconds = time_turns(core, Study.from_dict(tables), int(threads))
        if core.rank() == 0:
            Path(answer).write_text(json.dumps(seconds), encoding="utf-8")
        core.barrier()
        return 0

    return together(core, here)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
