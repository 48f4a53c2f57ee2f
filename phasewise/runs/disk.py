"""Writes HDF5 files such that a full or failing disk only raises a Python error.

The HDF5 library does not survive a write that the system refuses: it fails again at close and may
crash at exit. So either it never sees the refusal (`GuardedFile`), or the space is taken before it
writes (`reserve`).
"""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import h5py

from phasewise.runs.sealing import seal_of

SIGNATURE = b"\x89HDF\r\n\x1a\n"
DAMAGE = (OSError, RuntimeError, LookupError, ValueError, TypeError, AttributeError, MemoryError)
"""What h5py, and code that decodes its data, raise on a damaged file."""


class GuardedFile(io.RawIOBase):
    """A file for HDF5 to write to, which reports the first error only in `check`."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._file = path.open("w+b", buffering=0)
        self._error: OSError | None = None

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, buffer: Any) -> int:
        # What could not be written reads as zeros.
        view = memoryview(buffer).cast("B")
        read = self._file.readinto(view) or 0
        view[read:] = bytes(len(view) - read)
        return len(view)

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        done = 0
        try:
            while self._error is None and done < len(view):
                done += self._file.write(view[done:]) or 0
        except OSError as error:
            self._error = error
        return len(view)

    def truncate(self, size: int | None = None) -> int:
        try:
            return self._file.truncate(size)
        except OSError as error:
            self._error = self._error or error
            return 0 if size is None else size

    def seal(self) -> None:
        """Append the seal of everything written so far."""
        end = self._file.seek(0, os.SEEK_END)
        self.write(seal_of(self._file, end))

    def check(self) -> None:
        """Raise the OSError that a write met, if any; then wait until the disk has everything."""
        if self._error is None:
            os.fsync(self._file.fileno())
        else:
            raise self._error

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


@contextmanager
def replacing_hdf5(path: Path, sealed: bool = False) -> Iterator[h5py.File]:
    """A new HDF5 file that appears at `path` once it is complete and on the disk, or not at all.

    sealed: append its checksum (`sealing`). OSError if the disk refuses it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".partial")
    with GuardedFile(beside) as raw:
        try:
            with h5py.File(raw, "w") as file:
                yield file
            if sealed:
                raw.seal()
            raw.check()
        except BaseException:
            beside.unlink()
            raise
    beside.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def reserve(file: h5py.File, length: int) -> None:
    """Take space for `length` bytes beyond the end of an open file; OSError if there is none."""
    descriptor = file.id.get_vfd_handle()
    os.posix_fallocate(descriptor, 0, file.id.get_filesize() + length)


def trim(path: Path) -> None:
    """Cut off reserved but unused space of a closed file in the newest format."""
    with path.open("r+b") as file:
        # Superblock version 3 holds the end-of-file address in 8 bytes at offset 28.
        file.seek(28)
        end = int.from_bytes(file.read(8), "little")
        if 0 < end < file.seek(0, os.SEEK_END):
            file.truncate(end)


def missing_bytes(path: Path) -> int:
    """By how many bytes a file in the newest format is shorter than the length stored in it."""
    with path.open("rb") as file:
        head = file.read(48)
        if head.startswith(SIGNATURE) and len(head) == 48 and head[8] < 2:
            return 0  # an older format, which keeps the length elsewhere
        # Superblock version 2 and 3: as in `trim`.
        return max(0, int.from_bytes(head[28:36], "little") - file.seek(0, os.SEEK_END))


def damage_reason(error: BaseException) -> str:
    """What is wrong with a damaged file, in one line."""
    if isinstance(error, KeyError):
        text = str(error).strip("\"'")
        return text if "object" in text else f"it misses {text}"
    return disk_reason(error) or type(error).__name__


def disk_reason(error: BaseException) -> str:
    """Why a file could not be written or read, in the system's words if it gives any."""
    number = getattr(error, "errno", None)
    if number == errno.ENOSPC or "No space left" in str(error):
        return "the disk is full"
    if number == errno.EFBIG:
        return "the file has reached the largest size allowed"
    text = str(error)
    for words in ("file too large", "quota exceeded", "permission denied", "truncated"):
        if words in text.lower():
            return words
    return os.strerror(number) if isinstance(number, int) else text.split("\n", 1)[0]


def is_special(path: Path) -> bool:
    """Whether `path` leads, also through links, to something that is no regular file, such as a
    device or a pipe.
    """
    return path.exists() and not path.is_file()


@contextmanager
def replacing(path: Path, stale: Path | None = None) -> Iterator[BinaryIO]:
    """A file that takes the place of `path` once it is whole and on the disk, or not at all.

    stale: a file that describes the replaced one and is removed just before. If `path` is a link,
    it stays, and the file that it leads to is replaced. Something that is no regular file, such as
    /dev/null or a pipe, is written to directly. OSError if the disk refuses.
    """
    if is_special(path):
        with path.open("wb") as file:
            yield file
        return
    target = Path(os.path.realpath(path))
    beside = target.with_name(target.name + ".partial")
    try:
        with beside.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if stale is not None:
            stale.unlink(missing_ok=True)
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def replace_text(path: Path, text: str) -> None:
    """Replace `path` by a text in UTF-8, as `replacing` does."""
    with replacing(path) as file:
        file.write(text.encode())
