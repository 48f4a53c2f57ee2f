"""Magnets with a length: symplectic, equal to their closed forms, and the same however they are
cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

import phasewise._core as core
from tests.sentences import refused
from tests.unit.arc_text import Value
from tests.unit.lattice_text import (
    BEND,
    BETA,
    CAVITY,
    COMBINED,
    DRIFT,
    GAMMA,
    MAGNETS,
    MULTIPOLE,
    PROTON,
    QUADRUPOLE,
    SEXTUPOLE,
    SOLENOID,
    lattice,
)

Floats = NDArray[np.float64]
SPEED_OF_LIGHT = 299792458.0
FORM = np.kron(np.eye(3), [[0.0, 1.0], [-1.0, 0.0]])
SMALL = np.array([3e-3, 2e-3, -2e-3, 1e-3, 5e-3, 4e-3])
"""A particle for which terms of second order are 1e-3 of those of first order."""


def push(text: str, c: Floats, start: float = 0.0, end: float = -1.0) -> Floats:
    return np.asarray(core.push_lattice(text, np.ascontiguousarray(c), start, end))


def jacobian(text: str, point: Floats, h: float = 1e-3) -> Floats:
    """By differences of sixth order: they err by h⁶ = 1e-18 times a derivative, and by rounding,
    1e-16/h.
    """
    parts = np.zeros((6, 6))
    for k, weight in ((1, 45.0), (2, -9.0), (3, 1.0)):
        ahead = push(text, point[:, None] + k * h * np.eye(6))
        behind = push(text, point[:, None] - k * h * np.eye(6))
        parts += weight * (ahead - behind)
    return parts / (60 * h)


@pytest.mark.parametrize("name", MAGNETS)
def test_every_magnet_is_symplectic(name: str) -> None:
    found = jacobian(lattice(MAGNETS[name]), SMALL)
    # The strongest multipoles have sixth derivatives of 1e6, so that h⁶ leaves 1e-11.
    assert np.abs(found.T @ FORM @ found - FORM).max() < 1e-10


@pytest.mark.parametrize("name", MAGNETS)
def test_the_expansion_agrees_with_the_map_to_third_order(name: str) -> None:
    text = lattice(MAGNETS[name])
    found = core.lattice_map(text)
    differences = []
    for scale in (1.0, 0.5):
        u = scale * SMALL
        expected = found["matrix"] @ u + np.einsum("ijk,j,k->i", found["tensor"], u, u)
        differences.append(np.abs(push(text, u[:, None])[:, 0] - expected).max())
    # What is left falls with the third power, or is rounding.
    assert differences[1] < differences[0] / 6 + 1e-17


@pytest.mark.parametrize("name", MAGNETS)
def test_the_matrix_of_the_expansion_is_symplectic_to_rounding(name: str) -> None:
    matrix = core.lattice_map(lattice(MAGNETS[name]))["matrix"]
    # Some tens of roundings of numbers up to 4.
    assert np.abs(matrix.T @ FORM @ matrix - FORM).max() < 1e-14


def test_a_drift_is_a_straight_line_at_the_particles_own_speed() -> None:
    u = SMALL * 10
    x, px, y, py, z, delta = push(lattice(DRIFT), u[:, None])[:, 0]
    p = 1 + u[5]
    ps = np.sqrt(p**2 - u[1] ** 2 - u[3] ** 2)
    assert x - u[0] == pytest.approx(1.7 * u[1] / ps, rel=1e-13)
    assert y - u[2] == pytest.approx(1.7 * u[3] / ps, rel=1e-13)
    momentum = PROTON["mass"] * GAMMA * BETA
    beta = p * momentum / np.hypot(p * momentum, PROTON["mass"])
    # The difference of flight times, times the particle's speed.
    expected = beta / BETA * 1.7 - 1.7 * p / ps
    assert z - u[4] == pytest.approx(expected, rel=1e-11)
    assert (px, py, delta) == (u[1], u[3], u[5])


@pytest.mark.parametrize("sign", [1, -1])
def test_a_quadrupole_has_the_matrix_of_its_gradient(sign: int) -> None:
    matrix = core.lattice_map(lattice({**QUADRUPOLE, "k1": sign * 3.1}))["matrix"]
    root, length = np.sqrt(3.1), 0.4
    focus = [
        [np.cos(root * length), np.sin(root * length) / root],
        [-root * np.sin(root * length), np.cos(root * length)],
    ]
    defocus = [
        [np.cosh(root * length), np.sinh(root * length) / root],
        [root * np.sinh(root * length), np.cosh(root * length)],
    ]
    planes = (focus, defocus) if sign > 0 else (defocus, focus)
    assert np.allclose(matrix[:2, :2], planes[0], rtol=1e-14, atol=0)
    assert np.allclose(matrix[2:4, 2:4], planes[1], rtol=1e-14, atol=0)
    assert matrix[4, 5] == pytest.approx(length / GAMMA**2, rel=1e-14)


def test_a_quadrupole_focuses_a_particle_of_more_momentum_less() -> None:
    delta, h = 0.1, 1e-6
    start = np.array([h, 0, 0, 0, 0, delta])
    found = push(lattice(QUADRUPOLE), start[:, None])[:, 0]
    angle = 0.4 * np.sqrt(3.1 / (1 + delta))
    # The rest is of third order in h.
    assert found[0] / h == pytest.approx(np.cos(angle), rel=1e-11)
    expected = -np.sqrt(3.1 * (1 + delta)) * np.sin(angle)
    assert found[1] / h == pytest.approx(expected, rel=1e-11)


def test_a_sector_bend_has_the_matrix_of_the_textbook() -> None:
    plain = {"element": "bend", "length": 1.1, "angle": 0.35}
    matrix = core.lattice_map(lattice(plain))["matrix"]
    h, angle, length = 0.35 / 1.1, 0.35, 1.1
    c, s = np.cos(angle), np.sin(angle)
    expected = np.eye(6)
    expected[:2, :2] = [[c, s / h], [-h * s, c]]
    expected[2, 3] = length
    expected[0, 5], expected[1, 5] = (1 - c) / h, s
    expected[4, 0], expected[4, 1] = -s, -(1 - c) / h
    expected[4, 5] = length / GAMMA**2 - (length - s / h)
    assert np.allclose(matrix, expected, rtol=0, atol=1e-14)


def test_a_particle_of_any_momentum_goes_round_its_own_circle_in_a_bend() -> None:
    # It enters on the reference orbit and leaves on a circle of radius (1 + δ)/h about a centre
    # that lies (1 + δ)/h from the entry.
    delta, h, angle = 0.2, 0.35 / 1.1, 0.35
    start = np.array([0, 0, 0, 0, 0, delta])
    plain = {"element": "bend", "length": 1.1, "angle": angle}
    x, px = push(lattice(plain), start[:, None])[:2, 0]
    radius, shift = (1 + delta) / h, delta / h
    # In the plane of the exit: r from the reference centre with |r n - c| = radius.
    r = -shift * np.cos(angle) + np.sqrt(radius**2 - (shift * np.sin(angle)) ** 2)
    assert x == pytest.approx(r - 1 / h, rel=1e-12)
    assert px == pytest.approx(h * shift * np.sin(angle), rel=1e-12)


def test_edges_of_half_the_angle_make_a_bend_rectangular() -> None:
    # It does not focus in its own plane, and in the other one like two lenses of h tan(θ/2).
    angle, length = 0.35, 1.1
    rectangular = {**BEND, "edges": [angle / 2, angle / 2], "half_gap": 0.0, "fringe": 0.0}
    matrix = core.lattice_map(lattice(rectangular))["matrix"]
    assert matrix[:2, :2] == pytest.approx(
        np.array([[1, np.sin(angle) * length / angle], [0, 1]]), abs=1e-14
    )
    lens = np.array([[1, 0], [-np.tan(angle / 2) * angle / length, 1]])
    drift = np.array([[1, length], [0, 1]])
    assert matrix[2:4, 2:4] == pytest.approx(lens @ drift @ lens, abs=1e-14)


def test_an_edge_kicks_by_its_angle_and_its_fringe_field() -> None:
    # px += h tan(e) x, py -= h tan(e - ψ) y with ψ = 2 h g f (1 + sin² e)/cos e, before the sector
    # and behind it, to first order.
    h, gap, fringe = 0.35 / 1.1, 0.02, 0.5
    sector: dict[str, Value] = {"element": "bend", "length": 1.1, "angle": 0.35}
    sector["edge_order"] = [0.0, 0.0]
    edges = []
    for e in (0.1, 0.2):
        psi = 2 * h * gap * fringe * (1 + np.sin(e) ** 2) / np.cos(e)
        edges.append(np.array([h * np.tan(e), -h * np.tan(e - psi)])[:, None])
    c = np.outer(SMALL, [1.0, -3.0])
    c[[1, 3]] += edges[0] * c[[0, 2]]
    c = push(lattice(sector), c)
    c[[1, 3]] += edges[1] * c[[0, 2]]
    linear = lattice({**BEND, "edge_order": [1.0, 1.0]})
    assert push(linear, np.outer(SMALL, [1.0, -3.0])) == pytest.approx(c, rel=1e-14, abs=0)


@pytest.mark.parametrize("entry", [True, False])
def test_an_edge_has_the_second_order_of_a_hard_edge(entry: bool) -> None:
    # Brown, SLAC-75 (1982), for plane faces, where n h² is -k1 here: coefficients of products.
    h, k1, e, length = 0.4, -0.7, 0.3, 1e-9
    t, sec2, side = np.tan(e), 1 / np.cos(e) ** 2, 1 if entry else -1
    given: dict[str, Value] = {"element": "bend", "length": length, "angle": h * length, "k1": k1}
    given["edges"] = [e, 0.0] if entry else [0.0, e]
    given["edge_order"] = [2.0, 0.0] if entry else [0.0, 2.0]
    tensor = core.lattice_map(lattice(given))["tensor"]
    x, px, y, py = range(4)
    expected = {
        (x, x, x): -side * h * t**2 / 2,
        (x, y, y): side * h * sec2 / 2,
        (px, x, x): k1 * t - (0 if entry else h**2 * t**3 / 2),
        (px, x, px): side * h * t**2,
        (px, y, y): -k1 * t + h**2 * t * ((0.5 + t**2) if entry else -(t**2) / 2),
        (px, y, py): -side * h * t**2,
        (y, x, y): side * h * t**2,
        (py, x, y): -2 * k1 * t + (0 if entry else h**2 * t * sec2),
        (py, x, py): -side * h * t**2,
        (py, px, y): -side * h * sec2,
    }
    for i in range(4):
        for j in range(4):
            for k in range(j, 4):
                found = tensor[i, j, k] + (tensor[i, k, j] if j != k else 0)
                assert found == pytest.approx(expected.get((i, j, k), 0.0), abs=1e-8)


def test_a_multipole_kicks_by_its_complex_polynomial() -> None:
    u = SMALL * 10
    found = push(lattice(MULTIPOLE), u[:, None])[:, 0]
    normal = np.array(MULTIPOLE["normal"])
    skew = np.append(MULTIPOLE["skew"], [0, 0])
    factorial = np.array([1, 1, 2, 6, 24, 120])
    w = u[0] + 1j * u[2]
    kick = ((normal + 1j * skew) * w ** np.arange(6) / factorial).sum()
    assert found[1] - u[1] == pytest.approx(-kick.real, rel=1e-12)
    assert found[3] - u[3] == pytest.approx(kick.imag, rel=1e-12)
    assert found[[0, 2, 4, 5]].tolist() == u[[0, 2, 4, 5]].tolist()


def test_a_long_sextupole_converges_to_the_thick_one_as_the_square_of_its_slices() -> None:
    u = SMALL * 10
    found = [
        push(lattice({**SEXTUPOLE, "steps": steps}), u[:, None])[:, 0]
        for steps in (4.0, 8.0, 16.0, 256.0)
    ]
    errors = [np.abs(each - found[-1]).max() for each in found[:-1]]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders == pytest.approx([2, 2], abs=0.1)


def test_a_solenoid_turns_and_focuses_by_half_its_strength() -> None:
    matrix = core.lattice_map(lattice(SOLENOID))["matrix"]
    half = 1.7 / 2
    angle = half * 0.9
    c, s = np.cos(angle), np.sin(angle)
    plane = np.array([[c, s / half], [-half * s, c]])
    turned = np.kron([[c, s], [-s, c]], plane)
    assert np.allclose(matrix[:4, :4], turned, rtol=0, atol=1e-14)


def test_a_cavity_changes_the_energy_by_its_voltage() -> None:
    z = 0.3
    gap = {**CAVITY, "length": 0.0}
    found = push(lattice(gap), np.array([[0, 0, 0, 0, z, 0]]).T)[:, 0]
    momentum = PROTON["mass"] * GAMMA * BETA
    energy = np.hypot((1 + found[5]) * momentum, PROTON["mass"])
    turns = 0.45 + 5e7 * z / (BETA * SPEED_OF_LIGHT)
    gain = 2e5 * (np.sin(2 * np.pi * turns) - np.sin(2 * np.pi * 0.45))
    # The energies differ by 1e5 of 1e9 eV.
    assert energy - PROTON["energy"] == pytest.approx(gain, rel=1e-10)


def test_parts_of_a_lattice_make_up_the_whole() -> None:
    text = lattice(DRIFT, QUADRUPOLE, SEXTUPOLE, COMBINED, MULTIPOLE, SOLENOID, CAVITY)
    length = core.lattice_length(text)
    assert length == pytest.approx(1.7 + 0.4 + 0.3 + 1.1 + 0.9 + 0.5, rel=1e-15)
    between = [0.0, 1.7, 1.7 + 0.4, 3.5, 4.2, length]
    within = [0.0, 1.5, 1.95, 2.25, 3.0, 3.51, 4.3, length]
    start = np.outer(SMALL, [1.0, -2.0, 0.5])
    whole, sizes = push(text, start), np.abs(start).max(axis=0)
    # The splitting of a quadrupole depends on where it is cut, by L³ k1 px² of px.
    for cuts, tolerance in ((between, 1e-14), (within, sizes**3)):
        c = start
        for first, last in pairwise(cuts):
            c = push(text, c, first, last)
        assert np.all(np.abs(c - whole) < tolerance)


@pytest.mark.parametrize("maps", ["linear", "second-order"])
def test_joined_maps_are_the_expansion_of_what_lies_between_apertures(maps: str) -> None:
    aperture: dict[str, Value] = {"element": "aperture", "shape": "ellipse"}
    aperture["half_width"] = [0.1, 0.1]
    # The first part is symmetric about y = 0, the second is not.
    elements = (DRIFT, COMBINED, QUADRUPOLE, aperture, COMBINED, SEXTUPOLE)
    found = push(lattice(*elements, maps=maps), SMALL[:, None])[:, 0]
    u = SMALL
    for part in (elements[:3], elements[4:]):
        about = core.lattice_map(lattice(*part))
        second = np.einsum("ijk,j,k->i", about["tensor"], u, u) if maps != "linear" else 0.0
        u = about["matrix"] @ u + second
    assert found == pytest.approx(u, rel=1e-12)


def test_a_kick_that_moves_the_reference_particle_is_not_joined() -> None:
    corrector: dict[str, Value] = {"element": "multipole", "normal": [1e-3]}
    found = push(lattice(DRIFT, corrector, DRIFT, maps="linear"), np.zeros((6, 1)))
    assert found[:2, 0] == pytest.approx([-1.7e-3, -1e-3], rel=1e-12)
    with refused("element", "expansion", by=ValueError):
        core.lattice_map(lattice(corrector))


BAD: list[tuple[Mapping[str, Value], tuple[object, ...]]] = [
    ({"element": "drift", "length": -1.0}, ("lattice.1.length = -1.0", 0)),
    ({"element": "magnet", "length": 1.0, "normal": [0.0] * 7}, ("lattice.1.normal", 6)),
    ({**SEXTUPOLE, "steps": 2.5}, ("lattice.1.steps = 2.5", 1, 1000)),
    ({**BEND, "edges": [2.0, 0.0]}, ("lattice.1.edges = 2.0 0.0", "π/2")),
    ({"element": "wiggler"}, ("lattice.1.element = wiggler", "drift", "multipole")),
]


@pytest.mark.parametrize(("element", "facts"), BAD)
def test_what_cannot_be_built_is_refused_in_a_sentence(
    element: Mapping[str, Value], facts: tuple[object, ...]
) -> None:
    with refused(*facts, by=ValueError):
        core.lattice_length(lattice(element))
