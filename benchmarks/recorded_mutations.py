"""Damaged records of MPI programs: each must be read, or refused in one sentence.

    .venv/bin/phasewise record --out DIR -- mpiexec -n 2 ./a.out
    .venv/bin/python -m benchmarks.recorded_mutations DIR --times 100000

copies the record again and again, changes bytes of one of its files, cuts it off or lengthens it,
and reads, analyses and prepares the replay of the copy. The exit status is 1 if anything but a
sentence came of it, or if it took more than --seconds; the number that is printed repeats it
(--first N --times 1). Take a short record: each mutation costs some milliseconds.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

import numpy as np

from phasewise.errors import PhasewiseError
from phasewise.models.plan import plan
from phasewise.options import count
from phasewise.recorder.analysis import Analysis
from phasewise.study import load

MOST_BYTES = 8
"""The most places that one mutation changes."""


class TooLongError(Exception):
    """A reading that does not end."""


def mutated(content: bytes, draw: np.random.Generator) -> bytes:
    """The bytes with some changed, with others behind them, or without their end or a part."""
    changed = bytearray(content)
    way = int(draw.integers(5))
    if way <= 1 and changed:
        for place in draw.integers(len(changed), size=1 + draw.integers(MOST_BYTES)):
            bit = 1 << int(draw.integers(8))
            changed[place] = int(draw.integers(256)) if way else changed[place] ^ bit
    elif way == 2:
        del changed[int(draw.integers(len(changed) + 1)) :]
    elif way == 3:
        changed += draw.bytes(int(draw.integers(1, 64)))
    else:
        first, second = sorted(draw.integers(len(changed) + 1, size=2).tolist())
        del changed[first:second]
    return bytes(changed)


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """TooLongError if the block takes longer."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TooLongError(f"it took more than {seconds} s")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def tried(folder: Path) -> str:
    """What came of a folder; PhasewiseError is a sentence, everything else a fault."""
    try:
        Analysis(folder).to_dict()
        study = load(folder, [], count=1)
        plan(study, study.model.ranks)
    except PhasewiseError as error:
        return "sentence" if len(str(error).splitlines()) == 1 else "several lines"
    return "read"


def once(record: Path, number: int, seconds: int) -> str:
    """Mutate a copy of the record, and try it."""
    draw = np.random.default_rng(number)
    files = sorted(path for path in record.rglob("*") if path.is_file() and path.suffix != ".html")
    chosen = files[int(draw.integers(len(files)))]
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "record"
        shutil.copytree(record, copy, ignore=shutil.ignore_patterns("*.program", "*.html", "*.png"))
        target = copy / chosen.relative_to(record)
        if not target.exists():
            return "left out"
        target.write_bytes(mutated(target.read_bytes(), draw))
        try:
            with within(seconds):
                return tried(copy)
        except Exception:  # whatever it is, it is a fault
            print(f"number {number}, {chosen.name}:\n{traceback.format_exc()[-1500:]}", flush=True)
            return "fault"


def main(words: Sequence[str]) -> int:
    """Try mutations; return the exit status."""
    parser = argparse.ArgumentParser(description="Damaged records.")
    parser.add_argument("record", metavar="DIR")
    parser.add_argument("--times", type=count, default=1000, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first one")
    parser.add_argument("--seconds", type=count, default=20, metavar="S", help="for each")
    options = parser.parse_args(words)
    numbers = range(options.first, options.first + options.times)
    found = Counter(once(Path(options.record), number, options.seconds) for number in numbers)
    print(", ".join(f"{what}: {times}" for what, times in found.most_common()))
    return int(found["fault"] + found["several lines"] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
