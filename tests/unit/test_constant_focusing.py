"""A smooth channel: three harmonic oscillators."""

from __future__ import annotations

import math

import numpy as np
import pytest

from phasewise.workloads.spacecharge.optics import optics_of
from tests.sentences import refused
from tests.unit.lattice_text import FOCUSING, GAMMA, lattice
from tests.unit.spacecharge_study import study

core = pytest.importorskip("phasewise._core", reason="the core is not built")


def test_each_plane_oscillates_at_any_amplitude_and_momentum() -> None:
    length = 1.3
    start = np.array([[0.1, -0.02], [0.3, 0.1], [-0.2, 0.05], [0.2, -0.4], [0.5, 0.1], [0.2, -0.1]])
    found = np.asarray(core.push_lattice(lattice(FOCUSING), np.ascontiguousarray(start)))
    for plane, kappa in enumerate((2.0, 0.7, 0.2)):
        k = math.sqrt(kappa)
        c, s = math.cos(k * length), math.sin(k * length)
        rate = 1.0 if plane < 2 else GAMMA**-2  # z' = δ/γ²
        u, p = start[2 * plane], start[2 * plane + 1]
        assert found[2 * plane] == pytest.approx(c * u + s / k * rate * p, rel=1e-13)
        assert found[2 * plane + 1] == pytest.approx(c * p - s * k / rate * u, rel=1e-13)


def test_without_strength_it_is_a_drift_of_small_angles() -> None:
    free = FOCUSING | {"focusing": [0.0, 0.0, 0.0]}
    point = np.array([[1e-3], [2e-3], [3e-3], [-1e-3], [0.1], [1e-3]])
    found = np.asarray(core.push_lattice(lattice(free), point))
    expected = point.copy()
    expected[0] += 1.3 * point[1]
    expected[2] += 1.3 * point[3]
    expected[4] += 1.3 * point[5] / GAMMA**2
    assert found == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("turns", [0.3, 2.8])
def test_twiss_counts_its_whole_turns(turns: float) -> None:
    kappa = [(2 * math.pi * turns / 10) ** 2, (2 * math.pi * (turns + 0.1) / 10) ** 2, 0.0]
    element = {"kind": "constant-focusing", "length": 10.0, "focusing": kappa}
    found = optics_of(study(lattice={"element": [element]}).model)
    assert found.tunes == pytest.approx((turns, turns + 0.1), rel=1e-9)
    assert found.beta == pytest.approx([1 / math.sqrt(k) for k in kappa[:2]], rel=1e-9)
    assert found.chromaticity == pytest.approx((0.0, 0.0), abs=1e-9)


@pytest.mark.parametrize(
    ("focusing", "facts"),
    [([1.0, -1.0, 0.0], ("focusing", "0")), ([1.0, 1.0], ("focusing", 3)), (None, ("focusing",))],
)
def test_what_is_no_channel_is_refused(focusing: object, facts: tuple[object, ...]) -> None:
    element = {"kind": "constant-focusing", "length": 1.0, "focusing": focusing}
    if focusing is None:
        del element["focusing"]
    with refused("lattice.element[1]", *facts):
        study(lattice={"element": [element]})
