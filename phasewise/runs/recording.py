"""Writes the output of a running study: records, snapshots, dumps, checkpoints."""

from __future__ import annotations

import time
from typing import Any

from phasewise.driver import Core
from phasewise.errors import RunError
from phasewise.mpi.ranks import AgreedError, on_rank_zero
from phasewise.output import message
from phasewise.runs.checkpoint import restore, write_checkpoint
from phasewise.runs.communication_file import write_communication
from phasewise.runs.folder import RunFolder
from phasewise.runs.kernel_times import communication_phases
from phasewise.runs.layout import (
    detail_of,
    expected_count,
    fault_of,
    remark_of,
    take_snapshots,
    write_dumps,
)
from phasewise.runs.memory_stream import measure_stream
from phasewise.runs.records import RecordsWriter, json_attribute
from phasewise.runs.simulation import Simulation
from phasewise.study.study import CPU
from phasewise.version import __version__


class RunRecorder:
    """The output of a run. Every rank has one and calls the same methods; rank 0 writes."""

    def __init__(self, simulation: Simulation, folder: RunFolder, core: Core, resume: bool) -> None:
        """Start a new record or, to resume, continue that in `folder` from its checkpoint."""
        self.folder = folder
        self.detail = ""
        self.count = simulation.study.count
        """How many turns the run is expected to have in all."""
        self._simulation, self._core = simulation, core
        self._run, self._study = simulation.driver, simulation.study
        self._dumps = folder.dumps(self._study.workload)
        if resume:
            self._resume()
        else:
            simulation.start()
        self._first_turn = simulation.turn
        self.start_clock()
        self._detail = detail_of(self._study)
        self._remark = remark_of(self._study)
        self._writer = on_rank_zero(core, lambda: self._open(resume))
        if not resume:
            write_dumps(self._dumps, self._run, core, self._study, at_start=True)

    def start_clock(self) -> None:
        """Start to measure the time per turn, and the time since the last checkpoint."""
        self._started = self._checkpointed = time.monotonic()

    def _resume(self) -> None:
        notes = restore(self.folder.checkpoints, self._run, self._core, self._study)
        self._simulation.resumed()
        for note in notes:
            message(f"phasewise: {note}")

    def _open(self, resume: bool) -> RecordsWriter:
        attributes: dict[str, Any] = {
            "study": json_attribute(self._study.resolved()),
            "derived": json_attribute(self._study.derived()),
            "version": __version__,
            "ranks": self._core.size(),
            "threads": self._simulation.threads,
        }
        path = self.folder.records
        if resume:
            return RecordsWriter.resume(path, self._study, attributes, self._run.turn)
        return RecordsWriter(path, self._study, attributes)

    def turn_done(self) -> None:
        """Record what the last turn has measured, say what there is to say of it, and write the
        snapshots and dumps that are due; collective.

        AgreedError if further turns make no sense, for example because a beam is lost.
        """
        record = self._run.record()
        self.detail = self._detail(record)
        self.count = expected_count(self._study, self._run.turn, record)
        if self._writer is not None:
            self._writer.append(self._run.turn - 1, record)
        if fault := fault_of(self._study, record):
            one = self._study.workload.unit.one
            said = f"{one} {self._run.turn - 1} (the first is 0): {fault}"
            raise AgreedError(said, RunError.exit_status)
        self._say(self._remark(record))
        take_snapshots(self._run, self._core, self._study, self._write)
        write_dumps(self._dumps, self._run, self._core, self._study)
        if self._run.turn == self._first_turn + 1:
            turns = self.count - self._first_turn
            self._stream((time.monotonic() - self._started) * turns)

    def _say(self, sentence: str) -> None:
        if sentence and self._core.rank() == 0:
            one = self._study.workload.unit.one
            message(f"warning: {one} {self._run.turn - 1} (the first is 0): {sentence}")

    def _stream(self, seconds: float) -> None:
        """Measure the bandwidth beside a run of this length [s], whose clock leaves it out."""
        simulation = self._simulation
        if self._run.device == CPU and simulation.batch == 1:
            self._started += measure_stream(
                self._core, simulation.processor, simulation.threads, seconds
            )

    def _write(self, group: str, values: Any) -> None:
        if self._writer is not None:
            self._writer.snapshot(group, values)

    def agree(self, stop: bool) -> bool:
        """Write a checkpoint if one is due; returns whether any rank was asked to stop.
        Collective.
        """
        records, turn = self._study.records, self._run.turn
        minutes = (time.monotonic() - self._checkpointed) / 60
        late = self._core.rank() == 0 and 0 < records.checkpoint_minutes <= minutes
        due = _due(turn, records.checkpoint_every)
        due = due or (self._simulation.ended and self._scheduled)
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
        write_checkpoint(self.folder.checkpoints, self._run, self._core, self._study)
        self._checkpointed = time.monotonic()

    def finish(self, complete: bool = True) -> None:
        """Close the records with the time per turn [s], and write the cost of kernels and phases
        beside them.

        Collective.
        """
        turns = self._run.turn - self._first_turn
        if complete and turns:
            self._stream(time.monotonic() - self._started)
        seconds = (time.monotonic() - self._started) / turns if turns else float("nan")
        if self._writer is not None:
            self._writer.close(complete, seconds)
            self._writer = None
            if turns:
                self._write_performance(turns, seconds)
        if turns:  # the figures of a run that had ended already stay
            self._write_communication()

    def _write_communication(self) -> None:
        folder, first_turn = self.folder.path, self._first_turn
        write_communication(folder, self._simulation, self._core, first_turn)

    def _write_performance(self, turns: int, seconds: float) -> None:
        unit = self._study.workload.unit
        performance = {
            unit.many: turns,
            f"seconds_per_{unit.one}": seconds,
            "ranks": self._core.size(),
            "threads": self._simulation.threads,
            "device": self._run.device,
            "device_buffers": self._run.device_buffers,
            "batch": self._simulation.batch,
            "phases": communication_phases(self._run),
            "kernels": list(self._run.kernels()),
        }
        self.folder.write_json("performance.json", performance)

    def abandon(self) -> None:
        """Close the files after a failure; does nothing after `finish`."""
        if self._writer is not None:
            self._writer.close_after_failure()
            self._writer = None


def _due(turn: int, every: int) -> bool:
    return every > 0 and turn % every == 0
