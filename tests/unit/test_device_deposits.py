"""Deposits on a device by tiles: memory that a block of threads shares."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

import phasewise
from phasewise.driver import load_core
from phasewise.runs.batch import step_together
from phasewise.study import Study
from phasewise.workloads.collision.driver import CollisionRun
from tests.unit.deposit_cases import CASES, FEW
from tests.unit.study_tables import tables

pytest.importorskip("phasewise._core", reason="the core is not built")

KICK = 88.0  # bytes that an encounter moves of a particle; a tile's deposit reads 40 more a plane


def study(device: str, **changes: Any) -> Study:
    return Study.from_dict(tables(**(FEW | {"run__device": device} | changes)))


def simulation(device: str, **changes: Any) -> phasewise.Simulation:
    return phasewise.Simulation(study(device, **changes))


def state(run: phasewise.Simulation) -> dict[str, Any]:
    """The record of the last turn and all particles, by their numbers."""
    found = dict(run.record())
    for beam in (1, 2):
        particles = cast(CollisionRun, run.driver).particles(beam)
        order = np.argsort(particles["id"])
        found |= {f"{beam}.{name}": particles[name][order] for name in particles}
    return found


def assert_same(one: phasewise.Simulation, other: phasewise.Simulation) -> None:
    ours, theirs = state(one), state(other)
    assert ours.keys() == theirs.keys()
    for name in ours:
        assert np.array_equal(ours[name], theirs[name], equal_nan=True), name


def bytes_of_encounter(run: phasewise.Simulation) -> float:
    kernel = next(one for one in run.driver.kernels() if one["name"] == "encounter")
    return float(kernel["bytes"] / kernel["items"])


@pytest.mark.parametrize("case", CASES)
def test_deposits_by_tiles_are_those_of_the_cpu(case: str) -> None:
    cpu, emulated = (simulation(device, **CASES[case]) for device in ("cpu", "emulated"))
    for run in (cpu, emulated):
        run.step()
        run.step()
    assert_same(cpu, emulated)
    assert bytes_of_encounter(cpu) == KICK
    assert bytes_of_encounter(emulated) > KICK


@pytest.mark.parametrize("weighting", ["cic", "tsc"])
def test_a_node_holds_the_charge_of_as_many_particles_as_a_tile_takes(weighting: str) -> None:
    half, nodes = 1e-3, 16
    runs = [
        simulation(
            device,
            beam__1__macroparticles=32768,
            ip__1__slices=1,
            ip__1__interpolation="none",
            ip__1__half_crossing_angle=0.0,
            ip__1__weighting=weighting,
            ip__1__mesh="fixed",
            ip__1__mesh_half_width=[half, half],
        )
        for device in ("cpu", "emulated")
    ]
    for run in runs:
        for beam in (1, 2):
            particles = cast(CollisionRun, run.driver).particles(beam)
            for name in ("px", "py"):
                particles[name][:] = 0.0
            for name in ("x", "y"):
                # On nodes beside zero, about which all are symmetric, so that the beams attract.
                particles[name][:] = (half if beam == 1 else -half) / (nodes - 1)
        run.step()
    assert_same(*runs)
    assert bytes_of_encounter(runs[1]) > KICK


def test_few_particles_are_deposited_where_they_are_kicked() -> None:
    run = simulation("emulated", beam__1__macroparticles=200)
    run.step()
    assert bytes_of_encounter(run) == KICK


def test_studies_of_a_batch_have_tiles_of_their_own_sizes() -> None:
    kinds: list[dict[str, Any]] = [
        {"beam__1__macroparticles": 3000},
        {"beam__1__macroparticles": 6000, "ip__1__grid": [32, 16]},
        {"beam__1__macroparticles": 200},
    ]
    alone = [simulation("emulated", **changes) for changes in kinds]
    for run in alone:
        run.step()
    together = [simulation("emulated", **changes) for changes in kinds]
    assert step_together(load_core(), together) == [None] * len(together)
    for one, other in zip(alone, together, strict=True):
        assert_same(one, other)
