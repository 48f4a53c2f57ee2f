"""`bench ocean`: it has the names that scripts rely on; rates of kernels, and drawn studies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

from phasewise.driver import load_core
from phasewise.errors import StudyError
from phasewise.machines import load_machine
from phasewise.machines.kernel_rates import Measuring
from phasewise.models.drawn import Drawn, Wanted
from phasewise.models.plan import plan
from phasewise.report.benching import Bench
from phasewise.runs import timing
from phasewise.study import Study
from phasewise.study.kernels import Kernels
from phasewise.study.laboratory import declared_tasks
from phasewise.workload.discovery import find_workload
from phasewise.workloads.ocean.bench import CASES, COMPARED, case_tables
from phasewise.workloads.ocean.communication import DISTRIBUTIONS, KERNELS
from phasewise.workloads.ocean.model import model_of
from phasewise.workloads.ocean.table import PRECONDITIONERS, SOLVERS

ROOF = {"flops_per_second": 1e10, "levels": []}
SMALL = ["ocean.grid=[24,16,2]", "ocean.evp_block=[4,4]"]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No roof is measured."""
    monkeypatch.setattr(timing, "measure_roof", lambda *_: ROOF)
    monkeypatch.setattr(timing, "held_against", lambda *_: {"level": "", "roof_share": 0.0})


def test_the_cases_are_the_grids_of_the_source() -> None:
    assert set(CASES) == {"x1", "x4tenths", "tenth"}
    sizes = [model_of(Study.from_dict(case_tables(case))).size for case in CASES]
    assert sizes == [(320, 384, 40), (900, 600, 40), (3600, 2400, 40)]


def test_a_case_has_the_time_of_a_solve_and_of_an_iteration() -> None:
    part = find_workload("ocean").part(Bench)
    found: Any = part.run(load_core(), "x1", SMALL, 1, 2)
    assert (found["solver"], found["preconditioner"]) == ("pcsi", "evp")
    assert 0 < found["seconds_per_solve"] < found["seconds_per_timestep"]
    each = found["seconds_per_solve"] / found["iterations"]
    assert found["seconds_per_iteration"] == pytest.approx(each)
    assert found["residual"] <= 1e-13
    years = 1800 / 365 / found["seconds_per_timestep"]
    assert found["simulated_years_per_day"] == pytest.approx(years)
    assert {"kernels", "phases", "roof"} <= found.keys()


def test_the_case_of_solvers_has_a_point_for_each() -> None:
    part = find_workload("ocean").part(Bench)
    found: Any = part.run(load_core(), "solvers", SMALL, 1, 1)
    points = [(one["solver"], one["preconditioner"]) for one in found["points"]]
    assert points == list(COMPARED)
    assert all(one["residual"] <= 1e-13 for one in found["points"])


def test_every_kernel_of_a_run_has_a_task_and_a_rate() -> None:
    workload = find_workload("ocean")
    tasks = {name for names in declared_tasks(workload).values() for name in names}
    units = workload.part(Kernels).UNITS
    for solver, preconditioner in COMPARED:
        kernel = "plain" if solver == "pcg" else "fast"
        own = {"grid": [24, 16, 2], "evp_block": [4, 4]}
        tables = case_tables("x1", solver=solver, preconditioner=preconditioner, **own)
        tables["communication"] = {"kernel": kernel}
        run: Any = load_core().start(Study.from_dict(tables).parameters())
        run.step()
        names = {kernel["name"] for kernel in run.kernels()}
        assert names <= tasks
        assert {f"ocean_{name}" for name in names} <= units.keys()


def test_a_rate_is_a_kernels_time_over_its_work_at_the_columns_of_a_rank() -> None:
    part = find_workload("ocean").part(Measuring)
    times = {"items": 100.0, "flops": 4e6, "bytes": 1e6, "seconds": 2e-3}
    timed = {
        part.cases()[0]: {"kernels": {"momentum": times, "solve_tiles": times, "other": times}}
    }
    rates = part.rates(timed)
    assert rates.keys() == {"ocean_momentum", "ocean_solve_tiles"}
    assert (rates["ocean_momentum"].sizes, rates["ocean_momentum"].seconds) == ((576.0,), (2e-5,))
    assert rates["ocean_solve_tiles"].seconds == (2e-9,)


def test_drawn_studies_have_every_solver_and_division_and_half_of_them_can_be_planned(
    tmp_path: Any,
) -> None:
    workload = find_workload("ocean")
    wanted = Wanted(load_machine("bassi"), 4, tmp_path / "file")
    drawn, fitting = 60, []
    for seed in range(drawn):
        tables = workload.part(Drawn).tables(np.random.default_rng(seed), wanted)
        study = Study.from_dict({"workload": "ocean", "timesteps": 1, **tables})
        try:
            plan(study, 4)
        except StudyError:
            continue
        fitting.append(study)
    assert len(fitting) > drawn / 2
    assert {study.model.solver for study in fitting} == set(SOLVERS)
    assert {study.model.preconditioner for study in fitting} == set(PRECONDITIONERS)
    assert {study.communication.distribution for study in fitting} == set(DISTRIBUTIONS)
    assert {study.communication.kernel for study in fitting} == set(KERNELS)
    assert len({study.communication.block for study in fitting}) == 3
