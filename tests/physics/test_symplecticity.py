"""The collision of one particle with a given bunch is a symplectic map.

Its Jacobian M is taken by central differences of step h, in units of the bunch's rms, at several
particles at once: all of them meet the same field. |MᵀJM - J| then falls as h², the error of the
differences, down to rounding.
"""

from __future__ import annotations

import numpy as np
import pytest

import phasewise
from tests.physics.machines import Floats, collide, study

FORM = np.kron(np.eye(3), np.array([[0.0, 1.0], [-1.0, 0.0]]))
PARTICLES = 6
# Bunches as long as β*, for the hourglass makes longitudinal kicks as large as they come, and of
# emittances of one order, to keep the rounding of one plane out of another.
WIDE = {
    "bunch_length": 0.5,
    "momentum_spread": 1e-4,
    "geometric_emittance": [1e-5, 2e-5],
    "normalized_emittance": None,
    "bunch_population": 2e16,
}
CROSSING = {"half_crossing_angle": 6e-3, "crossing_plane": 0.4, "slices": 5}


def amplitudes() -> Floats:
    """(6, n) particles within ±2 rms, none of them on an axis."""
    return np.random.default_rng(5).uniform(-2, 2, (6, PARTICLES))


def defects(machine: phasewise.Study, step: float) -> Floats:
    """|MᵀJM - J| at each particle, from differences over ± `step` rms."""
    rms = np.array(machine.beam(1).rms(0))
    shifts = step * np.hstack([np.eye(6), -np.eye(6)])
    start = (amplitudes()[:, :, None] + shifts[:, None, :]).reshape(6, -1) * rms[:, None]
    _, _, after, _ = collide(machine, start)
    image = (after[:, : start.shape[1]] / rms[:, None]).reshape(6, PARTICLES, 2, 6)
    jacobian = ((image[:, :, 0] - image[:, :, 1]) / (2 * step)).transpose(1, 0, 2)
    # In units of the rms the form of a plane is its emittance, rms of position times momentum.
    scale = np.sqrt(np.repeat(rms[0::2] * rms[1::2], 2))
    form = FORM * np.outer(scale, scale)
    found = jacobian.transpose(0, 2, 1) @ form @ jacobian - form
    return np.abs(found / np.outer(scale, scale)).max(axis=(1, 2))


@pytest.mark.parametrize("model", ["weak-strong", "soft-gaussian"])
def test_a_gaussian_collision_at_an_angle_is_symplectic_to_the_square_of_the_step(
    model: str,
) -> None:
    machine = study(beam=WIDE, ip=CROSSING | {"model": model})
    coarse, fine = defects(machine, 1e-2).max(), defects(machine, 1e-3).max()
    # The next term of the differences' error is h² smaller: 1e-4 where derivatives are of order 1.
    assert coarse / fine == pytest.approx(100, rel=0.01)
    # The same law leaves 1e-10 at 1e-4; rounding, 1e-16/1e-4 times some hundred operations, less.
    assert defects(machine, 1e-4).max() < 1e-9


def test_the_mesh_collision_with_quadratic_weights_is_symplectic() -> None:
    machine = study(beam=WIDE, ip=CROSSING | {"weighting": "tsc"})
    # The kick is the gradient of a potential, of second order in x and y within a cell and of
    # first in z: the same error of the differences is left, whatever the mesh.
    assert defects(machine, 1e-4).max() < 1e-9


def test_leaving_out_the_longitudinal_kick_breaks_symplecticity() -> None:
    machine = study(beam=WIDE, ip=CROSSING | {"model": "weak-strong", "longitudinal_kick": False})
    # ∂(Δpx)/∂z without its counterpart ∂(Δδ)/∂x: of the order of ξ, 0.03 here.
    assert defects(machine, 1e-4).max() > 1e-3
