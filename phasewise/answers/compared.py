"""The page of ``phasewise compare``."""

from __future__ import annotations

from collections.abc import Sequence

from phasewise.answers.conditions import on
from phasewise.machines.reference import statement
from phasewise.models.comparison import Point, by_model, errors_of
from phasewise.models.discovery import load_model
from phasewise.output import Printed, number_of
from phasewise.report.answer import Answer, origin, tables_of
from phasewise.report.figure import Drawing
from phasewise.report.page import Tile
from phasewise.report.predicted_runs import draw_run_times
from phasewise.traces.records import common_unit


def compared_answer(points: Sequence[Point], printed: Printed, argv: Sequence[str]) -> Answer:
    """Whether predictions hold for runs. printed: what the command prints."""
    runs = {point.run.directory: point.run for point in points}
    unit = common_unit([point.run.record for point in points])

    def times() -> Drawing:
        return draw_run_times(points)

    return Answer(
        question=f"Do predictions hold for {_runs(list(map(str, runs)))}?",
        answer=" ".join(_sentence(name, own) for name, own in by_model(points).items()),
        tiles=[tile for name, own in by_model(points).items() for tile in _tiles(name, own)],
        pictures=[("times", f"{unit.indefinite[:1].upper()}{unit.indefinite[1:]}", times)],
        tables=tables_of(printed),
        conditions=_conditions(points) | origin(argv),
        certainty=printed.lines,
    )


def _runs(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} runs"


def _sentence(name: str, points: Sequence[Point]) -> str:
    """How many of the runs a model predicts within its interval, and how far it is off."""
    quiet = [point for point in points if not point.set_aside]
    if not quiet:
        return f"Model {name} is not judged: none of the runs can be compared."
    inside = sum(_inside(point) for point in quiet)
    verdict = {len(quiet): "Yes", 0: "No"}.get(inside, "In part")
    mean = errors_of(quiet)["mean_error"]
    error = "" if mean is None else f"; its communication is off by {mean:.1%} in the mean"
    return (
        f"{verdict}: model {name} has {inside} of {number_of(len(quiet), 'time')} within its "
        f"interval of 90 %{error}."
    )


def _inside(point: Point) -> bool:
    return bool(point.inside if point.turn_inside is None else point.turn_inside)


def _tiles(name: str, points: Sequence[Point]) -> list[Tile]:
    errors = errors_of(points)
    shown = {"mean error of communication": "mean_error", "worst": "worst_error"}
    return [
        Tile(f"model {name}, {words}", f"{found:.1%}", load_model(name).TITLE)
        for words, key in shown.items()
        if (found := errors[key]) is not None
    ]


def _conditions(points: Sequence[Point]) -> dict[str, str]:
    found: dict[str, str] = {}
    for point in points:
        record = point.run.record
        name = point.run.directory.resolve().name
        found[f"run {name}"] = (
            f"{point.run.study.title}: {record.unit.of(record.turns)} on {on(record.ranks)}, "
            f"process grid {record.grid_text}, {record.layout}, {point.run.day}; {record.source}"
        )
        found[f"machine {point.machine.name}"] = statement(point.machine)
    return found
