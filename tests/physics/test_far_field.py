"""Kicks in the outermost cells of the mesh and beyond it, up to 50 rms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.constants import classical_radius
from tests.physics.gaussian import Floats, gaussian_field, rolled
from tests.physics.machines import collide, coordinates, study

N = 100_000
NODES = 128


def bunch(aspect: float) -> dict[str, Any]:
    """Short bunches that are hardly kicked."""
    return {
        "bunch_length": 1e-6,
        "macroparticles": N,
        "bunch_population": 1e6,
        "geometric_emittance": [5e-10, 5e-10 / aspect**2],
        "normalized_emittance": None,
    }


def kicks(machine: phasewise.Study, places: Floats, roll: float = 0.0) -> tuple[Floats, Floats]:
    """(2, n) kicks at `places` (2, n) and those of the Gaussian with the bunch's covariance."""
    probes = np.zeros((6, places.shape[1]))
    probes[[0, 2]] = places
    other = rolled(coordinates(phasewise.Simulation(machine), 2), roll)
    before, source, after, _ = collide(machine, probes, other)
    kick = (after - before)[[1, 3], : places.shape[1]]
    position = source[[0, 2]]
    centre = position.mean(axis=1)[:, None]
    field = gaussian_field(places - centre, np.cov(position, bias=True))
    scale = 2e6 * classical_radius(machine.beam(1).mass) / machine.beam(1).gamma
    return kick, np.asarray(scale * field)


def error(kick: Floats, expected: Floats) -> Floats:
    """|difference| over |expected|, at each place."""
    return np.asarray(np.hypot(*(kick - expected)) / np.hypot(*expected))


@pytest.mark.parametrize("weighting", ["cic", "tsc"])
@pytest.mark.parametrize(
    ("aspect", "roll"), [(1, 0.0), (10, 0.0), (100, 0.0), (10, 0.3), (100, 0.02)]
)
@pytest.mark.parametrize("nodes", [NODES, 32])
def test_the_kick_is_the_closed_form_from_the_edge_to_fifty_sigma(
    nodes: int, aspect: float, roll: float, weighting: str
) -> None:
    machine = study(beam=bunch(aspect), ip={"grid": [nodes, nodes], "weighting": weighting})
    sizes = np.array(machine.beam(1).size(0))
    distance = np.array([7.0, 8.5, 10, 20, 50])
    along = [(1, 0), (0, 1), (-0.7, 0.7), (0.2, -1)]
    own = np.hstack([np.outer(sizes * np.array(way), distance) for way in along])
    places = np.zeros((6, own.shape[1]))
    places[[0, 2]] = own
    turned = rolled(places, roll)[[0, 2]]
    kick, expected = kicks(machine, turned, roll)
    cosine, sine = np.cos(roll), np.sin(roll)
    upright = np.hypot(np.array([cosine, sine]) * sizes[0], np.array([sine, cosine]) * sizes[1])
    beyond = (np.abs(turned) > 7 * (1 - 1e-9) * upright[:, None]).any(axis=0)
    # The five-point Laplacian errs by h²/12 of the fourth derivatives: at R = 6σ of a charge by
    # (h/R)²/6, for second moments twice that. What the mesh adds to σ² is taken off to the order of
    # h²; the next is h⁴/8σ⁴. A cell is at most 1.1·12σ/(n - 5).
    cell = 1.1 * 12 / (nodes - 5)
    assert error(kick, expected)[beyond].max() < (cell / 6) ** 2 / 3 + cell**4 / 8


@pytest.mark.parametrize("aspect", [1, 100])
@pytest.mark.parametrize("weighting", ["cic", "tsc"])
@pytest.mark.parametrize("axis", [0, 1])
def test_the_kick_does_not_jump_at_the_edge_of_the_mesh(
    axis: int, weighting: str, aspect: float
) -> None:
    edge = 6 * np.array(study(beam=bunch(aspect)).beam(1).size(0))
    mesh = {"mesh": "fixed", "mesh_half_width": edge.tolist(), "grid": [NODES, NODES]}
    machine = study(beam=bunch(aspect), ip=mesh | {"weighting": weighting})
    size = machine.beam(1).size(0)[axis]
    # Steps of h/50 over the last eight cells and beyond.
    places = np.zeros((2, 1000))
    places[1 - axis] = 0.3 * machine.beam(1).size(0)[1 - axis]
    places[axis] = np.linspace(5.3, 7.3, 1000) * size
    kick, _ = kicks(machine, places)
    steps = np.hypot(*np.diff(kick))
    # A kick that falls like 1/r, or grows like the field of a sheet, changes by 0.002/6 = 4e-4 a
    # step; linear interpolation keeps to that within h²/8r². A jump would stand out.
    assert steps.max() < 1e-3 * np.hypot(*kick).min()
    assert np.abs(np.diff(kick[axis], 2)).max() < 1e-4 * np.abs(kick[axis]).min()


