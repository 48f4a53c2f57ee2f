"""A strong beam whose x and y are coupled at the interaction point."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.constants import classical_radius
from phasewise.workloads.collision.derived.quantities import derive
from tests.physics.gaussian import gaussian_field, rolled
from tests.physics.machines import Floats, collide, coordinates, study
from tests.physics.test_symplecticity import WIDE, defects
from tests.sentences import refused

FLAT: dict[str, Any] = {
    "geometric_emittance": [4e-9, 4e-11],
    "normalized_emittance": None,
    "bunch_length": 0.3,
    "bunch_population": 1e9,
    "macroparticles": 500,
}
POINT: dict[str, Any] = {"beta": [0.4, 0.3], "alpha": [0.3, -0.2], "model": "weak-strong"}
COUPLING = [[0.3, -0.1], [0.5, -0.4]]


def point(coupling: Any, **more: Any) -> dict[str, Any]:
    """An interaction point whose strong beam has this coupling."""
    return POINT | more | {"beam": {"2": {"coupling": coupling}}}


def turned(angle: float) -> list[list[float]]:
    """The coupling of a bunch whose modes lie along axes that are turned by an angle."""
    return [[-math.sin(angle), 0.0], [0.0, -math.sin(angle)]]


def test_no_coupling_leaves_every_bit() -> None:
    _, _, plain, _ = collide(study(beam=FLAT, ip=POINT | {"slices": 3}))
    _, _, zero, _ = collide(study(beam=FLAT, ip=point([[0, 0], [0, 0]], slices=3)))
    assert np.array_equal(plain, zero)


def test_a_small_coupling_is_a_small_change() -> None:
    machine = study(beam=FLAT, ip=POINT | {"slices": 3})
    start, _, plain, _ = collide(machine)
    _, _, coupled, _ = collide(study(beam=FLAT, ip=point(turned(1e-7), slices=3)))
    kick = np.abs(plain - start).max(axis=1)
    # A turn by 1e-7 moves the flat bunch's ends by 1e-6 of its height.
    rows = [1, 3, 5]
    assert np.all(np.abs(coupled - plain).max(axis=1)[rows] < 1e-5 * kick[rows])
    assert not np.array_equal(coupled, plain)


@pytest.mark.parametrize("angle", [0.02, 0.7, -1.2])
def test_turning_the_strong_beam_and_the_particles_turns_the_result(angle: float) -> None:
    slices = {"slices": 5}
    machine = study(beam=FLAT, ip=POINT | slices)
    start = coordinates(phasewise.Simulation(machine))
    _, _, after, _ = collide(machine, start)
    _, _, image, _ = collide(
        study(beam=FLAT, ip=point(turned(angle), **slices)), rolled(start, angle)
    )
    expected = rolled(after, angle) - rolled(start, angle)
    found = image - rolled(start, angle)
    scale = np.abs(expected).max(axis=1)
    rows = [0, 1, 2, 3, 5]
    # Rounding of coordinates up to 1e6 times the changes, and of γ = cos θ in 1 - det C.
    assert np.all(np.abs(found - expected).max(axis=1)[rows] < 1e-7 * scale[rows])


def covariance_at(machine: phasewise.Study, s: float) -> Floats:
    """Σ of x and y of the strong beam at s, its modes mixed by the matrices of the literature."""
    beam = machine.beam(2)
    c = np.array(COUPLING)
    g = math.sqrt(1 - np.linalg.det(c))
    symplectic = np.array([[0.0, 1.0], [-1.0, 0.0]])
    conjugate = -symplectic @ c.T @ symplectic
    mixing = np.block([[g * np.eye(2), c], [-conjugate, g * np.eye(2)]])
    form = np.kron(np.eye(2), symplectic)
    assert mixing.T @ form @ mixing == pytest.approx(form, abs=1e-15)
    modes = np.zeros((4, 4))
    for k, (beta, alpha, emittance) in enumerate(
        zip(POINT["beta"], POINT["alpha"], beam.geometric_emittance, strict=True)
    ):
        own = np.array([[beta, -alpha], [-alpha, (1 + alpha**2) / beta]])
        modes[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] = emittance * own
    drift = np.kron(np.eye(2), np.array([[1.0, s], [0.0, 1.0]])) @ mixing
    return np.asarray((drift @ modes @ drift.T)[np.ix_([0, 2], [0, 2])])


def test_the_tilt_of_a_slice_is_that_where_the_particle_meets_it() -> None:
    short = FLAT | {"bunch_length": 1e-9}
    machine = study(beam=short, ip=point(COUPLING))
    tilts = []
    for z in (-0.6, 0.0, 0.5):
        # A particle at z meets the short bunch when each has gone z/2.
        covariance = covariance_at(machine, -z / 2)
        tilts.append(math.atan2(2 * covariance[0, 1], covariance[0, 0] - covariance[1, 1]) / 2)
        sizes = np.sqrt(np.diag(covariance))
        probes = np.zeros((6, 50))
        probes[[0, 2]] = np.random.default_rng(3).uniform(-3, 3, (2, 50)) * sizes[:, None]
        probes[4] = z
        _, _, after, _ = collide(machine, probes)
        kick = (after[:, :50] - probes)[[1, 3]]
        field = gaussian_field(probes[[0, 2]], covariance)
        scale = 2 * short["bunch_population"] * classical_radius(machine.beam(1).mass)
        expected = scale / machine.beam(1).gamma * field
        # γ for βγ: 1e-8, and rounding in the principal axes of an aspect of 10 to 100.
        assert np.abs(kick - expected).max() < 1e-7 * np.abs(expected).max()
    assert np.ptp(tilts) > 0.1


def test_the_collision_with_a_coupled_beam_is_symplectic() -> None:
    coupled = {"model": "weak-strong", "half_crossing_angle": 6e-3, "crossing_plane": 0.4}
    beam = {"2": {"coupling": COUPLING}}
    machine = study(beam=WIDE, ip=coupled | {"slices": 5, "beam": beam})
    # As without coupling: the law of differences, h², and rounding.
    assert defects(machine, 1e-2).max() / defects(machine, 1e-3).max() == pytest.approx(100, 0.01)
    assert defects(machine, 1e-4).max() < 1e-9


@pytest.mark.parametrize("angle", [0.0, 2e-3])
def test_check_knows_the_tune_shift_and_the_luminosity(angle: float) -> None:
    more: dict[str, Any] = {"half_crossing_angle": angle, "slices": 31}
    weak = FLAT | {"bunch_length": 0.05, "macroparticles": 40_000}
    machine = study(beam=weak, ip=point(COUPLING, **more))
    found = derive(machine.model).ips[0]
    simulation = phasewise.Simulation(machine)
    simulation.step()
    # The sampling of a quiet start, and 31 slices in the place of a bunch.
    assert simulation.record()["luminosity"][0] == pytest.approx(found.luminosity, rel=4e-3)
    rms = np.array(machine.beam(1).rms(0))
    for plane in (0, 1):
        u, probes = 2 * plane, np.zeros((6, 2))
        probes[u] = [1e-3 * rms[u], -1e-3 * rms[u]]
        _, _, after, _ = collide(machine, probes)
        slope = (after[u + 1, 0] - after[u + 1, 1]) / np.ptp(probes[u])
        # A short bunch: β is that of the point to (σz/2β)².
        xi = slope * machine.beam(1).optics[0].beta[plane] / (4 * math.pi)
        assert xi == pytest.approx(found.beams[0].xi_effective[plane], rel=2e-2)


@pytest.mark.parametrize(
    ("beam", "ip", "facts"),
    [
        ({}, point([[2.0, 0.0], [0.0, 2.0]]), ("ip.1.coupling", "beam.2", "determinant 4", 1)),
        (
            {"size": [1e-5, 1e-6], "normalized_emittance": None, "geometric_emittance": None},
            point(COUPLING),
            ("beam.2.size", "coupled", "ip.1", "geometric_emittance"),
        ),
    ],
)
def test_a_coupling_that_cannot_be_gets_one_sentence(
    beam: dict[str, Any], ip: dict[str, Any], facts: tuple[object, ...]
) -> None:
    with refused(*facts):
        study(beam=FLAT | beam, ip=POINT | ip)
