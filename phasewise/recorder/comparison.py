"""Recorded programs beside each other: the same numbers of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phasewise.recorder.analysis import Analysis
from phasewise.recorder.dependences import CAUSES
from phasewise.recorder.phases import inside_of, seconds_of
from phasewise.recorder.summary import library_name


def numbers_of(found: Analysis) -> dict[str, Any]:
    """The numbers of a recorded program; times in s, those of waiting and of sites as sums over the
    ranks; waiting is None where the traces do not reach to the end.
    """
    files = found.recording.files
    seconds, inside = [seconds_of(f) for f in files], [inside_of(f) for f in files]
    computing = [max(0.0, whole - own) for whole, own in zip(seconds, inside, strict=True)]
    longest, most = max(seconds), max(computing)
    waits = found.recording.waits if found.whole else None
    return {
        "directory": str(found.recording.folder),
        "ranks": found.recording.ranks,
        "library": library_name(files[0].texts.get("library", "")),
        "seconds": longest,
        "mpi_share": sum(inside) / len(files) / longest if longest else 0.0,
        "load_balance": sum(computing) / len(files) / most if most else None,
        "parallel_efficiency": sum(computing) / len(files) / longest if longest else None,
        "messages": sum(int(f.statistics["messages"].sum()) for f in files),
        "waiting": {
            cause: None if waits is None else float(waits.seconds[waits.cause == number].sum())
            for number, cause in enumerate(CAUSES)
        },
        "sites": {f"{one.call} in {one.site}": one.seconds for one in found.site_table},
    }


def common_sites(numbers: Sequence[dict[str, Any]], most: int) -> list[str]:
    """The call sites that take most time in any of the programs."""
    longest: dict[str, float] = {}
    for one in numbers:
        for site, seconds in one["sites"].items():
            longest[site] = max(longest.get(site, 0.0), seconds)
    return sorted(longest, key=lambda site: -longest[site])[:most]
