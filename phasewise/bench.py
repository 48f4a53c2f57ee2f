"""`phasewise bench`: seconds per turn, core-nanoseconds per particle-encounter, and each kernel
against the machine's measured roof.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

from phasewise.bench_cases import collision_case
from phasewise.output import print_json, print_table
from phasewise.study import Study
from phasewise.study.reading import apply_override

WARM_UP_TURNS = 2
DEFAULT_TURNS = {"paper": 7, "fine": 9, "small": 25}


def main(options: argparse.Namespace) -> int:
    """Run the benchmark on the ranks asked for; exit status."""
    if options.ranks is not None and options.ranks > 1 and not launched():
        return start(options.ranks, options.threads)
    from phasewise import _core

    result = together(lambda: measure(options.case, options.threads, options.turns, options.set))
    if _core.rank() == 0:
        if options.json:
            print_json(result)
        else:
            _show(result)
    return 0


def measure(
    case: str, threads: int = 1, turns: int | None = None, overrides: list[str] | None = None
) -> dict[str, Any]:
    """Time a case on the ranks of this run; collective.

    The time of a turn is the median over `turns`, of the slowest rank in each.
    """
    from phasewise import _core

    tables = collision_case(case)
    for override in overrides or []:
        apply_override(tables, override)
    study = Study.from_dict(tables)
    simulation = _core.Simulation(study.parameters(), threads)
    for _ in range(WARM_UP_TURNS):
        simulation.step()
    before = {kernel["name"]: kernel for kernel in simulation.kernels()}
    count = turns or DEFAULT_TURNS[case]
    seconds = []
    for _ in range(count):
        _core.barrier()
        begin = time.perf_counter()
        simulation.step()
        _core.barrier()
        seconds.append(time.perf_counter() - begin)
    per_turn = statistics.median(seconds)
    encounters = sum(
        simulation.macroparticles(beam) * study.resolved()["ip"]["1"]["slices"] for beam in (1, 2)
    )
    roof = _core.measure_roof(threads)
    return {
        "case": case,
        "ranks": _core.size(),
        "threads": threads,
        "turns": count,
        "seconds_per_turn": per_turn,
        "fastest_turn": min(seconds),
        "slowest_turn": max(seconds),
        "core_ns_per_encounter": _core.size() * threads * per_turn / encounters * 1e9,
        "roof": roof,
        "kernels": [
            _kernel(kernel, before.get(kernel["name"]), count, roof)
            for kernel in simulation.kernels()
        ],
        "phases": simulation.phases(),
    }


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
