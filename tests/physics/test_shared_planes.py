"""Planes that neighbouring slices share: what is left of the error, and what stays the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import phasewise
from tests.physics.machines import Floats, collide, coordinates, study
from tests.physics.test_slices import CUT_EVENLY, boundaries

BOTH = ("shared", "pair")
# The design size of a plane is that of the mesh, whatever the slices.
ROUND: dict[str, Any] = {"grid": [64, 64], "mesh": "fixed", "mesh_half_width": [1.2e-4, 1.2e-4]}
LONG: dict[str, Any] = {"bunch_length": 0.2, "macroparticles": 20_000}


def bunch_for(disruption: float) -> dict[str, Any]:
    """Bunches of a proton collider with D = 4 π ξ σz/β, hence N = γ σ² D/(r σz)."""
    population = disruption / 0.2 * (16.6e-6**2 * 7460.5 / 1.5347e-18)
    return LONG | {"bunch_population": population}


def errors(disruption: float, slices: tuple[int, ...], **ip: Any) -> dict[tuple[str, int], float]:
    """The rms error of a particle's kick over the rms kick, by planes and slices; 40 slices with
    pairs of planes are taken for exact.
    """
    beam = bunch_for(disruption) | {"cut": 3.0}

    def momenta(**more: Any) -> Floats:
        return collide(study(beam=beam, ip=ROUND | ip | more))[2][[1, 3]]

    start, exact = momenta(model="none"), momenta(slices=40, planes="pair")

    def rms(change: Floats) -> float:
        return float(np.sqrt((change**2).mean()))

    return {
        (planes, n): rms(momenta(slices=n, planes=planes) - exact) / rms(exact - start)
        for planes in BOTH
        for n in slices
    }


def test_the_error_falls_with_the_square_of_the_length_of_slices() -> None:
    error = errors(0.5, (5, 10), slicing="equal-width", slice_extent=3.0)
    for planes in BOTH:
        # Four times, less the noise of 2000 particles in a slice, 1/√2000 of a tenth of the kick.
        assert error[planes, 5] / error[planes, 10] > 3.2
    # A slice's charge lacks the last kick, over half a slice, at the second of its planes.
    assert error["shared", 10] < 2 * error["pair", 10]


def test_shared_planes_err_as_pairs_do_where_slices_hardly_move_each_other() -> None:
    error = errors(0.1, (15,))
    assert error["shared", 15] < 1.05 * error["pair", 15]


def test_beams_whose_slices_share_planes_keep_their_momentum_as_those_of_pairs_do() -> None:
    apart = ROUND | {"separation": [1.66e-5, 8e-6], "slices": 10}

    def left(planes: str) -> float:
        """The momentum that both beams gain together, over the rms kick of a beam."""
        one, two, *after = collide(study(beam=bunch_for(0.5), ip=apart | {"planes": planes}))
        kicks = [(a - b)[[1, 3]] for a, b in zip(after, (one, two), strict=True)]
        gained = kicks[0].mean(axis=1) + kicks[1].mean(axis=1)
        return float(np.hypot(*gained) / np.sqrt((kicks[0] ** 2).mean()))

    assert 0 < left("shared") < 2 * left("pair") < 1e-3


@pytest.mark.parametrize("weighting", ["cic", "tsc"])
def test_the_kick_of_strong_beams_is_continuous_at_slice_boundaries(weighting: str) -> None:
    strong = LONG | {"bunch_population": 1e12}

    def jump(planes: str) -> float:
        machine = study(beam=strong, ip=CUT_EVENLY | {"weighting": weighting, "planes": planes})
        everyone = coordinates(phasewise.Simulation(machine))
        rms = np.array(machine.beam(1).rms(0))
        probes = np.random.default_rng(8).uniform(-2, 2, (6, 80)) * rms[:, None]
        probes[:, 40:] = probes[:, :40]
        for _ in range(20):  # the probes belong to the bunch that is cut
            everyone[:, :80] = probes
            ends = np.tile(np.repeat(boundaries(everyone[4]), 10), 2)
            probes[4] = ends + np.repeat([1e-9 * 0.2, -1e-9 * 0.2], 40)
        before, _, after, _ = collide(machine, probes)
        kicks = (after - before)[[1, 3], :80]
        return float(np.abs(kicks[:, :40] - kicks[:, 40:]).max() / np.abs(kicks).max())

    # What is left is the change of the field over 2e-9 σz, and rounding; in pairs of planes the
    # opposing slice has moved between two encounters.
    assert jump("shared") < 1e-8
    assert jump("pair") > 1e-5


def state(machine: phasewise.Study, turns: int = 2) -> tuple[Floats, float]:
    """The coordinates of beam 1 after some turns, and the last luminosity."""
    simulation = phasewise.Simulation(machine)
    for _ in range(turns):
        simulation.step()
    return coordinates(simulation), float(simulation.record()["luminosity"][0])


def test_without_interpolation_there_is_nothing_to_share() -> None:
    found = [state(study(ip={"slices": 3, "interpolation": "none", "planes": p})) for p in BOTH]
    assert np.array_equal(found[0][0], found[1][0])
    assert found[0][1] == found[1][1]


@pytest.mark.parametrize(
    "ip",
    # One slice has no neighbour; at a large Piwinski angle slices have windows of their own.
    [{"slices": 1}, {"slices": [7, 6], "half_crossing_angle": 3e-3, "beta": [0.55, 0.02]}],
    ids=["one slice", "windows of their own"],
)
def test_planes_that_cannot_be_shared_are_those_of_pairs(ip: dict[str, Any]) -> None:
    (one, first), (two, second) = (state(study(ip=ip | {"planes": p})) for p in BOTH)
    # The same but for fused multiply-adds and transforms: some roundings of coordinates.
    assert (np.abs(one - two).max(axis=1) <= 1e-12 * np.abs(one).max(axis=1)).all()
    assert first == pytest.approx(second, rel=1e-10)


def test_the_luminosity_is_that_of_pairs_but_for_the_disruption_between_slices() -> None:
    machine = {p: study(beam=bunch_for(0.1), ip={"slices": 9, "planes": p}) for p in BOTH}
    shared, pair = (state(machine[p], 1)[1] for p in BOTH)
    # D/8 S² of the size for the charge that has not seen the last kick yet, with S = 9.
    assert shared == pytest.approx(pair, rel=1e-3)
    assert shared != pair
