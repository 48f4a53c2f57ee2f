"""The shock of an explosion is where Sedov's solution has it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import phasewise
from phasewise.workloads.hydro import sedov

STUDY = Path(__file__).parent / "study.toml"
SYMMETRIES = {"cartesian": 1, "cylindrical": 2, "spherical": 3}


@pytest.mark.parametrize("coordinates", SYMMETRIES)
def test_the_shock_is_within_a_zone_of_its_place(coordinates: str) -> None:
    changes = [f"hydro.coordinates={coordinates}", "records.snapshots=1"]
    with phasewise.run(phasewise.load(STUDY, changes)) as results:
        energy = results.study["hydro"]["energy"]
        density, faces = results.fields("density")[-1], results.faces(0)
        energies = np.asarray(results.rows("energy"))
    exact = sedov(faces, 1.0, energy, dimensions=SYMMETRIES[coordinates])
    steepest = faces[1 + int(np.argmin(np.diff(density)))]
    assert abs(steepest - exact.shock) <= faces[1] - faces[0]
    # Nothing has reached the outer boundary. Each timestep may round.
    assert energies == pytest.approx(energies[0], rel=2.0**-53 * len(energies))


def test_a_quarter_of_a_cylinder_has_the_same_shock_in_all_directions() -> None:
    changes = ["hydro.coordinates=cartesian", "hydro.zones=[48,48]", "records.snapshots=1"]
    with phasewise.run(phasewise.load(STUDY, changes)) as results:
        density, x = results.fields("density")[-1], results.centres(0)
    # The order of directions alternates, so that both are treated alike to the order of the scheme.
    assert np.abs(density - density.T).mean() < 0.01 * density.mean()
    distance = np.hypot(*np.meshgrid(x, x, indexing="ij"))
    along = np.diagonal(distance)
    for places, values in ((x, density[:, 0]), (along, np.diagonal(density))):
        steep = int(np.argmin(np.diff(values)))
        assert abs(0.5 * (places[steep] + places[steep + 1]) - 0.75) <= places[1] - places[0]
