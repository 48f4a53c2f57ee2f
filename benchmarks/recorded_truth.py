"""Programs recorded on one machine, predicted on others, and run there.

    .venv/bin/python -m benchmarks.recorded_truth --out DIR [--measured DIR]

On one computer with both libraries, Open MPI through shared memory, Open MPI through TCP, and MPICH
are three machines with the same processor. Each is measured (`phasewise machine measure`), unless
--measured names a folder that has its file from an earlier call. Three programs
(recorded/exchanges.c) are recorded on the first, predicted on each, and recorded there, which tells
how long they took. All that is repeated in turn, and the least times are compared.

On a virtual computer cores move between those of the host: a cache line then takes another time
from one to the other, and so do messages. All machines are measured, and all programs run, with the
cores as far from each other as at first; runs that meet another distance are repeated.

The exit status is 0 if all whole runs are predicted within 10 %, and communication within 20 %. Use
a quiet computer.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phasewise.driver import load_planner
from phasewise.errors import PhasewiseError, RunError
from phasewise.machines import load_machine
from phasewise.machines.core_distance import PATIENCE, CoreWatch, core_distances, together
from phasewise.models import predict
from phasewise.models.model import Case
from phasewise.options import count
from phasewise.output import message, print_table
from phasewise.study import load
from phasewise.traces.records import read_communication

SOURCE = Path(__file__).parent / "recorded" / "exchanges.c"
PROGRAMS = {
    "stencil": ("stencil", "65536", "1500"),
    "transform": ("transform", "16384", "4000"),
    "solver": ("solver", "4096", "20000"),
}
WHOLE, COMMUNICATION = 0.10, 0.20
"""Errors that are accepted."""
TRIES = 3
"""How often a machine is measured, at most, until the cores were in their place."""


@dataclass(frozen=True)
class Library:
    """A library with the variables that make it a machine. core: which core is measured on it."""

    name: str
    kind: str
    core: str
    variables: Mapping[str, str]

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, **self.variables, "PHASEWISE_CORE": self.core}


MPICH_DRIVER = Path(__file__).parents[1] / "build/mpich/phasewise-driver"
OVER_TCP = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_osc": "pt2pt,sm"}
"""Open MPI 4.1 has one-sided messages over TCP by these components alone."""
SPINNING = {"OMPI_MCA_mpi_yield_when_idle": "0"}
"""Ranks that have a core each keep it while they wait, as they do while machines are measured."""

MACHINES = (
    Library("shared-memory", "openmpi", "mpi", SPINNING),
    Library("tcp", "openmpi", "mpi", {"OMPI_MCA_btl": "self,tcp", **OVER_TCP, **SPINNING}),
    Library("mpich", "mpich", "mpich", {"PHASEWISE_DRIVER": str(MPICH_DRIVER)}),
)


@dataclass(frozen=True)
class Told:
    """Seconds of a run and, of the mean rank, of its communication."""

    whole: float
    communication: float


def measured(machine: Library, folder: Path, ranks: int, watch: CoreWatch) -> Path:
    """The file of a machine, measured if it is not there, with the cores in their place."""
    path = folder / f"{machine.name}.toml"
    given = path.exists()
    for _ in range(1 if given else TRIES):
        if not given:
            message(f"measuring {machine.name}")
            watch.wait(time.monotonic() + PATIENCE)
            words = ["machine", "measure", "--ranks", str(ranks), "--limit", "5", "-o", str(path)]
            _call(machine, [sys.executable, "-m", "phasewise", *words])
        cores = _cores_of(path)
        watch.first = watch.first or cores
        if together(watch.first, cores):
            return path
    raise RunError(
        f"{path} was measured with the cores {1e9 * cores[0]:.0f} ns from each other, and those "
        f"before it with {1e9 * watch.first[0]:.0f} ns: remove the one that is in the wrong place"
    )


def _now() -> tuple[float, ...]:
    """The longest distance of cores at present, as a machine's file has it; empty if unknown."""
    found = core_distances(load_planner())
    return (max(found),) if found else ()


def _cores_of(path: Path) -> tuple[float, ...]:
    """The longest distance of cores when the machine of this file was measured."""
    found = load_machine(str(path)).measured
    return (found.core_seconds,) if found is not None and found.core_seconds else ()


