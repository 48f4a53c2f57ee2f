"""``phasewise compare``: what runs measured with what models predict."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import Any

from phasewise.errors import StudyError
from phasewise.machines.reference import rates_statement
from phasewise.models import load_model
from phasewise.models.comparison import (
    Point,
    by_model,
    compare,
    errors_of,
    machine_of,
    ratio,
    summarise,
)
from phasewise.models.recorded_run import read_run
from phasewise.options import Parser, add_html, add_json, add_models, html_target
from phasewise.output import alike, captured, console, message, number_of, print_json, print_table
from phasewise.recorder.analysis import Analysis, is_recorded
from phasewise.recorder.comparison import common_sites, numbers_of
from phasewise.traces.records import common_unit
from phasewise.workload.interface import Unit


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print the comparison as JSON")
    parser.add_argument(
        "directories", metavar="DIR", nargs="+", help="folders of runs, or of recorded programs"
    )
    parser.add_argument(
        "--machine",
        metavar="M",
        help="machine of the runs (by default, simulated runs use the machine they ran on)",
    )
    add_models(parser)
    parser.add_argument(
        "--picture",
        metavar="FILE",
        help="the ratios as a picture (SVG, PNG); of one run, its times with their intervals",
    )
    add_html(parser)


def main(options: argparse.Namespace) -> int:
    """Compare the runs in ``options.directories`` and return the exit status."""
    if any(map(is_recorded, options.directories)):
        return _compare_recorded(options)
    page = html_target(options)
    if options.picture is not None:
        from phasewise.report.picture_file import check_picture

        check_picture(options.picture)
    runs = [read_run(directory) for directory in options.directories]
    machines = [machine_of(run, options.machine) for run in runs]
    points = [
        point
        for run, machine in zip(runs, machines, strict=True)
        for point in compare(run, machine, options.model, options.fit)
    ]
    if options.picture is not None:
        _draw(points, options.picture)
    if page is not None:
        from phasewise.answers.compared import compared_answer
        from phasewise.report.answer import write_answer

        write_answer(compared_answer(points, captured(lambda: show(points)), options.argv), page)
    if options.json:
        print_json(summarise(points, machines))
    else:
        show(points)
    for written in (options.picture, page):
        if written:
            message(f"wrote {written}")
    return 0


def _compare_recorded(options: argparse.Namespace) -> int:
    """Show recorded programs beside each other and return the exit status."""
    other = next((folder for folder in options.directories if not is_recorded(folder)), None)
    if other is not None:
        raise StudyError(
            f"{other} holds no recorded program, and the others do: compare them alone"
        )
    for name in ("machine", "model", "fit", "picture", "html"):
        if getattr(options, name, None):
            raise StudyError(
                f"--{name} is for the runs of studies: recorded programs are shown beside each "
                "other as they were measured"
            )
    numbers = [numbers_of(Analysis(folder)) for folder in options.directories]
    if options.json:
        print_json({"recorded": numbers})
    else:
        _show_recorded(numbers)
    return 0


def _show_recorded(numbers: Sequence[dict[str, Any]]) -> None:
    def row(name: str, values: list[float | None], form: str) -> list[str]:
        return [name, *("–" if value is None else format(value, form) for value in values)]

    rows = [["library", *(one["library"] for one in numbers)]]
    rows += [
        row(name, [one[key] for one in numbers], form)
        for name, key, form in (
            ("ranks", "ranks", "d"),
            ("time [s]", "seconds", ".4g"),
            ("share in MPI", "mpi_share", ".1%"),
            ("load balance", "load_balance", ".2f"),
            ("parallel efficiency", "parallel_efficiency", ".1%"),
            ("messages", "messages", "d"),
        )
    ]
    for cause in numbers[0]["waiting"]:
        rows.append(row(f"{cause} [s]", [one["waiting"][cause] for one in numbers], ".4g"))
    for site in common_sites(numbers, 10):
        rows.append(row(f"{site} [s]", [one["sites"].get(site) for one in numbers], ".4g"))
    heads = ["", *(one["directory"] for one in numbers)]
    print_table("recorded programs; waiting and call sites are sums over the ranks", heads, rows)


def show(points: Sequence[Point]) -> None:
    """Print the totals, the phases, the errors, and the sources of the measured times."""
    columns = ["run", "ranks", "model", "time of", "measured", "predicted"]
    columns += ["90 % interval", "ratio"]
    unit = common_unit([point.run.record for point in points])
    rows = [row for point in points for row in _rows(point, unit)]
    print_table(f"{unit.indefinite} [ms]: measured and predicted", columns, rows)
    names = list(dict.fromkeys(name for point in points for name in point.phase_ratios))
    if names:
        heads = [f"{_name(point)}\nmodel {point.predicted.model}" for point in points]
        rows = [[name, *(_two(p.phase_ratios.get(name)) for p in points)] for name in names]
        print_table("measured over predicted", ["phase", *heads], rows)
    lines = []
    for name, own in by_model(points).items():
        quiet = [point for point in own if not point.set_aside]
        errors, inside = errors_of(own), sum(point.inside for point in quiet)
        sources = dict.fromkeys(point.spread for point in quiet)
        if errors["mean_error"] is not None and errors["worst_error"] is not None:
            lines.append(
                f"model {name} ({load_model(name).TITLE}): the error is "
                f"{errors['mean_error']:.1%} in the mean and {errors['worst_error']:.1%} at "
                f"worst; {inside} of {len(quiet)} times are inside of the interval, which comes "
                f"from {' or '.join(sources)}"
            )
    lines += list(dict.fromkeys(point.run.record.source for point in points))
    lines += list(dict.fromkeys(_rates(point) for point in points if not point.machine.is_hardware))
    lines += [point.wrong for point in points if point.wrong and not point.set_aside]
    runs = {_name(point): point.run for point in points}
    lines += [
        f"{name}: in {run.tuned_turns} of {run.record.unit.of(run.record.turns)} other algorithms "
        "were tried; the measured times include them, the predicted times assume the chosen ones"
        for name, run in runs.items()
        if run.tuned_turns
    ]
    aside = {_name(point): point.set_aside for point in points if point.set_aside}
    lines += [
        f"* {name}: {sentence}; the errors leave this run out" for name, sentence in aside.items()
    ]
    console().print("\n".join(lines), soft_wrap=True)


def _rates(point: Point) -> str:
    """What the interval says of the machine's rates, which a simulation has exactly."""
    if point.run.record.simulated:
        return f"{point.machine.name}: intervals are for these rates, which the simulator has too"
    return f"{point.machine.name}: {rates_statement(point.machine)}"


