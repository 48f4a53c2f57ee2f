"""Slices: the kick is continuous where one ends and the next begins, and pairs add up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import phasewise
from tests.physics.machines import Floats, collide, coordinates, study

SLICES, EXTENT = 5, 2.5
# So few particles that no slice moves the next one: a bunch that changes between two encounters
# meets a particle on this side of a boundary before and on that side after the change.
FAINT: dict[str, Any] = {"bunch_length": 0.3, "bunch_population": 1e5, "macroparticles": 20_000}
CUT_EVENLY: dict[str, Any] = {"slices": SLICES, "slicing": "equal-width", "slice_extent": EXTENT}


def boundaries(z: Floats) -> Floats:
    """Where bunches of equal-width slices are cut, head first (docs/study.md)."""
    steps = 1 - 2 * np.arange(1, SLICES) / SLICES
    return np.asarray(z.mean() + EXTENT * z.std() * steps)


def pairs_across_boundaries(machine: phasewise.Study, distance: float) -> Floats:
    """(6, 2·40) particles, ten at each boundary ahead of it and the same ten behind it.

    They belong to the bunch that is cut, so that the place of the cuts is found by iteration.
    """
    everyone = coordinates(phasewise.Simulation(machine))
    rms = np.array(machine.beam(1).rms(0))
    probes = np.random.default_rng(8).uniform(-2, 2, (6, 10 * (SLICES - 1))) * rms[:, None]
    probes = np.hstack([probes, probes])
    side = np.repeat([distance, -distance], 10 * (SLICES - 1))
    for _ in range(20):
        everyone[:, : probes.shape[1]] = probes
        probes[4] = np.tile(np.repeat(boundaries(everyone[4]), 10), 2) + side
    return probes


def jumps(beam: dict[str, Any] = FAINT, **ip: Any) -> Floats:
    """Difference of the transverse kicks across the boundaries over the largest kick, (2, 40)."""
    machine = study(beam=beam, ip=CUT_EVENLY | ip)
    probes = pairs_across_boundaries(machine, 1e-9 * FAINT["bunch_length"])
    count = probes.shape[1]
    before, _, after, _ = collide(machine, probes)
    kicks = (after - before)[[1, 3], :count]
    return np.abs(kicks[:, : count // 2] - kicks[:, count // 2 :]) / np.abs(kicks).max()


@pytest.mark.parametrize("weighting", ["cic", "tsc"])
def test_the_kick_is_continuous_at_slice_boundaries_with_interpolation(weighting: str) -> None:
    # Both slices share the boundary's plane, mesh and charge. What is left is the change of the
    # field over the 2e-9 σz between the pair, and the ξ = 3e-9 by which slices move each other.
    assert jumps(weighting=weighting).max() < 1e-8


@pytest.mark.parametrize("weighting", ["cic", "tsc"])
@pytest.mark.parametrize("grid", [[64, 64], [64, 65]])
def test_the_kick_is_continuous_where_the_mesh_becomes_finer(
    grid: list[int], weighting: str
) -> None:
    # Flat at the waist: slices that meet in the middle are 1/20 as high as those at the ends, and
    # planes between them have meshes of four or five heights.
    nano = {"beta": [5.0, 0.03], "grid": grid, "weighting": weighting}
    # The field changes over β*/30 now, hence by up to 2e-9·0.3/0.03 between the two of a pair.
    assert jumps(**nano).max() < 1e-6


def test_the_kick_jumps_at_slice_boundaries_without_interpolation() -> None:
    # The field of one slice is then seen at two planes Δs = 0.15 m apart, where its size differs by
    # the hourglass, s Δs/β*², some per cent.
    assert jumps(interpolation="none").max() > 1e-3


@pytest.mark.parametrize("model", ["strong-strong", "soft-gaussian"])
def test_the_luminosities_of_slice_pairs_add_up_to_the_total(model: str) -> None:
    machine = study(
        ip={"slices": [7, 5], "half_crossing_angle": 1e-4, "model": model},
        records={"pair_luminosity_every": 1},
    )
    simulation = phasewise.Simulation(machine)
    simulation.step()
    pairs = simulation.driver.pair_luminosity(1)
    assert pairs.shape == (7, 5)
    # 35 additions, each rounded to 1.1e-16.
    assert pairs.sum() == pytest.approx(simulation.record()["luminosity"][0], rel=1e-14)
    assert np.all(pairs > 0)


def test_every_pair_of_slices_gives_its_share_of_the_head_on_luminosity() -> None:
    # Equal charges, no hourglass, no angle: one in S1·S2 each. Slices of N/S particles: the
    # overlap of two samples is uncertain by √(2S/3N) = 0.7 % or less for each of the 12 pairs.
    machine = study(beam={"macroparticles": 50_000, "bunch_length": 1e-3}, ip={"slices": [4, 3]})
    simulation = phasewise.Simulation(machine)
    simulation.step()
    pairs = simulation.driver.pair_luminosity(1)
    assert pairs / pairs.sum() == pytest.approx(np.full((4, 3), 1 / 12), rel=4 * 0.007)


@pytest.mark.parametrize("slicing", ["equal-charge", "equal-width"])
def test_slices_are_numbered_from_the_head_and_hold_the_whole_bunch(slicing: str) -> None:
    machine = study(
        ip={"slices": 6, "slicing": slicing}, records={"slices_every": 1}, beam={"cut": 4.0}
    )
    simulation = phasewise.Simulation(machine)
    z = np.sort(coordinates(simulation)[4])[::-1]
    simulation.step()
    slices = simulation.driver.slices(1)[1]
    counts = slices["count"].astype(int)
    assert counts.sum() == len(z)
    ends = np.cumsum(counts)
    means = [part.mean() for part in np.split(z, ends[:-1])]
    # Means are taken from bins 1/256 of an octave wide, each counting at its middle.
    assert slices["z"] == pytest.approx(means, rel=1 / 512)
    if slicing == "equal-charge":
        # A cut is placed within a bin as if its particles lay evenly in it. At the outermost cut,
        # 0.97 σ, a bin w = z/256 wide holds N·w·φ(0.97) = 9.5 of 10⁴, off by √9.5/2 at each of
        # two cuts: 2.2 rms, taken three times.
        assert np.abs(counts - len(z) / 6).max() <= 6.6
    else:
        # Cuts at 2, 1, 0, … rms: between a and b a Gaussian has its mean at
        # (φ(a) - φ(b))/(Φ(b) - Φ(a)), 1.3832 and 0.4598. The 1360 particles of [1, 2] tell theirs
        # to 0.29/√1360 = 0.008, and a spacing to 0.011 with those of their neighbour: four times.
        assert -np.diff(slices["z"][1:-1]) / z.std() == pytest.approx(
            [0.9234, 0.9196, 0.9234], abs=0.044
        )


def test_the_slices_of_a_tilted_bunch_follow_the_tilt() -> None:
    # Seen in the frame of the head-on collision, a bunch is tilted by the half crossing angle.
    angle = 3e-4
    machine = study(ip={"slices": 5, "half_crossing_angle": angle}, records={"slices_every": 1})
    simulation = phasewise.Simulation(machine)
    simulation.step()
    slices = simulation.driver.slices(1)[1]
    tilt = np.polyfit(slices["z"], slices["mean"][:, 0], 1)[0]
    # x* = z tan φ = z* sin φ, and a fit of five means, each uncertain by σx/√(N/5) over σz.
    size, length = machine.beam(1).size(0)[0], machine.beam(1).bunch_length
    assert tilt == pytest.approx(np.sin(angle), abs=4 * size / np.sqrt(10_000) / length)
