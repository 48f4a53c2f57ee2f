"""``phasewise predict``: the time of a turn on a machine, by one model or several."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from phasewise.answers.other_ranks import scaled_summary, show_scaled
from phasewise.answers.prediction_tables import show, summarise
from phasewise.answers.replayed import replayed_summary, show_changes, show_replayed
from phasewise.errors import StudyError
from phasewise.machines import Machine, load_machine
from phasewise.machines.reference import statement
from phasewise.models import Prediction
from phasewise.models.computing_elsewhere import scaled_computing
from phasewise.models.contention import NAME as FOLLOWED
from phasewise.models.counted import counted
from phasewise.models.discovery import chosen_models
from phasewise.models.extrap import export_extrap
from phasewise.models.links import Link, as_json, loads_of_links, sides_of_torus
from phasewise.models.model import Case
from phasewise.models.other_ranks import models_of_sums, predict_scaled, read_scaling
from phasewise.models.prediction import predict_many
from phasewise.models.replayed import replays_of, what_if
from phasewise.mpi.working import working
from phasewise.options import (
    Parser,
    add_counts,
    add_device,
    add_html,
    add_json,
    add_models,
    add_placement,
    add_progress,
    add_replay,
    add_study,
    add_target,
    counts,
    device_override,
    html_target,
    placement,
)
from phasewise.output import captured, console, message, print_json
from phasewise.study import Study, load
from phasewise.study.laboratory import (
    Pieces,
    first_pieces,
    grid_on,
    phase_colours,
    pieces_name,
    presumed,
)
from phasewise.study.replaying import asked_to_replay, ranks_of, steady
from phasewise.tables.keys import nearest
from phasewise.tuning.automatic import settle
from phasewise.workload.interface import Workload

OF_STUDIES = ("first", "iterations", "records", "algorithm", "html")
"""Options that say nothing of a recorded program."""
OF_ONE = (
    *("set", "process_grid", "layout", "node_size", "device", "steady", "what_if"),
    *("fit", "picture", "export", "links"),
)
"""Options that say nothing of several records of a program."""


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print the predictions as JSON")
    add_study(parser)
    parser.add_argument(
        "others",
        nargs="*",
        metavar="DIR",
        help="with STUDY, records of one program on four or more numbers of ranks: predict others",
    )
    add_target(parser)
    parser.add_argument(
        "--ranks",
        type=counts,
        metavar="N,N,…",
        help="numbers of MPI ranks; those of the record if it is a recorded program",
    )
    add_replay(parser)
    parser.add_argument(
        "--what-if",
        action="store_true",
        help="of a recorded program: without latency, with any bandwidth, balanced, other places",
    )
    add_device(parser)
    add_models(parser)
    add_counts(parser)
    add_placement(parser)
    parser.add_argument(
        "--algorithm",
        metavar="A",
        help="algorithm of all reduce and broadcast phases, such as hypercube",
    )
    parser.add_argument(
        "--first",
        action="store_true",
        help="predict the first turn of a run instead of a later one",
    )
    parser.add_argument("--picture", metavar="FILE", help="the predictions as a picture (SVG, PNG)")
    parser.add_argument(
        "--links", metavar="FILE", help="the loads of the machine's links as a picture (SVG, PNG)"
    )
    add_html(parser)
    add_progress(parser)
    parser.add_argument(
        "--export", nargs=2, metavar=("extrap", "FILE"), help="the points as a file for Extra-P"
    )


def main(options: argparse.Namespace) -> int:
    """Predict the study ``options.study`` on ``options.machine`` and return the exit status."""
    if options.others:
        return _from_records(options)
    machine, page = load_machine(options.machine), html_target(options)
    chosen = [*options.set, *placement(options), *device_override(options)]
    study = load(options.study, chosen)
    options.ranks = ranks_of(study, options.ranks)
    if asked_to_replay(study, options):
        return _replayed(options, steady(study, options), machine)
    if options.algorithm is not None:
        study = load(options.study, [*chosen, *algorithm(study.workload, options.algorithm)])
    models = chosen_models(options.model, options.fit, machine)
    check_targets(options)
    pieces = counted(study, options.iterations, options.records)
    numbers = dict.fromkeys(options.ranks)
    with working(options.progress):
        studies = {n: settle(study, n, machine, options.twin).study for n in numbers}
        number = options.ranks[0]
        case = Case(studies[number], machine, number, options.twin, pieces)
        links = loads_of_links(case) if options.links else []
        predictions = predict_many(
            studies, machine, models, options.twin, options.fit, options.first, pieces
        )

    def tell() -> None:
        show(study, machine, options.twin, predictions)
        console().print("\n".join(_remarks(options, study, studies, pieces)), soft_wrap=True)

    if options.export is not None:
        export_extrap(options.export[1], predictions, study.workload.unit.one)
    if options.picture is not None:
        _draw(options, study, studies, machine, predictions)
    if page is not None:
        from phasewise.answers.predicted import predicted_answer
        from phasewise.report.answer import write_answer

        own = (predictions, captured(tell), options.argv)
        write_answer(predicted_answer(study, studies, machine, *own), page)
    _draw_links(options, case, links)
    if options.json:
        summary = summarise(study, machine, options.twin, predictions) | as_json(links)
        known = {"first": options.first, "pieces": pieces, "process_grids": grids_of(studies)}
        print_json(summary | known)
    else:
        tell()
    _say_written(options, page)
    return 0


def _say_written(options: argparse.Namespace, page: Path | None = None) -> None:
    for written in (options.picture, options.links, options.export and options.export[1], page):
        if written:
            message(f"wrote {written}")


def _refuse(options: argparse.Namespace, names: Sequence[str], what: str) -> None:
    """StudyError if an option is given that says nothing of what is predicted."""
    for name in names:
        if getattr(options, name):
            option = name.replace("_", "-")
            raise StudyError(f"--{option} is not for {what}: leave it out")


def _replayed(options: argparse.Namespace, study: Study, machine: Machine) -> int:
    """Predict a recorded program for each way in which its computing may scale."""
    _refuse(options, OF_STUDIES, "a recorded program")
    computing = scaled_computing(options.compute, options.recorded_on, machine)
    replays = replays_of(study, computing)
    # The others add messages up, whenever they were posted.
    models = chosen_models(options.model or FOLLOWED, options.fit, machine)
    check_targets(options)
    with working(options.progress):
        way, first = next(iter(replays.items()))
        case = Case(first, machine, options.ranks[0], options.twin)
        links = loads_of_links(case) if options.links else []
        found = {
            way: predict_many(dict.fromkeys(options.ranks, one), machine, models, options.twin)
            for way, one in replays.items()
        }
        changes = what_if(case) if options.what_if else []
    every = [one for predictions in found.values() for one in predictions]
    if options.export is not None:
        export_extrap(options.export[1], found[way], study.workload.unit.one)
    if options.picture is not None:
        _draw(options, study, dict.fromkeys(options.ranks, study), machine, every)
    _draw_links(options, case, links)
    if options.json:
        summary = summarise(study, machine, options.twin, every) | as_json(links)
        print_json(summary | replayed_summary(study, computing, found, changes))
    else:
        show_replayed(study, machine, options.twin, computing, found)
        show_changes(study, way, changes)
    _say_written(options)
    return 0


def _from_records(options: argparse.Namespace) -> int:
    """Predict a recorded program on numbers of ranks on which it was not recorded."""
    _refuse(options, (*OF_STUDIES, *OF_ONE), "several records of a program")
    if options.ranks is None:
        raise StudyError("--ranks is required with several records: give the numbers to predict")
    machine = load_machine(options.machine)
    models = models_of_sums(options.model, machine)
    computing = scaled_computing(options.compute, options.recorded_on, machine)
    scaling = read_scaling([options.study, *options.others])
    with working(options.progress):
        found = [
            predict_scaled(scaling, machine, ranks, model, options.twin, computing.factors.values())
            for model in models
            for ranks in dict.fromkeys(options.ranks)
        ]
    if options.json:
        print_json(scaled_summary(scaling, machine, options.twin, computing, found))
    else:
        show_scaled(scaling, machine, computing, found)
    return 0


def _draw_links(options: argparse.Namespace, case: Case, links: Sequence[Link]) -> None:
    """Write the picture that --links asks for."""
    if options.links is None:
        return
    from phasewise.report.links import draw_links
    from phasewise.report.predictions import save_picture

    assert case.study is not None
    about = (case.study.title, statement(case.machine), case.study.workload.unit)
    save_picture(lambda: draw_links(links, *about, sides_of_torus(case)), options.links)


def _draw(
    options: argparse.Namespace,
    study: Study,
    studies: Mapping[int, Study],
    machine: Machine,
    predictions: Sequence[Prediction],
) -> None:
    """Write the picture that --picture asks for."""
    from phasewise.report.predictions import draw_predictions, save_picture

    number = options.ranks[0]
    about = (study.title, statement(machine), study.workload.unit)
    save_picture(
        lambda: draw_predictions(predictions, *about, phase_colours(studies[number], number)),
        options.picture,
    )


def _remarks(
    options: argparse.Namespace, study: Study, studies: Mapping[int, Study], pieces: Pieces
) -> list[str]:
    """The process grids, how often pieces of a turn come, and which turn is predicted."""
    grids = grids_of(studies)
    told = [f"process grids on {', '.join(map(str, grids))} ranks: {', '.join(grids.values())}"]
    told_of = pieces if options.records else {**presumed(study), **pieces}
    if text := pieces_text(study.workload, told_of):
        told.append(f"in {study.workload.unit.indefinite}: {text}")
    number = options.ranks[0]
    first = {name: n for name, n in first_pieces(studies[number], number).items() if n}
    if first and options.records is None:
        told.append(which_turn(study, first, options.first))
    return told


def grids_of(studies: Mapping[int, Study]) -> dict[int, str]:
    """The process grid on each number of ranks."""
    return {number: grid_on(study, number) for number, study in studies.items()}


def pieces_text(workload: Workload, pieces: Pieces) -> str:
    """How often each piece of a turn comes, in words; a piece that does not come is left out."""
    return ", ".join(
        f"{count:g} {pieces_name(workload, name)}" for name, count in pieces.items() if count
    )


def which_turn(study: Study, pieces: Pieces, first: bool) -> str:
    """A sentence that says whether the first turn of a run, which has these pieces, is
    predicted.
    """
    unit = study.workload.unit.one
    names = ", ".join(pieces)
    if first:
        return f"This is the first {unit} of a run, as simulate runs it: it also has {names}."
    return f"This is a later {unit}. The first one of a run also has {names}; --first predicts it."


def algorithm(workload: Workload, word: str) -> list[str]:
    """The overrides that --algorithm stands for; StudyError for a word that does not suit all its
    keys.
    """
    keys = workload.one_for_both
    if not keys:
        raise StudyError(f"--algorithm: {workload.title} have no algorithm for all phases")
    first, *others = (workload.communication[key].choices for key in keys)
    common = [choice for choice in first if all(choice in other for other in others)]
    if word not in common:
        of = ("both " if len(keys) == 2 else "") + " and ".join(keys)
        raise StudyError(f'--algorithm "{word}" is no algorithm of {of}{nearest(word, common)}')
    return [f'communication.{key}="{word}"' for key in keys]


def check_targets(options: argparse.Namespace) -> None:
    """StudyError if the options name files that cannot be written; checked before any work."""
    if options.export is not None and options.export[0] != "extrap":
        raise StudyError(f'--export "{options.export[0]}" is not known; accepted: extrap')
    for option, path in (("--picture", options.picture), ("--links", options.links)):
        if path is not None:
            from phasewise.report.picture_file import check_picture

            check_picture(path, option)
