"""The particles of both beams on the ranks of a run, as sets of rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from phasewise.driver import Arrays
from phasewise.runs.gathering import Columns, no_rows
from phasewise.runs.state import State
from phasewise.workloads.collision.driver import CollisionRun
from phasewise.workloads.common.dumps import COLUMNS


class Particles(State):
    """The living particles of both beams; a strong beam has none."""

    def __init__(self, run: CollisionRun) -> None:
        self._run = run

    def columns(self) -> dict[str, Columns]:
        return {"beam1": COLUMNS, "beam2": COLUMNS}

    def below(self, rows: str) -> int:
        return self._run.macroparticles(_beam(rows))

    def rows(self, rows: str) -> Arrays:
        here = _beam(rows) in self._run.beams_here
        return self._run.particles(_beam(rows)) if here else no_rows(COLUMNS)

    def owned(self, rows: str) -> NDArray[np.int64] | None:
        beam = _beam(rows)
        if beam not in self._run.beams_here:
            return None
        return np.arange(self._run.first_id(beam), self._run.last_id(beam), dtype=np.int64)

    def restore(self, rows: str, columns: Arrays) -> None:
        self._run.replace_particles(_beam(rows), *(columns[name] for name in COLUMNS))


def _beam(rows: str) -> int:
    return int(rows.removeprefix("beam"))
