"""The kick by a Gaussian slice on vectors, against the plain field; w against the exact one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import wofz

import phasewise._core as core

Floats = NDArray[np.float64]
SIZE = 1e-5  # m, of the wider axis
NEARLY_ROUND = 0.985


def w(z: NDArray[np.complex128]) -> NDArray[np.complex128]:
    re_, im = core.rational_faddeeva(np.ascontiguousarray(z.real), np.ascontiguousarray(z.imag))
    return np.asarray(re_ + 1j * im)


def test_w_agrees_with_scipy_over_the_quadrant() -> None:
    random = np.random.default_rng(3)
    radius = 10 ** random.uniform(-8, 8, 100_000)
    angle = random.uniform(0, np.pi / 2, radius.size)
    angle[::3] = 10 ** random.uniform(-12, 0, angle[::3].size)
    near = random.uniform(0, 12, 50_000) + 1j * random.uniform(0, 12, 50_000)
    axes = np.array([0, 1, 5, 1j, 5j])
    z = np.concatenate([radius * np.exp(1j * angle), near, axes])
    exact = wofz(z)
    assert np.max(np.abs(w(z) - exact) / np.abs(exact)) < 1e-13


def test_the_coefficients_of_w_are_those_of_weideman(repository: Path) -> None:
    text = (repository / "core/numerics/rational_faddeeva.hpp").read_text()
    written = re.search(r"a\[terms\] = \{(.*?)\};", text, re.DOTALL)
    length = re.search(r"length = (\S+);", text)
    assert written and length
    given = np.array([float(number) for number in written[1].split(",")])
    real, terms = np.longdouble, 36
    assert float(length[1]) == pytest.approx(np.sqrt(terms / np.sqrt(2)), rel=1e-15)
    steps = 2 * terms
    k = np.arange(-steps + 1, steps)
    theta = k * real("3.14159265358979323846264338327950288") / steps
    t = real(float(length[1])) * np.tan(theta / 2)
    f = np.exp(-t * t) * (real(float(length[1])) ** 2 + t * t)
    expected = [np.sum(f * np.cos(n * theta)) / (2 * steps) for n in range(terms, 0, -1)]
    # The numbers are rounded to double precision, and the sums to that of `real`.
    assert np.allclose(given, np.array(expected, dtype=float), rtol=2e-16, atol=1e-15)


def particles(ratio: float, count: int = 3000, seed: int = 1) -> Floats:
    """(6, n): within the slice, around it, 50 sizes away, and at its centre; all at z = 0."""
    result = np.zeros((6, count))
    random = np.random.default_rng(seed)
    result[[0, 2]] = random.normal(size=(2, count)) * SIZE * np.array([[1.0], [ratio]])
    result[[0, 2], ::3] *= 4
    result[[0, 2], ::10] = 50 * SIZE * random.normal(size=(2, len(result[0, ::10])))
    result[0, ::11] = 0.0
    result[2, ::13] = 0.0
    return result


def kicked(
    given: Floats,
    xx: tuple[float, ...],
    yy: tuple[float, ...],
    xy: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0),
    *,
    mean: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0),
    scale: float = 1.0,
    one_by_one: bool = False,
    waist_slope: float = 0.0,
) -> Floats:
    kick = core.gaussian_kick(given, 0.0, mean, xx, yy, xy, scale, one_by_one, waist_slope)
    return np.asarray(kick)


@pytest.mark.parametrize(
    ("ratio", "tolerance"),
    [
        *((ratio, 5e-15) for ratio in (1e-4, 0.01, 0.1, 0.3, 0.6, 3.0, 100.0)),
        # That by w loses 1e-15/sqrt(1 - ratio), and the plain field, by w up to 0.9, as much again.
        (0.85, 8e-15),
        *((ratio, 1.5e-14) for ratio in (0.95, 0.9849)),
        # The expansion about a round charge loses nothing.
        *((ratio, 5e-15) for ratio in (0.9851, 0.999, 1 - 1e-12, 1.0, 1.01)),
    ],
)
def test_the_kick_is_the_plain_field(ratio: float, tolerance: float) -> None:
    given = particles(ratio)
    found = kicked(given, (SIZE**2, 0, 0), ((ratio * SIZE) ** 2, 0, 0))
    expected = core.gaussian_field(given[0], given[2], SIZE, ratio * SIZE)[:2]
    assert np.abs(found[[1, 3]] - expected).max() < tolerance * np.abs(expected).max()


@pytest.mark.parametrize("ratio", [1e-3, 0.1, 0.7, 0.98, 0.99, 1.0, 5.0])
@pytest.mark.parametrize("roll", [0.0, 0.4, -1.3])
def test_a_rolled_slice_kicks_by_the_plain_field_and_its_derivatives(
    ratio: float, roll: float
) -> None:
    axes = np.array([[np.cos(roll), -np.sin(roll)], [np.sin(roll), np.cos(roll)]])
    charge = SIZE**2 * axes @ np.diag([1.0, ratio**2]) @ axes.T
    given = particles(ratio)
    given[[0, 2]] = axes @ given[[0, 2]]
    xx, xy, yy = charge[0, 0], charge[0, 1], charge[1, 1]
    # The slice moves and changes its size, so that the kick in energy has all of its terms; at
    # s = 0 the slice is as given.
    rate = (3e-4 * SIZE, -7e-4 * SIZE, 2e-4 * SIZE)
    mean = (0.0, 1e-3, 0.0, -2e-3)
    found = kicked(given, (xx, rate[0], 0), (yy, rate[1], 0), (xy, rate[2], rate[2], 0), mean=mean)
    ex, ey, pxx, pyy, pxy, _ = core.rolled_gaussian(given[0], given[2], xx, xy, yy)
    largest = np.hypot(ex, ey).max()
    # The smaller variance is a difference, exact to rounding over ratio².
    tolerance = 3e-14 + (1e-15 / min(ratio, 1 / ratio) ** 2 if roll else 0.0)
    assert np.abs(found[[1, 3]] - [ex, ey]).max() < tolerance * largest
    slope = -0.5 * (mean[1] * ex + mean[3] * ey) - pxx * rate[0] - pyy * rate[1] - pxy * rate[2]
    energy = found[5] - 0.25 * (found[1] ** 2 + found[3] ** 2)
    # Both derivatives by Bassetti and Erskine lose 1/(1 - ratio²) more; δ itself is rounded.
    rounded = 1e-15 * np.abs(found[5]).max()
    assert np.abs(energy + slope).max() < 50 * tolerance * np.abs(slope).max() + rounded


SLICES: dict[str, dict[str, Any]] = {
    "flat": {"xx": (1e-10, 2e-8, 9e-8), "yy": (1e-12, 0.0, 9e-10)},
    "tall": {"xx": (1e-12, 2e-10, 9e-10), "yy": (1e-10, 0.0, 9e-8)},
    "round": {"xx": (1e-10, 0.0, 9e-8), "yy": (1e-10, 0.0, 9e-8)},
    "rolled": {"xx": (1e-10, 0.0, 9e-8), "yy": (3e-11, 0.0, 9e-8), "xy": (1e-11, 1e-9, 2e-9, 1e-9)},
    # Round at a distance of its own: a block has particles on both sides of it.
    "both": {"xx": (1e-10, 0.0, 1e-7), "yy": (1.02e-10, 0.0, 0.0)},
    "crab waist": {"xx": (1e-10, 0.0, 9e-8), "yy": (1e-12, 0.0, 1e-8), "waist_slope": 30.0},
    "rolled crab waist": {
        "xx": (1e-10, 0.0, 9e-8),
        "yy": (3e-11, 0.0, 1e-8),
        "xy": (1e-11, 1e-9, 2e-9, 1e-9),
        "waist_slope": 30.0,
    },
}


@pytest.mark.parametrize("name", SLICES)
@pytest.mark.parametrize("count", [1, 7, 128, 1001])
def test_a_block_of_particles_has_the_bits_of_one_particle_after_another(
    name: str, count: int
) -> None:
    given = particles(0.3, count)
    random = np.random.default_rng(7)
    given[[1, 3]] = random.normal(size=(2, count)) * 1e-5
    given[4] = random.normal(size=count) * 0.01
    together = kicked(given, **SLICES[name], scale=1e-10)
    alone = kicked(given, **SLICES[name], scale=1e-10, one_by_one=True)
    assert np.array_equal(together, alone)
    assert not np.array_equal(together, given)
