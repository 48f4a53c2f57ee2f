"""How long the kernels of a turn take on a machine: `[kernels]` of its file
(docs/measuring-machines.md).

A rate is the time of one unit of a kernel's work, measured with all ranks of a node at work, which
share its memory. It depends on one size. The workloads define names and units
(`phasewise.study.kernels`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from phasewise.driver import Core
from phasewise.errors import StudyError
from phasewise.study.kernels import Kernels
from phasewise.study.study import CPU
from phasewise.tables.declared import check_needed
from phasewise.tables.keys import Key, check_table, convert, plain, show
from phasewise.workload.discovery import with_part
from phasewise.workload.interface import Part

_SIZE = Key("number", least=0, most=1e15)
_SECONDS = Key("number", least=0, most=10, unit="s", hint="the unit is seconds, for one item")


@dataclass(frozen=True)
class KernelRate:
    """Seconds per unit ("item", "flop" or "byte") at increasing sizes."""

    unit: str
    sizes: tuple[float, ...]
    seconds: tuple[float, ...]

    def at(self, size: float) -> float:
        """Seconds per unit, linear in log(size) between the sizes measured, constant beyond."""
        logs = np.log(np.maximum(self.sizes, 1.0))
        return float(np.interp(np.log(max(size, 1.0)), logs, self.seconds))


class Measuring(Part):
    """How the kernels of a workload are timed."""

    MODULE = "measuring"

    def cases(self) -> Sequence[str]:
        """The names of what is timed, in order."""
        return ()

    def device_cases(self) -> Sequence[str]:
        """Those of the cases that are timed on a device too, where kernels run on one."""
        return ()

    def time_case(
        self, core: Core, threads: int, case: str, seconds: float, device: str = CPU
    ) -> dict[str, Any] | None:
        """The timing of a case, ready for JSON, in about so many seconds; it runs on all ranks at
        once, since they share the memory.
        """
        return None

    def rates(self, timed: Mapping[str, Mapping[str, Any]]) -> dict[str, KernelRate]:
        """The rates that follow from the timings that there are, by case."""
        return {}


@dataclass(frozen=True)
class Rated:
    """A name that a rate may have: the unit of its time, and the nearest other names."""

    unit: str
    nearest: tuple[str, ...]


@cache
def rated() -> dict[str, Rated]:
    """Every name that a rate may have, of all workloads."""
    found: dict[str, Rated] = {}
    for part in with_part(Kernels).values():
        for base, unit in part.UNITS.items():
            for variant, others in part.VARIANTS.items():
                found[base + variant] = Rated(unit, tuple(base + other for other in others))
    return found


def rates_by_size(
    timed: Mapping[str, Mapping[str, Any]],
    size_of: Callable[[str], float],
    rate_of: Callable[[str], str],
    units: Mapping[str, str],
) -> dict[str, KernelRate]:
    """Rates from the timings of kernels, at the sizes of the cases in which they were timed.

    timed: for each case its "kernels". size_of: the size of a case. rate_of: the rate that a
    kernel has. units: the unit of each rate, of which a kernel's entry has the number, as "flops".
    """
    found: dict[str, dict[float, float]] = {}
    for case, values in timed.items():
        size = size_of(case)
        for kernel, times in values["kernels"].items():
            name = rate_of(kernel)
            if name in units and times["items"] > 0:
                seconds = times["seconds"] / float(times[f"{units[name]}s"])
                found.setdefault(name, {}).setdefault(size, seconds)
    return {
        name: KernelRate(units[name], tuple(points), tuple(points.values()))
        for name, points in ((name, dict(sorted(own.items()))) for name, own in found.items())
    }


def find_rate(rates: Mapping[str, KernelRate], name: str) -> KernelRate | None:
    """The rate of this name, or of the nearest variant; None if none was measured."""
    known = rated().get(name)
    names = (name, *(known.nearest if known else ()))
    return next((rates[choice] for choice in names if choice in rates), None)


def read_kernels(table: object, where: str = "kernels") -> dict[str, KernelRate]:
    """The rates of a machine file's table `[kernels]`, or of another one like it; StudyError, one
    sentence, if one is wrong.
    """
    schema = dict.fromkeys(rated(), Key("table"))
    return {
        name: _rate(name, value, f"{where}.{name}")
        for name, value in check_table(table, schema, where).items()
    }


def _rate(name: str, table: Mapping[str, Any], where: str) -> KernelRate:
    unit = rated()[name].unit
    key = f"seconds_per_{unit}"
    schema = {
        "sizes": Key("any", needed="the list of the sizes at which it was timed"),
        key: Key("any", needed="the list of its times at these sizes"),
    }
    given = check_table(table, schema, where)
    check_needed(given, schema, where)
    sizes = _numbers(given["sizes"], _SIZE, f"{where}.sizes")
    seconds = _numbers(given[key], _SECONDS, f"{where}.{key}")
    if len(sizes) != len(seconds):
        raise StudyError(
            f"{where}.{key} has {len(seconds)} numbers and {where}.sizes {len(sizes)}: give one "
            "for each size"
        )
    if list(sizes) != sorted(set(sizes)):
        raise StudyError(f"{where}.sizes = {show(sizes)} must increase")
    return KernelRate(unit, sizes, seconds)


def _numbers(given: object, key: Key, where: str) -> tuple[float, ...]:
    values = plain(given)
    if not isinstance(values, list | tuple) or not values:
        raise StudyError(f"{where} must be a list of {key.plural}, but is {show(values)}")
    return tuple(float(convert(value, key, where)) for value in values)


def kernel_tables(rates: Mapping[str, KernelRate], where: str = "kernels") -> list[str]:
    """The lines of a machine file that `read_kernels` reads back as `rates`."""
    lines: list[str] = []
    for name, rate in rates.items():
        lines += [
            f"[{where}.{name}]",
            f"sizes = {_row(rate.sizes, 8)}",
            f"seconds_per_{rate.unit} = {_row(rate.seconds, 4)}",
            "",
        ]
    return lines


def _row(values: Sequence[float], digits: int) -> str:
    return "[" + ", ".join(f"{value:.{digits}g}" for value in values) + "]"
