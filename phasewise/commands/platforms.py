"""``phasewise platforms``: how fast a study is on several machines, and why it stops scaling."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from phasewise.errors import StudyError
from phasewise.machines import TWINS, Machine, load_machine
from phasewise.machines.reference import statement
from phasewise.models import load_model
from phasewise.models.platforms import PlatformPoint, communication_bound, rate_unit, rate_words
from phasewise.mpi.working import working
from phasewise.options import (
    Parser,
    add_html,
    add_json,
    add_progress,
    add_study,
    counts,
    html_target,
)
from phasewise.output import captured, console, message, print_json, print_table
from phasewise.study import Study, load
from phasewise.tuning.platforms import LeftOut, compare_platforms


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print the points as JSON")
    add_study(parser)
    parser.add_argument(
        "--machine",
        action="append",
        required=True,
        metavar="M,M,…",
        help="several machines: bassi,jaguar",
    )
    parser.add_argument(
        "--ranks", type=counts, required=True, metavar="N,N,…", help="numbers of MPI ranks"
    )
    parser.add_argument(
        "--twin", choices=TWINS, default="full", help="which twin of the simulated machines to use"
    )
    parser.add_argument(
        "--model",
        metavar="NAME",
        help="the model that predicts (by default, the best one for each machine)",
    )
    parser.add_argument(
        "--picture", metavar="FILE", help="rates and shares as a picture (SVG, PNG)"
    )
    add_html(parser)
    add_progress(parser)


def main(options: argparse.Namespace) -> int:
    """Compare the machines ``options.machine`` by the study ``options.study`` and return the exit
    status.
    """
    machines, page = machines_of(options.machine), html_target(options)
    study = load(options.study, options.set)
    if options.model is not None:
        load_model(options.model)
    if options.picture is not None:
        from phasewise.report.picture_file import check_picture

        check_picture(options.picture)
    with working(options.progress):
        points, left_out = compare_platforms(
            study, machines, options.ranks, options.model, options.twin
        )
    if options.picture is not None:
        from phasewise.report.platforms import draw_platforms
        from phasewise.report.predictions import save_picture

        save_picture(lambda: draw_platforms(points, study.title), options.picture)
    if page is not None:
        from phasewise.answers.platforms import platforms_answer
        from phasewise.report.answer import write_answer

        told = captured(lambda: show(study, machines, points))
        remarks = [*sentences_of(points), *(case.sentence for case in left_out)]
        write_answer(platforms_answer(study, machines, points, remarks, told, options.argv), page)
    if options.json:
        print_json(summarise(study, machines, points, left_out))
    else:
        show(study, machines, points)
    for case in left_out:
        message(case.sentence)
    for written in (options.picture, page):
        if written:
            message(f"wrote {written}")
    return 0


def machines_of(given: Sequence[str]) -> list[Machine]:
    """The machines of each ``--machine``, each once; StudyError if two have the same name."""
    words = [name.strip() for names in given for name in names.split(",")]
    machines = [load_machine(name) for name in dict.fromkeys(words)]
    names = [machine.name for machine in machines]
    for name in names:
        if names.count(name) > 1:
            raise StudyError(
                f'--machine {",".join(words)}: two of the machines are called "{name}"'
            )
    return machines


def bounds_of(points: Sequence[PlatformPoint]) -> dict[str, int | None]:
    """For each machine, the number of ranks from which on communication bounds the study; None if
    it never does.
    """
    names = dict.fromkeys(point.machine for point in points)
    return {
        name: communication_bound([point for point in points if point.machine == name])
        for name in names
    }


def summarise(
    study: Study,
    machines: Sequence[Machine],
    points: Sequence[PlatformPoint],
    left_out: Sequence[LeftOut],
) -> dict[str, Any]:
    """What ``platforms --json`` prints."""
    hardware = any(machine.is_hardware for machine in machines)
    return {
        "study": study.title,
        "reference": "hardware" if hardware else "simulator",
        "points": [point.to_dict() for point in points],
        "communication_bound": bounds_of(points),
        "left_out": [case.to_dict() for case in left_out],
    }


def show(study: Study, machines: Sequence[Machine], points: Sequence[PlatformPoint]) -> None:
    """Print a table of the points, and a sentence on each machine."""
    unit = study.workload.unit
    heads = ["machine", "ranks", "process grid", f"rate [{rate_unit(study)}]", "communication"]
    names = list(dict.fromkeys(name for point in points for name in point.prediction.phases))
    rows = [
        [
            point.machine,
            str(point.prediction.ranks),
            point.process_grid,
            f"{point.rate:.4g}",
            _percent(point.communication_share),
            *(_percent(point.phases.get(name)) for name in names),
        ]
        for point in points
    ]
    title = f"{study.title}: predicted {rate_words(study)}, and shares of {unit.indefinite}"
    print_table(title, [*heads, *names], rows, keys=2)
    lines = [*sentences_of(points), *map(statement, machines)]
    console().print("\n".join(lines), soft_wrap=True)


def sentences_of(points: Sequence[PlatformPoint]) -> list[str]:
    """For each machine, on which of the compared numbers of ranks communication takes more than
    half.
    """
    told = []
    for name, bound in bounds_of(points).items():
        ranks = sorted(point.prediction.ranks for point in points if point.machine == name)
        told.append(f"{name}: communication takes {_where(ranks, bound)}")
    return told


def _where(ranks: Sequence[int], bound: int | None) -> str:
    """Nothing is concluded beyond the numbers of ranks that were compared."""
    compared = f"{', '.join(map(str, ranks[:-1]))} and {ranks[-1]}" if ranks[1:] else f"{ranks[0]}"
    all_of = f"{compared} ranks, {'all that were' if ranks[1:] else 'the only number'} compared"
    if bound is None:
        return f"at most half on {ranks[-1]} ranks, the most that were compared"
    if bound == ranks[0]:
        return f"more than half on {all_of}"
    return f"more than half from {bound} ranks on, as far as {ranks[-1]} were compared"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.3g} %"
