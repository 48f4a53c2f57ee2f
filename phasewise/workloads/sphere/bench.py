"""`phasewise bench sphere`: timesteps of shallow water and transforms of fields, with each kernel
against the machine's measured roof. Cases are truncations of the source (PSTSWM), or a series of
them, or a series of levels.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from phasewise.driver import Core, Run
from phasewise.errors import StudyError
from phasewise.mpi.ranks import collectively
from phasewise.mpi.working import at
from phasewise.output import number_of, print_table
from phasewise.report.benching import Bench, show_kernels
from phasewise.runs.timing import measure
from phasewise.study import Study
from phasewise.study.reading import apply_override
from phasewise.workloads.sphere.communication import SphereCommunication, most_ranks
from phasewise.workloads.sphere.model import Sphere, model_of
from phasewise.workloads.sphere.spherical_transform import SphericalTransform

TRUNCATIONS = (5, 10, 21, 42, 85, 170, 340, 680)
"""Those of the source."""
LEVELS_AT, LEVELS = 85, (1, 2, 4, 8, 18, 32, 66)
"""The truncation at which the source varies the levels, and some of its numbers of levels."""
USUAL_LEVELS = 18
SERIES = {
    "truncations": [
        *((truncation, 1) for truncation in TRUNCATIONS),
        *((truncation, USUAL_LEVELS) for truncation in TRUNCATIONS[:-1]),
    ],
    "levels": [(LEVELS_AT, levels) for levels in LEVELS],
}
"""Truncations and levels of each point: the source's truncations with one level, and with 18 up to
the largest that takes less than a minute; its levels.
"""
TIMESTEPS = 5
"""Timesteps that are timed, unless --turns gives it."""
REPEATS = 5
"""How often a transform is timed."""
SECONDS_BY_DEGREE, LONGEST_TIMESTEP = 37_800.0, 3600.0
"""Timestep times truncation [s], 900 s at T42, and the longest timestep [s]: at T5 stability allows
6133 s.
"""
FOURIER, LEGENDRE = ("forward", "backward"), ("analysis", "synthesis")


def case_tables(truncation: int, levels: int) -> dict[str, Any]:
    """The study of a truncation: the flow over a mountain."""
    return {
        "title": f"benchmark T{truncation}, {number_of(levels, 'level')}",
        "workload": "sphere",
        "timesteps": 1000,
        "sphere": {
            "case": "williamson-5",
            "truncation": truncation,
            "levels": levels,
            "timestep": min(SECONDS_BY_DEGREE / truncation, LONGEST_TIMESTEP),
        },
        "communication": {},
    }


def _study(truncation: int, levels: int, overrides: Sequence[str], ranks: int) -> Study:
    tables = case_tables(truncation, levels)
    for override in overrides:
        apply_override(tables, override)
    study = Study.from_dict(tables)
    study.check_ranks(ranks)
    return study


def _most(truncation: int, levels: int, overrides: Sequence[str]) -> int:
    """The most ranks among which a point of a series can be divided."""
    study = _study(truncation, levels, overrides, 1)
    communication = study.communication
    assert isinstance(communication, SphereCommunication)
    return most_ranks(model_of(study), communication)


def _transform_seconds(core: Core, model: Sphere, threads: int) -> float:
    """Seconds of a transform to the grid and back, for one field of the levels that go together;
    collective. Ranks begin and end together.
    """
    transform = SphericalTransform(
        model.truncation, model.levels, latitudes=model.latitudes, longitudes=model.longitudes,
        functions=model.functions, threads=threads,
    )  # fmt: skip
    count = len(transform.degrees)
    random = np.random.default_rng(1).normal(size=(2, model.levels, count))
    coefficients = random[0] + 1j * np.where(transform.orders > 0, random[1], 0.0)

    def there_and_back() -> float:
        core.barrier()
        begin = time.perf_counter()
        transform.analyse(transform.synthesise(coefficients))
        core.barrier()
        return time.perf_counter() - begin

    there_and_back()
    return statistics.median(there_and_back() for _ in range(REPEATS)) / model.levels


def _peak_share(found: dict[str, Any], names: Sequence[str]) -> float:
    """The rate of some kernels over the flop roof."""
    kernels = [kernel for kernel in found["kernels"] if kernel["name"] in names]
    seconds = sum(kernel["seconds"] for kernel in kernels)
    flops = sum(kernel["flops"] for kernel in kernels)
    return float(flops / seconds / found["roof"]["flops_per_second"]) if seconds else 0.0


class SphereBench(Bench):
    """Its benchmark."""

    CASES = ("t42", "t85", "t170", "t340", "t680", *SERIES)

    def run(
        self, core: Core, case: str, overrides: Sequence[str], threads: int, turns: int | None
    ) -> dict[str, Any]:
        """Time a case on the ranks of this run; collective."""
        if case not in SERIES:
            size = (int(case[1:]), USUAL_LEVELS)
            return self._point(core, size, overrides, threads, turns)
        sizes = [size for size in SERIES[case] if core.size() <= _most(*size, overrides)]
        points: list[dict[str, Any]] = []
        for done, size in enumerate(sizes):
            at("point", done, len(sizes), f"T{size[0]}, {number_of(size[1], 'level')}")
            roof = points[0]["roof"] if points else None
            points.append(self._point(core, size, overrides, threads, turns, roof))
        if not points:
            raise StudyError(
                f"no point of the case {case} can be divided among {core.size()} ranks"
            )
        return {"case": case, "ranks": core.size(), "threads": threads, "points": points}

    def _point(
        self,
        core: Core,
        size: tuple[int, int],
        overrides: Sequence[str],
        threads: int,
        turns: int | None,
        roof: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        study = collectively(core, lambda: _study(*size, overrides, core.size()))
        model = model_of(study)

        def figures(run: Run, seconds: float) -> dict[str, Any]:
            del run
            return {"seconds_per_level": seconds / model.levels}

        found = measure(core, study, threads, turns or TIMESTEPS, figures, roof)
        flops = sum(kernel["flops"] for kernel in found["kernels"])
        return {
            "case": f"t{size[0]}",
            "truncation": model.truncation,
            "levels": model.levels,
            "grid": [model.latitudes, model.longitudes],
            **found,
            "transform_seconds": _transform_seconds(core, model, threads),
            "fft_peak_share": _peak_share(found, FOURIER),
            "legendre_peak_share": _peak_share(found, LEGENDRE),
            "gigaflops": flops / found["seconds_per_timestep"] / 1e9,
        }

    def rates(self, result: dict[str, Any]) -> dict[str, float]:
        """Timesteps per second, of each point of a series."""
        points = result.get("points", [result])
        return {
            f"timesteps per second, T{point['truncation']}, "
            f"{number_of(point['levels'], 'level')}": 1.0 / point["seconds_per_timestep"]
            for point in points
        }

    def show(self, result: dict[str, Any]) -> None:
        """Print a measurement as tables."""
        self.show_points(result.get("points", [result]))
        if "points" in result:
            return
        dearest_first = sorted(result["kernels"], key=lambda one: -one["seconds"])
        show_kernels(dearest_first, "timestep")

    def show_points(self, results: Sequence[dict[str, Any]]) -> None:
        """Print several measurements in one table."""
        flat = [point for result in results for point in result.get("points", [result])]
        rows = [
            [f"T{point['truncation']}", "×".join(map(str, point["grid"])), str(point["levels"]),
             f"{point['ranks']} × {point['threads']}",
             f"{1e3 * point['seconds_per_timestep']:.3f}",
             f"{1e3 * point['seconds_per_level']:.3f}",
             f"{1e3 * point['transform_seconds']:.3f}", f"{point['gigaflops']:.2f}",
             f"{100 * point['fft_peak_share']:.0f}", f"{100 * point['legendre_peak_share']:.0f}"]
            for point in flat
        ]  # fmt: skip
        heads = [
            "", "grid", "levels", "ranks × threads", "ms a timestep", "ms a level",
            "ms a transform there and back", "Gflop/s", "Fourier, % of peak",
            "Legendre, % of peak",
        ]  # fmt: skip
        print_table("shallow water, and transforms of fields", heads, rows)
