"""Gathers what the ranks recorded of their communication at the end of a run:
``communication.json`` and ``events.bin`` (docs/communication.md).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from phasewise.driver import Communicator
from phasewise.errors import RunError
from phasewise.runs.core_share import node_facts
from phasewise.runs.disk import disk_reason, replace_text, replacing, sync_folder
from phasewise.runs.folder import EVENT_FILE, RECORD_FILE
from phasewise.runs.simulation import Simulation
from phasewise.study.laboratory import process_grids
from phasewise.workload.discovery import KEY

VERSION = 1
EVENT_BYTES = 40
"""Size of an event in ``events.bin``."""

BLOCK = 1 << 28
"""Most bytes of events on rank 0 at a time, unless one rank alone has more."""


def write_communication(
    folder: Path, simulation: Simulation, comm: Communicator, first_turn: int
) -> None:
    """Write the records of all ranks into `folder`; collective.

    They cover the turns from `first_turn` on. `communication.json` appears only when it and the
    events that it counts are complete; RunError if one of them cannot be written.
    """
    events = simulation.events
    text, kept = simulation.driver.communication(events > 0)
    mine = f"{text[:-1]}, {json.dumps(simulation.processor.to_dict())[1:]}"
    texts = [part.decode() for part in comm.gather(mine.encode())]
    record, timeline = folder / RECORD_FILE, folder / EVENT_FILE
    try:
        if events > 0:
            with _replacing(timeline, record, comm.rank() == 0) as file:
                for part in _in_blocks(comm, kept, events * EVENT_BYTES):
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
            f"({disk_reason(error)}); the records of the {simulation.study.workload.unit.many} "
            "are kept"
        ) from error


@contextmanager
def _replacing(path: Path, record: Path, here: bool) -> Iterator[BinaryIO | None]:
    """If this rank writes: a file that replaces `path` once it is complete.

    An earlier `record` is removed first, since it describes the old file.
    """
    if not here:
        yield None
        return
    with replacing(path, stale=record) as file:
        yield file


def _in_blocks(comm: Communicator, mine: bytes, most: int) -> Iterator[bytes]:
    """Yield the bytes of each rank in turn on rank 0; no rank has more than `most`. Collective; the
    other ranks get nothing, but have to iterate to the end.
    """
    together = max(1, BLOCK // most)
    for first in range(0, comm.size(), together):
        due = first <= comm.rank() < first + together
        yield from comm.gather(mine if due else b"")


def _head(texts: Sequence[str], simulation: Simulation, first_turn: int) -> dict[str, Any]:
    """The entries that hold for all ranks together; algorithms are those in use at the end."""
    ranks = [json.loads(text) for text in texts]
    chosen, unit = simulation.communication, simulation.study.workload.unit
    tuned = {"tuned_turns": simulation.tuned_turns} if chosen.tunes_itself else {}
    return {
        "version": VERSION,
        "kind": "run",
        "ranks": len(ranks),
        "unit": [unit.one, unit.many],
        unit.many: simulation.turn - first_turn,
        "first_turn": first_turn,
        "seconds": max(rank["seconds"] for rank in ranks),
        "process_grid": process_grids(simulation.study, [rank["place"] for rank in ranks]),
        KEY: simulation.study.workload.named,
        "layout": chosen.layout_text,
        "algorithms": chosen.algorithms(),
        "machine": None,
        **node_facts(simulation.threads),
        **tuned,
    }


def _with_ranks(head: dict[str, Any], texts: Sequence[str]) -> str:
    """One JSON object, with each rank's entry on a line of its own as the rank wrote it."""
    return json.dumps(head)[:-1] + ',\n "rank": [\n  ' + ",\n  ".join(texts) + "\n]}\n"
