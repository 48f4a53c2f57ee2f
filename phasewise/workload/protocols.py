"""The protocols by which messages between neighbours may go, and which of them are at hand."""

from __future__ import annotations

from phasewise.driver import load_planner
from phasewise.errors import StudyError
from phasewise.tables.keys import Key

PROTOCOLS = (
    "irecv-isend",
    "ordered",
    "sendrecv",
    "isend-recv",
    "irecv-send",
    "ready",
    "synchronous",
    "persistent",
    "derived",
    "packed",
    "neighbour",
    "fence",
    "post-start",
    "put",
    "get",
    "shared",
    "shmem",
    "coarray",
    "partitioned",
)
"""The protocols in the order of core/exchange/protocol.hpp; docs/protocols.md says what each one
does.
"""

PROTOCOL = Key("word", PROTOCOLS[0], choices=PROTOCOLS, flat=True)
"""The protocol of a phase."""

NOT_SIMULATED = ("neighbour", "partitioned")
"""The protocols that SimGrid lacks."""

STORING = ("derived", "packed", "neighbour")
"""The protocols by which the library stores what arrives, so that nothing can be added
(core/comm/executor.cpp).
"""

AS_PUT = ("shmem", "coarray")
"""The protocols that run as STAND_IN on a simulated machine, at costs of their own."""

STAND_IN = "put"


def unavailable() -> dict[str, str]:
    """The protocols that the build in use lacks, each with a sentence that says why."""
    return load_planner().unavailable_protocols()


def available() -> tuple[str, ...]:
    """The protocols that the build in use has."""
    missing = unavailable()
    return tuple(name for name in PROTOCOLS if name not in missing)


def comparable() -> tuple[str, ...]:
    """The protocols that a tuner compares: any machine can simulate them, and they run here."""
    return tuple(name for name in available() if name not in (*NOT_SIMULATED, *AS_PUT))


def simulated_name(name: str) -> str:
    """A protocol's name in tables of simulated times, with the protocol as which it runs."""
    return f"{name} (as {STAND_IN})" if name in AS_PUT else name


def check_protocol(name: str) -> None:
    """StudyError if the build in use lacks a protocol."""
    if why := unavailable().get(name):
        raise StudyError(why)
