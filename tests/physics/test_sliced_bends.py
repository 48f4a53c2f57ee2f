"""Bends with a sextupole, which importers cut at the places of kicks: their chromaticity is that of
very many slices.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from phasewise.workloads.spacecharge.importers.magnets import bend, thin
from phasewise.workloads.spacecharge.optics import model_with_lattice, optics_of

pytest.importorskip("phasewise._core", reason="the core is not built")

CELLS, LENGTH, GRADIENT = 10, 2.0, 0.08
ANGLE = 3.141592653589793 / CELLS
SEXTUPOLE = 0.8  # k2 L of a focusing bend, 1/m²


def chromaticity(cell: list[dict[str, object]], folder: Path) -> tuple[float, ...]:
    path = folder / "lattice.toml"
    rows = ["mass = 938272088.16", "charge = 1", "energy = 2e9"]
    for element in cell * CELLS:
        rows += [
            "[[element]]",
            *(f"{name} = {json.dumps(value)}" for name, value in element.items()),
        ]
    path.write_text("\n".join(rows))
    return tuple(optics_of(model_with_lattice(str(path), [])).chromaticity)


def by_importer(k2: float) -> list[dict[str, object]]:
    none = (0.0, 0.0)
    return [
        *bend(LENGTH, ANGLE, none, none, none, GRADIENT, [0, 0, k2]),
        *bend(LENGTH, ANGLE, none, none, none, -GRADIENT),
    ]


def by_many_slices(k2: float, slices: int = 50) -> list[dict[str, object]]:
    """The same cell with kicks in the middle of very many slices."""
    half = {"kind": "bend", "length": LENGTH / slices / 2, "angle": ANGLE / slices / 2, "steps": 1}
    half |= {"k1": GRADIENT, "edge_order": [0, 0]}
    focusing = slices * [half, *thin([0, 0, k2 / slices], []), half]
    focusing[0], focusing[-1] = half | {"edge_order": [2, 0]}, half | {"edge_order": [0, 2]}
    body = {"kind": "bend", "length": LENGTH, "angle": ANGLE, "k1": -GRADIENT, "steps": 16}
    return [*focusing, body]


def test_the_kicks_of_a_sextupole_in_a_bend_have_the_chromaticity_of_the_whole_field(
    tmp_path: Path,
) -> None:
    with_kicks, without = (chromaticity(by_importer(k2), tmp_path) for k2 in (SEXTUPOLE, 0.0))
    exact, bare = (chromaticity(by_many_slices(k2), tmp_path) for k2 in (SEXTUPOLE, 0.0))
    for own, plain, reference, nothing in zip(with_kicks, without, exact, bare, strict=True):
        # The kicks' own part; what bends without them have is their `steps`'.
        assert own - plain == pytest.approx(reference - nothing, rel=2e-4)
        assert abs(reference - nothing) > 0.5
