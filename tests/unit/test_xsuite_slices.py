"""Pieces of Xsuite's cut and sliced lines: together they are the element that was cut."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from phasewise.workloads.spacecharge.importers.xsuite import lattice_of
from tests.sentences import refused

MASS, ENERGY = 938272088.16, 5e9
ENDS = {
    f"edge_{side}_{name}": value
    for side in ("entry", "exit")
    for name, value in (("active", 1), ("model", "linear"), ("angle", 0.05), ("fint", 0.4))
}
BEND = {
    **ENDS,
    "length": 2.0,
    "angle": 0.2,
    "k0": "from_h",
    "k0_from_h": True,
    "k1": 0.03,
    "k2": 0.0,
    "edge_entry_hgap": 0.02,
    "edge_exit_hgap": 0.02,
    "isthick": True,
}


def element(kind: str, **values: Any) -> Any:
    """An element as xtrack has it, as far as translations read it."""
    given = {"knl": np.zeros(6), "ksl": np.zeros(6), "rot_s_rad": 0.0, **values}

    return type(kind, (SimpleNamespace,), {"to_dict": lambda _: {"__class__": kind}})(**given)


def piece(kind: str, parent: str, weight: float = 1.0, thick: bool = True) -> Any:
    return element(kind, parent_name=parent, weight=weight, isthick=thick)


def line_of(elements: dict[str, Any], names: list[str], length: float) -> Any:
    reference = SimpleNamespace(energy0=[ENERGY], mass0=MASS, q0=1)
    return SimpleNamespace(
        particle_ref=reference,
        element_dict=elements,
        element_names=names,
        get_length=lambda: length,
    )


def translated(elements: dict[str, Any], names: list[str], length: float) -> Any:
    return lattice_of(line_of(elements, names, length), "line.json")


def matrix_of(lattice: Any) -> Any:
    core = pytest.importorskip("phasewise._core", reason="the core is not built")
    from tests.unit.spacecharge_study import study

    elements = [*lattice.elements, {"kind": "drift", "length": 1e-9}]
    return core.lattice_map(study(lattice={"element": elements}).parameters())["matrix"]


def cut_bend() -> dict[str, Any]:
    return {
        "b": element("Bend", **BEND),
        "b_in": piece("ThinSliceBendEntry", "b", thick=False),
        "b..0": piece("ThickSliceBend", "b", 0.3),
        "b..1": piece("ThickSliceBend", "b", 0.7),
        "b_out": piece("ThinSliceBendExit", "b", thick=False),
    }


def test_the_pieces_of_a_cut_bend_are_the_bend() -> None:
    elements = cut_bend()
    pieces = translated(elements, ["b_in", "b..0", "b..1", "b_out"], 2.0)
    whole = translated(elements, ["b"], 2.0)
    assert pieces.missing == whole.missing == []
    assert [one["kind"] for one in pieces.elements] == ["matrix", "bend", "bend", "matrix"]
    assert pieces.length == pytest.approx(2.0)
    assert matrix_of(pieces) == pytest.approx(matrix_of(whole), abs=1e-13)


def test_thin_slices_and_the_drifts_between_them_have_the_strengths_of_the_whole() -> None:
    elements = {
        "q": element(
            "Quadrupole",
            length=0.5,
            k1=0.6,
            k1s=0.1,
            isthick=True,
            edge_entry_active=0,
            edge_exit_active=0,
        ),
        "drift": piece("DriftSliceQuadrupole", "q", 0.5),
        "q..0": piece("ThinSliceQuadrupole", "q", 0.5, thick=False),
        "q..1": piece("ThinSliceQuadrupole", "q", 0.5, thick=False),
        "q_in": piece("ThinSliceQuadrupoleEntry", "q", thick=False),
    }
    lattice = translated(elements, ["q_in", "q..0", "drift", "drift", "q..1"], 0.5)
    kicks = [one for one in lattice.elements if one["kind"] == "multipole"]
    assert [one["normal"] for one in kicks] == [[0.0, pytest.approx(0.15)]] * 2
    assert [one["skew"] for one in kicks] == [[0.0, pytest.approx(0.025)]] * 2
    assert sum(one.get("length", 0.0) for one in lattice.elements) == pytest.approx(0.5)
    assert lattice.missing == []


def test_a_thin_slice_of_a_bend_bends_the_reference_orbit_by_its_share() -> None:
    elements = {
        "b": element("Bend", **BEND),
        "b..0": piece("ThinSliceBend", "b", 0.25, thick=False),
        "drift": piece("DriftSliceBend", "b", 1.0),
    }
    lattice = translated(elements, ["drift", "b..0"], 2.0)
    _, bend, kick = lattice.elements
    assert bend["matrix"][1][5] == pytest.approx(0.05)
    assert bend["matrix"][1][0] == pytest.approx(-(0.05**2) / 0.5)
    assert kick["normal"] == [0.0, pytest.approx(0.03 * 2.0 / 4)]


def test_a_piece_of_a_cavity_has_a_share_of_its_voltage() -> None:
    cavity = element(
        "Cavity",
        length=0.4,
        voltage=2e5,
        frequency=3e6,
        harmonic=0,
        phase=0.0,
        lag=0,
        isthick=True,
    )
    elements = {"c": cavity, "c..0": piece("ThickSliceCavity", "c", 0.25)}
    (found,) = translated(elements, ["c..0"], 0.1).elements
    assert (found["voltage"], found["length"]) == (pytest.approx(5e4), pytest.approx(0.1))


def test_what_has_no_translation_keeps_the_length_that_it_has_in_the_line() -> None:
    elements = {
        "drift": element("Drift", length=1.0, isthick=True),
        # Its length is that over which its kick acts, and not one of the line.
        "charge": element("SpaceChargeBiGaussian", length=7.0),
        "wiggler": element("Wiggler", length=1.5, isthick=True),
        "meeting": element("BeamBeamBiGaussian2D"),
    }
    lattice = translated(elements, list(elements), 2.5)
    assert lattice.length == pytest.approx(2.5)
    assert [entry.record for entry in lattice.missing] == [
        "charge (SpaceChargeBiGaussian) at 1 m",
        "wiggler (Wiggler) at 1 m",
        "meeting (BeamBeamBiGaussian2D) at 2.5 m",
    ]


def test_a_translation_of_another_length_is_refused() -> None:
    with refused("line.json", 2, 1):
        translated({"drift": element("Drift", length=1.0, isthick=True)}, ["drift"], 2.0)
