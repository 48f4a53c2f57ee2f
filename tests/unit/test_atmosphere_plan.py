"""What a plan of columns that move says, beside the schedules of its timesteps."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from phasewise.commands.predict import pieces_text
from phasewise.driver import load_core, load_planner
from phasewise.models.plan import plan
from phasewise.study import Study
from phasewise.study.laboratory import iterated
from phasewise.workloads.atmosphere.driver import schedule_of
from tests.sentences import says

pytest.importorskip("phasewise._core", reason="the core is not built")

LEVELS, RESULTS, SECONDS = 5, 10, 1
OUT = 8 * (3 * LEVELS + 1)
BACK = OUT + 8 * (RESULTS + SECONDS)


def study(timesteps: int, keys: dict[str, Any] | None = None, **communication: Any) -> Study:
    return Study.from_dict(
        {
            "workload": "atmosphere",
            "timesteps": timesteps,
            "atmosphere": {"grid": [16, 32], "levels": LEVELS, "timestep": 3600.0, **(keys or {})},
            "communication": communication,
        }
    )


def phases(of: Study, ranks: int) -> dict[str, dict[str, Any]]:
    return {phase["name"]: phase for phase in plan(of, ranks)["phases"]}


@pytest.mark.parametrize("balance", ["all", "pairs", "twin", "measured"])
@pytest.mark.parametrize("division", ["latitudes", "blocks"])
def test_the_bytes_of_a_plan_are_those_of_the_columns_that_move(
    balance: str, division: str
) -> None:
    own = study(24, balance=balance, division=division)
    found = phases(own, 8)
    moves = sum(schedule_of(own, 8, n).moves for n in range(24))
    partners = sum((schedule_of(own, 8, n).moves > 0).astype(int) for n in range(24))
    for name, size, axis in (("columns_out", OUT, 1), ("columns_back", BACK, 0)):
        # The busiest rank is the one with the most messages, and among these with the most bytes.
        busiest = max(
            zip(partners.sum(axis=axis).tolist(), moves.sum(axis=axis).tolist(), strict=True)
        )
        assert (found[name]["messages"], found[name]["bytes_per_rank"]) == (
            busiest[0], size * busiest[1],
        )  # fmt: skip
        assert found[name]["per"] == "24 timesteps"
    assert ("costs" in found) == (balance == "measured")


def test_nothing_moves_without_balance() -> None:
    assert set(phases(study(24, balance="none"), 8)) == {"measures"}


def test_a_long_run_is_planned_by_72_timesteps_that_cover_hours_and_seasons() -> None:
    # A year in timesteps of an hour.
    year = study(24 * 365, balance="all", division="latitudes")
    loads = load_planner().atmosphere_loads(year.parameters(), 8, 1)
    assert [len(loads[name]) for name in ("load_before", "load_after")] == [24, 24]
    before = np.asarray(loads["load_before"])
    # Means of three of 72 stretches: bands of latitude are uneven at the solstices alone.
    assert before.max() > 1.4 and before.min() < 1.1
    assert np.asarray(loads["load_after"]).max() < 1.02
    assert phases(year, 8)["columns_out"]["per"] == "72 timesteps"


def test_the_timesteps_of_a_plan_are_said_to_stand_for_the_run() -> None:
    own = study(4)
    says(pieces_text(own.workload, iterated(own, None)), "0.25 times", "stand for the run")


def test_every_day_has_its_own_schedule() -> None:
    own = study(48, {"obliquity": 0.0}, balance="all", division="longitudes")
    one, next_hour, next_day = (schedule_of(own, 8, n) for n in (0, 1, 24))
    assert (one.holder != next_hour.holder).any()
    # Without seasons each day is like the other.
    assert (one.holder == next_day.holder).all()


def test_means_of_the_record_are_those_of_the_columns() -> None:
    own = study(2, balance="none")
    run = load_core().start(own.parameters(), 1)
    run.step()
    record, state = run.record(), cast(Any, run).state()
    shares = np.repeat(load_planner().atmosphere_places(own.parameters())["shares"], 32)
    columns = {name: np.asarray(values) for name, values in state["columns"].items()}
    assert (columns["id"] == np.arange(16 * 32)).all()
    temperatures = np.asarray(state["levels"]["temperature"]).reshape(-1, LEVELS).mean(axis=1)
    # Both add some 500 terms, so that they agree to 500 roundings.
    for name, values in (
        ("temperature", temperatures),
        ("surface_temperature", columns["surface_temperature"]),
        ("absorbed", columns["absorbed"]),
        ("energy_residual", np.abs(columns["energy_residual"])),
    ):
        assert record[name] == pytest.approx(float(shares @ values), rel=1e-13), name
