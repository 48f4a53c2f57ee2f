"""What the ranks recorded of their communication, brought together when the turns are done:
``communication.json`` and ``events.bin`` (docs/communication.md), the numbers of ``run --json``
and the table at the end of a run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from phasewise.driver import Communicator
from phasewise.errors import RunError
from phasewise.output import print_table
from phasewise.runs.disk import disk_reason, replace_text, sync_folder
from phasewise.runs.simulation import Simulation
from phasewise.traces.records import EVENT, EVENT_FILE, RECORD_FILE, VERSION, Communication

BLOCK = 1 << 28
"""Bytes of events on rank 0 at a time, if one rank alone has no more."""

ALGORITHMS = ("reduce", "broadcast", "schedule", "transpose", "aggregate", "crossing", "overlap")
"""Keys of a study's [communication] that say how its data are exchanged."""


def write_communication(
    folder: Path, simulation: Simulation, comm: Communicator, first_turn: int
) -> None:
    """Write the records of all ranks into `folder`; collective.

    They cover the turns from `first_turn` on. There is a `communication.json` only once it and the
    events that it counts are whole; RunError where the disk refuses one of them.
    """
    events = simulation.events
    text, kept = simulation.driver.communication(events > 0)
    texts = [part.decode() for part in comm.gather(text.encode())]
    record, timeline = folder / RECORD_FILE, folder / EVENT_FILE
    try:
        if events > 0:
            with _replacing(timeline, record, comm.rank() == 0) as file:
                for part in _in_blocks(comm, kept, events * EVENT.itemsize):
                    if file is not None:
                        file.write(part)
        elif comm.rank() == 0:
            record.unlink(missing_ok=True)
            timeline.unlink(missing_ok=True)
        if comm.rank() == 0:
            head = _head(texts, simulation, first_turn)
            replace_text(record, _with_ranks(head, texts))
            sync_folder(folder)
    except OSError as error:
        raise RunError(
            f"the record of the communication cannot be written into {folder} "
            f"({disk_reason(error)}); those of the turns are kept"
        ) from error


@contextmanager
def _replacing(path: Path, record: Path, here: bool) -> Iterator[BinaryIO | None]:
    """Where this rank writes, a file that takes the place of `path` once it is whole.

    An earlier `record`, which tells of another file, goes before.
    """
    if not here:
        yield None
        return
    beside = path.with_name(path.name + ".partial")
    try:
        with beside.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    record.unlink(missing_ok=True)
    beside.replace(path)


def _in_blocks(comm: Communicator, mine: bytes, most: int) -> Iterator[bytes]:
    """On rank 0 the bytes of one rank after another, of which none has more than `most`.

    Collective; the other ranks iterate to the end over nothing.
    """
    together = max(1, BLOCK // most)
    for first in range(0, comm.size(), together):
        due = first <= comm.rank() < first + together
        yield from comm.gather(mine if due else b"")


def _head(texts: Sequence[str], simulation: Simulation, first_turn: int) -> dict[str, Any]:
    """What the file says of all ranks together; of the algorithms, those in use at the end."""
    ranks = [json.loads(text) for text in texts]
    chosen = simulation.communication.resolved()
    tuned = {"tuned_turns": simulation.tuned_turns} if chosen["tune"] == "auto" else {}
    return {
        "version": VERSION,
        "kind": "run",
        "ranks": len(ranks),
        "turns": simulation.turn - first_turn,
        "first_turn": first_turn,
        "seconds": max(rank["seconds"] for rank in ranks),
        "process_grid": process_grid(rank["place"] for rank in ranks),
        "layout": chosen["layout"],
        "algorithms": _algorithms(chosen),
        "machine": None,
        **tuned,
    }


def process_grid(places: Iterable[Sequence[int]]) -> list[list[int]]:
    """[Prow, Pcol] of the two beams, from the places (beam, column, row) of all ranks."""
    shapes = [[1, 1], [1, 1]]
    for beam, *place in places:
        shape = shapes[beam - 1]
        shape[:] = [max(size, at + 1) for size, at in zip(shape, place, strict=True)]
    return shapes


def _algorithms(chosen: dict[str, Any]) -> dict[str, Any]:
    """The algorithms of a study's [communication], those of single phases under dotted names."""
    single = {
        f"{phase}.{key}": value
        for phase, keys in chosen.get("phase", {}).items()
        for key, value in keys.items()
    }
    return {key: chosen[key] for key in ALGORITHMS} | single


def _with_ranks(head: dict[str, Any], texts: Sequence[str]) -> str:
    """One JSON object with a line for each rank, as the rank wrote it."""
    return json.dumps(head)[:-1] + ',\n "rank": [\n  ' + ",\n  ".join(texts) + "\n]}\n"


def communication_summary(record: Communication) -> dict[str, Any]:
    """`communication` of ``run --json``: means over the ranks, for all turns of the record.

    seconds and waiting [s], messages and bytes sent, share of the run's time; of a phase with
    `library`, the messages are its calls and the bytes the volume asked for. The efficiencies are
    null where no computing was recorded.
    """
    from phasewise.traces.efficiency import efficiency, phase_costs

    whole = efficiency(record)
    return {
        "seconds": whole.communicating * record.seconds,
        "share": whole.communicating,
        "phases": {
            cost.name: {
                "seconds": cost.communicating.mean * record.turns,
                "share": cost.share,
                "waiting": cost.waiting.mean * record.turns,
                "messages": cost.messages * record.turns / record.ranks,
                "bytes": cost.bytes * record.turns / record.ranks,
                "library": cost.library,
            }
            for cost in phase_costs(record)
            if cost.communicates
        },
        "load_balance": whole.load_balance,
        "communication_efficiency": whole.communication_efficiency,
    }


def show_communication(record: Communication) -> None:
    """Print what each phase cost as a table, and the efficiency of the run in a line."""
    from phasewise.traces.efficiency import efficiency, phase_costs

    whole = efficiency(record)
    costs = [cost for cost in phase_costs(record) if cost.communicates]
    spreads = [(cost.communicating, cost.waiting.mean) for cost in costs]
    times = [(spread.least, spread.mean, spread.most, wait) for spread, wait in spreads]
    unit, scale = _unit(max((max(row) for row in times), default=0.0) * record.turns)
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
        f"{record.turns} turns on {record.ranks} ranks"
    )
    print_table(title, ["phase", "% run", "min", "mean", "max", "wait", "count", "MB"], rows)
    print(f"process grid {record.grid_text}, layout {record.layout}")
    print(f"min, mean, max, wait: in {unit}, over the ranks; count, MB: sent by a rank in a turn")
    if any(cost.library for cost in costs):
        print("* by the MPI library: its calls, and the volume asked for")
    if whole.load_balance is not None:
        print(
            f"load balance {whole.load_balance:.2f} x "
            f"communication efficiency {whole.communication_efficiency:.2f} = "
            f"parallel efficiency {whole.parallel_efficiency:.2f}"
        )


def _unit(longest: float) -> tuple[str, float]:
    """Unit in which the longest time [s] is at least 1, and how many of it make a second."""
    if longest >= 1:
        return "s", 1.0
    return ("ms", 1e3) if longest >= 1e-3 else ("µs", 1e6)


def _short(value: float) -> str:
    """A number of at least 0 in at most 7 characters, so that a table fits 80 columns."""
    if value >= 1000:
        return f"{value:.0f}" if value < 1e7 else f"{value:.1e}"
    return f"{value:.3g}" if value >= 1 else f"{value:.2g}"
