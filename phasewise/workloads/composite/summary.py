"""The summary of a run of several workloads: the summary of each stands under its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasewise.runs.results import Results
from phasewise.runs.summary import Summary, TableRows
from phasewise.workloads.composite.results import part_results
from phasewise.workloads.composite.workload import ring_of


class CompositeSummary(Summary):
    """The entries of each part."""

    def summarise(self, results: Results) -> dict[str, Any]:
        return {
            name: part.summarise(part_results(results, name))
            for name, part in self._parts().items()
        }

    def rows(self, summary: Mapping[str, Any]) -> TableRows:
        """The tables of the parts, one below the other."""
        tables = {name: part.rows(summary[name]) for name, part in self._parts().items()}
        widest = max((heads for heads, _ in tables.values()), key=len)
        found = []
        for name, (_, lines) in tables.items():
            found += [[f"{name}: {line[0]}", *line[1:]] for line in lines]
        return widest, [[*line, *[""] * (len(widest) - len(line))] for line in found]

    def _parts(self) -> dict[str, Summary]:
        ring = ring_of(self.workload).ring
        return {name: own.part(Summary) for name, own in ring.items()}
