"""Mutates the files of a recorded program: what reads them must end in a result, or in an error of
one sentence, in time.

    .venv/bin/python -m benchmarks.torture.recorded --times 100000 --seed 1 tests/data/record/ring

The page of `report` and the archive of OTF2 are made after every hundredth mutation alone, since
they take a hundred times as long.
The status is 1 if there was a fault. Its words, with the seed, repeat it.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import random
import resource
import shutil
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

import numpy as np

from phasewise.errors import PhasewiseError
from phasewise.machines import load_machine
from phasewise.machines.machine import Machine
from phasewise.models.model import Case
from phasewise.models.prediction import turn_of
from phasewise.recorder.analysis import Analysis
from phasewise.recorder.goal import write_goal
from phasewise.recorder.otf2_archive import write_otf2
from phasewise.recorder.phases import Sites, phases_of, write_communication
from phasewise.recorder.recording import read_recording
from phasewise.recorder.time_line import RecordedEvents
from phasewise.report.recorded import make_recorded_report
from phasewise.runs.folder import RECORD_FILE, TRACE_FOLDER
from phasewise.study import load
from phasewise.traces.chrome import write_events
from phasewise.traces.records import read_communication

LIMIT = 20
"""Seconds that a reader may take; most take some ms."""
MEMORY = 6 << 30
"""Bytes of address space that a reader may take."""
MOST_CHANGES = 4
SLOW = 100
"""Mutations of which one is read by slow readers too."""


class HangError(Exception):
    """A reader took longer than it may."""


def mutated(content: bytes, used: Sequence[int], chance: random.Random) -> bytes:
    """`content` with bytes changed, or, seldom, cut, longer, or with a part of it repeated; used:
    the places that are not 0, since most bytes are reserved and have not been used.
    """
    kind = chance.random()
    at = chance.randrange(len(content))
    if kind < 0.05:
        return content[:at]
    if kind < 0.1:
        return content + chance.randbytes(chance.choice([1, 8, 100, 5000]))
    if kind < 0.15:
        return content[:at] + content[at - chance.choice([1, 8, 64]) :]
    found = bytearray(content)
    for _ in range(chance.randint(1, MOST_CHANGES)):
        place = chance.choice(used) if chance.random() < 0.9 else chance.randrange(len(content))
        new = chance.choice([chance.randrange(256), 0, 1, 0x7F, 0x80, 0xFF])
        found[place] = new if chance.random() < 0.7 else found[place] ^ 1 << chance.randrange(8)
    return bytes(found)


class Readers:
    """What reads the folder of a recorded program. Each is called with the folder."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.all: dict[str, Callable[[Path], object]] = {
            "report": self.report,
            "chrome": self.chrome,
            "goal": self.goal,
            "predict": self.predict,
        }
        self.slow: dict[str, Callable[[Path], object]] = {"page": self.page}
        if find_spec("otf2") is not None:
            self.slow["otf2"] = self.otf2

    def report(self, folder: Path) -> None:
        """What ``report --json`` says."""
        found = Analysis(folder)
        found.recording.not_recorded()
        _ = found.site_table, found.sizes
        found.to_dict()

    def page(self, folder: Path) -> None:
        """``report``, with its pictures."""
        make_recorded_report(folder)

    def otf2(self, folder: Path) -> None:
        """``trace --export otf2``."""
        archive = folder / "otf2"
        try:
            write_otf2(Analysis(folder), archive)
        finally:
            shutil.rmtree(archive, ignore_errors=True)

    def chrome(self, folder: Path) -> None:
        """``trace --chrome``."""
        found = Analysis(folder)
        events = RecordedEvents(found.recording, found.activity)
        write_events(read_communication(folder), events, folder / "chrome.json")

    def goal(self, folder: Path) -> None:
        """``trace --export goal``."""
        write_goal(Analysis(folder), folder / "trace.goal")

    def predict(self, folder: Path) -> None:
        """``predict --model contention``."""
        study = load(folder)
        turn_of(Case(study, self._machine, study.model.ranks), "contention")


@contextmanager
def limited() -> Iterator[None]:
    """HangError after `LIMIT` seconds; the process ends where the core does not return."""

    def late(_number: int, _frame: FrameType | None) -> None:
        raise HangError(f"it takes longer than {LIMIT} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(LIMIT)
    faulthandler.dump_traceback_later(2 * LIMIT, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def outcome_of(read: Callable[[Path], object], folder: Path) -> str:
    """`read`, `refused`, or what is wrong."""
    try:
        with limited():
            read(folder)
    except PhasewiseError as error:
        text = str(error)
        return "refused" if text and text.isprintable() else f"wrong: sentence {text!r}"
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"leaked: {type(error).__name__}: {error} ({place.filename}:{place.lineno})"
    return "read"


class Mutations:
    """Mutations of a copy of a record: `once` makes one and returns the outcome of each reader."""

    def __init__(self, record: Path, folder: Path, seed: int) -> None:
        self._folder, self._seed = folder, seed
        shutil.copytree(record, folder, dirs_exist_ok=True)
        trace = folder / TRACE_FOLDER
        for path in trace.glob("replay-*"):
            path.unlink()
        if not (folder / RECORD_FILE).exists():
            recording = read_recording(folder)
            phases = phases_of(recording, Sites(recording.files), "function", None)
            write_communication(recording, phases, knows_waiting=False)
        paths = [*sorted(trace.glob("*.rank")), folder / RECORD_FILE]
        self._whole = {path: path.read_bytes() for path in paths if path.is_file()}
        self._used = {
            path: np.flatnonzero(np.frombuffer(content, np.uint8)).tolist()
            for path, content in self._whole.items()
        }
        self._readers = Readers(load_machine("bassi"))
        for name, read in (self._readers.all | self._readers.slow).items():
            if (outcome := outcome_of(read, folder)) != "read":
                raise SystemExit(f"{record} without a mutation: {name} ends with {outcome}")

    def once(self, number: int) -> dict[str, str]:
        """The outcome of each reader after mutation `number`."""
        readers = self._readers.all | ({} if number % SLOW else self._readers.slow)
        chance = random.Random(f"{self._seed} {number}")
        path = chance.choice(list(self._whole))
        path.write_bytes(mutated(self._whole[path], self._used[path], chance))
        try:
            return {name: outcome_of(read, self._folder) for name, read in readers.items()}
        finally:
            path.write_bytes(self._whole[path])
            for kept in (self._folder / TRACE_FOLDER).glob("replay-*"):
                kept.unlink()


def main() -> int:
    """Mutate as the command line asks; return the exit status."""
    parser = argparse.ArgumentParser(prog="benchmarks.torture.recorded", description=__doc__)
    parser.add_argument("record", type=Path, help="folder of a recorded program")
    parser.add_argument("--times", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0, help="number of the first mutation")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.environ["PATH"] = ""  # addr2line reads no file that is mutated, and takes most of the time
    counts: Counter[tuple[str, str]] = Counter()
    faults: Counter[str] = Counter()
    with TemporaryDirectory(prefix="phasewise-mutated-") as name:
        mutations = Mutations(options.record, Path(name), options.seed)
        for number in range(options.first, options.first + options.times):
            for reader, outcome in mutations.once(number).items():
                counts[reader, outcome.partition(":")[0]] += 1
                if outcome.startswith(("wrong", "leaked")):
                    faults[outcome] += 1
                    if faults[outcome] == 1:
                        print(f"mutation {number}, {reader}: {outcome}", flush=True)
    for (reader, word), count in sorted(counts.items()):
        print(f"{reader}: {count} {word}")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
