"""Tables of a report, and the tables of kernels and phases that every report has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from phasewise.report.reported_run import ReportedRun
from phasewise.report.roofline import Roofline, is_counted
from phasewise.report.style import scientific

# Numbers of a kernel and of a communication phase that the tables show.
KERNEL = ("seconds", "items", "flops", "bytes")
PHASE = ("seconds", "messages", "bytes")


@dataclass(frozen=True)
class Table:
    """A table of texts: its title, column heads (the first one's may be empty), rows, a note.

    words: the cells are sentences, which may take several lines.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    words: bool = False


def cost_tables(run: ReportedRun, roofline: Roofline) -> list[Table]:
    """Tables of kernels and communication phases, once the run is over."""
    given = run.performance.get(run.workload.unit.many)
    recorded = len(run.turn) if run.has_records else run.count
    turns = given if isinstance(given, int) and given > 0 else recorded
    one = run.workload.unit.one
    tables = []
    if kernels := _by_seconds(run.performance.get("kernels"), KERNEL):
        heads: tuple[str, ...] = ("kernel", f"ms per {one}", "Gflop/s", "GB/s", "ns per item")
        rows = tuple(_kernel(kernel, turns) for kernel in kernels)
        if roofline.bounds is not None:
            heads += ("bound by", "% of roof")
            rows = tuple(row + roofline.cells(row[0]) for row in rows)
        note = f"On rank 0, all its threads. {roofline.about}".strip()
        tables.append(Table("Kernels", heads, rows, note))
    if phases := _by_seconds(run.performance.get("phases"), PHASE):
        heads = ("phase", f"ms per {one}", f"messages per {one}", f"MB per {one}")
        rows = tuple(_phase(phase, turns) for phase in phases)
        tables.append(Table("Communication phases", heads, rows, "On rank 0."))
    return tables


def _by_seconds(entries: Any, numbers: tuple[str, ...]) -> list[dict[str, Any]]:
    """Well-formed entries of a performance file, the longest first."""
    given = entries if isinstance(entries, list) else []
    return sorted(
        (e for e in given if is_counted(e, numbers)), key=lambda entry: -float(entry["seconds"])
    )


def text(value: Any) -> str:
    """A value of a study as a person reads it; a dash for nothing."""
    if value is None or value == "":
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}".replace(",", " ") if abs(value) < 1e9 else scientific(value)
    if isinstance(value, float):
        return f"{value:.6g}" if value == 0 or 1e-4 <= abs(value) < 1e6 else scientific(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(text(entry) for entry in value)
    return str(value)


def rows_of(entries: list[tuple[str, list[Any]]]) -> tuple[tuple[str, ...], ...]:
    """Rows as text; those without any value are left out."""
    return tuple(
        (name, *(text(value) for value in values))
        for name, values in entries
        if any(value is not None for value in values)
    )


def _kernel(kernel: dict[str, Any], turns: int) -> tuple[str, ...]:
    seconds = float(kernel["seconds"])
    rate = 1e-9 / seconds if seconds > 0 else 0.0
    items = float(kernel["items"])
    return (
        str(kernel["name"]),
        f"{1e3 * seconds / turns:.3f}",
        f"{kernel['flops'] * rate:.2f}",
        f"{kernel['bytes'] * rate:.2f}",
        f"{1e9 * seconds / items:.2f}" if items else "–",
    )


def _phase(phase: dict[str, Any], turns: int) -> tuple[str, ...]:
    return (
        str(phase["name"]),
        f"{1e3 * phase['seconds'] / turns:.3f}",
        f"{phase['messages'] / turns:.4g}",
        f"{1e-6 * phase['bytes'] / turns:.4g}",
    )
