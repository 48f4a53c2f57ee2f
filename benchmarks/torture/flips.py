"""Flips bits in checkpoints and records: they must be found and refused, or have no effect."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path

import h5py
import numpy as np

from benchmarks.torture.attempts import Tally, attempt
from phasewise.runs.checkpoint import choose_checkpoint, find_checkpoints
from phasewise.runs.records import open_records, reading
from phasewise.runs.results import Results
from phasewise.study import Study, load
from phasewise.workloads.common.dumps import COLUMNS

SETS = {"beam1": COLUMNS, "beam2": COLUMNS}
MOST_FLIPS = 3


def flip(content: bytes, rng: random.Random) -> bytes:
    """`content` with one bit changed, or a few, or, seldom, cut."""
    damaged = bytearray(content)
    if rng.random() < 0.05:
        return bytes(damaged[: rng.randrange(len(damaged))])
    for _ in range(rng.choice([1, 1, 1, MOST_FLIPS])):
        # Half of the flips hit HDF5's own metadata, which has few bytes.
        most = len(damaged) if rng.random() < 0.5 else min(len(damaged), 16384)
        damaged[rng.randrange(most)] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def digest_of(file: h5py.File) -> str:
    """A digest of everything that a file holds: its attributes and every dataset."""
    digest = hashlib.sha256(repr(sorted((n, _plain(v)) for n, v in file.attrs.items())).encode())

    def take(name: str, item: object) -> None:
        if isinstance(item, h5py.Dataset):
            digest.update(name.encode() + np.asarray(item[()]).tobytes())

    file.visititems(take)
    return digest.hexdigest()


def datasets_digest(folder: Path) -> str:
    """A digest of the datasets of a run's records, which neither kills nor the ranks change."""
    digest = hashlib.sha256()

    def take(name: str, item: object) -> None:
        if isinstance(item, h5py.Dataset):
            digest.update(name.encode() + np.asarray(item[()]).tobytes())

    with h5py.File(folder / "records.h5") as file:
        file.visititems(take)
    return digest.hexdigest()


def _plain(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else value


def records_digest(folder: Path) -> str:
    """A digest of what a reader of a run's records sees."""
    with Results(folder) as results, open_records(results.path) as file, reading(results.path):
        json.dumps([results.study, results.derived, results.attributes])
        return digest_of(file)


def flip_records(folder: Path, rng: random.Random, tally: Tally, what: str) -> None:
    """Damage the records of the run in `folder`, read them, and put them back."""
    path = folder / "records.h5"
    whole, expected = path.read_bytes(), records_digest(folder)

    def read() -> str:
        return "without effect" if records_digest(folder) == expected else "wrong: other numbers"

    path.write_bytes(flip(whole, rng))
    tally.add(attempt(read), what)
    path.write_bytes(whole)


def flip_checkpoint(folder: Path, rng: random.Random, tally: Tally, what: str) -> None:
    """Damage the newest checkpoint of the run in `folder`, choose one, and put it back."""
    newest, older = find_checkpoints(folder / "checkpoint")[:2]
    study: Study = load(folder / "study.toml")
    whole = newest.read_bytes()
    with h5py.File(newest) as file:
        expected = digest_of(file)

    def choose() -> str:
        path, notes = choose_checkpoint(folder / "checkpoint", study, SETS)
        if path == older:
            return "passed over" if notes else "wrong: passed over in silence"
        with h5py.File(path) as file:
            return "without effect" if digest_of(file) == expected else "wrong: other numbers"

    newest.write_bytes(flip(whole, rng))
    tally.add(attempt(choose), what)
    newest.write_bytes(whole)
