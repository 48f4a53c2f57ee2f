"""The roof of a kernel is that of the memory level in which its data lie."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from phasewise.runs.roof import MEMORY, Cache, find_caches, level_of, measure
from phasewise.runs.timing import _kernel

KIB = 1 << 10
CACHES = [Cache("L1", 32 * KIB, 1), Cache("L2", 1024 * KIB, 1), Cache("L3", 16384 * KIB, 64)]


class Machine:
    """Bandwidths by size: each cache is four times as fast as the next."""

    def __init__(self, threads: int) -> None:
        self.asked: list[int] = []
        self.edges = [32 * KIB * threads, 1024 * KIB * threads, 16384 * KIB]

    def measure_roof(self, threads: int = 1) -> dict[str, float]:
        return {
            "flops_per_second": 1e9 * threads,
            "single_flops_per_second": 2e9,
            "bytes_per_second": 0.9e9,
        }

    def measure_bandwidth(self, _threads: int, bytes: int) -> float:  # noqa: A002
        self.asked.append(bytes)
        return 64e9 / 4 ** sum(bytes >= edge for edge in self.edges)


@pytest.fixture(autouse=True)
def many_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 64)


@pytest.mark.parametrize("threads", [1, 4])
def test_each_level_has_the_bandwidth_of_arrays_that_only_it_holds(threads: int) -> None:
    machine = Machine(threads)
    roof = measure(machine, threads, CACHES)
    assert [level["name"] for level in roof["levels"]] == ["L1", "L2", "L3", MEMORY]
    assert [level["bytes"] for level in roof["levels"]] == [*machine.edges, None]
    assert [level["bytes_per_second"] for level in roof["levels"]] == [64e9, 16e9, 4e9, 1e9]
    assert machine.asked[-1] >= 4 * machine.edges[-1]


class Shared(Machine):
    """Its largest cache has room for a quarter of its size: others use it too."""

    def measure_bandwidth(self, threads: int, bytes: int) -> float:  # noqa: A002
        return super().measure_bandwidth(threads, 4 * bytes if bytes > 1024 * KIB else bytes)


def test_a_cache_that_others_use_too_comes_in_parts_of_their_own_bandwidth() -> None:
    roof = measure(Shared(1), 1, CACHES)
    shown = [(level["name"], level["bytes"]) for level in roof["levels"]]
    assert shown[2:] == [("L3", 4096 * KIB), ("L3", 16384 * KIB), (MEMORY, None)]
    rates = [level_of(roof, size * KIB)["bytes_per_second"] for size in (3000, 5000, 99999)]
    assert rates == [4e9, 1e9, 1e9]


def test_a_working_set_lies_in_the_smallest_level_that_holds_it() -> None:
    roof = measure(Machine(1), 1, CACHES)
    sizes = {32 * KIB: "L1", 33 * KIB: "L2", 5000 * KIB: "L3", 1e9: MEMORY}
    assert {size: level_of(roof, size)["name"] for size in sizes} == sizes


def test_without_known_caches_memory_is_the_only_level(tmp_path: Path) -> None:
    assert find_caches(tmp_path) == []
    roof = measure(Machine(1), 1, [])
    assert [level["name"] for level in roof["levels"]] == [MEMORY]
    assert level_of(roof, 1.0)["bytes_per_second"] == 1e9


def test_caches_are_those_for_data(tmp_path: Path) -> None:
    listed = [("Data", 1, "48K", "0,32"), ("Instruction", 1, "32K", "0,32")]
    listed += [("Unified", 2, "2048K", "0,32"), ("Unified", 3, "32M", "0-7,32-39")]
    for index, values in enumerate(listed):
        folder = tmp_path / f"index{index}"
        folder.mkdir()
        names = ("type", "level", "size", "shared_cpu_list")
        for name, value in zip(names, values, strict=True):
            (folder / name).write_text(f"{value}\n")
    assert find_caches(tmp_path) == [
        Cache("L1", 48 * KIB, 2),
        Cache("L2", 2048 * KIB, 2),
        Cache("L3", 32768 * KIB, 16),
    ]


def test_a_kernel_is_held_against_the_level_of_its_calls() -> None:
    roof = measure(Machine(1), 1, CACHES)
    counts: dict[str, Any] = {
        "name": "clear",
        "items": 4e6,
        "flops": 0.0,
        "bytes": 32e6,
        "additions": 0.0,
        "single": False,
    }
    # 100 calls of 320 000 bytes, which L2 holds, at half of its 16 GB/s.
    after = counts | {"seconds": 32e6 / 8e9, "calls": 100.0, "working_sets": 32e6}
    found = _kernel(after, None, 1, roof, {})
    assert (found["level"], found["working_set"]) == ("L2", 320_000.0)
    assert found["roof_share"] == pytest.approx(0.5)
    none = counts | dict.fromkeys(("seconds", "calls", "working_sets", "items", "bytes"), 0.0)
    idle = _kernel(none, None, 1, roof, {})
    assert (idle["roof_share"], idle["level"]) == (0.0, None)
