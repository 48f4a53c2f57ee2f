"""The packing of LIME: records, each with a kind and a length, in messages."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

from phasewise.errors import StudyError
from phasewise.runs.disk import disk_reason
from phasewise.workloads.qcd.gauge.stored import only_zeros

MAGIC = 0x456789AB
LAYOUT = ">IHHQ128s"
HEADER = struct.calcsize(LAYOUT)
BEGIN, END = 0x8000, 0x4000
"""Flags of the first and of the last record of a message."""
MOST_RECORDS = 10_000
LONGEST_TEXT = 1 << 20


@dataclass(frozen=True)
class Record:
    """A record of a file: its kind, where its data are, and the number of its message."""

    kind: str
    offset: int
    length: int
    message: int


def recognises(head: bytes) -> bool:
    """Whether a file that begins with `head` has this packing."""
    return head[:4] == struct.pack(">I", MAGIC)


def records_of(path: Path) -> list[Record]:
    """The records of a file, which zeros may pad; StudyError if one is damaged."""
    found: list[Record] = []
    try:
        whole = path.stat().st_size
        with path.open("rb") as file:
            at, message, ended = 0, 0, False
            while at < whole and len(found) < MOST_RECORDS:
                file.seek(at)
                head = file.read(HEADER)
                if found and not any(head) and only_zeros(path, at):
                    break
                flags, kind, length = _read(path, head, at, whole)
                message += bool(found) and (ended or bool(flags & BEGIN))
                ended = bool(flags & END)
                found.append(Record(kind, at + HEADER, length, message))
                at += HEADER + (length + 7) // 8 * 8
    except OSError as error:
        raise StudyError(f"{path} cannot be read: {disk_reason(error)}") from None
    return found


def text_of(path: Path, record: Record) -> str:
    """The data of a record as text; StudyError if they are too long for one."""
    if record.length > LONGEST_TEXT:
        raise StudyError(f"{path}: the record {record.kind} is too long, {record.length} bytes")
    with path.open("rb") as file:
        file.seek(record.offset)
        return file.read(record.length).decode("latin-1")


def _read(path: Path, head: bytes, at: int, whole: int) -> tuple[int, str, int]:
    """The flags, kind and length of a record, from its header."""
    if len(head) < HEADER:
        raise StudyError(f"{path} is cut short: the header of the record at byte {at} is not whole")
    magic, _version, flags, length, kind = struct.unpack(LAYOUT, head)
    if magic != MAGIC:
        raise StudyError(f"{path}: the record at byte {at} begins with no magic number of LIME")
    name = kind.split(b"\0")[0].decode("latin-1")
    if at + HEADER + length > whole:
        raise StudyError(
            f"{path} is cut short: its record {name} has {length} bytes from byte {at + HEADER} "
            f"on, and the file ends at {whole}"
        )
    return flags, name, length


def head_of(kind: str, length: int, flags: int) -> bytes:
    """The header of a record."""
    return struct.pack(LAYOUT, MAGIC, 1, flags, length, kind.encode("ascii"))


def packed(kind: str, text: str, flags: int) -> bytes:
    """A record of text."""
    data = text.encode() + b"\0"
    return head_of(kind, len(data), flags) + data + bytes(-len(data) % 8)
