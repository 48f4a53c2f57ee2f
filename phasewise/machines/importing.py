"""``phasewise machine import``: curves from what published benchmarks print: osu_latency of the OSU
Micro-Benchmarks, PingPong and PingPing of IMB-MPI1, and NetPIPE.

Only the times count, not the bandwidths: NetPIPE's Mbps are 2^20 bit/s, the MB of IMB before 2021
are 2^20 B, and osu_bw streams messages instead of answering each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from phasewise.errors import StudyError
from phasewise.machines.curves import Curve, Measured
from phasewise.machines.machine import load_machine, machine_path, parse_machine
from phasewise.machines.machine_file import description_of, measured_tables
from phasewise.machines.measure import make_curve
from phasewise.machines.probes import Probe
from phasewise.machines.statistics import estimate
from phasewise.tables.files import read_text
from phasewise.tables.keys import nearest

LEVELS = ("node", "network")
MICRO = 1e-6
NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
PING_PONG, PING_PING = "ping-pong", "ping-ping"

OSU_TITLE = re.compile(r"#\s*OSU MPI\S* (?P<title>.*?Test)", re.IGNORECASE)
OSU_ROW = re.compile(rf"\s*(\d+)\s+({NUMBER})(?!\S)", re.IGNORECASE)
IMB_TITLE = re.compile(r"#\s*Benchmarking\s+(\S+)")
IMB_ROW = re.compile(rf"\s*(\d+)\s+\d+\s+({NUMBER})\s+{NUMBER}\s*$", re.IGNORECASE)
IMB = {"PingPong": PING_PONG, "PingPing": PING_PING}
NETPIPE_FILE = re.compile(rf"\s*(\d+)\s+{NUMBER}\s+({NUMBER})\s*$", re.IGNORECASE)
NETPIPE_SCREEN = re.compile(
    rf"\s*\d+:\s+(\d+) bytes\s+\d+ times -->\s+{NUMBER} Mbps in\s+({NUMBER}) usec"
)


@dataclass(frozen=True)
class Time:
    """What a benchmark says of one size: a message of `size` bytes takes `seconds`."""

    benchmark: str
    size: int
    seconds: float


def _osu(text: str, name: str) -> Iterator[Time]:
    title = OSU_TITLE.search(text)
    if title is not None and title["title"].strip().lower() != "latency test":
        raise StudyError(
            f"{name} holds the OSU MPI {title['title']}, whose times are not those of single "
            "messages there and back; give what osu_latency prints"
        )
    for line in text.splitlines():
        if row := OSU_ROW.match(line):
            yield Time(PING_PONG, int(row[1]), MICRO * float(row[2]))


def _imb(text: str, _name: str) -> Iterator[Time]:
    benchmark: str | None = None
    for line in text.splitlines():
        if title := IMB_TITLE.match(line):
            benchmark = IMB.get(title[1])
        elif benchmark is not None and (row := IMB_ROW.match(line)):
            yield Time(benchmark, int(row[1]), MICRO * float(row[2]))


def _netpipe(text: str, _name: str) -> Iterator[Time]:
    for line in text.splitlines():
        if row := NETPIPE_SCREEN.match(line):
            yield Time(PING_PONG, int(row[1]), MICRO * float(row[2]))
        elif row := NETPIPE_FILE.match(line):
            yield Time(PING_PONG, int(row[1]), float(row[2]))


@dataclass(frozen=True)
class Kind:
    """A benchmark whose output can be read, and where its times are."""

    read: Callable[[str, str], Iterator[Time]]
    needs: str


KINDS = {
    "osu": Kind(_osu, "lines of a size in bytes and a latency in µs, as osu_latency prints them"),
    "imb": Kind(_imb, "a section PingPong or PingPing of IMB-MPI1 with its column t[usec]"),
    "netpipe": Kind(_netpipe, "the lines that NetPIPE prints, or those of its file np.out"),
}


def import_curves(kind: str, files: Sequence[Path], level: str) -> tuple[Curve, ...]:
    """The curves of one level that the files give; several files of a benchmark are its launches.

    StudyError of one sentence: the kind is not known, or a file cannot be read, has no times, or
    has times that no message takes.
    """
    if kind not in KINDS:
        raise StudyError(
            f'machine import knows no benchmark "{kind}"{nearest(kind, KINDS)}; give machine '
            f"import {' | '.join(KINDS)} FILE…"
        )
    if not files:
        raise StudyError(f"machine import {kind} needs a file: {KINDS[kind].needs}")
    launches = [list(_times(kind, path)) for path in files]
    benchmarks = dict.fromkeys(time.benchmark for launch in launches for time in launch)
    return tuple(_curve(launches, benchmark, level) for benchmark in benchmarks)


def _times(kind: str, path: Path) -> Iterable[Time]:
    found = list(KINDS[kind].read(read_text(path), str(path)))
    if not found:
        raise StudyError(f"{path} has no times of messages: it needs {KINDS[kind].needs}")
    if wrong := next((time for time in found if not 0 < time.seconds < 100), None):
        raise StudyError(
            f"{path}: a message of {wrong.size} B takes {wrong.seconds:g} s, which is not between "
            "0 and 100 s"
        )
    return found


def _curve(launches: Sequence[Sequence[Time]], benchmark: str, level: str) -> Curve:
    samples: dict[int, list[float]] = {}
    for launch in launches:
        for time in launch:
            if time.benchmark == benchmark:
                samples.setdefault(time.size, []).append(time.seconds)
    estimates = {
        size: estimate([np.array([seconds]) for seconds in samples[size]])
        for size in sorted(samples)
    }
    return make_curve(Probe(benchmark, level, (), ()), estimates)


def with_curves(base: str, curves: Sequence[Curve]) -> str:
    """The file of a machine, a name or a file, with these curves in place of its own of the same
    names. StudyError of one sentence if it then is no machine.
    """
    machine = load_machine(base)
    imported = {curve.name for curve in curves}
    own = [curve for curve in machine.curves if machine.is_hardware and curve.name not in imported]
    text = f"{description_of(read_text(machine_path(base)))}\n{curve_tables([*own, *curves])}"
    parse_machine(text, f"{base} with the imported curves")
    return text


def curve_tables(curves: Sequence[Curve]) -> str:
    """The tables of curves, as a machine's file has them."""
    return measured_tables(Measured("hardware", 2, datetime.now(UTC).date().isoformat()), curves)
