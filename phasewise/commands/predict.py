"""``phasewise predict``: the time of a turn on a machine, by one model or several."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from phasewise.answers.other_ranks import scaled_summary, show_scaled
from phasewise.errors import StudyError
from phasewise.machines import Machine, load_machine
from phasewise.machines.reference import for_rates, reference, statement
from phasewise.models import Prediction, load_model
from phasewise.models.computing_elsewhere import computing_factors
from phasewise.models.counted import counted
from phasewise.models.discovery import chosen_models
from phasewise.models.extrap import export_extrap
from phasewise.models.interval import residuals_of, spread
from phasewise.models.other_ranks import models_of_sums, predict_scaled, read_scaling
from phasewise.models.prediction import predict_many
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
    add_study,
    add_target,
    counts,
    device_override,
    html_target,
    placement,
)
from phasewise.output import alike, captured, console, message, print_json, print_table
from phasewise.study import Study, load
from phasewise.study.laboratory import (
    Pieces,
    first_pieces,
    grid_on,
    phase_colours,
    pieces_name,
    presumed,
)
from phasewise.tables.keys import nearest
from phasewise.tuning.automatic import settle
from phasewise.workload.interface import Workload


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
    parser.add_argument(
        "--compute",
        metavar="memory|flops|FACTOR",
        help="with records: what their computing is multiplied by, or the ratio of two machines",
    )
    parser.add_argument(
        "--recorded-on", metavar="M", help="the machine, or its file, that the records were made on"
    )
    add_target(parser)
    parser.add_argument(
        "--ranks", type=counts, required=True, metavar="N,N,…", help="numbers of MPI ranks"
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
    if options.algorithm is not None:
        study = load(options.study, [*chosen, *algorithm(study.workload, options.algorithm)])
    models = chosen_models(options.model, options.fit, machine)
    check_targets(options)
    pieces = counted(study, options.iterations, options.records)
    numbers = dict.fromkeys(options.ranks)
    with working(options.progress):
        studies = {n: settle(study, n, machine, options.twin).study for n in numbers}
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
    if options.json:
        summary = summarise(study, machine, options.twin, predictions)
        known = {"first": options.first, "pieces": pieces, "process_grids": grids_of(studies)}
        print_json(summary | known)
    else:
        tell()
    for written in (options.picture, options.export and options.export[1], page):
        if written:
            message(f"wrote {written}")
    return 0


def _from_records(options: argparse.Namespace) -> int:
    """Predict a recorded program on numbers of ranks on which it was not recorded."""
    machine = load_machine(options.machine)
    models = models_of_sums(options.model, machine)
    here = None if options.recorded_on is None else load_machine(options.recorded_on)
    factors = computing_factors(options.compute, here, machine)
    scaling = read_scaling([options.study, *options.others])
    found = [
        predict_scaled(scaling, machine, ranks, model, options.twin, factors)
        for model in models
        for ranks in dict.fromkeys(options.ranks)
    ]
    if options.json:
        print_json(scaled_summary(scaling, machine, options.twin, factors, found))
    else:
        show_scaled(scaling, machine, factors, found)
    return 0


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
    if options.picture is not None:
        from phasewise.report.picture_file import check_picture

        check_picture(options.picture)


def summarise(
    study: Study, machine: Machine, twin: str, predictions: Sequence[Prediction]
) -> dict[str, Any]:
    """What ``predict --json`` prints."""
    models = list(dict.fromkeys(one.model for one in predictions))
    return {
        "study": study.title,
        "machine": machine.name,
        "twin": twin,
        "reference": reference(machine),
        "model": models[0],
        "models": models,
        "layout": study.communication.layout_text,
        "interval": {
            model: spread(model, machine, twin, residuals_of(study.workload)).source
            for model in models
        },
        "points": [one.to_dict() for one in predictions],
    }


def show(study: Study, machine: Machine, twin: str, predictions: Sequence[Prediction]) -> None:
    """Print a table of the totals, one of the first model's phases, and the sources of the
    numbers.
    """
    models = list(dict.fromkeys(one.model for one in predictions))
    unit = study.workload.unit
    columns = ["ranks", "model", "computation", "communication", "waiting in it", unit.one]
    title = f"{study.title}: {unit.indefinite} [ms], with 90 % intervals{for_rates(machine)}"
    print_table(title, columns, [_row(one) for one in predictions])
    first = [one for one in predictions if one.model == models[0]]
    # Start from the prediction with the most phases, so that phases missing on few ranks keep their
    # place.
    most = sorted(first, key=lambda one: -len(one.phases))
    names = list(dict.fromkeys(name for one in most for name in one.phases))
    rows = [[name, *(_ms(one.phases.get(name)) for one in first)] for name in names]
    if rows:
        heads = [f"{one.ranks} rank{'' if one.ranks == 1 else 's'}" for one in first]
        print_table(f"model {models[0]} by phase [ms]", ["phase", *heads], rows)
    lines = [statement(machine)]
    lines += [
        f"model {model} ({load_model(model).TITLE}): interval from "
        f"{spread(model, machine, twin, residuals_of(study.workload)).source}"
        for model in models
    ]
    console().print("\n".join(lines), soft_wrap=True)


def _row(one: Prediction) -> list[str]:
    return [
        str(one.ranks),
        one.model,
        _ms(one.computation_seconds),
        _within(one.communication_seconds, one.low, one.high),
        _ms(one.waiting_seconds),
        _within(one.turn_seconds, one.turn_low, one.turn_high),
    ]


def _within(seconds: float, low: float, high: float) -> str:
    found, *ends = alike(*(1e3 * one for one in (seconds, low, high)))
    return f"{found} [{'…'.join(ends)}]"


def _ms(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    return alike(1e3 * seconds)[0]
