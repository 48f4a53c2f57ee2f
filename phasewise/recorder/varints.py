"""Numbers of the recorder: LEB128, seven bits a byte, the lowest first; signed ones zigzag."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Integers = NDArray[np.integer[Any]]
"""Integers of any size."""

LONGEST = 9
"""Bytes of the largest number that is accepted, below 2^63."""


def unpacked(data: Bytes) -> tuple[Integers, Integers]:
    """The numbers (n,) in `data`, and where each ends (n,), one past its last byte. A number that
    is cut off at the end is left out; ValueError if one is too long.
    """
    ends = np.flatnonzero(data < 0x80).astype(np.int64) + 1
    starts = np.concatenate([[0], ends[:-1]]) if len(ends) else ends
    lengths = ends - starts
    longest = int(lengths.max(initial=0))
    if longest > LONGEST:
        raise ValueError("a number in it is too long")
    values = np.zeros(len(ends), np.int64)
    for place in range(longest):
        within = lengths > place
        part = (data[starts[within] + place] & 0x7F).astype(np.int64)
        values[within] |= part << (7 * place)
    return values, ends


def signed(values: Integers) -> Integers:
    """The signed numbers that zigzag `values` stand for."""
    return (values >> 1) ^ -(values & 1)


def smallest(values: Integers) -> Integers:
    """The numbers in 32 bits, if they fit."""
    fits = not len(values) or -(1 << 31) <= values.min() <= values.max() < 1 << 31
    return values.astype(np.int32, copy=False) if fits else values


class Cursor:
    """Reads one number or text after the other; false at the end. ValueError where bytes are
    missing.
    """

    def __init__(self, data: Bytes) -> None:
        self._data = data.tobytes()
        self._at = 0

    def __bool__(self) -> bool:
        return self._at < len(self._data)

    def number(self) -> int:
        value = shift = 0
        while shift < 70:
            if self._at >= len(self._data):
                raise ValueError("a definition is cut off")
            byte = self._data[self._at]
            self._at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
        raise ValueError("a number in it is too long")

    def signed(self) -> int:
        value = self.number()
        return (value >> 1) ^ -(value & 1)

    def times(self) -> range:
        """As many times as the next number says; there are not more than bytes left."""
        count = self.number()
        if count > len(self._data) - self._at:
            raise ValueError("a definition is cut off")
        return range(count)

    def bytes(self, count: int) -> bytes:
        part = self._data[self._at : self._at + count]
        if len(part) < count:
            raise ValueError("a definition is cut off")
        self._at += count
        return part

    def text(self) -> str:
        return self.bytes(self.number()).decode(errors="replace")
