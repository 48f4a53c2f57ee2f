"""The optics of a ring about its closed orbit: those of its matrix, and derivatives of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import phasewise._core as core
from tests.sentences import refused
from tests.unit.arc_text import Value
from tests.unit.lattice_text import BETA, GAMMA, PROTON, lattice

SECTOR: dict[str, Value] = {"element": "bend", "length": 1.0, "angle": np.pi / 8, "k1": -0.1}
DRIFT: dict[str, Value] = {"element": "drift", "length": 0.6}
SEXTUPOLE: dict[str, Value] = {"element": "multipole", "normal": [0.0, 0.0, 0.4]}
SKEW: dict[str, Value] = {"element": "multipole", "skew": [0.0, 0.05]}
FOCUS: dict[str, Value] = {"element": "magnet", "length": 0.3, "k1": 1.1}
DEFOCUS: dict[str, Value] = {"element": "magnet", "length": 0.3, "k1": -0.9}
CELL = (FOCUS, DRIFT, SECTOR, SEXTUPOLE, DRIFT, DEFOCUS, DRIFT, SECTOR, DRIFT)


def corrector(x: float, y: float) -> dict[str, Value]:
    return {"element": "multipole", "normal": [-x], "skew": [y]}


def ring(*more: dict[str, Value]) -> str:
    return lattice(*CELL * 8, *more)


def matrix_about(text: str, orbit: Any, h: float = 1e-5) -> Any:
    """By differences, which err by h² of third order and by rounding, 1e-16/h."""
    ahead, behind = (
        np.asarray(core.push_lattice(text, orbit[:, None] + s * h * np.eye(6))) for s in (1, -1)
    )
    return (ahead - behind) / (2 * h)


def orbit_at(text: str, delta: float) -> Any:
    """The closed orbit of a momentum, by Newton's method on the tracked particle."""
    orbit = np.zeros(6)
    orbit[5] = delta
    for _ in range(8):
        matrix = matrix_about(text, orbit)[:4, :4]
        after = np.asarray(core.push_lattice(text, orbit[:, None]))[:4, 0]
        orbit[:4] += np.linalg.solve(np.eye(4) - matrix, after - orbit[:4])
    return orbit


def tunes_of(matrix: Any) -> Any:
    """Tunes within half a turn of a coupled or uncoupled matrix, the higher one first."""
    phases = np.abs(np.angle(np.linalg.eigvals(matrix[:4, :4]))) / (2 * np.pi)
    return np.sort(phases)[[3, 1]]


def within_half(tunes: Any) -> Any:
    fractions = np.asarray(tunes) % 1
    return np.sort(np.minimum(fractions, 1 - fractions))[::-1]


def test_it_agrees_with_the_optics_of_the_matrix() -> None:
    text = ring()
    found, plain = core.ring_optics(text), core.lattice_optics(text, [0.0, 0.3, 0.9])
    assert found["tunes"] % 1 == pytest.approx([plain["tune_x"], plain["tune_y"]], abs=1e-12)
    # s, and five numbers for each plane, at the start and behind the first two elements.
    for k in range(3):
        expected = plain["twiss"][k]
        assert found["along"][k, 0] == pytest.approx([0.0, 0.3, 0.9][k])
        for axis, first in ((0, 1), (1, 6)):
            beta, alpha, phase, d, slope = found["along"][k, first : first + 5]
            assert (beta, alpha, d, slope, phase) == pytest.approx(expected[axis], abs=1e-10)
    assert found["slip"] == pytest.approx(plain["slip"], rel=1e-10)
    assert not found["coupled"]
    assert found["synchrotron_tune"] is None
    # The last row repeats the first, a turn later.
    first, last = found["along"][[0, -1]]
    assert last[[1, 2, 4, 5, 6, 7]] == pytest.approx(first[[1, 2, 4, 5, 6, 7]], abs=1e-9)
    assert last[[3, 8]] == pytest.approx(found["tunes"])


@pytest.mark.parametrize("more", [(), (corrector(1e-3, -5e-4),), (SKEW, corrector(1e-3, 0.0))])
def test_chromaticity_is_the_change_of_the_tunes_with_momentum(
    more: tuple[dict[str, Value], ...],
) -> None:
    text, step = ring(*more), 1e-4
    found = core.ring_optics(text)
    ahead, behind = (tunes_of(matrix_about(text, orbit_at(text, s * step))) for s in (1, -1))
    slopes = (ahead - behind) / (2 * step)
    fractions = np.asarray(found["tunes"]) % 1
    signed = np.where(fractions > 0.5, -1, 1) * found["chromaticity"]
    order = np.argsort(np.minimum(fractions, 1 - fractions))[::-1]
    # Third derivatives of some 1e3, times 1e-8; rounding of the differences.
    assert signed[order] == pytest.approx(slopes, rel=1e-4, abs=1e-3)


def test_correctors_have_the_optics_about_the_orbit_that_they_make() -> None:
    text = ring(corrector(1e-3, -5e-4))
    found = core.ring_optics(text)
    orbit = orbit_at(text, 0.0)
    assert np.abs(orbit[:4]).max() > 1e-4
    assert found["closed_orbit"] == pytest.approx(orbit, abs=1e-12)
    assert found["along"][0, 11:] == pytest.approx(orbit[:4], abs=1e-12)
    # The orbit goes off axis through sextupoles, which shifts the tunes.
    assert within_half(found["tunes"]) == pytest.approx(
        tunes_of(matrix_about(text, orbit)), abs=1e-8
    )
    assert np.abs(found["tunes"] - core.ring_optics(ring())["tunes"]).max() > 1e-5


def test_a_ring_that_couples_has_the_tunes_of_its_normal_modes() -> None:
    text = ring(SKEW)
    found = core.ring_optics(text)
    assert found["coupled"]
    assert within_half(found["tunes"]) == pytest.approx(
        tunes_of(matrix_about(text, np.zeros(6))), abs=1e-8
    )


def test_a_cavity_gives_the_synchrotron_tune() -> None:
    voltage, frequency = 1e4, 5e7
    gap: dict[str, Value] = {"element": "cavity", "voltage": voltage, "frequency": frequency}
    slip = core.ring_optics(ring())["slip"]
    # Below transition, slip > 0, the falling zero bunches: 2 - 2 cos 2πQ = slip times the rise.
    rise = voltage / (BETA**2 * PROTON["energy"]) * 2 * np.pi * frequency / (BETA * 299792458.0)
    expected = np.arccos(1 - slip * rise / 2) / (2 * np.pi)
    found = core.ring_optics(ring({**gap, "phase": 0.5}))
    assert slip > 0
    # Dispersion at the cavity changes it by the square of the synchrotron tune.
    assert found["synchrotron_tune"] == pytest.approx(expected, rel=10 * expected**2)
    assert core.ring_optics(ring({**gap, "phase": 0.0}))["synchrotron_tune"] is None
    assert found["slip"] == pytest.approx(slip, rel=1e-12)
    assert GAMMA > 1


def test_a_ring_that_is_unstable_is_named_in_a_sentence() -> None:
    lens: dict[str, Value] = {"element": "multipole", "normal": [0.0, 5.0]}
    with refused("unstable", by=ValueError):
        core.ring_optics(lattice(DRIFT, lens))
