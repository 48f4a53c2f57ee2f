"""Finds the workloads: the packages of phasewise/workloads whose __init__.py defines WORKLOAD."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.tables.keys import nearest, plain, show
from phasewise.workload.interface import PACKAGE, P, Workload, load_ring, load_workload

KEY = "workload"
OTHERS = ("common", "composite")
"""Packages that are not workloads: one holds what workloads share, the other makes one workload of
several in a ring.
"""


@cache
def workloads() -> dict[str, Workload]:
    """Workloads by name, in the order of their names."""
    folders = import_module(PACKAGE).__path__
    packages = sorted(found.name for found in pkgutil.iter_modules(folders) if found.ispkg)
    return {name: load_workload(name) for name in packages if name not in OTHERS}


def find_workload(name: str) -> Workload:
    """The workload called `name`; StudyError with the nearest name where there is none."""
    if name in workloads():
        return workloads()[name]
    for now, own in workloads().items():
        if name in own.former_names:
            raise StudyError(f'the workload "{name}" is now called "{now}": {own.title}')
    raise StudyError(f'there is no workload "{name}"{nearest(name, workloads())}')


def with_part(contract: type[P]) -> dict[str, P]:
    """What each workload says for a contract that its package fills in."""
    return {n: own.part(contract) for n, own in workloads().items() if own.fills(contract)}


def workload_of(study: Mapping[str, Any]) -> Workload:
    """The workload of a study: the one that its tables name, or the one whose tables it has.

    StudyError if there is no workload of this name. A study with neither gets a workload that is
    recognised by its tables; that workload then reports what is missing.
    """
    named = study.get(KEY)
    if named is not None:
        return named_workload(named).counting(study)
    marked = [own for own in workloads().values() if own.marks]
    own = [one for one in marked if any(table in study for table in one.marks)]
    # If a table is misspelt, the others still tell the workload.
    found = max(own or marked, key=lambda one: len(one.tables.keys() & study.keys()))
    return found.counting(study)


def study_of_folder(folder: Path) -> dict[str, Any] | None:
    """The tables of the study that a folder stands for; None if no workload knows such a folder."""
    for own in workloads().values():
        tables = own.study_of_folder and own.study_of_folder(folder)
        if tables:
            return tables
    return None


def named_workload(named: object) -> Workload:
    """The workload of this name, or the ring of those in a list; StudyError if there is none."""
    names = [named] if isinstance(named, str) else plain(named)
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise StudyError(
            f"{KEY} must be a name, or a list of names in the order of the ring, but is "
            f"{show(named)}"
        )
    found = [find_workload(name) for name in names]
    if not found:
        raise StudyError(f"{KEY} is an empty list: name at least one workload")
    return found[0] if len(found) == 1 else load_ring(tuple(one.name for one in found))


def recorded_workload(named: object) -> Workload | None:
    """The workload that a record names; None if it names none that is known."""
    try:
        return named_workload(named)
    except StudyError:
        return None
