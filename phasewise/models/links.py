"""The bytes that a turn's messages carry over each link of a machine, by the routes of model
`contention`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from phasewise.driver import load_planner
from phasewise.errors import StudyError
from phasewise.machines import make_twin
from phasewise.machines.topology import check_size, node_count, torus_block
from phasewise.models.contention import NAME
from phasewise.models.model import Case, refusals

HOTTEST = 10
"""How many links are marked and listed."""
IN_NODE = ("bus", "sockets")
"""Kinds of links within a node."""


@dataclass(frozen=True)
class Link:
    """A link in one direction, with its name on the simulated machine.

    kind: adapter, port (adapter to router of a dragonfly), local or global (between routers of a
    group, between groups), link (of a torus) or stage (of a fat-tree). source, target:
    what it connects. bytes: in a turn. seconds: what these take at the link's bandwidth.
    """

    name: str
    kind: str
    source: str
    target: str
    bytes: float
    seconds: float


def loads_of_links(case: Case) -> list[Link]:
    """The links between nodes that carry any bytes of a turn, the busiest first.

    Links that are busy for equally long come in the order of the machine. StudyError if study,
    machine and ranks do not fit, if all ranks are on one node, or if no message has bytes.
    """
    check_size(case.machine, case.ranks)
    if node_count(case.machine, case.ranks) < 2:
        raise StudyError(
            f"--links: {case.ranks} ranks fit on one node of {case.machine.name}, so that no "
            "message uses its network; give a machine with smaller nodes, or more ranks where the "
            "study may run on them"
        )
    twin = make_twin(case.machine, case.twin, case.ranks)
    with refusals():
        found = load_planner().link_loads(
            case.parameters(NAME), case.ranks, twin.platform, case.pieces, agreed=case.agreed
        )
    links = [one for one in (Link(*each) for each in found) if one.kind not in IN_NODE]
    if not links:
        raise StudyError("--links: no message with data goes from one node to another")
    return sorted(links, key=lambda link: -link.seconds)


def sides_of_torus(case: Case) -> tuple[int, ...] | None:
    """The nodes along each side of the torus that the ranks get, x first; None without a torus."""
    if case.machine.network.kind != "torus":
        return None
    return torus_block(case.machine, case.ranks).dims


def as_json(links: Sequence[Link]) -> dict[str, Any]:
    """The entry `links` of the JSON answer; nothing if it was not asked for."""
    hottest = [
        {"link": one.name, "bytes": one.bytes, "seconds": one.seconds} for one in links[:HOTTEST]
    ]
    return {"links": hottest} if links else {}
