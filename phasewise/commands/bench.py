"""``phasewise bench``: measures the speed of a workload on this machine, by its part `bench`.

That part has `CASES`, its problem sizes, of which the first is the usual one; `run(core, case,
overrides, threads, turns)`, a collective function that returns what ``--json`` prints; and
`show(result)`.
"""

from __future__ import annotations

import argparse

from phasewise.driver import Core, launched_size, load_core
from phasewise.errors import StudyError
from phasewise.mpi.launch import start
from phasewise.mpi.ranks import together
from phasewise.options import Parser, add_json, add_overrides, add_processors, count
from phasewise.output import print_json
from phasewise.tables.keys import nearest
from phasewise.workloads.discovery import with_part
from phasewise.workloads.interface import Workload

PART = "bench"


def cases_of(workload: Workload) -> tuple[str, ...]:
    """The problem sizes of a workload, the usual one first."""
    cases: tuple[str, ...] = getattr(workload.part(PART), "CASES", ())
    return cases


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print the measurements as JSON")
    benched = with_part(PART)
    parser.add_argument("workload", choices=list(benched), help="what to measure")
    sizes = "; ".join(f"{name}: {', '.join(cases_of(own))}" for name, own in benched.items())
    parser.add_argument("--case", metavar="CASE", help=f"problem size, of {sizes}")
    add_processors(parser)
    parser.add_argument(
        "--turns", type=count, metavar="K", help="turns, or what the workload counts, to measure"
    )
    add_overrides(parser)


def main(options: argparse.Namespace) -> int:
    """Run the benchmark here, in ranks that it starts, or as one of the ranks; the exit status."""
    workload = with_part(PART)[options.workload]
    case = chosen_case(workload, options.case)
    if options.ranks is not None and launched_size() == 0:
        argv = bench_argv(options, case)
        return start(
            argv, options.ranks, options.threads, as_json=options.json, unit=workload.unit.one
        )
    core = load_core()
    return together(core, lambda: _run_here(options, workload, case, core), options.json)


def chosen_case(workload: Workload, given: str | None) -> str:
    """The given case, or the usual one; StudyError if there is no such case."""
    cases = cases_of(workload)
    if given is not None and given not in cases:
        raise StudyError(f'--case "{given}" is no case of {workload.name}{nearest(given, cases)}')
    return given or cases[0]


def bench_argv(options: argparse.Namespace, case: str) -> list[str]:
    """The arguments of this command, without --ranks."""
    argv = ["bench", options.workload, "--case", case, "--threads", str(options.threads)]
    if options.turns is not None:
        argv += ["--turns", str(options.turns)]
    for override in options.set:
        argv += ["--set", override]
    return argv + (["--json"] if options.json else [])


def _run_here(options: argparse.Namespace, workload: Workload, case: str, core: Core) -> int:
    part = workload.part(PART)
    assert part is not None
    result = part.run(core, case, options.set, options.threads, options.turns)
    if core.rank() == 0:
        if options.json:
            print_json(result)
        else:
            part.show(result)
    return 0
