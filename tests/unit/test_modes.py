"""Closed orbits and normal modes of lattices against linear algebra and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import phasewise._core as core
from tests.sentences import refused
from tests.unit.arc_text import Value
from tests.unit.lattice_text import CAVITY, DRIFT, QUADRUPOLE, SOLENOID, lattice

Floats = NDArray[np.float64]
FORM = np.kron(np.eye(3), [[0.0, 1.0], [-1.0, 0.0]])
BEND: dict[str, Value] = {"element": "bend", "length": 1.0, "angle": 0.1}
GAP: dict[str, Value] = {**CAVITY, "length": 0.0, "phase": 0.5, "voltage": 2e4}
KICK: dict[str, Value] = {"element": "multipole", "normal": [1e-3, 0.05], "skew": [2e-4, 0.03]}
SEXTUPOLE: dict[str, Value] = {"element": "multipole", "normal": [0.0, 0.0, 3.0]}
FOCUS: dict[str, Value] = {**QUADRUPOLE, "k1": 1.4}
DEFOCUS: dict[str, Value] = {**QUADRUPOLE, "k1": -1.3}
WEAK: dict[str, Value] = {**SOLENOID, "strength": 0.3}
COUPLED = (DRIFT, FOCUS, DRIFT, DEFOCUS, WEAK, BEND)


def matrix_of(*elements: dict[str, Value]) -> Floats:
    return np.asarray(core.lattice_map(lattice(*elements))["matrix"])


def test_a_kicked_orbit_closes() -> None:
    text = lattice(DRIFT, FOCUS, KICK, DRIFT, SEXTUPOLE, DEFOCUS, WEAK)
    orbit = core.closed_orbit(text)
    start = orbit["start"]
    assert np.abs(start[:4]).max() > 1e-4 and not orbit["bunched"]
    after = np.asarray(core.push_lattice(text, start[:, None].copy()))[:, 0]
    # Some roundings of millimetres.
    assert np.abs(after - start)[:4].max() < 1e-17
    # The matrix is that of small distances from the orbit: differences err by h² of third order.
    h = 1e-5
    ahead, behind = (
        np.asarray(core.push_lattice(text, start[:, None] + s * h * np.eye(6))) for s in (1, -1)
    )
    assert np.abs((ahead - behind) / (2 * h) - orbit["matrix"])[:4].max() < 1e-8


def test_a_small_kick_moves_the_orbit_as_the_optics_say() -> None:
    # x = θ √(β β0) cos(μ/2 - ψ)/(2 sin(μ/2)), and here where the kick acts: θ β cot(μ/2)/2.
    ring = (DRIFT, FOCUS, DRIFT, DEFOCUS)
    optics = core.lattice_optics(lattice(*ring), [0.0])
    beta, half = optics["twiss"][0, 0, 0], np.pi * optics["tune_x"]
    kick: dict[str, Value] = {"element": "multipole", "normal": [-1e-7]}
    start = core.closed_orbit(lattice(kick, *ring))["start"]
    # Beyond linear terms the orbit has those of the kick squared.
    assert start[0] == pytest.approx(1e-7 * beta / (2 * np.tan(half)), rel=1e-6)


def test_with_a_cavity_the_orbit_closes_in_all_dimensions() -> None:
    # A kick within dispersion makes the orbit longer: δ settles where the slip makes up for it.
    text = lattice(DRIFT, FOCUS, KICK, DRIFT, DEFOCUS, BEND, GAP)
    orbit = core.closed_orbit(text)
    assert orbit["bunched"] and orbit["start"][5] != 0
    after = np.asarray(core.push_lattice(text, orbit["start"][:, None].copy()))[:, 0]
    assert np.abs(after - orbit["start"]).max() < 1e-16


@pytest.mark.parametrize(
    ("elements", "dimensions"),
    [
        (COUPLED, 4),
        ((*COUPLED, GAP), 6),
        ((DRIFT, FOCUS, DRIFT, DEFOCUS, BEND, GAP), 6),
        ((DRIFT, FOCUS, KICK | {"normal": [0.0], "skew": [0.0, 0.03]}, DRIFT, DEFOCUS), 4),
    ],
    ids=["solenoid", "solenoid with RF", "uncoupled with RF", "skew quadrupole"],
)
def test_normal_modes_advance_by_their_phases(
    elements: tuple[dict[str, Value], ...], dimensions: int
) -> None:
    matrix = matrix_of(*elements)
    modes = core.normal_modes(matrix, dimensions)
    own = np.zeros((6, 6))
    own[:dimensions, :dimensions] = matrix[:dimensions, :dimensions]
    phases, vectors = modes["phases"], modes["vectors"]
    eigenvalues = np.linalg.eigvals(own[:dimensions, :dimensions])
    assert np.abs(np.abs(eigenvalues) - 1).max() < 1e-12
    expected = np.sort(np.angle(eigenvalues)) / (2 * np.pi)
    # The slow mode of synchrotron motion has a cosine within 1e-2 of 1, and loses two digits.
    assert np.sort([*phases, *-phases]) == pytest.approx(expected, abs=1e-12)
    for k, (a, b) in enumerate(vectors):
        turn = 2 * np.pi * phases[k]
        assert own @ a == pytest.approx(np.cos(turn) * a - np.sin(turn) * b, abs=1e-12)
        assert own @ b == pytest.approx(np.cos(turn) * b + np.sin(turn) * a, abs=1e-12)
        assert a @ FORM @ b == pytest.approx(1, rel=1e-12)
        others = [w for j, pair in enumerate(vectors) if j != k for w in pair]
        assert np.abs([[u @ FORM @ w for u in (a, b)] for w in others]).max() < 1e-11


def test_modes_of_planes_alone_are_their_twiss_functions() -> None:
    ring = (DRIFT, FOCUS, DRIFT, DEFOCUS)
    optics = core.lattice_optics(lattice(*ring), [0.0])["twiss"][0]
    vectors = core.normal_modes(matrix_of(*ring), 4)["vectors"]
    for plane, (beta, alpha) in enumerate(optics[:, :2]):
        a, b = vectors[plane][:, 2 * plane : 2 * plane + 2]
        assert a == pytest.approx([np.sqrt(beta), -alpha / np.sqrt(beta)], rel=1e-12)
        assert b == pytest.approx([0, 1 / np.sqrt(beta)], rel=1e-12, abs=1e-15)


def test_a_channel_of_solenoids_turns_two_modes_by_its_angle() -> None:
    # In the frame that turns by θ both planes focus alike, so that the modes' phases are μ ± θ.
    cell = (WEAK | {"strength": 1.2}, {**DRIFT, "length": 0.5})
    phases = core.normal_modes(matrix_of(*cell), 4)["phases"]
    half, length = 0.6, 0.9
    theta = half * length
    focus = np.array(
        [[np.cos(theta), np.sin(theta) / half], [-half * np.sin(theta), np.cos(theta)]]
    )
    mu = np.arccos(np.trace(focus @ [[1, 0.5], [0, 1]]) / 2)
    expected = np.array([mu - theta, mu + theta]) / (2 * np.pi)
    assert np.sort(np.abs(phases)) == pytest.approx(np.sort(np.abs(expected)), rel=1e-12)


@pytest.mark.parametrize(
    ("elements", "cosine"),
    [
        ((DRIFT, {**FOCUS, "k1": 9.0}, WEAK), "7.577473"),
        ((DRIFT, {**FOCUS, "k1": 0.0}), "1.000000"),
    ],
)
def test_an_unstable_lattice_has_no_modes(
    elements: tuple[dict[str, Value], ...], cosine: str
) -> None:
    with refused("unstable", "cosine", cosine, -1, 1, by=ValueError):
        core.normal_modes(matrix_of(*elements), 4)


def test_a_sum_resonance_is_unstable() -> None:
    # Q1 + Q2 = 1 of a ring of two phases, coupled by a skew quadrupole.
    def plane(turns: float) -> Floats:
        c, s = np.cos(2 * np.pi * turns), np.sin(2 * np.pi * turns)
        return np.array([[c, s], [-s, c]])

    ring = np.eye(6)
    ring[:2, :2], ring[2:4, 2:4] = plane(0.3), plane(0.7)
    skew = np.eye(6)
    skew[1, 2] = skew[3, 0] = 0.05
    with refused("unstable", -0.309017, "sum resonance", by=ValueError):
        core.normal_modes(skew @ ring, 4)


def test_a_lattice_whose_kick_never_closes_has_no_orbit() -> None:
    with refused("lattice", "closed orbit", "Newton", by=ValueError):
        core.closed_orbit(lattice(DRIFT, KICK | {"normal": [1e-3], "skew": [0.0]}))
