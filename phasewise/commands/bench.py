"""``phasewise bench``: measures the speed of a workload on this machine, by its part `bench`.

That part has `CASES`, its problem sizes, of which the first is the usual one; `run(core, case,
overrides, threads, turns)`, a collective function that returns what ``--json`` prints; and
`show(result)`. Its `PRECISION` is the key that ``--precision`` sets. For ``--machine`` it may have
`curves(timer, case, overrides)`, the same on the ranks of a `Timer`
(phasewise.machines.turn_times). For ``--together`` it may have `rates(result)`, names and rates;
without it, the rates are one over its `seconds_per_<unit>`, or over the `seconds` of its `curves`.
For several cases or numbers of ranks it may have `show_points(results)`.

For ``--batch`` a workload has a part `batches`: `run(core, case, overrides, threads, turns,
sizes)` measures batches of so many studies at once, `show(result)` prints that, and `draw(result)`
draws it.
"""

from __future__ import annotations

import argparse
import os
import statistics
from collections.abc import Sequence
from typing import Any

from phasewise.driver import Core, launched_size, load_core
from phasewise.errors import StudyError
from phasewise.machines import load_machine
from phasewise.machines.smpirun import simulated_tree
from phasewise.mpi.copies import in_step, run_copies
from phasewise.mpi.launch import start
from phasewise.mpi.printed import printed
from phasewise.mpi.ranks import together
from phasewise.options import (
    Parser,
    add_device,
    add_json,
    add_overrides,
    add_threads,
    count,
    counts,
    device_override,
)
from phasewise.output import print_json, print_table
from phasewise.tables.keys import nearest
from phasewise.workload.discovery import with_part
from phasewise.workload.interface import Workload

PART, BATCHES = "bench", "batches"
SHOW, CURVES, PRECISION = "show_points", "curves", "PRECISION"
MACHINE, TOGETHER, BATCH, THREADS = "--machine", "--together", "--batch", "--threads"


def cases_of(workload: Workload) -> tuple[str, ...]:
    """The problem sizes of a workload, the usual one first."""
    cases: tuple[str, ...] = getattr(workload.part(PART), "CASES", ())
    return cases


def _able(attribute: str) -> str:
    """The workloads whose part `bench` has it."""
    able = [name for name, one in with_part(PART).items() if hasattr(one.part(PART), attribute)]
    return ", ".join(able)


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print the measurements as JSON")
    benched = with_part(PART)
    parser.add_argument("workload", choices=list(benched), help="what to measure")
    sizes = "; ".join(f"{name}: {', '.join(cases_of(own))}" for name, own in benched.items())
    parser.add_argument(
        "--case", metavar="CASE", help=f"problem size, several with commas, of {sizes}"
    )
    parser.add_argument(
        "--precision", metavar="P", help=f"double, single or mixed, of {_able(PRECISION)}"
    )
    parser.add_argument(
        "--ranks", type=counts, metavar="N", help="MPI ranks to start; several as 1,2,4"
    )
    add_threads(parser)
    add_device(parser)
    parser.add_argument(
        "--turns", type=count, metavar="K", help="turns, or what the workload counts, to measure"
    )
    parser.add_argument(
        MACHINE,
        metavar="M",
        help="on --ranks simulated ranks of it, such as phoenix or a machine's TOML file",
    )
    parser.add_argument(
        TOGETHER,
        action="store_true",
        help="run the case in one rank alone, then in --ranks copies at once (all cores), in step",
    )
    parser.add_argument(
        BATCH,
        type=counts,
        metavar="N",
        help="so many studies at once in one rank, which share a device's launches; several as 1,2",
    )
    parser.add_argument("--picture", metavar="FILE", help="what --batch measures (SVG, PNG)")
    add_overrides(parser)


