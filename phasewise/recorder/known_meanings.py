"""What the arguments of each function mean, by its name."""

from __future__ import annotations

from phasewise.recorder.collective_meanings import collectives
from phasewise.recorder.meanings import Meaning, plain_calls


def meanings() -> dict[str, Meaning]:
    """The meaning of each function that has arguments to be told, by its name without ``MPI_``."""
    return {**plain_calls(), **collectives()}


def meaning_of(name: str, known: dict[str, Meaning]) -> Meaning:
    """The meaning of the function ``name``, such as ``MPI_Send`` or ``MPI_Send_c``."""
    return known.get(name.removeprefix("MPI_").removesuffix("_c"), Meaning())
