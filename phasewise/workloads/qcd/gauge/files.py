"""Opens and checks files of links in any format."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import numpy as np

from phasewise.driver import load_planner
from phasewise.errors import StudyError
from phasewise.runs.disk import disk_reason, is_special
from phasewise.workloads.qcd.gauge import checksums, ildg, milc, nersc
from phasewise.workloads.qcd.gauge.stored import (
    Floats,
    Stored,
    deviation_from_special,
    site_numbers,
)
from phasewise.workloads.qcd.grids import Extents

FORMATS: Mapping[str, ModuleType] = {one.NAME: one for one in (ildg, milc, nersc)}
LONGEST_HEAD = nersc.LONGEST_HEADER
UNITARY = {"single": 1e-5, "double": 1e-11}
"""Largest deviation from SU(3) that is accepted, by the precision of the links: of an element of U
U† from that of the unit matrix, and of the third row from the one that gives determinant 1.
"""
SAME_VALUE = {"single": 1e-6, "double": 1e-9}
"""Largest accepted difference between the plaquette or link trace of the links and that in the
file, unless the file gives fewer digits.
"""


def open_links(path: Path) -> Stored:
    """The links of a file; StudyError if it cannot be read as one."""
    try:
        if is_special(path):
            raise StudyError(f"{path} is no file, but a folder, a pipe, a device or a socket")
        with path.open("rb") as file:
            head = file.read(LONGEST_HEAD)
    except OSError as error:
        raise StudyError(f"{path} cannot be read: {disk_reason(error)}") from None
    for one in FORMATS.values():
        if one.recognises(head):
            return cast(Stored, one.open_file(path, head))
    raise StudyError(
        f"{path} begins with no magic number of a gauge field's format; accepted: "
        f"{', '.join(FORMATS)}"
    )


def found_checksums(
    stored: Stored, origin: Extents = (0, 0, 0, 0), extents: Extents | None = None
) -> tuple[int, int]:
    """The checksums of the links of a box."""
    box = extents or stored.size
    sites = site_numbers(stored.size, origin, box)
    words = stored.words(origin, box)
    return cast(tuple[int, int], FORMATS[stored.format].found_checksums(stored, words, sites))


def check_sums(stored: Stored, found: tuple[int, int]) -> dict[str, str]:
    """The checksums of all links by name; StudyError if they differ from those in the file."""
    pairs = zip(stored.checksums, found, strict=False)
    ours = {name: checksums.hexadecimal(value) for name, value in pairs}
    if ours != dict(stored.checksums):
        raise StudyError(
            f"{stored.path}: the checksums of its links are {_named(ours)}, and the file says "
            f"{_named(stored.checksums)}"
        )
    return ours


def checked_links(stored: Stored) -> tuple[Floats, dict[str, Any]]:
    """All links, and what `phasewise gauge check` says of them. StudyError, one sentence, if they
    are not the links of an SU(3) gauge field, or differ from what the file says of them.
    """
    # Sums are checked first, because bytes in a wrong order give numbers that are not finite.
    sums = check_sums(stored, found_checksums(stored))
    links = finite_links(stored)
    values = dict(cast(Any, load_planner()).gauge_values(links, list(stored.size)))
    check_unitary(stored, links, values["unitarity"])
    check_special(stored, links)
    check_values(stored, values)
    return links, {
        "format": stored.format,
        "size": list(stored.size),
        "precision": stored.precision,
        **values,
        "checksums": sums,
    }


def finite_links(
    stored: Stored, origin: Extents = (0, 0, 0, 0), extents: Extents | None = None
) -> Floats:
    """The links of a box; StudyError if any of them is not finite."""
    links = stored.read(origin, extents)
    if not np.isfinite(links).all():
        raise StudyError(f"{stored.path} has links that are not finite")
    return links


def check_unitary(stored: Stored, links: Floats, deviation: float) -> None:
    """StudyError if `deviation`, the largest difference of U U† from 1, is too large for SU(3)."""
    if not _nearly(links, deviation):
        raise StudyError(
            f"{stored.path} has links that are not SU(3): U U† differs from 1 by up to "
            f"{deviation:.2g}"
        )


def check_values(stored: Stored, values: Mapping[str, float]) -> None:
    """StudyError if the file gives a plaquette or link trace and it is not that of the links."""
    for name, given in (("plaquette", stored.plaquette), ("link_trace", stored.link_trace)):
        same = max(SAME_VALUE[stored.precision], stored.last_digits.get(name, 0.0))
        if given is not None and not abs(values[name] - given) <= same:
            raise StudyError(
                f"{stored.path}: the {name.replace('_', ' ')} of its links is {values[name]:.10g}, "
                f"and the file says {given:.10g}"
            )


def check_special(stored: Stored, links: Floats) -> None:
    """StudyError if unitary links do not have determinant 1."""
    deviation = deviation_from_special(links)
    if not _nearly(links, deviation):
        raise StudyError(
            f"{stored.path} has links that are not SU(3): their determinants differ from 1, and "
            f"third rows by up to {deviation:.2g}"
        )


def _nearly(links: Floats, deviation: float) -> bool:
    """Whether links deviate from SU(3) by no more than their precision allows.

    A file of double precision may hold links of single precision. They count as such if all numbers
    of their first two rows fit into single precision; the third row may have been computed from
    these.
    """
    if deviation <= UNITARY["double"]:
        return True
    rows = links[..., :2, :, :]
    with np.errstate(over="ignore"):
        was_single = np.array_equal(rows.astype(np.float32), rows)
    return was_single and deviation <= UNITARY["single"]


def _named(sums: Mapping[str, str]) -> str:
    return " and ".join(f"{name} {value}" for name, value in sums.items())
