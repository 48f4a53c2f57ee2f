"""The planned messages of a run, to be shown beside the recorded ones.

The plan is made for the run's study, ranks and nodes; there is none if the core is not built or
cannot plan the study.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from phasewise.report.reported_run import ReportedRun
from phasewise.study import Study
from phasewise.traces.efficiency import node_size_of
from phasewise.traces.records import CommunicationRecord
from phasewise.traces.values import Traffic
from phasewise.workload.communication import COLUMN_FIRST, ROW_FIRST


def other_layout(record: CommunicationRecord) -> str:
    """The layout with which a run's own is compared."""
    return ROW_FIRST if record.layout == COLUMN_FIRST else COLUMN_FIRST


def planned_traffic(run: ReportedRun, record: CommunicationRecord, layout: str) -> Traffic | None:
    """Messages per turn of the run's study in another layout."""
    found = _ask("traffic", run, record, layout)
    if found is None:
        return None
    columns = (found[name] for name in ("from", "to", "messages", "bytes"))
    return Traffic(*(np.asarray(column, dtype=np.int64) for column in columns))


def planned_phases(
    run: ReportedRun, record: CommunicationRecord
) -> dict[str, list[dict[str, Any]]]:
    """The entries of the plan by the name of their phase; each is for the rank that sends most
    messages.

    Entries for the same rank that come equally often are added up. The result is empty if there is
    no plan, or if the run chose its algorithms itself.
    """
    tuned = run.study.get("communication", {}).get("tune") == "auto"
    # The record of a run that tries several ways to exchange covers all of them.
    found = None if tuned else _ask("plan", run, record)
    phases: dict[str, list[dict[str, Any]]] = {}
    for phase in [] if found is None else found["phases"]:
        known = phases.setdefault(str(phase["name"]), [])
        alike = [one for one in known if (one["rank"], one["per"]) == (phase["rank"], phase["per"])]
        for one in alike:
            for key in ("messages", "bytes_per_rank"):
                one[key] += phase[key]
        if not alike:
            known.append(dict(phase))
    return phases


def with_layout(parameters: str, layout: str) -> str:
    """The flat parameters with another layout. In a ring, where the keys of each workload begin
    with its name, every workload gets it.
    """
    key, places = "communication.layout", "communication.places"
    lines = [(line.partition(" ")[0], line) for line in parameters.splitlines()]
    changed = [name for name, _ in lines if name.endswith(key)] or [key]
    kept = [line for name, line in lines if not name.endswith((key, places))]
    return "\n".join([*kept, *(f"{name} = {layout}" for name in changed), ""])


def _ask(
    what: str, run: ReportedRun, record: CommunicationRecord, layout: str | None = None
) -> Any:
    """The result of a function of the core for the run's study; None if it fails."""
    try:
        function = getattr(import_module("phasewise._core"), what, None)
    except ImportError:
        return None
    size = node_size_of(record.node)
    if function is None or size is None or not run.study:
        return None
    try:
        parameters = Study.from_dict(run.study, run.directory).parameters()
        return function(
            with_layout(parameters, layout) if layout else parameters, record.ranks, size
        )
    except (ValueError, RuntimeError):
        # The study names a file that is gone, or cannot be divided over the ranks again.
        return None
