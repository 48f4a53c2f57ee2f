"""Studies of an atmosphere's columns: keys, costs from files, loads that follow by counting, and
what is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from scipy.io import netcdf_file

pytest.importorskip("phasewise._core", reason="the core is not built")

import phasewise
from phasewise.machines import load_machine
from phasewise.models.plan import plan
from phasewise.runs.choosing import Choosing, changes
from phasewise.runs.layout import check_schedule
from phasewise.study import Study
from phasewise.study.checking import Checking
from phasewise.study.laboratory import iterated
from phasewise.tuning.automatic import settle
from phasewise.tuning.candidates import candidates
from phasewise.workloads.atmosphere.communication import BALANCES
from phasewise.workloads.atmosphere.costs_file import costs_of
from phasewise.workloads.atmosphere.driver import schedule_of
from phasewise.workloads.atmosphere.grid import declination, edges_of, latitudes_of, longitudes_of
from phasewise.workloads.atmosphere.model import model_of
from tests.sentences import refused, says


def study(own: Any = None, ways: Any = None, timesteps: int = 2, **more: Any) -> Study:
    """A study of 8 × 16 columns of few levels."""
    table = {"grid": [8, 16], "levels": 4} if own is None else own
    return Study.from_dict(
        {
            "workload": "atmosphere",
            "timesteps": timesteps,
            "atmosphere": table,
            "communication": ways or {},
        }
        | more
    )


def of_costs(path: Path, ways: Any = None, timesteps: int = 2, **own: Any) -> Study:
    """A study whose costs come from a file."""
    return study({"costs": str(path), "column_bytes": [80, 96], **own}, ways, timesteps)


def saved(path: Path, values: Any) -> Path:
    np.save(path.with_suffix(".npy"), np.asarray(values, dtype=np.float64))
    return path.with_suffix(".npy")


# Night 1 and day 3 on 64 × 128 columns with the sun over 0°, by the formula of the zenith angle.
def day_and_night(delta: float) -> Any:
    phi, away = np.radians(latitudes_of(64))[:, None], np.radians(longitudes_of(128))[None, :]
    delta = np.radians(delta)
    up = np.sin(phi) * np.sin(delta) + np.cos(phi) * np.cos(delta) * np.cos(away) > 0
    return np.where(up, 3.0, 1.0)


LATITUDES, LONGITUDES = "latitudes", "longitudes"


@pytest.mark.parametrize(
    ("delta", "division", "load"),
    # Longitudes at 23.44°: 1.37109375 by counting (docs/atmosphere.md).
    [(0.0, LATITUDES, 1.0), (0.0, LONGITUDES, 1.5),
     (23.44, LATITUDES, 1.5), (23.44, LONGITUDES, 1.37109375)],
)  # fmt: skip
def test_loads_of_day_and_night_follow_by_counting(
    tmp_path: Path, delta: float, division: str, load: float
) -> None:
    costs = day_and_night(delta)
    assert (costs == 3.0).mean() == 0.5
    given = of_costs(saved(tmp_path / "costs", costs), {"division": division, "balance": "none"})
    found = schedule_of(given, 16, 0)
    assert found.before.max() == pytest.approx(load, abs=1e-12)
    assert found.moved == 0 and found.after.max() == found.before.max()
    for scheme in ("twin", "all"):
        balanced = given.replace(**{"communication.balance": scheme})
        assert schedule_of(balanced, 16, 0).after.max() == pytest.approx(1.0, abs=1e-12)


def test_loads_of_a_table_are_those_that_follow_by_hand(tmp_path: Path) -> None:
    # Ranks have 12, 2, 4 and 6 s; the mean is 6 s.
    rows = [[4.0, 4.0, 4.0], [0.0, 1.0, 1.0], [1.0, 1.0, 2.0], [2.0, 2.0, 2.0]]
    given = of_costs(saved(tmp_path / "costs", rows), {"balance": "none"})
    found = schedule_of(given, 4, 0)
    np.testing.assert_allclose(found.before, [2.0, 1 / 3, 2 / 3, 1.0])
    planned = plan(given, 4)
    assert planned["load_before"] == planned["load_after"] == pytest.approx(2.0)
    # One column of 4 s goes from the first rank to the second one: 8, 6, 4, 6; then pairs are even
    # to the last column, and `all` can go on.
    pairs = schedule_of(given.replace(**{"communication.balance": "pairs"}), 4, 0)
    assert pairs.after.max() == pytest.approx(8 / 6)
    assert pairs.moves[0, 1] == pairs.moved == 1
    best = schedule_of(given.replace(**{"communication.balance": "all"}), 4, 0)
    assert best.after.max() <= 8 / 6


def test_a_plan_has_a_columns_bytes_and_its_totals_count_all_hours(tmp_path: Path) -> None:
    given = of_costs(saved(tmp_path / "costs", [[4.0, 4.0], [0.0, 0.0]]), {"balance": "pairs"})
    planned = plan(given, 2, pieces=iterated(given, None))
    out, back = (
        next(one for one in planned["phases"] if one["name"] == name)
        for name in ("columns_out", "columns_back")
    )
    # A column of 4 s moves in each timestep; the phase is of both that stand for the run.
    assert (out["bytes"], back["bytes"]) == (80, 96)
    assert out["times"] == back["times"] == 0.5
    assert [one["moved"] for one in planned["hours"]] == [1, 1]
    assert planned["hours"][0]["bytes"] == 176
    assert planned["load_after"] == pytest.approx(1.0)


def in_csv(path: Path, values: Any) -> Path:
    path = path.with_suffix(".csv")
    lines = [", ".join(map(str, row)) for row in values]
    path.write_text("\n".join(["# seconds", "west, middle, east", *lines]))
    return path


def in_hdf5(path: Path, values: Any) -> Path:
    with h5py.File(path.with_suffix(".h5"), "w") as file:
        file["cost"] = values
        file["area"] = np.ones_like(values)
    return path.with_suffix(".h5")


def in_classic(path: Path, values: Any) -> Path:
    """From the north to the south, as many files have them."""
    with netcdf_file(path.with_suffix(".nc"), "w") as file:
        for name, along in (("lat", [40.0, -40.0]), ("lon", [0.0, 120.0, 240.0])):
            file.createDimension(name, len(along))
            file.createVariable(name, "f8", (name,))[:] = along
        file.createVariable("physics", "f8", ("lat", "lon"))[:] = values[::-1]
    return path.with_suffix(".nc")


def in_netcdf(path: Path, values: Any) -> Path:
    h5netcdf = pytest.importorskip("h5netcdf")
    with h5netcdf.File(path.with_suffix(".nc"), "w") as file:
        file.dimensions = {"time": 1, "lat": 2, "lon": 3}
        made = file.create_variable("seconds", ("time", "lat", "lon"), "f8")
        made[...] = values[None] * 10.0
        made.attrs["scale_factor"] = 0.1
    return path.with_suffix(".nc")


@pytest.mark.parametrize("write", [saved, in_csv, in_hdf5, in_classic, in_netcdf])
def test_costs_are_read_from_each_kind_of_file(tmp_path: Path, write: Any) -> None:
    values = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.5]])
    given = of_costs(write(tmp_path / "costs", values))
    assert model_of(given).grid == (2, 3)
    np.testing.assert_allclose(costs_of(model_of(given)), values.reshape(1, 6), rtol=1e-15)
    assert Study.from_dict(given.resolved()) == given


def test_a_list_of_costs_is_one_row_and_an_axis_before_it_is_the_time(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("cost\n1\n2\n3\n")
    assert model_of(of_costs(tmp_path / "list.csv")).grid == (1, 3)
    times = saved(tmp_path / "times", [[[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]]])
    given = of_costs(times, {"division": "longitudes", "balance": "none"})
    assert model_of(given).grid == (1, 2)
    assert costs_of(model_of(given)).shape == (3, 2)
    # Times come one after the other, over and over.
    assert [schedule_of(given, 2, n).cost.tolist() for n in (0, 2, 4)] == [[1, 2], [5, 6], [3, 4]]


def test_costs_that_do_not_suit_are_refused_in_one_sentence(tmp_path: Path) -> None:
    with refused("atmosphere.costs", "does not exist"):
        of_costs(tmp_path / "absent.npy")
    with refused("atmosphere.costs", "2 × 3", "[4, 4]"):
        check_schedule(of_costs(saved(tmp_path / "shape", np.ones((2, 3))), grid=[4, 4]))
    holes = np.ones((2, 3))
    holes[1, 2] = -0.5
    with refused("atmosphere.costs", "-0.5 s", "latitude 1", "longitude 2"):
        check_schedule(of_costs(saved(tmp_path / "negative", holes)))
    holes[1, 2] = np.nan
    with refused("atmosphere.costs", "no cost", "latitude 1", "longitude 2"):
        check_schedule(of_costs(saved(tmp_path / "missing", holes)))
    with refused("atmosphere.costs", "no cost above 0"):
        check_schedule(of_costs(saved(tmp_path / "idle", np.zeros((2, 3)))))
    (tmp_path / "words.csv").write_text("1, 2\n3, four\n")
    with refused("atmosphere.costs", "four", "line 2"):
        of_costs(tmp_path / "words.csv")
    (tmp_path / "rows.csv").write_text("1, 2\n3\n")
    with refused("atmosphere.costs", "line 2"):
        of_costs(tmp_path / "rows.csv")
    (tmp_path / "text.h5").write_text("no HDF5")
    with refused("atmosphere.costs", "text.h5"):
        of_costs(tmp_path / "text.h5")
    with refused("atmosphere.costs_variable", "csot", nearest="cost"):
        of_costs(in_hdf5(tmp_path / "two", np.ones((2, 3))), costs_variable="csot")


def test_keys_of_costs_belong_to_a_file_of_costs(tmp_path: Path) -> None:
    with refused("atmosphere.column_bytes", "atmosphere.costs"):
        study({"column_bytes": [8, 8]})
    with refused("atmosphere.column_bytes", "missing"):
        study({"costs": str(saved(tmp_path / "costs", np.ones((2, 3))))})


@pytest.mark.parametrize(
    ("ways", "ranks", "facts"),
    [
        ({"division": "latitudes"}, 9, ("9 ranks", "8", "latitudes")),
        ({"division": "longitudes"}, 17, ("17 ranks", "16", "longitudes")),
        ({"division": "blocks"}, 129, ("129 ranks", "128 columns")),
        ({"division": "blocks"}, 19, ("19 ranks", "8x16")),
        ({"division": "blocks", "process_grid": "16x2"}, 32, ("16x2", "8x16")),
    ],
)
def test_more_ranks_than_columns_or_bands_are_refused(
    ways: Any, ranks: int, facts: tuple[str, ...]
) -> None:
    with refused(*facts):
        study(ways=ways).check_ranks(ranks)


def test_twins_need_a_sphere_with_an_even_number_of_longitudes(tmp_path: Path) -> None:
    with refused("communication.balance", "twin", "15"):
        study({"grid": [8, 15]}, {"balance": "twin"}).check_ranks(2)
    file = saved(tmp_path / "list", np.ones(6))
    with refused("communication.balance", "twin", "list"):
        of_costs(file, {"balance": "twin", "division": "longitudes"}).check_ranks(2)
    study({"grid": [7, 16]}, {"balance": "twin"}).check_ranks(7)


def test_a_process_grid_belongs_to_blocks_and_a_wrong_scheme_names_the_nearest() -> None:
    with refused("communication.process_grid", "blocks", "latitudes"):
        study(ways={"process_grid": "2x2"})
    with refused("communication.balance", nearest="pairs"):
        study(ways={"balance": "pair"})


def test_a_scheme_within_nodes_of_one_rank_does_nothing() -> None:
    given = study(ways={"balance": "node", "node_size": 1})
    (told,) = given.workload.part(Checking).check(given)
    says(told, "node", "moves nothing")
    assert schedule_of(given, 4, 0, node_ranks=1).moved == 0


def test_the_declination_is_largest_on_the_solstice_and_edges_have_the_areas() -> None:
    assert declination(172) == 23.44
    assert abs(declination(172 + 365 / 4)) < 1e-12
    east, north = edges_of((8, 16))
    assert east[0] == 0 and east[-1] == 360 and north[0] == -90 and north[-1] == 90
    areas = np.diff(np.sin(np.radians(north)))
    assert areas.sum() == pytest.approx(2.0)
    assert ((north[:-1] < latitudes_of(8)) & (latitudes_of(8) < north[1:])).all()


def test_a_tuner_compares_every_scheme_with_every_division() -> None:
    given = study()
    found = [one.communication() for one in candidates(given, 4, load_machine("bassi"))]
    both = {(one["division"], one["balance"]) for one in found}
    assert {name for _, name in both} == set(BALANCES) - {"node"}
    assert {name for name, _ in both} == {"latitudes", "longitudes", "blocks"}
    assert any(one["exchange"] == "alltoallw" for one in found)
    tried = changes(given, [[4, 1]], levels=True)
    assert {one["balance"] for one in tried if "balance" in one} == set(BALANCES) - {"all"}
    alone = given.workload.part(Choosing).choices(given.model, 1)
    assert alone["balance"] == ["none"] and len(alone["chunk"]) > 1


def test_an_open_scheme_is_chosen_by_predicted_timesteps() -> None:
    given = study({"grid": [16, 32], "levels": 10}, {"balance": "auto"}, timesteps=3)
    settled = settle(given, 8, load_machine("phoenix"))
    assert settled.study.communication.balance in BALANCES
    says(settled.sentence, "balance", "phoenix")
    shut = settle(settled.study, 8, load_machine("phoenix"))
    assert shut.study == settled.study and shut.sentence == ""


def test_a_run_may_go_on_with_another_scheme_chunk_and_kernel() -> None:
    simulation = phasewise.Simulation(study({"grid": [4, 8], "levels": 4}))
    simulation.step()
    other = simulation.study.communication.changed(
        {"balance": "pairs", "chunk": 5, "kernel": "plain", "exchange": "alltoallw"}
    )
    simulation.set_communication(other)
    simulation.step()
    assert simulation.turn == 2


def test_a_plan_of_many_ranks_leaves_the_process_grid_to_the_core() -> None:
    given = study({"grid": [32, 64], "levels": 4}, {"division": "blocks"})
    assert settle(given, 256, load_machine("phoenix")).study == given
    assert "x" in settle(given, 16, load_machine("phoenix")).study.communication.grid_text
