"""Which ranks exchange with each other, as Worley writes it: `0-1`, `i-(i+8), i=0..7`, and several
of them with semicolons in between.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from phasewise.errors import StudyError

MAX_RANK = 10**6

_ONE = re.compile(r"(\d{1,7})-(\d{1,7})", re.ASCII)
_MANY = re.compile(r"i-\(i\+(\d{1,7})\)(?:,i=(\d{1,7})\.\.(\d{1,7}))?", re.ASCII)

Pair = tuple[int, int]
"""The rank that leads, and its partner."""


@dataclass(frozen=True)
class PairRange:
    """i-(i + distance), i = first … last; last = -1: for as many i as the ranks hold when no rank
    is in two pairs.
    """

    first: int
    last: int
    distance: int

    def pairs(self, ranks: int) -> list[Pair]:
        """The pairs on a number of ranks; where they do not hold one of them, it is among them."""
        if self.last >= 0:
            return [(i, i + self.distance) for i in range(self.first, self.last + 1)]
        found = range(max(1, ranks - self.distance))
        return [(i, i + self.distance) for i in found if i % (2 * self.distance) < self.distance]


def ranges_of(text: str) -> tuple[PairRange, ...]:
    """The pairs of a study's text; StudyError if it cannot be read, or a rank is its own partner,
    or in two pairs.
    """
    found = tuple(_range_of(part, text) for part in "".join(text.split()).split(";"))
    if all(part.last >= 0 for part in found):
        _roles(pairs_of(found, 0), text)
    return found


def _range_of(part: str, text: str) -> PairRange:
    where = f'commtest.pairs = "{text}"'
    if one := _ONE.fullmatch(part):
        leader, partner = int(one[1]), int(one[2])
        found = PairRange(leader, leader, partner - leader)
    elif many := _MANY.fullmatch(part):
        found = PairRange(int(many[2] or 0), int(many[3] or -1), int(many[1]))
    else:
        raise StudyError(
            f'{where} is not known: pairs are written "0-1", "i-(i+8), i=0..7" or "i-(i+8)", and '
            "several of them with semicolons in between"
        )
    if found.distance == 0:
        raise StudyError(f"{where}: a rank would wait for itself")
    if 0 <= found.last < found.first:
        raise StudyError(f"{where}: i ends at {found.last}, before it begins at {found.first}")
    if max(found.first, found.last) + abs(found.distance) > MAX_RANK:
        raise StudyError(f"{where} needs more than {MAX_RANK} ranks")
    return found


def pairs_of(ranges: tuple[PairRange, ...], ranks: int) -> list[Pair]:
    """All pairs on a number of ranks."""
    return [pair for part in ranges for pair in part.pairs(ranks)]


def check_pairs(text: str, ranks: int) -> None:
    """StudyError if a pair needs more ranks, or a rank is in two pairs."""
    found = pairs_of(ranges_of(text), ranks)
    beyond = next((pair for pair in found if max(pair) >= ranks), None)
    if beyond is not None:
        raise StudyError(
            f'commtest.pairs = "{text}": the pair {beyond[0]}-{beyond[1]} needs '
            f"{max(beyond) + 1} ranks, not {ranks}"
        )
    _roles(found, text)


def fits(text: str, ranks: int) -> bool:
    """Whether the ranks hold all pairs."""
    return all(max(pair) < ranks for pair in pairs_of(ranges_of(text), ranks))


def _roles(pairs: list[Pair], text: str) -> None:
    known: dict[int, Pair] = {}
    for pair in pairs:
        for rank in pair:
            if rank in known:
                first, second = (f"{a}-{b}" for a, b in (known[rank], pair))
                raise StudyError(
                    f'commtest.pairs = "{text}": rank {rank} is in the pairs {first} and {second}, '
                    "and would wait for ever"
                )
            known[rank] = pair


def flat_pairs(text: str) -> tuple[int, ...]:
    """The driver's parameter: first, last and distance of each range."""
    return tuple(n for part in ranges_of(text) for n in (part.first, part.last, part.distance))
