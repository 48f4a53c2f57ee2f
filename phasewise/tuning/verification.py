"""Verifies the best candidates: simulates whole turns, or runs them on this machine.

For the latter this module is started under mpiexec, once for each candidate.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from phasewise.driver import Core, load_core
from phasewise.errors import PhasewiseError, RunError
from phasewise.machines import Machine
from phasewise.machines.targets import this_host
from phasewise.mpi.launch import OURS, launch_command, run_to_end, this_machine
from phasewise.mpi.ranks import together
from phasewise.output import message
from phasewise.runs.core_share import CoreShare, core_share_of, node_facts
from phasewise.runs.simulation import Simulation
from phasewise.scratch import temporary_folder
from phasewise.simulated.many import Report, Task, simulate_many
from phasewise.simulated.simulate import Request
from phasewise.study import Study
from phasewise.tuning.candidates import Candidate, sampled_steps

WORKERS = 2
WARM_UP, TIMED = 2, 5
"""Turns of a run on hardware that are not timed, and those that are."""


def simulation_task(
    study: Study, machine: Machine, ranks: int, candidate: Candidate, twin: str = "full"
) -> Task:
    """A simulation of one turn of `study` with `candidate`, without the messages' contents."""
    sampled = sampled_steps(study, ranks)
    steps = sampled[0] if sampled else 0
    request = Request(machine, ranks, twin, steps, skeleton=True)
    return Task(candidate.apply(study).with_count(1), request)


def simulated_seconds(
    tasks: Sequence[Task], cache: Path | None = None, progress: Report | None = None
) -> list[float]:
    """A whole turn of each task [s]; RunError as in `simulate_many`.

    cache: a folder that keeps what was simulated; None: a temporary one.
    """
    with temporary_folder("tune") as folder:
        found = simulate_many(tasks, cache or Path(folder), WORKERS, progress)
    return [float(summary["turn_seconds"]) for summary in found]


def why_not_here(machine: Machine, cores: int) -> str | None:
    """Why candidates with `cores` cores cannot be timed on this computer; None if they can."""
    measured, own = machine.measured, this_host()
    assert measured is not None
    if measured.host != own:
        return f"{machine.name} was measured on {measured.host or 'no known host'}, this is {own}"
    here = this_machine().cores
    if cores > here:
        return f"{cores} cores are asked for, and this computer has {here}"
    return None


@dataclass(frozen=True)
class TimedHere:
    """The median time [s] of a turn on this computer, and how much of a core the ranks had."""

    seconds: float
    core_share: CoreShare | None


def turn_seconds(study: Study, ranks: int, threads: int) -> float:
    """Median time [s] of a turn of `study` on this computer; RunError if the ranks fail."""
    return timed_here(study, ranks, threads).seconds


def timed_here(study: Study, ranks: int, threads: int) -> TimedHere:
    """Time turns of `study` on this computer; RunError if the ranks fail."""
    # In a batch allocation, all nodes see the folder in which this was started.
    shared = Path.cwd() if this_machine().allocated else None
    with temporary_folder("tune", where=shared) as folder:
        given, answer = Path(folder) / "study.json", Path(folder) / "seconds.json"
        given.write_text(json.dumps(study.resolved()), encoding="utf-8")
        program = [sys.executable, "-m", __name__, str(given), str(threads), str(answer)]
        command, environment = launch_command(program, ranks, threads, alone=True)
        status, sentence = run_to_end(command, environment, Path(folder))
        if status:
            raise RunError(f"a verifying run failed: {sentence or f'exit status {status}'}")
        if not answer.exists():
            raise RunError("a verifying run failed: it gave no times")
        found = json.loads(answer.read_text(encoding="utf-8"))
    share = core_share_of(found, found["rank"])
    return TimedHere(float(statistics.median(found["seconds"])), share)


def time_turns(core: Core, simulation: Simulation) -> list[float]:
    """Times [s] of TIMED turns, each of which all ranks begin and end together; collective."""
    seconds = []
    for _ in range(WARM_UP + TIMED):
        core.barrier()
        start = time.perf_counter()
        simulation.step()
        core.barrier()
        seconds.append(time.perf_counter() - start)
    return seconds[WARM_UP:]


def main(argv: Sequence[str]) -> int:
    """Run as one of the ranks: time the study in the first file, write the times into the last."""
    given, threads, answer = argv
    core = load_core()

    def here() -> int:
        tables = json.loads(Path(given).read_text(encoding="utf-8"))
        simulation = Simulation(Study.from_dict(tables), int(threads), core)
        seconds = time_turns(core, simulation)
        mine = simulation.processor.to_dict() | {"seconds": simulation.processor.seconds}
        ranks = [json.loads(part) for part in core.gather(json.dumps(mine).encode())]
        if core.rank() == 0:
            found = node_facts(int(threads)) | {"seconds": seconds, "rank": ranks}
            Path(answer).write_text(json.dumps(found), encoding="utf-8")
        core.barrier()
        return 0

    try:
        return together(core, here)
    except PhasewiseError as error:
        # With one rank the error is reported here; several ranks have reported it already.
        message(f"{OURS}{error}")
        return error.exit_status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
