"""The measured roof of the machine, by memory level: a kernel whose data lie in a cache is faster
than main memory, so it is compared with that cache.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from phasewise.errors import RunError, StudyError
from phasewise.output import describe
from phasewise.study.kernels import Kernels
from phasewise.study.study import CUDA
from phasewise.workload.interface import Workload

CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
MEMORY = "memory"
TO_DEVICE, TO_HOST = "to_device", "to_host"
"""Kernels that copy between the host's memory and a device's."""
HOST, BUS = "host", "bus"
"""What bounds those kernels of a run on a device that the device's roof does not bound."""
LEAST_MEMORY = 1 << 28
"""Least bytes of the arrays in main memory; they are four times the largest cache if that is
more.
"""
SIZE = re.compile(r"[0-9]+[KMG]")
PART = 1.15
"""Each part of a cache is faster than the next larger one by at least this factor."""
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True)
class Cache:
    """A level of caches for data: its name, bytes of one cache, and processors that share it."""

    name: str
    size: int
    shared_by: int


@dataclass(frozen=True)
class Level:
    """A memory level, or a part of one: how many bytes it holds, and its bandwidth [B/s]."""

    name: str
    bytes: float
    bytes_per_second: float


class Measuring(Protocol):
    """The part of the core that measures the host."""

    def measure_roof(self, threads: int = 1) -> dict[str, float]: ...
    def measure_bandwidth(self, threads: int, bytes: int) -> float: ...  # noqa: A002


class DeviceMeasuring(Protocol):
    """The part of the core that measures a device."""

    def measure_device(self, cuda: bool, number: int = 0) -> dict[str, Any]: ...


def find_caches(folder: Path = CACHES) -> list[Cache]:
    """The caches for data of a processor, the smallest first; none if the system hides them."""
    found = []
    for index in sorted(folder.glob("index*")):
        try:
            words = {
                name: (index / name).read_text(encoding="ascii").strip()
                for name in ("type", "level", "size", "shared_cpu_list")
            }
        except OSError:
            continue
        if words["type"] != "Instruction" and SIZE.fullmatch(words["size"]):
            size = int(words["size"][:-1]) * UNITS[words["size"][-1]]
            found.append(Cache(f"L{words['level']}", size, _length(words["shared_cpu_list"])))
    return sorted(found, key=lambda cache: cache.size)


def _length(listed: str) -> int:
    """How many processors are in a list such as 0-3,8."""
    ends = ([int(end) for end in part.split("-")] for part in listed.split(","))
    return sum(pair[-1] - pair[0] + 1 for pair in ends)


