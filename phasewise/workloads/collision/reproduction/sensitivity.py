"""How the gain by layout depends on what the paper does not say about its machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from phasewise.machines import Machine, load_machine
from phasewise.machines.machine import Block, Network
from phasewise.simulated.many import Task
from phasewise.workloads.collision.reproduction.extent import exchange_task

STEPS = 3
"""How many of a turn's 15 steps are simulated: if links are crowded, a simulation takes minutes."""
FILED = "as in the file"


@dataclass(frozen=True)
class Assumption:
    """A machine as it may also have been: `what` differs from its file. ranks: on how many it is
    simulated.
    """

    machine: str
    what: str
    ranks: int
    changed: Machine

    def tasks(self) -> list[Task]:
        """The simulations of base and optimised code."""
        tasks = [exchange_task(self.changed, self.ranks, word) for word in ("base", "optimised")]
        return [replace(one, request=replace(one.request, steps=STEPS)) for one in tasks]


@dataclass(frozen=True)
class Sensitivity:
    """The gain from base to optimised on a machine as in its file (FILED), or one that differs."""

    machine: str
    what: str
    ranks: int
    gain: float


def assumptions() -> Iterator[Assumption]:
    """Assumptions on links and allocation of Jaguar, on the block of BG/L, on the allocation of
    Jacquard.
    """
    jaguar = load_machine("jaguar")
    yield Assumption("jaguar", FILED, 256, jaguar)
    injection = jaguar.network.link_bandwidth
    for gigabytes in (2.0, 3.8):
        network = replace(
            jaguar.network, adapter_bandwidth=injection, link_bandwidth=1e9 * gigabytes
        )
        yield _changed(jaguar, f"links of {gigabytes} GB/s", 256, network)
    for seed in (1, 2):
        yield _shuffled(jaguar, seed)
    blue_gene = load_machine("bluegene-l")
    yield Assumption("bluegene-l", FILED, 128, blue_gene)
    blocks = tuple(
        Block((4, 4, 8), block.wrap) if block.dims == (8, 4, 4) else block
        for block in blue_gene.network.blocks
    )
    network = replace(blue_gene.network, blocks=blocks)
    yield _changed(blue_gene, "a block of 4x4x8", 128, network)
    jacquard = load_machine("jacquard")
    yield Assumption("jacquard", FILED, 256, jacquard)
    for seed in (2, 3):
        yield _shuffled(jacquard, seed)


def _shuffled(machine: Machine, seed: int) -> Assumption:
    network = replace(machine.network, allocation="shuffled", allocation_seed=seed)
    return _changed(machine, f"nodes shuffled, seed {seed}", 256, network)


def _changed(machine: Machine, what: str, ranks: int, network: Network) -> Assumption:
    return Assumption(machine.name, what, ranks, replace(machine, network=network))


def sensitivities(
    assumed: Sequence[Assumption], seconds: Sequence[float]
) -> tuple[Sensitivity, ...]:
    """The gains under these assumptions; seconds: of the tasks of all assumptions, in their
    order.
    """
    pairs = zip(seconds[::2], seconds[1::2], strict=True)
    return tuple(
        Sensitivity(one.machine, one.what, one.ranks, 1 - after / before)
        for one, (before, after) in zip(assumed, pairs, strict=True)
    )
