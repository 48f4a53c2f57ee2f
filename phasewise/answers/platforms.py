"""The page of ``phasewise platforms``."""

from __future__ import annotations

from collections.abc import Sequence

from phasewise.answers.conditions import conditions, on, within
from phasewise.machines import Machine
from phasewise.models.discovery import load_model
from phasewise.models.interval import residuals_of, spread
from phasewise.models.platforms import PlatformPoint, rate_unit
from phasewise.output import Printed
from phasewise.report.answer import Answer, tables_of
from phasewise.report.figure import Drawing
from phasewise.report.intervals import Timed, draw_intervals
from phasewise.report.page import Tile
from phasewise.report.platforms import draw_platforms
from phasewise.report.style import scientific
from phasewise.study import Study

DRAWN = 24
"""Most points in the picture of intervals."""


def platforms_answer(
    study: Study,
    machines: Sequence[Machine],
    points: Sequence[PlatformPoint],
    remarks: Sequence[str],
    printed: Printed,
    argv: Sequence[str],
) -> Answer:
    """Where a study runs fastest. remarks: sentences on what was left out, and on where
    communication takes over; printed: what the command prints.
    """
    unit = study.workload.unit
    best = max(points, key=lambda point: point.rate)
    names = list(dict.fromkeys(point.machine for point in points))
    fastest = [
        max((p for p in points if p.machine == name), key=lambda p: p.rate) for name in names
    ]

    def turns() -> Drawing:
        return draw_intervals(
            [_line(point, point is best) for point in points[:DRAWN]],
            unit.indefinite,
            which="fastest",
        )

    return Answer(
        question=f"On which machine, and on how many ranks, does “{study.title}” run fastest?",
        answer=_sentence(best, fastest),
        tiles=[
            Tile(
                f"{point.machine}, {on(point.prediction.ranks)}",
                f"{scientific(point.rate)} {rate_unit(study)}",
                f"process grid {point.process_grid}",
            )
            for point in fastest
        ],
        pictures=[
            ("rates", "Rates and shares of communication",
             lambda: draw_platforms(points, study.title)),
            ("turns", "Times and their intervals", turns),
        ],
        tables=tables_of(printed),
        conditions=conditions(study, machines, _ranks(points), argv),
        certainty=[*_intervals(study, machines, points), *remarks],
        study=study.resolved(),
    )  # fmt: skip


def _ranks(points: Sequence[PlatformPoint]) -> list[int]:
    return sorted({point.prediction.ranks for point in points})


def _line(point: PlatformPoint, best: bool) -> Timed:
    one = point.prediction
    label = f"{point.machine}, {on(one.ranks)}"
    return Timed(label, one.turn_seconds, one.turn_low, one.turn_high, marked=best)


def _sentence(best: PlatformPoint, fastest: Sequence[PlatformPoint]) -> str:
    one = best.prediction
    time = within(one.turn_seconds, one.turn_low, one.turn_high)
    told = (
        f"On {on(one.ranks)} of {best.machine} with process grid {best.process_grid}: "
        f"{scientific(best.rate)} {rate_unit(best.study)}, {time} each, "
        f"{100 * best.communication_share:.3g} % of it communication."
    )
    others = [point for point in fastest if point is not best]
    if others:
        told += " The best of the others: " + "; ".join(
            f"{point.machine} {scientific(point.rate)} {rate_unit(point.study)} on "
            f"{on(point.prediction.ranks)}"
            for point in sorted(others, key=lambda point: -point.rate)
        )
        told += "."
    return told


def _intervals(
    study: Study, machines: Sequence[Machine], points: Sequence[PlatformPoint]
) -> list[str]:
    """Which model predicted on each machine, and where its interval comes from."""
    residuals, told = residuals_of(study.workload), []
    for machine in machines:
        models = {p.prediction.model for p in points if p.machine == machine.name}
        told += [
            f"{machine.name}: model {model} ({load_model(model).TITLE}), whose interval comes from "
            f"{spread(model, machine, residuals=residuals).source}."
            for model in sorted(models)
        ]
    return told
