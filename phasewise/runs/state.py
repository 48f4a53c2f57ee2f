"""The state of a run in a checkpoint: sets of rows, each row with an id.

A workload whose compiled run has `state`, `owned` and `restore` needs nothing more. Others fill in
the contract `StateKeeping`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from phasewise.driver import Arrays, Communicator, Run, StatefulRun
from phasewise.runs.gathering import ID, Columns, no_rows
from phasewise.study import Study
from phasewise.workload.interface import Part


class State(ABC):
    """The rows of a run, set by set; the names of the sets are the same on every rank."""

    @abstractmethod
    def columns(self) -> dict[str, Columns]:
        """Sets with their columns."""

    @abstractmethod
    def below(self, rows: str) -> int:
        """A number above every id of the set, the same on every rank."""

    @abstractmethod
    def rows(self, rows: str) -> Arrays:
        """This rank's rows of a set, in any order."""

    @abstractmethod
    def owned(self, rows: str) -> NDArray[np.int64] | None:
        """Ids of the rows that belong to this rank, present or lost; None if it has none of the
        set.
        """

    @abstractmethod
    def restore(self, rows: str, columns: Arrays) -> None:
        """Replace this rank's rows."""


class RowState(State):
    """The state of a run that offers its rows itself."""

    def __init__(self, run: StatefulRun, comm: Communicator) -> None:
        self._run = run
        here = run.state()
        self._columns = {
            rows: {ID: "<i8", **{name: "<f8" for name in columns if name != ID}}
            for rows, columns in here.items()
        }
        self._below = {rows: _most(comm, here[rows][ID]) + 1 for rows in here}

    def columns(self) -> dict[str, Columns]:
        return dict(self._columns)

    def below(self, rows: str) -> int:
        return self._below[rows]

    def rows(self, rows: str) -> Arrays:
        return self._run.state().get(rows, no_rows(self._columns[rows]))

    def owned(self, rows: str) -> NDArray[np.int64] | None:
        return np.asarray(self._run.owned(rows))

    def restore(self, rows: str, columns: Arrays) -> None:
        numbers = {name: np.ascontiguousarray(columns[name]) for name in columns if name != ID}
        self._run.restore(rows, np.ascontiguousarray(columns[ID]), numbers)


def _most(comm: Communicator, ids: NDArray[Any]) -> int:
    """The largest id on all ranks, -1 if there is none; collective."""
    here = int(ids.max()) if len(ids) else -1
    found = [int(part) for part in comm.gather(str(here).encode())]
    return int(comm.broadcast(str(max(found, default=-1)).encode()))


class StateKeeping(Part):
    """Where the state of a workload's run comes from, and how a checkpoint sees it."""

    MODULE = "state"
    FAILS_ALIKE: tuple[str, ...] = ()
    """The beginnings of those errors of a turn that every rank meets alike."""

    def state_of(self, run: Run, comm: Communicator, study: Study) -> State:
        """The rows of a run; collective. By default they are those that the compiled run offers."""
        return RowState(cast(StatefulRun, run), comm)

    def load(self, run: Run, comm: Communicator, study: Study) -> None:
        """Load initial state from files before the first turn; collective. By default it comes
        from the parameters alone.
        """

    def renew(self, run: Run, comm: Communicator, study: Study) -> None:
        """Load what a later turn than the first needs from files; collective. By default it needs
        nothing.
        """


def state_of(run: Run, comm: Communicator, study: Study) -> State:
    """The state of a run; collective."""
    return study.workload.part(StateKeeping).state_of(run, comm, study)


def load_state(run: Run, comm: Communicator, study: Study) -> None:
    """Load initial state from files before the first turn; collective."""
    study.workload.part(StateKeeping).load(run, comm, study)


def renew_state(run: Run, comm: Communicator, study: Study) -> None:
    """Load what a later turn than the first needs from files; collective."""
    study.workload.part(StateKeeping).renew(run, comm, study)


def fails_alike(study: Study, error: str) -> bool:
    """Whether every rank meets this error of a turn."""
    return error.startswith(study.workload.part(StateKeeping).FAILS_ALIKE)
