"""Costs of columns from a file: what is refused, a run that goes on with them, and what is said of
them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

import phasewise
from phasewise.models.plan import plan
from phasewise.report.reported_run import ReportedRun
from phasewise.runs.choosing import Choosing
from phasewise.runs.layout import Recording
from phasewise.study import Study
from phasewise.study.checking import Checking
from phasewise.study.laboratory import Laboratory, iterated
from phasewise.workloads.atmosphere import pictures
from phasewise.workloads.atmosphere.costs_file import costs_of
from phasewise.workloads.atmosphere.maps import hour_text
from phasewise.workloads.atmosphere.model import model_of
from phasewise.workloads.atmosphere.reporting import AtmosphereReporting
from phasewise.workloads.atmosphere.table import OF_PHYSICS
from tests.sentences import command_refused, missing, refused, says


def study(path: Path, timesteps: int = 2, ways: Any = None, **own: Any) -> Study:
    return Study.from_dict(
        {
            "workload": "atmosphere",
            "timesteps": timesteps,
            "atmosphere": {"costs": str(path), "column_bytes": [80, 96], **own},
            "records": {"checkpoint_every": 1},
            "communication": ways or {},
        }
    )


def saved(path: Path, values: Any) -> Path:
    np.save(path, np.asarray(values, dtype=np.float64))
    return path


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_a_run_goes_on_with_the_costs_with_which_it_began_alone(tmp_path: Path) -> None:
    file, out = saved(tmp_path / "costs.npy", [[1e-6, 2e-6]]), tmp_path / "run"
    phasewise.run(study(file), out).close()
    phasewise.run(study(file, 3), out, resume=True).close()
    saved(file, [[1e-6, 3e-6]])
    with refused("checkpoint", "atmosphere.costs_fingerprint"):
        phasewise.run(study(file, 4), out, resume=True)
    # What is kept of the run is read without its file, but not with another one in its place.
    with phasewise.open_results(out) as results:
        kept = Study.from_dict(results.study)
    with refused("atmosphere.costs", "atmosphere.costs_fingerprint"):
        kept.parameters()


def test_what_is_remembered_of_costs_is_of_their_numbers(tmp_path: Path) -> None:
    keys = []
    for costs in ([[1.0, 2.0]], [[1.0, 3.0]], [[1.0, 2.0]]):
        given = study(saved(tmp_path / "costs.npy", costs))
        keys.append(given.workload.part(Choosing).study_key(given.model))
    assert keys[0] == keys[2] != keys[1]


@pytest.mark.parametrize("value", [1e300, 1e10])
def test_costs_beyond_all_use_are_refused_with_their_column(tmp_path: Path, value: float) -> None:
    with refused("atmosphere.costs", f"{value:g} s", "latitude 0", "longitude 1", "1e+09"):
        study(saved(tmp_path / "costs.npy", [[1.0, value]]))


def test_an_infinite_cost_is_no_missing_one(tmp_path: Path) -> None:
    with refused("atmosphere.costs", "not finite", "longitude 1") as caught:
        study(saved(tmp_path / "costs.npy", [[1.0, np.inf]]))
    assert missing(str(caught.value), "no cost")


def test_loads_of_the_smallest_numbers_are_refused(tmp_path: Path) -> None:
    with refused("atmosphere.costs", "no cost above 0"):
        study(saved(tmp_path / "costs.npy", [[5e-324, 0.0]]))


@pytest.mark.parametrize("text", ["0,5\n0,7\n", "cost\n0,5\n0,7\n"])
def test_commas_that_may_be_decimal_are_refused(tmp_path: Path, text: str) -> None:
    with refused("atmosphere.costs", "0,5", "decimal comma"):
        study(written(tmp_path / "costs.csv", text))


@pytest.mark.parametrize("text", ["0,5;0,7\n1;2\n", "0,5\t0,7\n", "1;2\n0,5;3\n"])
def test_the_separator_is_that_of_the_whole_file(tmp_path: Path, text: str) -> None:
    with refused("atmosphere.costs", "0,5", "point"):
        study(written(tmp_path / "costs.csv", text))


@pytest.mark.parametrize(
    ("text", "grid"),
    [
        ("west, east\n1,2\n3,4\n", (2, 2)),
        ("1, 2\n3, 4\n", (2, 2)),
        ("1,2,3\n4,5,6\n", (2, 3)),
        ("0.5,1\n2,3\n", (2, 2)),
        ("1;2\n3;4\n", (2, 2)),
        ("a cost, in s\n1\n2\n", (1, 2)),
        ("1 2\n3 4\n", (2, 2)),
    ],
)
def test_tables_that_say_their_separator_are_read(
    tmp_path: Path, text: str, grid: tuple[int, int]
) -> None:
    model = model_of(study(written(tmp_path / "costs.csv", text)))
    assert model.grid == grid and costs_of(model).shape == (1, grid[0] * grid[1])


def test_a_name_is_for_variables_that_have_one(tmp_path: Path) -> None:
    for file in (saved(tmp_path / "a.npy", [[1.0, 2.0]]), written(tmp_path / "a.csv", "1\n2\n")):
        with refused("atmosphere.costs_variable", "cost", "HDF5"):
            study(file, costs_variable="cost")


def test_an_array_of_four_axes_is_refused(tmp_path: Path) -> None:
    with refused("atmosphere.costs", "three dimensions"):
        study(saved(tmp_path / "costs.npy", np.ones((1, 1, 2, 3))))
    with h5py.File(tmp_path / "costs.h5", "w") as file:
        file["cost"] = np.ones((1, 1, 2, 3))
    with refused("atmosphere.costs", "three dimensions"):
        study(tmp_path / "costs.h5")


def test_an_unknown_machine_that_has_to_choose_is_refused(tmp_path: Path) -> None:
    file = saved(tmp_path / "costs.npy", [[1.0, 2.0]])
    given = study(file, ways={"balance": "auto", "machine": "seaborgg"})
    with refused("communication.machine", "seaborgg", nearest="seaborg"):
        given.workload.part(Checking).check(given)


def test_what_is_wrong_beyond_single_keys_is_said_with_the_file_of_the_study(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved(tmp_path / "costs.npy", [[1.0, -2.0]])
    for name, own in (
        ("twins", '[atmosphere]\ngrid = [8, 15]\n[communication]\nbalance = "twin"'),
        ("costs", '[atmosphere]\ncosts = "costs.npy"\ncolumn_bytes = [8, 8]'),
    ):
        given = written(
            tmp_path / f"{name}.toml", f'workload = "atmosphere"\ntimesteps = 2\n{own}\n'
        )
        command_refused(capsys, ["check", given], f"{given}:")


def test_a_plan_of_costs_says_nothing_of_the_sun(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = study(saved(tmp_path / "costs.npy", [[1.0, 2.0], [3.0, 4.0]]))
    planned = plan(given, 2, pieces=iterated(given, None))
    assert not planned["hours"][0].keys() & {"hour", "lit"}
    given.workload.part(Laboratory).show_planned(given, planned)
    told = capsys.readouterr().out
    says(told, "load before")
    assert missing(told, "hour", "lit") == ["hour", "lit"]


def test_a_report_of_costs_says_nothing_of_the_sun(tmp_path: Path) -> None:
    file, out = saved(tmp_path / "costs.npy", [[1e-6, 2e-6], [3e-6, 4e-6]]), tmp_path / "run"
    phasewise.run(study(file), out).close()
    run, reporting = ReportedRun(out), AtmosphereReporting(study(file).workload)
    try:
        (table,) = (one for one in reporting.study_tables(run) if one.title == "atmosphere")
        keys = {row[0] for row in table.rows}
        assert "costs" in keys and not keys & set(OF_PHYSICS)
        tiles = " ".join(str(tile) for tile in reporting.tiles(run))
        drawn = pictures.draw_columns(run)
        words = tiles + str(getattr(drawn, "caption", ""))
        says(words, "timestep")
        assert not [word for word in ("day", "sun", "lit", "Δt") if not missing(words, word)]
        assert pictures.hours_of(run).tolist() == [1, 2]
    finally:
        run.close()


def test_costs_that_leave_the_range_ask_for_no_shorter_timestep(tmp_path: Path) -> None:
    given = study(saved(tmp_path / "costs.npy", [[1.0, 2.0]]))
    told = given.workload.part(Recording).fault(given, {"cost": np.inf})
    says(told, "atmosphere.costs")
    assert missing(told, "timestep")


def test_days_after_the_last_one_of_a_year_begin_at_the_first() -> None:
    own = {"grid": [2, 2], "day": 365, "hour": 12.0, "timestep": 43200.0}
    model = model_of(Study.from_dict({"workload": "atmosphere", "timesteps": 4, "atmosphere": own}))
    assert [hour_text(model, n) for n in range(3)] == [
        "day 365, 12 h", "day 1, 0 h", "day 1, 12 h",
    ]  # fmt: skip
