"""Sentences on what a replay of a recorded program leaves out, or does in another way."""

from __future__ import annotations

from collections.abc import Iterator

from phasewise.output import number_of
from phasewise.recorder.kinds import FILES, ONE_SIDED, group_of, plain
from phasewise.recorder.raw import INTER, RankFile
from phasewise.recorder.recording import Recording
from phasewise.workloads.recorded.calls_of_all import (
    LATER,
    NEAR,
    NEAR_LATER,
    NEAR_PERSISTENT,
    NUMBERS,
    PERSISTENT,
)

LEAST_SHARE = 0.001
"""Least share of the ranks' time that is given as a number."""


def remarks_on(recording: Recording) -> list[str]:
    """What is not replayed, with the time that it took; and that the program polls."""
    return [*_not_replayed(recording), *_lonely(recording), *_not_known(recording)]


def _not_replayed(recording: Recording) -> Iterator[str]:
    """A sentence for each group of functions that are not replayed."""
    spent: dict[str, int] = {}
    for file in recording.files:
        for row in file.statistics.tolist():
            word = _left_out(file, plain(file.functions.get(int(row[0]), "")), int(row[2]))
            if word:
                spent[word] = spent.get(word, 0) + int(row[10])
    for word, time in sorted(spent.items(), key=lambda one: -one[1]):
        share = time / _whole(recording)
        text = f"{100 * share:.2g} %" if share >= LEAST_SHARE else "less than 0.1 %"
        yield f"{word} are not replayed: {text} of the ranks' time"


def _left_out(file: RankFile, name: str, space: int) -> str:
    """What a function belongs to that is not replayed on a communicator; empty if it is."""
    group = group_of(name)
    if group == FILES:
        return "calls on files"
    if group == ONE_SIDED:
        return "one-sided calls"
    if name in NEAR | NEAR_LATER | NEAR_PERSISTENT and space not in file.neighbours:
        return "collectives among neighbours"
    known = file.spaces.get(space)
    between = known is not None and known.kind == INTER
    ours = name in NUMBERS or name in LATER or name in PERSISTENT
    return "collectives on inter-communicators" if ours and between else ""


def _lonely(recording: Recording) -> Iterator[str]:
    """Messages of which only one end was recorded."""
    matched = recording.matching.matched
    for count, word in ((matched.lonely_sends, "send"), (matched.lonely_receives, "receive")):
        if count:
            verb = (
                "has no other end in the record and is"
                if count == 1
                else ("have no other end in the record and are")
            )
            yield f"{number_of(count, word)} {verb} not replayed"


def _not_known(recording: Recording) -> Iterator[str]:
    """What the record itself lacks, and polls."""
    yield from recording.not_recorded()
    share = _polled(recording) / _whole(recording)
    if share >= LEAST_SHARE:
        yield (
            f"the program polls for {100 * share:.2g} % of the ranks' time: the replay waits "
            "instead, for what came at that place"
        )


def _whole(recording: Recording) -> int:
    """The time of all ranks together [ns]."""
    return max(1, sum(file.head.ended - file.head.began for file in recording.files))


def _polled(recording: Recording) -> int:
    """The time of all ranks from the first to the last poll of each row [ns]."""
    spent = 0
    for calls in recording.matching.calls:
        row = calls.polls[0]
        spent += int((calls.end[row] - calls.start[row]).sum())
    return spent
