"""A recorded program as an archive of the Open Trace Format 2, written by its own library."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from phasewise.errors import RunError
from phasewise.recorder.activity import Activity
from phasewise.recorder.analysis import Analysis
from phasewise.recorder.time_line import matched_calls
from phasewise.recorder.varints import Integers
from phasewise.runs.disk import disk_reason

NANOSECONDS = 10**9
ENTER, SENT, RECEIVED, LEAVE = range(4)


def write_otf2(found: Analysis, path: Path) -> dict[str, int]:
    """Write an archive into the new folder `path`; how many calls and messages it has. A location
    is a thread; ranks are those of the world, in whichever communicator a message was sent.

    RunError if the folder exists, cannot be written, or the package otf2 is missing.
    """
    try:
        otf2 = import_module("otf2")
    except ImportError:
        raise RunError("OTF2 needs the package otf2: pip install 'phasewise[otf2]'") from None
    if path.exists():
        raise RunError(f"{path} exists already: remove it, or give another folder with -o")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with otf2.writer.open(str(path), timer_resolution=NANOSECONDS) as archive:
            return _write(otf2, archive, found)
    except OSError as error:
        raise RunError(f"{path} cannot be written ({disk_reason(error)})") from None
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("otf2", "_otf2"):
            raise
        raise RunError(f"{path} cannot be written ({error})") from None


def _write(otf2: Any, archive: Any, found: Analysis) -> dict[str, int]:
    one, files = found.activity, found.recording.files
    define = archive.definitions
    root = define.system_tree_node("machine")
    hosts = {
        name: define.system_tree_node(name, parent=root)
        for name in dict.fromkeys(file.texts.get("host", "unknown") for file in files)
    }
    groups = [
        define.location_group(
            f"rank {file.head.rank}", system_tree_parent=hosts[file.texts.get("host", "unknown")]
        )
        for file in files
    ]
    threads = np.arange(len(one.rank)) - np.searchsorted(one.rank, one.rank)
    locations = [
        define.location(f"rank {files[rank].head.rank}, thread {thread}", group=groups[rank])
        for rank, thread in zip(one.rank.tolist(), threads.tolist(), strict=True)
    ]
    writers = [archive.event_writer_from_location(location) for location in locations]
    regions = [
        define.region(label.call, description=label.site, paradigm=otf2.Paradigm.MPI)
        for label in one.labels
    ]
    main = [locations[k] for k in np.unique(one.rank, return_index=True)[1].tolist()]
    kind = otf2.GroupType
    define.group("", group_type=kind.COMM_LOCATIONS, paradigm=otf2.Paradigm.MPI, members=main)
    members = define.group(
        "world",
        group_type=kind.COMM_GROUP,
        paradigm=otf2.Paradigm.MPI,
        members=list(range(len(main))),
    )
    world = define.comm("MPI_COMM_WORLD", group=members)
    messages = _messages(found, one)
    for lane, writer in enumerate(writers):
        _lane(writer, one, lane, regions, messages, world)
    return {"calls": len(one), "messages": len(messages[0])}


def _messages(found: Analysis, one: Activity) -> tuple[Integers, ...]:
    """Place of the sending and of the completing call, sender, receiver, tag and bytes."""
    place = np.empty(len(one), np.int64)
    place[one.call] = np.arange(len(one))
    sent, _, _, done = matched_calls(found.recording)
    sends, chosen = found.recording.matching.all[0], found.recording.matching.matched.send
    columns = (getattr(sends, name)[chosen] for name in ("rank", "peer", "tag", "bytes"))
    return place[sent], place[done], *columns


def _lane(
    writer: Any,
    one: Activity,
    lane: int,
    regions: list[Any],
    messages: tuple[Integers, ...],
    world: Any,
) -> None:
    """Write the events of a lane in the order of time."""
    first, last = int(one.first[lane]), int(one.first[lane + 1])
    calls = np.arange(first, last)
    sent, done = (np.flatnonzero((part >= first) & (part < last)) for part in messages[:2])
    kind = np.repeat([ENTER, SENT, RECEIVED, LEAVE], [len(calls), len(sent), len(done), len(calls)])
    call = np.concatenate([calls, messages[0][sent], messages[1][done], calls])
    what = np.concatenate([calls, sent, done, calls])
    zero = float(one.began.min())
    # A message is sent as its call begins, and received as its call ends.
    time = np.where(kind <= SENT, one.start[call], one.end[call]) - zero
    order = np.lexsort((kind, call))
    stamps = np.maximum(np.rint(time[order] * NANOSECONDS), 0).astype(np.int64)
    stamps = np.maximum.accumulate(stamps)
    rows = zip(kind[order].tolist(), what[order].tolist(), stamps.tolist(), strict=True)
    for event, number, stamp in rows:
        if event == ENTER:
            writer.enter(stamp, regions[one.label[number]])
        elif event == LEAVE:
            writer.leave(stamp, regions[one.label[number]])
        else:
            sender, receiver, tag, size = (int(part[number]) for part in messages[2:])
            told = writer.mpi_send if event == SENT else writer.mpi_recv
            partner = receiver if event == SENT else sender
            told(stamp, partner, world, max(tag, 0), size)
