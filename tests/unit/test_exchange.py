"""Exchange algorithms: the rounds of all members of a team, played through without MPI."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

import phasewise._core as core
from tests.cpu_time import cpu_seconds
from tests.sentences import refused

Rounds = list[dict[str, list[tuple[int, list[int]]]]]

SIZES = (*range(1, 18), 32)
POWERS_OF_TWO = (1, 2, 4, 8, 16, 32)
REDUCES = (
    ("direct", "ring"),
    ("direct", "pairwise"),
    ("hypercube", "ring"),
    ("node-aware", "ring"),
    ("node-aware", "pairwise"),
)
TRANSPOSES = ("pairwise", "ring", "bruck")


def node_assignments(p: int) -> Iterator[list[int]]:
    """Nodes of p members: one, all different, blocks, dealt out, uneven, and in no order."""
    yield [0] * p
    yield list(range(p))
    for size in (2, 3, 4, 8):
        yield [member // size for member in range(p)]
    yield [member % 3 for member in range(p)]
    yield [0 if member < p - 1 else 7 for member in range(p)]
    yield [int(member**0.5) for member in range(p)]
    yield [-(member * member % 5) for member in range(p)]


def cases(p: int, algorithm: str) -> Iterator[list[int]]:
    """Only node-aware exchanges look at the nodes."""
    yield from node_assignments(p) if algorithm == "node-aware" else [[0] * p]


def all_rounds(algorithm: str, schedule: str, nodes: list[int], back: bool = False) -> list[Rounds]:
    """The rounds of every member."""
    return [core.reduce_rounds(algorithm, schedule, me, nodes, back) for me in range(len(nodes))]


def transposes(algorithm: str, p: int) -> list[Rounds]:
    """The rounds of every member."""
    return [core.transpose_rounds(algorithm, me, p) for me in range(p)]


def sent(team: list[Rounds], number: int) -> list[tuple[int, int, list[int]]]:
    """Messages of a round: from, to, chunks."""
    return [
        (me, peer, chunks)
        for me, rounds in enumerate(team)
        for peer, chunks in rounds[number]["sends"]
    ]


def received(team: list[Rounds], number: int) -> list[tuple[int, int, list[int]]]:
    """As `sent`, told by the receivers."""
    return [
        (peer, me, chunks)
        for me, rounds in enumerate(team)
        for peer, chunks in rounds[number]["receives"]
    ]


def assert_ends_agree(team: list[Rounds]) -> None:
    """Both ends list the same messages in the same rounds, none empty and none to oneself."""
    assert len({len(rounds) for rounds in team}) == 1
    for number in range(len(team[0])):
        messages = sent(team, number)
        assert sorted(messages) == sorted(received(team, number))
        pairs = [(a, b) for a, b, _ in messages]
        assert len(set(pairs)) == len(pairs)
        for a, b, chunks in messages:
            assert a != b
            assert chunks
            assert chunks == sorted(set(chunks))


def contribution(member: int) -> int:
    """A digit of its own for each member, base 256: adding one twice shows."""
    return 1 << 8 * member


def play_reduce(team: list[Rounds]) -> list[list[int]]:
    """Sums of each member for each chunk, after its rounds; what arrives is added."""
    p = len(team)
    sums = [[contribution(me)] * p for me in range(p)]
    for number in range(len(team[0])):
        under_way = [(b, c, sums[a][c]) for a, b, chunks in sent(team, number) for c in chunks]
        for member, chunk, value in under_way:
            sums[member][chunk] += value
    return sums


def play_gather(team: list[Rounds]) -> list[list[int]]:
    """Chunks in the order in which they came to each member; one may send only what it has."""
    held = [[me] for me in range(len(team))]
    for number in range(len(team[0])):
        messages = sent(team, number)
        for a, _, chunks in messages:
            assert set(chunks) <= set(held[a])
        for _, b, chunks in messages:
            held[b].extend(chunks)
    return held


def messages_of(rounds: Rounds) -> list[tuple[int, list[int]]]:
    """All that a member sends."""
    return [transfer for round_ in rounds for transfer in round_["sends"]]


def chunks_of(rounds: Rounds) -> int:
    """Chunks that a member sends."""
    return sum(len(chunks) for _, chunks in messages_of(rounds))


@pytest.mark.parametrize(("algorithm", "schedule"), REDUCES)
def test_both_ends_of_a_reduce_list_the_same_messages(algorithm: str, schedule: str) -> None:
    for p in SIZES:
        for nodes in cases(p, algorithm):
            assert_ends_agree(all_rounds(algorithm, schedule, nodes))


@pytest.mark.parametrize(("algorithm", "schedule"), REDUCES)
def test_an_owner_ends_with_every_contribution_once(algorithm: str, schedule: str) -> None:
    for p in SIZES:
        everything = sum(contribution(me) for me in range(p))
        for nodes in cases(p, algorithm):
            sums = play_reduce(all_rounds(algorithm, schedule, nodes))
            assert [sums[me][me] for me in range(p)] == [everything] * p, nodes


@pytest.mark.parametrize(("algorithm", "schedule"), REDUCES)
def test_a_reduce_run_backwards_brings_every_chunk_to_all_once(
    algorithm: str, schedule: str
) -> None:
    for p in SIZES:
        for nodes in cases(p, algorithm):
            backwards = all_rounds(algorithm, schedule, nodes, True)
            assert_ends_agree(backwards)
            held = play_gather(backwards)
            assert [sorted(chunks) for chunks in held] == [list(range(p))] * p, nodes


# Section 4 of the algorithms' table: S/p is a chunk, so that S (p - 1)/p are p - 1 chunks.
@pytest.mark.parametrize("schedule", ["ring", "pairwise"])
def test_a_direct_reduce_is_a_message_of_one_chunk_to_everyone(schedule: str) -> None:
    for p in SIZES:
        for me, rounds in enumerate(all_rounds("direct", schedule, [0] * p)):
            others = [other for other in range(p) if other != me]
            assert sorted(messages_of(rounds)) == [(other, [other]) for other in others]


def test_a_ring_goes_one_further_in_each_round() -> None:
    p, me = 7, 4
    rounds = core.reduce_rounds("direct", "ring", me, [0] * p)
    assert [r["sends"][0][0] for r in rounds] == [5, 6, 0, 1, 2, 3]
    assert [r["receives"][0][0] for r in rounds] == [3, 2, 1, 0, 6, 5]


def test_pairs_send_to_each_other_and_one_without_a_partner_pauses() -> None:
    rounds = core.reduce_rounds("direct", "pairwise", 2, [0] * 5)
    assert [[peer for peer, _ in r["sends"]] for r in rounds] == [[3], [0], [1], [], [], [4], []]
    for round_ in rounds:
        assert [t[0] for t in round_["sends"]] == [t[0] for t in round_["receives"]]


def test_a_hypercube_of_a_power_of_two_halves_with_the_nearest_first() -> None:
    """log2 p messages of p/2, p/4, …, 1 chunks, to me XOR 1, 2, 4, …; p - 1 chunks in all."""
    for p in POWERS_OF_TWO:
        for me, rounds in enumerate(all_rounds("hypercube", "ring", [0] * p)):
            steps = [2**k for k in range(p.bit_length() - 1)]
            found = [[(peer, len(chunks)) for peer, chunks in r["sends"]] for r in rounds]
            assert found == [[(me ^ step, p // (2 * step))] for step in steps]
            assert chunks_of(rounds) == p - 1


def test_a_hypercube_of_any_size_sends_no_more_than_the_direct_way() -> None:
    """ceil(log2 p) rounds and p - 1 chunks a member: every sum is passed on exactly once."""
    for p in SIZES:
        for rounds in all_rounds("hypercube", "ring", [0] * p):
            assert len(rounds) == (p - 1).bit_length()
            assert chunks_of(rounds) == p - 1


def test_only_the_last_halvings_of_a_hypercube_leave_the_node() -> None:
    p, q = 32, 8
    for me, rounds in enumerate(all_rounds("hypercube", "ring", [0] * p)):
        leaving = [r["sends"][0][0] // q != me // q for r in rounds]
        assert leaving == [False] * 3 + [True] * 2


@pytest.mark.parametrize("schedule", ["ring", "pairwise"])
def test_a_node_aware_reduce_of_even_nodes_has_few_messages_between_them(schedule: str) -> None:
    """q - 1 messages in the node and p/q - 1 between; of a node, S (p/q - 1)/(p/q) go out."""
    for p in POWERS_OF_TWO:
        for q in (size for size in POWERS_OF_TWO if size <= p):
            nodes = [member // q for member in range(p)]
            for me, rounds in enumerate(all_rounds("node-aware", schedule, nodes)):
                messages = messages_of(rounds)
                within = [chunks for peer, chunks in messages if nodes[peer] == nodes[me]]
                between = [chunks for peer, chunks in messages if nodes[peer] != nodes[me]]
                assert [len(chunks) for chunks in within] == [p // q] * (q - 1)
                # p/q - 1 chunks from each of q members: p - q = p (p/q - 1)/(p/q) of a node.
                assert [len(chunks) for chunks in between] == [1] * (p // q - 1)


def test_uneven_nodes_send_one_message_to_each_owner_elsewhere() -> None:
    for p in SIZES:
        for nodes in node_assignments(p):
            team = all_rounds("node-aware", "ring", nodes)
            leaving = [
                (nodes[me], peer)
                for me, rounds in enumerate(team)
                for peer, _ in messages_of(rounds)
                if nodes[peer] != nodes[me]
            ]
            wanted = [(n, owner) for n in set(nodes) for owner in range(p) if nodes[owner] != n]
            assert sorted(leaving) == sorted(wanted)


@pytest.mark.parametrize("algorithm", TRANSPOSES)
def test_both_ends_of_a_transpose_list_the_same_messages(algorithm: str) -> None:
    for p in SIZES:
        team = transposes(algorithm, p)
        if algorithm == "bruck":
            assert_ends_agree(team)
            continue
        for number in range(len(team[0])):
            # A slot is named after the other member at either end.
            there = sorted((a, b) for a, b, slots in sent(team, number) if slots == [b])
            here = sorted((a, b) for a, b, slots in received(team, number) if slots == [a])
            assert there == here
            assert len(there) == len(sent(team, number)) == len(received(team, number))
            assert all(a != b for a, b in there)


@pytest.mark.parametrize("algorithm", ["pairwise", "ring"])
def test_a_straight_transpose_meets_everyone_once(algorithm: str) -> None:
    """p - 1 messages of one block."""
    for p in SIZES:
        for me, rounds in enumerate(transposes(algorithm, p)):
            others = [(other, [other]) for other in range(p) if other != me]
            assert sorted(messages_of(rounds)) == others
            assert sorted(t for r in rounds for t in r["receives"]) == others


def test_bruck_brings_every_block_to_its_place() -> None:
    for p in SIZES:
        team = transposes("bruck", p)
        # Blocks are (from, to); slot i of a member holds its block for me + i.
        slots = [[(me, (me + i) % p) for i in range(p)] for me in range(p)]
        for number in range(len(team[0])):
            under_way = [(b, c, slots[a][c]) for a, b, cs in sent(team, number) for c in cs]
            for member, slot, block in under_way:
                slots[member][slot] = block
        for me in range(p):
            assert slots[me] == [((me - i) % p, me) for i in range(p)]


def test_bruck_of_a_power_of_two_sends_half_of_the_blocks_in_each_round() -> None:
    """Radix 2: log2 p messages, S/2 each."""
    for p in POWERS_OF_TWO:
        for rounds in transposes("bruck", p):
            assert len(rounds) == p.bit_length() - 1
            assert [len(slots) for _, slots in messages_of(rounds)] == [p // 2] * len(rounds)


@pytest.mark.parametrize(("algorithm", "schedule"), REDUCES)
@pytest.mark.parametrize("p", [50_000, 32_769])
def test_a_member_of_fifty_thousand_knows_its_rounds_in_a_second(
    algorithm: str, schedule: str, p: int
) -> None:
    nodes = [member // 48 for member in range(p)]
    for me in (0, p // 3, p - 1):
        seconds, rounds = cpu_seconds(partial(core.reduce_rounds, algorithm, schedule, me, nodes))
        assert seconds < 1.0
        assert sum(len(r["sends"]) for r in rounds) >= 1


@pytest.mark.parametrize("algorithm", TRANSPOSES)
def test_a_member_of_a_large_transpose_knows_its_rounds_in_a_second(algorithm: str) -> None:
    seconds, rounds = cpu_seconds(lambda: core.transpose_rounds(algorithm, 49_999, 50_000))
    assert seconds < 1.0
    assert len(rounds) >= 16  # log2 of 50 000, rounded up


@pytest.mark.parametrize(
    ("call", "facts"),
    [
        (lambda: core.reduce_rounds("direct", "ring", 4, [0] * 4), ("member 4", 0, 3)),
        (lambda: core.reduce_rounds("direct", "ring", -1, [0] * 4), ("member -1", 0, 3)),
        (lambda: core.transpose_rounds("ring", 2, 2), ("member 2", 0, 1)),
        (lambda: core.reduce_rounds("hypercub", "ring", 0, [0]), ("'hypercub'", "hypercube")),
        (lambda: core.reduce_rounds("direct", "rings", 0, [0]), ("'rings'", "ring", "pairwise")),
        (lambda: core.transpose_rounds("radix", 0, 1), ("'radix'", "pairwise", "ring", "bruck")),
    ],
)
def test_what_is_no_member_or_algorithm_is_refused_in_a_sentence(
    call: Any, facts: tuple[object, ...]
) -> None:
    with refused(*facts, by=ValueError):
        call()


@pytest.mark.parametrize("p", [1, 2, 3, 4, 7, 8])
def test_a_chunk_gathers_all_values_along_a_ring(p: int) -> None:
    """Each round has one message of one chunk, to the next member."""
    team = [core.pipelined_ring_rounds(me, p) for me in range(p)]
    assert_ends_agree(team)
    for number in range(p - 1):
        assert all(b == (a + 1) % p and len(c) == 1 for a, b, c in sent(team, number))
    whole = sum(contribution(member) for member in range(p))
    assert [sums[me] for me, sums in enumerate(play_reduce(team))] == [whole] * p
