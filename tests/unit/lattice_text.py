"""Parameter texts of lattices, for the tests of magnets."""

from __future__ import annotations

from collections.abc import Mapping

from tests.unit.arc_text import Value, text

PROTON = {"charge": 1, "mass": 938272088.16, "energy": 938272088.16 + 6.7e6}
"""Protons of 6.7 MeV, whose speed depends on the momentum."""
GAMMA = PROTON["energy"] / PROTON["mass"]
BETA = (1 - GAMMA**-2) ** 0.5


def lattice(*elements: Mapping[str, Value], maps: str = "exact") -> str:
    """Parameters of a lattice of `elements` for those protons."""
    rows = [f"beam.1.{key} = {value!r}" for key, value in PROTON.items()]
    rows += [f"lattice.maps = {maps}", f"lattice.count = {len(elements)}"]
    for number, element in enumerate(elements, start=1):
        rows += [f"lattice.{number}.{key} = {text(value)}" for key, value in element.items()]
    return "\n".join(rows)


DRIFT: dict[str, Value] = {"element": "drift", "length": 1.7}
QUADRUPOLE: dict[str, Value] = {"element": "magnet", "length": 0.4, "k1": 3.1}
SEXTUPOLE: dict[str, Value] = {
    "element": "magnet",
    "length": 0.3,
    "k1": -1.2,
    "normal": [0.0, 0.0, 40.0, 300.0],
    "skew": [0.0, 0.4, -10.0],
    "steps": 3.0,
}
MULTIPOLE: dict[str, Value] = {
    "element": "multipole",
    "normal": [0.0, 0.3, 5.0, 80.0, 1e3, 1e4],
    "skew": [0.0, -0.2, 3.0, -50.0],
}
BEND: dict[str, Value] = {
    "element": "bend",
    "length": 1.1,
    "angle": 0.35,
    "edges": [0.1, 0.2],
    "half_gap": 0.02,
    "fringe": 0.5,
}
COMBINED: dict[str, Value] = {**BEND, "k1": -0.6, "steps": 5.0}
SOLENOID: dict[str, Value] = {"element": "solenoid", "length": 0.9, "strength": 1.7}
CAVITY: dict[str, Value] = {
    "element": "cavity",
    "length": 0.5,
    "voltage": 2e5,
    "frequency": 5e7,
    "phase": 0.45,
}
FOCUSING: dict[str, Value] = {
    "element": "constant-focusing",
    "length": 1.3,
    "focusing": [2.0, 0.7, 0.2],
}
MAGNETS = {
    "drift": DRIFT,
    "quadrupole": QUADRUPOLE,
    "sextupole": SEXTUPOLE,
    "multipole": MULTIPOLE,
    "bend": BEND,
    "combined bend": COMBINED,
    "solenoid": SOLENOID,
    "cavity": CAVITY,
    "constant focusing": FOCUSING,
}
