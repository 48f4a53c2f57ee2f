"""What `phasewise bench` asks of a workload: the contracts `Bench` and `Batches`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from phasewise.driver import Core
from phasewise.errors import StudyError
from phasewise.machines.turn_times import Timer
from phasewise.output import print_json
from phasewise.report.conventions import Convention
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
