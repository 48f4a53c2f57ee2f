"""Replays of recorded programs by model `contention` beside those by the simulator SMPI.

    scripts/packages.sh programs
    .venv/bin/python -m benchmarks.recorded_replays --records DIR --cache DIR --workers 2

records those of the programs below that are installed and not in --records yet, replays them on
machines of the source paper, on newer ones and on drawn ones (benchmarks/machine_generator.py), and
shows how far the model is off. --keep writes the residuals.json of the workload `recorded`, from
which the predictions of recorded programs get their intervals. The reference is a simulator, not
hardware.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.machine_generator import machine_of
from benchmarks.ping_pong import HPCC_INPUT
from benchmarks.residuals import keep_residuals
from benchmarks.unknown_machines import DESCRIBED, JudgedPoint, Point, by_kind, judge, simulated
from benchmarks.unknown_machines import show as show_kinds
from phasewise.errors import PhasewiseError, RunError, StudyError
from phasewise.machines import Machine, load_machine
from phasewise.machines.topology import check_size
from phasewise.models.interval import COMMUNICATION, TURN
from phasewise.models.judged import residuals
from phasewise.options import count
from phasewise.output import message, print_table
from phasewise.study import load

MELT = Path("/usr/share/lammps/examples/melt/in.melt")
RODS = Path("/usr/share/doc/mpb/examples/sq-rods.ctl")
MUMPS = Path("/usr/lib/mumps")
LU = Path(f"/usr/lib/{platform.machine()}-linux-gnu/scalapack/mpich-tests/xdlu")


@dataclass(frozen=True)
class Program:
    """A program to record. words: after the launcher; given: its standard input, if it has one;
    file: what must be there; inputs: the texts of its files; library: the one it is linked to.
    """

    name: str
    ranks: tuple[int, ...]
    words: tuple[str, ...]
    file: Path
    given: Path | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    library: str = "openmpi"

    @property
    def launcher(self) -> str:
        """The command that starts its ranks."""
        return f"mpiexec.{self.library}"

    @property
    def here(self) -> bool:
        """Whether it can be started."""
        return self.file.exists() and shutil.which(self.launcher) is not None


LU_INPUT = """'ScaLAPACK, LU'
'200 x 200 on a grid of 1 x 2'
'LU.out'
6 device
1 size
200
200
1 NB
16
1 NRHS
3
1 NBRHS
3
1 grid
1
2
1.0 threshold
T
"""
PROGRAMS = (
    Program("lammps", (2, 3, 4, 8), ("lmp", "-in", str(MELT)), MELT),
    Program(
        "mumps",
        (2, 4),
        (str(MUMPS / "dsimpletest"),),
        MUMPS / "dsimpletest",
        given=MUMPS / "input_simpletest_real",
    ),
    Program("mpb", (2, 4), ("mpb-mpi", "num-bands=4", "resolution=16", str(RODS)), RODS),
    Program("hpcc", (4,), ("hpcc",), Path("/usr/bin/hpcc"), inputs={"hpccinf.txt": HPCC_INPUT}),
    Program("xdlu", (2,), (str(LU),), LU, inputs={"LU.dat": LU_INPUT}, library="mpich"),
)
ENOUGH = 120
"""Seconds after which a program is ended."""
CROWDED = {
    **os.environ,
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}
"""There may be more ranks than cores."""
NEWER = ("modern", "frontier")
"""Machines beside those of the source paper."""


def record(program: Program, ranks: int, folder: Path) -> None:
    """Record a program; RunError, with the end of what it said, if it failed. Debian's xdlu does
    not end in one run of four, recorded or not.
    """
    work = folder.with_name(f"{folder.name}.work")
    work.mkdir(parents=True, exist_ok=True)
    recording = (sys.executable, "-m", "phasewise", "record", "--out", str(folder.absolute()))
    launch = ("timeout", str(ENOUGH), program.launcher, "-n", str(ranks))
    command = [*recording, "--", *launch, *program.words]
    for name, text in program.inputs.items():
        (work / name).write_text(text, encoding="ascii")
    given = program.given.read_bytes() if program.given else b""
    done = subprocess.run(command, cwd=work, env=CROWDED, input=given, capture_output=True)
    if done.returncode:
        shutil.rmtree(folder, ignore_errors=True)
        said = (done.stdout + done.stderr).decode(errors="replace")[-300:]
        raise RunError(f"{program.name} on {ranks} ranks failed: {said}")


def recorded(folder: Path) -> Iterator[Path]:
    """The folders of the records; those that are missing are made if their programs are here."""
    for program in PROGRAMS:
        if not program.here:
            message(f"{program.name} is not installed: left out")
            continue
        for ranks in program.ranks:
            own = folder / f"{program.name}-{ranks}"
            if not own.exists():
                message(f"recording {program.name} on {ranks} ranks")
                record(program, ranks, own)
            yield own


def points_of(folders: Sequence[Path], drawn: int) -> Iterator[Point]:
    """Each record on each machine that has so many ranks."""
    machines: list[tuple[int, Machine]] = [(number, machine_of(number)) for number in range(drawn)]
    machines += [(drawn, load_machine(name)) for name in (*DESCRIBED, *NEWER)]
    for number, machine in machines:
        for folder in folders:
            study = load(str(folder), [], count=1)
            ranks = study.model.ranks
            with suppress(StudyError):
                check_size(machine, ranks)
                yield Point(number, machine, study, ranks)


def _key(point: Point) -> str:
    """The key of the residuals: newer machines have their own, as those of the source paper do."""
    machine = point.machine
    return f"{machine.network.kind}|{machine.name}" if machine.name in NEWER else point.key


def show(judged: Sequence[JudgedPoint]) -> None:
    """Print how far each program's replays are off."""
    rows = []
    for title in dict.fromkeys(one.sample.study.title for one in judged):
        own = [one for one in judged if one.sample.study.title == title]
        rows.append([title, str(len(own))])
        for quantity in (COMMUNICATION, TURN):
            errors = [abs(one.residual(quantity)) for one in own]
            rows[-1] += [f"{100 * sum(errors) / len(errors):.2f} %", f"{100 * max(errors):.2f} %"]
    heads = ["record", "machines", "communication: mean", "worst", "run: mean", "worst"]
    print_table("Errors of contention; the reference is a simulator", heads, rows)


def main(words: Sequence[str]) -> int:
    """Record, replay and judge; return the exit status."""
    options = parse(words)
    cache = Path(options.cache)
    cache.mkdir(parents=True, exist_ok=True)
    try:
        points = list(points_of(list(recorded(Path(options.records))), options.drawn))
        judged = judge(points, simulated(points, cache, options.workers))
        if options.keep and points:
            workload = points[0].study.workload
            keep_residuals(workload, residuals(judged, lambda one: _key(one.sample)))
    except PhasewiseError as error:
        message(f"phasewise: {error}")
        return error.exit_status
    show([one for one in judged if one.model == "contention"])
    show_kinds(by_kind(judged), "recorded programs")
    return 0


def parse(words: Sequence[str]) -> argparse.Namespace:
    """The options of this script."""
    parser = argparse.ArgumentParser(description="Replays of recorded programs.")
    parser.add_argument("--records", required=True, metavar="DIR", help="where records are kept")
    parser.add_argument("--cache", required=True, metavar="DIR", help="where simulations are kept")
    parser.add_argument("--drawn", type=count, default=20, metavar="N", help="machines drawn")
    parser.add_argument("--workers", type=count, default=2, metavar="W", help="processes")
    parser.add_argument("--keep", action="store_true", help="write residuals.json")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
