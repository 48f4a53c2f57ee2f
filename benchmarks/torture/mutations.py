"""Mutates inputs: studies, machines, decks, particle files and records of communication. Each must
be accepted, or refused in one sentence; nothing else may happen.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

from benchmarks.torture.attempts import Tally, attempt
from phasewise.machines.machine import parse_machine
from phasewise.study import Study, load
from phasewise.study.reading import apply_override
from phasewise.tables.files import parse, read_text
from phasewise.traces.chrome import write_chrome
from phasewise.traces.records import read_communication
from phasewise.traces.summary import communication_summary
from phasewise.workloads.collision.importers.beambeam3d import translate
from phasewise.workloads.collision.particle_files import file_of

WORDS = (
    *(b"0", b"-1", b"1e999", b"nan", b"inf", b"1e-320", b"9223372036854775807", b"1" + b"0" * 30),
    *(b"true", b'""', b'"\\u001b[2J"', b"[]", b"{}", b"[[[", b"=", b".", b"\n", b"\x00", b"\xff"),
    *(b"a" + b".a" * 3000, b"null", b"1e18", b"4294967296", b"-0.0"),
)
MOST_CHANGES = 4

Read = Callable[[], object]
"""Reads the mutated file."""


def mutated(content: bytes, rng: random.Random, words: tuple[bytes, ...] = WORDS) -> bytes:
    """`content` with bytes flipped, with runs dropped, doubled or replaced by a word, or cut."""
    for _ in range(rng.randint(1, MOST_CHANGES)):
        first = rng.randrange(len(content) + 1)
        last = min(len(content), first + rng.choice([0, 1, 1, 2, 5, 20]))
        kind = rng.randrange(6)
        if kind == 0:
            new = rng.choice(words)
        elif kind == 1:
            new = rng.randbytes(last - first)
        elif kind == 2:
            new = b""
        elif kind == 3:
            new = content[first:last] * 2
        elif kind == 4:
            new = bytes(b ^ 1 << rng.randrange(8) for b in content[first:last])
        else:
            new, last = b"", len(content) if rng.random() < 0.1 else last
        content = content[:first] + new + content[last:]
    return content


@dataclass(frozen=True)
class Target:
    """A file to mutate, where the mutated file goes, and what is then read."""

    kind: str
    content: bytes
    place: Path
    read: Read
    binary: bool = False

    def once(self, rng: random.Random, tally: Tally, what: str) -> None:
        """Make one attempt."""
        words = tuple(word for word in WORDS if len(word) < 8) if self.binary else WORDS
        self.place.write_bytes(mutated(self.content, rng, words))

        def read() -> str:
            self.read()
            return "accepted"

        tally.add(attempt(read), f"{what} {self.kind}")


def targets(repository: Path, run: Path, scratch: Path) -> list[Target]:
    """Everything that is mutated: the inputs in `repository`, and the files of `run`."""
    scratch.mkdir()
    found: list[Target] = []

    def add(
        kind: str, source: Path, place: Path, read: Callable[[], object], **given: bool
    ) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        found.append(Target(kind, source.read_bytes(), place, read, **given))

    for source in sorted(repository.glob("examples/*/study.toml")):
        if source.parent.name == "workload-template":  # its workload is not built
            continue
        place = scratch / "study" / "study.toml"
        add("study", source, place, lambda place=place: _use(load(place)))  # type: ignore[misc]
    for source in sorted(repository.glob("phasewise/machines/files/*.toml")):
        place = scratch / "machine.toml"
        add("machine", source, place, lambda place=place: parse_machine(read_text(place), "it"))
    deck = repository / "tests" / "data" / "beambeam3d"
    for beam in ("beam1.in", "beam2.in"):
        place = scratch / beam.removesuffix(".in") / beam
        other = "beam2.in" if beam == "beam1.in" else "beam1.in"
        place.parent.mkdir()
        (place.parent / other).write_bytes((deck / other).read_bytes())
        add("deck", deck / beam, place, lambda place=place: translate(place.parent))
    _add_particles(run, scratch, add)
    record = scratch / "record"
    for name, other in (("communication.json", "events.bin"), ("events.bin", "communication.json")):
        place = record / name / name
        place.parent.mkdir(parents=True)
        (place.parent / other).write_bytes((run / other).read_bytes())
        read = lambda place=place: _use_record(place.parent)  # noqa: E731
        add("record", run / name, place, read, binary=name == "events.bin")
    return found


def _add_particles(run: Path, scratch: Path, add: Callable[..., None]) -> None:
    dump = max((run / "particles").glob("*.h5"))
    plan = parse(read_text(run / "study.toml"), "study")
    for ending in (".h5", ".npy", ".txt"):
        apply_override(plan, 'beam.1.distribution="file"')
        place = scratch / f"bunch{ending}"
        place.write_bytes(b"")
        apply_override(plan, f'beam.1.particles="{place}"')
        source = dump
        count = 3
        if ending != ".h5":
            rows = np.random.default_rng(1).normal(size=(count, 6)) * 1e-4
            source = scratch / f"whole{ending}"
            np.save(source, rows) if ending == ".npy" else np.savetxt(source, rows)
        else:
            count = _particles_in(dump)
        apply_override(plan, f"beam.1.macroparticles={count}")
        apply_override(plan, "records.tracked=0")
        beam = Study.from_dict(plan).beam(1)
        file = file_of(beam)
        read = lambda file=file: list(file.remarks(file.read()))  # noqa: E731
        add(f"particles {ending}", source, place, read, binary=ending != ".txt")


def _particles_in(dump: Path) -> int:
    with h5py.File(dump) as file:
        (turn,) = file["data"]
        return int(file[f"data/{turn}/particles/beam1/id"].shape[0])


def _use(study: Study) -> None:
    study.derive()
    study.parameters()
    study.resolved()


def _use_record(folder: Path) -> None:
    communication_summary(read_communication(folder))
    write_chrome(folder, folder / "trace.json")
