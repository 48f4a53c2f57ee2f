"""Files of gauge fields that are damaged or lie, each with what is said of it."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from phasewise.workloads.qcd.gauge.files import open_links
from phasewise.workloads.qcd.gauge.names import Form, form_of
from phasewise.workloads.qcd.gauge.reading import FORMATS
from phasewise.workloads.qcd.gauge.stored import Stored
from phasewise.workloads.qcd.gauge.writing import described, encoded, frame, sums_of
from tests.unit.test_qcd import random_links, reals

SIZE = (2, 4, 2, 6)


def field() -> Any:
    return reals(random_links(7, SIZE))


def values(links: Any) -> dict[str, float]:
    import phasewise._core as core

    return dict(core.gauge_values(links.ravel(), list(SIZE)))


def written(
    path: Path, form: Form, size: tuple[int, int, int, int], links: Any, values: dict[str, float]
) -> Stored:
    """A file of these links with these values in its header, be they right or wrong."""
    stored = described(path, form, size)
    data = encoded(stored, links)
    before, after = frame(stored, sums_of(stored, data, np.arange(len(data))), values)
    path.write_bytes(before + data.tobytes() + after)
    return open_links(path)


Facts = tuple[object, ...]


@dataclass(frozen=True)
class Damage:
    """What is done to a file, and what the sentence about it must hold."""

    format: str
    change: Callable[[bytes], bytes]
    facts: Facts
    name: str

    def write(self, path: Path) -> None:
        """A file that is damaged so, in the highest precision of its format."""
        links = field()
        written(path, form_of(self.format), SIZE, links, values(links))
        raw = path.read_bytes()
        changed = self.change(raw)
        assert changed != raw
        path.write_bytes(changed)


def replaced(kind: str, old: bytes, new: bytes, *facts: object) -> Damage:
    """Other bytes in the header."""
    return Damage(kind, lambda raw: raw.replace(old, new, 1), facts, f"{kind} {new!r}")


def cut(kind: str, at: Callable[[int], int]) -> Damage:
    """A file that ends too early."""
    return Damage(kind, lambda raw: raw[: at(len(raw))], ("short",), f"{kind} cut {at(10**6)}")


def longer(kind: str, more: int, size: str) -> Damage:
    """A file that goes on after its links."""
    name = f"{kind} and {more} bytes"
    return Damage(kind, lambda raw: raw + bytes(more - 1) + b"x", ("long", size), name)


def _longer_record(raw: bytes) -> bytes:
    at = raw.index(RECORD) - 8
    (length,) = struct.unpack(">Q", raw[at : at + 8])
    return raw[:at] + struct.pack(">Q", length + 8) + raw[at + 8 :]


def _flipped(raw: bytes) -> bytes:
    """The lowest bit of a link in the middle of the data."""
    at = len(raw) - 16 * 1024 + 7
    return raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]


def _header_in_other_order(raw: bytes) -> bytes:
    return struct.pack("<i4i64siII", *struct.unpack(">i4i64siII", raw[:96])) + raw[96:]


SUMS = "checksums"
MAGIC = "magic number"
RECORD = b"ildg-binary-data"
DAMAGES = (
    replaced("nersc", b"PLAQUETTE = +", b"PLAQUETTE = +1", "plaquette"),
    replaced("nersc", b"LINK_TRACE = -", b"LINK_TRACE = +", "link trace"),
    replaced("nersc", b"PLAQUETTE = +", b"PLAQUETTE = n", "PLAQUETTE", "number"),
    replaced("nersc", b"PLAQUETTE = +", b"PLAQUETTE = nan #", "PLAQUETTE", "number"),
    replaced("nersc", b"CHECKSUM = ", b"CHECKSUM = f", SUMS),
    replaced("nersc", b"BEGIN_HEADER", b"BEGIN-HEADER", MAGIC, *FORMATS),
    replaced("nersc", b"END_HEADER", b"END-HEADER", "END_HEADER"),
    replaced("nersc", b"IEEE64BIG", b"IEEE64BUG", "IEEE64BUG", "IEEE64BIG"),
    replaced("nersc", b"IEEE64BIG", b"IEEE64LITTLE", SUMS),
    replaced("nersc", b"IEEE64BIG", b"IEEE32BIG", "long", "27648 bytes"),
    replaced("nersc", b"GAUGE_3x3", b"GAUGE", "long", "18432 bytes"),
    replaced("nersc", b"GAUGE_3x3", b"GAUGE_2x2", "4D_SU3_GAUGE_2x2", "4D_SU3_GAUGE_3x3"),
    replaced("nersc", b"DIMENSION_2 = 4\n", b"", "DIMENSION_2"),
    *(
        replaced("nersc", b"DIMENSION_2 = 4", given.encode(), given, "whole number")
        for given in (f"DIMENSION_2 = {value}" for value in ("four", "nan", "inf", "4.7"))
    ),
    replaced("nersc", b"DIMENSION_2 = 4", b"DIMENSION_2 = 9999", 9999, "1 to 4096"),
    replaced("ildg", b"<precision>64", b"<precision>65", "precision 65", 32, 64),
    replaced("ildg", b"<precision>64", b"<precision>32", RECORD.decode(), "bytes", "precision"),
    replaced("ildg", b"<lx>2</lx>", b"<lx>4</lx>", RECORD.decode(), "bytes", "size"),
    Damage("ildg", lambda raw: raw.replace(b"ildg-format", b"ildg-formet").replace(
        b"private-record-xml", b"private-record-xmm"), ("record ildg-format", "--size"),
        "ildg without a size"),
    replaced("ildg", RECORD, b"ildg-binary-date", "record ildg-binary-data"),
    replaced("ildg", b"<suma>", b"<sumx>", "suma"),
    replaced("ildg", b"\x45\x67\x89\xab", b"\x45\x67\x89\xac", MAGIC),
    Damage("ildg", _longer_record, (MAGIC, "LIME"), "ildg record length"),
    replaced("milc", b"\0\0\x4e\x87", b"\0\0\x4e\x86", MAGIC, *FORMATS),
    Damage("milc", _header_in_other_order, (SUMS,), "milc byte order"),
    *(
        cut(kind, at)
        for kind in ("ildg", "milc", "nersc")
        for at in (lambda length: length - 1, lambda length: length // 2, lambda _: 60)
    ),
    *(
        longer(kind, more, size)
        for kind in ("milc", "nersc")
        for more, size in ((1, "1 byte"), (2304, "2304 bytes"))
    ),
    *(Damage(kind, _flipped, (SUMS,), f"{kind} flipped bit") for kind in FORMATS),
)  # fmt: skip


def not_special_links() -> dict[str, tuple[Any, Facts]]:
    """Links that no gauge field has, with what the sentence about them must hold."""
    found: dict[str, tuple[Any, Facts]] = {}
    for name, change, facts in (
        ("longer", 1.1, ("SU(3)", "U U†")),
        ("longer by little", 1 + 1e-8, ("SU(3)", "U U†")),
        ("huge", 1e300, ("SU(3)", "U U†")),
        ("not a number", np.nan, ("finite",)),
        ("infinite", np.inf, ("finite",)),
        ("negative", -1.0, ("SU(3)", "determinants")),
    ):
        links = field()
        links[1, 0, 2, 1, 3] *= change
        found[name] = (links, facts)
    return found
