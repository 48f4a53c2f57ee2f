"""`phasewise bench`: seconds per turn, core-nanoseconds per particle-encounter, and each kernel
against the machine's measured roof.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Sequence
from typing import Any

from phasewise.bench_cases import collision_case
from phasewise.driver import Core, Driver, launched_size, load_core
from phasewise.launch import start
from phasewise.output import print_json, print_table
from phasewise.ranks import collectively, together
from phasewise.study import Study
from phasewise.study.reading import apply_override

WARM_UP_TURNS = 2
PARTICLE_BYTES = 6 * 8 + 4
"""Of one macroparticle: six coordinates and its number."""
DEFAULT_TURNS = {"paper": 7, "fine": 9, "small": 25}


def main(options: argparse.Namespace) -> int:
    """Run the benchmark here, in ranks that it starts, or as one of the ranks; the exit status."""
    if options.ranks is not None and launched_size() == 0:
        return start(_words(options), options.ranks, options.threads, as_json=options.json)
    core = load_core()
    return together(core, lambda: _run_here(options, core), options.json)


def _words(options: argparse.Namespace) -> list[str]:
    """The words of this command, without --ranks."""
    words = ["bench", options.workload, "--case", options.case, "--threads", str(options.threads)]
    if options.turns is not None:
        words += ["--turns", str(options.turns)]
    for override in options.set:
        words += ["--set", override]
    return words + (["--json"] if options.json else [])


def _run_here(options: argparse.Namespace, core: Core) -> int:
    study = collectively(core, lambda: _study(options.case, options.set))
    turns = options.turns or DEFAULT_TURNS[options.case]
    result = {"case": options.case, **measure(core, study, options.threads, turns)}
    if core.rank() == 0:
        if options.json:
            print_json(result)
        else:
            _show(result)
    return 0


def _study(case: str, overrides: Sequence[str]) -> Study:
    tables = collision_case(case)
    for override in overrides:
        apply_override(tables, override)
    return Study.from_dict(tables)


def measure(core: Core, study: Study, threads: int, turns: int) -> dict[str, Any]:
    """Time a study on the ranks of this run; collective.

    The time of a turn is the median over `turns`; every turn begins and ends with all ranks.
    """
    simulation = core.Simulation(study.parameters(), threads)
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


def _show(result: dict[str, Any]) -> None:
    rows = [
        [
            kernel["name"],
            f"{kernel['seconds'] * 1e3:.2f}",
            f"{kernel['seconds'] / result['seconds_per_turn'] * 100:.1f}",
            f"{kernel['gigaflops']:.2f}",
            f"{kernel['gigabytes_per_second']:.2f}",
            f"{kernel['roof_share'] * 100:.0f}",
        ]
        for kernel in sorted(result["kernels"], key=lambda kernel: -kernel["seconds"])
    ]
    print_table(
        f"{result['case']}: {result['ranks']} ranks × {result['threads']} threads, "
        f"{result['seconds_per_turn']:.4f} s per turn, "
        f"{result['core_ns_per_encounter']:.1f} core-ns per encounter; roof "
        f"{result['roof']['flops_per_second'] / 1e9:.1f} Gflop/s, "
        f"{result['roof']['bytes_per_second'] / 1e9:.1f} GB/s",
        ["kernel", "ms/turn", "% of turn", "Gflop/s", "GB/s", "% of roof"],
        rows,
    )
