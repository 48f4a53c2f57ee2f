"""`phasewise bench halo`: seconds of an exchange over the words of a message, for each protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from phasewise.driver import Core, load_planner
from phasewise.errors import StudyError
from phasewise.machines.turn_tables import micros, show_curves, show_remarks
from phasewise.machines.turn_times import (
    RanksHere,
    Timer,
    TurnTime,
    best_protocols,
    columns,
    protocols_of,
    time_lines,
)
from phasewise.output import number_of
from phasewise.report.benching import Bench
from phasewise.study import Study
from phasewise.study.reading import overridden
from phasewise.tables.declared import schema_of
from phasewise.workloads.halo.model import Halo, HaloCommunication, model_of

WORDS = tuple(2**power for power in range(1, 16))
FEWEST = {1: 2, 2: 4}
"""Fewest words of a message, by the rows that share them."""
MAX_BYTES = 2**29
"""Most memory of a rank's array [bytes]; longer messages are left out."""

Tables = dict[str, Any]


@dataclass(frozen=True)
class _Line:
    """Studies that differ in the words of a message."""

    studies: Sequence[Study]

    def curve(self, times: Sequence[TurnTime]) -> dict[str, Any]:
        """The curve as JSON has it. bandwidth: what a rank sends in an exchange, over its time
        [B/s].
        """
        models = [model_of(study) for study in self.studies]
        sent = [4 * model.message_bytes for model in models]
        return {
            "operator": "halo",
            "protocol": self.studies[0].communication.tunable()["protocol"],
            "pairs": None,
            "words": [model.words for model in models],
            **columns(times),
            "bandwidth": [b / t.seconds for b, t in zip(sent, times, strict=True)],
        }


def _lines(overrides: Sequence[str], timer: Timer) -> list[_Line]:
    """A curve for each protocol, with every size that the rows can share and memory allows."""
    schemas = {"halo": schema_of(Halo), "communication": schema_of(HaloCommunication)}
    given: Tables = {"workload": "halo", "exchanges": 1, **overridden(overrides, schemas)}
    own, communication = given["halo"], given["communication"]
    fewest = FEWEST[own.get("rows", 1)]
    words = [own["words"]] if "words" in own else [n for n in WORDS if n >= fewest]
    lines = []
    for name in protocols_of(timer, communication):
        studies = [_study(given, n, name) for n in words]
        for study in studies:
            study.check_ranks(timer.ranks)
        fitting = [s for s in studies if model_of(s).memory_bytes <= MAX_BYTES]
        if not fitting:
            raise StudyError(
                f"halo.words = {words[0]} takes an array of {model_of(studies[0]).memory_bytes} "
                f"bytes a rank, and bench takes at most {MAX_BYTES}"
            )
        lines.append(_Line(fitting))
    return lines


def _study(given: Tables, words: int, protocol: str) -> Study:
    own = {"verify": False, **given["halo"], "words": words}
    communication = given["communication"] | {"protocol": protocol}
    return Study.from_dict(given | {"halo": own, "communication": communication})


class HaloBench(Bench):
    """Its benchmark."""

    CASES = ("words",)

    def run(
        self, core: Core, case: str, overrides: Sequence[str], threads: int, turns: int | None
    ) -> dict[str, Any]:
        """Time exchanges of all sizes and protocols on the ranks of this run; collective."""
        return self.curves(RanksHere(core, threads, turns), case, overrides)

    def curves(self, timer: Timer, _case: str, overrides: Sequence[str]) -> dict[str, Any]:
        """Time them on the ranks of a timer. What an override sets is not varied."""
        lines = timer.agreed(lambda: _lines(overrides, timer))
        timed = time_lines(timer, [line.studies for line in lines])
        found = [_Line(studies).curve(times) for studies, times in timed.lines]
        plan = load_planner().plan(lines[0].studies[0].parameters(), timer.ranks)
        return {
            **timer.head,
            **timed.head,
            "grid": plan["process_grid"][0],
            "curves": found,
            "best": best_protocols(found, "words"),
        }

    def show(self, result: dict[str, Any]) -> None:
        """Print a measurement as tables; the fastest protocol of each size is marked."""
        grid = "x".join(map(str, result["grid"]))
        title = (
            f"halo: {number_of(result['ranks'], 'rank')} as {grid}, time of an exchange, *: fastest"
        )

        def cell(curve: Mapping[str, Any], at: int) -> str:
            fastest = result["best"][str(curve["words"][at])] == curve["protocol"]
            return f"{micros(curve, at)}{'*' if fastest else ''}"

        show_curves(result, result["curves"], title, "words", {"µs": cell})
        show_remarks(result)
