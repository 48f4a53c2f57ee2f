"""Reads the folder of a scan again, for a report of it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.runs.kept import read_kept
from phasewise.scanning.axes import Axis
from phasewise.scanning.definition import Definition, Samples
from phasewise.scanning.folder import DEFINITION_FILE, STUDY_FILE, ScanFolder
from phasewise.scanning.results import ScanResults, scan_point
from phasewise.scanning.summing_up import with_convergence
from phasewise.scanning.table import CSV_FILE
from phasewise.study import Study, load


def is_scan(folder: Path) -> bool:
    """Whether a folder is that of a scan."""
    return (folder / DEFINITION_FILE).is_file()


def read_scan(path: str | Path) -> ScanResults:
    """The scan in a folder, as far as its points are; StudyError if it cannot be read."""
    folder = ScanFolder(Path(path))
    definition = _definition(folder.path)
    points = tuple(
        scan_point(point, folder.run_folder(point), folder.state(point))
        for point in definition.points
    )
    results = ScanResults(definition, folder.path, points, folder.path / CSV_FILE)
    return with_convergence(results, [], [])


def _definition(folder: Path) -> Definition:
    path = folder / DEFINITION_FILE
    try:
        there = read_kept(path)
        axes = tuple(_axis(entry) for entry in there["over"])
        samples = None if there["samples"] is None else Samples(**there["samples"])
        return Definition(_study(folder, there["study"]), axes, samples, there["seeds"])
    except StudyError as error:
        raise StudyError(f"{path} cannot be used: {error}") from None
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        raise StudyError(f"{path} is damaged: run the scan again into another folder") from None


def _axis(entry: dict[str, Any]) -> Axis:
    values = tuple(entry.get("values", ()))
    return Axis(**{**entry, "values": values})


def _study(folder: Path, resolved: dict[str, Any]) -> Study:
    """The study as it was given, or, if it has paths relative to another folder, as it was
    resolved.
    """
    with suppress(StudyError):
        return load(folder / STUDY_FILE).as_in(resolved)
    return Study.from_stored(resolved, folder)
