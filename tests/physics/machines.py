"""Small machines for the physics tests, and the collision as a map of given particles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

import phasewise
from phasewise.constants import classical_radius

Floats = NDArray[np.float64]

IDENTITY = {"matrix": np.eye(6).tolist()}
"""An arc that leaves every particle where it is: what a turn changes is the collision."""

COORDINATES = ("x", "px", "y", "py", "z", "delta")


def study(
    beam: dict[str, Any] | None = None,
    other: dict[str, Any] | None = None,
    arc: dict[str, Any] | None = None,
    ip: dict[str, Any] | None = None,
    points: list[dict[str, Any]] | None = None,
    turns: int = 1,
    seed: int = 1,
    records: dict[str, Any] | None = None,
    communication: dict[str, Any] | None = None,
) -> phasewise.Study:
    """Two round LHC-like proton bunches that meet head-on, with changes to each table.

    `beam` changes beam 1, where None takes a key away; `other` is what beam 2 has otherwise;
    `points` are further interaction points.
    """
    first = {
        "particle": "proton",
        "energy": 7e12,
        "bunch_population": 1.15e11,
        "macroparticles": 10_000,
        "normalized_emittance": [3.75e-6, 3.75e-6],
        "bunch_length": 0.0755,
        "momentum_spread": 1.13e-4,
        "distribution": "quiet",
    }
    point = {"beta": [0.55, 0.55], "grid": [64, 64], "slices": 1}
    ips = [point | (ip or {})] + [point | more for more in points or []]
    return phasewise.Study.from_dict(
        {
            "turns": turns,
            "seed": seed,
            "beam": {"1": _given(first | (beam or {})), "2": {"like": "beam.1"} | (other or {})},
            "arc": arc or IDENTITY,
            "ip": {str(k): table for k, table in enumerate(ips, 1)},
            "records": records or {},
            "communication": communication or {},
        }
    )


def _given(table: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if value is not None}


def coordinates(simulation: phasewise.Simulation, beam: int = 1) -> Floats:
    """(6, n) coordinates of a beam by particle number; NaN where a particle is lost."""
    view = simulation.beam(beam)
    values = np.full((6, simulation.driver.macroparticles(beam)), np.nan)
    for row, name in zip(values, COORDINATES, strict=True):
        row[view.id] = getattr(view, name)
    return values


def put(simulation: phasewise.Simulation, beam: int, values: Floats, first: int = 0) -> None:
    """Give the particles first, first + 1, … of a beam the coordinates `values` (6, n)."""
    everyone = coordinates(simulation, beam)
    everyone[:, first : first + values.shape[1]] = values
    ids = np.arange(everyone.shape[1], dtype=np.uint32)
    simulation.driver.replace_particles(beam, ids, *np.ascontiguousarray(everyone))


def collide(
    machine: phasewise.Study, one: Floats | None = None, two: Floats | None = None
) -> tuple[Floats, Floats, Floats, Floats]:
    """One turn; the particles of beams 1 and 2 before and after it, (6, n) each.

    `one` and `two` (6, m) take the place of the first m particles of their beam.
    """
    simulation = phasewise.Simulation(machine)
    for beam, given in ((1, one), (2, two)):
        if given is not None:
            put(simulation, beam, given)
    before = [coordinates(simulation, beam) for beam in (1, 2) if not machine.beam(beam).strong]
    simulation.step()
    after = [coordinates(simulation, beam) for beam in (1, 2) if not machine.beam(beam).strong]
    return before[0], before[-1], after[0], after[-1]


def beam_beam_parameter(machine: phasewise.Study, ip: int = 0, number: int = 1) -> Floats:
    """ξx, ξy of beam `number` from the textbook formula, with the sizes of the other beam."""
    own, other = machine.beam(number), machine.beam(3 - number)
    sx, sy = other.size(ip)
    strength = other.bunch_population * classical_radius(own.mass) * abs(own.charge * other.charge)
    beta = np.array(own.optics[ip].beta)
    return strength * beta / (2 * math.pi * own.gamma * np.array([sx, sy]) * (sx + sy))
