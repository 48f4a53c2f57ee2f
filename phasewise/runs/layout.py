"""Which datasets the records of a run have: the contract `Recording` of its workload."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phasewise.driver import Arrays, Communicator, Run
from phasewise.study import Study
from phasewise.workload.interface import Part

MAX_SNAPSHOTS = 10_000
"""Most snapshots in a file: the HDF5 objects of all of them are created when the run starts."""

Units = str | tuple[str, ...] | tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Dataset:
    """A dataset as its workload declares it; the file holds everything but the shape as attributes.

    A dataset that is recorded turn by turn has `shape` in each turn. One that is written once may
    get another shape when it is written, with as many axes.
    """

    shape: tuple[int, ...]
    description: str
    """One sentence in ASCII."""
    unit: Units = "1"
    """The SI unit, such as m^-2; "1" for pure numbers. If the columns have different units, there
    is one for each column; if rows and columns have, there is one for each number.
    """
    columns: tuple[str, ...] = ()
    """Names along the last axis, where its entries have names."""
    kind: str = "f8"


Write = Callable[[str, Arrays], None]
"""Writes arrays under a group."""

Detail = Callable[[Mapping[str, Any]], str]
"""The words of progress for a turn, from the driver's record of it."""

Remark = Callable[[Mapping[str, Any]], str]
"""A sentence on a turn after which the run goes on, from the driver's record of it; empty if there
is nothing to say.
"""


def no_remark(_record: Mapping[str, Any]) -> str:
    """Nothing to say."""
    return ""


class Recording(Part):
    """What a workload records; by default only the number of each turn."""

    MODULE = "recording"
    GROUPS: tuple[str, ...] = ()
    """The groups of datasets that are written once, with a subgroup for each turn."""
    NUMBERED: bool = False
    """Whether the subgroups have numbers of their own in the place of turns, as where snapshots are
    due at times: a resumed run then keeps all that are written, and writes those of repeated turns
    again.
    """

    def rows(self, study: Study) -> Mapping[str, Dataset]:
        """Each dataset of which a turn has one entry, without the turn's number."""
        return {}

    def values(self, study: Study, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """The values of the driver's record by dataset; by default under the record's own names."""
        return record

    def snapshots(self, study: Study, first: int = 0) -> Iterable[tuple[str, Dataset]]:
        """Name and layout of each dataset of GROUPS for turns from `first` on."""
        return ()

    def snap(self, run: Run, comm: Communicator, study: Study, write: Write) -> None:
        """Write the datasets of GROUPS that are due after a turn; collective."""

    def check(self, study: Study) -> None:
        """StudyError if the records ask for more than a file can hold, or if this machine cannot
        run the study.
        """

    def detail(self, study: Study) -> Detail:
        """What progress shows beside a turn's number."""
        return lambda _record: ""

    def remark(self, study: Study) -> Remark:
        """What is said of turns after which the run goes on, as of a result that is bad; made once,
        and asked after each turn.
        """
        return no_remark

    def share(self, study: Study, record: Mapping[str, Any]) -> float | None:
        """The share of the run that is done after a turn, from the driver's record of it, where the
        run may end before its count; None where turns alone count.
        """
        return None

    def fault(self, study: Study, record: Mapping[str, Any]) -> str:
        """What is wrong with a turn, if the run has to end after it; empty if nothing is wrong. It
        follows from the driver's record of the turn, so that it is the same on every rank.
        """
        return ""

    def dump(
        self, folder: Path, run: Run, comm: Communicator, study: Study, at_start: bool
    ) -> None:
        """Write the files beside the records that are due now, in the workload's `dump_folder`;
        collective.
        """


def row_layout(study: Study) -> dict[str, Dataset]:
    """Each dataset that is extended turn by turn."""
    one = study.workload.unit.one
    number = Dataset((), f"Number of the {one}, from 0.", kind="i8")
    return {one: number, **_recording(study).rows(study)}


def entries(study: Study, record: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the driver recorded of a turn, by dataset."""
    return _recording(study).values(study, record)


def snapshot_layout(study: Study, first: int = 0) -> dict[str, Dataset]:
    """Every dataset that is written once, for turns from `first` on."""
    return dict(_recording(study).snapshots(study, first))


def snapshot_groups(study: Study) -> tuple[str, ...]:
    """The groups in which these datasets stand."""
    return _recording(study).GROUPS


def numbered(study: Study) -> bool:
    """Whether the subgroups have numbers of their own."""
    return _recording(study).NUMBERED


def take_snapshots(run: Run, comm: Communicator, study: Study, write: Write) -> None:
    """Write what is due after the turn just done; collective."""
    _recording(study).snap(run, comm, study, write)


def write_dumps(
    folder: Path, run: Run, comm: Communicator, study: Study, at_start: bool = False
) -> None:
    """Write the files beside the records that are due now; collective."""
    _recording(study).dump(folder, run, comm, study, at_start)


def fault_of(study: Study, record: Mapping[str, Any]) -> str:
    """What is wrong with the turn of this record, if the run has to end; else empty."""
    return _recording(study).fault(study, record)


def expected_count(study: Study, turn: int, record: Mapping[str, Any]) -> int:
    """How many turns the run has in all, as far as the record of its last turn, `turn`, tells."""
    share = _recording(study).share(study, record)
    if share is None or not 0.0 < share <= 1.0:
        return study.count
    return min(study.count, math.ceil(turn / share))


def check_schedule(study: Study) -> None:
    """StudyError if the records ask for more snapshots than a file may have."""
    _recording(study).check(study)


def detail_of(study: Study) -> Detail:
    """The text that progress shows beside a turn's number, from the driver's record of it."""
    return _recording(study).detail(study)


def remark_of(study: Study) -> Remark:
    """What is said of turns after which the run goes on."""
    return _recording(study).remark(study)


def _recording(study: Study) -> Recording:
    return study.workload.part(Recording)
