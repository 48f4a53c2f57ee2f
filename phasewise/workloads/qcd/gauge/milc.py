"""The MILC format of version 5: a header of 96 bytes, and links in single precision.

The header holds the magic number 20103, the four extents, a time stamp of 64 characters, 0 for the
natural order of the sites, and two checksums. Its integers have 32 bits, in either byte order.
Files written here bear no time, so that the same links give the same file. A file in the natural
order ends with its links, which zeros may pad: MILC writes a list of sites only for other orders,
and writes it before the links. Two checksums of 0 are none.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

from phasewise.errors import StudyError
from phasewise.workloads.qcd.gauge import checksums, names
from phasewise.workloads.qcd.gauge.stored import Stored, Words, check_end, check_size
from phasewise.workloads.qcd.grids import Extents

NAME = "milc"
PRECISIONS = names.PRECISIONS[NAME]
MAGIC = 20103
LAYOUT = "i4i64siII"
HEADER = struct.calcsize("<" + LAYOUT)
SUM_NAMES = ("sum29", "sum31")
"""Names of the checksums."""
STAMP = b"written by phasewise"


def recognises(head: bytes) -> bool:
    """Whether a file that begins with `head` has this format."""
    return len(head) >= 4 and MAGIC in struct.unpack(">i", head[:4]) + struct.unpack("<i", head[:4])


def open_file(path: Path, head: bytes, _size: Extents | None) -> Stored:
    """A file of this format; StudyError if it is incomplete."""
    if len(head) < HEADER:
        raise StudyError(f"{path} is cut short: MILC's header has {HEADER} bytes")
    big = struct.unpack(">i", head[:4])[0] == MAGIC
    fields = struct.unpack((">" if big else "<") + LAYOUT, head[:HEADER])
    size, order, sums = fields[1:5], fields[6], fields[7:]
    if order != 0:
        raise StudyError(f"{path} has its sites in order {order}; MILC's natural order, 0, is read")
    texts = map(checksums.hexadecimal, sums)
    names = dict(zip(SUM_NAMES, texts, strict=True)) if any(sums) else {}
    return check_end(
        Stored(path, NAME, check_size(path, size), "single", 3, big, HEADER, checksums=names)
    )


combined = checksums.folded_together
"""Combines the checksums of parts of the sites into those of all."""


def found_checksums(_stored: Stored, words: Words, sites: checksums.Sites) -> tuple[int, int]:
    """The checksums of some of the sites."""
    return checksums.milc(words, sites)


VALUES = False
"""Whether a header gives the plaquette and the link trace."""


def header(stored: Stored, sums: tuple[int, int], _values: Mapping[str, float]) -> bytes:
    """The bytes before the links."""
    return struct.pack(stored.order + LAYOUT, MAGIC, *stored.size, STAMP, 0, *sums)