def recorded(
    machine: Library, name: str, folder: Path, number: int, ranks: int, watch: CoreWatch
) -> Path:
    """The folder of one of a program's records on a machine, made with the cores in their place."""
    program = folder / f"exchanges.{machine.kind}"
    if not program.exists():
        _call(machine, [f"mpicc.{machine.kind}", "-O2", str(SOURCE), "-o", str(program)])
    out = folder / f"{name}-{machine.name}-{number}"
    launch = [f"mpiexec.{machine.kind}", "-n", str(ranks), str(program), *PROGRAMS[name]]
    recording = [sys.executable, "-m", "phasewise", "record", "--quiet", "--out", str(out)]

    def record(_: float) -> None:
        shutil.rmtree(out, ignore_errors=True)
        _call(machine, [*recording, "--", *launch])

    watch.steady(record, PATIENCE)
    return out


def _call(machine: Library, command: Sequence[str]) -> None:
    done = subprocess.run(command, env=machine.environment, capture_output=True, text=True)
    if done.returncode:
        raise RunError(f"{' '.join(command)} failed: {(done.stdout + done.stderr)[-300:]}")


def took(folder: Path) -> Told:
    """What a record says of its own run."""
    record = read_communication(folder)
    within = sum(float(phase.communicating.mean()) for phase in record.phases)
    return Told(record.seconds, within)


def foreseen(folder: Path, machine: Path, model: str) -> Told:
    """What a model says of a recorded program on a machine with the same processor."""
    study = load(str(folder), [], count=1)
    found = predict(Case(study, load_machine(str(machine)), study.model.ranks), model)
    return Told(found.turn_seconds, found.communication_seconds)


def least(several: Sequence[Told]) -> Told:
    """The least of several runs, or of their predictions: what disturbs them only adds to them."""
    return Told(min(one.whole for one in several), min(one.communication for one in several))


def points(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Each program on each machine: seconds that were predicted and that it took."""
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    watch = CoreWatch(_now)
    where = Path(options.measured or out)
    files = [measured(one, where, options.ranks, watch) for one in MACHINES]
    found = []
    for name in PROGRAMS:
        # Machines take turns, so that a disturbance does not meet one of them alone.
        turns = [
            [recorded(machine, name, out, number, options.ranks, watch) for machine in MACHINES]
            for number in range(options.repeat)
        ]
        for k, machine in enumerate(MACHINES):
            there = least([took(folders[k]) for folders in turns])
            here = least([foreseen(folders[0], files[k], options.model) for folders in turns])
            point: dict[str, Any] = {"program": name, "machine": machine.name}
            for quantity in ("whole", "communication"):
                one, other = getattr(here, quantity), getattr(there, quantity)
                point |= {quantity: [one, other], f"{quantity}_error": one / other - 1}
            found.append(point)
    if watch.sentence:
        message(watch.sentence)
    return found


def main(words: Sequence[str]) -> int:
    """Measure, record, predict and compare; return the exit status."""
    parser = argparse.ArgumentParser(description="Recorded programs, predicted and run elsewhere.")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder of the records")
    parser.add_argument("--measured", metavar="DIR", help="where the machines' files are")
    parser.add_argument("--ranks", type=count, default=2, metavar="N")
    parser.add_argument("--repeat", type=count, default=5, metavar="N", help="records of each")
    parser.add_argument("--model", default="contention", metavar="NAME")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(words)
    try:
        found = points(options)
    except PhasewiseError as error:
        message(f"phasewise: {error}")
        return error.exit_status
    if options.json:
        print(json.dumps(found))
    else:
        rows = [
            [one["program"], one["machine"]]
            + [
                text
                for quantity in ("whole", "communication")
                for text in (
                    *(f"{1e3 * seconds:.0f}" for seconds in one[quantity]),
                    f"{100 * one[f'{quantity}_error']:+.1f} %",
                )
            ]
            for one in found
        ]
        heads = ["run [ms]: predicted", "took", "error"]
        heads += ["communication: predicted", "took", "error"]
        print_table(f"Recorded on {MACHINES[0].name}", ["program", "on", *heads], rows)
    accepted = (("whole", WHOLE), ("communication", COMMUNICATION))
    return int(any(abs(one[f"{name}_error"]) > most for one in found for name, most in accepted))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
