"""`phasewise bench collectives`: seconds of each operator against its bytes. The library's
algorithms stand beside ours, blocking or started and finished, with the share of their time that
computing hides.

`blocking`, `started`: seconds of each algorithm; `hidden`: in addition the share of a collective's
time that computing of the same length hides, as the OSU benchmarks define it: 1 - (t - t_c) / t_p
of the time t of both together, t_c of the computing alone and t_p of the collective alone, between
0 and 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from phasewise.driver import Core
from phasewise.machines.turn_tables import micros, show_curves, show_remarks
from phasewise.machines.turn_times import (
    RanksHere,
    Timed,
    Timer,
    TurnTime,
    best_protocols,
    columns,
    time_lines,
)
from phasewise.output import number_of
from phasewise.report.benching import Bench
from phasewise.report.conventions import Counterpart
from phasewise.study import Study
from phasewise.study.reading import overridden
from phasewise.tables.declared import schema_of
from phasewise.workloads.collectives.choosing import algorithms
from phasewise.workloads.collectives.communication import CollectivesCommunication
from phasewise.workloads.collectives.model import OPERATORS, Collectives, model_of

SIZES = tuple(2**power for power in range(3, 21))
"""Bytes of a block."""
MAX_TOTAL = 2**26
"""Most bytes of a rank's blocks for all ranks; larger ones are left out."""
SUM_SIZES = (8, 16, 32, 64)
PROBE = 1e6
"""Flops by which the rate of the computing is measured."""

_NAMES = {
    "barrier": "barrier", "broadcast": "bcast", "allreduce": "allreduce",
    "reduce-scatter": "reduce_scatter", "allgather": "allgather", "alltoall": "alltoall",
    "reduce": "reduce", "gather": "gather", "scatter": "scatter",
}  # fmt: skip


def _counterparts(spelled: Callable[[str], str]) -> dict[str, Counterpart]:
    """A counterpart for each of _NAMES, spelled as these benchmarks do."""
    return {
        ours: Counterpart(
            spelled(name), blocks=ours == "reduce-scatter", started=spelled(f"i{name}")
        )
        for ours, name in _NAMES.items()
    }


CONVENTIONS = {"osu": _counterparts("osu_{}".format), "imb": _counterparts(str.capitalize)}
"""Our time is that of the last rank, `t_max` of the Intel MPI benchmarks; the OSU benchmarks print
the mean over the ranks. What they do not have, or do with other blocks, is left out.
"""

Tables = dict[str, Any]


def _hidden(timer: Timer, timed: Timed) -> list[list[float | None]]:
    """The share of each collective's time that computing of the same length hides; None where a
    signal came first.
    """
    none: list[list[float | None]] = [[None] * len(studies) for studies, _ in timed.lines]
    if timed.unfinished:
        return none
    probe = _changed(timed.lines[0][0][0], operator="barrier", work=PROBE, blocking=True)
    both, without = timer([probe, _changed(probe, work=0.0)])
    if both is None or without is None:
        return none
    rate = PROBE / max(both.seconds - without.seconds, 1e-9)
    pairs = [pair for line in timed.lines for pair in zip(*line, strict=True)]
    together = timer([_changed(study, work=rate * alone.seconds) for study, alone in pairs])
    shares = iter(
        None if time is None else _share(alone.seconds, time.seconds)
        for (_, alone), time in zip(pairs, together, strict=True)
    )
    return [[next(shares) for _ in studies] for studies, _ in timed.lines]


def _share(alone: float, together: float) -> float:
    """Share of a collective's time that is hidden by computing that takes as long."""
    return min(1.0, max(0.0, 1.0 - (together - alone) / alone))


def _changed(study: Study, **keys: Any) -> Study:
    tables = dict(study.resolved())
    own = dict(tables["collectives"]) | keys
    communication = dict(tables["communication"])
    if own["operator"] == "barrier" and "operator" in keys:
        communication["algorithm"] = "library"
    return Study.from_dict(tables | {"collectives": own, "communication": communication})


