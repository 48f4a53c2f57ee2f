"""Halo exchanges for planning and comparing."""

from __future__ import annotations

from phasewise.traces.records import CommunicationRecord
from phasewise.workloads.halo.communication import HaloCommunication, grid_of


def placed(given: HaloCommunication, record: CommunicationRecord) -> HaloCommunication:
    """`given` on the process grid of a record."""
    (px, py) = record.process_grid[0]
    return given.changed({"process_grid": grid_of(px, py)})
