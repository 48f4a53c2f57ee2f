"""The page of a scan: of ``phasewise scan``, and of ``phasewise report`` for a scan's folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial

import numpy as np

from phasewise.answers.conditions import conditions
from phasewise.machines.targets import this_host
from phasewise.output import Printed, number_of
from phasewise.report.answer import Answer, Picture, tables_of
from phasewise.report.figure import Drawing
from phasewise.report.page import Tile
from phasewise.report.style import scientific, unit_text, with_error
from phasewise.scanning.folder import COMPLETE, FAILED
from phasewise.scanning.pictures import draw_convergence, draw_result
from phasewise.scanning.results import Mean, ScanResults
from phasewise.scanning.shown import shown
from phasewise.scanning.summing_up import held
from phasewise.tables.keys import show

MOST_PICTURES = 6
"""Most results with pictures of their own."""


def scanned_answer(
    results: ScanResults, plot: Sequence[str], printed: Printed, argv: Sequence[str]
) -> Answer:
    """How results depend on keys. plot: the results asked for; printed: what the command prints."""
    definition = results.definition
    study, keys = definition.study, definition.keys
    labels = shown(results, list(plot))
    given = {
        "points": f"{number_of(len(results.points), 'point')}: {_axes(results)}",
        "folder": str(results.folder),
        "computer": f"{this_host()}, {number_of(os.cpu_count() or 1, 'core')}",
    }
    over = " and ".join(keys) if keys else "the seed"
    what = _name(next(iter(labels.values()))) if len(labels) == 1 else "the result"
    return Answer(
        question=f"How does {what} of “{study.title}” depend on {over}?",
        answer=_sentence(results, labels),
        tiles=[_tile(results, name, label) for name, label in labels.items()],
        pictures=_pictures(results, labels),
        tables=tables_of(printed),
        conditions=given | conditions(study, [], [], argv),
        certainty=_certainty(results),
        study=study.resolved(),
    )


def _axes(results: ScanResults) -> str:
    words = []
    for axis in results.definition.axes:
        if axis.sampled:
            words.append(f"{axis.key} from {axis.low:g} to {axis.high:g}, sampled")
        else:
            words.append(f"{axis.key} = {', '.join(show(value) for value in axis.values)}")
    if seeds := results.definition.seeds:
        words.append(number_of(seeds, "seed"))
    return "; ".join(words)


def _name(label: str) -> str:
    """A label without its unit."""
    return unit_text(label.partition(" [")[0])


def _known(results: ScanResults, name: str) -> list[Mean]:
    return [mean for mean in results.means(name) if np.isfinite(mean.mean)]


def _sentence(results: ScanResults, labels: dict[str, str]) -> str:
    """Where the first results are least and largest, and what has converged."""
    told = []
    for name, label in list(labels.items())[:2]:
        means = _known(results, name)
        if not means:
            continue
        unit = unit_text(label.partition(" [")[2].removesuffix("]"))
        low, high = (end(means, key=lambda mean: mean.mean) for end in (min, max))
        if _value(low, unit) == _value(high, unit):
            told.append(f"{_name(label)} is {_value(low, unit)} at all points.")
        else:
            told.append(
                f"{_name(label)} goes from {_value(low, unit)} at {_where(low)} to "
                f"{_value(high, unit)} at {_where(high)}."
            )
    if results.convergence:
        told.append(f"{results.convergence[0].sentence()}.")
    return " ".join(told) or "No point is complete yet."


def _value(mean: Mean, unit: str) -> str:
    return f"{with_error(mean.mean, mean.error)} {unit}".strip()


def _where(mean: Mean) -> str:
    return ", ".join(f"{key} = {show(value)}" for key, value in mean.values.items())


def _tile(results: ScanResults, name: str, label: str) -> Tile:
    column = results.column(name)
    known = column[np.isfinite(column)]
    if not known.size:
        return Tile(unit_text(label), "–")
    low, high = float(known.min()), float(known.max())
    value = scientific(low) if low == high else f"{scientific(low)} … {scientific(high)}"
    return Tile(unit_text(label), value, f"{known.size} of {number_of(len(column), 'point')}")


def _pictures(results: ScanResults, labels: dict[str, str]) -> list[Picture]:
    found: list[Picture] = []
    for name, label in list(labels.items())[:MOST_PICTURES]:
        if not _known(results, name):
            continue
        for ending, canvas in draw_result(results, name, label).items():
            title = f"{_name(label)}{', as a map' if ending else ''}"
            drawing = Drawing(canvas, f"{unit_text(label)} of each point.")
            found.append((f"{name}{ending}", title, partial(_same, drawing)))
    for key in dict.fromkeys(one.key for one in results.convergence):
        own = [one for one in results.convergence if one.key == key]
        canvas = draw_convergence(own, labels, held(results, key))
        drawing = Drawing(canvas, "Distance of each value of the key from the limit.")
        found.append((f"convergence-{key}", f"Convergence in {key}", partial(_same, drawing)))
    return found


def _same(drawing: Drawing) -> Drawing:
    return drawing


def _certainty(results: ScanResults) -> list[str]:
    done = sum(point.status == COMPLETE for point in results.points)
    told = [f"{done} of {number_of(len(results.points), 'point')} are complete."]
    failed = [point for point in results.points if point.status == FAILED]
    if failed:
        told.append(f"{len(failed)} failed, such as point {failed[0].number}: {failed[0].why}.")
    seeds = results.definition.seeds or 1
    if seeds > 1:
        told.append(f"Values are means over {seeds} seeds with their standard errors.")
    else:
        told.append("Each point has one seed, so that the error of a value is not known.")
    return told + [f"{found.sentence()}." for found in results.convergence]
