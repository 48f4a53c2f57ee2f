"""What a scan shows of a workload's results, by its contract `Scanning`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from phasewise.errors import StudyError
from phasewise.scanning.definition import Definition
from phasewise.scanning.results import ScanResults
from phasewise.study import Study
from phasewise.tables.keys import nearest
from phasewise.workload.interface import Part

MOST_SHOWN = 4
"""Results shown where the workload does not say which."""


class Scanning(Part):
    """What a scan shows of a workload. By default these are the first results that differ between
    points, and convergence is shown on request alone.
    """

    MODULE = "scanning"
    ORDERS: Mapping[str, float] = {}
    """Patterns of keys that say how finely a study is resolved (the larger, the finer), and the
    order p of the error, which goes as the key's value to the power -p.
    """

    def headlines(self, summary: Mapping[str, Any]) -> Mapping[str, str]:
        """The results to show first: name in the table → label with its unit."""
        return {}


def shown(results: ScanResults, asked: list[str]) -> dict[str, str]:
    """Names and labels of the results to show: those asked for, or else the workload's; empty
    before a point is complete.

    StudyError if one that is asked for is not there.
    """
    known = results.names()
    if not known:
        return {}
    labels = _labels(results)
    if asked:
        return {name: labels.get(name, name) for name in map(results.named, asked)}
    if labels:
        return {name: label for name, label in labels.items() if name in known}
    vary = [name for name in known if _varies(results.column(name))]
    return {name: name for name in vary[:MOST_SHOWN]}


def _labels(results: ScanResults) -> dict[str, str]:
    summary = next(point.summary for point in results.points if point.summary)
    return dict(results.definition.study.workload.part(Scanning).headlines(summary))


def _varies(column: Any) -> bool:
    known = column[np.isfinite(column)]
    return len(set(known.tolist())) > 1


def orders(definition: Definition, asked: list[str]) -> dict[str, float]:
    """The keys of a scan in which its convergence is asked for, and the order of the error.

    asked: KEY or KEY:ORDER; otherwise the workload's keys. StudyError where a key is not scanned,
    or its values cannot be sizes.
    """
    found = {}
    for words in asked:
        key, colon, order = words.partition(":")
        if key not in definition.keys:
            raise StudyError(f"--converge {key}: it is not scanned{nearest(key, definition.keys)}")
        axis = definition.axes[definition.keys.index(key)]
        if axis.sampled or len(axis.values) < 2 or sizes(list(axis.values)) is None:
            raise StudyError(f"--converge {key}: it needs two positive numbers or more to grow by")
        found[key] = _order(words, order) if colon else known_order(definition.study, key) or 2.0
    if asked:
        return found
    for axis in definition.axes:
        known = known_order(definition.study, axis.key)
        if known and not axis.sampled and len(axis.values) > 1 and sizes(list(axis.values)):
            found[axis.key] = known
    return found


def _order(words: str, text: str) -> float:
    try:
        order = float(text)
    except ValueError:
        order = math.nan
    if not 0 < order <= 8:
        raise StudyError(f"--converge {words}: the order must be a number above 0 and at most 8")
    return order


def known_order(study: Study, key: str) -> float | None:
    """The order of the error in a key, as the workload has it; None for any other key."""
    patterns = study.workload.part(Scanning).ORDERS
    return next((order for pattern, order in patterns.items() if re.fullmatch(pattern, key)), None)


def sizes(values: list[Any]) -> list[float] | None:
    """The size that each value of a key stands for; None if they are no sizes.

    A list's is the geometric mean of those entries that change.
    """
    rows = [list(v) if isinstance(v, list | tuple) else [v] for v in values]
    if len({len(row) for row in rows}) != 1 or not all(_positive(v) for row in rows for v in row):
        return None
    changing = [column for column in zip(*rows, strict=True) if len(set(column)) > 1]
    if not changing:
        return None
    found = [math.prod(entries) ** (1 / len(changing)) for entries in zip(*changing, strict=True)]
    return found if len(set(found)) == len(found) else None


def _positive(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf
