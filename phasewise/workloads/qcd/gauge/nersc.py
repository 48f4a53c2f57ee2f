"""The format of the NERSC archive: a header of lines NAME = VALUE, and links of two rows or
three.

CHECKSUM, PLAQUETTE and LINK_TRACE may be missing, and zeros may follow the links.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from phasewise.errors import StudyError
from phasewise.workloads.qcd.gauge import checksums, names
from phasewise.workloads.qcd.gauge.stored import PRECISIONS as REALS
from phasewise.workloads.qcd.gauge.stored import (
    Stored,
    Words,
    check_end,
    check_size,
    with_likely_order,
)
from phasewise.workloads.qcd.grids import Extents

NAME = "nersc"
PRECISIONS = names.PRECISIONS[NAME]
FIRST, LAST = b"BEGIN_HEADER\n", b"END_HEADER\n"
BEGINS = re.compile(rb"BEGIN_HEADER[ \t\r]*\n")
ENDS = re.compile(rb"\nEND_HEADER[ \t\r]*\n")
LONGEST_HEADER = 65536
ROWS = {"4D_SU3_GAUGE": 2, "4D_SU3_GAUGE_3x3": 3}
KINDS = {rows: kind for kind, rows in ROWS.items()}
WORDS = {
    "IEEE32": ("single", True),
    "IEEE32BIG": ("single", True),
    "IEEE32LITTLE": ("single", False),
    "IEEE64": ("double", True),
    "IEEE64BIG": ("double", True),
    "IEEE64LITTLE": ("double", False),
}
"""Precision and byte order (True: big-endian) that a value of FLOATING_POINT means."""
NO_ORDER = ("IEEE32", "IEEE64")
"""Programs write these in either order; the archive means the order of `WORDS`."""
SUM_NAMES = ("checksum",)
"""Names of the checksums."""
NO_DATE = "not given"
"""Written instead of a date, so that the same links give the same file."""
COARSEST = 1e-3
"""Largest tolerance that the last digit of a value is taken to mean, so that every value says
something.
"""


def recognises(head: bytes) -> bool:
    """Whether a file that begins with `head` has this format."""
    return BEGINS.match(head) is not None


def open_file(path: Path, head: bytes, _size: Extents | None) -> Stored:
    """A file of this format; StudyError if it is incomplete."""
    begin, end = BEGINS.match(head), ENDS.search(head)
    if begin is None or end is None:
        raise StudyError(f"{path} is cut short: its header has no line END_HEADER")
    lines = head[begin.end() : end.start()].decode("latin-1").splitlines()
    given = {
        name.strip(): value.strip() for name, _, value in (line.partition("=") for line in lines)
    }
    kind = _choice(path, given, "DATATYPE", ROWS)
    words = _choice(path, given, "FLOATING_POINT", WORDS)
    size = tuple(_extent(path, given, f"DIMENSION_{i}") for i in (1, 2, 3, 4))
    precision, big = WORDS[words]
    loops = {
        name: _number(path, given, name.upper())
        for name in ("plaquette", "link_trace")
        if name.upper() in given
    }
    stored = check_end(
        Stored(
            path, NAME, check_size(path, size), precision, ROWS[kind], big, end.end(),
            checksums=_checksum(given),
            plaquette=loops.get("plaquette"),
            link_trace=loops.get("link_trace"),
            last_digits={name: _last_digit(given[name.upper()]) for name in loops},
        )
    )  # fmt: skip
    return with_likely_order(stored) if words in NO_ORDER else stored


def _checksum(given: Mapping[str, str]) -> dict[str, str]:
    text = given.get("CHECKSUM", "").lower().removeprefix("0x")
    return {SUM_NAMES[0]: text.zfill(8)} if text else {}


def _value(path: Path, given: Mapping[str, str], name: str) -> str:
    if name not in given:
        raise StudyError(f"{path}: its header lacks {name}")
    return given[name]


def _choice(path: Path, given: Mapping[str, str], name: str, known: Mapping[str, object]) -> str:
    value = _value(path, given, name)
    if value not in known:
        accepted = ", ".join(known)
        raise StudyError(f"{path}: {name} = {value} is not read; accepted: {accepted}")
    return value


def _extent(path: Path, given: Mapping[str, str], name: str) -> int:
    value = _value(path, given, name)
    if not re.fullmatch(r"[0-9]{1,9}", value, re.ASCII):
        raise StudyError(f"{path}: {name} = {value} is not a whole number")
    return int(value)


def _number(path: Path, given: Mapping[str, str], name: str) -> float:
    value = _value(path, given, name)
    try:
        return float(value)
    except ValueError:
        raise StudyError(f"{path}: {name} = {value} is not a number") from None


combined = checksums.added
"""Combines the checksums of parts of the sites into those of all."""


def found_checksums(_stored: Stored, words: Words, _sites: checksums.Sites) -> tuple[int, int]:
    """The checksum of some of the sites; the second number is not used."""
    return checksums.nersc(words), 0


def _last_digit(number: str) -> float:
    """The value of one unit in the last digit of a number; some programs write as few as six
    digits.
    """
    digits, _, power = number.lower().partition("e")
    places = len(digits.partition(".")[2])
    return min(COARSEST, 10.0 ** min(float(power or 0) - places, 0.0)) if places else 0.0


VALUES = True
"""Whether a header gives the plaquette and the link trace."""


def header(stored: Stored, sums: tuple[int, int], values: Mapping[str, float]) -> bytes:
    """The bytes before the links."""
    bits = 8 * REALS[stored.precision]
    order = "BIG" if stored.big else "LITTLE"
    lines = {
        "HDR_VERSION": "1.0",
        "DATATYPE": KINDS[stored.rows],
        "STORAGE_FORMAT": "1.0",
        **{f"DIMENSION_{i}": str(extent) for i, extent in enumerate(stored.size, 1)},
        "LINK_TRACE": f"{values['link_trace']:+.12e}",
        "PLAQUETTE": f"{values['plaquette']:+.12e}",
        **{f"BOUNDARY_{i}": "PERIODIC" for i in range(1, 5)},
        "CHECKSUM": checksums.hexadecimal(sums[0]),
        "ENSEMBLE_ID": "phasewise",
        "ENSEMBLE_LABEL": "phasewise",
        "SEQUENCE_NUMBER": "1",
        "CREATOR": "phasewise",
        "CREATION_DATE": NO_DATE,
        "ARCHIVE_DATE": NO_DATE,
        "FLOATING_POINT": f"IEEE{bits}{order}",
    }
    text = "".join(f"{name} = {value}\n" for name, value in lines.items())
    return FIRST + text.encode("ascii") + LAST
