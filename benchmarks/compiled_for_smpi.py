"""Replays of records by SMPI beside the same programs compiled for SMPI.

    .venv/bin/python -m benchmarks.compiled_for_smpi --out DIR

The programs of recorded/exchanges.c are recorded, and compiled a second time by SimGrid's smpicc.
Both are simulated on machines of the source paper and on `modern`, without computing. The exit
status is 0 if the times differ by at most 0.5 %.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from phasewise.errors import PhasewiseError, RunError
from phasewise.machines import load_machine, make_twin
from phasewise.machines.smpirun import PLATFORM_VARIABLE, simulated_tree
from phasewise.machines.twin import Twin
from phasewise.options import count
from phasewise.output import message, print_table
from phasewise.scratch import temporary_folder
from phasewise.simulated.simulate import Request, simulate
from phasewise.study import load

SOURCE = Path(__file__).parent / "recorded" / "exchanges.c"
PROGRAMS = {
    "stencil, 1 kB": ("stencil", "1024", "200"),
    "stencil, 64 kB": ("stencil", "65536", "200"),
    "stencil, 1 MB": ("stencil", "1048576", "50"),
    "transform, 16 kB": ("transform", "16384", "200"),
    "transform, 1 MB": ("transform", "1048576", "50"),
    "solver": ("solver", "4096", "200"),
}
MACHINES = ("bassi", "jaguar", "modern")
MOST = 0.005
"""The difference that is accepted."""


SIMULATED = re.compile(r"Simulated time: ([0-9.e+-]+) seconds")


def said(command: Sequence[str], folder: Path, **variables: str) -> str:
    """What a command says; RunError if it fails."""
    environment = os.environ | variables
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    words = done.stdout + done.stderr
    if done.returncode:
        raise RunError(f"{' '.join(command)} failed: {words[-300:]}")
    return words


def compiled(twin: Twin, words: Sequence[str], folder: Path) -> float:
    """Simulated seconds of the program that was compiled for SMPI."""
    platform = simulated_tree()[1].resolve()
    (folder / "platform").write_text(twin.platform, encoding="utf-8")
    (folder / "hosts").write_text("\n".join(twin.hosts) + "\n", encoding="utf-8")
    command = ["smpirun", "-np", str(len(twin.hosts)), "-platform", str(platform)]
    command += ["-hostfile", "hosts", *twin.options, "--cfg=smpi/display-timing:yes"]
    variables = {PLATFORM_VARIABLE: str(folder / "platform")}
    found = SIMULATED.search(said([*command, "./exchanges.smpi", *words], folder, **variables))
    if found is None:
        raise RunError("smpirun does not say how much time it simulated")
    return float(found[1])


def replayed(record: Path, request: Request) -> float:
    """Simulated seconds of the replay."""
    study = load(str(record), ["recorded.compute=0"], count=1)
    with temporary_folder("replay") as name:
        return simulate(study, request, Path(name))[1].seconds


def recorded(words: Sequence[str], record: Path, ranks: int) -> None:
    """Record a program unless it was."""
    if record.exists():
        return
    launch = ["mpiexec.openmpi", "-n", str(ranks), "./exchanges.openmpi", *words]
    recording = [sys.executable, "-m", "phasewise", "record", "--quiet", "--out", str(record)]
    said([*recording, "--", *launch], record.parent)


def main(words: Sequence[str]) -> int:
    """Record, compile, simulate and compare; return the exit status."""
    parser = argparse.ArgumentParser(description="Replays beside programs compiled for SMPI.")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder of the records")
    parser.add_argument("--ranks", type=count, default=8, metavar="N")
    options = parser.parse_args(words)
    folder = Path(options.out).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    rows, worst = [], 0.0
    try:
        for compiler, kind in (("smpicc", "smpi"), ("mpicc.openmpi", "openmpi")):
            said([compiler, "-O2", str(SOURCE), "-o", f"exchanges.{kind}"], folder)
        for name, program in PROGRAMS.items():
            record = folder / "-".join(program)
            recorded(program, record, options.ranks)
            for place in MACHINES:
                machine = load_machine(place)
                own = compiled(make_twin(machine, "full", options.ranks), program, folder)
                replay = replayed(record, Request(machine, options.ranks))
                worst = max(worst, abs(replay / own - 1))
                rows.append([name, place, f"{1e3 * own:.4f}", f"{1e3 * replay:.4f}"])
                rows[-1].append(f"{100 * (replay / own - 1):+.3f} %")
    except PhasewiseError as error:
        message(f"phasewise: {error}")
        return error.exit_status
    heads = ["program", "on", "compiled for SMPI [ms]", "replayed [ms]", "difference"]
    print_table(f"Without computing, {options.ranks} ranks", heads, rows)
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
