"""Bunches that are matched to a lattice: with coupling, in all planes, with their charge."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.study import Study
from tests.sentences import refused
from tests.unit.spacecharge_study import TABLES

core = pytest.importorskip("phasewise._core", reason="the core is not built")

QUADRUPOLES: list[dict[str, Any]] = [
    {"kind": "drift", "length": 0.1},
    {"kind": "quadrupole", "length": 0.06, "k1": 60.0},
    {"kind": "drift", "length": 0.15},
    {"kind": "quadrupole", "length": 0.06, "k1": -60.0},
    {"kind": "drift", "length": 0.1},
]
SOLENOID = {"kind": "solenoid", "length": 0.05, "strength": 4.0}
BEND = {"kind": "bend", "length": 0.1, "angle": 0.05}
CAVITY = {"kind": "cavity", "voltage": 2e4, "frequency": 2e7, "phase": 0.5}
KICK = {"kind": "multipole", "normal": [1e-3], "skew": [5e-4]}
SKEW = {"kind": "quadrupole", "length": 0.02, "k1": 0.0, "skew": [0.0, 30.0], "steps": 1}


def study(elements: list[dict[str, Any]], *without: str, **bunch: Any) -> Study:
    """A matched bunch of some thousand quiet particles, almost without charge."""
    given = {name: v for name, v in TABLES["bunch"].items() if name not in ("beta", "alpha", "cut")}
    given |= {"macroparticles": 5000, "quiet": True, "bunch_population": 1.0, **bunch}
    kept = {name: value for name, value in given.items() if name not in without}
    lattice = {"element": elements}
    solver = {"kicks": 4, "grid": [12, 12, 12]}
    return Study.from_dict({**TABLES, "bunch": kept, "lattice": lattice, "solver": solver})


def coordinates(simulation: phasewise.Simulation) -> Any:
    held = simulation.driver.particles()
    return np.array([held[name] for name in ("x", "px", "y", "py", "z", "delta")])


@pytest.mark.parametrize(
    "elements",
    [[*QUADRUPOLES, SOLENOID], [*QUADRUPOLES, SKEW, BEND]],
    ids=["solenoid", "skew quadrupole and dispersion"],
)
def test_a_coupled_lattice_returns_the_moments_of_its_matched_bunch(
    elements: list[dict[str, Any]],
) -> None:
    given = study(elements, momentum_spread=1e-4)
    simulation = phasewise.Simulation(given)
    before = np.cov(coordinates(simulation))
    map_ = core.lattice_map(given.parameters())["matrix"]
    # What a passage makes of the bunch that is there, apart from z, which slips.
    after = (map_ @ before @ map_.T)[:4, :4]
    size = np.sqrt(np.diagonal(before)[:4])
    assert np.abs(before[:2, 2:4]).max() > 0.01 * size[0] * size[3]
    # 5000 quiet particles have moments to better than 1/√5000.
    assert np.abs((after - before[:4, :4]) / np.outer(size, size)).max() < 0.01
    # Emittances of the modes are those that are given: invariants of (Σ Ω)².
    form = np.kron(np.eye(2), [[0.0, 1.0], [-1.0, 0.0]])
    free = before[:4, :4] - np.outer(before[:4, 5], before[:4, 5]) / before[5, 5]
    found = np.sort(np.abs(np.linalg.eigvals(free @ form)))[::2]
    assert found == pytest.approx([1e-6, 2e-6], rel=0.02)


def test_a_kicked_lattice_centres_its_bunch_on_the_closed_orbit() -> None:
    given = study([*QUADRUPOLES[:3], KICK, *QUADRUPOLES[3:]])
    orbit = core.closed_orbit(given.parameters())["start"]
    simulation = phasewise.Simulation(given)
    means = [coordinates(simulation).mean(axis=1)]
    for _ in range(2):
        simulation.step()
        means.append(simulation.record()["beam1/mean"])
    assert np.abs(orbit[:4]).min() > 1e-6
    # The mean of quiet particles is theirs to 1e-3 rms; aberrations of mm are 1e-5 of it.
    size = np.sqrt(np.diagonal(simulation.record()["beam1/covariance"]))[:4]
    for mean in means:
        assert np.abs((mean[:4] - orbit[:4]) / size).max() < 3e-3


@pytest.mark.parametrize("given", ["bunch_length", "momentum_spread"])
def test_with_a_cavity_length_and_momentum_spread_follow_from_each_other(given: str) -> None:
    other = {"bunch_length": "momentum_spread", "momentum_spread": "bunch_length"}[given]
    matched = study([*QUADRUPOLES, BEND, CAVITY], other, matched="all-planes")
    assert getattr(matched.bunch, other) is None
    assert Study.from_dict(matched.resolved()) == matched
    before = np.cov(coordinates(phasewise.Simulation(matched)))
    index = {"bunch_length": 4, "momentum_spread": 5}[given]
    assert math.sqrt(before[index, index]) == pytest.approx(getattr(matched.bunch, given), rel=2e-3)
    map_ = core.lattice_map(matched.parameters())["matrix"]
    size = np.sqrt(np.diagonal(before))
    assert np.abs((map_ @ before @ map_.T - before) / np.outer(size, size)).max() < 0.01


def kv_cell(**bunch: Any) -> Study:
    tables = phasewise.load(Path(__file__).parents[2] / "examples/kv-fodo/study.toml").resolved()
    for name in ("size", "alpha", "dispersion"):
        del tables["bunch"][name]
    # A hundred times as long, where the force is that of a coasting beam to 1e-6.
    tables["bunch"] |= {"matched": "with-charge", "bunch_length": 14.43376, **bunch}
    tables["bunch"].setdefault("bunch_population", 4.378619e12)
    tables["solver"]["kicks"] = 400
    return Study.from_dict(tables)


def test_a_kv_beam_is_matched_with_its_charge() -> None:
    # The envelope equations: σ = 0.858554 mm, β = 0.737115 m, αx = -2.466369 = -αy.
    found = core.matched_with_charge(kv_cell(bunch_population=4.378619e12).parameters())
    moments = found["columns"] @ found["columns"].T
    # 400 kicks a cell err by 1/400² of a tune shift of a half.
    size = np.sqrt(np.diagonal(moments)[[0, 2]])
    assert size == pytest.approx([8.58554e-4] * 2, rel=2e-6)
    assert moments[0, 0] / 1e-6 == pytest.approx(0.737115, rel=3e-6)
    assert [-moments[0, 1], moments[2, 3]] == pytest.approx([-2.466369e-6] * 2, rel=3e-6)
    # The charge takes half of the tune of 0.2017.
    assert found["phases"] == pytest.approx([0.098516] * 2, abs=2e-6)


def test_more_charge_makes_a_larger_matched_beam() -> None:
    sizes = []
    for factor in (1e-6, 1.0, 3.0):
        given = kv_cell(bunch_population=factor * 4.378619e12)
        columns = core.matched_with_charge(given.parameters())["columns"]
        sizes.append(math.hypot(*columns[0]))
    bare = math.sqrt(core.lattice_optics(given.parameters(), [0.0])["twiss"][0, 0, 0] * 1e-6)
    # A millionth of a charge that makes the beam half as large again.
    assert sizes[0] == pytest.approx(bare, rel=1e-6)
    assert sizes[0] < 0.8 * sizes[1] < 0.6 * sizes[2]


def test_the_force_of_a_rolled_bunch_is_rolled() -> None:
    # A channel that is turned by 0.5 rad has the same modes, with and without charge.
    turn = np.eye(6)
    c, s = math.cos(0.5), math.sin(0.5)
    for k in (0, 1):
        turn[k, k] = turn[k + 2, k + 2] = c
        turn[k, k + 2], turn[k + 2, k] = s, -s
    there, back = ({"kind": "matrix", "matrix": m.tolist()} for m in (turn, turn.T))
    flat = {"bunch_population": 1e9, "matched": "with-charge", "momentum_spread": 0.0}
    cell = [*QUADRUPOLES[:1], {**QUADRUPOLES[1], "k1": 66.0}, *QUADRUPOLES[2:]]
    plain = core.matched_with_charge(study(cell, **flat).parameters())
    rolled = core.matched_with_charge(study([there, *cell, back], **flat).parameters())
    assert rolled["phases"] == pytest.approx(plain["phases"], rel=1e-9)
    moments = [(f["columns"] @ f["columns"].T) for f in (plain, rolled)]
    assert turn @ moments[1] @ turn.T == pytest.approx(moments[0], rel=1e-8, abs=1e-16)


UNMATCHED: list[
    tuple[list[dict[str, Any]], dict[str, Any], tuple[str, ...], tuple[object, ...]]
] = [
    (QUADRUPOLES, {"matched": "all-planes"}, ("momentum_spread",), ("cavity", "bunches")),
    (
        [*QUADRUPOLES, CAVITY],
        {"matched": "all-planes"},
        (),
        ("bunch.matched", "bunch_length", "momentum_spread"),
    ),
    (QUADRUPOLES, {}, ("bunch_length",), ("bunch.bunch_length", "missing")),
    (
        QUADRUPOLES,
        {"matched": "with-charge", "size": [1e-3, 1e-3]},
        (),
        ('bunch.matched = "with-charge"', "size", "beta"),
    ),
    (
        [{**QUADRUPOLES[1], "k1": 900.0}, QUADRUPOLES[0]],
        {"matched": "with-charge"},
        (),
        ("unstable", "x", "trace", -1.687974, -1, 1),
    ),
    (
        QUADRUPOLES,
        {"matched": "with-charge", "bunch_population": 1e14},
        (),
        ("charge", "envelope", "emittance", "kicks"),
    ),
    (
        QUADRUPOLES,
        {"matched": "with-charge", "geometric_emittance": [0.0, 1e-6]},
        (),
        ("bunch", "without", "emittance", "charge"),
    ),
]


@pytest.mark.parametrize(("elements", "bunch", "without", "facts"), UNMATCHED)
def test_what_cannot_be_matched_is_a_sentence(
    elements: list[dict[str, Any]],
    bunch: dict[str, Any],
    without: tuple[str, ...],
    facts: tuple[object, ...],
) -> None:
    with refused(*facts):
        phasewise.Simulation(study(elements, *without, **bunch))
