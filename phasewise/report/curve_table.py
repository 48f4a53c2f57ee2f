"""The curves of a bench of messages, seconds over sizes, as a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from phasewise.errors import RunError
from phasewise.runs.disk import disk_reason, replace_text

Curve = Mapping[str, Any]

HEAD = ("reference", "machine", "ranks", "convention")
KEYS = ("benchmark", "operator", "protocol", "messages", "packet", "pairs", "window")
COLUMNS = (
    "seconds", "low", "high", "quickest", "noisy", "predicted", "bandwidth", "message_rate",
    "hidden",
)  # fmt: skip


def sizes_of(curve: Curve) -> str:
    """The name of a curve's sizes: words or bytes."""
    return "words" if "words" in curve else "bytes"


def kind_of(curve: Curve) -> str:
    """What a curve times, and between which pairs."""
    pairs = f" between {curve['pairs']}" if curve.get("pairs") else ""
    return f"{curve.get('benchmark') or curve['operator']}{pairs}"


def label_of(curve: Curve) -> str:
    """The protocol or algorithm of a curve, with the size of its packets."""
    packet = f", {curve['packet']} B" if curve.get("packet") else ""
    return f"{curve['protocol']}{packet}"


def table_of(result: Mapping[str, Any]) -> list[list[Any]]:
    """A head and a row for each size of each curve, with the columns that the bench has; bandwidth
    in B/s, times in s.
    """
    curves: Sequence[Curve] = result["curves"]
    head = [name for name in HEAD if name in result]
    keys = [name for name in KEYS if any(curve.get(name) is not None for curve in curves)]
    columns = [name for name in COLUMNS if any(name in curve for curve in curves)]
    sizes = sizes_of(curves[0])
    rows: list[list[Any]] = [[*head, *keys, sizes, *columns]]
    for curve in curves:
        start = [*(result[name] for name in head), *(curve.get(name, "") for name in keys)]
        for at, size in enumerate(curve[sizes]):
            values = [curve[name][at] if name in curve else "" for name in columns]
            rows.append([*start, size, *values])
    return rows


def write_csv(result: Mapping[str, Any], path: str | Path) -> None:
    """Write the table of a bench; RunError if it cannot be written."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(table_of(result))
    try:
        replace_text(Path(path), text.getvalue())
    except OSError as error:
        raise RunError(f"{path} cannot be written ({disk_reason(error)})") from error
