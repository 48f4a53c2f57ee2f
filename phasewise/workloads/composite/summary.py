"""The summary of a run of several workloads: that of each, under its name."""

from __future__ import annotations

from typing import Any

from phasewise.runs.results import Results
from phasewise.runs.summary import PART, no_entries, value_only
from phasewise.workloads.composite.results import part_results
from phasewise.workloads.composite.workload import Composite


def summarise(results: Results) -> dict[str, Any]:
    """The entries of each part."""
    ring = results.workload.ring  # type: ignore[attr-defined]
    return {
        name: own.offers(PART, "summarise", no_entries)(part_results(results, name))
        for name, own in ring.items()
    }


def made_for(workload: Composite) -> dict[str, Any]:
    """`rows`: the tables of the parts, one below the other."""

    def rows(summary: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
        tables = {
            name: own.offers(PART, "rows", value_only)(summary[name])
            for name, own in workload.ring.items()
        }
        widest = max((heads for heads, _ in tables.values()), key=len)
        found = []
        for name, (_, lines) in tables.items():
            found += [[f"{name}: {line[0]}", *line[1:]] for line in lines]
        return widest, [[*line, *[""] * (len(widest) - len(line))] for line in found]

    return {"rows": rows}
