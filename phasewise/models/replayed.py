"""A recorded program on another machine: how its computing scales, and what would make it fast."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from phasewise.machines import Machine, nodes_of
from phasewise.machines.twin import UNLIMITED
from phasewise.models.computing_elsewhere import ScaledComputing
from phasewise.models.model import Case
from phasewise.models.prediction import Prediction, predict
from phasewise.study import Study
from phasewise.study.replaying import needs_record

MODEL = "contention"
NONE = 1e-6
"""What is left of the latencies of a machine that is to have none."""


def replays_of(study: Study, computing: ScaledComputing) -> dict[str, Study]:
    """The study for each way in which its computing may scale, by the name of the way."""
    key = needs_record(study, "--compute").COMPUTE
    return {way: study.replace(**{key: factor}) for way, factor in computing.factors.items()}


@dataclass(frozen=True)
class WhatIf:
    """The time of the whole [s] after a change, with its 90 % interval."""

    change: str
    seconds: float
    low: float
    high: float


def what_if(case: Case) -> list[WhatIf]:
    """What a recorded program would take if one thing were different, by model `contention`."""
    return [_of(change, predict(changed, MODEL)) for change, changed in _changes(case)]


def _of(change: str, found: Prediction) -> WhatIf:
    return WhatIf(change, found.turn_seconds, found.turn_low, found.turn_high)


def _changes(case: Case) -> Iterator[tuple[str, Case]]:
    assert case.study is not None
    own, study = needs_record(case.study, "--what-if"), case.study
    yield "as it is", case
    yield "no latency", replace(case, machine=without_latency(case.machine))
    yield "infinite bandwidth", replace(case, machine=without_limits(case.machine))
    yield "perfect balance", replace(case, study=study.replace(**{own.BALANCED: True}))
    nodes = nodes_of(case.machine, case.ranks).tolist()
    for name, places in own.other_places(study.model, nodes).items():
        yield name, replace(case, study=study.replace(**{own.PLACES: places}))


def without_latency(machine: Machine) -> Machine:
    """The machine with messages that need next to no time to set off; calls take theirs. The
    latencies keep their ratios, by which messages share links on some machines.
    """
    own = machine.network
    network = replace(own, latency=NONE * own.latency, hop_latency=NONE * (own.hop_latency or 0.0))
    memory, sockets = machine.memory, machine.sockets
    memory = memory and replace(memory, latency=NONE * memory.latency)
    sockets = sockets and replace(sockets, latency=NONE * sockets.latency)
    return replace(machine, network=network, memory=memory, sockets=sockets)


def without_limits(machine: Machine) -> Machine:
    """The machine with memory, adapters and links of any bandwidth."""
    network, memory, sockets = machine.network, machine.memory, machine.sockets
    links: dict[str, Any] = {
        name: UNLIMITED
        for name in ("flow_bandwidth", "adapter_bandwidth", "link_bandwidth", "global_bandwidth")
        if getattr(network, name) is not None
    }
    taper = network.taper and replace(network.taper, bandwidth=UNLIMITED)
    ways: dict[str, Any] = {"rank_bandwidth": UNLIMITED, "bandwidth": UNLIMITED}
    return replace(
        machine,
        network=replace(network, taper=taper, **links),
        memory=memory and replace(memory, **ways),
        sockets=sockets and replace(sockets, **ways),
        streams=None,
    )