def _lines(case: str, overrides: Sequence[str], timer: Timer) -> list[list[Study]]:
    """The curves of a case, studies that differ in their bytes."""
    schemas = {
        "collectives": schema_of(Collectives),
        "communication": schema_of(CollectivesCommunication),
    }
    given: Tables = overridden(overrides, schemas)
    own, communication = given["collectives"], given["communication"]
    lines = []
    for operator in [own["operator"]] if "operator" in own else OPERATORS:
        keys = {"verify": False, "blocking": case == "blocking", **own, "operator": operator}
        sizes = _sizes(operator, own, timer.ranks)
        first = model_of(_study(given, keys | {"bytes": 8}, {"algorithm": "library"}))
        chosen = communication.get("algorithm")
        lines += [
            [_study(given, keys | {"bytes": size}, {"algorithm": name}) for size in sizes]
            for name in ([chosen] if chosen else algorithms(first, timer.protocols))
        ]
    for line in lines:
        for study in line:
            study.check_ranks(timer.ranks)
    return lines


def _sizes(operator: str, own: Tables, ranks: int) -> Sequence[int]:
    if "bytes" in own:
        return [own["bytes"]]
    if operator == "barrier":
        return [8]
    if operator == "sum":
        return SUM_SIZES
    return [size for size in SIZES if size * ranks <= MAX_TOTAL]


def _study(given: Tables, own: Tables, change: Tables) -> Study:
    communication = given["communication"] | change
    usual = {"workload": "collectives", "exchanges": 1}
    return Study.from_dict(usual | given | {"collectives": own, "communication": communication})


def _curve(line: Sequence[Study], times: Sequence[TurnTime]) -> dict[str, Any]:
    """The curve as JSON has it; bandwidth: bytes of a block over the time."""
    models = [model_of(study) for study in line]
    chosen = line[0].communication.tunable()
    return {
        "operator": models[0].operator,
        "protocol": chosen["algorithm"],
        "messages": chosen["protocol"],
        "pairs": None,
        "bytes": [model.bytes for model in models],
        **columns(times),
        "bandwidth": [m.bytes / t.seconds for m, t in zip(models, times, strict=True)],
    }


class CollectivesBench(Bench):
    """Its benchmark."""

    CASES = ("blocking", "started", "hidden")
    CONVENTIONS = CONVENTIONS

    def run(
        self, core: Core, case: str, overrides: Sequence[str], threads: int, turns: int | None
    ) -> dict[str, Any]:
        """Time all operators and algorithms on the ranks of this run; collective."""
        return self.curves(RanksHere(core, threads, turns), case, overrides)

    def curves(self, timer: Timer, case: str, overrides: Sequence[str]) -> dict[str, Any]:
        """Time them on the ranks of a timer. What an override sets is not varied."""
        lines = timer.agreed(lambda: _lines(case, overrides, timer))
        timed = time_lines(timer, lines)
        found = [_curve(*line) for line in timed.lines]
        if case == "hidden":
            hidden = _hidden(timer, timed)
            for curve, shares in zip(found, hidden, strict=True):
                curve["hidden"] = shares
            without = sum(shares.count(None) for shares in hidden)
            timed = Timed(timed.lines, timed.unfinished + without)
        operators = dict.fromkeys(curve["operator"] for curve in found)
        by_operator = {
            name: best_protocols([c for c in found if c["operator"] == name], "bytes")
            for name in operators
        }
        return {
            **timer.head,
            **timed.head,
            "grid": [timer.ranks, 1],
            "blocking": case == "blocking",
            "curves": found,
            "best": by_operator[next(iter(operators))],
            "best_by_operator": by_operator,
        }

    def show(self, result: dict[str, Any]) -> None:
        """Print tables for each operator: microseconds, and the share that computing hides."""
        way = "blocking" if result["blocking"] else "started and finished"
        for operator in dict.fromkeys(curve["operator"] for curve in result["curves"]):
            own = [curve for curve in result["curves"] if curve["operator"] == operator]
            name = own[0].get("benchmark", operator)
            title = f"{name}, {number_of(result['ranks'], 'rank')}, {way}: time of the last rank"
            cells = {"µs": micros} | ({"hidden": _hidden_share} if "hidden" in own[0] else {})
            show_curves(result, own, title, "bytes", cells)
        show_remarks(result)


def _hidden_share(curve: Mapping[str, Any], at: int) -> str:
    share = curve["hidden"][at]
    return "" if share is None else f"{100 * share:.0f} %"
