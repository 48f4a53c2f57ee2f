"""`phasewise bench`: seconds per turn, core-nanoseconds per particle-encounter, and each kernel
against the machine's measured roof.
"""

from __future__ import annotations

import resource
import statistics
import time
from typing import Any

from phasewise.driver import Core, Driver
from phasewise.study import Study

WARM_UP_TURNS = 2
PARTICLE_BYTES = 6 * 8 + 4
"""Of one macroparticle: six coordinates and its number."""


def measure(core: Core, study: Study, threads: int, turns: int) -> dict[str, Any]:
    """Time a study on the ranks of this run; collective.

    The time of a turn is the median over `turns`; every turn begins and ends with all ranks.
    """
    simulation = core.start(study.parameters(), threads)
    for _ in range(WARM_UP_TURNS):
        simulation.step()
    before = {kernel["name"]: kernel for kernel in simulation.kernels()}
    seconds = [_timed_step(core, simulation) for _ in range(turns)]
    per_turn = statistics.median(seconds)
    kernels = simulation.kernels()
    memory = _peak_memory()  # before the roof's own arrays
    roof = core.measure_roof(threads)
    particles = sum(simulation.macroparticles(beam) for beam in (1, 2))
    encounters = particles * study.ips[0].slices
    return {
        "ranks": core.size(),
        "threads": threads,
        "turns": turns,
        "seconds_per_turn": per_turn,
        "fastest_turn": min(seconds),
        "slowest_turn": max(seconds),
        "core_ns_per_encounter": core.size() * threads * per_turn / encounters * 1e9,
        "memory_bytes": memory,
        "particle_bytes": PARTICLE_BYTES * particles / core.size(),
        "roof": roof,
        "kernels": [_kernel(kernel, before.get(kernel["name"]), turns, roof) for kernel in kernels],
        "phases": simulation.phases(),
    }


def _timed_step(core: Core, simulation: Driver) -> float:
    core.barrier()
    begin = time.perf_counter()
    simulation.step()
    core.barrier()
    return time.perf_counter() - begin


def _peak_memory() -> int:
    """The most that rank 0 has held so far, interpreter and libraries included. [bytes]"""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _kernel(
    after: dict[str, Any], before: dict[str, Any] | None, turns: int, roof: dict[str, float]
) -> dict[str, Any]:
    """Per turn on rank 0: items, seconds, rates, and the share of the roof at its intensity."""
    spent = {
        key: (after[key] - (before[key] if before else 0.0)) / turns
        for key in ("items", "seconds", "flops", "bytes")
    }
    flops, bytes_moved, seconds = spent["flops"], spent["bytes"], spent["seconds"]
    least = max(flops / roof["flops_per_second"], bytes_moved / roof["bytes_per_second"])
    return {
        "name": after["name"],
        **spent,
        "gigaflops": flops / seconds / 1e9 if seconds > 0 else 0.0,
        "gigabytes_per_second": bytes_moved / seconds / 1e9 if seconds > 0 else 0.0,
        "roof_share": least / seconds if seconds > 0 else 0.0,
    }
