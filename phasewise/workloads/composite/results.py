"""The results of one part of a run of several workloads."""

from __future__ import annotations

from typing import Any

from phasewise.driver import Floats
from phasewise.errors import RunError
from phasewise.runs.results import Results
from phasewise.tables.keys import nearest
from phasewise.workloads.composite.workload import ring_of


class PartResults(Results):
    """Results as of a run of one workload alone; the file is that of the whole run."""

    def __init__(self, whole: Results, name: str) -> None:
        self.path, self._keep, self._file = whole.path, whole._keep, whole._file
        self._whole, self._name = whole, name
        self.workload = ring_of(whole.workload).ring[name]
        self.refresh()

    def _of_whole(self, name: str) -> str:
        return name if name == self.workload.unit.one else f"{self._name}/{name}"

    def rows(self, name: str) -> Any:
        return super().rows(self._of_whole(name))

    def holds(self, name: str) -> bool:
        return super().holds(self._of_whole(name))

    def array(self, name: str) -> Floats:
        return super().array(self._of_whole(name))

    def arrays(self, name: str) -> dict[str, Floats]:
        return super().arrays(self._of_whole(name))

    def snapshots(self, kind: str) -> list[int]:
        return super().snapshots(self._of_whole(kind))

    @property
    def study(self) -> dict[str, Any]:
        """The resolved study with the part's own records and communication."""
        whole = super().study
        own = {
            table: dict(whole[table]) | whole[table].get(self._name, {})
            for table in ("records", "communication")
        }
        return whole | own | {"workload": self._name}

    @property
    def derived(self) -> dict[str, Any]:
        """What follows from the part."""
        found: dict[str, Any] = super().derived[self._name]
        return found


def part_results(whole: Results, name: str) -> PartResults:
    """The results of the workload of this name; RunError if the run has none."""
    ring = ring_of(whole.workload).ring
    if name not in ring:
        raise RunError(f'{whole.path} holds no results of "{name}"{nearest(name, ring)}')
    return PartResults(whole, name)
