"""`bench collision --batch 1,2,4`: the speed of independent studies against their number. They take
their turns together, and on a device they share the launches of kernels.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from typing import Any, cast

from phasewise.driver import Core, Run
from phasewise.errors import StudyError
from phasewise.output import number_of, print_table
from phasewise.report.benching import Batches
from phasewise.report.figure import Drawing
from phasewise.report.style import new_picture
from phasewise.runs.simulation import start_run
from phasewise.study import Study
from phasewise.study.study import CPU
from phasewise.workloads.collision.bench import TURNS, case_study, encounters_of
from phasewise.workloads.collision.driver import CollisionRun

WARM_UP_TURNS = 2


def _measured(
    core: Core, case: str, overrides: Sequence[str], threads: int, turns: int, size: int
) -> dict[str, Any]:
    """A batch: the seconds in which all its studies take a turn, and the operations of the device
    in it.
    """
    first_seed = case_study(case, overrides).seed
    seeds = range(first_seed, first_seed + size)
    studies = [case_study(case, [*overrides, f"seed={seed}"]) for seed in seeds]
    runs = [start_run(core, study.parameters(), threads) for study in studies]
    for _ in range(WARM_UP_TURNS):
        _step(core, runs)
    first = cast(CollisionRun, runs[0])
    before = first.device_operations
    seconds = [_step(core, runs) for _ in range(turns)]
    asked = (first.device_operations - before) / turns
    turn = statistics.median(seconds)
    encounters = sum(map(_encounters, studies, runs))
    return {
        "device": first.device,
        "batch": size,
        "seconds_per_turn": turn,
        "fastest_turn": min(seconds),
        "slowest_turn": max(seconds),
        "encounters_per_second": encounters / turn,
        "operations_per_turn": asked,
        "device_bytes": first.device_bytes,
    }


def _encounters(study: Study, run: Run) -> float:
    return encounters_of(study, cast(CollisionRun, run))


def _step(core: Core, runs: Sequence[Run]) -> float:
    """The seconds in which all runs take one turn."""
    begin = time.perf_counter()
    for error in core.step_together(runs):
        if error is not None:
            raise error
    return time.perf_counter() - begin


def _where(result: dict[str, Any]) -> str:
    device = result["device"]
    return "on the CPU" if device == CPU else f"on the device {device}"


def _share(one: dict[str, Any], launch: float) -> str:
    """The share of a turn that its launches take at least [%]."""
    return f"{one['operations_per_turn'] * launch / one['seconds_per_turn'] * 100:.1f}"


class CollisionBatches(Batches):
    """Several studies at once."""

    def run(
        self,
        core: Core,
        case: str,
        overrides: Sequence[str],
        threads: int,
        turns: int | None,
        sizes: Sequence[int],
    ) -> dict[str, Any]:
        """Time batches of `sizes` studies of a case that differ in their seed, in this process."""
        if core.size() > 1:
            raise StudyError(f"a batch runs in one rank, not in {core.size()}: leave mpiexec out")
        found = [_measured(core, case, overrides, threads, turns or TURNS[case], n) for n in sizes]
        device = found[0].pop("device")
        for one in found[1:]:
            del one["device"]
        launch = None
        if device != CPU:
            launch = core.measure_device(device == "cuda", 0)["launch_seconds"]
        return {
            "case": case,
            "threads": threads,
            "device": device,
            "launch_seconds": launch,
            "batches": found,
        }

    def show(self, result: dict[str, Any]) -> None:
        """Print the batches as a table."""
        launch = result["launch_seconds"]
        title = f"{result['case']}: studies at once, {_where(result)}, "
        title += number_of(result["threads"], "thread")
        if launch is not None:
            title += f"; {launch * 1e6:.3g} µs a launch"
        rows = []
        for one in result["batches"]:
            each = one["operations_per_turn"] / one["batch"]
            rows.append(
                [
                    str(one["batch"]),
                    f"{one['seconds_per_turn'] * 1e3:.2f}",
                    f"{one['encounters_per_second']:.3g}",
                    "-" if launch is None else f"{each:.1f}",
                    "-" if launch is None else _share(one, launch),
                ]
            )
        print_table(
            title,
            ["studies", "ms/turn of all", "encounters/s", "launches/turn of one", "launching [%]"],
            rows,
        )

    def sentence(self, result: dict[str, Any]) -> str:
        """How much more the largest batch does than one study, or than the smallest batch."""
        first, last = result["batches"][0], result["batches"][-1]
        rates = [one["encounters_per_second"] for one in (first, last)]
        told = f"{number_of(last['batch'], 'study', 'studies')} at once have {rates[1]:.3g} "
        told += "particle-encounters per second"
        if first["batch"] == last["batch"]:
            return f"{told}."
        before = number_of(first["batch"], "study", "studies")
        return f"{told}, {rates[1] / rates[0]:.3g} times as many as {before}."

    def draw(self, result: dict[str, Any]) -> Drawing:
        """Encounters per second, and on a device launches of a study's turn, against the number of
        studies.
        """
        batches = result["batches"]
        sizes = [one["batch"] for one in batches]
        panels = {
            "particle-encounters per second": [one["encounters_per_second"] for one in batches]
        }
        if result["device"] != CPU:
            panels["launches in a turn of a study"] = [
                one["operations_per_turn"] / one["batch"] for one in batches
            ]
        canvas, axes = new_picture(1, len(panels), 3.2)
        for axis, (name, values) in zip(axes[0], panels.items(), strict=True):
            axis.plot(sizes, values, marker="o")
            axis.set_xscale("log", base=2)
            axis.set_xticks(sizes, [str(size) for size in sizes])
            axis.minorticks_off()
            axis.set_xlabel("studies at once")
            axis.set_title(name)
            axis.set_ylim(0, 1.1 * max(values) or 1.0)
        return Drawing(
            canvas, f"Independent studies of the case {result['case']}, {_where(result)}, at once."
        )
