"""Which datasets the records of a run have; the part `recording` of its workload defines them.

* `rows(study)`: each dataset of which a turn has one entry, without the turn's number;
* `values(study, record)`: the values of a driver's record by dataset; by default under the record's
  own names;
* `GROUPS` and `snapshots(study, first)`: groups of datasets that are written once, with a subgroup
  for each turn; and the names of those for turns from `first` on, with the dataset that each is;
* `snap(run, comm, study, write)`: writes those that are due after a turn; collective;
* `check(study)`: StudyError if the records ask for what a file cannot hold;
* `detail(study)`: makes the words of progress from the driver's record of a turn;
* `fault(study, record)`: what is wrong with a turn after which none is worth having, from the
  driver's record of it, the same on every rank; empty where nothing is;
* `dump(folder, run, comm, study, at_start)`: files beside the records, in the workload's
  `dump_folder`; collective.

For a workload without that part only the number of each turn is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phasewise.driver import Arrays, Communicator, Run
from phasewise.study import Study

MAX_SNAPSHOTS = 10_000
"""Most snapshots in a file: the HDF5 objects of all of them are created when the run starts."""

Units = str | tuple[str, ...] | tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Dataset:
    """A dataset as its workload declares it; the file holds all of it but the shape as attributes.

    What is recorded turn by turn has `shape` in each turn. What is written once may have another
    shape when it is written, with as many axes.
    """

    shape: tuple[int, ...]
    description: str
    """One sentence in ASCII."""
    unit: Units = "1"
    """In SI, such as m^-2; "1" of numbers. Where columns differ, one for each of them, and where
    rows and columns do, one for each number.
    """
    columns: tuple[str, ...] = ()
    """Names along the last axis, where its entries have names."""
    kind: str = "f8"


Write = Callable[[str, Arrays], None]
"""Writes arrays under a group."""

PART = "recording"


def row_layout(study: Study) -> dict[str, Dataset]:
    """Each dataset that is extended turn by turn."""
    rows: Mapping[str, Dataset] = study.workload.offers(PART, "rows", _nothing)(study)
    one = study.workload.unit.one
    number = Dataset((), f"Number of the {one}, from 0.", kind="i8")
    return {one: number, **rows}


def _nothing(_study: Study, *_rest: Any) -> dict[str, Any]:
    return {}


def entries(study: Study, record: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the driver recorded of a turn, by dataset."""
    found: Mapping[str, Any] = study.workload.offers(PART, "values", _same)(study, record)
    return found


def _same(_study: Study, record: Mapping[str, Any]) -> Mapping[str, Any]:
    return record


def snapshot_layout(study: Study, first: int = 0) -> dict[str, Dataset]:
    """Every dataset that is written once, for turns from `first` on."""
    return dict(study.workload.offers(PART, "snapshots", _nothing)(study, first))


def snapshot_groups(study: Study) -> tuple[str, ...]:
    """The groups that they stand in."""
    groups: tuple[str, ...] = getattr(study.workload.part(PART), "GROUPS", ())
    return groups


def take_snapshots(run: Run, comm: Communicator, study: Study, write: Write) -> None:
    """Write what is due after the turn just done; collective."""
    study.workload.offers(PART, "snap", _nothing)(run, comm, study, write)


def write_dumps(
    folder: Path, run: Run, comm: Communicator, study: Study, at_start: bool = False
) -> None:
    """Write the files beside the records that are due now; collective."""
    study.workload.offers(PART, "dump", _nothing)(folder, run, comm, study, at_start)


def fault_of(study: Study, record: Mapping[str, Any]) -> str:
    """What ends the run after the turn of this record; empty where it goes on."""
    return str(study.workload.offers(PART, "fault", _no_fault)(study, record))


def _no_fault(_study: Study, _record: Mapping[str, Any]) -> str:
    return ""


def check_schedule(study: Study) -> None:
    """StudyError if the records ask for more snapshots than a file may have."""
    study.workload.offers(PART, "check", _nothing)(study)


Detail = Callable[[Mapping[str, Any]], str]


def detail_of(study: Study) -> Detail:
    """The text that progress shows beside a turn's number, from the driver's record of it."""
    found: Detail = study.workload.offers(PART, "detail", _no_detail)(study)
    return found


def _no_detail(_study: Study) -> Detail:
    return lambda _record: ""
