"""In what a simulation was unlike the study that it simulates, in words: some steps of a turn stand
for all, or some ranks compute more slowly.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SAMPLED_COMMUNICATION, SAMPLED_TURN = 0.02, 0.1
"""By which part the communication, and the whole turn, may be off where some steps of a turn were
simulated and stand for all: 4 of 15 steps of the source paper's case (docs/machines.md).
"""


def slow_in_words(given: Mapping[str, Any]) -> str:
    """Which simulated ranks were made slow, from the entry SLOW of a record; empty if none was."""
    ranks = [f"those of rank {int(rank)} {float(times):g} times" for rank, times in given.items()]
    return f"with kernels charged more: {' and '.join(ranks)}" if ranks else ""


def sampled_in_words(given: Any) -> str:
    """Which steps of a turn stand for all, from the two numbers of a record; empty if all were
    simulated.
    """
    if given is None:
        return ""
    done, every = map(int, given)
    return (
        f"{done} of {every} steps, which stand for all {sampling_error()}" if done < every else ""
    )


def sampling_error() -> str:
    """By how much what some steps stand for may be off, in words."""
    communication, turn = 100 * SAMPLED_COMMUNICATION, 100 * SAMPLED_TURN
    return f"(communication within {communication:g} %, the whole turn within {turn:g} %)"
