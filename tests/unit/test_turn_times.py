"""How long turns take: medians and intervals of all passes, and the best of several curves."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from phasewise.errors import StoppedError
from phasewise.machines.turn_tables import micros, show_remarks
from phasewise.machines.turn_times import (
    PASSES,
    RanksHere,
    TurnTime,
    best_protocols,
    columns,
    time_lines,
    time_turns,
)
from phasewise.study import Study
from tests.sentences import refused, says


class Runs:
    """A core whose runs take a time of their own, which drifts from pass to pass. interrupted: the
    number of runs after which an interrupt comes.
    """

    def __init__(self, missed: float = 0.0, interrupted: int = 0) -> None:
        self.started: list[int] = []
        self.missed = missed
        self.interrupted = interrupted

    def size(self) -> int:
        return 3

    def any(self, flag: bool) -> bool:
        return flag

    def start(self, parameters: str, _threads: int) -> Any:
        if len(self.started) + 1 == self.interrupted:
            os.kill(os.getpid(), signal.SIGINT)
        words = int(parameters.partition("halo.words = ")[2].split()[0])
        number = self.started.count(words)
        self.started.append(words)
        return Run(words * (1.0 + 0.01 * number), self.missed)


class Run:
    def __init__(self, seconds: float, missed: float) -> None:
        self.seconds, self.missed = seconds, missed

    def time(self, least: int, most: int, _seconds: float) -> dict[str, Any]:
        assert least <= most
        return {
            "turns": 1,
            "seconds": np.full(most, self.seconds),
            "missed": np.full(most, self.missed),
        }


def studies(*words: int) -> list[Study]:
    table = {"workload": "halo", "exchanges": 1}
    return [Study.from_dict(table | {"halo": {"words": n}}) for n in words]


def test_every_study_is_timed_in_every_pass_and_the_interval_holds_them_all() -> None:
    core: Any = Runs()
    found = time_turns(core, studies(10, 20, 30), repetitions=7)
    assert sorted(core.started) == [10] * PASSES + [20] * PASSES + [30] * PASSES
    orders = {tuple(core.started[i : i + 3]) for i in range(0, 3 * PASSES, 3)}
    assert len(orders) > 1
    for words, time in zip((10, 20, 30), found, strict=True):
        assert time.seconds == pytest.approx(words * 1.02)
        assert (time.low, time.high) == (pytest.approx(words), pytest.approx(words * 1.04))
        assert not time.noisy


def test_an_interrupt_keeps_the_times_that_were_measured() -> None:
    given = studies(10, 20, 30, 40)
    core: Any = Runs(interrupted=3)
    timed = time_lines(RanksHere(core, repetitions=3), [given[:1], given[1:2], given[2:]])
    assert len(core.started) == 3 and timed.head == {"unfinished": 1}
    found = {
        study.resolved()["halo"]["words"]: time.seconds
        for line in timed.lines
        for study, time in zip(*line, strict=True)
    }
    assert found == {words: pytest.approx(words) for words in core.started}
    core = Runs(interrupted=3)
    with refused("signal", by=StoppedError):
        time_turns(core, given)


def test_an_interrupt_before_anything_was_measured_is_a_sentence() -> None:
    class Nothing(RanksHere):
        def __call__(self, studies: Sequence[Study]) -> list[TurnTime | None]:
            return [None for _ in studies]

    core: Any = Runs()
    with refused("signal", "before", by=StoppedError):
        time_lines(Nothing(core), [studies(10)])


def test_ranks_that_come_too_late_make_a_time_noisy() -> None:
    core: Any = Runs(missed=1.0)
    timer = RanksHere(core, repetitions=3)
    (time,) = timer(studies(10))
    assert time is not None
    assert time.noisy
    assert timer.head == {"reference": "hardware", "ranks": 3, "threads": 1}
    assert columns([time])["noisy"] == [True]


def test_the_best_protocol_of_each_size_has_the_least_time() -> None:
    curves = [
        {"protocol": "a", "bytes": [8, 16], "seconds": [1.0, 3.0]},
        {"protocol": "b", "bytes": [16, 32], "seconds": [2.0, 9.0]},
    ]
    assert best_protocols(curves, "bytes") == {"8": "a", "16": "b", "32": "b"}


def curve(protocol: str, seconds: float = 1.5960e-2, **more: Any) -> dict[str, Any]:
    own = {"protocol": protocol, "bytes": [8], "seconds": [seconds], "noisy": [False]}
    return own | {"predicted": [1.01 * seconds]} | more


def remarks(capsys: pytest.CaptureFixture[str], *curves: dict[str, Any]) -> list[str]:
    stand_ins = {"shmem": "put", "coarray": "put"}
    result = {"reference": "simulator", "model": "contention", "left_out": {"neighbour": "reason"}}
    show_remarks(result | {"curves": curves, "stand_ins": stand_ins})
    return capsys.readouterr().err.splitlines()[1:]


def test_remarks_are_on_protocols_of_the_case_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert remarks(capsys, curve("put")) == []
    (own,) = remarks(capsys, curve("shmem"))
    says(own, "shmem", "put")
    first, left_out = remarks(capsys, curve("put"), curve("shmem"))
    assert first == own
    says(left_out, "neighbour", "left out", "reason")
    sums = [curve(name, messages="irecv-isend") for name in ("binomial", "library")]
    assert remarks(capsys, *sums) == []
    assert remarks(capsys, *sums, curve("node-aware", messages="shmem")) == [own]


def test_a_time_and_its_prediction_have_the_same_decimals() -> None:
    assert micros(curve("put"), 0) == "15960 [16120]"
    assert micros(curve("put", 4.3e-6), 0) == "4.300 [4.343]"
    assert micros(curve("put", 9.999e-6), 0) == "9.999 [10.099]"
    real = curve("put", 4.3e-6)
    del real["predicted"]
    assert micros(real | {"noisy": [True]}, 0) == "~4.3"
