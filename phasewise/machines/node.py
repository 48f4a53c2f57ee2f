"""A node as a machine file describes it: its ranks, its sockets, and the messages among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from phasewise.errors import StudyError
from phasewise.machines import schema
from phasewise.tables.declared import check_needed
from phasewise.tables.keys import Schema, check_table, show, with_defaults


@dataclass(frozen=True)
class Memory:
    """Messages within a socket, which may be the whole node: latency [s], and the bandwidth [B/s]
    of one and of all its ranks; rank_shares: whether the messages that a rank sends at once, or
    receives at once, share rank_bandwidth.
    """

    latency: float
    rank_bandwidth: float
    bandwidth: float
    rank_shares: bool = False


@dataclass(frozen=True)
class Sockets:
    """The `count` sockets of a node, and the messages between them: latency [s], and the bandwidth
    [B/s] of one message and of the link of two sockets, each way.
    """

    count: int
    latency: float
    rank_bandwidth: float
    bandwidth: float


@dataclass(frozen=True)
class Node:
    """A node of `ranks` ranks. memory: None for a node of one rank without it. sockets: None for a
    node of one socket. count: how many nodes the machine has, if its file says so.
    """

    ranks: int
    memory: Memory | None
    sockets: Sockets | None
    count: int | None


def read_node(top: dict[str, Any]) -> Node:
    """The tables [node], [memory] and [sockets]; StudyError, one sentence, if they are wrong."""
    given = check_table(top["node"], schema.NODE, "node")
    check_needed(given, schema.NODE, "node")
    ranks = int(given["ranks"])
    memory = _memory(top) if ranks > 1 or "memory" in top else None
    count = int(with_defaults(given, schema.NODE)["sockets"])
    check_divides("node.sockets", count, ranks)
    return Node(ranks, memory, _sockets(top, count), given.get("count"))


def check_divides(name: str, count: int, ranks: int) -> None:
    """StudyError unless each of `count` parts of a node gets the same number of its ranks."""
    if ranks % count:
        nearest = min((n for n in range(1, ranks + 1) if ranks % n == 0), key=_to(count))
        raise StudyError(
            f"{name} = {count} does not divide node.ranks = {ranks}, so that they would have "
            f"different numbers of ranks: give a divisor, such as {nearest}"
        )


def _to(wanted: int) -> Any:
    return lambda count: abs(count - wanted)


def _memory(top: dict[str, Any]) -> Memory:
    check_needed(top, schema.TOP, "", ("memory",))
    memory = Memory(**_table(top, "memory", schema.MEMORY | schema.RANK_SHARES, schema.MEMORY))
    _check_shared("memory", memory)
    return memory


def _sockets(top: dict[str, Any], count: int) -> Sockets | None:
    if count > 1:
        check_needed(top, schema.TOP, "", ("sockets",))
        found = Sockets(count, **_table(top, "sockets", schema.SOCKETS, schema.SOCKETS))
        _check_shared("sockets", found)
        return found
    if "sockets" in top:
        raise StudyError(
            "[sockets] describes messages between the sockets of a node, which has only one: give "
            "node.sockets = 2 or more, or leave [sockets] out"
        )
    return None


def _check_shared(name: str, found: Memory | Sockets) -> None:
    """StudyError if what many messages share is less than what one message gets."""
    if found.bandwidth < found.rank_bandwidth:
        raise StudyError(
            f"{name}.bandwidth = {show(found.bandwidth)} is less than what one rank gets, "
            f"{name}.rank_bandwidth = {show(found.rank_bandwidth)}"
        )


def _table(top: dict[str, Any], name: str, keys: Schema, needed: Schema) -> Any:
    given = check_table(top[name], keys, name)
    check_needed(given, needed, name)
    return given