def test_beyond_the_mesh_the_map_is_symplectic() -> None:
    wide = {
        "bunch_length": 0.3,
        "geometric_emittance": [1e-5, 1e-7],
        "normalized_emittance": None,
        "bunch_population": 1e15,
        "momentum_spread": 1e-4,
        "macroparticles": 20_000,
    }
    machine = study(beam=wide, ip={"slices": 3, "half_crossing_angle": 2e-3, "crossing_plane": 0.4})
    rms = np.array(machine.beam(1).rms(0))
    start = np.array([[14, 0.2, 3, 0.1, 0.3, 0.2], [1, 0.1, -16, 0.3, -0.6, 0.1]]).T
    step = 1e-3
    shifts = step * np.hstack([np.eye(6), -np.eye(6)])
    given = (start[:, :, None] + shifts[:, None, :]).reshape(6, -1) * rms[:, None]
    _, _, after, _ = collide(machine, given)
    image = (after[:, : given.shape[1]] / rms[:, None]).reshape(6, 2, 2, 6)
    jacobian = ((image[:, :, 0] - image[:, :, 1]) / (2 * step)).transpose(1, 0, 2)
    scale = np.repeat(rms[0::2] * rms[1::2], 2)
    form = np.kron(np.eye(3), np.array([[0.0, 1.0], [-1.0, 0.0]])) * scale[:, None]
    found = jacobian.transpose(0, 2, 1) @ form @ jacobian - form
    found /= np.sqrt(np.outer(scale, scale))
    # ∂(Δpx)/∂z has its counterpart ∂(Δδ)/∂x: without the longitudinal kick 2e-3 of the form is
    # missing. Differences err by h²/6 of third derivatives, 1 % of the form per rms cubed here.
    assert np.abs(found).max() < 1e-8


@pytest.mark.parametrize(
    ("vertical_emittance", "ip"),
    [(1e-9, {}), (1e-13, {}), (1e-11, {"separation_sigma": [20.0, 0.0]})],
)
def test_a_halo_is_kicked_alike_by_the_mesh_and_by_gaussian_slices(
    vertical_emittance: float, ip: dict[str, Any]
) -> None:
    # Bunches so long that the field changes along them, of aspects 1, 100 and 10, also apart.
    beam = bunch(1.0) | {
        "bunch_length": 0.2,
        "geometric_emittance": [1e-9, vertical_emittance],
    }
    changes = []
    for model in ("strong-strong", "soft-gaussian"):
        machine = study(beam=beam, ip={"slices": 16, "grid": [NODES, NODES], "model": model} | ip)
        rms = np.array(machine.beam(1).rms(0))[:, None]
        halo = np.random.default_rng(3).uniform(-1, 1, (6, 60))
        angle, radius = np.pi * halo[0], np.repeat([12.0, 16.0, 25.0], 20)
        halo[0], halo[2] = radius * np.cos(angle), radius * np.sin(angle)
        before, _, after, _ = collide(machine, halo * rms)
        changes.append((after - before)[:, :60])
    mesh, gaussian = changes
    # Slices of σz/5 and β* = 2.75 σz: the places where a particle meets them differ by 1/28 of β*
    # between planes and centres, the sizes by half the square of it, 7e-4; a slice's N/16 particles
    # know the charge near the place to √(16/N) = 1.3 %, a quiet start to a fifth of it.
    assert error(mesh[[1, 3]], gaussian[[1, 3]]).max() < 5e-3
    # Energy, from differences of potentials along the slices: as the places, to first order.
    assert np.abs(mesh[5] - gaussian[5]).max() < 0.036 * np.abs(gaussian[5]).max()
