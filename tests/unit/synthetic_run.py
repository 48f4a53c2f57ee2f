"""A run's folder with known content, written without the driver: two bunches that oscillate."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from phasewise.runs.records import RecordsWriter
from phasewise.study import Study
from phasewise.workloads.collision.openpmd import write_dump
from tests.unit.study_tables import tables

YOKOYA = 1.21
GROWTH = 2e-7
"""Relative emittance growth per turn that is put in."""
TRACKED = 200
KEPT = {
    "records__tracked": TRACKED,
    "records__moments_order": 4,
    "records__slices_every": 100,
    "records__pair_luminosity_every": 100,
    "records__particles_every": 100,
    "records__field": True,
}


def make_study(turns: int, **changes: Any) -> Study:
    """The study of the synthetic run, everything recorded, with some keys changed."""
    given = {"turns": turns, "beam__1__macroparticles": 20_000, **KEPT, **changes}
    return Study.from_dict(tables(**given))


class OneRank:
    """The communicator of a run on one rank."""

    def rank(self) -> int:
        return 0

    def size(self) -> int:
        return 1

    def gather(self, data: bytes) -> list[bytes]:
        return [data]

    def broadcast(self, data: bytes) -> bytes:
        return data

    def barrier(self) -> None:
        pass

    def any(self, flag: bool) -> bool:
        return flag


class Bunches:
    """Two matched Gaussian bunches as a driver shows them at one turn."""

    beams_here = (1, 2)

    def __init__(self, study: Study, turn: int) -> None:
        rng = np.random.default_rng(11)
        self.turn = turn
        self._particles = {}
        for beam in study.beams:
            shape = (6, beam.macroparticles)
            self._particles[beam.number] = rng.normal(size=shape) * np.array(beam.rms(0))[:, None]

    def macroparticles(self, beam: int) -> int:
        return int(self._particles[beam].shape[1])

    def particles(self, beam: int) -> dict[str, Any]:
        names = ("x", "px", "y", "py", "z", "delta")
        ids = np.arange(self.macroparticles(beam), dtype=np.uint32)
        return {"id": ids, **dict(zip(names, self._particles[beam], strict=True))}


def write_run(folder: Path, turns: int = 1100, outside: int = 0, **changes: Any) -> Study:
    """Write a complete run into `folder`; `outside` particles leave the mesh in its last turn."""
    study = make_study(turns, **changes)
    folder.mkdir(parents=True, exist_ok=True)
    attributes = {
        "study": json.dumps(study.resolved()),
        "derived": json.dumps(study.derived()),
        "version": "0.0",
        "ranks": 2,
        "threads": 1,
    }
    writer = RecordsWriter(folder / "records.h5", study, attributes)
    for turn, record in enumerate(records(study, turns)):
        if turn == turns - 1:
            record["1/outside"] = np.full(len(study.ips), outside)
        writer.append(turn, record)
    last = (turns - 1) // 100 * 100
    for name, values in snapshots(study, last):
        writer.snapshot(name, values)
    writer.close(complete=True, seconds_per_turn=0.02)
    if study.model.records.particles_every:
        for turn in sorted({0, last}):
            write_dump(folder / "particles", Bunches(study, turn), OneRank(), study)
    performance = {"turns": turns, "kernels": [KERNEL], "phases": [PHASE]}
    (folder / "performance.json").write_text(json.dumps(performance))
    return study


KERNEL = {"name": "deposit", "items": 1e9, "seconds": 6.0, "flops": 3e10, "bytes": 6e10}
PHASE = {"name": "reduce_row", "calls": 1000, "messages": 4000, "bytes": 4e8, "seconds": 0.5}


def records(study: Study, turns: int) -> Iterator[dict[str, Any]]:
    """The driver's record of every turn."""
    rng = np.random.default_rng(12)
    derived = study.derived()
    xi = np.array(derived["ips"][0]["beams"][0]["xi_effective"])
    tune = np.array(study.beam(1).arc.tune)
    rms = np.array(study.beam(1).rms(0))
    emittance = np.array([*study.beam(1).geometric_emittance, rms[4] * rms[5]])
    amplitude = np.abs(rng.normal(size=(2, TRACKED, 2)) * 1.3)
    start = rng.uniform(0, 2 * np.pi, size=(2, TRACKED, 2))
    for n in range(turns):
        row: dict[str, Any] = {
            "luminosity": np.full(len(study.ips), derived["ips"][0]["luminosity"])
        }
        row["luminosity"] *= (1 - GROWTH * n) * (1 + 2e-4 * rng.normal())
        for beam, sign in ((1, 1), (2, -1)):
            both = 0.03 * _turning(tune, n) + sign * 0.02 * _turning(tune - YOKOYA * xi, n)
            both += 2e-3 * (rng.normal(size=2) + 1j * rng.normal(size=2))
            mean = np.zeros(6)
            mean[[0, 2]], mean[[1, 3]] = both.real * rms[[0, 2]], -both.imag * rms[[1, 3]]
            detuned = tune - xi / (1 + amplitude[beam - 1] ** 2 / 4)
            moving = amplitude[beam - 1] * np.exp(1j * (2 * np.pi * detuned * n + start[beam - 1]))
            tracked = np.zeros((TRACKED, 6))
            tracked[:, [0, 2]], tracked[:, [1, 3]] = (
                moving.real * rms[[0, 2]],
                -moving.imag * rms[[1, 3]],
            )
            grown = 1 + GROWTH * n + 3e-5 * rng.normal(size=3)
            row |= {
                f"{beam}/mean": mean,
                f"{beam}/covariance": np.diag(rms**2 * np.repeat(grown, 2)),
                f"{beam}/moment3": np.zeros(6),
                f"{beam}/moment4": 3 * rms**4 * (1 + 1e-3 * rng.normal(size=6)),
                f"{beam}/emittance": emittance * grown,
                f"{beam}/particles": study.beam(beam).macroparticles,
                f"{beam}/losses": 0,
                f"{beam}/debunched": 0,
                f"{beam}/outside": np.zeros(len(study.ips)),
                f"{beam}/tracked": tracked[: study.model.records.tracked],
            }
        yield row


