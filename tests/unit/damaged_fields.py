"""Files of gauge fields that are damaged or lie, each with what is said of it."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from phasewise.workloads.qcd.gauge.files import FORMATS
from phasewise.workloads.qcd.gauge.names import form_of
from phasewise.workloads.qcd.gauge.writing import write_links
from tests.unit.test_qcd import random_links, reals

SIZE = (2, 4, 2, 6)


def field() -> Any:
    return reals(random_links(7, SIZE))


def values(links: Any) -> dict[str, float]:
    import phasewise._core as core

    return dict(core.gauge_values(links.ravel(), list(SIZE)))


@dataclass(frozen=True)
class Damage:
    """What is done to a file, and a part of the sentence about it."""

    format: str
    change: Callable[[bytes], bytes]
    sentence: str
    name: str

    def write(self, path: Path) -> None:
        """A file that is damaged so, in the highest precision of its format."""
        links = field()
        write_links(path, form_of(self.format), SIZE, links,
                    values(links))  # fmt: skip
        raw = path.read_bytes()
        changed = self.change(raw)
        assert changed != raw
        path.write_bytes(changed)


def replaced(kind: str, old: bytes, new: bytes, sentence: str) -> Damage:
    """Other bytes in the header."""
    return Damage(kind, lambda raw: raw.replace(old, new, 1), sentence, f"{kind} {new!r}")


def cut(kind: str, at: Callable[[int], int], sentence: str) -> Damage:
    """A file that ends too early."""
    return Damage(kind, lambda raw: raw[: at(len(raw))], sentence, f"{kind} cut {at(10**6)}")


def longer(kind: str, more: int, sentence: str) -> Damage:
    """A file that goes on after its links."""
    return Damage(kind, lambda raw: raw + bytes(more), sentence, f"{kind} and {more} bytes")


def _longer_record(raw: bytes) -> bytes:
    at = raw.index(b"ildg-binary-data") - 8
    (length,) = struct.unpack(">Q", raw[at : at + 8])
    return raw[:at] + struct.pack(">Q", length + 8) + raw[at + 8 :]


def _flipped(raw: bytes) -> bytes:
    """The lowest bit of a link in the middle of the data."""
    at = len(raw) - 16 * 1024 + 7
    return raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]


def _header_in_other_order(raw: bytes) -> bytes:
    return struct.pack("<i4i64siII", *struct.unpack(">i4i64siII", raw[:96])) + raw[96:]


SUMS = "the checksums of its links are"
MAGIC = "begins with no magic number"
DAMAGES = (
    replaced("nersc", b"PLAQUETTE = +", b"PLAQUETTE = +1", "the plaquette of its links is"),
    replaced("nersc", b"LINK_TRACE = -", b"LINK_TRACE = +", "the link trace of its links is"),
    replaced("nersc", b"PLAQUETTE = +", b"PLAQUETTE = n", "is not a number"),
    replaced("nersc", b"PLAQUETTE = +", b"PLAQUETTE = nan #", "is not a number"),
    replaced("nersc", b"CHECKSUM = ", b"CHECKSUM = f", SUMS),
    replaced("nersc", b"BEGIN_HEADER", b"BEGIN-HEADER", MAGIC),
    replaced("nersc", b"END_HEADER", b"END-HEADER", "no line END_HEADER"),
    replaced("nersc", b"IEEE64BIG", b"IEEE64BUG", 'did you mean "IEEE64BIG"?'),
    replaced("nersc", b"IEEE64BIG", b"IEEE64LITTLE", "checksum"),
    replaced("nersc", b"IEEE64BIG", b"IEEE32BIG", "too long by 27648 bytes"),
    replaced("nersc", b"GAUGE_3x3", b"GAUGE", "too long by 18432 bytes"),
    replaced("nersc", b"GAUGE_3x3", b"GAUGE_2x2", "DATATYPE = 4D_SU3_GAUGE_2x2 is not known"),
    replaced("nersc", b"DIMENSION_2 = 4\n", b"", "its header lacks DIMENSION_2"),
    replaced("nersc", b"DIMENSION_2 = 4", b"DIMENSION_2 = four", "is not a whole number"),
    replaced("nersc", b"DIMENSION_2 = 4", b"DIMENSION_2 = nan", "is not a whole number"),
    replaced("nersc", b"DIMENSION_2 = 4", b"DIMENSION_2 = inf", "is not a whole number"),
    replaced("nersc", b"DIMENSION_2 = 4", b"DIMENSION_2 = 4.7", "is not a whole number"),
    replaced("nersc", b"DIMENSION_2 = 4", b"DIMENSION_2 = 9999", "four extents of 1 to 4096"),
    replaced("ildg", b"<precision>64", b"<precision>65", "precision 65 is not known"),
    replaced("ildg", b"<precision>64", b"<precision>32", "links of this size and precision have"),
    replaced("ildg", b"<lx>2</lx>", b"<lx>4</lx>", "links of this size and precision have"),
    replaced("ildg", b"ildg-format", b"ildg-formet", "has no record ildg-format"),
    replaced("ildg", b"ildg-binary-data", b"ildg-binary-date", "has no record ildg-binary-data"),
    replaced("ildg", b"scidac-checksum", b"scidac-chacksum", "has no record scidac-checksum"),
    replaced("ildg", b"<suma>", b"<sumx>", "does not give suma"),
    replaced("ildg", b"\x45\x67\x89\xab", b"\x45\x67\x89\xac", MAGIC),
    Damage("ildg", _longer_record, MAGIC, "ildg record length"),
    replaced("milc", b"\0\0\x4e\x87", b"\0\0\x4e\x86", MAGIC),
    Damage("milc", _header_in_other_order, "checksums", "milc byte order"),
    *(
        cut(kind, at, sentence)
        for kind, sentence in (("ildg", "cut short"), ("milc", "cut short"), ("nersc", "cut short"))
        for at in (lambda length: length - 1, lambda length: length // 2, lambda _: 60)
    ),
    *(
        longer(kind, more, sentence)
        for kind in ("milc", "nersc")
        for more, sentence in ((1, "too long by 1 byte:"), (2304, "too long by 2304 bytes:"))
    ),
    *(Damage(kind, _flipped, SUMS, f"{kind} flipped bit") for kind in FORMATS),
)  # fmt: skip


def not_special_links() -> dict[str, tuple[Any, str]]:
    """Links that no gauge field has, with what is said of them."""
    found = {}
    for name, change, sentence in (
        ("longer", 1.1, "not SU(3)"),
        ("longer by little", 1 + 1e-8, "not SU(3)"),
        ("huge", 1e300, "not SU(3)"),
        ("not a number", np.nan, "not finite"),
        ("infinite", np.inf, "not finite"),
        ("negative", -1.0, "their determinants differ from 1"),
    ):
        links = field()
        links[1, 0, 2, 1, 3] *= change
        found[name] = (links, sentence)
    return found
