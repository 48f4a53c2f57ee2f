"""A collision without the static part of its kick, as in a machine whose orbit is corrected."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import phasewise
from tests.physics.machines import Floats, collide, coordinates, put, study
from tests.physics.test_tune_shifts import TUNE, one_turn_trace

# Long bunches that meet at an angle and pass each other at a distance: all six coordinates of a
# particle on the orbit change.
APART: dict[str, Any] = {
    "separation_sigma": [7.0, 2.0],
    "half_crossing_angle": 1e-4,
    "crossing_plane": 0.3,
    "slices": 5,
    "grid": [128, 128],
}
CORRECTED: dict[str, Any] = {"static_kick": False}
SHORT: dict[str, Any] = {"bunch_length": 1e-4, "momentum_spread": 1e-7}
LONG: dict[str, Any] = {"bunch_length": 0.3, "momentum_spread": 1e-4}


def change(ip: dict[str, Any], probes: Floats, **more: Any) -> Floats:
    """What a collision adds to the probes (6, n)."""
    machine = study(beam=LONG, ip=APART | ip, **more)
    _, _, after, _ = collide(machine, probes)
    return np.asarray(after[:, : probes.shape[1]] - probes)


@pytest.mark.parametrize("strong", [{}, {"offset_sigma": [0.5, 0.0, -0.3, 0.0, 0.0, 0.0]}])
def test_a_particle_on_the_orbit_is_where_it_was(strong: dict[str, Any]) -> None:
    weak = {"model": "weak-strong"}
    kicked = change(weak, np.zeros((6, 1)), other=strong)
    # Distances [m] and slopes of some 1e-9; z changes by their squares.
    assert np.all(kicked[[0, 1, 2, 3, 5], 0] != 0.0)
    left = change(weak | CORRECTED, np.zeros((6, 1)), other=strong)
    # Rounding of a place that is 1e5 times its change.
    assert np.all(np.abs(left) <= 1e-10 * np.abs(kicked))


def test_what_is_taken_out_is_the_same_for_every_particle() -> None:
    weak = {"model": "weak-strong"}
    machine = study(beam=LONG, ip=APART | weak)
    probes = (
        np.random.default_rng(2).uniform(-2, 2, (6, 40)) * np.array(machine.beam(1).rms(0))[:, None]
    )
    probes[:, 0] = 0.0
    kicked, left = change(weak, probes), change(weak | CORRECTED, probes)
    # Rounding of coordinates up to 1e6 times their changes; that of z is a square.
    rows = [0, 1, 2, 3, 5]
    scale = np.abs(kicked).max(axis=1, keepdims=True)
    assert np.all((np.abs(kicked - left - kicked[:, :1]) < 1e-7 * scale)[rows])


@pytest.mark.parametrize("plane", [0, 1])
def test_the_tune_shift_is_that_of_the_whole_kick(plane: int) -> None:
    point = {"model": "weak-strong", "separation_sigma": [6.0, 0.0]}
    short = {"bunch_length": 1e-6, "momentum_spread": 1e-9}
    arc = {"tune": TUNE}
    with_it = one_turn_trace(study(beam=short, arc=arc, ip=point), plane)
    without = one_turn_trace(study(beam=short, arc=arc, ip=point | CORRECTED), plane)
    none = one_turn_trace(study(beam=short, arc=arc, ip={"model": "none"}), plane)
    # Both are differences of two particles about the axis, and a common shift cancels in them.
    assert without == pytest.approx(with_it, abs=1e-11)
    assert abs(without - none) > 1e-4


@pytest.mark.parametrize("model", ["strong-strong", "soft-gaussian"])
def test_bunches_that_pass_each_other_keep_their_orbits(model: str) -> None:
    """The centroids move by the difference between the real bunch's field and the design's."""

    def moved(point: dict[str, Any]) -> Floats:
        before, before_2, after, after_2 = collide(
            study(beam=SHORT, ip=APART | {"model": model} | point)
        )
        both = (after - before).mean(axis=1), (after_2 - before_2).mean(axis=1)
        return np.stack(both)[:, [1, 3]]

    kicked, left = moved({}), moved(CORRECTED)
    # Outside of a charge the mean over a round bunch is the field at its centre; the mesh is good
    # to 2e-4 of the largest field, which is 3.6 times this one, and centres to 1e-3 of a distance.
    assert np.abs(left).max() < 3e-3 * np.abs(kicked).max()


def test_the_correction_follows_a_ramp_of_the_separation() -> None:
    turns = 4
    ramp = {"from": [2e-4, 0.0], "to": [0.0, 1e-4], "turns": [0, turns]}
    point = APART | CORRECTED | {"model": "weak-strong", "ramp": ramp}
    del point["separation_sigma"]
    simulation = phasewise.Simulation(study(beam=LONG, ip=point, turns=turns))
    put(simulation, 1, np.zeros((6, 1)))
    for _ in range(turns):
        simulation.step()
        # Rounding of separations of 1e-4 m.
        assert np.abs(coordinates(simulation)[:, 0]).max() < 1e-19
