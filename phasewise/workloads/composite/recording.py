"""The records of several workloads: those of each, in a group of its name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from phasewise.driver import Communicator, Run
from phasewise.runs.layout import (
    Dataset,
    Detail,
    Write,
    check_schedule,
    detail_of,
    entries,
    fault_of,
    row_layout,
    snapshot_layout,
    take_snapshots,
    write_dumps,
)
from phasewise.study import Study
from phasewise.workloads.composite.parts import (
    own_entries,
    part_of,
    parts_of,
    prefixed,
    workload_of,
)
from phasewise.workloads.composite.workload import Composite


def made_for(workload: Composite) -> dict[str, Any]:
    """GROUPS: those of all parts."""
    parts = {name: own.part("recording") for name, own in workload.ring.items()}
    return {"GROUPS": tuple(f"{n}/{g}" for n, p in parts.items() for g in getattr(p, "GROUPS", ()))}


def rows(study: Study) -> dict[str, Dataset]:
    """Each dataset that is extended turn by turn."""
    found: dict[str, Dataset] = {}
    for name, own in parts_of(study):
        layout = row_layout(own)
        del layout[own.workload.unit.one]
        found |= prefixed(name, layout)
    return found


def values(study: Study, record: Mapping[str, Any]) -> dict[str, Any]:
    """The driver's record by dataset."""
    found: dict[str, Any] = {}
    for name, own in parts_of(study):
        found |= prefixed(name, entries(own, own_entries(name, record)))
    return found


def snapshots(study: Study, first: int = 0) -> Iterator[tuple[str, Dataset]]:
    """Every dataset that is written once, for turns from `first` on."""
    name, own = _host(study)
    yield from prefixed(name, snapshot_layout(own, first)).items()


def snap(run: Run, comm: Communicator, study: Study, write: Write) -> None:
    """Write the snapshots of the part that is on all ranks."""
    name, own = _host(study)
    take_snapshots(
        run.part(name)[0], comm, own, lambda group, found: write(f"{name}/{group}", found)
    )


def dump(folder: Path, run: Run, comm: Communicator, study: Study, at_start: bool) -> None:
    """Dump its particles; collective."""
    name, own = _host(study)
    write_dumps(folder, run.part(name)[0], comm, own, at_start)


def _host(study: Study) -> tuple[str, Study]:
    name = workload_of(study).host
    return name, part_of(study, name)


def check(study: Study) -> None:
    """StudyError if the records of a part ask for what a file cannot hold."""
    for _, own in parts_of(study):
        check_schedule(own)


def fault(study: Study, record: Mapping[str, Any]) -> str:
    """What leaves one of the parts nothing to do."""
    faults = (fault_of(own, own_entries(name, record)) for name, own in parts_of(study))
    return next(filter(None, faults), "")


def detail(study: Study) -> Detail:
    """What the part that makes the bunches shows."""
    name, own = _host(study)
    shown = detail_of(own)
    return lambda record: shown(own_entries(name, record))
