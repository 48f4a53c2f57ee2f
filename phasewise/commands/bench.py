"""``phasewise bench``: measures the speed of a workload on this machine."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from phasewise.driver import Core, launched_size, load_core
from phasewise.errors import StoppedError, StudyError
from phasewise.machines import load_machine
from phasewise.machines.smpirun import simulated_tree
from phasewise.mpi.copies import in_step, run_copies
from phasewise.mpi.launch import start
from phasewise.mpi.printed import printed
from phasewise.mpi.ranks import together
from phasewise.mpi.working import working
from phasewise.options import (
    Parser,
    add_device,
    add_html,
    add_json,
    add_overrides,
    add_progress,
    add_threads,
    check_folder,
    count,
    counts,
    device_override,
    html_target,
)
from phasewise.output import captured, message, number_of, print_json
from phasewise.report.benching import (
    Batches,
    Bench,
    able,
    chosen_cases,
    has_conventions,
    has_curves,
    precise,
    precision_override,
    shows_points,
)
from phasewise.report.beside_copies import compared, rates_of, show_compared
from phasewise.report.conventions import check_operator, in_convention
from phasewise.report.curve_table import write_csv
from phasewise.report.picture_file import check_picture
from phasewise.study.reading import apply_override
from phasewise.tables.keys import nearest
from phasewise.workload.discovery import find_workload, with_part
from phasewise.workload.interface import Workload

if TYPE_CHECKING:
    from phasewise.report.answer import Answer

MACHINE, TOGETHER, BATCH, THREADS = "--machine", "--together", "--batch", "--threads"
CSV, PICTURE, CONVENTION = "--csv", "--picture", "--convention"
ASKED = "--asked"
"""The command that started the ranks, for the page that one of them writes."""
OF_CURVES = (CSV, PICTURE, CONVENTION)


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print the measurements as JSON")
    benched = with_part(Bench)
    parser.add_argument(
        "workload", metavar="WORKLOAD", help=f"what to measure: {', '.join(benched)}"
    )
    sizes = "; ".join(f"{name}: {', '.join(own.CASES)}" for name, own in benched.items())
    parser.add_argument(
        "--case", metavar="CASE", help=f"problem size, several with commas, of {sizes}"
    )
    parser.add_argument(
        "--precision", metavar="P", help=f"double, single or mixed, of {able(precise)}"
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
        help="studies that run at once in one rank and share a device's launches; several as 1,2",
    )
    parser.add_argument(
        PICTURE,
        metavar="FILE",
        help=f"the times over sizes of {able(has_curves)}, or what --batch measures (SVG, PNG)",
    )
    parser.add_argument(
        CSV, metavar="FILE", help=f"write the times over sizes of {able(has_curves)}"
    )
    parser.add_argument(
        CONVENTION,
        metavar="NAME",
        help=f"print times as osu or imb does, of {able(has_conventions)}",
    )
    add_html(parser)
    parser.add_argument(ASKED, help=argparse.SUPPRESS)
    add_progress(parser)
    add_overrides(parser)


def main(options: argparse.Namespace) -> int:
    """Run the benchmark here, in ranks that it starts, or as one of the ranks; the exit status."""
    workload = find_workload(options.workload)
    part = workload.part(Bench)
    if not part.CASES:
        raise StudyError(f'"{workload.name}" has no benchmark; {able(lambda _: True)} have one')
    cases = chosen_cases(part, options.case)
    ranks = options.ranks or [None]
    options.set = [
        *precision_override(part, options.precision),
        *device_override(options),
        *options.set,
    ]
    page = html_target(options)
    _check_curves(options, part)
    if len(cases) * len(ranks) > 1:
        return _points(options, part, cases, ranks)
    (case,), (options.ranks,) = cases, ranks
    if options.batch is not None:
        return _batches(options, workload, case)
    if options.machine is not None:
        return _simulate(options, part, case)
    if options.together:
        return _compare(options, part, case)
    if options.ranks is not None and launched_size() == 0:
        argv = bench_argv(options, case)
        argv += [] if page is None else ["--html", str(page), ASKED, shlex.join(options.argv)]
        for name in OF_CURVES:
            value = _value(options, name)
            argv += [] if value is None else [name, value]
        argv += ["--progress"] if options.progress or sys.stderr.isatty() else []
        return start(
            argv, options.ranks, options.threads, as_json=options.json, unit=workload.unit.one
        )
    core = in_step(load_core())
    return together(core, lambda: _run_here(options, part, case, core), options.json)


def _check_curves(options: argparse.Namespace, part: Bench) -> None:
    """StudyError if an option of OF_CURVES does not suit the benchmark; sets the keys that a
    convention has.
    """
    for name in OF_CURVES:
        given = _value(options, name) is not None and (name != PICTURE or options.batch is None)
        can = has_conventions if name == CONVENTION else has_curves
        if given and not can(part):
            batches = name == PICTURE and part.workload.fills(Batches)
            beside = f", and shows what {BATCH} measures of it" if batches else ""
            raise StudyError(
                f"bench {part.workload.name} has no {name} of one study; it is for "
                f"{able(can)}{beside}"
            )
        if given and options.together:
            raise StudyError(f"{TOGETHER} compares rates: leave {name} out")
    if options.convention is not None:
        if options.convention not in part.CONVENTIONS:
            known = nearest(options.convention, tuple(part.CONVENTIONS))
            raise StudyError(f"{CONVENTION} {options.convention} is unknown{known}")
        tables: dict[str, Any] = {}
        for override in options.set:
            apply_override(tables, override)
        operator = tables.get(part.workload.name, {}).get("operator")
        check_operator(options.convention, part.CONVENTIONS[options.convention], operator)
        options.set = [*part.CONVENTION_KEYS, *options.set]
    if options.picture is not None:
        check_picture(options.picture)
    for name in (CSV, PICTURE):
        if (target := _value(options, name)) is not None:
            check_folder(name, target)


def _value(options: argparse.Namespace, name: str) -> str | None:
    value: str | None = getattr(options, name.removeprefix("--"))
    return value


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


def _run_here(options: argparse.Namespace, part: Bench, case: str, core: Core) -> int:
    with working(options.progress) if core.rank() == 0 else nullcontext():
        result = part.run(core, case, options.set, options.threads, options.turns)
    unfinished = result.get("unfinished", 0)
    if core.rank() == 0:
        _give(options, part, case, result)
        if unfinished:
            message(
                "phasewise: a signal stopped the measurement: it left "
                f"{number_of(unfinished, 'point')} of the curves unfinished"
            )
    return StoppedError.exit_status if unfinished else 0


def _give(options: argparse.Namespace, part: Bench, case: str, result: dict[str, Any]) -> None:
    """Print a measurement, and write its files."""
    if options.convention is not None:
        result = in_convention(result, options.convention, part.CONVENTIONS[options.convention])
    _print(options, part, result)
    if options.csv is not None:
        write_csv(result, options.csv)
    if options.picture is not None:
        # Imported when needed: Matplotlib would take tens of megabytes in every rank.
        from phasewise.report.benched_curves import draw_curves
        from phasewise.report.predictions import save_picture

        save_picture(lambda: draw_curves(result), options.picture)
    _write_page(options, part, case, [result], lambda: part.show(result))


def _write_page(
    options: argparse.Namespace,
    part: Bench,
    case: str,
    results: Sequence[dict[str, Any]],
    show: Callable[[], object],
) -> None:
    """Write the page that --html asks for."""
    if html_target(options) is None:
        return
    # Imported when needed: Matplotlib would take tens of megabytes in every rank.
    from phasewise.answers.benched import benched_answer

    asked = options.argv if options.asked is None else shlex.split(options.asked)
    _write_answer(options, benched_answer(part, case, results, captured(show), asked))


def _write_answer(options: argparse.Namespace, answer: Answer) -> None:
    from phasewise.report.answer import write_answer

    page = html_target(options)
    assert page is not None
    write_answer(answer, page)
    message(f"wrote {page}")


def _print(options: argparse.Namespace, part: Bench | Batches, result: dict[str, Any]) -> None:
    if options.json:
        print_json(result)
    else:
        part.show(result)


def _points(
    options: argparse.Namespace,
    part: Bench,
    cases: Sequence[str],
    ranks: Sequence[int | None],
) -> int:
    """Each case on each number of ranks, one after another."""
    if not shows_points(part):
        raise StudyError(
            f"bench {part.workload.name} takes one --case and one number of --ranks; several are "
            f"for {able(shows_points)}"
        )
    _refuse(options, "{} takes one --case and one number of --ranks", MACHINE, TOGETHER, BATCH)
    if launched_size() > 0:
        raise StudyError("several cases or numbers of --ranks are started here: use no launcher")
    argvs = [
        [*bench_argv(options, case), *([] if number is None else ["--ranks", str(number)])]
        for case in cases
        for number in dict.fromkeys(ranks)
    ]
    beside = [*([] if options.json else ["--json"]), *(["--progress"] if options.progress else [])]
    points = [printed([*argv, *beside]) for argv in argvs]
    if options.json:
        print_json({"points": points})
    else:
        part.show_points(points)
    own = ", ".join(cases)
    _write_page(options, part, own, points, lambda: part.show_points(points))
    return 0


def _simulate(options: argparse.Namespace, part: Bench, case: str) -> int:
    """The case on the simulated ranks of a machine."""
    if not has_curves(part):
        raise StudyError(
            f"bench {part.workload.name} runs on real ranks alone; --machine is for "
            f"{able(has_curves)}"
        )
    alone = "{} is for real ranks: leave it out with --machine"
    _refuse(options, alone, THREADS, "--turns", TOGETHER)
    if options.ranks is None:
        raise StudyError("--machine needs --ranks: the number of simulated ranks")
    # Imported when needed: it brings SciPy, which takes 70 MB in every rank.
    from phasewise.models.simulated_ranks import SimulatedRanks

    simulated_tree()
    machine = load_machine(options.machine)
    with working(options.progress):
        result = part.curves(SimulatedRanks(machine, options.ranks), case, options.set)
    _give(options, part, case, result)
    return 0


def _batches(options: argparse.Namespace, workload: Workload, case: str) -> int:
    """Several studies at once in this process."""
    part = workload.part(Batches)
    if not workload.fills(Batches):
        others = ", ".join(with_part(Batches))
        raise StudyError(f"bench {workload.name} runs one study; --batch is for {others}")
    _refuse(options, "--batch runs in one rank here: leave {} out", "--ranks", MACHINE, TOGETHER)
    if launched_size() > 0:
        raise StudyError("--batch runs in one process: run it without a launcher")
    core = load_core()
    result = part.run(core, case, options.set, options.threads, options.turns, options.batch)
    _print(options, part, result)
    if options.picture is not None:
        from phasewise.report.predictions import save_picture

        save_picture(lambda: part.draw(result), options.picture)
    if html_target(options) is not None:
        from phasewise.answers.at_once import batches_answer

        shown = captured(lambda: part.show(result))
        _write_answer(options, batches_answer(part, case, result, shown, options.argv))
    return 0


def _compare(options: argparse.Namespace, part: Bench, case: str) -> int:
    """The case alone, and beside its copies."""
    if launched_size() > 0:
        raise StudyError("--together starts the ranks of a node itself: run it without a launcher")
    copies = options.ranks or len(os.sched_getaffinity(0))
    argv = bench_argv(options, case)
    argv += [] if options.json else ["--json"]
    (alone,) = run_copies(argv, 1)
    beside = [rates_of(part, result) for result in run_copies(argv, copies)]
    result = alone | compared(rates_of(part, alone), beside)
    title = f"{part.workload.name}, {case}: {copies} copies at once"
    if options.json:
        print_json(result)
    else:
        show_compared(result, title)
    if html_target(options) is not None:
        from phasewise.answers.at_once import copies_answer

        shown = captured(lambda: show_compared(result, title))
        _write_answer(options, copies_answer(part, case, result, shown, options.argv))
    return 0
