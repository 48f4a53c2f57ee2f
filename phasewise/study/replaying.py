"""What replaying a program elsewhere asks of a workload that was recorded: the contract
`Replaying`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.study.study import Study
from phasewise.workload.interface import Part


class Replaying(Part):
    """How a workload is replayed whose computing was measured on another machine."""

    MODULE = "replaying"
    COMPUTE: str = ""
    """The key that says how many times as long the computing takes as it did."""
    STEADY: str = ""
    """The key that replaces each computing by the median of its place."""
    BALANCED: str = ""
    """The key that lets all ranks compute as long as their mean."""
    PLACES: str = ""
    """The key that says which place each rank gets."""

    def ranks(self, model: Any) -> int:
        """The number of ranks on which it was recorded."""
        return 0

    def folder(self, model: Any) -> Path | None:
        """The folder of the record."""
        return None

    def other_places(self, model: Any, nodes: Sequence[int]) -> Mapping[str, str]:
        """Other places of the ranks, by their names; nodes: the node of each place."""
        return {}

    def remarks(self, model: Any) -> Sequence[str]:
        """Sentences on what a replay cannot do as the program did."""
        return ()


def replaying(study: Study) -> Replaying | None:
    """How a study is replayed; None if it was not recorded."""
    fills = study.workload.fills(Replaying)
    return study.workload.part(Replaying) if fills else None


OPTIONS = ("compute", "recorded_on", "steady", "what_if")
"""The options of commands that only a replay has."""


def asked_to_replay(study: Study, options: Any) -> bool:
    """Whether a command replays the study; StudyError if it was not recorded, and an option asks
    for a replay.
    """
    for name in OPTIONS:
        if getattr(options, name, None):
            needs_record(study, f"--{name.replace('_', '-')}")
    return replaying(study) is not None


def remarks_on(study: Study) -> Sequence[str]:
    """Sentences on what a replay of a study cannot do as the program did; none of other studies."""
    own = replaying(study)
    return own.remarks(study.model) if own else ()


def ranks_of(study: Study, given: Sequence[int] | None) -> Sequence[int]:
    """The numbers of ranks that were given, or else the one of a recorded study; StudyError if
    there is neither.
    """
    if given is not None:
        return given
    own = replaying(study)
    if own is None:
        raise StudyError("--ranks is required: give the number of MPI ranks")
    return (own.ranks(study.model),)


def recorded_ranks(study: Study) -> int | None:
    """The number of ranks on which a recorded study must run; None for one rank, and for other
    studies.
    """
    own = replaying(study)
    ranks = own.ranks(study.model) if own else 1
    return ranks if ranks > 1 else None


def needs_record(study: Study, option: str) -> Replaying:
    """How a study is replayed; StudyError, which names the option, if it was not recorded."""
    own = replaying(study)
    if own is None:
        raise StudyError(
            f"{option} is for a recorded program, and this study is of {study.workload.title}: "
            "give a folder that phasewise record has written, or leave it out"
        )
    return own


def steady(study: Study, options: Any) -> Study:
    """The study as `--steady` wants it."""
    if not options.steady:
        return study
    return study.replace(**{needs_record(study, "--steady").STEADY: True})
