"""The summary of a recorded run: ``record --json``, and the banner at its end."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from phasewise.output import engineering, number_of
from phasewise.recorder.dependences import Floats
from phasewise.recorder.phases import Sites, inside_of, seconds_of
from phasewise.recorder.places import Place
from phasewise.recorder.raw import LIMIT, REASONS
from phasewise.recorder.recording import Recording
from phasewise.traces.efficiency import spread

MOST_LINES = 25
SHOWN_SITES = 5


@dataclass(frozen=True)
class Site:
    """The calls of a function of MPI at one call site, over all ranks; times in s are sums over the
    ranks. waiting: None if the trace does not reach to the end.
    """

    site: str
    place: Place
    call: str
    calls: int
    bytes: int
    seconds: float
    waiting: float | None

    def to_dict(self) -> dict[str, Any]:
        return {
            "site": self.site,
            "function": self.place.function,
            "file": self.place.file,
            "line": self.place.line,
            "call": self.call,
            "calls": self.calls,
            "bytes": self.bytes,
            "seconds": self.seconds,
            "waiting": self.waiting,
        }


def site_table(recording: Recording, sites: Sites, waiting: Sequence[Floats] | None) -> list[Site]:
    """The call sites, the most expensive first."""
    sums: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0, 0, 0.0, 0.0])
    places: dict[str, Place] = {}
    for k, file in enumerate(recording.files):
        names = file.functions
        for row in file.statistics.tolist():
            text = sites.chain(k, row[1])
            places.setdefault(text, sites.place(k, row[1]))
            own = sums[text, names.get(row[0], "unknown")]
            for at, value in enumerate((row[6], row[8], 1e-9 * row[10])):
                own[at] += value
        if waiting is not None:
            for site, function, seconds in _waits(recording, k, waiting[k]):
                sums[sites.chain(k, site), names.get(function, "unknown")][3] += seconds
    found = [
        Site(
            text,
            places.get(text, Place("unknown", None, None)),
            call,
            int(own[0]),
            int(own[1]),
            own[2],
            None if waiting is None else own[3],
        )
        for (text, call), own in sums.items()
    ]
    return sorted(found, key=lambda one: -one.seconds)


def _waits(recording: Recording, place: int, seconds: Floats) -> Iterator[tuple[int, int, float]]:
    """Site, function and waiting of each entry of a rank's dictionary that waited."""
    calls = recording.matching.calls[place]
    sums = np.bincount(calls.entry, seconds, len(calls.entries))
    columns = calls.entries.columns
    for entry in np.flatnonzero(sums).tolist():
        yield int(columns["site"][entry]), int(columns["function"][entry]), float(sums[entry])


def summary_of(recording: Recording, status: int, sites: Sequence[Site]) -> dict[str, Any]:
    """What ``record --json`` prints and ``recording.json`` holds."""
    seconds = [seconds_of(file) for file in recording.files]
    inside = [inside_of(file) for file in recording.files]
    shares = [one / whole for one, whole in zip(inside, seconds, strict=True) if whole > 0]
    statistics = [file.statistics for file in recording.files]
    return {
        "directory": str(recording.folder),
        "status": status,
        "ranks": recording.ranks,
        "library": library_name(recording.files[0].texts.get("library", "")),
        "seconds": max(seconds),
        "mpi_share": sum(shares) / len(shares) if shares else 0.0,
        "calls": sum(int(one["calls"].sum()) for one in statistics),
        "messages": sum(int(one["messages"].sum()) for one in statistics),
        "bytes": sum(int(one["sent"][one["messages"] > 0].sum()) for one in statistics),
        "trace_bytes": sum(file.trace_bytes for file in recording.files),
        "traced_until": recording.traced_until,
        "not_recorded": recording.not_recorded(),
        "sites": [site.to_dict() for site in sites],
    }


def library_name(text: str) -> str:
    """Name and version of an MPI library, from what it says of itself."""
    found = re.match(r"(?:(Open MPI) v|(MPICH) Version:\s*)([\w.]+)", text)
    first = text.strip("\0 ").split("\n")[0]
    return f"{found[1] or found[2]} {found[3]}" if found else first


def banner(recording: Recording, summary: Mapping[str, Any], sites: Sequence[Site]) -> list[str]:
    """The lines that are shown at a run's end, at most MOST_LINES."""
    return [*_head(recording, summary), *_rows(sites, summary), *_missing(recording, summary)][
        :MOST_LINES
    ]


def _head(recording: Recording, summary: Mapping[str, Any]) -> Iterator[str]:
    seconds = np.array([seconds_of(file) for file in recording.files])
    inside = np.array([inside_of(file) for file in recording.files])
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = spread(np.where(seconds > 0, 100 * inside / seconds, 0.0))
    computing = np.maximum(seconds - inside, 0.0)
    balance = float(computing.mean() / computing.max()) if computing.max() > 0 else None
    yield (
        f"phasewise recorded {number_of(summary['ranks'], 'rank')} of {summary['library']} for "
        f"{summary['seconds']:.4g} s in {summary['directory']}"
    )
    yield (
        f"in MPI: {shares.least:.1f} to {shares.most:.1f} % of the time, {shares.mean:.1f} % in "
        f"the mean over the ranks"
    )
    yield (
        f"{number_of(summary['calls'], 'call')}, {number_of(summary['messages'], 'message')} "
        f"between two ranks with {engineering(summary['bytes'], 'B')}"
    )
    if balance is not None:
        yield f"load balance {balance:.2f}: computing in the mean over that of the slowest rank"
    waiting = [site["waiting"] for site in summary["sites"]]
    if waiting and None not in waiting and summary["seconds"] > 0:
        share = 100 * sum(waiting) / (summary["seconds"] * summary["ranks"])
        yield f"waiting for other ranks: {share:.1f} % of the ranks' time"


def _rows(sites: Sequence[Site], summary: Mapping[str, Any]) -> Iterator[str]:
    whole = summary["seconds"] * summary["ranks"]
    if not sites or whole <= 0:
        return
    yield "most expensive call sites: % of the ranks' time, of it waiting, calls, bytes"
    for site in sites[:SHOWN_SITES]:
        waited = "–" if site.waiting is None else f"{100 * site.waiting / whole:.1f}"
        yield (
            f"  {100 * site.seconds / whole:5.1f} {waited:>5}  {site.calls:>9}  "
            f"{engineering(site.bytes, 'B'):>8}  {site.call} in {site.site}"
        )


def _missing(recording: Recording, summary: Mapping[str, Any]) -> Iterator[str]:
    until = summary["traced_until"]
    if until is not None:
        more = "; --limit gives it more room" if recording.stopped_by == LIMIT else ""
        yield (
            f"the trace reaches until {until:.4g} s after the beginning, the statistics to the "
            f"end, because of {REASONS[recording.stopped_by]}{more}"
        )
    sentences = summary["not_recorded"]
    yield from sentences[:6]
    if len(sentences) > 6:
        yield f"and {len(sentences) - 6} more, in recording.json"
