"""`bench sphere`: its points are studies that can run, and a series has the figures of each."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

from phasewise.driver import load_core
from phasewise.report.benching import Bench
from phasewise.runs import timing
from phasewise.study import Study
from phasewise.workload.discovery import find_workload
from phasewise.workloads.sphere import bench
from phasewise.workloads.sphere.bench import SERIES, TRUNCATIONS, case_tables

ROOF = {"flops_per_second": 1e10, "levels": []}


def test_the_series_go_from_t5_to_t680_and_from_1_to_66_levels() -> None:
    sizes = {size for series in SERIES.values() for size in series}
    assert {(truncation, 1) for truncation in TRUNCATIONS} <= sizes
    assert {levels for truncation, levels in sizes if truncation == 85} >= {1, 18, 66}
    for truncation, levels in sizes:
        Study.from_dict(case_tables(truncation, levels)).check_ranks(1)


def test_a_series_measures_the_roof_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def measured(_core: Any, threads: int) -> dict[str, Any]:
        asked.append(threads)
        return ROOF

    monkeypatch.setattr(timing, "measure_roof", measured)
    monkeypatch.setattr(timing, "held_against", lambda *_: {"level": "", "roof_share": 0.0})
    monkeypatch.setitem(bench.SERIES, "truncations", [(5, 1), (10, 1), (5, 18)])
    part = find_workload("sphere").part(Bench)
    found = part.run(load_core(), "truncations", [], 1, 1)
    points = [(point["case"], point["truncation"], point["levels"]) for point in found["points"]]
    assert points == [("t5", 5, 1), ("t10", 10, 1), ("t5", 5, 18)]
    assert asked == [1]
    for point in found["points"]:
        assert point["seconds_per_level"] == point["seconds_per_timestep"] / point["levels"]
        assert min(point["transform_seconds"], point["fft_peak_share"], point["gigaflops"]) > 0.0
    assert list(part.rates(found)) == [
        "timesteps per second, T5, 1 level", "timesteps per second, T10, 1 level",
        "timesteps per second, T5, 18 levels",
    ]  # fmt: skip
