"""What a run writes while it goes: records, snapshots, particle dumps, checkpoints."""

from __future__ import annotations

import io
import time
from typing import Any

import numpy as np

from phasewise.driver import Core
from phasewise.mpi.ranks import on_rank_zero
from phasewise.output import message
from phasewise.runs.checkpoint import restore, write_checkpoint
from phasewise.runs.folder import RunFolder
from phasewise.runs.records import RecordsWriter, json_attribute
from phasewise.runs.simulation import Simulation
from phasewise.study.derived import derive
from phasewise.traces.writing import write_communication
from phasewise.version import __version__
from phasewise.workloads.collision.openpmd import write_dump
from phasewise.workloads.collision.summary import LuminosityUnit


class Recording:
    """The written side of a run. Every rank has one and calls the same methods; rank 0 writes."""

    def __init__(self, simulation: Simulation, folder: RunFolder, core: Core, resume: bool) -> None:
        """A new record, or, to resume, that of `folder` gone on with from its checkpoint."""
        self.folder = folder
        self.detail = ""
        self._simulation, self._core = simulation, core
        self._driver, self._study = simulation.driver, simulation.study
        if resume:
            self._resume()
        else:
            simulation.start()
        self._first_turn, self._started = simulation.turn, time.monotonic()
        self._checkpointed = self._started
        self._unit = LuminosityUnit(self._study.resolved(), derive(self._study).to_dict())
        self._writer = on_rank_zero(core, lambda: self._open(resume))
        if not resume and self._study.records.particles_every:
            write_dump(folder.particles, self._driver, core, self._study)

    def _resume(self) -> None:
        notes = restore(self.folder.checkpoints, self._driver, self._core, self._study)
        self._simulation.resumed()
        for note in notes:
            message(f"phasewise: {note}")

    def _open(self, resume: bool) -> RecordsWriter:
        attributes: dict[str, Any] = {
            "study": json_attribute(self._study.resolved()),
            "derived": json_attribute(derive(self._study).to_dict()),
            "version": __version__,
            "ranks": self._core.size(),
            "threads": self._simulation.threads,
        }
        path = self.folder.records
        if resume:
            return RecordsWriter.resume(path, self._study, attributes, self._driver.turn)
        return RecordsWriter(path, self._study, attributes)

    def turn_done(self) -> None:
        """Keep what the turn just done has measured, and what is due after it; collective."""
        records, turn = self._study.records, self._driver.turn
        record = self._driver.record()
        self.detail = self._unit.show(float(record["luminosity"][0]))
        if self._writer is not None:
            self._writer.append(turn - 1, record)
        self._snapshots(turn - 1)
        last = turn == self._study.turns
        if records.particles_every and (turn % records.particles_every == 0 or last):
            write_dump(self.folder.particles, self._driver, self._core, self._study)

    def _snapshots(self, turn: int) -> None:
        records = self._study.records
        points = [k for k, ip in enumerate(self._study.ips, 1) if ip.model != "none"]
        for k in points:
            if _due(turn, records.slices_every):
                for beam, values in self._driver.slices(k).items():
                    self._write(f"slices/{turn}/ip{k}/beam{beam}", values)
            if _due(turn, records.pair_luminosity_every):
                values = {"": self._driver.pair_luminosity(k)}
                self._write(f"pair_luminosity/{turn}/ip{k}", values)
        if records.field and turn == self._study.turns - 1 and self._study.has_field:
            for beam in (1, 2):
                self._write(f"field/{turn}/ip1/beam{beam}", self._field(beam))

    def _write(self, group: str, values: Any) -> None:
        if self._writer is not None:
            self._writer.snapshot(group, values)

    def _field(self, beam: int) -> dict[str, Any]:
        """The field of the middle slice on rank 0, from the lowest rank that holds the beam."""
        here = self._driver.slice_field(1, beam, (self._study.ips[0].slices + 1) // 2)
        holders = [r for r, has in enumerate(self._core.gather(b"1" if here else b"")) if has]
        lowest = int(self._core.broadcast(str(min(holders, default=-1)).encode()))
        data = io.BytesIO()
        if self._core.rank() == lowest:
            np.savez(data, **dict(here))  # type: ignore[arg-type]
        parts = self._core.gather(data.getvalue())
        if lowest < 0 or self._core.rank() != 0:
            return {}
        with np.load(io.BytesIO(parts[lowest])) as arrays:
            return dict(arrays)

    def agree(self, stop: bool) -> bool:
        """Write a checkpoint if one is due; whether any rank was asked to stop. Collective."""
        records, turn = self._study.records, self._driver.turn
        minutes = (time.monotonic() - self._checkpointed) / 60
        late = self._core.rank() == 0 and 0 < records.checkpoint_minutes <= minutes
        due = _due(turn, records.checkpoint_every)
        due = due or (turn == self._study.turns and self._scheduled)
        if self._core.any(stop or late):
            if self._core.any(stop):
                return True
            due = True
        if due:
            self.checkpoint()
        return False

    @property
    def _scheduled(self) -> bool:
        records = self._study.records
        return records.checkpoint_every > 0 or records.checkpoint_minutes > 0

    def checkpoint(self) -> None:
        """Write a checkpoint, with the records up to it safe on the disk first; collective."""
        if self._writer is not None:
            self._writer.sync()
        write_checkpoint(self.folder.checkpoints, self._driver, self._core, self._study)
        self._checkpointed = time.monotonic()

    def finish(self, complete: bool = True) -> None:
        """Close the records, with the time a turn took [s]; what the turns done cost beside them.

        Collective.
        """
        turns = self._driver.turn - self._first_turn
        seconds = (time.monotonic() - self._started) / turns if turns else float("nan")
        if self._writer is not None:
            self._writer.close(complete, seconds)
            self._writer = None
            if turns:
                self._write_performance(turns, seconds)
        if turns:  # what a run that had ended already has cost stays
            self._write_communication()

    def _write_communication(self) -> None:
        folder, first_turn = self.folder.path, self._first_turn
        write_communication(folder, self._simulation, self._core, first_turn)

    def _write_performance(self, turns: int, seconds: float) -> None:
        performance = {
            "turns": turns,
            "seconds_per_turn": seconds,
            "ranks": self._core.size(),
            "threads": self._simulation.threads,
            "phases": list(self._driver.phases()),
            "kernels": list(self._driver.kernels()),
        }
        self.folder.write_json("performance.json", performance)

    def abandon(self) -> None:
        """Let go of the files after a failure; nothing after `finish`."""
        if self._writer is not None:
            self._writer.close_after_failure()
            self._writer = None


def _due(turn: int, every: int) -> bool:
    return every > 0 and turn % every == 0
