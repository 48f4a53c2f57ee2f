"""Cores that move while a machine is measured, and the launches that are repeated."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from phasewise.driver import load_planner
from phasewise.machines.core_distance import CoreWatch, core_distances, together
from phasewise.machines.journal import Journal
from phasewise.mpi.launch import TooLongError
from tests.sentences import says

NEAR, FAR = (45e-9,), (190e-9,)


class Host:
    """A computer whose cores are where `places` says, from each moment [s] on."""

    def __init__(self, *places: tuple[float, tuple[float, ...]]) -> None:
        self.places, self.time = places, 0.0

    def look(self) -> tuple[float, ...]:
        return [place for since, place in self.places if since <= self.time][-1]

    def launch(self, seconds: float) -> Callable[[float], float]:
        """A launch of this length, which returns when it began."""

        def timed(_: float) -> float:
            began = self.time
            self.sleep(seconds)
            return began

        return timed

    def sleep(self, seconds: float) -> None:
        self.time += seconds

    def watch(self, first: Sequence[float] = ()) -> CoreWatch:
        return CoreWatch(self.look, tuple(first), now=lambda: self.time, sleep=self.sleep)


def test_a_launch_without_moves_counts_and_nothing_is_said() -> None:
    host = Host((0.0, NEAR))
    watch = host.watch()
    assert watch.steady(host.launch(3.0), 60.0) == 0.0
    assert watch.first == NEAR and watch.sentence == ""


def test_a_launch_during_which_cores_move_is_repeated_when_they_are_back() -> None:
    host = Host((0.0, NEAR), (2.0, FAR), (10.0, NEAR))
    watch = host.watch()
    assert watch.steady(host.launch(3.0), 60.0) >= 10.0
    assert watch.repeated == 1 and not watch.elsewhere
    says(watch.sentence, "45 ns", "repeated: 1")


def test_a_launch_waits_for_cores_that_are_elsewhere() -> None:
    host = Host((0.0, FAR), (5.0, NEAR))
    watch = host.watch(NEAR)
    assert 5.0 <= watch.steady(host.launch(3.0), 60.0) < 6.0
    assert watch.repeated == 0


def test_cores_that_stay_away_end_the_wait_and_a_sentence_says_so() -> None:
    host = Host((0.0, FAR))
    watch = host.watch(NEAR)
    watch.steady(host.launch(3.0), 60.0)
    assert host.time <= 60.0
    says(watch.sentence, "45 ns", "190 ns", "measure again")


def test_cores_that_stay_away_take_two_minutes_of_a_long_limit() -> None:
    host = Host((0.0, FAR))
    host.watch(NEAR).steady(host.launch(3.0), 1000.0)
    assert host.time <= 120.0


def test_a_launch_that_begins_elsewhere_is_told_even_if_the_cores_are_back_at_its_end() -> None:
    host = Host((0.0, FAR), (31.0, NEAR))
    watch = host.watch(NEAR)
    assert watch.steady(host.launch(20.0), 60.0) < 31.0
    assert watch.elsewhere == [FAR]
    says(watch.sentence, "45 ns", "190 ns", "measure again")


def test_a_launch_counts_if_there_is_no_time_to_repeat_it() -> None:
    host = Host((0.0, NEAR), (10.0, FAR))
    began = iter([0.0])

    def timed(left: float) -> float:
        if left < 21.0:
            raise TooLongError("no time")
        host.sleep(20.0)
        return next(began)

    watch = host.watch(NEAR)
    assert watch.steady(timed, 41.0) == 0.0
    assert watch.elsewhere == [FAR]
    with pytest.raises(TooLongError):
        host.watch(FAR).steady(timed, 1.0)


def test_the_first_launch_waits_for_nothing() -> None:
    host = Host((0.0, NEAR))
    looks = iter([NEAR, NEAR])
    CoreWatch(lambda: next(looks)).steady(host.launch(3.0), 60.0)
    assert not list(looks)


def test_distances_of_more_or_fewer_cores_are_not_compared() -> None:
    assert together((), NEAR) and together((1e-7, 1e-7), NEAR)
    assert together((45e-9, 50e-9), (60e-9, 40e-9)) and not together((45e-9, 50e-9), (45e-9, 2e-7))


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one core")
def test_a_cache_line_takes_nanoseconds_and_the_caller_keeps_its_cores() -> None:
    before = os.sched_getaffinity(0)
    found = next(filter(None, (core_distances(load_planner()) for _ in range(5))))
    assert 1 <= len(found) <= 4 and min(found) > 1e-9
    assert os.sched_getaffinity(0) == before


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one core")
def test_a_busy_machine_does_not_make_its_cores_seem_farther_apart() -> None:
    load = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(load) for _ in os.sched_getaffinity(0)]
    try:
        found = [core_distances(load_planner()) for _ in range(5)]
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert any(distances and max(distances) < 1e-6 for distances in found)


def test_distances_of_cores_that_are_too_busy_are_not_known() -> None:
    class Busy:
        def seconds_between_cores(self, first: int, second: int) -> float:
            return 1e-3

    assert core_distances(Busy()) == ()


def test_a_core_that_is_not_there_has_no_distance() -> None:
    for first, second in ((0, 0), (0, -1), (0, 100_000)):
        assert not load_planner().seconds_between_cores(first, second) > 0.0


def test_a_measurement_that_goes_on_compares_with_the_distance_of_its_beginning(
    tmp_path: Path,
) -> None:
    path = tmp_path / "here.partial.jsonl"
    Journal(path, {}, resume=False).add({"nodes": [0, 0], "rates": {}, "cores": list(NEAR)})
    assert Journal(path, {}, resume=True).cores() == NEAR
    assert Journal(path, {}, resume=False).cores() == ()
