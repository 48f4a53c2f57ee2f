"""The CPU time that recording a program costs, beside EZTrace where that is installed.

    .venv/bin/python -m benchmarks.recording_costs --pairs 15

Calls (recorded/calls.c) are timed in a process of its own, with no recorder, with ours, and with
EZTrace, in turn; the table has the medians of what each recorder adds to a call. LAMMPS, where it
is installed, runs recorded and unrecorded in turn; its cost is the median ratio of the CPU times of
its ranks. Intervals are those of benchmarks/recorder_overhead.py.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.recorder_overhead import overhead
from phasewise.errors import RunError
from phasewise.options import count
from phasewise.output import print_table

SOURCE = Path(__file__).parent / "recorded" / "calls.c"
MELT = Path("/usr/share/lammps/examples/melt/in.melt")
LAUNCHER = "mpiexec.openmpi"
CALLS = ("barrier", "exchange")
STEPS = "1500"
"""Steps of LAMMPS: some seconds."""


def recorders(folder: Path) -> dict[str, list[str]]:
    """What stands before a command to record it, by name."""
    own = [sys.executable, "-m", "phasewise", "record", "--quiet", "--out", str(folder / "own")]
    found: dict[str, list[str]] = {"none": [], "phasewise": [*own, "--"]}
    if shutil.which("eztrace"):
        found["EZTrace"] = ["eztrace", "-t", "openmpi", "-o", str(folder / "eztrace")]
    return found


def run(command: Sequence[str], folder: Path) -> list[list[str]]:
    """The words of each line that a command prints."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    said = done.stdout + done.stderr
    if done.returncode:
        raise RunError(f"{' '.join(command)} failed: {said[-300:]}")
    return [line.split() for line in said.splitlines()]


def timed_calls(folder: Path, turns: int) -> dict[str, dict[str, list[float]]]:
    """Nanoseconds of each call in each turn, by recorder and call."""
    program = folder / "calls"
    subprocess.run(["mpicc.openmpi", "-O2", str(SOURCE), "-o", str(program)], check=True)
    ways = recorders(folder)
    found: dict[str, dict[str, list[float]]] = {way: {name: [] for name in CALLS} for way in ways}
    for _ in range(turns):
        for way, before in ways.items():
            launch = [LAUNCHER, "-n", "1"]
            # EZTrace is started by the launcher, in each rank.
            command = launch + before if way == "EZTrace" else before + launch
            lines = run([*command, str(program)], folder)
            for name in CALLS:
                found[way][name] += [float(line[1]) for line in lines if line[:1] == [name]]
    return found


def lammps(folder: Path, pairs: int, ranks: int) -> NDArray[np.float64]:
    """CPU times [s] of LAMMPS recorded and not, (2, pairs); which goes first alternates. They are
    those of its ranks alone, summed.
    """
    deck = folder / "in.melt"
    deck.write_text(MELT.read_text(encoding="utf-8").replace("250", STEPS), encoding="utf-8")
    timed = ["bash", "-c", f'TIMEFORMAT="cpu %U %S"; time lmp -in {deck}']
    command = [LAUNCHER, "-n", str(ranks), *timed]
    ways = [[*before, *command] for before in (recorders(folder)["phasewise"], [])]
    times = np.empty((2, pairs))
    for pair in range(pairs):
        for which in (0, 1) if pair % 2 else (1, 0):
            lines = run(ways[which], folder)
            rows = [line[1:] for line in lines if line[:1] == ["cpu"]]
            times[which, pair] = sum(float(seconds) for row in rows for seconds in row)
    return times


def main(words: Sequence[str]) -> int:
    """Time calls and LAMMPS; print both."""
    parser = argparse.ArgumentParser(description="What recording costs in CPU time.")
    parser.add_argument("--pairs", type=count, default=15, metavar="N")
    parser.add_argument("--ranks", type=count, default=2, metavar="N", help="of LAMMPS")
    options = parser.parse_args(words)
    os.environ |= {"OMPI_MCA_mpi_yield_when_idle": "0"}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = timed_calls(folder, options.pairs)
        rows = [
            [
                way,
                *(f"{np.median(np.subtract(found[way][c], found['none'][c])):.0f}" for c in CALLS),
            ]
            for way in found
            if way != "none"
        ]
        heads = ["recorder", "MPI_Barrier [ns]", "MPI_Irecv, MPI_Isend, MPI_Waitall [ns]"]
        print_table("CPU time that a recorder adds", heads, rows)
        if MELT.exists():
            cost = overhead(*lammps(folder, options.pairs, options.ranks))
            print(f"LAMMPS: {cost.off:.3f} s of CPU time; recorded {cost.ratio:.4f} times as much")
            print(f"(95 %: {cost.low:.4f} to {cost.high:.4f})")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
