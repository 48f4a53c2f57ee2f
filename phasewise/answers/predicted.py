"""The page of ``phasewise predict``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from phasewise.answers.conditions import conditions, on, share, time_text, within
from phasewise.machines import Machine
from phasewise.models import Prediction
from phasewise.output import Printed
from phasewise.report.answer import Answer, tables_of
from phasewise.report.figure import Drawing
from phasewise.report.intervals import Timed, draw_intervals
from phasewise.report.page import Tile
from phasewise.report.predictions import draw_predictions
from phasewise.study import Study
from phasewise.study.laboratory import grid_on, phase_colours


def predicted_answer(
    study: Study,
    studies: Mapping[int, Study],
    machine: Machine,
    predictions: Sequence[Prediction],
    printed: Printed,
    argv: Sequence[str],
) -> Answer:
    """How long a turn takes. studies: the study as it runs on each number of ranks; printed: what
    the command prints.
    """
    unit = study.workload.unit
    first = [one for one in predictions if one.model == predictions[0].model]
    best = min(first, key=lambda one: one.turn_seconds)
    numbers = list(studies)
    colours = phase_colours(studies[numbers[0]], numbers[0])

    def turns() -> list[Timed]:
        several = len({one.model for one in predictions}) > 1
        return [
            Timed(
                on(one.ranks) + (f", model {one.model}" if several else ""),
                one.turn_seconds,
                one.turn_low,
                one.turn_high,
                marked=one is best and len(predictions) > 1,
            )
            for one in predictions
        ]

    def parts() -> Drawing:
        return draw_predictions(predictions, study.title, machine.title, unit, colours)

    grids = {number: grid_on(own, number) for number, own in studies.items()}
    return Answer(
        question=f"How long does {unit.indefinite} of “{study.title}” take on {machine.name}?",
        answer=_sentence(best, first, unit.indefinite),
        tiles=[
            Tile(
                f"{unit.one}, {on(one.ranks)}",
                time_text(one.turn_seconds),
                f"{100 * share(one):.3g} % communication",
            )
            for one in first
        ],
        pictures=[
            ("turns", "Times and their intervals",
             lambda: draw_intervals(turns(), unit.indefinite, which="fastest")),
            ("parts", "Communication, and the parts of the time", parts),
        ],
        tables=tables_of(printed),
        conditions=conditions(study, [machine], numbers, argv, grids),
        certainty=printed.lines,
        study=study.resolved(),
    )  # fmt: skip


def _sentence(best: Prediction, first: Sequence[Prediction], what: str) -> str:
    """The time on the fastest number of ranks, and what it consists of."""
    time = within(best.turn_seconds, best.turn_low, best.turn_high)
    fastest = ", the fastest of these numbers of ranks," if len(first) > 1 else ""
    return (
        f"On {on(best.ranks)}{fastest} {what} takes {time} by model {best.model}. "
        f"{100 * share(best):.3g} % of the mean rank's time is communication, waiting included."
    )
