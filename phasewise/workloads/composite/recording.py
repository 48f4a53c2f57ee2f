"""The records of several workloads: those of each, in a group of its name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from phasewise.driver import Communicator, Run
from phasewise.runs.layout import (
    Dataset,
    Detail,
    Recording,
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
from phasewise.workload.interface import Workload
from phasewise.workloads.composite.parts_of import own_entries, part_of, parts_of, prefixed
from phasewise.workloads.composite.workload import ring_of


class CompositeRecording(Recording):
    """What all parts record turn by turn; snapshots, dumps and progress are those of the part that
    makes the bunches, which is on all ranks.
    """

    def __init__(self, workload: Workload) -> None:
        super().__init__(workload)
        self._host = ring_of(workload).host
        self.GROUPS = tuple(
            f"{name}/{group}"
            for name, own in ring_of(workload).ring.items()
            for group in own.part(Recording).GROUPS
        )

    def rows(self, study: Study) -> dict[str, Dataset]:
        found: dict[str, Dataset] = {}
        for name, own in parts_of(study):
            layout = row_layout(own)
            del layout[own.workload.unit.one]
            found |= prefixed(name, layout)
        return found

    def values(self, study: Study, record: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, own in parts_of(study):
            found |= prefixed(name, entries(own, own_entries(name, record)))
        return found

    def snapshots(self, study: Study, first: int = 0) -> Iterator[tuple[str, Dataset]]:
        yield from prefixed(self._host, snapshot_layout(self._own(study), first)).items()

    def snap(self, run: Run, comm: Communicator, study: Study, write: Write) -> None:
        def write_own(group: str, found: Any) -> None:
            write(f"{self._host}/{group}", found)

        take_snapshots(run.part(self._host)[0], comm, self._own(study), write_own)

    def dump(
        self, folder: Path, run: Run, comm: Communicator, study: Study, at_start: bool
    ) -> None:
        write_dumps(folder, run.part(self._host)[0], comm, self._own(study), at_start)

    def check(self, study: Study) -> None:
        for _, own in parts_of(study):
            check_schedule(own)

    def fault(self, study: Study, record: Mapping[str, Any]) -> str:
        faults = (fault_of(own, own_entries(name, record)) for name, own in parts_of(study))
        return next(filter(None, faults), "")

    def detail(self, study: Study) -> Detail:
        shown = detail_of(self._own(study))
        return lambda record: shown(own_entries(self._host, record))

    def _own(self, study: Study) -> Study:
        return part_of(study, self._host)
