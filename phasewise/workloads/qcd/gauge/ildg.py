"""The ILDG format: records in LIME packing, with the checksums of SciDAC.

The record `ildg-format` gives precision and extents, `ildg-binary-data` holds the links as
big-endian numbers, and `scidac-checksum` gives their checksums.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from phasewise.errors import StudyError
from phasewise.runs.disk import disk_reason
from phasewise.workloads.qcd.gauge import checksums, names
from phasewise.workloads.qcd.gauge.stored import (
    PRECISIONS as REALS,
)
from phasewise.workloads.qcd.gauge.stored import (
    Stored,
    Words,
    check_length,
    check_size,
)

NAME = "ildg"
PRECISIONS = names.PRECISIONS[NAME]
BITS = {32: "single", 64: "double"}
MAGIC = 0x456789AB
LAYOUT = ">IHHQ128s"
HEADER = struct.calcsize(LAYOUT)
BEGIN, END = 0x8000, 0x4000
FORMAT, DATA, SUMS = "ildg-format", "ildg-binary-data", "scidac-checksum"
MOST_RECORDS = 10_000
LONGEST_TEXT = 1 << 20


@dataclass(frozen=True)
class Record:
    """A record of a file: its kind, and where its data are."""

    kind: str
    offset: int
    length: int


def recognises(head: bytes) -> bool:
    """Whether a file that begins with `head` has this format."""
    return head[:4] == struct.pack(">I", MAGIC)


def open_file(path: Path, _head: bytes) -> Stored:
    """A file of this format; StudyError if a record is missing or damaged."""
    records = {record.kind: record for record in _records(path)}
    for kind in (FORMAT, DATA, SUMS):
        if kind not in records:
            raise StudyError(f"{path} has no record {kind}")
    described, sums = (_text(path, records[kind]) for kind in (FORMAT, SUMS))
    bits = _integer(path, described, "precision")
    if bits not in BITS:
        raise StudyError(f"{path}: precision {bits} is not known; accepted: 32, 64")
    size = tuple(_integer(path, described, name) for name in ("lx", "ly", "lz", "lt"))
    data = records[DATA]
    stored = Stored(
        path, NAME, check_size(path, size), BITS[bits], 3, True, data.offset,
        checksums={name: _hexadecimal(path, sums, name) for name in ("suma", "sumb")},
    )  # fmt: skip
    if data.length != stored.data_bytes:
        raise StudyError(
            f"{path}: the record {DATA} has {data.length} bytes, and links of this size and "
            f"precision have {stored.data_bytes}"
        )
    return check_length(stored)


def _records(path: Path) -> list[Record]:
    found: list[Record] = []
    try:
        whole = path.stat().st_size
        with path.open("rb") as file:
            at = 0
            while at < whole and len(found) < MOST_RECORDS:
                file.seek(at)
                head = file.read(HEADER)
                found.append(_record(path, head, at, whole))
                at = found[-1].offset + (found[-1].length + 7) // 8 * 8
    except OSError as error:
        raise StudyError(f"{path} cannot be read: {disk_reason(error)}") from None
    return found


def _record(path: Path, head: bytes, at: int, whole: int) -> Record:
    if len(head) < HEADER:
        raise StudyError(f"{path} is cut short: the header of the record at byte {at} is not whole")
    magic, _version, _flags, length, kind = struct.unpack(LAYOUT, head)
    if magic != MAGIC:
        raise StudyError(f"{path}: the record at byte {at} begins with no magic number of LIME")
    name = kind.split(b"\0")[0].decode("latin-1")
    if at + HEADER + length > whole:
        raise StudyError(
            f"{path} is cut short: its record {name} has {length} bytes from byte {at + HEADER} "
            f"on, and the file ends at {whole}"
        )
    return Record(name, at + HEADER, length)


def _text(path: Path, record: Record) -> str:
    if record.length > LONGEST_TEXT:
        raise StudyError(f"{path}: the record {record.kind} is too long, {record.length} bytes")
    with path.open("rb") as file:
        file.seek(record.offset)
        return file.read(record.length).decode("latin-1")


def _element(path: Path, text: str, name: str) -> str:
    found = re.search(rf"<{name}>\s*([^<]*?)\s*</{name}>", text)
    if found is None:
        raise StudyError(f"{path} does not give {name}")
    return found[1]


def _integer(path: Path, text: str, name: str) -> int:
    value = _element(path, text, name)
    if not re.fullmatch(r"[0-9]{1,9}", value, re.ASCII):
        raise StudyError(f"{path}: {name} = {value} is not a whole number")
    return int(value)


def _hexadecimal(path: Path, text: str, name: str) -> str:
    value = _element(path, text, name).lower()
    if not re.fullmatch(r"[0-9a-f]{1,8}", value, re.ASCII):
        raise StudyError(f"{path}: {name} = {value} is no checksum")
    return value.zfill(8)


combined = checksums.folded_together
"""Combines the checksums of parts of the sites into those of all."""


def found_checksums(stored: Stored, words: Words, sites: checksums.Sites) -> tuple[int, int]:
    """The checksums of some of the sites."""
    return checksums.scidac(words, sites, stored.big)


XML = '<?xml version="1.0" encoding="UTF-8"?>'


def header(stored: Stored, _sums: tuple[int, int], _values: Mapping[str, float]) -> bytes:
    """All records before that of the links, and the header of the latter."""
    x, y, z, t = stored.size
    letter, bits = ("F", 32) if stored.precision == "single" else ("D", 64)
    link = 18 * REALS[stored.precision]
    file_xml = (
        f"{XML}<scidacFile><version>1.1</version><spacetime>4</spacetime>"
        f"<dims>{x} {y} {z} {t} </dims><volfmt>0</volfmt></scidacFile>"
    )
    record_xml = (
        f"{XML}<scidacRecord><version>1.1</version><recordtype>0</recordtype>"
        f"<datatype>QDP_{letter}3_ColorMatrix</datatype><precision>{letter}</precision>"
        f"<colors>3</colors><typesize>{link}</typesize><datacount>4</datacount></scidacRecord>"
    )
    format_xml = (
        f'{XML}<ildgFormat xmlns="http://www.lqcd.org/ildg"><version>1.0</version>'
        f"<field>su3gauge</field><precision>{bits}</precision><lx>{x}</lx><ly>{y}</ly>"
        f"<lz>{z}</lz><lt>{t}</lt></ildgFormat>"
    )
    return b"".join(
        [
            _packed("scidac-private-file-xml", file_xml, BEGIN),
            _packed("scidac-file-xml", f"{XML}<title>written by phasewise</title>", END),
            _packed("scidac-private-record-xml", record_xml, BEGIN),
            _packed("scidac-record-xml", f"{XML}<info></info>", 0),
            _packed(FORMAT, format_xml, 0),
            _head(DATA, stored.data_bytes, 0),
        ]
    )


def footer(sums: tuple[int, int]) -> bytes:
    """The record after the links."""
    suma, sumb = map(checksums.hexadecimal, sums)
    text = (
        f"{XML}<scidacChecksum><version>1.0</version><suma>{suma}</suma>"
        f"<sumb>{sumb}</sumb></scidacChecksum>"
    )
    return _packed(SUMS, text, END)


def _head(kind: str, length: int, flags: int) -> bytes:
    return struct.pack(LAYOUT, MAGIC, 1, flags, length, kind.encode("ascii"))


def _packed(kind: str, text: str, flags: int) -> bytes:
    data = text.encode() + b"\0"
    return _head(kind, len(data), flags) + data + bytes(-len(data) % 8)
