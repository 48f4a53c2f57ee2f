"""`bench atmosphere`: its cases are studies that can run, and it has the names scripts rely on.
Rates of kernels, and studies that are drawn.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

from phasewise.driver import load_core
from phasewise.machines import load_machine
from phasewise.machines.kernel_rates import Measuring
from phasewise.models import Case
from phasewise.models.computation import kernel_seconds, rates_of
from phasewise.models.drawn import Drawn, Wanted
from phasewise.report.benching import Bench
from phasewise.runs import timing
from phasewise.study import Study
from phasewise.study.kernels import Kernels
from phasewise.workload.discovery import find_workload
from phasewise.workloads.atmosphere.bench import GRIDS, case_tables
from phasewise.workloads.atmosphere.communication import BALANCES

ROOF = {"flops_per_second": 1e10, "levels": []}
SMALL = ["atmosphere.grid=[4,8]", "atmosphere.levels=4"]


@pytest.fixture
def part(monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr(timing, "measure_roof", lambda *_: ROOF)
    monkeypatch.setattr(timing, "held_against", lambda *_: {"level": "", "roof_share": 0.0})
    return find_workload("atmosphere").part(Bench)


def test_a_case_has_what_scripts_rely_on(part: Bench) -> None:
    assert GRIDS == {"t42": (64, 128), "t85": (128, 256)}
    found: Any = part.run(load_core(), "t42", SMALL, 1, 2)
    wanted = {"seconds_per_timestep", "kernels", "phases", "roof", "columns_per_second",
              "balance", "load_before", "load_after", "moved"}  # fmt: skip
    assert wanted <= found.keys()
    assert found["grid"] == [4, 8] and found["kernel"] == "fast" and found["chunk"] == 16
    assert found["columns_per_second"] == pytest.approx(32 / found["seconds_per_timestep"])
    assert (found["load_before"], found["load_after"], found["moved"]) == (1.0, 1.0, 0)
    names = {kernel["name"] for kernel in found["kernels"]}
    assert {"long_wave", "short_wave", "adjustment", "surface"} <= names


def test_schemes_have_a_point_each(part: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    found: Any = part.run(load_core(), "schemes", SMALL, 1, 1)
    assert [one["balance"] for one in found["points"]] == list(BALANCES)
    assert len(part.rates(found)) == len(BALANCES)
    part.show(found)
    assert "measured" in capsys.readouterr().out


def test_a_rate_is_a_kernels_time_over_its_flops_at_the_levels() -> None:
    part = find_workload("atmosphere").part(Measuring)
    times = {"items": 100.0, "flops": 4e6, "bytes": 1e6, "seconds": 2e-3}
    timed = {part.cases()[0]: {"kernels": {"long_wave": times, "measure": times, "other": times}}}
    rates = part.rates(timed)
    assert rates.keys() == {"atmosphere_long_wave", "atmosphere_measure"}
    long_wave = rates["atmosphere_long_wave"]
    assert (long_wave.sizes, long_wave.seconds) == ((10.0,), (5e-10,))
    study = Study.from_dict(case_tables("t42"))
    kernel = {"name": "short_wave_plain", **times}
    (term,) = study.workload.part(Kernels).terms(study.model, kernel, 4)
    assert (term.name, term.amount, term.size) == ("atmosphere_short_wave_plain", 4e6, 26.0)


def test_costs_of_a_file_take_the_same_time_on_every_machine(tmp_path: Path) -> None:
    np.save(tmp_path / "costs.npy", np.full((4, 6), 2e-3))
    table = {"costs": "costs.npy", "column_bytes": [8, 8]}
    study = Study.from_dict(
        {"workload": "atmosphere", "timesteps": 1, "atmosphere": table}, tmp_path
    )
    for name in ("phoenix", "seaborg", "bassi"):
        case = Case(study, load_machine(name), 2)
        # Twelve columns a rank of 2 ms each.
        assert kernel_seconds(case)["given_cost"] == pytest.approx(24e-3)
        rates = rates_of(case)["kernels"]
        assert {kernel for kernel, _, _ in rates} >= {"given_cost"}


def test_drawn_studies_suit_their_ranks() -> None:
    part = find_workload("atmosphere").part(Drawn)
    draw, wanted = np.random.default_rng(7), Wanted(load_machine("bassi"), 8, Path("layout.txt"))
    schemes = set()
    for _ in range(20):
        tables = {"workload": "atmosphere", "timesteps": 1, **part.tables(draw, wanted)}
        study = Study.from_dict(tables)
        study.check_ranks(8)
        schemes.add(study.communication.balance)
    assert len(schemes) > 3 and "measured" not in schemes
