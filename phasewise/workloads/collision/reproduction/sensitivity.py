"""What the gain by layout depends on that the paper does not say about its machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from phasewise.machines import Machine, load_machine
from phasewise.machines.machine import Block, Network
from phasewise.simulated.many import Task
from phasewise.simulated.simulate import Request
from phasewise.workloads.collision.reproduction.cases import paper_case

STEPS, MANY = 5, 256
"""Steps that are simulated of a turn's 15, from this number of ranks on."""
FEW_STEPS = 3
"""Those where links are crowded, and a simulation takes minutes."""


@dataclass(frozen=True)
class Assumption:
    """A machine as it might have been as well: `what` differs from its file, on some ranks."""

    machine: str
    what: str
    ranks: int
    changed: Machine

    def tasks(self) -> list[Task]:
        """The simulations of base and optimised code."""
        tasks = [exchange_task(self.changed, self.ranks, word) for word in ("base", "optimised")]
        return [replace(one, request=replace(one.request, steps=FEW_STEPS)) for one in tasks]


@dataclass(frozen=True)
class Sensitivity:
    """The gain from base to optimised on a machine that differs from its file."""

    machine: str
    what: str
    ranks: int
    gain: float


def exchange_task(machine: Machine, ranks: int, variant: str) -> Task:
    """The paper's case without computation, sampled where it has very many messages."""
    study = paper_case(machine.name, ranks, variant).study()
    request = Request(machine, ranks, skeleton=True, computation=False)
    return Task(study, replace(request, steps=STEPS if ranks >= MANY else 0))


def assumptions() -> Iterator[Assumption]:
    """Links and allocation of Jaguar, the block of BG/L, the allocation of Jacquard."""
    jaguar = load_machine("jaguar")
    injection = jaguar.network.link_bandwidth
    for gigabytes in (2.0, 3.8):
        network = replace(
            jaguar.network, adapter_bandwidth=injection, link_bandwidth=1e9 * gigabytes
        )
        yield _changed(jaguar, f"links of {gigabytes} GB/s", 256, network)
    for seed in (1, 2):
        yield _shuffled(jaguar, seed)
    blue_gene = load_machine("bluegene-l")
    blocks = tuple(
        Block((4, 4, 8), block.wrap) if block.dims == (8, 4, 4) else block
        for block in blue_gene.network.blocks
    )
    network = replace(blue_gene.network, blocks=blocks)
    yield _changed(blue_gene, "a block of 4x4x8", 128, network)
    for seed in (2, 3):
        yield _shuffled(load_machine("jacquard"), seed)


def _shuffled(machine: Machine, seed: int) -> Assumption:
    network = replace(machine.network, allocation="shuffled", allocation_seed=seed)
    return _changed(machine, f"nodes shuffled, seed {seed}", 256, network)


def _changed(machine: Machine, what: str, ranks: int, network: Network) -> Assumption:
    return Assumption(machine.name, what, ranks, replace(machine, network=network))


def sensitivities(
    assumed: Sequence[Assumption], seconds: Sequence[float]
) -> tuple[Sensitivity, ...]:
    """seconds: of the tasks of all assumptions, in their order."""
    pairs = zip(seconds[::2], seconds[1::2], strict=True)
    return tuple(
        Sensitivity(one.machine, one.what, one.ranks, 1 - after / before)
        for one, (before, after) in zip(assumed, pairs, strict=True)
    )
