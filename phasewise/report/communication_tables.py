"""Tables of the communication: how the run used its ranks, and what each phase cost."""

from __future__ import annotations

import math
from typing import Any

from phasewise.models.plan import EACH_TURN
from phasewise.report.planned import planned_phases
from phasewise.report.reported_run import ReportedRun
from phasewise.report.tables import Table
from phasewise.study.laboratory import pieces_name
from phasewise.traces.efficiency import (
    Efficiency,
    PhaseCost,
    Spread,
    efficiency,
    node_size_of,
    phase_costs,
    share_on_node,
)
from phasewise.traces.records import CommunicationRecord

AGREES, DIFFERS, UNPLANNED, SAMPLED = "equal", "DIFFERS", "–", "sampled"


def communication_tables(run: ReportedRun) -> list[Table]:
    """How the ranks were used, and the phases; none if no communication was recorded."""
    record = run.communication
    if record is None:
        return []
    costs = phase_costs(record)
    return [_use(record), _counts(run, record, costs), _times(record, costs)]


def _use(record: CommunicationRecord) -> Table:
    found = efficiency(record)
    size = node_size_of(record.node)
    nodes = len(set(record.node.tolist()))
    share = share_on_node(record.traffic, record.node)
    turn = record.seconds / max(record.turns, 1)
    plane = all(len(shape) == 2 for shape in record.process_grid)
    rows = [
        ("times", record.source),
        ("ranks", str(record.ranks)),
        ("nodes", str(nodes) if size is None else f"{nodes}, of {size} ranks"),
        (f"process grid{', Prow x Pcol' if plane else ''}", record.grid_text),
        ("layout", record.layout),
        ("exchange", ", ".join(f"{key} {value}" for key, value in record.algorithms.items())),
        (f"time of {record.unit.indefinite}, without records and checkpoints",
         f"{_milliseconds(turn)} ms"),
        ("load balance, mean / largest computing time", _percent(found.load_balance)),
        ("communication efficiency, largest computing time / run time",
         _percent(found.communication_efficiency)),
        ("parallel efficiency, the product of the two", _percent(found.parallel_efficiency)),
        *_split(record, found),
        ("share of communication, mean over the ranks", _percent(found.communicating)),
        ("of which waiting", _percent(found.waiting)),
        ("share of the volume that stays on a node", _percent(share)),
    ]  # fmt: skip
    return Table("Use of the ranks", ("", ""), tuple(rows), words=True)


def _split(record: CommunicationRecord, found: Efficiency) -> list[tuple[str, str]]:
    """The two factors of the communication efficiency, which only a simulator can tell apart."""
    if not record.simulated:
        return []
    ideal = "with messages that take no time"
    need = "simulate it with --ideal"
    return [
        (f"serialisation efficiency, largest computing time / run time {ideal}",
         need if found.serialisation is None else _percent(found.serialisation)),
        (f"transfer efficiency, run time {ideal} / run time",
         need if found.transfer is None else _percent(found.transfer)),
    ]  # fmt: skip


def _counts(run: ReportedRun, record: CommunicationRecord, costs: tuple[PhaseCost, ...]) -> Table:
    plan = planned_phases(run, record)
    rows = tuple(
        (
            f"{cost.name} *" if cost.library else cost.name,
            _number(cost.calls / record.ranks),
            _number(cost.messages),
            _number(1e-6 * cost.bytes),
            f"{100 * cost.share:.2f}",
            *_against_plan(run, record, cost, plan.get(cost.name, [])),
        )
        for cost in costs
        if cost.communicates
    )
    heads = (
        f"per {record.unit.one}", "calls of a rank", "messages", "MB", "% of the time",
        "messages of a rank", "as planned",
    )  # fmt: skip
    note = (
        "Messages and MB are sums over the ranks; for a library collective (*) they are what was "
        "asked for. The messages of a rank are those of the one that sends most; recorded and "
        "planned are compared in messages and bytes over the whole run."
    )
    return Table("What the phases sent", heads, rows, note)


def _against_plan(
    run: ReportedRun, record: CommunicationRecord, cost: PhaseCost, planned: list[dict[str, Any]]
) -> tuple[str, str]:
    """Messages per turn of the rank that sends most, and whether they agree with the plan."""
    phase = record.phase(cost.name)
    assert phase is not None
    turns = max(record.turns, 1)
    ranks = {int(entry["rank"]) for entry in planned}
    if len(ranks) != 1 or planned[0].get("library") or phase.library:
        return _number(float(phase.messages.max()) / turns), UNPLANNED
    rank = ranks.pop()
    recorded = int(phase.messages[rank]), int(phase.bytes[rank])
    verdict = _verdict(run, record, recorded, planned)
    return _number(recorded[0] / turns), verdict


def _verdict(
    run: ReportedRun,
    record: CommunicationRecord,
    recorded: tuple[int, int],
    planned: list[dict[str, Any]],
) -> str:
    """Whether a rank's messages and bytes agree with the entries of a plan. Those of some steps,
    scaled to all, need not.
    """
    if record.sampled:
        return SAMPLED
    first, *others = planned
    if others or first["per"] == EACH_TURN:
        times = [_times_of(record, entry) for entry in planned]
        expected = tuple(
            sum(n * int(entry[key]) for n, entry in zip(times, planned, strict=True))
            for key in ("messages", "bytes_per_rank")
        )
        return AGREES if recorded == expected else DIFFERS
    # These messages are sent for each data-dependent piece, so that their number gives the number
    # of pieces.
    messages, size = int(first["messages"]), int(first["bytes_per_rank"])
    count, rest = divmod(recorded[0], messages) if messages else (0, recorded[0])
    agrees = rest == 0 and recorded[1] == count * size
    return f"{AGREES}, {count} {pieces_name(run.workload, first['per'])}" if agrees else DIFFERS


def _times_of(record: CommunicationRecord, entry: dict[str, Any]) -> int:
    """How often an entry of a plan came in the whole run."""
    turns = max(record.turns, 1)
    if entry["per"] == EACH_TURN:
        return turns
    return round(record.pieces.get(str(entry["piece"]), 0.0) * turns)


def _times(record: CommunicationRecord, costs: tuple[PhaseCost, ...]) -> Table:
    shown = [c for c in costs if c.computing.most or c.communicating.most]
    rows = tuple(
        (cost.name, *map(_spread, (cost.computing, cost.communicating, cost.waiting)))
        for cost in shown
    )
    note = (
        f"Least / mean / largest over the ranks, ms per {record.unit.one}. Waiting, a part of "
        "communicating, lasts until a late partner has begun to send; a dash stands for none, or "
        f"for messages that do not say when their senders began. Source: {record.source}."
    )
    heads = ("", "computing", "communicating", "waiting")
    return Table("Time in phases and kernels", heads, rows, note)


def _spread(values: Spread) -> str:
    if values.most == 0 or math.isnan(values.most):
        return "–"
    return " / ".join(map(_milliseconds, (values.least, values.mean, values.most)))


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.4g}" if 1e3 * seconds < 1e4 else f"{1e3 * seconds:.0f}"


def _number(value: float) -> str:
    if value >= 1e4 or value == int(value):
        return f"{value:,.0f}".replace(",", "\N{NO-BREAK SPACE}")
    return f"{value:.4g}"


def _percent(share: float | None) -> str:
    return "–" if share is None or math.isnan(share) else f"{100 * share:.1f} %"
