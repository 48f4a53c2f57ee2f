"""Checksums of links. The checksums of parts of the sites can be combined into that of all.

MILC combines the 32-bit words of the data by exclusive or, word k rotated by k mod 29 for one sum
and by k mod 31 for the other. SciDAC does the same with the CRC-32 of each site's bytes, rotated by
the number of the site. NERSC adds the words.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from phasewise.workloads.qcd.gauge.stored import Words

Sites = NDArray[np.int64]


def _rotated(values: Words, by: NDArray[np.int64]) -> Words:
    left = by.astype(np.uint32)
    return np.asarray((values << left) | (values >> ((32 - left) % 32)), dtype=np.uint32)


def _folded(values: Words, numbers: NDArray[np.int64], modulus: int) -> int:
    return int(np.bitwise_xor.reduce(_rotated(values, numbers % modulus), axis=None))


def milc(words: Words, sites: Sites) -> tuple[int, int]:
    """sum29 and sum31 of the sites with these numbers; words (sites, words of a site)."""
    each = words.shape[1]
    numbers = sites[:, None] * each + np.arange(each)
    return _folded(words, numbers, 29), _folded(words, numbers, 31)


def scidac(words: Words, sites: Sites, big: bool) -> tuple[int, int]:
    """suma and sumb of the sites with these numbers; big: whether the file has big-endian
    numbers.
    """
    raw = np.ascontiguousarray(words.astype(">u4" if big else "<u4"))
    crcs = np.fromiter((zlib.crc32(site) for site in raw), np.uint32, len(raw))
    return _folded(crcs, sites, 29), _folded(crcs, sites, 31)


def nersc(words: Words) -> int:
    """The sum of the words modulo 2³²."""
    return int(words.sum(dtype=np.uint64) % 2**32)


def folded_together(parts: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """The pair of sums of MILC or SciDAC for all sites, from the pairs for several parts of
    them.
    """
    first = second = 0
    for a, b in parts:
        first, second = first ^ a, second ^ b
    return first, second


def added(parts: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """The sum of NERSC for all sites, from the sums for several parts of them."""
    return sum(first for first, _ in parts) % 2**32, 0


def hexadecimal(value: int) -> str:
    """A checksum as the formats write it."""
    return f"{value:08x}"
