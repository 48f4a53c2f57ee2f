"""The table [recorded]: which recorded program is replayed, and how."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar, Self
from urllib.parse import quote

from phasewise.errors import PhasewiseError, StudyError
from phasewise.recorder.recording import Recording, read_recording, state_of
from phasewise.runs.folder import TRACE_FOLDER
from phasewise.tables.declared import declared, key
from phasewise.workload.communication import MACHINE, NODE_SIZE, TUNE, Communication
from phasewise.workload.table import OneTable
from phasewise.workloads.recorded.program_file import Manner, program_file

MOST = 1e6
"""Most times that computing may take as long as it did."""


@dataclass(frozen=True, kw_only=True)
class Recorded(OneTable):
    """The keys of [recorded]."""

    DERIVED: ClassVar[tuple[str, ...]] = ("ranks", "seconds")

    folder: str = key("text", needed="the folder that phasewise record has written")
    compute: float = key("number", 1.0, least=0, most=MOST)
    """How many times as long as recorded the computing between two calls takes."""
    steady: bool = key("flag", False)
    """Whether the computing before a call takes the median of all times at the same place."""
    balanced: bool = key("flag", False)
    """Whether each rank computes the mean of all between two global synchronisations."""
    places: str = key("text", "")
    """The place of each recorded rank among the ranks of the replay, separated by commas."""

    @classmethod
    def read(cls, table: object, name: str, folder: Path) -> Self:
        """The table; the folder of the record is relative to that of the study."""
        found = super().read(table, name, folder)
        return replace(found, folder=str((folder / found.folder).resolve()))

    @cached_property
    def recording(self) -> Recording:
        """The record; StudyError if there is none that can be replayed."""
        try:
            folder = Path(self.folder)
            return _readable(folder, state_of(folder))
        except PhasewiseError as error:
            raise StudyError(str(error)) from None

    @property
    def in_threads(self) -> bool:
        """Whether the recorded program told MPI that it has several threads."""
        return self.recording.in_threads

    @property
    def ranks(self) -> int:
        """The ranks of the recorded program."""
        return self.recording.ranks

    @property
    def seconds(self) -> float:
        """How long its slowest rank was recorded [s]."""
        heads = (file.head for file in self.recording.files)
        return max(1e-9 * (head.ended - head.began) for head in heads)

    @property
    def sentence(self) -> str:
        """What was recorded."""
        return f"{self.ranks} ranks, recorded for {self.seconds:.4g} s in {self.folder}"

    @property
    def manner(self) -> Manner:
        """How the record becomes a program."""
        places = [int(one) for one in self.places.split(",")] if self.places else []
        return Manner(self.steady, self.balanced, tuple(places))

    def check(self) -> None:
        """StudyError if the places are none."""
        try:
            places = self.manner.places
        except ValueError:
            places = (-1,)
        if places and sorted(places) != list(range(len(places))):
            raise StudyError(
                f'recorded.places = "{self.places}": give each place from 0 on once, such as '
                '"0,2,1,3"'
            )


@dataclass(frozen=True, kw_only=True)
class RecordedCommunication(Communication):
    """The keys of [communication]."""

    LAYOUT: ClassVar[str] = "as recorded"
    GRID: ClassVar[str] = "as recorded"

    node_size: int = declared(NODE_SIZE)
    tune: str = declared(TUNE)
    machine: str = declared(MACHINE)


@lru_cache(maxsize=1)
def _readable(folder: Path, _state: object) -> Recording:
    """The record of a folder, if it is whole; _state: that of its files. Changes of a study share
    it.
    """
    recording = read_recording(folder)
    if not recording.files:
        raise StudyError(f"{folder} holds no record of an MPI program: give one that record wrote")
    if not recording.whole:
        missing = "; ".join(recording.not_recorded())
        until = recording.traced_until
        why = missing or f"its trace reaches until {until or 0.0:.3g} s only: give a larger --limit"
        raise StudyError(f"the record in {folder} is not whole and cannot be replayed: {why}")
    for file in recording.files:
        if len(file.calls) > 1:
            raise StudyError(
                f"the record in {folder} cannot be replayed: rank {file.head.rank} calls MPI in "
                f"{len(file.calls)} threads, whose order is not fixed"
            )
    return recording


def check_ranks(model: Recorded, communication: Communication, ranks: int) -> None:
    """StudyError if the program was recorded on another number of ranks."""
    if ranks != model.ranks:
        raise StudyError(
            f"the program in {model.folder} was recorded on {model.ranks} ranks, and is replayed "
            f"on as many: give --ranks {model.ranks}, not {ranks}"
        )
    if model.places and len(model.manner.places) != ranks:
        raise StudyError(f'recorded.places = "{model.places}" must have {ranks} places')
    communication.check_ranks(model, ranks)


def parameters(model: Recorded) -> Iterator[tuple[str, Any]]:
    """The flat parameters: the file of the program, which is made if it is not there."""
    path = program_file(model.recording, model.manner)
    yield "recorded.file", quote(os.fsencode(path))
    yield "recorded.compute", model.compute


def study_of_folder(folder: Path) -> dict[str, Any] | None:
    """The tables of a study that replays the record in a folder; None if it holds none."""
    if not (folder / TRACE_FOLDER).is_dir():
        return None
    return {
        "title": folder.resolve().name,
        "workload": "recorded",
        "runs": 1,
        "recorded": {"folder": "."},
    }