def measure(core: Measuring, threads: int, caches: Sequence[Cache] | None = None) -> dict[str, Any]:
    """The roof of a number of threads: `flops_per_second`, and `single_flops_per_second` in single
    precision, `bytes_per_second` of a triad in main memory, and `levels`, the smallest first; a
    cache that is slower for larger data is divided into parts with the same name. It takes some
    seconds.
    """
    levels: list[Level] = []
    below = 0.0
    for cache in find_caches() if caches is None else caches:
        instances = min(threads, max(1, (os.cpu_count() or 1) // cache.shared_by))
        holds = float(cache.size * instances)
        levels += _parts(core, threads, cache.name, _sizes(below, holds))
        below = holds
    size = max(LEAST_MEMORY, 4 * below)
    levels.append(Level(MEMORY, math.inf, core.measure_bandwidth(threads, int(size))))
    return {**core.measure_roof(threads), "levels": [_shown(level) for level in levels]}


def measure_device(core: DeviceMeasuring, device: str) -> dict[str, Any]:
    """What the core finds that a device can do; StudyError if there is no such device, RunError if
    it fails.
    """
    try:
        return core.measure_device(device == CUDA)
    except ValueError as error:
        raise StudyError(str(error)) from error
    except (RuntimeError, MemoryError) as error:
        raise RunError(f"device {device} cannot be measured: {describe(error)}") from error


def of_device(core: DeviceMeasuring, device: str) -> dict[str, Any]:
    """The measured roof of a device; errors are as in `measure_device`."""
    return from_rates(measure_device(core, device))


def from_rates(rates: Mapping[str, Any]) -> dict[str, Any]:
    """The roof of a device with these rates, in the form of `measure`, and with
    `additions_per_second`: additions to the nodes of a few meshes. Its memory is its one level.
    """
    level = _shown(Level(MEMORY, math.inf, rates["bytes_per_second"]))
    # Nothing that runs on a device has kernels in single precision.
    return {**rates, "single_flops_per_second": rates["flops_per_second"], "levels": [level]}


def _sizes(below: float, holds: float) -> list[float]:
    """Sizes, each twice the one before, whose halves fit into a level but not into the one below; a
    single size for the smallest level.
    """
    sizes = [holds]
    while 0 < 2 * below < sizes[0] / 2:
        sizes.insert(0, sizes[0] / 2)
    return sizes


def _parts(core: Measuring, threads: int, name: str, sizes: Sequence[float]) -> list[Level]:
    """A cache, divided into parts if it is slower for larger data: a cache that is shared with
    other programs, or with other guests of a machine, holds less than its size.

    Each size is measured with half as many bytes, which surely fit. A size that is not faster than
    the next larger part by PART belongs to it, and the part has the higher of their rates.
    """
    parts: list[Level] = []
    for size in reversed(sizes):
        rate = core.measure_bandwidth(threads, int(size / 2))
        if parts and rate < PART * parts[0].bytes_per_second:
            best = max(rate, parts[0].bytes_per_second)
            parts[0] = replace(parts[0], bytes_per_second=best)
        else:
            parts.insert(0, Level(name, size, rate))
    return parts


def _shown(level: Level) -> dict[str, Any]:
    """A level as JSON can hold it: main memory, which holds any size, has null bytes."""
    shown = asdict(level)
    return shown | {"bytes": None if math.isinf(level.bytes) else level.bytes}


def computed_by_host(workload: Workload) -> tuple[str, ...]:
    """Kernels of a workload that the host computes where the others run on a device."""
    return workload.part(Kernels).ON_HOST


def bound_elsewhere(workload: Workload) -> dict[str, str]:
    """The kernels of a run on a device that its roof does not bound, and what does: HOST or BUS."""
    return {**dict.fromkeys(computed_by_host(workload), HOST), TO_DEVICE: BUS, TO_HOST: BUS}


def held_against(roof: Mapping[str, Any], kernel: Mapping[str, Any]) -> dict[str, Any]:
    """A kernel's calls, as `Run.kernels` counts them, compared with a roof: the working set of a
    call [bytes], the memory level that holds it (None without calls), what bounds the kernel, and
    the share of that bound. Additions to values that threads share can bound only kernels of a
    device.
    """
    calls, seconds = kernel["calls"], kernel["seconds"]
    working_set = kernel["working_sets"] / calls if calls > 0 else 0.0
    level = level_of(roof, working_set)
    rate = roof["single_flops_per_second" if kernel["single"] else "flops_per_second"]
    bounds = {
        "flops": kernel["flops"] / rate,
        "bandwidth": kernel["bytes"] / level["bytes_per_second"],
    }
    if "additions_per_second" in roof:
        bounds["additions"] = kernel["additions"] / roof["additions_per_second"]
    bound = max(bounds, key=lambda name: bounds[name])
    return {
        "working_set": working_set,
        "level": level["name"] if calls > 0 else None,
        "bound": bound,
        "roof_share": bounds[bound] / seconds if seconds > 0 else 0.0,
    }


def level_of(roof: Mapping[str, Any], working_set: float) -> Mapping[str, Any]:
    """The fastest level of a roof that holds a number of bytes."""
    levels: list[Mapping[str, Any]] = roof["levels"]
    return next(one for one in levels if one["bytes"] is None or working_set <= one["bytes"])
