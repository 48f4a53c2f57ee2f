"""A synchrotron from MAD-X: its optics, and the tune shift by space charge of a bunch in it."""

from __future__ import annotations

import math
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phasewise
import phasewise._core as core
from phasewise.constants import classical_radius
from phasewise.workloads.spacecharge.importers.madx import translate

HERE = Path(__file__).parent
STUDY = HERE / "study.toml"

# TWISS of MAD-X 5.09, whose dispersion is of pt = δ β and is given here of δ.
TUNES = (2.280008403, 2.229912239)
BETA, ALPHA = (11.98611983, 2.166168794), (-2.357807731, 0.496858062)
DISPERSION, TRANSITION = 3.236318, 2.142978433

# One turn of more macroparticles, of one energy: the tunes of small amplitudes are those of its
# middle.
FINE = (
    "turns=1",
    "bunch.macroparticles=400000",
    "bunch.momentum_spread=1e-9",
    'bunch.matched="with-charge"',
    "solver.grid=[64, 64, 64]",
)


MIDDLE = 0.3
"""rms: half the length of the slice that is the middle."""


def test_the_lattice_has_the_optics_that_madx_gives_the_sequence() -> None:
    study = phasewise.load(STUDY)
    found = core.lattice_optics(study.parameters(), [0.0])
    assert study.lattice.length == pytest.approx(64, abs=1e-9)
    # Digits that are printed.
    assert found["tune_x"] == pytest.approx(TUNES[0] % 1, abs=1e-9)
    assert found["tune_y"] == pytest.approx(TUNES[1] % 1, abs=1e-9)
    twiss = found["twiss"][0]
    assert twiss[:, 0] == pytest.approx(BETA, rel=1e-8)
    assert twiss[:, 1] == pytest.approx(ALPHA, rel=1e-8)
    assert twiss[0, 2] == pytest.approx(DISPERSION, rel=1e-6)
    slip = (study.bunch.gamma**-2 - TRANSITION**-2) * 64
    assert found["slip"] == pytest.approx(slip, rel=1e-6)


def test_the_momentum_spread_follows_from_the_cavity() -> None:
    study = phasewise.load(STUDY, ["bunch.macroparticles=20000"])
    particles = phasewise.Simulation(study).driver.particles()
    # To first order in the synchrotron tune, 1.5e-3, the slip of a turn over σz²/σδ² is the
    # focusing of the cavity, 2π h V/(β² E C) of its harmonic 1.
    bunch = study.bunch
    focusing = 2 * math.pi * 8e3 / (bunch.velocity**2 * bunch.energy * 64)
    slip = (bunch.gamma**-2 - TRANSITION**-2) * 64
    expected = math.sqrt(slip / focusing)
    beta_z = core.lattice_optics(study.parameters(), [0.0])["beta_z"]
    assert beta_z == pytest.approx(expected, rel=1e-4)
    # 20 000 quiet particles; the cut takes a part of 8 exp(-8) off the square of the size.
    assert particles["z"].std() == pytest.approx(3.0, rel=5e-3)
    assert particles["z"].std() / particles["delta"].std() == pytest.approx(expected, rel=5e-3)


def parts(study: phasewise.Study) -> list[Any]:
    """Matrices of the lattice between kicks, the first and the last of half a part."""
    kicks, text = study.solver.kicks, study.parameters()
    places = [0.0, *(study.lattice.length * (k + 0.5) / kicks for k in range(kicks)), -1.0]
    return [core.lattice_map(text, first, last)["matrix"] for first, last in pairwise(places)]


def lenses(study: phasewise.Study, matrices: list[Any]) -> list[Any]:
    """Sizes and lenses [1/m] of x and y in each kick, in the middle of the matched bunch.

    A long Gaussian bunch with the line density λ = N/(√(2π) σz) has there the field of a Gaussian
    cylinder, 2λ r0 L/(β²γ³) x/(σx (σx + σy)); the sizes are those that its mean force, with <λ> of
    the particles, λ/√2, leads to.
    """
    bunch = study.bunch
    columns = core.matched_with_charge(study.parameters())["columns"]
    density = bunch.bunch_population / (math.sqrt(2 * math.pi) * bunch.bunch_length)
    strength = 2 * density * classical_radius(bunch.mass) * study.kick_length
    strength /= bunch.beta_gamma**2 * bunch.gamma
    found = []
    for matrix in matrices[:-1]:
        columns = matrix @ columns
        x, y = np.sqrt((columns[[0, 2]] ** 2).sum(axis=1))
        middle = strength / (x + y) / np.array([x, y])
        found.append((x, y, *middle))
        for row, kick in ((0, middle[0]), (2, middle[1])):
            # Half of it is that of a uniform cylinder of these rms sizes.
            columns[row + 1] += kick / 2 / math.sqrt(2) * columns[row]
    return found