def _turning(tune: Any, turn: int) -> Any:
    return np.exp(2j * np.pi * tune * turn)


def snapshots(study: Study, last: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Slices, luminosity by pairs and fields of Gaussian bunches."""
    both = [np.linspace(1.5, -1.5, n) * study.beam(1).bunch_length for n in study.ips[0].slices]
    rms = np.array(study.beam(1).rms(0)[:4])
    shares = [np.exp(-(z**2) / (2 * 0.0755**2)) for z in both]
    for k in range(1, len(study.ips) + 1):
        pairs = np.outer(*(share / share.sum() for share in shares))
        yield f"pair_luminosity/{last}/ip{k}", {"": pairs * study.derived()["ips"][0]["luminosity"]}
        for beam, z in enumerate(both, 1):
            slices = len(z)
            table = {
                "count": np.full(slices, study.beam(beam).macroparticles / slices),
                "z": z,
                "mean": np.outer(np.sin(10 * z * beam), 0.02 * rms),
                "sigma": np.outer(np.sqrt(1 + (z / 0.55) ** 2), rms),
            }
            yield f"slices/{last}/ip{k}/beam{beam}", table
            yield f"field/{study.turns - 1}/ip{k}/beam{beam}", gaussian_field(study)


def gaussian_field(study: Study) -> dict[str, Any]:
    """Charge, potential and field of a round Gaussian on the mesh."""
    size = study.beam(1).size(0)[0]
    x, y = (np.linspace(-6, 6, n) * size for n in study.ips[0].grid)
    square = x[:, None] ** 2 + y[None, :] ** 2
    pull = -np.expm1(-square / (2 * size**2)) / square
    return {
        "x": x,
        "y": y,
        "charge": np.exp(-square / (2 * size**2)),
        "potential": -0.5 * np.log(square + size**2),
        "ex": pull * x[:, None],
        "ey": pull * y[None, :],
    }
