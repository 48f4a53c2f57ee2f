"""``phasewise bench``: seconds per turn and each kernel against the machine."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from phasewise.driver import Core, launched_size, load_core
from phasewise.mpi.launch import start
from phasewise.mpi.ranks import collectively, together
from phasewise.options import Parser, add_json, add_overrides, add_processors, count
from phasewise.output import print_json, print_table
from phasewise.runs.timing import measure
from phasewise.study import Study
from phasewise.study.reading import apply_override
from phasewise.workloads.collision.bench import CASES, collision_case

DEFAULT_TURNS = {"paper": 7, "fine": 9, "small": 25}


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print the measurements as JSON")
    parser.add_argument("workload", choices=["collision"], help="what to measure")
    parser.add_argument("--case", choices=CASES, default="paper", help="problem size")
    add_processors(parser)
    parser.add_argument("--turns", type=count, metavar="K", help="turns to measure")
    add_overrides(parser)


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
