"""What `phasewise bench` asks of a workload: the contracts `Bench` and `Batches`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from phasewise.driver import Core
from phasewise.errors import StudyError
from phasewise.machines.turn_times import Timer
from phasewise.output import print_json, print_table
from phasewise.report.conventions import Convention
from phasewise.tables.keys import nearest
from phasewise.workload.discovery import with_part
from phasewise.workload.interface import Part

if TYPE_CHECKING:
    # Matplotlib would take tens of megabytes in every rank that is measured.
    from phasewise.report.figure import Drawing

Measured = dict[str, Any]
"""What ``--json`` prints of a measurement."""


class Bench(Part):
    """The benchmark of a workload."""

    MODULE = "bench"
    CASES: tuple[str, ...] = ()
    """Its problem sizes, the usual one first."""
    PRECISION: str = ""
    """The key that ``--precision`` sets."""
    CONVENTIONS: Mapping[str, Convention] = {}
    """The other benchmarks in whose terms ``--convention`` prints the curves."""
    CONVENTION_KEYS: tuple[str, ...] = ()
    """Keys, as ``--set`` takes them, with the values that those benchmarks have by default."""

    def run(
        self, core: Core, case: str, overrides: Sequence[str], threads: int, turns: int | None
    ) -> Measured:
        """Measure a case; collective."""
        raise StudyError(f"bench {self.workload.name} measures nothing on real ranks")

    def show(self, result: Measured) -> None:
        """Print a measurement in tables."""
        print_json(result)

    def curves(self, timer: Timer, case: str, overrides: Sequence[str]) -> Measured:
        """Measure a case on the ranks of a timer, for ``--machine``."""
        raise StudyError(f"bench {self.workload.name} runs on real ranks alone")

    def show_points(self, results: Sequence[Measured]) -> None:
        """Print the measurements of several cases or numbers of ranks in one table."""
        print_json({"points": list(results)})

    def rates(self, result: Measured) -> dict[str, float]:
        """The rates that ``--together`` compares, by name; a higher rate is better. By default they
        are the inverse of `seconds_per_<unit>`, or of the seconds at each point of the curves.
        """
        unit = self.workload.unit
        if f"seconds_per_{unit.one}" in result:
            return {f"{unit.many} per second": 1.0 / result[f"seconds_per_{unit.one}"]}
        return _rates_of_curves(result)


class Batches(Part):
    """The benchmark of several studies of a workload at once, for ``--batch``."""

    MODULE = "batches"

    def run(
        self,
        core: Core,
        case: str,
        overrides: Sequence[str],
        threads: int,
        turns: int | None,
        sizes: Sequence[int],
    ) -> Measured:
        """Measure batches with these numbers of studies."""
        raise StudyError(f"bench {self.workload.name} runs one study")

    def show(self, result: Measured) -> None:
        """Print the measurement in tables."""
        print_json(result)

    def draw(self, result: Measured) -> Drawing:
        """The picture of the measurement."""
        raise StudyError(f"bench {self.workload.name} draws no batches")

    def sentence(self, result: Measured) -> str:
        """What a page answers."""
        return "The table has what was measured."


def able(can: Callable[[Bench], object]) -> str:
    """The workloads whose benchmark can do something."""
    return ", ".join(name for name, part in with_part(Bench).items() if can(part))


def precise(part: Bench) -> str:
    """Whether it has several precisions."""
    return part.PRECISION


def shows_points(part: Bench) -> bool:
    """Whether it takes several cases and numbers of ranks."""
    return part.overrides(Bench.show_points)


def has_curves(part: Bench) -> bool:
    """Whether it measures times over sizes."""
    return part.overrides(Bench.curves)


def show_kernels(kernels: Iterable[Measured], turn: str) -> None:
    """Print kernels in their order, with their time in a turn, whose name is given."""
    rows = [
        [one["name"], f"{1e3 * one['seconds']:.3f}", f"{one['gigaflops']:.2f}",
         f"{one['gigabytes_per_second']:.2f}", str(one["level"]), f"{100 * one['roof_share']:.0f}"]
        for one in kernels
    ]  # fmt: skip
    heads = ["kernel", f"ms a {turn}", "Gflop/s", "GB/s", "level", "% of roof"]
    print_table("kernels on rank 0", heads, rows)


def has_conventions(part: Bench) -> object:
    """Whether it can print times as another benchmark does."""
    return part.CONVENTIONS


def chosen_cases(part: Bench, given: str | None) -> list[str]:
    """The given cases, or the usual one; StudyError if there is no such case."""
    cases, name = part.CASES, part.workload.name
    chosen = [cases[0]] if given is None else given.split(",")
    for case in chosen:
        if case not in cases:
            raise StudyError(f'--case "{case}" is no case of {name}{nearest(case, cases)}')
    return list(dict.fromkeys(chosen))


def precision_override(part: Bench, given: str | None) -> list[str]:
    """The override that ``--precision`` stands for; StudyError if there is one precision."""
    if given is None:
        return []
    if not part.PRECISION:
        raise StudyError(
            f"bench {part.workload.name} has one precision; --precision is for {able(precise)}"
        )
    return [f"{part.PRECISION}={given}"]


def _rates_of_curves(result: Measured) -> dict[str, float]:
    rates = {}
    for curve in result.get("curves", ()):
        sizes = curve.get("words", curve.get("bytes"))
        if not isinstance(sizes, list):
            sizes, seconds = [sizes], [curve["seconds"]]
        else:
            seconds = curve["seconds"]
        named = (curve.get(key) for key in ("operator", "protocol", "pairs"))
        words = [str(word) for word in named if word is not None]
        for size, time in zip(sizes, seconds, strict=True):
            rates[" ".join([*words, str(size)])] = 1.0 / time
    return rates
