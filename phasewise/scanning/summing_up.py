"""What is made of the results of a scan: convergence and pictures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from phasewise.errors import RunError
from phasewise.runs.disk import disk_reason
from phasewise.runs.kept import keeping
from phasewise.scanning.convergence import Convergence, converge
from phasewise.scanning.results import ScanResults
from phasewise.scanning.shown import orders, shown, sizes

PICTURES = "pictures"


def sum_up(results: ScanResults, plot: list[str], asked: list[str]) -> ScanResults:
    """The results with their convergence and pictures, which are written beside the table.

    plot: the results that are shown; asked: keys whose convergence is asked for (`shown`).
    """
    labels = shown(results, plot)
    found = with_convergence(results, plot, asked)
    pictures = tuple(_draw(results, labels, found.convergence)) if labels else ()
    return replace(found, pictures=pictures)


def with_convergence(results: ScanResults, plot: list[str], asked: list[str]) -> ScanResults:
    """The results with how far those that are shown have converged; arguments as of `sum_up`."""
    found = tuple(
        convergence
        for key, order in orders(results.definition, asked).items()
        for name in shown(results, plot)
        if (convergence := _converge(results, key, name, order)) is not None
    )
    return replace(results, convergence=found)


def _converge(results: ScanResults, key: str, name: str, order: float) -> Convergence | None:
    """The convergence of a result in a key, at the last values of all other keys."""
    rows = line_of(results, key, name)
    found = sizes([value for value, _ in rows])
    if found is None:
        return None
    return converge(key, name, order, found, np.array([row for _, row in rows]))


def line_of(results: ScanResults, key: str, name: str) -> list[tuple[Any, list[float]]]:
    """The values of a key with the result of each seed, at the last values of all other keys."""
    last = results.points[-1].values
    others = [other for other in last if other != key]
    rows: dict[str, tuple[Any, list[float]]] = {}
    for point, value in zip(results.points, results.column(name).tolist(), strict=True):
        if all(point.values[other] == last[other] for other in others):
            rows.setdefault(repr(point.values[key]), (point.values[key], []))[1].append(value)
    return list(rows.values())


def _draw(
    results: ScanResults, labels: dict[str, str], found: tuple[Convergence, ...]
) -> Iterator[Path]:
    """Draw and write the pictures; RunError if the disk refuses."""
    from phasewise.scanning.pictures import draw_convergence, draw_result

    folder = results.folder / PICTURES
    for name, label in labels.items():
        for ending, canvas in draw_result(results, name, label).items():
            yield _save(canvas, folder / f"{name}{ending}.png")
    for key in dict.fromkeys(one.key for one in found):
        own = [one for one in found if one.key == key]
        canvas = draw_convergence(own, labels, held(results, key))
        yield _save(canvas, folder / f"convergence-{key}.png")


def held(results: ScanResults, key: str) -> dict[str, Any]:
    """The values of all other keys at which a convergence holds."""
    last = results.points[-1].values
    return {other: value for other, value in last.items() if other != key}


def _save(canvas: Any, path: Path) -> Path:
    from phasewise.scanning.pictures import RESOLUTION

    try:
        with keeping(path) as beside:
            canvas.savefig(beside, dpi=RESOLUTION, facecolor="white")
    except OSError as error:
        raise RunError(f"{path} cannot be written ({disk_reason(error)})") from error
    return path