def tunes(matrix: Any) -> Any:
    """Fractions of the tunes of a matrix without coupling."""
    traces = [matrix[0, 0] + matrix[1, 1], matrix[2, 2] + matrix[3, 3]]
    return np.arccos(np.array(traces) / 2) / (2 * math.pi)


def expected(study: phasewise.Study) -> tuple[Any, Any]:
    """Tunes of small amplitudes in the middle of the bunch, and their shift to first order."""
    matrices = parts(study)
    turn, first = matrices[0], np.zeros(2)
    places = [study.kick_length * (k + 0.5) for k in range(study.solver.kicks)]
    optics = core.lattice_optics(study.parameters(), places)["twiss"]
    for k, (_x, _y, *kicks) in enumerate(lenses(study, matrices)):
        lens = np.eye(6)
        lens[1, 0], lens[3, 2] = kicks
        turn = matrices[k + 1] @ lens @ turn
        first -= optics[k, :, 0] * kicks / (4 * math.pi)
    return tunes(turn), first


def found_tunes(study: phasewise.Study) -> Any:
    """Tunes of small amplitudes in the middle of the bunch, from one turn of its particles."""
    simulation = phasewise.Simulation(study)
    columns = core.matched_with_charge(study.parameters())["columns"][:4, :4]
    order = ("x", "px", "y", "py")

    def coordinates() -> tuple[Any, Any]:
        held = simulation.driver.particles()
        by_id = np.argsort(held["id"])
        return np.array([held[name][by_id] for name in order]), held["z"][by_id]

    before, z = coordinates()
    before = before.copy()
    simulation.step()
    after, _ = coordinates()
    assert after.shape == before.shape
    # Amplitudes in rms: the shift falls with their square.
    scaled = np.linalg.solve(columns, before)
    amplitude = (scaled**2).sum(axis=0)
    near = (amplitude < 0.5) & (np.abs(z) < MIDDLE * study.bunch.bunch_length)
    own = before[:, near]
    terms = np.vstack([own, own * amplitude[near], scaled[0, near] ** 2, scaled[1, near] ** 2])
    fitted = np.linalg.lstsq(terms.T, after[:, near].T, rcond=None)[0].T[:4, :4]
    return tunes(fitted)


def test_the_tune_shift_is_that_of_laslett() -> None:
    study = phasewise.load(STUDY, FINE)
    bare = tunes(np.linalg.multi_dot(parts(study)[::-1]))
    whole, first = expected(study)
    # Laslett's direct shift of a round bunch, -r0 N C/(4π √(2π) σz β γ² εn). Here both β breathe,
    # one large where the other is small, and the mean over the ring is the same within 2 %.
    bunch = study.bunch
    laslett = -classical_radius(bunch.mass) * bunch.bunch_population * study.lattice.length
    laslett /= 4 * math.pi * math.sqrt(2 * math.pi) * bunch.bunch_length
    laslett /= bunch.velocity * bunch.gamma**2 * 3e-6
    assert first == pytest.approx([laslett] * 2, rel=0.02)
    # The next order is the square of the shift times cot(2πQ) and the like.
    assert whole - bare == pytest.approx(first, rel=0.05)
    # Deposit, differences and interpolation add 2/3 h² to the squares of the sizes, with h up to a
    # 2^(1/8) more than ±4 rms over 60 cells, and a sixth of that along z; the density falls by a
    # sixth of MIDDLE² within the slice on average. A Gaussian that is matched by its rms sizes
    # is not at rest: its middle feels 2√2 times the mean force, and becomes wider.
    cell = 2 ** (1 / 8) * 8.2 / 60
    found, less = found_tunes(study) - bare, MIDDLE**2 / 6
    wider = abs(laslett) * (1 - 1 / (2 * math.sqrt(2))) / min(TUNES)
    tolerance = (2 / 3 + 1 / 6) * cell**2 + wider
    assert found == pytest.approx((whole - bare) * (1 - less), rel=tolerance)
    assert np.all(np.abs(found) < np.abs(whole - bare))


@pytest.mark.skipif(find_spec("cpymad") is None, reason="cpymad is not installed")
def test_the_lattice_is_the_translation_of_the_sequence() -> None:
    translation = translate(HERE / "synchrotron.madx")
    assert (HERE / "lattice.toml").read_text() == translation.text
    assert translation.not_translated == []
