"""`bench hydro`: its cases are studies that can run, and it has the names that scripts rely on."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

from phasewise.driver import load_core
from phasewise.machines.kernel_rates import Measuring
from phasewise.models.drawn import Drawn, Wanted
from phasewise.report.benching import Bench
from phasewise.runs import timing
from phasewise.study import Study
from phasewise.study.kernels import Kernels
from phasewise.workload.discovery import find_workload
from phasewise.workloads.hydro.bench import GRIDS, case_tables
from phasewise.workloads.hydro.model import model_of

ROOF = {"flops_per_second": 1e10, "levels": []}


def test_the_cases_are_those_of_the_source_and_no_time_ends_them() -> None:
    assert {"evh1-128", "evh1-256", "evh1-512", "blast-waves", "cube"} == GRIDS.keys()
    for case in GRIDS:
        study = Study.from_dict(case_tables(case))
        study.check_ranks(2)
        assert model_of(study).until == 0
    for zones in (128, 256, 512):
        assert model_of(Study.from_dict(case_tables(f"evh1-{zones}"))).zones == (zones, zones)


def test_a_case_has_the_time_of_a_zone_and_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "measure_roof", lambda *_: ROOF)
    monkeypatch.setattr(timing, "held_against", lambda *_: {"level": "", "roof_share": 0.0})
    part = find_workload("hydro").part(Bench)
    found: Any = part.run(load_core(), "evh1-128", ["hydro.zones=[24,8]"], 1, 2)
    assert found["zones"] == [24, 8]
    assert found["batch"] == 16
    assert found["newton_steps"] == 8.0
    per_sweep = 1e9 * found["seconds_per_timestep"] / (24 * 8 * 2)
    assert found["ns_per_zone_sweep"] == pytest.approx(per_sweep)
    assert {"kernels", "phases", "roof"} <= found.keys()
    assert "sweep" in {kernel["name"] for kernel in found["kernels"]}


def test_a_rate_is_a_kernels_time_over_its_flops_at_the_length_of_pencils() -> None:
    part = find_workload("hydro").part(Measuring)
    times = {"items": 100.0, "flops": 4e6, "bytes": 1e6, "seconds": 2e-3}
    timed = {part.cases()[0]: {"kernels": {"sweep": times, "courant": times, "other": times}}}
    rates = part.rates(timed)
    assert rates.keys() == {"hydro_sweep", "hydro_courant"}
    assert (rates["hydro_sweep"].sizes, rates["hydro_sweep"].seconds) == ((64.0,), (5e-10,))
    assert rates["hydro_courant"].seconds == (2e-5,)
    study = Study.from_dict(case_tables("evh1-128"))
    kernel = {"name": "sweep_plain", **times}
    (term,) = study.workload.part(Kernels).terms(study.model, kernel, 4)
    assert (term.name, term.amount, term.size) == ("hydro_sweep_plain", 4e6, 128.0)


def test_studies_that_are_drawn_can_run(tmp_path: Any) -> None:
    import numpy as np

    from phasewise.machines import load_machine

    workload = find_workload("hydro")
    wanted = Wanted(load_machine("bassi"), 8, tmp_path / "file")
    for seed in range(20):
        tables = workload.part(Drawn).tables(np.random.default_rng(seed), wanted)
        Study.from_dict({"workload": "hydro", "timesteps": 1, **tables}).check_ranks(8)
