"""The crab waist: kick, sextupoles, and luminosity at a large Piwinski angle."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import phasewise
import phasewise._core as core
from tests.physics.machines import Floats, collide, coordinates, study

PHI = 15e-3
# FCC-ee at the Z: 45.6 GeV.
FCC: dict[str, Any] = {
    "particle": "positron",
    "energy": 45.6e9,
    "bunch_population": 1e6,
    "macroparticles": 20_000,
    "normalized_emittance": None,
    "geometric_emittance": [0.71e-9, 1.9e-12],
    "bunch_length": 15.5e-3,
    "momentum_spread": 1e-3,
}
POINT: dict[str, Any] = {"beta": [0.11, 0.7e-3], "half_crossing_angle": PHI}
ELECTRON = {"particle": "electron"}
EPSILON = float(np.finfo(float).eps)


def fcc(beam: dict[str, Any] | None = None, **point: Any) -> phasewise.Study:
    return study(FCC | (beam or {}), ELECTRON, ip=POINT | point)


def sample(count: int = 500) -> Floats:
    rms = np.array(fcc().beam(1).rms(0))
    return np.asarray(np.random.default_rng(1).normal(size=(6, count)) * rms[:, None])


def passed(machine: phasewise.Study, c: Floats, back: bool = False) -> Floats:
    """Coordinates behind the crab waist before the point, or behind that after it."""
    return np.asarray(core.into_collision(machine.parameters(), 1, 1, 0, c, back, alone=True))


SEXTUPOLES = {"before": {"beta": [30.0, 2000.0]}, "behind": {"beta": [20.0, 3000.0]}}
OBLIQUE = {"crossing_plane": 0.4}


ALIKE = {"before": SEXTUPOLES["before"]}


@pytest.mark.parametrize("more", [{}, OBLIQUE, {"crab_sextupoles": ALIKE}])
def test_both_sides_of_a_crab_waist_undo_each_other(more: dict[str, Any]) -> None:
    machine = fcc(crab_waist=0.7, **more)
    before = sample()
    inside = passed(machine, before)
    assert np.abs(inside[2] - before[2]).max() > 0.1 * before[2].std()
    after = passed(machine, inside, back=True)
    # Some ten roundings of the largest of its terms, to which x and px add in units of β.
    size = np.abs(before).max(axis=1, keepdims=True)
    assert (np.abs(after - before) <= 20 * EPSILON * size).all()


@pytest.mark.parametrize("more", [{}, OBLIQUE, {"crab_sextupoles": SEXTUPOLES}])
def test_a_crab_waist_is_symplectic_to_rounding(more: dict[str, Any]) -> None:
    machine = fcc(crab_waist=0.7, **more)
    form = np.kron(np.eye(3), [[0.0, 1.0], [-1.0, 0.0]])
    rms = np.array(machine.beam(1).rms(0))
    # The map is a polynomial of second degree, of which central differences have no error but
    # rounding, if the step is large.
    scale = np.sqrt(rms * np.roll(rms.reshape(3, 2), 1, axis=1).ravel()) / rms
    for point in sample(5).T:
        steps = np.concatenate([np.diag(rms), -np.diag(rms)], axis=1)
        image = passed(machine, point[:, None] + steps)
        jacobian = (image[:, :6] - image[:, 6:]) / (2 * rms)
        normal = scale[:, None] * jacobian / scale
        assert np.abs(normal.T @ form @ normal - form).max() < 1e-13


def test_the_waist_of_a_particle_lies_on_the_axis_of_the_other_beam() -> None:
    machine = fcc(crab_waist=1.0)
    x, slopes = 2e-5, np.array([-1e-4, 1e-4])
    rays = np.zeros((6, 2))
    rays[0], rays[3] = x, slopes
    inside = passed(machine, rays)
    # The rays, which meet at the waist, have y = y0 + s py: they cross at s = -x/tan 2φ, where
    # (x, s) lies on the line through the point at the full angle.
    place = -(inside[2, 1] - inside[2, 0]) / (slopes[1] - slopes[0])
    assert place == pytest.approx(-x / math.tan(2 * PHI), rel=1e-12)


@pytest.mark.parametrize("plane", [0.0, math.pi])
def test_sextupoles_at_their_places_turn_the_waist_as_the_thin_pair_does(plane: float) -> None:
    c = sample()
    thin = passed(fcc(crab_waist=0.7, crossing_plane=plane), c)
    machine = fcc(crab_waist=0.7, crossing_plane=plane, crab_sextupoles=SEXTUPOLES)
    real = passed(machine, c)
    # K2L has 2φ for tan 2φ, which is 3e-4 larger.
    assert np.allclose(real[2] - c[2], thin[2] - c[2], rtol=4e-4, atol=1e-20)
    # Besides, a sextupole bends in x by K2L x³/6's derivative, √(βx/β*x) times as far, and back by
    # the other one.
    first = machine.derived()["ips"][0]["crab_waist"]["sextupoles"][0][0]
    bend = 0.5 * first * (30.0 / 0.11) ** 1.5 * c[0] ** 2
    expected = (thin[1] - c[1]) + bend
    assert np.allclose(
        real[1] - c[1], expected, rtol=1e-3, atol=4e-4 * np.abs(thin[1] - c[1]).max()
    )


def test_the_sextupoles_have_the_strength_of_the_formula() -> None:
    found = fcc(crab_waist=0.7, crab_sextupoles=SEXTUPOLES).derived()["ips"][0]["crab_waist"]
    assert found["strength"] == (0.7, 0.7)
    assert found["slope"][0] == pytest.approx(0.7 / (2 * PHI))
    for side, sign, k2l in zip(("before", "behind"), (1, -1), found["sextupoles"][0], strict=True):
        x, y = SEXTUPOLES[side]["beta"]
        expected = 0.7 / (2 * PHI * 0.7e-3 * y) * math.sqrt(0.11 / x)
        assert k2l == pytest.approx(sign * expected)


LUMINOSITY = {0.0: 0.033753, 0.5: 0.034877, 1.0: 0.035259}
"""Over the head-on one, by χ; from an integral in four dimensions."""


@pytest.mark.parametrize("chi", LUMINOSITY)
def test_the_integral_has_the_luminosity_of_a_crab_waist(chi: float) -> None:
    point = fcc(crab_waist=chi).derived()["ips"][0]
    # cos φ and its square, 1.1e-4 off 1, stand in other places in the two integrals.
    assert point["reduction"] == pytest.approx(LUMINOSITY[chi], rel=1.2e-4)


def test_the_integral_knows_the_tilt_of_coupled_beams_with_a_crab_waist() -> None:
    def tilted(by: float = 8e-3, other: float = 4e-3, **more: Any) -> phasewise.Study:
        # Turned by twice the angle of the bunch's own diagonal, and the other way.
        turned = {"beam": {"1": {"coupling": [[-by, 0], [0, -by]]}}}
        both = {"coupling": [[other, 0], [0, other]]} | turned
        return study(FCC, ELECTRON, ip=POINT | both | more)

    def luminosity(machine: phasewise.Study) -> float:
        return float(machine.derived()["ips"][0]["luminosity"])

    # A waist that hardly moves takes the other integral.
    for by, other in ((8e-3, 4e-3), (5e-2, 5e-2)):
        moved = luminosity(tilted(by, other, crab_waist=1e-9))
        assert moved == pytest.approx(luminosity(tilted(by, other)), rel=1e-6)
    assert luminosity(tilted()) < 0.7 * luminosity(fcc())
    turned = tilted(crab_waist=1.0, slices=255)
    found = core.sliced_overlap(turned.parameters(), 1) * FCC["bunch_population"] ** 2
    # 255 slices are 1.1e-3 low, as without a tilt.
    assert found == pytest.approx(luminosity(turned), rel=2e-3)


def test_derived_quantities_of_strongly_coupled_beams_with_a_crab_waist_are_finite() -> None:
    # A ribbon at 45 degrees, whose tilt changes along the beam.
    point = fcc(crab_waist=1.0, coupling=[[-0.7, 0.01], [0.0, -0.7]]).derived()["ips"][0]
    found = [point["luminosity"], *(xi for beam in point["beams"] for xi in beam["xi_effective"])]
    assert np.isfinite(found).all()
    assert min(found) > 0


@pytest.mark.parametrize("chi", LUMINOSITY)
def test_gaussian_slices_have_the_luminosity_of_a_crab_waist(chi: float) -> None:
    found = []
    for slices in (127, 254):
        machine = fcc(crab_waist=chi, slices=slices)
        head_on = machine.derived()["ips"][0]["luminosity_head_on"] / FCC["bunch_population"] ** 2
        found.append(core.sliced_overlap(machine.parameters(), 1) / head_on)
    # A slice of length L meets the others at a distance that is wrong by L²/24 in its square, which
    # 254 slices leave as 1.2e-3 by the hourglass, and half as many as four times that.
    assert found[1] == pytest.approx(LUMINOSITY[chi], rel=1.3e-3)
    assert (4 * found[1] - found[0]) / 3 == pytest.approx(LUMINOSITY[chi], rel=1e-3)


@pytest.mark.parametrize("model", ["soft-gaussian", "weak-strong"])
def test_slices_of_particles_have_the_luminosity_of_slices_of_the_design(model: str) -> None:
    machine = fcc({"macroparticles": 30_000}, crab_waist=1.0, slices=60, model=model)
    simulation = phasewise.Simulation(machine)
    simulation.step()
    expected = core.sliced_overlap(machine.parameters(), 1) * FCC["bunch_population"] ** 2
    # Slices of 500: the variances in y scatter by √(2/500), and the mean of their inverse root is
    # 3/8 of 2/500 larger; much of both is left out by a quiet start.
    assert simulation.record()["luminosity"][0] == pytest.approx(expected, rel=3e-3)


def test_as_many_particles_scatter_as_the_luminosity_of_a_crab_waist_says() -> None:
    # The waist's shift at the rms of x is three times β*y: a slice at large is several times as
    # high as where a particle meets it.
    scale, beam = 5e11, {"macroparticles": 20_000, "bunch_length": 2e-3}
    bhabha = {"least": 0.001, "beam_size": False, "scale": scale}
    machine = fcc(
        beam, beta=[0.11, 0.1e-3], crab_waist=1.0, slices=9, model="soft-gaussian", bhabha=bhabha
    )
    simulation = phasewise.Simulation(machine)
    simulation.step()
    record = simulation.record()
    of_macroparticles = record["1/bhabha_expected"][0] * 20_000 / FCC["bunch_population"]
    wanted = scale * of_macroparticles
    assert wanted > 20_000
    # Three standard errors of the events, and 1.5 % since the luminosity is that of slices which
    # meet at their centres.
    assert record["1/bhabha_events"][0] == pytest.approx(wanted, rel=0.015 + 3 / wanted**0.5)


@pytest.mark.parametrize("chi", [0.0, 1.0])
def test_the_mesh_has_the_luminosity_of_a_crab_waist(chi: float) -> None:
    # A bunch of a twentieth of the length: the angle is as large against its slices' width, and 15
    # of them are as short as 300 of the long one's. Over so short a bunch the waist is 4 % wide.
    short = {"bunch_length": 0.8e-3, "macroparticles": 40_000}
    machine = fcc(short, crab_waist=chi, slices=11, grid=[64, 64])
    simulation = phasewise.Simulation(machine)
    simulation.step()
    expected = machine.derived()["ips"][0]["luminosity"]
    assert simulation.record()["luminosity"][0] == pytest.approx(expected, rel=0.01)


def test_the_kick_of_gaussian_slices_with_a_crab_waist_is_symplectic() -> None:
    strong = {"bunch_population": 2e11, "macroparticles": 24}
    machine = fcc(strong, crab_waist=1.0, slices=3, model="weak-strong")
    rms = np.array(machine.beam(1).rms(0))
    step = 1e-4 * rms
    point = np.array([0.7, -0.3, 0.9, 0.4, 0.02, 0.5]) * rms
    probes = np.concatenate(
        [point[:, None] + np.diag(step), point[:, None] - np.diag(step)], axis=1
    )
    image = collide(machine, probes)[2][:, :12]
    jacobian = (image[:, :6] - image[:, 6:]) / (2 * step)
    scale = np.sqrt(rms * np.roll(rms.reshape(3, 2), 1, axis=1).ravel()) / rms
    normal = scale[:, None] * jacobian / scale
    form = np.kron(np.eye(3), [[0.0, 1.0], [-1.0, 0.0]])
    assert np.abs(normal - np.eye(6)).max() > 0.05
    # Central differences: 1e-8 of third derivatives, of order 1 in rms, and rounding 1e-16/1e-4
    # times the largest coordinate over its change.
    assert np.abs(normal.T @ form @ normal - form).max() < 1e-6


def test_without_a_collision_a_crab_waist_comes_and_goes() -> None:
    machine = fcc({"macroparticles": 1000}, crab_waist=1.0, model="none")
    simulation = phasewise.Simulation(machine)
    before = coordinates(simulation)
    simulation.step()
    after = coordinates(simulation)
    assert np.abs(after - before).max(axis=1) == pytest.approx(0, abs=1e-17)
