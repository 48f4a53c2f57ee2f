"""The mesh: convergence of both weightings, following and fixed meshes, particles outside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import phasewise
from tests.physics.machines import Floats, collide, coordinates, study

SHORT: dict[str, Any] = {"bunch_length": 1e-6, "macroparticles": 20_000}


def kicks(beam: dict[str, Any] = SHORT, **ip: Any) -> Floats:
    """(2, n) transverse kicks of beam 1 over their rms."""
    before, _, after, _ = collide(study(beam=beam, ip=ip))
    change = (after - before)[[1, 3]]
    return np.asarray(change / change.std())


def fixed(nodes: int, half_width: float = 6.0) -> dict[str, Any]:
    """A fixed mesh of so many rms."""
    sigma = study().beam(1).size(0)[0]
    return {"mesh": "fixed", "mesh_half_width": [half_width * sigma] * 2, "grid": [nodes, nodes]}


def rms_difference(first: Floats, second: Floats) -> float:
    return float(np.sqrt(np.mean((first - second) ** 2)))


@pytest.mark.parametrize("weighting", ["cic", "tsc"])
def test_the_kick_converges_with_the_square_of_the_cell(weighting: str) -> None:
    bunch = coordinates(phasewise.Simulation(study(beam=SHORT)))[[0, 2]]
    gradients = []
    for nodes in (49, 97, 193):
        machine = study(beam=SHORT, ip=fixed(nodes) | {"weighting": weighting})
        before, _, after, _ = collide(machine)
        change = (after - before)[[1, 3]]
        gradients.append(float((bunch * change).mean() / (bunch**2).mean()))
    coarse, fine = gradients[1] - gradients[0], gradients[2] - gradients[1]
    # The same particles on all meshes. The next order of the error is h²/σ² = 1/16 smaller.
    assert coarse / fine == pytest.approx(4, rel=1 / 16)


def test_both_weightings_give_the_same_kick_within_the_error_of_the_mesh() -> None:
    linear, quadratic = kicks(**fixed(129)), kicks(**fixed(129), weighting="tsc")
    # Linear weights smear charge and field by σ² + 3/4 h², quadratic ones by 2/3 h² (charge h²/6
    # or h²/4 each way, differences h²/3 or none, Green function h²/12): the kick differs by less
    # than 1/12 h²/σ² = 7e-4, and by the cells' noise.
    assert rms_difference(linear, quadratic) < 0.004


def test_a_mesh_that_follows_gives_the_kick_of_a_fixed_one() -> None:
    followed, standing = kicks(grid=[128, 128]), kicks(**fixed(128))
    # Cells differ by up to 7 %, hence 3/4 h²/2σ² by 14 %, 5e-4, and the cells' noise.
    assert rms_difference(followed, standing) < 0.004


def test_a_mesh_that_follows_goes_with_beams_that_are_elsewhere() -> None:
    # Both bunches 50 rms aside: the same collision, on a mesh that went with them.
    sigma = study().beam(1).size(0)[0]
    aside = [50 * sigma, 0, -30 * sigma, 0, 0, 0]
    here = kicks(grid=[128, 128])
    there = kicks(beam=SHORT | {"offset": aside}, grid=[128, 128])
    # The mesh stands the same relative to the bunches up to rounding of their mean.
    assert rms_difference(here, there) < 1e-9


def test_no_particle_is_outside_a_mesh_that_follows() -> None:
    simulation = phasewise.Simulation(study(ip={"slices": 3}, beam={"cut": 5.0}))
    simulation.step()
    record = simulation.record()
    assert record["1/outside"].sum() == record["2/outside"].sum() == 0


@pytest.mark.parametrize("weighting", ["cic", "tsc"])
def test_particles_outside_a_fixed_mesh_are_counted(weighting: str) -> None:
    machine = study(
        beam=SHORT, ip=fixed(65, half_width=2.0) | {"weighting": weighting, "interpolation": "none"}
    )
    simulation = phasewise.Simulation(machine)
    counts = []
    for beam in (1, 2):
        x, y = coordinates(simulation, beam)[[0, 2]] / machine.beam(1).size(0)[0]
        # A quadratic charge needs a whole cell to each side: its mesh ends half a cell earlier.
        edge = 2.0 - (0.5 * 4 / 64 if weighting == "tsc" else 0.0)
        counts.append(int(np.sum(np.maximum(abs(x), abs(y)) > edge)))
    simulation.step()
    record = simulation.record()
    found = [record["1/outside"][0], record["2/outside"][0]]
    assert counts[0] > 1000
    # The upper edge stands a thousandth of a cell inside, to keep the stencil on the mesh: at most
    # N · 2 · 0.054/σ · 6e-5 σ = 0.2 particles.
    assert found == pytest.approx(counts, abs=2)


def test_a_particle_outside_the_mesh_is_kicked_by_the_whole_charge_at_its_centre() -> None:
    machine = study(beam=SHORT, ip=fixed(64, half_width=6.0))
    sigma = machine.beam(1).size(0)[0]
    far = np.zeros((6, 2))
    far[0] = 12 * sigma, -9 * sigma
    far[2] = 5 * sigma, 8 * sigma
    _, other, after, _ = collide(machine, far)
    reference = study(beam=SHORT, ip={"model": "soft-gaussian"})
    _, _, expected, _ = collide(reference, far)
    # Outside, a round bunch acts as its charge at its centre: exactly up to exp(-r²/2) = e⁻⁷², and
    # to where the centre is taken, of the slice by one and of the moments by the other.
    centre = np.abs(other[[0, 2]].mean(axis=1)).max() / sigma
    assert after[[1, 3], :2] == pytest.approx(expected[[1, 3], :2], rel=1e-6 + centre)


def test_lost_charge_outside_the_mesh_does_not_act() -> None:
    # Beam 2 wholly outside a small fixed mesh: beam 1 is not kicked where it is on the mesh.
    sigma = study().beam(1).size(0)[0]
    machine = study(
        beam=SHORT,
        other={"offset": [40 * sigma, 0, 0, 0, 0, 0]},
        ip=fixed(64, half_width=8.0),
    )
    simulation = phasewise.Simulation(machine)
    simulation.step()
    assert simulation.record()["2/outside"][0] > 0
    before, _, after, _ = collide(machine)
    assert np.abs((after - before)[1]).max() == 0