def main(options: argparse.Namespace) -> int:
    """Run the benchmark here, in ranks that it starts, or as one of the ranks; the exit status."""
    workload = with_part(PART)[options.workload]
    cases = chosen_cases(workload, options.case)
    ranks = options.ranks or [None]
    options.set = [*_precision(options, workload), *device_override(options), *options.set]
    if options.picture is not None and options.batch is None:
        raise StudyError("--picture shows what --batch measures: give --batch")
    if len(cases) * len(ranks) > 1:
        return _points(options, workload, cases, ranks)
    (case,), (options.ranks,) = cases, ranks
    if options.batch is not None:
        return _batches(options, workload, case)
    if options.machine is not None:
        return _simulate(options, workload, case)
    if options.together:
        return _compare(options, workload, case)
    if options.ranks is not None and launched_size() == 0:
        argv = bench_argv(options, case)
        return start(
            argv, options.ranks, options.threads, as_json=options.json, unit=workload.unit.one
        )
    core = in_step(load_core())
    return together(core, lambda: _run_here(options, workload, case, core), options.json)


def chosen_cases(workload: Workload, given: str | None) -> list[str]:
    """The given cases, or the usual one; StudyError if there is no such case."""
    cases = cases_of(workload)
    chosen = [cases[0]] if given is None else given.split(",")
    for case in chosen:
        if case not in cases:
            raise StudyError(f'--case "{case}" is no case of {workload.name}{nearest(case, cases)}')
    return list(dict.fromkeys(chosen))


def _precision(options: argparse.Namespace, workload: Workload) -> list[str]:
    """The override that --precision stands for."""
    if options.precision is None:
        return []
    key = getattr(workload.part(PART), PRECISION, None)
    if key is None:
        able = _able(PRECISION)
        raise StudyError(f"bench {workload.name} has one precision; --precision is for {able}")
    return [f"{key}={options.precision}"]


def _refuse(options: argparse.Namespace, sentence: str, *names: str) -> None:
    """StudyError with the sentence on the first of these options that is given."""
    for name in names:
        value = getattr(options, name.removeprefix("--"))
        if value > 1 if name == THREADS else value:
            raise StudyError(sentence.format(name))


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
        _print(options, workload, result)
    return 0


def _print(options: argparse.Namespace, workload: Workload, result: dict[str, Any]) -> None:
    if options.json:
        print_json(result)
    else:
        workload.offers(PART, "show", print_json)(result)


def _points(
    options: argparse.Namespace,
    workload: Workload,
    cases: Sequence[str],
    ranks: Sequence[int | None],
) -> int:
    """Each case on each number of ranks, one after another."""
    show = getattr(workload.part(PART), SHOW, None)
    if show is None:
        raise StudyError(
            f"bench {workload.name} takes one --case and one number of --ranks; several are for "
            f"{_able(SHOW)}"
        )
    _refuse(options, "{} takes one --case and one number of --ranks", MACHINE, TOGETHER, BATCH)
    if launched_size() > 0:
        raise StudyError("several cases or numbers of --ranks are started here: use no launcher")
    argvs = [
        [*bench_argv(options, case), *([] if number is None else ["--ranks", str(number)])]
        for case in cases
        for number in dict.fromkeys(ranks)
    ]
    points = [printed([*argv, *([] if options.json else ["--json"])]) for argv in argvs]
    if options.json:
        print_json({"points": points})
    else:
        show(points)
    return 0


def _simulate(options: argparse.Namespace, workload: Workload, case: str) -> int:
    """The case on the simulated ranks of a machine."""
    curves = getattr(workload.part(PART), CURVES, None)
    if curves is None:
        raise StudyError(
            f"bench {workload.name} runs on real ranks alone; --machine is for {_able(CURVES)}"
        )
    alone = "{} is for real ranks: leave it out with --machine"
    _refuse(options, alone, THREADS, "--turns", TOGETHER)
    if options.ranks is None:
        raise StudyError("--machine needs --ranks: the number of simulated ranks")
    # Imported when needed: it brings SciPy, which takes 70 MB in every rank.
    from phasewise.models.simulated_ranks import SimulatedRanks

    simulated_tree()
    machine = load_machine(options.machine)
    result = curves(SimulatedRanks(machine, options.ranks), case, options.set)
    _print(options, workload, result)
    return 0


