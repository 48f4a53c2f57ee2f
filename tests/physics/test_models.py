"""The three models of a collision agree where they describe the same thing, and obey symmetries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import phasewise
from tests.physics.machines import Floats, collide, coordinates, put, study

MODELS = ["strong-strong", "soft-gaussian", "weak-strong"]
# Unequal optics, an angle out of both planes, a bunch not short against β*.
GENERAL: dict[str, Any] = {
    "beta": [0.55, 0.3],
    "alpha": [0.3, -0.2],
    "half_crossing_angle": 2e-4,
    "crossing_plane": 0.5,
    "slices": 4,
    "grid": [128, 128],
}
LONG: dict[str, Any] = {"bunch_length": 0.1, "macroparticles": 50_000}


def changes(
    model: str, beam: dict[str, Any] = LONG, other: dict[str, Any] | None = None, **ip: Any
) -> Floats:
    """(6, n) changes of the coordinates of beam 1."""
    before, _, after, _ = collide(study(beam, other, ip=GENERAL | {"model": model} | ip))
    return after - before


def relative_rms(difference: Floats, reference: Floats) -> Floats:
    """Rms of the difference of x, px, y, py and delta over the rms of the reference."""
    rows = [0, 1, 2, 3, 5]
    square = np.mean(difference[rows] ** 2, axis=1) / np.mean(reference[rows] ** 2, axis=1)
    return np.asarray(np.sqrt(square))


@pytest.mark.parametrize("model", ["soft-gaussian", "weak-strong"])
def test_the_models_agree_on_gaussian_bunches(model: str) -> None:
    slices = 8
    mesh, gaussian = (changes(name, slices=slices) for name in ("strong-strong", model))
    finer = changes(model, slices=2 * slices)
    # The models cut the bunches differently (planes at the ends of a slice against its middle), so
    # that they differ by as much as slices matter; a mesh of 128² errs by 0.4 % of the largest
    # field, 1 % of its rms, and a slice's N/S particles give the field to √(S/N).
    slicing = relative_rms(gaussian - finer, finer)
    tolerance = 1.5 * slicing + 0.01 + np.sqrt(slices / LONG["macroparticles"])
    assert np.all(relative_rms(mesh - gaussian, gaussian) < tolerance)


@pytest.mark.parametrize("slices", [4, [4, 1], [1, 4]])
def test_a_bunch_that_is_hardly_kicked_is_a_strong_beam(slices: int | list[int]) -> None:
    # Soft-Gaussian and weak-strong differ by how the strong bunch is known, from its particles or
    # its design: second moments to √(2/(N/4)) = 1.3 % per slice, better for a quiet start.
    soft, weak = (changes(model, slices=slices) for model in ("soft-gaussian", "weak-strong"))
    assert np.all(relative_rms(soft - weak, weak) < 0.013)


@pytest.mark.parametrize("strong", [1, 4])
def test_a_particle_sees_the_slices_of_the_strong_beam_and_not_those_of_its_own(
    strong: int,
) -> None:
    alike, other = (changes("weak-strong", slices=[n, strong]) for n in (strong, 7))
    assert np.array_equal(alike, other)


def test_a_short_bunch_needs_one_slice() -> None:
    # A faint bunch of eight slices on the mesh, and as the weak beam of a Gaussian slice: the mesh
    # errs by 0.4 % of the largest field, 1 % of its rms.
    beam = LONG | {"bunch_population": 1e5}
    short = {"bunch_population": 1.15e11, "bunch_length": 1e-3}
    mesh, gaussian = (
        changes(model, beam, short, slices=[8, 1]) for model in ("strong-strong", "weak-strong")
    )
    assert np.all(relative_rms(mesh - gaussian, gaussian) < 0.01)
    # Eight slices of the short bunch lie within 3e-3 of β*.
    finer = changes("strong-strong", beam, short, slices=8)
    assert np.all(relative_rms(finer - mesh, mesh) < 3e-3)


def mirrored(values: Floats, rows: tuple[int, ...]) -> Floats:
    result = values.copy()
    result[list(rows)] *= -1
    return result


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("rows", "angle"), [((0, 1), np.pi / 2), ((2, 3), 0.0)])
def test_a_mirrored_collision_has_a_mirrored_result(
    model: str, rows: tuple[int, ...], angle: float
) -> None:
    # x → -x, or y → -y, of all particles of both beams; the plane of crossing is its own image.
    machine = study(
        beam=LONG | {"macroparticles": 5000},
        ip=GENERAL | {"model": model, "crossing_plane": angle, "alpha": [0, 0]},
    )
    one = coordinates(phasewise.Simulation(machine))
    two = None if model == "weak-strong" else coordinates(phasewise.Simulation(machine), 2)
    _, _, after, _ = collide(machine, one, two)
    flipped = None if two is None else mirrored(two, rows)
    _, _, image, _ = collide(machine, mirrored(one, rows), flipped)
    scale = np.abs(after - one).max(axis=1)
    scale[4] = 1
    error = np.abs(mirrored(image, rows) - after).max(axis=1)
    # Rounding of the mesh's place and of sums, 1e-16 of coordinates 1e5 times the changes at most.
    assert np.all(error[[0, 1, 2, 3, 5]] < 1e-8 * scale[[0, 1, 2, 3, 5]])


@pytest.mark.parametrize("model", ["strong-strong", "soft-gaussian"])
@pytest.mark.parametrize("slices", [(4, 4), (5, 1), (2, 4)])
def test_exchanging_the_beams_exchanges_the_results(model: str, slices: tuple[int, int]) -> None:
    machine, exchanged = (
        study(beam=LONG | {"macroparticles": 5000}, ip=GENERAL | {"model": model, "slices": given})
        for given in (slices, slices[::-1])
    )
    one, two = (coordinates(phasewise.Simulation(machine), beam) for beam in (1, 2))
    _, _, after_one, after_two = collide(machine)
    _, _, swapped_one, swapped_two = collide(exchanged, two, one)
    # The same operations on both beams, in the same order.
    assert np.array_equal(swapped_one, after_two)
    assert np.array_equal(swapped_two, after_one)
    assert not np.array_equal(after_one, after_two)


def test_turning_all_by_a_right_angle_turns_the_result() -> None:
    turn = [2, 3, 0, 1, 4, 5]
    flat: dict[str, Any] = {"half_crossing_angle": 2e-4, "slices": 3, "alpha": [0, 0]}
    machine = study(beam=LONG, ip=flat | {"beta": [0.55, 0.3], "grid": [96, 64]})
    other = study(
        beam=LONG,
        ip=flat | {"beta": [0.3, 0.55], "grid": [64, 96], "crossing_plane": np.pi / 2},
    )
    one, two, after, _ = collide(machine)
    _, _, turned, _ = collide(other, one[turn], two[turn])
    scale = np.abs(after - one).max(axis=1)
    error = np.abs(turned[turn] - after).max(axis=1)
    # cos(π/2) and the order of sums round differently.
    assert np.all(error[[0, 1, 2, 3, 5]] < 1e-8 * scale[[0, 1, 2, 3, 5]])


def test_bunches_without_charge_cross_unchanged() -> None:
    machine = study(beam=LONG | {"bunch_population": 1}, ip=GENERAL)
    before, _, after, _ = collide(machine)
    scale = np.abs(before).max(axis=1)
    # A single particle's charge kicks by 1e-13 rms; a few roundings of each coordinate, of which x
    # takes in z tan φ, of its own size.
    assert np.all(np.abs(after - before).max(axis=1) < 1e-13 * scale)


def test_particles_put_in_by_hand_are_those_that_collide() -> None:
    machine = study(beam={"macroparticles": 100})
    simulation = phasewise.Simulation(machine)
    given = coordinates(simulation) * 0.5
    put(simulation, 1, given)
    simulation.step()
    mean = simulation.record()["1/mean"]
    # 100 numbers of size s: 1e-16 s times their number.
    assert mean == pytest.approx(given.mean(axis=1), abs=1e-14 * np.abs(given).max())
