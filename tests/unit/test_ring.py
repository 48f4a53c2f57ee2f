"""Several workloads in one ring, on one rank: each acts on the bunches as it does alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.study import Study
from tests.sentences import refused
from tests.unit.ring_study import TABLES, study, tables

core = pytest.importorskip("phasewise._core", reason="the core is not built")

COORDINATES = ("x", "px", "y", "py", "z", "delta")


def by_id(particles: Any) -> np.ndarray:
    """Id and coordinates (n, 7) of particles, by ascending id."""
    rows = np.column_stack([particles[name] for name in ("id", *COORDINATES)])
    return rows[rows[:, 0].argsort()]


def test_without_kicks_a_lattice_is_the_arc_of_the_same_matrix() -> None:
    turn = np.eye(6)
    for plane, tune in ((0, 0.31), (2, 0.27), (4, 0.01)):
        c, s = np.cos(2 * np.pi * tune), np.sin(2 * np.pi * tune)
        beta = 2000.0 if plane == 4 else 0.6
        turn[plane : plane + 2, plane : plane + 2] = [[c, beta * s], [-s / beta, c]]
    back = np.eye(6)  # through a drift of 1 m, in which z gains δ/γ² on the reference particle
    back[0, 1] = back[2, 3] = -1.0
    back[4, 5] = -((1.8 / 7.5) ** 2)
    elements = [
        {"kind": "drift", "length": 1.0},
        {"kind": "matrix", "matrix": back.tolist()},
        {"kind": "matrix", "matrix": turn.tolist()},
    ]
    ring = study(
        "solver.kicks=0",
        "turns=5",
        workload=["collision", "spacecharge"],
        lattice={"maps": "linear", "element": elements},
    )
    alone = Study.from_dict(
        tables(
            "turns=5",
            workload="collision",
            lattice=None,
            solver=None,
            arc={"matrix": turn.tolist()},
        )
    )
    both, one = phasewise.Simulation(ring), phasewise.Simulation(alone)
    for _ in range(5):
        both.step()
        one.step()
        found, expected = both.record(), one.record()
        # Products of matrices, rounded in another order: some ulps a turn.
        for name in ("luminosity", "beam1/emittance", "beam2/size", "beam1/particles"):
            assert found[f"collision/{name}"] == pytest.approx(expected[name], rel=1e-11)
    for beam in (1, 2):
        here, there = (
            by_id(both.driver.part("collision")[0].particles(beam)),
            by_id(one.driver.particles(beam)),
        )
        size = np.abs(there).max(axis=0)
        assert np.all(np.abs(here - there) <= 1e-12 * size)


def test_without_a_collision_the_bits_are_those_of_space_charge_alone() -> None:
    ring = phasewise.Simulation(study("ip.1.model=none"))
    beam = TABLES["beam"]["1"]
    bunch = {name: value for name, value in beam.items() if name != "energy"}
    alone = phasewise.Simulation(
        Study.from_dict(
            {
                **{name: TABLES[name] for name in ("turns", "seed", "lattice", "solver")},
                "workload": "spacecharge",
                "bunch": {**bunch, "energy": beam["energy"], "beta": [0.6, 0.6]},
            }
        )
    )
    start = by_id(ring.driver.part("collision")[0].particles(1))
    columns = {name: start[:, k].copy() for k, name in enumerate(COORDINATES, 1)}
    alone.start()
    alone.driver.restore("particles", start[:, 0].astype(np.int64), columns)
    for _ in range(2):
        ring.step()
        alone.step()
        found, expected = ring.record(), alone.record()
        assert expected["beam1/losses"] > 0
        for name, value in expected.items():
            assert np.array_equal(found[f"spacecharge/{name}"], value), name
    left = by_id(ring.driver.part("collision")[0].particles(1))
    assert np.array_equal(left, by_id(alone.driver.particles()))


def test_kernels_do_the_work_that_is_planned() -> None:
    ring = study("lattice.element.5.half_width=[1, 1]")  # without losses
    simulation = phasewise.Simulation(ring)
    simulation.step()
    first = {one["name"]: one["items"] for one in simulation.driver.kernels()}
    made = simulation.driver.pieces()
    simulation.step()
    pieces = {name: count - made[name] for name, count in simulation.driver.pieces().items()}
    planned: dict[str, float] = {}
    for kernel in core.work(ring.parameters(), 1, pieces):
        planned[kernel["name"]] = planned.get(kernel["name"], 0.0) + kernel["items"]
    done = {
        one["name"]: one["items"] - first.get(one["name"], 0.0)
        for one in simulation.driver.kernels()
    }
    for name in ("spacecharge.kick", "collision.encounter", "collision.moments"):
        assert planned[name] == done[name] > 0
    differing = {
        name for name in planned.keys() | done.keys() if planned.get(name) != done.get(name)
    }
    assert differing == set()


@pytest.mark.parametrize(("ranks", "passages"), [(1, 2.0), (2, 1.0), (3, 1.0), (8, 1.0)])
def test_terms_are_those_of_the_passages_of_the_mean_rank(ranks: int, passages: float) -> None:
    ring = study()
    part = ring.workload.part("kernels")
    assert part is not None
    terms = [
        term
        for kernel in core.work(ring.parameters(), ranks, {})
        if kernel["name"] == "spacecharge.charge_local"
        for term in part.terms(ring.model, kernel, ranks)
    ] + part.overheads(ring.model, ranks)

    def amount(name: str) -> float:
        return sum(term.amount for term in terms if term.name == name)

    assert amount("charge_local") == pytest.approx(2 * 2501 / ranks)
    assert amount("charge_nodes") == pytest.approx(2 * passages * 12 * 14 * 18)
    assert (amount("passage"), amount("kick_step")) == (passages, 2 * passages)


def test_particles_are_those_of_the_workload_that_makes_them() -> None:
    ring = phasewise.Simulation(study())
    ring.step()
    assert [len(ring.driver.part(name)) for name in ("collision", "spacecharge", "halo")] == [
        *(1, 2, 0),
    ]
    assert len(ring.beam(2).x) == ring.record()["spacecharge/beam2/particles"]
    assert len(ring.driver.part("spacecharge")[0].particles()) == 0


@pytest.mark.parametrize(
    ("old", "new", "facts"),
    [
        (
            "spacecharge collision",
            "spacecharge colision",
            ("line 3", "workload", "colision", "collision, commtest, halo"),
        ),
        ("spacecharge collision", "spacecharge halo", ("halo.halo.words", "missing")),
        ("spacecharge collision", "halo collision", ("line 3", "halo", "collision", "bunches")),
        ("spacecharge collision", "collision collision", ("line 3", "collision", "twice")),
        (
            "solver.kicks = 2",
            "solver.kicks = 2\nspacecharge.solver.kick = 2",
            ("line 23", "spacecharge.solver.kick", "key"),
        ),
        ("beam.2.charge = 79.0", "beam.2.charge = 0.0", ("line 42", "beam.2.charge", "0.0")),
        ("spacecharge.solver.kicks = 2", "solver.kicks = -1", ("line 22", "solver.kicks", -1)),
    ],
)
def test_the_driver_refuses_in_one_sentence(old: str, new: str, facts: tuple[object, ...]) -> None:
    parameters = study().parameters()
    assert old in parameters
    parameters = parameters.replace(old, new)
    with refused(*facts, by=ValueError):
        core.start(parameters)