def _batches(options: argparse.Namespace, workload: Workload, case: str) -> int:
    """Several studies at once in this process."""
    part = workload.part(BATCHES)
    if part is None:
        able = ", ".join(with_part(BATCHES))
        raise StudyError(f"bench {workload.name} runs one study; --batch is for {able}")
    _refuse(options, "--batch runs in one rank here: leave {} out", "--ranks", MACHINE, TOGETHER)
    if launched_size() > 0:
        raise StudyError("--batch runs in one process: run it without a launcher")
    if options.picture is not None:
        from phasewise.report.predictions import check_picture, save_picture

        check_picture(options.picture)
    core = load_core()
    result = part.run(core, case, options.set, options.threads, options.turns, options.batch)
    if options.json:
        print_json(result)
    else:
        part.show(result)
    if options.picture is not None:
        save_picture(lambda: part.draw(result), options.picture)
    return 0


def _compare(options: argparse.Namespace, workload: Workload, case: str) -> int:
    """The case alone, and beside its copies."""
    if launched_size() > 0:
        raise StudyError("--together starts the ranks of a node itself: run it without a launcher")
    copies = options.ranks or len(os.sched_getaffinity(0))
    argv = bench_argv(options, case)
    argv += [] if options.json else ["--json"]
    (alone,) = run_copies(argv, 1)
    beside = [rates_of(workload, result) for result in run_copies(argv, copies)]
    result = alone | compared(rates_of(workload, alone), beside)
    if options.json:
        print_json(result)
    else:
        show_compared(result, f"{workload.name}, {case}: {copies} copies at once")
    return 0


def compared(alone: dict[str, float], beside: list[dict[str, float]]) -> dict[str, Any]:
    """`alone`, `together` and `ratio`: by name the rate of one run alone, the mean rate of those at
    once, and the second over the first. A name that not all runs have is left out.
    """
    names = [name for name in alone if all(name in rates for rates in beside)]
    together_rates = {name: statistics.fmean(rates[name] for rates in beside) for name in names}
    return {
        "copies": len(beside),
        "alone": {name: alone[name] for name in names},
        "together": together_rates,
        "ratio": {name: together_rates[name] / alone[name] for name in names},
    }


def rates_of(workload: Workload, result: dict[str, Any]) -> dict[str, float]:
    """The rates of a measurement by their names, the higher the better."""
    found: dict[str, float] = workload.offers(PART, "rates", _usual_rates)(result)
    if found:
        return found
    unit = workload.unit
    if f"seconds_per_{unit.one}" in result:
        return {f"{unit.many} per second": 1.0 / result[f"seconds_per_{unit.one}"]}
    raise StudyError(f"bench {workload.name} measures no rate that --together could compare")


def _usual_rates(result: dict[str, Any]) -> dict[str, float]:
    """One over the seconds of each point of the curves."""
    rates = {}
    for curve in result.get("curves", ()):
        sizes = curve.get("words", curve.get("bytes"))
        if not isinstance(sizes, list):
            sizes, seconds = [sizes], [curve["seconds"]]
        else:
            seconds = curve["seconds"]
        named = (curve.get(key) for key in ("operator", "protocol", "pairs"))
        words = [str(word) for word in named if word is not None]
        for size, time in zip(sizes, seconds, strict=True):
            rates[" ".join([*words, str(size)])] = 1.0 / time
    return rates


def show_compared(result: dict[str, Any], title: str) -> None:
    """Print rates alone and together as a table."""
    print_table(
        title,
        ["", "alone", "together", "ratio"],
        [
            [name, f"{rate:.4g}", f"{result['together'][name]:.4g}", f"{result['ratio'][name]:.3f}"]
            for name, rate in result["alone"].items()
        ],
    )
