"""Which columns move: loads that follow by counting, and what each scheme may not do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phasewise.driver import load_core, load_planner
from phasewise.study import Study
from phasewise.workloads.atmosphere.driver import Schedule, schedule_of

pytest.importorskip("phasewise._core", reason="the core is not built")

LATITUDES, LONGITUDES = GRID = (64, 128)
HOURS = (0.0, 3.0, 7.5, 12.0, 16.2, 23.0)
DAYS = (1, 80, 172, 300)


def study(keys: dict[str, Any], **communication: Any) -> Study:
    return Study.from_dict(
        {
            "workload": "atmosphere",
            "timesteps": 72,
            "atmosphere": {"grid": list(GRID), **keys},
            "communication": communication,
        }
    )


def counted(schedule: Schedule, ranks: np.ndarray) -> float:
    """The largest over the mean load where a column costs 1 by night and 3 by day."""
    costs = np.where(schedule.lit, 3.0, 1.0)
    found = np.bincount(ranks, weights=costs, minlength=schedule.ranks)
    return float(found.max() / found.mean())


@pytest.mark.parametrize(
    ("division", "obliquity", "expected"),
    [
        ("latitudes", 0.0, 1.000),
        ("latitudes", 23.44, 1.500),
        ("longitudes", 0.0, 1.500),
        ("longitudes", 23.44, 1.371),
    ],
)
def test_loads_of_16_ranks_follow_by_counting(
    division: str, obliquity: float, expected: float
) -> None:
    keys = {"obliquity": obliquity, "day": 172, "hour": 12.0}
    for balance in ("none", "twin", "all"):
        found = schedule_of(study(keys, division=division, balance=balance), 16, 0)
        assert found.lit.sum() == found.lit.size // 2
        # The issue gives three decimals.
        assert counted(found, found.owner) == pytest.approx(expected, abs=5e-4)
        after = expected if balance == "none" else 1.0
        assert counted(found, found.holder) == pytest.approx(after, abs=5e-4)


@pytest.mark.parametrize("day", DAYS)
def test_half_of_the_columns_are_lit_in_any_season(day: int) -> None:
    for hour in HOURS:
        lit = schedule_of(study({"day": day, "hour": hour}), 1, 0).lit
        assert lit.sum() == lit.size // 2


def test_latitudes_are_gaussian_and_shares_of_the_sphere_add_up() -> None:
    for latitudes in (1, 2, 9, 64):
        places = load_planner().atmosphere_places(study({"grid": [latitudes, 10]}).parameters())
        sines, weights = np.polynomial.legendre.leggauss(latitudes)
        # leggauss is right to some 1e-14; an arc sine loses up to a thousandfold near the poles.
        assert np.allclose(np.sin(np.radians(places["latitudes"])), sines, rtol=0, atol=1e-13)
        assert np.allclose(10 * np.asarray(places["shares"]), weights / 2, rtol=1e-12)
        assert list(places["longitudes"]) == pytest.approx([36.0 * (j + 0.5) for j in range(10)])


def test_the_sun_does_not_set_beyond_the_polar_circle_at_the_solstice() -> None:
    own = study({"timestep": 3600.0, "hour": 0.0})
    latitudes = np.asarray(load_planner().atmosphere_places(own.parameters())["latitudes"])
    lit = np.array([schedule_of(own, 1, n).lit.reshape(GRID) for n in range(24)])
    circle = 90 - 23.44
    assert lit[:, latitudes > circle + 0.1].all() and not lit[:, latitudes < -circle - 0.1].any()
    between = np.abs(latitudes) < circle - 0.1
    assert not lit[:, between].all(axis=0).any() and lit[:, between].any(axis=0).all()
    # At noon in Greenwich the sun is over the columns beside it, at midnight on the other side.
    equator = LATITUDES // 2
    assert lit[12, equator, 0] and not lit[12, equator, LONGITUDES // 2]
    assert lit[0, equator, LONGITUDES // 2] and not lit[0, equator, 0]
    # It goes westwards: at six in the evening it is over 90° W.
    assert lit[18, equator, 3 * LONGITUDES // 4] and not lit[18, equator, LONGITUDES // 4]


def twin_of(column: np.ndarray) -> np.ndarray:
    row, along = column // LONGITUDES, column % LONGITUDES
    return (LATITUDES - 1 - row) * LONGITUDES + (along + LONGITUDES // 2) % LONGITUDES


@pytest.mark.parametrize(
    ("division", "ranks"), [("latitudes", 16), ("longitudes", 7), ("blocks", 12)]
)
def test_twins_are_on_one_rank_and_cost_the_same_at_every_hour_and_day(
    division: str, ranks: int
) -> None:
    columns = np.arange(LATITUDES * LONGITUDES)
    for day in DAYS:
        for hour in HOURS:
            own = study({"day": day, "hour": hour}, division=division, balance="twin")
            found = schedule_of(own, ranks, 0)
            assert (found.holder == found.holder[twin_of(columns)]).all()
            pairs = found.cost + found.cost[twin_of(columns)]
            assert np.ptp(pairs) == 0.0
            together = found.owner == found.owner[twin_of(columns)]
            assert (found.holder[together] == found.owner[together]).all()


def test_twins_stay_where_they_are_together() -> None:
    # A slab on each of two ranks has half of the longitudes: its twins are on the other rank.
    halves = schedule_of(study({}, division="longitudes", balance="twin"), 2, 0)
    assert halves.moved == LATITUDES * LONGITUDES // 2
    assert schedule_of(study({}, balance="twin"), 1, 0).moved == 0
    # Most of the middle band of three holds its own twins.
    found = schedule_of(study({}, division="latitudes", balance="twin"), 3, 0)
    together = found.owner == found.owner[twin_of(np.arange(LATITUDES * LONGITUDES))]
    assert together.sum() == 20 * LONGITUDES
    assert (found.holder[together] == found.owner[together]).all()


@pytest.mark.parametrize("division", ["latitudes", "longitudes", "blocks"])
@pytest.mark.parametrize("ranks", [2, 6, 16, 30])
def test_all_moves_no_column_that_could_stay(division: str, ranks: int) -> None:
    for day, hour in ((172, 12.0), (20, 5.0), (80, 18.5)):
        own = study({"day": day, "hour": hour}, division=division, balance="all")
        found = schedule_of(own, ranks, 0)
        has = np.bincount(found.owner, minlength=ranks)
        gets = np.bincount(found.holder, minlength=ranks)
        # Ranks that have as many columns keep their number.
        assert np.ptp(gets) <= 1 and (np.ptp(has) > 1 or (has == gets).all())
        before = np.bincount(found.owner, weights=found.lit, minlength=ranks)
        after = np.bincount(found.holder, weights=found.lit, minlength=ranks)
        assert after.max() - after.min() <= 1
        # A rank gives lit columns or gets them, and no more than the difference.
        away = found.owner != found.holder
        given = np.bincount(found.owner[away], weights=found.lit[away], minlength=ranks)
        taken = np.bincount(found.holder[away], weights=found.lit[away], minlength=ranks)
        assert (given == np.maximum(before - after, 0)).all()
        assert (taken == np.maximum(after - before, 0)).all()
        # Nor does it give and get columns of night, and no fewer of day could go.
        dark = 1 - found.lit
        change = np.bincount(found.holder, weights=dark, minlength=ranks) - np.bincount(
            found.owner, weights=dark, minlength=ranks
        )
        assert away.sum() == given.sum() + np.maximum(change, 0).sum()
        assert np.ptp(has) > 1 or away.sum() == 2 * given.sum()
        too_many = np.maximum(before - np.ceil(before.mean()), 0).sum()
        too_few = np.maximum(np.floor(before.mean()) - before, 0).sum()
        assert given.sum() == max(too_many, too_few)


@pytest.mark.parametrize("balance", ["all", "node", "pairs"])
def test_ranks_that_have_nothing_too_many_keep_their_columns(balance: str) -> None:
    # At equinox all bands of latitude have as many lit columns.
    assert schedule_of(study({"obliquity": 0.0}, balance=balance), 16, 0).moved == 0


def test_moves_within_nodes_stay_within_them() -> None:
    found = schedule_of(study({}, balance="node"), 16, 0, node_ranks=4)
    assert found.moved > 0
    assert (found.owner // 4 == found.holder // 4).all()
    lit = np.bincount(found.holder, weights=found.lit, minlength=16).reshape(4, 4)
    assert np.ptp(lit, axis=1).max() <= 1
    # A node of one rank has nobody to swap with.
    assert schedule_of(study({}, balance="node"), 16, 0, node_ranks=1).moved == 0


def test_all_prefers_partners_within_the_node() -> None:
    own = study({}, division="longitudes", balance="all")
    far, near = (schedule_of(own, 16, 0, node_ranks=size) for size in (1, 8))
    assert far.moved == near.moved
    beyond = (near.owner // 8 != near.holder // 8).sum()
    lit = np.bincount(near.owner, weights=near.lit, minlength=16).reshape(2, 8).sum(axis=1)
    # Only what a whole node has too many leaves it, and as many of night come.
    assert beyond == 2 * (lit.max() - lit.mean())


def test_pairs_are_of_two_ranks() -> None:
    found = schedule_of(study({}, division="longitudes", balance="pairs"), 16, 0)
    partners = (found.moves + found.moves.T) > 0
    assert partners.sum(axis=1).max() == 1
    assert found.after.max() < found.before.max()


def test_all_evens_out_32_ranks_and_measured_nearly_does() -> None:
    for division in ("latitudes", "longitudes", "blocks"):
        found = schedule_of(study({}, division=division, balance="all"), 32, 0)
        assert found.after.max() < 1.02 < found.before.max()
        # Latitudes that do not divide are evened out too.
        assert schedule_of(study({}, division=division, balance="all"), 24, 0).after.max() < 1.02
        by_times = study({}, division=division, balance="measured")
        assert max(schedule_of(by_times, 32, n).after.max() for n in (4, 5, 6)) < 1.05


def test_measured_moves_nothing_before_it_has_measured() -> None:
    own = study({}, balance="measured", costs_every=4)
    assert [schedule_of(own, 16, n).moved > 0 for n in (0, 3, 4, 7)] == [False, False, True, True]


def test_measured_moves_only_where_it_pays() -> None:
    moved = [
        schedule_of(study({}, balance="measured", move_seconds_per_byte=cost), 16, 3).moved
        for cost in (1e-12, 1e-8, 1e-3)
    ]
    assert moved[0] >= moved[1] >= moved[2] == 0 < moved[0]


def given(tmp_path: Path, table: list[list[float]], **communication: Any) -> Study:
    """A study with the seconds of each column of a row of columns, at one or several times."""
    tmp_path.mkdir(exist_ok=True)
    path = tmp_path / "costs.npy"
    np.save(path, np.array(table)[:, None, :])
    return Study.from_dict(
        {
            "workload": "atmosphere",
            "timesteps": 4,
            "atmosphere": {"costs": str(path), "column_bytes": [100, 60]},
            "communication": {"division": "longitudes", **communication},
        }
    )


def test_loads_of_given_costs_follow_by_hand(tmp_path: Path) -> None:
    # Two ranks have 1 + 2 + 3 + 6 = 12 and 1 + 1 + 1 + 1 = 4 s: the mean is 8, and 3 + 1 or 4 move.
    own = given(tmp_path, [[1, 2, 3, 6, 1, 1, 1, 1]], balance="all")
    found = schedule_of(own, 2, 0)
    assert list(found.before) == [1.5, 0.5]
    assert list(found.after) == [1.0, 1.0]
    assert found.moved == 2
    # Four ranks have 3, 9, 2 and 2 s, the mean is 4, and no column of 6 or 3 s can be divided.
    found = schedule_of(own, 4, 0)
    assert list(found.before) == [0.75, 2.25, 0.5, 0.5]
    assert list(found.after) == [0.75, 1.5, 1.25, 0.5]


def test_a_rank_that_gets_a_large_column_may_give_a_small_one(tmp_path: Path) -> None:
    # No 3 s fits on the other rank without the 1 s that this one gives in return.
    found = schedule_of(given(tmp_path, [[1, 1, 3, 3]], balance="all"), 2, 0)
    assert list(found.after) == [1.0, 1.0] and found.moved == 2


def test_times_of_given_costs_come_over_and_over(tmp_path: Path) -> None:
    own = given(tmp_path, [[1, 1, 3, 3], [3, 3, 1, 1]], balance="none")
    before = [list(schedule_of(own, 2, n).before) for n in range(3)]
    assert before == [[0.5, 1.5], [1.5, 0.5], [0.5, 1.5]]


def test_loads_of_a_run_are_told_before_and_after(tmp_path: Path) -> None:
    own = given(tmp_path, [[1, 1, 3, 3], [2, 2, 2, 2]], balance="all")
    found = load_planner().atmosphere_loads(own.parameters(), 2, 1)
    assert list(found["load_before"]) == [1.5, 1.0, 1.5, 1.0]
    assert list(found["load_after"]) == [1.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("ranks", "communication", "said"),
    [
        (65, {"division": "latitudes"}, "65 ranks are too many"),
        (129, {"division": "longitudes"}, "at most 128"),
        (131, {"division": "blocks"}, "131 ranks have no process grid"),
    ],
)
def test_more_ranks_than_columns_are_refused(
    ranks: int, communication: dict[str, Any], said: str
) -> None:
    text = study({}, **communication).parameters()
    with pytest.raises(ValueError, match=said):
        load_planner().atmosphere_schedule(text, ranks, 1, 0)


def test_negative_costs_are_refused_with_their_column(tmp_path: Path) -> None:
    text = given(tmp_path, [[1, 1, 3, 3]]).parameters()
    lines = ["atmosphere.costs = 1 1 -3 3" if line.startswith("atmosphere.costs ") else line
             for line in text.splitlines()]  # fmt: skip
    with pytest.raises(ValueError, match="column 2 takes -3"):
        load_planner().atmosphere_schedule("\n".join(lines), 2, 1, 0)


def test_an_adjustment_that_does_not_end_is_named_with_its_place() -> None:
    keys = {"grid": [4, 8], "levels": 6, "timestep": 7200.0, "most_sweeps": 1}
    run = load_core().start(study(keys).parameters(), 1)
    said = (
        r"the column at .*° [NS], .*° E \(column \d+\) is still unstable after the "
        "most sweeps, 1"
    )
    with pytest.raises(RuntimeError, match=said):
        run.step()
