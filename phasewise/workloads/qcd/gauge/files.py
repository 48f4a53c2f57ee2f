"""Opens and checks files of links in any format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from phasewise.errors import StudyError
from phasewise.output import message
from phasewise.runs.disk import disk_reason, is_special
from phasewise.workloads.qcd.gauge import checksums, nersc
from phasewise.workloads.qcd.gauge.reading import (
    FORMATS,
    Deviations,
    Sums,
    loop_means,
    read_box,
)
from phasewise.workloads.qcd.gauge.stored import Stored
from phasewise.workloads.qcd.grids import Extents

LONGEST_HEAD = nersc.LONGEST_HEADER
UNITARY = {"single": 1e-5, "double": 1e-8}
"""Largest deviation from SU(3) that is accepted, by the precision of a link: of an element of U U†
from that of the unit matrix, and of the third row from the one that gives determinant 1. Links
drift from SU(3) in a run of molecular dynamics; they are put into it when they are read. A file of
double precision may hold links of single precision: their first two rows fit into it.
"""
SAME_VALUE = {"single": 1e-6, "double": 1e-9}
"""Largest accepted difference between the plaquette or link trace of the links and that in the
file, unless the file gives fewer digits, or its links are not quite in SU(3).
"""
LINKS_OF_LOOP = 12
"""A plaquette is a product of four links, in each of which an element of U may be off by 3/2 of
what one of U U† is; the mean changes by at most twice that, when links are put into SU(3).
"""


def open_links(path: Path, size: Extents | None = None) -> Stored:
    """The links of a file; StudyError if it cannot be read as one. size: the lattice's, which a
    file may leave out.
    """
    try:
        if is_special(path):
            raise StudyError(f"{path} is no file, but a folder, a pipe, a device or a socket")
        with path.open("rb") as file:
            head = file.read(LONGEST_HEAD)
    except OSError as error:
        raise StudyError(f"{path} cannot be read: {disk_reason(error)}") from None
    for one in FORMATS.values():
        if one.recognises(head):
            return cast(Stored, one.open_file(path, head, size))
    raise StudyError(
        f"{path} begins with no magic number of a gauge field's format; accepted: "
        f"{', '.join(FORMATS)}"
    )


def check_links(stored: Stored, trust: bool = False) -> dict[str, Any]:
    """What `phasewise gauge check` says of a file. StudyError, one sentence, if its links are not
    those of an SU(3) gauge field, or differ from what the file says of them. trust: checksums may
    differ; a message then says so.
    """
    reading = read_box(stored, rectangles=True)
    verified = check_sums(stored, reading.checksums, trust)
    check_matrices(stored, reading.finite, reading.deviations)
    values = loop_means(stored.size, [reading.loops])
    check_values(stored, values, reading.deviations)
    return {
        "format": stored.format,
        "size": list(stored.size),
        "precision": stored.precision,
        **values,
        "unitarity": reading.deviations.unitary,
        "checksums": named_sums(stored, reading.checksums),
        "verified": [*verified, *stored.loops],
        "fields": stored.fields,
    }


def named_sums(stored: Stored, found: Sums) -> dict[str, str]:
    """The checksums of all links by name."""
    names = FORMATS[stored.format].SUM_NAMES
    return {name: checksums.hexadecimal(value) for name, value in zip(names, found, strict=False)}


def check_sums(stored: Stored, found: Sums, trust: bool = False) -> list[str]:
    """The names of the checksums in the file that are those of the links; StudyError if any is not,
    or, with `trust`, a message.
    """
    given, ours = dict(stored.checksums), named_sums(stored, found)
    if not given or given == ours:
        return list(given)
    sentence = (
        f"{stored.path}: the checksums of its links are {_listed(ours)}, and the file says "
        f"{_listed(given)}"
    )
    if not trust:
        raise StudyError(f"{sentence}; phasewise gauge reads it with --trust")
    message(f"phasewise: {sentence}; it is read all the same")
    return []


def check_matrices(stored: Stored, finite: bool, deviations: Deviations) -> None:
    """StudyError if links are not finite, or not in SU(3)."""
    if not finite:
        raise StudyError(f"{stored.path} has links that are not finite")
    if not _nearly(deviations.unitary, deviations.unitary_of_double):
        raise StudyError(
            f"{stored.path} has links that are not SU(3): U U† differs from 1 by up to "
            f"{deviations.unitary:.2g}"
        )
    if not _nearly(deviations.special, deviations.special_of_double):
        raise StudyError(
            f"{stored.path} has links that are not SU(3): their determinants differ from 1, and "
            f"third rows by up to {deviations.special:.2g}"
        )


def check_values(stored: Stored, values: Mapping[str, float], deviations: Deviations) -> None:
    """StudyError if the file gives a plaquette or link trace and it is not that of the links."""
    for name, given in stored.loops.items():
        same = max(
            SAME_VALUE[stored.precision],
            stored.last_digits.get(name, 0.0),
            LINKS_OF_LOOP * max(deviations.unitary, deviations.special),
        )
        if not abs(values[name] - given) <= same:
            raise StudyError(
                f"{stored.path}: the {name.replace('_', ' ')} of its links is {values[name]:.10g}, "
                f"and the file says {given:.10g}"
            )


def remarks(stored: Stored) -> Iterable[str]:
    """Sentences on what a file does not say, and on what of it is not read."""
    if not stored.checksums:
        yield f"{stored.path} gives no checksum of its links, so that none is verified"
    if stored.others:
        yield (
            f"{stored.path} holds {stored.fields} fields; the first is read, and not "
            f"{', nor '.join(stored.others)}"
        )


def _nearly(deviation: float, of_double: float) -> bool:
    return deviation <= UNITARY["single"] and of_double <= UNITARY["double"]


def _listed(sums: Mapping[str, str]) -> str:
    return " and ".join(f"{name} {value}" for name, value in sums.items())
