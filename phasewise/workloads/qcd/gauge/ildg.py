"""The ILDG format, and SciDAC's: records in LIME packing.

The record `ildg-format` gives precision and extents, `ildg-binary-data` holds the links as
big-endian numbers, and `scidac-checksum` gives their checksums. SciDAC's files have
`scidac-binary-data` instead, and precision and extents in two records of XML. Records belong to a
message; of several fields in a file the first is read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from phasewise.errors import StudyError
from phasewise.workloads.qcd.gauge import checksums, names
from phasewise.workloads.qcd.gauge.lime import (
    BEGIN,
    END,
    Record,
    head_of,
    packed,
    recognises,
    records_of,
    text_of,
)
from phasewise.workloads.qcd.gauge.stored import (
    PRECISIONS as REALS,
)
from phasewise.workloads.qcd.gauge.stored import (
    Stored,
    Words,
    check_length,
    check_size,
)
from phasewise.workloads.qcd.grids import Extents

__all__ = ["NAME", "PRECISIONS", "recognises"]

NAME = "ildg"
PRECISIONS = names.PRECISIONS[NAME]
BITS = {32: "single", 64: "double"}
LETTERS = {"F": "single", "D": "double"}
FORMAT, DATA, SUMS = "ildg-format", "ildg-binary-data", "scidac-checksum"
FILE_XML, RECORD_XML = "scidac-private-file-xml", "scidac-private-record-xml"
FIELDS = (DATA, "scidac-binary-data")
"""Kinds of records that hold a field."""
SITE_REALS = 4 * 18
SUM_NAMES = ("suma", "sumb")
"""Names of the checksums."""


def open_file(path: Path, _head: bytes, size: Extents | None) -> Stored:
    """The first field of a file of this format; StudyError if a record is damaged, or if nothing
    gives the lattice's size, which `size` does where no record does.
    """
    records = records_of(path)
    fields = [at for at, record in enumerate(records) if record.kind in FIELDS]
    if not fields:
        raise StudyError(f"{path} has no record {' or '.join(FIELDS)}")
    own = _of_field(records, fields)
    data = records[fields[0]]
    precision, extents = _described(path, own, data, size)
    sums = text_of(path, own[SUMS]) if SUMS in own else None
    stored = Stored(
        path, NAME, check_size(path, extents), precision, 3, True, data.offset,
        checksums={} if sums is None else {
            name: _hexadecimal(path, sums, name) for name in SUM_NAMES
        },
        fields=len(fields),
        others=tuple(f"{records[at].kind} at byte {records[at].offset}" for at in fields[1:]),
    )  # fmt: skip
    if data.length != stored.data_bytes:
        raise StudyError(
            f"{path}: the record {data.kind} has {data.length} bytes, and links of this size and "
            f"precision have {stored.data_bytes}"
        )
    return check_length(stored)


def _of_field(records: Sequence[Record], fields: Sequence[int]) -> dict[str, Record]:
    """The records that describe the first field, by kind: the nearest ones before it; after it
    those of its message, and a checksum before the message of the next field.
    """
    first, *others = fields
    end = others[0] if others else len(records)
    own = records[first].message
    beyond = records[end].message if others else own + len(records)
    found = {record.kind: record for record in records[:first]}
    for record in records[first + 1 : end]:
        if record.message == own or (record.kind == SUMS and record.message < beyond):
            found.setdefault(record.kind, record)
    return found


def _described(
    path: Path, own: Mapping[str, Record], data: Record, size: Extents | None
) -> tuple[str, tuple[int, ...]]:
    """The precision and the extents of the field of the record `data`."""
    if data.kind == DATA and FORMAT in own:
        text = text_of(path, own[FORMAT])
        bits = _integer(path, text, "precision")
        if bits not in BITS:
            raise StudyError(f"{path}: precision {bits} is not known; accepted: 32, 64")
        return BITS[bits], tuple(_integer(path, text, name) for name in ("lx", "ly", "lz", "lt"))
    if FILE_XML in own and RECORD_XML in own:
        return _described_by_scidac(
            path, text_of(path, own[FILE_XML]), text_of(path, own[RECORD_XML])
        )
    if size is None:
        raise StudyError(
            f"{path} has no record {FORMAT} that gives the lattice's size; give --size"
        )
    lengths = {real * math.prod(size) * SITE_REALS: name for name, real in REALS.items()}
    if data.length not in lengths:
        raise StudyError(
            f"{path}: the record {data.kind} has {data.length} bytes, and links of "
            f"{'×'.join(map(str, size))} sites have {' or '.join(map(str, lengths))}"
        )
    return lengths[data.length], size


def _described_by_scidac(path: Path, file: str, record: str) -> tuple[str, tuple[int, ...]]:
    """Precision and extents as SciDAC's records give them; StudyError if the field is not four
    colour matrices a site, in one file, with x fastest.
    """
    for text, name, accepted in (
        (file, "spacetime", ("4",)),
        (file, "volfmt", ("0",)),
        (record, "colors", ("3",)),
        (record, "datacount", ("4",)),
        (record, "precision", tuple(LETTERS)),
    ):
        value = _element(path, text, name)
        if value not in accepted:
            raise StudyError(
                f"{path}: its field has {name} = {value}, and links have {' or '.join(accepted)}"
            )
    dims = _element(path, file, "dims").split()
    if not all(re.fullmatch(r"[0-9]{1,9}", extent, re.ASCII) for extent in dims):
        raise StudyError(f"{path}: dims = {' '.join(dims)} are not whole numbers")
    return LETTERS[_element(path, record, "precision")], tuple(map(int, dims))


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


VALUES = False
"""Whether a header gives the plaquette and the link trace."""
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
            packed(FILE_XML, file_xml, BEGIN),
            packed("scidac-file-xml", f"{XML}<title>written by phasewise</title>", END),
            packed(RECORD_XML, record_xml, BEGIN),
            packed("scidac-record-xml", f"{XML}<info></info>", 0),
            packed(FORMAT, format_xml, 0),
            head_of(DATA, stored.data_bytes, 0),
        ]
    )


def footer(sums: tuple[int, int]) -> bytes:
    """The record after the links."""
    suma, sumb = map(checksums.hexadecimal, sums)
    text = (
        f"{XML}<scidacChecksum><version>1.0</version><suma>{suma}</suma>"
        f"<sumb>{sumb}</sumb></scidacChecksum>"
    )
    return packed(SUMS, text, END)
