"""`phasewise bench commtest`: seconds and bandwidth of the operators over the length of a message.

`lengths`: 8 B to 16 MiB, each protocol; `packets`: messages in pieces of several sizes; `pairs`:
the lengths, between near, far and many pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from phasewise.driver import Core
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
from phasewise.output import alike, number_of
from phasewise.report.benching import Bench
from phasewise.report.conventions import Counterpart
from phasewise.report.curve_table import label_of
from phasewise.study import Study
from phasewise.study.reading import overridden
from phasewise.tables.declared import schema_of
from phasewise.workloads.commtest.communication import (
    MAX_PIECES,
    CommtestCommunication,
    pieces,
)
from phasewise.workloads.commtest.model import OPERATORS, Commtest, model_of
from phasewise.workloads.commtest.pairs import fits

PACKETS_CASE, PAIRS_CASE = "packets", "pairs"

LENGTHS = tuple(2**power for power in range(3, 25))
LONG = tuple(2**power for power in range(12, 25, 2))
"""Lengths that are divided into packets [bytes]."""
PACKETS = (0, *(2**power for power in range(10, 21, 2)))
"""Sizes of packets that are compared [bytes]; 0: the message is one piece."""
PAIRS = ("0-1", "0-8", "i-(i+8), i=0..7")
"""Pairs that are compared, those of the source; pairs of ranks that the run lacks are left out."""
MAX_MEMORY = 2**28
"""Most memory of a rank for its messages [bytes]; longer messages are left out."""

CONVENTIONS = {
    "osu": {"echo": Counterpart("osu_latency", 0.5), "stream": Counterpart("osu_bw")},
    "imb": {
        "echo": Counterpart("PingPong", 0.5),
        "swap": Counterpart("Sendrecv"),
        "stream": Counterpart("Uniband"),
    },
}
"""Both print half of a round trip."""

Tables = dict[str, Any]


@dataclass(frozen=True)
class _Line:
    """Studies that differ in the length of a message."""

    studies: Sequence[Study]

    def curve(self, times: Sequence[TurnTime]) -> dict[str, Any]:
        """The curve as JSON has it."""
        models = [model_of(study) for study in self.studies]
        communication = self.studies[0].communication
        bandwidth = [m.bandwidth(t.seconds) for m, t in zip(models, times, strict=True)]
        return {
            "operator": models[0].operator,
            "protocol": communication.tunable()["protocol"],
            "packet": communication.tunable()["packet"],
            "pairs": models[0].pairs,
            "window": models[0].window,
            "bytes": [model.bytes for model in models],
            **columns(times),
            "bandwidth": bandwidth,
            "message_rate": [b / model.bytes for b, model in zip(bandwidth, models, strict=True)],
        }


def _lines(case: str, overrides: Sequence[str], timer: Timer) -> list[_Line]:
    """The curves of a case; lengths that memory or the number of packets forbids are left out."""
    schemas = {"commtest": schema_of(Commtest), "communication": schema_of(CommtestCommunication)}
    given: Tables = overridden(overrides, schemas)
    own, communication = given["commtest"], given["communication"]
    in_packets, of_pairs = case == PACKETS_CASE, case == PAIRS_CASE and "pairs" not in own
    lengths = [own["bytes"]] if "bytes" in own else LONG if in_packets else LENGTHS
    protocols = protocols_of(timer, communication)
    lines = []
    for operator, pairs, protocol, packet in product(
        [own["operator"]] if "operator" in own else OPERATORS,
        [pairs for pairs in PAIRS if fits(pairs, timer.ranks)] if of_pairs else [None],
        protocols,
        PACKETS if in_packets and "packet" not in communication else [None],
    ):
        changes = {"operator": operator} | ({} if pairs is None else {"pairs": pairs})
        manner = {"protocol": protocol} | ({} if packet is None else {"packet": packet})
        divided = [n for n in lengths if not in_packets or n > (packet or 0)]
        studies = [_study(given, changes | {"bytes": length}, manner) for length in divided]
        lines.append(_Line([study for study in studies if _is_possible(study, timer.ranks)]))
    possible = [line for line in lines if line.studies]
    nothing = f"nothing of case {case} can be measured on {timer.ranks} ranks"
    if not lines:
        raise StudyError(f"{nothing}, since no pair of ranks or no length fits; give more --ranks")
    if not possible:
        raise StudyError(
            f"{nothing}: bench takes at most {MAX_MEMORY} bytes of messages a rank, in at most "
            f"{MAX_PIECES} packets"
        )
    return possible


def _study(given: Tables, changes: Tables, manner: Tables) -> Study:
    own = {"verify": False, **given["commtest"], **changes}
    communication = given["communication"] | manner
    usual = {"workload": "commtest", "exchanges": 1}
    return Study.from_dict(usual | given | {"commtest": own, "communication": communication})


def _is_possible(study: Study, ranks: int) -> bool:
    model, packet = model_of(study), study.communication.tunable()["packet"]
    if pieces(model, packet) > MAX_PIECES or model.memory_bytes > MAX_MEMORY:
        return False
    study.check_ranks(ranks)
    return True


class CommtestBench(Bench):
    """Its benchmark."""

    CASES = ("lengths", PACKETS_CASE, PAIRS_CASE)
    CONVENTIONS = CONVENTIONS
    CONVENTION_KEYS = ("commtest.window=64",)

    def run(
        self, core: Core, case: str, overrides: Sequence[str], threads: int, turns: int | None
    ) -> dict[str, Any]:
        """Time all lengths, operators and protocols on the ranks of this run; collective."""
        return self.curves(RanksHere(core, threads, turns), case, overrides)

    def curves(self, timer: Timer, case: str, overrides: Sequence[str]) -> dict[str, Any]:
        """Time them on the ranks of a timer. What an override sets is not varied."""
        lines = timer.agreed(lambda: _lines(case, overrides, timer))
        timed = time_lines(timer, [line.studies for line in lines])
        found = [_Line(studies).curve(times) for studies, times in timed.lines]
        operators = dict.fromkeys(curve["operator"] for curve in found)
        first = [curve for curve in found if curve["pairs"] == found[0]["pairs"]]
        by_operator = {
            name: best_protocols([c for c in first if c["operator"] == name], "bytes")
            for name in operators
        }
        return {
            **timer.head,
            **timed.head,
            "grid": [timer.ranks, 1],
            "curves": found,
            "best": by_operator[next(iter(operators))],
            "best_by_operator": by_operator,
        }

    def show(self, result: dict[str, Any]) -> None:
        """Print tables for each operator and pairs: microseconds of an exchange, MB/s of a pair."""
        kinds = dict.fromkeys((curve["operator"], curve["pairs"]) for curve in result["curves"])
        for operator, pairs in kinds:
            own = [c for c in result["curves"] if (c["operator"], c["pairs"]) == (operator, pairs)]
            ranks = number_of(result["ranks"], "rank")
            name = own[0].get("benchmark", operator)
            what = "time of an exchange" if name == operator else "time as it prints it"
            title = f"{name} between {pairs}, {ranks}: {what}, bandwidth of a pair"
            show_curves(result, own, title, "bytes", CELLS, label_of)
        show_remarks(result)


def _megabytes(curve: Mapping[str, Any], at: int) -> str:
    return alike(curve["bandwidth"][at] / 1e6)[0]


CELLS = {"µs": micros, "MB/s": _megabytes}
