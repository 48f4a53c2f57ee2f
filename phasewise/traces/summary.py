"""What the phases of a run cost: the numbers of ``run --json``, and the table at a run's end."""

from __future__ import annotations

import math
from typing import Any

from phasewise.output import number_of, print_table
from phasewise.traces.efficiency import Efficiency, efficiency, phase_costs
from phasewise.traces.records import CommunicationRecord


def communication_summary(record: CommunicationRecord) -> dict[str, Any]:
    """`communication` of ``run --json``: means over the ranks, for all turns of the record.

    Each phase has seconds and waiting [s], messages and bytes sent, and its share of the run's
    time; waiting is None if nothing says when a message's sender began. For a phase with `library`,
    messages are its calls and bytes the volume that the library was asked to send. The efficiencies
    are null if no computing was recorded; `serialisation` and `transfer` are there for a run that
    was also simulated with messages that take no time.
    """
    whole = efficiency(record)
    return {
        "seconds": whole.communicating * record.seconds,
        "share": whole.communicating,
        "phases": {
            cost.name: {
                "seconds": cost.communicating.mean * record.turns,
                "share": cost.share,
                "waiting": _known(cost.waiting.mean * record.turns, cost.library),
                "messages": cost.messages * record.turns / record.ranks,
                "bytes": cost.bytes * record.turns / record.ranks,
                "library": cost.library,
            }
            for cost in phase_costs(record)
            if cost.communicates
        },
        "load_balance": whole.load_balance,
        "communication_efficiency": whole.communication_efficiency,
        **_split(whole),
    }


def _known(waiting: float, library: bool) -> float | None:
    return None if library or math.isnan(waiting) else waiting


def _split(whole: Efficiency) -> dict[str, float]:
    if whole.serialisation is None or whole.transfer is None:
        return {}
    return {"serialisation": whole.serialisation, "transfer": whole.transfer}


def show_communication(record: CommunicationRecord) -> None:
    """Print what each phase cost as a table, and the efficiency of the run in a line."""
    whole = efficiency(record)
    costs = [cost for cost in phase_costs(record) if cost.communicates]
    spreads = [
        (cost.communicating, math.nan if cost.library else cost.waiting.mean) for cost in costs
    ]
    times = [(spread.least, spread.mean, spread.most, wait) for spread, wait in spreads]
    unit, scale = _unit(max((row[2] for row in times), default=0.0) * record.turns)
    rows = [
        [
            cost.name + ("*" if cost.library else ""),
            f"{100 * cost.share:.1f}",
            *(_short(seconds * record.turns * scale) for seconds in row),
            _short(cost.messages / record.ranks),
            _short(cost.bytes / record.ranks / 1e6),
        ]
        for cost, row in zip(costs, times, strict=True)
    ]
    title = (
        f"Communication: {100 * whole.communicating:.1f} % of {record.seconds:.3g} s, "
        f"{record.unit.of(record.turns)} on {number_of(record.ranks, 'rank')}"
    )
    print_table(title, ["phase", "% run", "min", "mean", "max", "wait", "count", "MB"], rows)
    print(f"process grid {record.grid_text}, layout {record.layout}")
    sent = f"sent by a rank in {record.unit.indefinite}"
    print(f"min, mean, max, wait: in {unit}, over the ranks; count, MB: {sent}")
    if any(cost.library for cost in costs):
        print("* done by the MPI library: count is its calls, MB the volume asked for")
    if whole.load_balance is not None:
        print(
            f"load balance {whole.load_balance:.2f} x "
            f"communication efficiency {whole.communication_efficiency:.2f} = "
            f"parallel efficiency {whole.parallel_efficiency:.2f}"
        )
    if whole.serialisation is not None:
        print(
            f"communication efficiency = serialisation {whole.serialisation:.2f} x "
            f"transfer {whole.transfer:.2f}"
        )


def _unit(longest: float) -> tuple[str, float]:
    """Unit in which the longest time [s] is at least 1, and how many of it make a second."""
    if longest >= 1:
        return "s", 1.0
    return ("ms", 1e3) if longest >= 1e-3 else ("µs", 1e6)


def _short(value: float) -> str:
    """A number of at least 0 in at most 7 characters, so that a table fits 80 columns; a dash for
    NaN.
    """
    if math.isnan(value):
        return "–"
    if value >= 1000:
        return f"{value:.0f}" if value < 1e7 else f"{value:.1e}"
    return f"{value:.3g}" if value >= 1 else f"{value:.2g}"
