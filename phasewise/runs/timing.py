"""Seconds per turn of a study, and each kernel compared with the measured roof (roof.py) of the
machine, or of the device where it runs.
"""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from phasewise.driver import Core, Run
from phasewise.mpi.ranks import collectively
from phasewise.runs.kernel_times import communication_phases
from phasewise.runs.roof import bound_elsewhere, held_against, of_device
from phasewise.runs.roof import measure as measure_roof
from phasewise.runs.simulation import start_run
from phasewise.study import Study
from phasewise.study.study import CPU

WARM_UP_TURNS = 2


Figures = Callable[[Run, float], dict[str, Any]]
"""Computes the figures that a workload adds, from a run and the seconds of its turn."""


def measure(
    core: Core,
    study: Study,
    threads: int,
    turns: int,
    figures: Figures,
    roof: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Time a study on the ranks of this run; collective.

    The time of a turn is the median over `turns`; all ranks begin and end every turn together.
    roof: that of an earlier measurement in this process; it is measured if there is none.
    """
    simulation = collectively(core, lambda: start_run(core, study.parameters(), threads))
    for _ in range(WARM_UP_TURNS):
        simulation.step()
    before = {kernel["name"]: kernel for kernel in simulation.kernels()}
    seconds = [_timed_step(core, simulation) for _ in range(turns)]
    per_turn = statistics.median(seconds)
    kernels = simulation.kernels()
    memory = _peak_memory()  # before the roof's own arrays
    device = simulation.device
    if roof is None:
        roof = measure_roof(core, threads) if device == CPU else of_device(core, device)
    elsewhere = {} if device == CPU else bound_elsewhere(study.workload)
    held = [
        _kernel(kernel, before.get(kernel["name"]), turns, roof, elsewhere) for kernel in kernels
    ]
    unit = study.workload.unit
    added = figures(simulation, per_turn)
    return {
        "ranks": core.size(),
        "threads": threads,
        "device": device,
        unit.many: turns,
        f"seconds_per_{unit.one}": per_turn,
        f"fastest_{unit.one}": min(seconds),
        f"slowest_{unit.one}": max(seconds),
        **added,
        "memory_bytes": memory,
        "roof": roof,
        "kernels": held,
        "phases": communication_phases(simulation),
    }


def _timed_step(core: Core, simulation: Run) -> float:
    core.barrier()
    begin = time.perf_counter()
    simulation.step()
    core.barrier()
    return time.perf_counter() - begin


def _peak_memory() -> int:
    """The most memory that rank 0 has used so far [bytes], interpreter and libraries included.

    The figure of `getrusage` would begin with the memory of the process that started this one.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    found = re.search(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)
    assert found is not None
    return int(found[1]) * 1024


def _kernel(
    after: dict[str, Any],
    before: dict[str, Any] | None,
    turns: int,
    roof: dict[str, Any],
    elsewhere: Mapping[str, str],
) -> dict[str, Any]:
    """A kernel's items, seconds and rates per turn on rank 0, and what `held_against` says about
    it; elsewhere: what bounds kernels that the roof does not bound.
    """
    keys = ("items", "seconds", "flops", "bytes", "additions", "calls", "working_sets")
    spent = {key: (after[key] - (before[key] if before else 0.0)) / turns for key in keys}
    held = held_against(roof, spent | {"single": after["single"]})
    if after["name"] in elsewhere:
        held |= {"level": None, "bound": elsewhere[after["name"]], "roof_share": 0.0}
    del spent["working_sets"]
    flops, bytes_moved, seconds = spent["flops"], spent["bytes"], spent["seconds"]
    return {
        "name": after["name"],
        **spent,
        **held,
        "gigaflops": flops / seconds / 1e9 if seconds > 0 else 0.0,
        "gigabytes_per_second": bytes_moved / seconds / 1e9 if seconds > 0 else 0.0,
    }
