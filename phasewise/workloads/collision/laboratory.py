"""A collision for planning, simulating and comparing: process grids, steps, pieces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from phasewise.errors import StudyError
from phasewise.study.laboratory import Laboratory
from phasewise.traces.records import CommunicationRecord
from phasewise.workload.communication import LAYOUTS
from phasewise.workloads.collision.tables.communication import BeamCommunication, Place, Shape
from phasewise.workloads.collision.tables.model import Collision


class CollisionLaboratory(Laboratory):
    """How it is planned, simulated and compared."""

    GROUPS = "beam 1, beam 2"
    LOADS = {"grid": "grid work"}
    WHEN = {"mesh": "only when the mesh has changed"}
    PIECES = {"mesh": "meshes"}

    def process_grids(self, _model: Collision, places: Iterable[Sequence[int]]) -> list[list[int]]:
        """[Prow, Pcol] of the two beams, from the places (beam, column, row) of all ranks."""
        shapes = [[1, 1], [1, 1]]
        for beam, *place in places:
            shape = shapes[beam - 1]
            shape[:] = [max(size, at + 1) for size, at in zip(shape, place, strict=True)]
        return shapes

    def steps(self, model: Collision) -> tuple[int, int]:
        """The fewest steps of a point with a mesh, of which a simulation may sample some, and the
        most steps of any point.
        """
        fewest = min((ip.steps for ip in model.meshes), default=0)
        return fewest, max(ip.steps for ip in model.ips)

    def check_simulated(self, model: Collision, skeleton: bool) -> None:
        """StudyError if particles come from a file and are needed."""
        for beam in model.beams:
            if beam.distribution == "file" and not skeleton:
                raise StudyError(
                    f"beam.{beam.number}.particles: particles from a file cannot be handed to "
                    "simulated ranks; simulate a distribution, or only the messages with --skeleton"
                )

    def placed(self, given: BeamCommunication, record: CommunicationRecord) -> BeamCommunication:
        """`given` with the process grid of a record, and with its places if a file gave them."""
        if record.ranks > 1:
            given = replace(given, process_grid=cast(tuple[Shape, Shape], record.process_grid))
        if record.layout not in LAYOUTS:
            places = tuple(cast(Place, tuple(map(int, place))) for place in record.place)
            given = replace(given, layout="file", layout_file=Path(record.layout), places=places)
        return given
