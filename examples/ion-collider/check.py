"""Space charge and the collision each lower the tunes as the theory of round Gaussian beams says,
and together by the sum of the two.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad_vec
from scipy.special import ive

import phasewise
from phasewise.analysis.spectrum import find_peak, phasor
from phasewise.constants import classical_radius

STUDY = Path(__file__).parent / "study.toml"
CASES: dict[str, dict[str, Any]] = {
    "none": {"solver.kicks": 0, "ip.1.model": "none"},
    "charge": {"ip.1.model": "none"},
    "collision": {"solver.kicks": 0},
    "both": {},
}
PLANES = ((0, "x", "px"), (1, "y", "py"))
Floats = NDArray[np.float64]


def study() -> phasewise.Study:
    return phasewise.load(STUDY)


def central_shift(study: phasewise.Study) -> float:
    """The direct space-charge tune shift of the middle of a round Gaussian bunch, whose size goes
    as the root of β: r0 q² N C/(4π ε β² γ³ √(2π) σz) [turns], a decrease.
    """
    beam = study.beams[0]
    gamma = beam.energy / beam.mass
    velocity2 = 1 - 1 / gamma**2
    radius = beam.charge**2 * classical_radius(beam.mass)
    density = beam.bunch_population / (np.sqrt(2 * np.pi) * beam.bunch_length)
    emittance = beam.geometric_emittance[0]
    length = study.lattice.length
    return float(radius * density * length / (4 * np.pi * emittance * velocity2 * gamma**3))


def kinematics(study: phasewise.Study) -> float:
    """The force of an opposing bunch over that at the speed of light, (1 + β²)/(2β²)."""
    velocity2 = 1 - (study.beams[0].mass / study.beams[0].energy) ** 2
    return float((1 + velocity2) / (2 * velocity2))


def lessening(actions: Floats) -> Floats:
    """The tune shifts in x and y of particles with actions (2, n) [ε] in a round Gaussian field,
    over those of the smallest actions: ∫ e^-(a+b)u [I0(au) - I1(au)] I0(bu) du from 0 to 1 with
    half the actions a and b (A. W. Chao, Lie Algebra Techniques, section on beam-beam footprints).
    """

    def shifts(u: float) -> Floats:
        a, b = (0.5 * u * one for one in actions)
        return np.array([(ive(0, a) - ive(1, a)) * ive(0, b), (ive(0, b) - ive(1, b)) * ive(0, a)])

    return np.asarray(quad_vec(shifts, 0, 1)[0])


def tunes(case: str) -> tuple[Floats, Floats, Floats]:
    """Tunes (2, n) of the particles of beam 1 in the middle of the bunch with actions below one
    and a half emittances; and their actions (2, n) [ε] and places z (n) [rms] at the start.
    """
    ring = study().replace(**CASES[case])
    simulation = phasewise.Simulation(ring)
    optics, emittance = ring.beams[0].optics[0], ring.beams[0].geometric_emittance

    def phasors(chosen: Any) -> Floats:
        beam = simulation.beam(1)
        order = np.argsort(beam.id)
        found = [
            phasor(
                getattr(beam, u)[order], getattr(beam, p)[order], optics.beta[k], optics.alpha[k]
            )
            for k, u, p in PLANES
        ]
        return np.array(found)[:, chosen]

    start = 0.5 * np.abs(phasors(slice(None))) ** 2 / np.array(emittance)[:, None]
    place = simulation.beam(1).z[np.argsort(simulation.beam(1).id)] / ring.beams[0].bunch_length
    chosen = np.flatnonzero((np.abs(place) < 0.12) & np.all((start > 0.1) & (start < 1.5), axis=0))
    signals = []
    for _ in range(ring.turns):
        simulation.step()
        signals.append(phasors(chosen))
    found = [
        [find_peak(signal, 0.3, 0.5).frequency for signal in plane]  # type: ignore[union-attr]
        for plane in np.transpose(signals, (1, 2, 0))
    ]
    return np.array(found), start[:, chosen], place[chosen]


@pytest.fixture(scope="module")
def shifts() -> dict[str, Any]:
    """How much lower the tunes of each case are than without any force."""
    found = {case: tunes(case) for case in CASES}
    none = found["none"][0]
    lower: dict[str, Any] = {case: none - one[0] for case, one in found.items()}
    return lower | {"none": none, "actions": found["none"][1], "place": found["none"][2]}


def test_the_lattice_has_its_tunes(shifts: dict[str, Any]) -> None:
    assert study().lattice.length == pytest.approx(503.04)
    found = shifts["none"]
    # Those of the strengths in the study, to their digits and the length of the record.
    assert found[0] == pytest.approx(0.44, abs=1e-4)
    assert found[1] == pytest.approx(0.41, abs=1e-4)
    assert len(shifts["place"]) > 200


def test_space_charge_lowers_the_tunes_as_in_a_round_gaussian_bunch(shifts: dict[str, Any]) -> None:
    expected = (
        central_shift(study()) * lessening(shifts["actions"]) * np.exp(-0.5 * shifts["place"] ** 2)
    )
    for plane in (0, 1):
        ratio = shifts["charge"][plane].mean() / expected[plane].mean()
        # Cells of h = 0.27 rms smear charge and field by h²(1/3 + 1/4) = 4 % in x and y, 2 % in z;
        # six kicks a turn at so large a tune, and a bunch that grows longer, take some percent, and
        # the cut at three rms adds three.
        assert ratio == pytest.approx(0.95, abs=0.05)


def test_the_collision_lowers_the_tunes_by_xi(shifts: dict[str, Any]) -> None:
    xi = study().derived()["collision"]["beams"][0]["xi"]["head_on"]["sum"]
    expected = kinematics(study()) * lessening(shifts["actions"]) * np.array(xi)[:, None]
    for plane in (0, 1):
        ratio = shifts["collision"][plane].mean() / expected[plane].mean()
        # 48 nodes over ±6 rms: cells of 0.25 rms smear by 4 %, and the cut adds 2 %.
        assert ratio == pytest.approx(1, abs=0.04)


def test_both_lower_them_by_the_sum(shifts: dict[str, Any]) -> None:
    for plane in (0, 1):
        alone = shifts["charge"][plane].mean() + shifts["collision"][plane].mean()
        # Second order in the shifts, 2π·0.0019 of the sum, and noise.
        assert shifts["both"][plane].mean() == pytest.approx(alone, rel=0.015)
