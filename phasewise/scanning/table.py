"""The table of a scan: a row for each point, as CSV, and as Parquet if pyarrow is installed."""

from __future__ import annotations

import csv
import io
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from phasewise.errors import RunError, StudyError
from phasewise.runs.disk import disk_reason
from phasewise.runs.kept import keep_text, keeping
from phasewise.scanning.results import ScanPoint
from phasewise.tables.writing import value as as_toml

CSV_FILE, PARQUET_FILE = "table.csv", "table.parquet"


def check_parquet() -> None:
    """StudyError if Parquet cannot be written here."""
    if find_spec("pyarrow") is None:
        raise StudyError(
            "--parquet needs pyarrow, which is not installed (pip install pyarrow); without "
            "--parquet the table is written as CSV"
        )


def rows_of(points: tuple[ScanPoint, ...]) -> list[dict[str, Any]]:
    """The rows, all with the same columns: point, keys, seed, status, why, folder, results.

    A list is written as in TOML; None where a point has no such value.
    """
    rows = []
    for point in points:
        own = {key: _cell(value) for key, value in point.values.items()}
        row = {"point": point.number, **own, "seed": point.seed, "status": point.status}
        row |= {"why": point.why or None, "folder": str(point.folder)}
        rows.append(row | {k: v for k, v in point.results.items() if k not in row})
    columns = dict.fromkeys(name for row in rows for name in row)
    return [{name: row.get(name) for name in columns} for row in rows]


def _cell(value: Any) -> Any:
    return as_toml(value) if isinstance(value, list | tuple) else value


def write_tables(folder: Path, points: tuple[ScanPoint, ...], parquet: bool) -> Path:
    """Write the table into a folder, whole or not at all, and return the path of the CSV file.

    RunError if it cannot be written.
    """
    rows, path = rows_of(points), folder / CSV_FILE
    try:
        keep_text(path, _csv(rows))
        if parquet:
            path_of_parquet = folder / PARQUET_FILE
            with keeping(path_of_parquet) as beside:
                _write_parquet(beside, rows)
    except OSError as error:
        raise RunError(
            f"the table in {folder} cannot be written ({disk_reason(error)}); the points are kept, "
            "and the same command writes it later"
        ) from error
    return path


def _csv(rows: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _write_parquet(path: Path, rows: list[dict[str, Any]]) -> None:
    import pyarrow
    import pyarrow.parquet

    columns = {name: _typed([row[name] for row in rows]) for name in rows[0]}
    pyarrow.parquet.write_table(pyarrow.table(columns), path)


def _typed(column: list[Any]) -> list[Any]:
    """The values of a column as one type; those of several types as text."""
    kinds = {type(value) for value in column if value is not None}
    if kinds == {int, float}:
        return [None if value is None else float(value) for value in column]
    return column if len(kinds) < 2 else [None if v is None else str(v) for v in column]
