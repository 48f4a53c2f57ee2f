"""`phasewise bench halo`: seconds of an exchange over the words of a message, for each protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from phasewise.driver import Core, load_planner
from phasewise.machines.turn_times import RanksHere, Timer, TurnTime, best_protocols, columns
from phasewise.output import print_table
from phasewise.study import Study
from phasewise.study.reading import apply_override
from phasewise.workloads.halo.model import model_of
from phasewise.workloads.protocols import available

CASES = ("words",)

WORDS = tuple(2**power for power in range(1, 16))
FEWEST = {1: 2, 2: 4}
"""Fewest words of a message, by the rows that share them."""
MAX_BYTES = 2**29
"""Most memory of a rank's array [bytes]; longer messages are left out."""

COLUMNS = 6
"""Protocols in a table, which fits into 100 columns."""

Tables = dict[str, Any]


def run(
    core: Core, _case: str, overrides: Sequence[str], threads: int, turns: int | None
) -> dict[str, Any]:
    """Time exchanges of all sizes and protocols on the ranks of this run; collective."""
    return curves(RanksHere(core, threads, turns), overrides)


def curves(timer: Timer, overrides: Sequence[str]) -> dict[str, Any]:
    """Time them on the ranks of a timer. What an override sets is not varied."""
    lines = timer.agreed(lambda: _lines(overrides, timer.ranks))
    times = iter(timer([study for line in lines for study in line.studies]))
    found = [line.curve([next(times) for _ in line.studies]) for line in lines]
    plan = load_planner().plan(lines[0].studies[0].parameters(), timer.ranks)
    return {
        **timer.head,
        "grid": plan["process_grid"][0],
        "curves": found,
        "best": best_protocols(found, "words"),
    }


@dataclass(frozen=True)
class _Line:
    """Studies that differ in the words of a message."""

    studies: Sequence[Study]

    def curve(self, times: Sequence[TurnTime]) -> dict[str, Any]:
        """As JSON has it. bandwidth: what a rank sends in an exchange, over its time [B/s]."""
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


def _lines(overrides: Sequence[str], ranks: int) -> list[_Line]:
    """A curve for each protocol, with every size that the rows can share and memory allows."""
    given: Tables = {"workload": "halo", "exchanges": 1, "halo": {}, "communication": {}}
    for override in overrides:
        apply_override(given, override)
    own, communication = given["halo"], given["communication"]
    words = [own["words"]] if "words" in own else WORDS
    names = [communication["protocol"]] if "protocol" in communication else available()
    lines = []
    for name in names:
        studies = [_study(given, n, name) for n in words if n >= FEWEST.get(own.get("rows", 1), n)]
        for study in studies:
            study.check_ranks(ranks)
        lines.append(_Line([s for s in studies if model_of(s).memory_bytes <= MAX_BYTES]))
    return lines


def _study(given: Tables, words: int, protocol: str) -> Study:
    own = {"verify": False, **given["halo"], "words": words}
    communication = given["communication"] | {"protocol": protocol}
    return Study.from_dict(given | {"halo": own, "communication": communication})


def show(result: dict[str, Any]) -> None:
    """Print a measurement as tables; the fastest protocol of each size is marked."""
    grid = "x".join(map(str, result["grid"]))
    title = f"halo: {result['ranks']} ranks as {grid}, µs an exchange (*: fastest, ~: noisy)"
    for part in _batched(result["curves"], COLUMNS):
        rows = [
            [str(words), *(_cell(curve, index, result["best"]) for curve in part)]
            for index, words in enumerate(part[0]["words"])
        ]
        print_table(title, ["words", *(curve["protocol"] for curve in part)], rows)


def _batched(curves: Sequence[Tables], size: int) -> list[Sequence[Tables]]:
    """Consecutive parts of at most `size` curves."""
    return [curves[first : first + size] for first in range(0, len(curves), size)]


def _cell(curve: dict[str, Any], index: int, best: dict[str, str]) -> str:
    fastest = "*" if best[str(curve["words"][index])] == curve["protocol"] else ""
    mark = "~" if curve["noisy"][index] else ""
    return f"{mark}{curve['seconds'][index] * 1e6:.2f}{fastest}"
