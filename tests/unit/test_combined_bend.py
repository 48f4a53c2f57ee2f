"""Bends with a gradient: their matrix is that of the textbook, in all maps and any number of
slices, and the rest converges to Hamilton's equations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import phasewise._core as core
from tests.unit.arc_text import Value
from tests.unit.lattice_text import BETA, GAMMA, lattice

Floats = NDArray[np.float64]
LENGTH, ANGLE = 1.1, 0.35
H = ANGLE / LENGTH


def bend(k1: float, **more: Value) -> dict[str, Value]:
    body: dict[str, Value] = {"element": "bend", "length": LENGTH, "angle": ANGLE, "k1": k1}
    return body | {"edge_order": [0.0, 0.0]} | more


def plane(kappa: float, length: float) -> Floats:
    """The matrix of u'' = -κu."""
    root = np.sqrt(complex(kappa))
    if kappa == 0:
        return np.array([[1.0, length], [0.0, 1.0]])
    c, s = np.cos(root * length), np.sin(root * length)
    return np.array([[c, s / root], [-root * s, c]]).real


def textbook(k1: float) -> Floats:
    """The matrix of a sector with a gradient, with kx = h² + k1."""
    kx = H * H + k1
    x = plane(kx, LENGTH)
    expected = np.eye(6)
    expected[:2, :2], expected[2:4, 2:4] = x, plane(-k1, LENGTH)
    if kx == 0:
        d, e = LENGTH**2 / 2, LENGTH**3 / 6
    else:
        d, e = (1 - x[0, 0]) / kx, (LENGTH - x[0, 1]) / kx
    expected[0, 5], expected[1, 5] = H * d, H * x[0, 1]
    expected[4, 0], expected[4, 1] = -H * x[0, 1], -H * d
    expected[4, 5] = LENGTH / GAMMA**2 - H * H * e
    return expected


@pytest.mark.parametrize("steps", [1.0, 8.0, 32.0])
@pytest.mark.parametrize("k1", [-0.6, 0.7, -H * H, 1e-9, 6.0])
def test_it_has_the_matrix_of_the_textbook_in_any_number_of_slices(k1: float, steps: float) -> None:
    matrix = core.lattice_map(lattice(bend(k1, steps=steps)))["matrix"]
    # Some roundings of each of up to 33 pieces, of entries up to 15.
    assert matrix == pytest.approx(textbook(k1), rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("maps", ["exact", "linear", "second-order"])
def test_all_maps_have_that_matrix(maps: str) -> None:
    text = lattice(bend(-0.6), {"element": "drift", "length": 0.5}, maps=maps)
    ends = [np.asarray(core.push_lattice(text, h * np.eye(6))) for h in (1e-6, -1e-6)]
    drift = np.eye(6)
    drift[0, 1] = drift[2, 3] = 0.5
    drift[4, 5] = 0.5 / GAMMA**2
    # Differences that err by h² of third order, and by rounding, 1e-16/h.
    assert (ends[0] - ends[1]) / 2e-6 == pytest.approx(drift @ textbook(-0.6), abs=1e-9)


def slopes(u: Floats, k1: float) -> Floats:
    """Hamilton's equations of a sector with a gradient, with z = -βc Δt."""
    x, px, y, py, _, delta = u
    p = 1 + delta
    ps = np.sqrt(p * p - px * px - py * py)
    momentum = p * GAMMA * BETA
    velocity = momentum / np.hypot(1, momentum) / BETA
    return np.array(
        [
            (1 + H * x) * px / ps,
            H * ps - H * (1 + H * x) - k1 * (x + H * (x * x - y * y / 2)),
            (1 + H * x) * py / ps,
            k1 * (y + H * x * y),
            velocity - (1 + H * x) * p / ps,
            0.0,
        ]
    )


def solved(u: Floats, k1: float, steps: int = 400) -> Floats:
    """By the Runge-Kutta method of fourth order, which errs by (L/400)⁴ of a small change."""
    h = LENGTH / steps
    for _ in range(steps):
        a = slopes(u, k1)
        b = slopes(u + h / 2 * a, k1)
        c = slopes(u + h / 2 * b, k1)
        u = u + h / 6 * (a + 2 * b + 2 * c + slopes(u + h * c, k1))
    return u


@pytest.mark.parametrize("k1", [-0.6, 0.7])
def test_its_slices_converge_to_hamiltons_equations_as_their_square(k1: float) -> None:
    start = np.array([5e-3, 3e-3, -3e-3, 2e-3, 5e-3, 7e-3])
    expected = solved(start, k1)
    errors: list[Any] = []
    for steps in (8.0, 16.0, 32.0):
        found = np.asarray(core.push_lattice(lattice(bend(k1, steps=steps)), start[:, None]))[:, 0]
        errors.append(np.abs(found - expected)[:5])
    # By some 3e-8 in eight slices: the rest that is kicked is of third order.
    assert errors[0].max() < 1e-7
    assert np.log2(errors[0] / errors[1]) == pytest.approx([2] * 5, abs=0.1)
    assert np.log2(errors[1] / errors[2]) == pytest.approx([2] * 5, abs=0.1)


def test_a_weak_gradient_is_a_small_change_of_the_sector_bend() -> None:
    start = np.array([[3e-3, 2e-3, -2e-3, 1e-3, 5e-3, 4e-3]]).T
    plain = np.asarray(core.push_lattice(lattice(bend(0.0)), start))
    weak = np.asarray(core.push_lattice(lattice(bend(1e-12)), start))
    # The sector's square root is not split. The splitting of the other errs by third-order terms,
    # h x px² L and the like, of some 1e-8.
    assert weak == pytest.approx(plain, rel=0, abs=2e-8)


def test_without_an_angle_a_gradient_is_a_quadrupole() -> None:
    start = np.array([[3e-3, 2e-3, -2e-3, 1e-3, 5e-3, 4e-3]]).T
    straight = lattice({"element": "bend", "length": 0.4, "angle": 0.0, "k1": 3.1})
    quadrupole = lattice({"element": "magnet", "length": 0.4, "k1": 3.1})
    assert np.array_equal(core.push_lattice(straight, start), core.push_lattice(quadrupole, start))


def test_a_ring_of_them_has_the_tunes_of_its_closed_form() -> None:
    # 24 cells of two bends with k1 = ±0.35 m⁻² and half a metre of drift behind each.
    h, k1 = 2 * np.pi / 48 / 2, 0.35
    cell = [
        part
        for sign in (1, -1)
        for part in (
            {"element": "bend", "length": 2.0, "angle": 2 * h, "k1": sign * k1},
            {"element": "drift", "length": 0.5},
        )
    ]
    found = core.ring_optics(lattice(*cell * 24))
    drift = np.array([[1, 0.5], [0, 1]])
    x = drift @ plane(h * h - k1, 2.0) @ drift @ plane(h * h + k1, 2.0)
    y = drift @ plane(k1, 2.0) @ drift @ plane(-k1, 2.0)
    expected = [24 * np.arccos(np.trace(m) / 2) / (2 * np.pi) for m in (x, y)]
    assert found["tunes"] == pytest.approx(expected, abs=1e-12)
    assert found["tunes"] == pytest.approx([5.025822544, 4.870875550], abs=1e-9)
