"""Tunes of imported lattices beside those of the code that they come from, and how long both take.

    .venv/bin/python -m benchmarks.lattice_tunes ring.madx line.json …

Each file is imported as by `phasewise import`, and its optics are those of `phasewise twiss`. A
file of MAD-X is run and its TWISS taken through cpymad; a JSON file is loaded and its 4D Twiss
taken by xtrack. The Python that runs this must have these two packages, or `PYTHONPATH` name a
folder that has them. The exit status is 1 if a tune differs by more than `--within`.
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.output import message, print_table
from phasewise.workloads.spacecharge.importers import madx, xsuite
from phasewise.workloads.spacecharge.importers.translation import Translation
from phasewise.workloads.spacecharge.optics import model_with_lattice, optics_of

WITHIN = 2e-5


@dataclass(frozen=True)
class Found:
    """Tunes of a ring, the seconds that it took to read and to compute, and its elements."""

    tunes: tuple[float, float]
    read: float
    optics: float
    elements: int = 0
    missing: int = 0


@contextmanager
def timed() -> Iterator[list[float]]:
    """A list that gets the seconds of the block."""
    seconds: list[float] = []
    start = time.perf_counter()
    yield seconds
    seconds.append(time.perf_counter() - start)


def ours(path: Path, line: str | None) -> Found:
    """The optics of a file by `phasewise import` and `phasewise twiss`."""
    code = xsuite if path.suffix == ".json" else madx
    with timed() as read:
        translation: Translation = code.translate(path, line)
    with tempfile.TemporaryDirectory() as folder, timed() as optics:
        lattice = Path(folder, "lattice.toml")
        lattice.write_text(translation.text)
        model = model_with_lattice(str(lattice), [])
        tunes = optics_of(model).tunes
    elements = len(model.lattice.elements)
    return Found(tunes, read[0], optics[0], elements, len(translation.not_translated))


def of_madx(path: Path, line: str | None) -> Found:
    """The tunes of MAD-X's TWISS."""
    from cpymad.madx import Madx

    with Path(os.devnull).open("w") as silent, Madx(stdout=silent, stderr=silent) as run:
        with timed() as read:
            run.call(str(path), chdir=True)
            names = list(run.sequence)
            active = run.sequence()
            used = line or (str(active.name) if active is not None else next(iter(names), ""))
            run.use(used)
        with timed() as optics:
            summary = run.twiss(sequence=used).summary
        return Found((float(summary.q1), float(summary.q2)), read[0], optics[0])


def of_xtrack(path: Path, line: str | None) -> Found:
    """The tunes of xtrack's 4D Twiss."""
    import xtrack

    with Path(os.devnull).open("w") as silent, redirect_stdout(silent):
        with timed() as read:
            loaded: Any = xtrack.load(str(path))
            lines = dict(loaded.lines) if hasattr(loaded, "lines") else {"": loaded}
            wanted = lines[line] if line else next(iter(lines.values()))
        with timed() as optics:
            found = wanted.twiss4d()
    return Found((float(found.qx), float(found.qy)), read[0], optics[0])


def difference(one: float, other: float) -> float:
    """The difference of two tunes without their whole turns."""
    rest = (one - other) % 1.0
    return rest - round(rest)


def row(path: Path, line: str | None) -> tuple[list[str], float]:
    """A row of the table, and the larger difference of the tunes; inf where there are none."""
    name = path.name if line is None else f"{path.name} {line}"
    try:
        theirs = (of_xtrack if path.suffix == ".json" else of_madx)(path, line)
        found = ours(path, line)
    except (StudyError, RuntimeError, KeyError, ValueError, AttributeError) as error:
        sentence = re.sub(r"\s+", " ", str(error))
        return [name, sentence[:70], *[""] * 6], float("inf")
    apart = [difference(a, b) for a, b in zip(found.tunes, theirs.tunes, strict=True)]
    return [
        name,
        ", ".join(f"{q:.6f}" for q in found.tunes),
        ", ".join(f"{q:.6f}" for q in theirs.tunes),
        ", ".join(f"{d:+.1e}" for d in apart),
        str(found.elements),
        str(found.missing),
        f"{found.read:.2f} + {found.optics:.2f}",
        f"{theirs.read:.2f} + {theirs.optics:.2f}",
    ], max(map(abs, apart))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 if a tune differs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="*.json is Xsuite's")
    parser.add_argument("--line", help="the sequence or the line of every file")
    parser.add_argument("--within", type=float, default=WITHIN, help="largest difference of tunes")
    options = parser.parse_args(arguments)
    found = []
    for path in options.files:
        found.append(row(path, options.line))
        message(" ".join(found[-1][0]))
    heads = ["file", "tunes", "theirs", "difference", "elements", "notes", "ours [s]", "theirs [s]"]
    print_table("tunes of imported lattices", heads, [one for one, _ in found])
    return int(any(not apart <= options.within for _, apart in found))


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        raise SystemExit(main())