def _name(point: Point) -> str:
    return point.run.directory.resolve().name


def _rows(point: Point, unit: Unit) -> list[list[str]]:
    """Rows for communication, the waiting in it, and the whole turn if computation took time."""
    one, turn = point.predicted, point.measured_turn
    measured = [point.measured_seconds, point.measured_waiting]
    predicted = [one.communication_seconds, one.waiting_seconds]
    parts = ["communication", "waiting in it"]
    within = [_interval(measured[0], one.low, one.high, point.inside), "–"]
    if turn is not None:
        measured, predicted = [*measured, turn], [*predicted, one.turn_seconds]
        parts.append(unit.one)
        within.append(_interval(turn, one.turn_low, one.turn_high, bool(point.turn_inside)))
    of_run = [
        _name(point) + ("*" if point.set_aside else ""),
        str(point.run.record.ranks),
        one.model,
    ]
    heads = [of_run, *([""] * 3 for _ in parts[1:])]
    return [
        [*head, part, _ms(m), _ms(p), ends, _two(ratio(m, p))]
        for head, part, m, p, ends in zip(heads, parts, measured, predicted, within, strict=True)
    ]


def _interval(seconds: float, low: float, high: float, inside: bool) -> str:
    """The interval in ms, with as many decimals as the time that was measured."""
    ends = alike(*(1e3 * one for one in (seconds, low, high)))[1:]
    return f"{' … '.join(ends)}{'' if inside else ' !'}"


def _ms(seconds: float) -> str:
    return "–" if math.isnan(seconds) else alike(1e3 * seconds)[0]


def _two(ratio: float | None) -> str:
    return "–" if ratio is None or math.isnan(ratio) else f"{ratio:.3f}"


def _draw(points: Sequence[Point], path: str) -> None:
    """Draw the times of a single run with their intervals; or the ratios of several as in Figures 4
    and 5 of the source paper, with a panel for each machine.
    """
    from phasewise.report.predicted_runs import actual_of, draw_run_times
    from phasewise.report.predictions import draw_ratios, save_picture

    if len({point.run.directory for point in points}) == 1:
        save_picture(lambda: draw_run_times(points), path)
        return
    panels: dict[str, dict[str, dict[str, float]]] = {}
    for point in points:
        record = point.run.record
        models = panels.setdefault(record.machine or "", {})
        ratios = models.setdefault(point.predicted.model, {})
        label = number_of(record.ranks, "rank")
        while label in ratios:
            label += f", {_name(point)}"
        ratios[label] = point.ratio if point.ratio is not None else float("nan")
    sources = "; ".join(dict.fromkeys(point.run.record.source for point in points))
    save_picture(lambda: draw_ratios(panels, sources, actual_of(points)), path)
