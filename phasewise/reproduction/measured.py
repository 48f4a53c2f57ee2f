"""The curves of a simulated machine, measured once and cached with the simulations."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from phasewise.machines import Machine, load_machine
from phasewise.machines.measuring import measure_simulated, write
from phasewise.output import message
from phasewise.simulated.many import simulator

RANKS = (64, 128, 256)
"""Ranks on which each machine is measured; the curves of a process grid depend on them."""


def measured_machine(
    name: str, cache: Path, ranks: tuple[int, ...] = RANKS, quick: bool = False
) -> Machine:
    """The machine with the curves of its full twin, with process grids on each number of `ranks`.

    cache: a folder for the measured files; what it has for the same machine and simulator is not
    measured again. quick: fewer sizes. RunError if the measurement fails.
    """
    found = [_measured(name, cache, number, quick) for number in ranks]
    # A torus is simulated in its own size: part of a larger one would have other routes.
    grids = [
        curve
        for machine, number in zip(found, ranks, strict=True)
        for curve in machine.curves
        if curve.benchmark == "grid" and curve.ranks == number
    ]
    others = [curve for curve in found[-1].curves if curve.benchmark != "grid"]
    return replace(found[-1], curves=(*others, *grids))


def _measured(name: str, cache: Path, ranks: int, quick: bool) -> Machine:
    content = repr((load_machine(name), simulator(), quick))
    key = hashlib.sha256(content.encode()).hexdigest()[:16]
    path = cache / f"{name}-{ranks}-{key}.toml"
    if not path.is_file():
        message(f"measuring {name} on {ranks} simulated ranks")
        write(measure_simulated(name, "full", ranks, quick, _silent), path)
    return load_machine(str(path))


def _silent(text: str) -> None:
    """Ignores progress."""
