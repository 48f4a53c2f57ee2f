"""What part of a network a job gets: blocks of a torus, meshes, shuffled nodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from phasewise.machines import floor, load_machine, make_twin, nodes_of
from phasewise.machines.machine import Block, Machine, parse_machine
from phasewise.machines.topology import places_of, torus_block
from tests.sentences import Nearest, refused

core = pytest.importorskip("phasewise._core", reason="the core is not built")

BLOCKS = """
name = "blocks"
[node]
ranks = 1
[network]
kind = "torus"
dims = "smallest-block"
latency = 4e-6
hop_latency = 1e-7
flow_bandwidth = 1e9
link_bandwidth = 1e9
[[network.block]]
dims = [4, 4, 4]
[[network.block]]
dims = [4, 2, 1]
wrap = false
[processor]
peak = 1e9
flops = 1e9
bandwidth = 1e9
"""


def blocks(text: str = BLOCKS) -> Machine:
    return parse_machine(text, "blocks.toml")


def test_a_job_gets_the_smallest_block_that_holds_it() -> None:
    machine = blocks()
    assert torus_block(machine, 8) == Block((4, 2, 1), wrap=False)
    assert torus_block(machine, 9) == Block((4, 4, 4), wrap=True)
    assert "wrap = 0" in make_twin(machine, "plain", 8).platform
    assert "wrap" not in make_twin(machine, "plain", 9).platform
    with refused("torus", "4x4x4", 64, 65):
        make_twin(machine, "plain", 65)


def test_blue_gene_s_blocks_are_meshes_below_a_midplane() -> None:
    found = [torus_block(load_machine("bluegene-l"), ranks) for ranks in (32, 33, 129, 513)]
    assert [(b.dims, b.wrap) for b in found] == [
        ((4, 4, 2), False), ((8, 4, 4), False), ((8, 8, 8), True), ((8, 8, 16), True),
    ]  # fmt: skip


def test_a_message_on_a_mesh_goes_the_only_way() -> None:
    # In a row of four, 0 to 3 and 1 to 2 share a link of a mesh; on a ring 0 to 3 is one hop.
    to = [3, 2, -1, -1, -1, -1, -1, -1]
    machine = blocks()
    mesh = core.pattern_loads(to, make_twin(machine, "plain", 8).platform)
    assert mesh[:2] == pytest.approx([2.0, 2.0])
    network = replace(machine.network, blocks=(Block((4, 2, 1)),))
    ring = replace(machine, network=network)
    assert core.pattern_loads(to, make_twin(ring, "plain", 8).platform)[:2] == [1.0, 1.0]


def test_one_plane_cuts_a_mesh_and_two_a_torus() -> None:
    machine, ranks = blocks(), np.arange(8)
    # The two left nodes of each row of four send 1 MB each to the two right ones: 2 rows.
    peer = ranks - ranks % 4 + (ranks + 2) % 4
    pairs = (ranks, peer, np.full(8, 10**6))
    assert floor(machine, nodes_of(machine, 8), *pairs).cut == pytest.approx(4e6 / 2e9)
    network = replace(machine.network, blocks=(Block((4, 2, 1)),))
    ring = replace(machine, network=network)
    assert floor(ring, nodes_of(ring, 8), *pairs).cut == pytest.approx(4e6 / 4e9)


def shuffled(machine: Machine, seed: int) -> Machine:
    network = replace(machine.network, allocation="shuffled", allocation_seed=seed)
    return replace(machine, network=network)


def test_shuffled_nodes_have_different_places_the_same_for_a_seed() -> None:
    machine = blocks()
    for ranks in (8, 20):
        found = [places_of(shuffled(machine, seed), ranks).tolist() for seed in (1, 1, 2)]
        assert found[0] == found[1] != found[2]
        assert len(set(found[0])) == ranks
        assert max(found[0]) < torus_block(machine, ranks).nodes
    assert places_of(machine, 8).tolist() == list(range(8))


def test_nodes_of_one_stage_stay_in_it_wherever_they_are_shuffled() -> None:
    machine = load_machine("jacquard")
    assert machine.network.allocation == "shuffled"
    plain = replace(machine, network=replace(machine.network, allocation="in-order"))
    ranks = np.arange(256)
    neighbours = (ranks, ranks ^ 2, np.full(256, 10**6))
    # 128 nodes are two stages; neighbouring nodes are in the same one only if they are in order.
    assert floor(plain, nodes_of(plain, 256), *neighbours).cut == 0.0
    assert floor(machine, nodes_of(machine, 256), *neighbours).cut > 0.0
    few = (ranks[:128], ranks[:128] ^ 2, np.full(128, 10**6))
    assert floor(machine, nodes_of(machine, 128), *few).cut == 0.0


@pytest.mark.parametrize(
    ("old", "new", "facts"),
    [
        (
            '"smallest-block"',
            '"smallest-box"',
            ("network.dims", '"smallest-block"', "[[network.block]]"),
        ),
        ("[4, 4, 4]", "[4, 4]", ("network.block[1].dims", "three", "[4, 4]")),
        ("wrap = false", "wrap = 3", ("network.block[2].wrap", 3)),
        ("wrap = false", "warp = false", ("network.block[2]", '"warp"', Nearest("wrap"))),
        (
            "latency = 4e-6",
            'latency = 4e-6\nallocation = "random"',
            ("network.allocation", '"random"'),
        ),
    ],
)
def test_a_wrong_block_or_allocation_is_one_sentence(
    old: str, new: str, facts: tuple[object, ...]
) -> None:
    with refused(*facts):
        blocks(BLOCKS.replace(old, new, 1))
