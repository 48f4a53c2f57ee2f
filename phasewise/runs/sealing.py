"""A checksum appended to a file, by which a reader knows that every bit is as it was written.

The seal is 40 bytes: MARK, then the BLAKE2b digest of everything before it. HDF5 reads no further
than the length that a file states for itself, so that a sealed file is an HDF5 file like any other.
The HDF5 library can loop or crash on a damaged file; the seal lets a reader refuse such a file
without opening it.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import BinaryIO

MARK = b"\r\npwsum\n"
DIGEST_BYTES = 32
BLOCK = 1 << 20
"""Bytes read at a time."""


def seal_of(file: BinaryIO, length: int) -> bytes:
    """The seal of the first `length` bytes of an open file."""
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    file.seek(0)
    while length > 0 and (block := file.read(min(BLOCK, length))):
        digest.update(block)
        length -= len(block)
    return MARK + digest.digest()


def check_seal(path: Path) -> None:
    """OSError if the file at `path` has no seal, or is not what was sealed."""
    size = len(MARK) + DIGEST_BYTES
    with path.open("rb") as file:
        length = file.seek(0, os.SEEK_END) - size
        if length < 0:
            raise OSError("it is truncated")
        expected = seal_of(file, length)
        found = file.read(size)
    if not found.startswith(MARK):
        raise OSError("it has no checksum at its end: it is cut, or of an earlier version")
    if found != expected:
        raise OSError("its checksum does not agree")
