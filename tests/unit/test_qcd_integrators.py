"""Trajectories: what integrators move, that they reverse, how ΔH falls, and that it is weighted."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from phasewise.driver import Run, load_core
from phasewise.study import Study

pytest.importorskip("phasewise._core", reason="the core is not built")

INTEGRATORS = ("leapfrog", "omelyan-2", "omelyan-4")
FORCES = {"leapfrog": 1, "omelyan-2": 2, "omelyan-4": 5}
QUARKS = {"quarks": {"kappa": 0.125, "clover": 1.5}}


def started(update: dict[str, Any], beta: float = 5.7, seed: int = 1, **tables: Any) -> Any:
    study = Study.from_dict(
        {
            "workload": "qcd", "trajectories": 1, "seed": seed,
            "lattice": {"size": [4, 4, 4, 4]}, "gauge": {"beta": beta, "start": "hot"},
            "update": {"method": "hmc", **update}, **tables,
        }
    )  # fmt: skip
    return load_core().start(study.parameters(), 1)


def schedule(integrator: str, length: float, steps: list[int]) -> list[tuple[int, float]]:
    return load_core().qcd_schedule(integrator, length, steps)


@pytest.fixture(scope="module")
def links() -> Any:
    """Quenched links at β 5.7 in equilibrium."""
    run = started({"method": "heat-bath"})
    for _ in range(30):
        run.step()
    return run.links()


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_each_level_moves_for_the_length_of_the_trajectory(integrator: str) -> None:
    moves = schedule(integrator, 1.5, [2, 3, 2])
    for level in (-1, 0, 1, 2):
        # A few hundred times of about 0.01, with one rounding each.
        total = math.fsum(time for at, time in moves if at == level)
        assert total == pytest.approx(1.5, abs=1e-13)
    a = FORCES[integrator]
    links_moves = {"leapfrog": 1, "omelyan-2": 2, "omelyan-4": 5}[integrator]
    outer = 2 * links_moves
    middle = outer * 3 * links_moves
    counts = [sum(at == level for at, _ in moves) for level in (-1, 0, 1, 2)]
    # Moves of a level that follow each other without one of the links are one.
    assert counts == [middle * 2 * links_moves, 2 * a + 1, outer * 3 * a + 1, middle * 2 * a + 1]
    assert all(one[0] != two[0] for one, two in itertools.pairwise(moves))


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_schedule_is_the_same_read_backwards(integrator: str) -> None:
    moves = schedule(integrator, 1.0, [3, 2])
    times = {level: [time for at, time in moves if at == level] for level in (-1, 0, 1)}
    for one in times.values():
        assert one == pytest.approx(one[::-1], rel=1e-12)


def change(links: Any, integrator: str, steps: int, trajectories: int = 4) -> float:
    """Root mean square of ΔH over a few trajectories from the same links."""
    found = []
    for number in range(trajectories):
        run = started({"integrator": integrator, "steps": [steps]})
        run.set_links(links)
        found.append(run.there_and_back(number)[0])
    return float(np.sqrt(np.mean(np.square(found))))


@pytest.mark.parametrize(
    ("integrator", "steps", "power", "within"),
    [("leapfrog", 32, 2, 0.1), ("omelyan-2", 16, 2, 0.1), ("omelyan-4", 6, 4, 0.2)],
)
def test_the_change_of_h_falls_with_a_power_of_the_step(
    links: Any, integrator: str, steps: int, power: int, within: float
) -> None:
    coarse, fine = (change(links, integrator, count) for count in (steps, 2 * steps))
    assert math.log2(coarse / fine) == pytest.approx(power, abs=within)


def test_omelyan_of_order_two_changes_h_by_a_tenth_of_leapfrog(links: Any) -> None:
    # Its two errors are 0.13 and 0.08 of leapfrog's, (1 - 6λ + 6λ²)/12 and (1 - 6λ)/24 beside those
    # of λ = ½, and add up differently in each trajectory.
    assert change(links, "omelyan-2", 24, 16) < change(links, "leapfrog", 24, 16) / 8


@pytest.mark.parametrize("tables", [{}, QUARKS])
def test_a_trajectory_there_and_back_ends_where_it_began(
    links: Any, tables: dict[str, Any]
) -> None:
    # Solves begin from zero, so that the loosest tolerance reverses as well.
    loose = {"force_tolerance": 1e-3, "action_tolerance": 1e-11, "hasenbusch": [0.3]}
    update = {"steps": [3, 2, 2], **loose} if tables else {"steps": [8]}
    run = started(update, **tables)
    run.set_links(links)
    _, both = run.there_and_back(3)
    assert abs(both) < 1e-9
    assert np.abs(run.links() - links.ravel()).max() < 1e-11


def test_exp_of_minus_the_change_is_one_and_the_acceptance_follows(links: Any) -> None:
    run = started({"integrator": "leapfrog", "steps": [9]})
    run.set_links(links)
    changes, accepted = stepped(run, 400)
    weights = np.exp(-changes)
    error = errors(weights)
    assert error < 0.1
    assert abs(weights.mean() - 1) < 3 * error
    # M. Creutz, Phys. Rev. D 38 (1988) 1228: ΔH is normal with a variance of twice its mean.
    expected = math.erfc(math.sqrt(changes.mean()) / 2)
    assert abs(accepted.mean() - expected) < 3 * (errors(accepted) + 0.5 * errors(changes))


def stepped(run: Run, trajectories: int) -> tuple[Any, Any]:
    rows = []
    for _ in range(trajectories):
        run.step()
        record = run.record()
        rows.append((float(record["delta_h"]), float(record["accepted"])))
    changes, accepted = np.array(rows).T
    return changes, accepted


def errors(series: Any) -> float:
    """The error of the mean, from 20 parts of the series."""
    parts = series.reshape(20, -1).mean(axis=1)
    return float(parts.std(ddof=1) / math.sqrt(len(parts)))


def test_a_step_that_is_too_long_is_rejected_and_named(links: Any) -> None:
    run = started({"integrator": "leapfrog", "steps": [1], "length": 3.0})
    run.set_links(links)
    before = run.links()
    run.step()
    record = run.record()
    assert record["delta_h"] > 1000
    assert record["accepted"] == 0
    assert record["trouble"] == 0  # the gauge field
    assert record["trouble_step"] in (0, 1)
    assert np.array_equal(run.links(), before)


def test_a_solve_that_does_not_converge_rejects_its_trajectory(links: Any) -> None:
    run = started({"steps": [2, 2]}, quarks={"kappa": 0.125}, solver={"limit": 2})
    run.set_links(links)
    before = run.links()
    run.step()
    record = run.record()
    assert record["unconverged"] > 0
    assert record["accepted"] == 0
    assert record["delta_h"] == math.inf
    assert record["trouble"] == 1  # the quarks
    assert np.array_equal(run.links(), before)
