"""Runs that tune themselves on a clock of their own: how a turn exchanges is what it costs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from phasewise.runs.folder import RunFolder
from phasewise.runs.recording import RunRecorder
from phasewise.runs.simulation import Simulation
from phasewise.runs.tuner import AutoTuner
from phasewise.runs.tuning_file import read_tuning
from phasewise.study import Study
from tests.unit.fake_core import FakeRank, World, tables
from tests.unit.fake_run import FakeSimulation

Cost = Callable[[dict[str, str], int], float]
"""Time of a turn [s] from the parameters in use, without their prefix, and the rank."""

GIVEN = {"reduce": "hypercube", "broadcast": "hypercube", "crossing": "4a", "overlap": "0"}

REFUSAL = "{} cannot be used here"
"""What a core says of a way to exchange that it refuses."""


def keep_choices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder, below `tmp_path`, of the choices that the runs of a test keep."""
    monkeypatch.setenv("PHASEWISE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tuning"


class TimedSimulation(FakeSimulation):
    """Turns that take as long as the way to exchange costs, on a clock of their own."""

    now = 0.0
    used = GIVEN
    cost: Cost | None = None
    refuses = ""

    def set_communication(self, parameters: str) -> None:
        values = (line.split(" = ") for line in parameters.splitlines())
        used = {key.removeprefix("communication."): value for key, value in values}
        if self.refuses and self.refuses in used.values():
            raise ValueError(REFUSAL.format(self.refuses))
        self.used = used

    def step(self) -> None:
        super().step()
        self.now += self.cost(self.used, self._rank) if self.cost else 1.0


class TimedRank:
    """A rank whose simulations are timed ones."""

    def __init__(self, rank: FakeRank, cost: Cost, refuses: str = "") -> None:
        self._inner, self._cost, self._refuses = rank, cost, refuses

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def start(self, parameters: str, threads: int = 1) -> TimedSimulation:
        made: Any = self._inner.start(parameters, threads)
        made.__class__ = TimedSimulation
        made.cost, made.refuses = self._cost, self._refuses
        return cast(TimedSimulation, made)


def study(turns: int = 120, **communication: Any) -> Study:
    keys = {"tune": "auto"} | communication
    return Study.from_dict(tables() | {"turns": turns, "communication": keys})


def steady(_used: dict[str, str], _rank: int) -> float:
    """Every way takes the same time."""
    return 0.01


def run(
    folder: Path,
    cost: Cost = steady,
    plan: Study | None = None,
    ranks: int = 4,
    resume: bool = False,
    refuses: Callable[[int], str] = lambda _rank: "",
    turns: int | None = None,
) -> dict[str, Any]:
    """Step a study to its end, or for so many turns; what its tuning.json says."""
    chosen = plan or study()

    def body(fake: FakeRank) -> None:
        rank: Any = TimedRank(fake, cost, refuses(fake.rank()))
        place = RunFolder(folder)
        simulation = Simulation(chosen, core=rank)
        driver: Any = simulation.driver
        if rank.rank() == 0:
            place.prepare(chosen, None, resume)
        rank.barrier()
        recording = RunRecorder(simulation, place, rank, False)
        tuner = AutoTuner(simulation, place, rank, resume, clock=lambda: driver.now)
        last = chosen.turns if turns is None else turns
        while simulation.turn < last:
            tuner.step()
            recording.turn_done()
        if last < chosen.turns:
            tuner.close()
        recording.finish()
        assert tuner.searching == (last < chosen.turns)
        if rank.rank() == 0:
            place.release()

    World(ranks).run(body)
    found = read_tuning(RunFolder(folder))
    assert found is not None
    return found


def faster(**gains: float) -> Cost:
    """A turn of 10 ms, times a factor for each key (as reduce_mesh) that is in use."""
    factors = {tuple(name.split("_", 1)): factor for name, factor in gains.items()}

    def cost(used: dict[str, str], _rank: int) -> float:
        seconds = 0.01
        for (key, value), factor in factors.items():
            if used[key] == value:
                seconds *= factor
        return seconds

    return cost
