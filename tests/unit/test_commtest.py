"""The workload `commtest`: its keys and pairs, what is refused, what its messages are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from phasewise.cli import main
from phasewise.models.plan import plan
from phasewise.runs.layout import check_schedule, fault_of, row_layout
from phasewise.study import Study
from phasewise.workloads.commtest.model import model_of
from phasewise.workloads.commtest.pairs import pairs_of, ranges_of
from tests.sentences import Nearest, one_sentence, refused, says


def study(communication: dict[str, Any] | None = None, **keys: Any) -> Study:
    """A small study."""
    return Study.from_dict(
        {
            "workload": "commtest",
            "exchanges": 5,
            "commtest": {"bytes": 64, **keys},
            "communication": communication or {},
        }
    )


def test_every_key_becomes_its_flat_parameter() -> None:
    given = study(
        {"protocol": "persistent", "packet": 24},
        operator="echo",
        pairs="0-5; i-(i+2), i=1..2",
        window=3,
        verify=False,
    )
    assert given.parameters().splitlines() == [
        "turns = 5",
        "seed = 1",
        "workload = commtest",
        "commtest.operator = echo",
        "commtest.bytes = 64",
        "commtest.pairs = 0 0 5 1 2 2",
        "commtest.window = 3",
        "commtest.verify = 0",
        "communication.protocol = persistent",
        "communication.packet = 24",
        "communication.node_size = 0",
    ]
    assert Study.from_dict(given.resolved()) == given
    assert given.derived() == {"messages": 1, "memory_bytes": 256, "warnings": []}


@pytest.mark.parametrize(
    ("text", "ranks", "expected"),
    [
        ("0-1", 2, [(0, 1)]),
        ("8-0", 9, [(8, 0)]),
        ("i-(i+8), i=0..7", 16, [(i, i + 8) for i in range(8)]),
        ("i-(i+8)", 16, [(i, i + 8) for i in range(8)]),
        ("i-(i+1)", 5, [(0, 1), (2, 3)]),
        ("i-(i+2)", 7, [(0, 2), (1, 3), (4, 6)]),
        ("i-(i+3), i=2..2", 6, [(2, 5)]),
        ("0-3;1-2", 4, [(0, 3), (1, 2)]),
    ],
)
def test_pairs_are_written_as_worley_does(
    text: str, ranks: int, expected: list[tuple[int, int]]
) -> None:
    assert pairs_of(ranges_of(text), ranks) == expected
    study(pairs=text).check_ranks(ranks)


@pytest.mark.parametrize(
    ("keys", "facts"),
    [
        ({"bytes": 0}, ("commtest.bytes = 0", 1)),
        ({"bytes": 10**9 + 1}, ("commtest.bytes = 1000000001", "1e+09")),
        ({"window": 1025}, ("commtest.window = 1025", 1024)),
        ({"operator": "ecko"}, ("commtest.operator", '"ecko"', Nearest("echo"))),
        ({"pairs": "0:1"}, ('commtest.pairs = "0:1"', '"0-1"', '"i-(i+8), i=0..7"')),
        ({"pairs": "3-3"}, ('commtest.pairs = "3-3"', "itself")),
        ({"pairs": "i-(i+0)"}, ('commtest.pairs = "i-(i+0)"', "itself")),
        ({"pairs": "i-(i+8), i=5..3"}, ('commtest.pairs = "i-(i+8), i=5..3"', 3, 5)),
        ({"pairs": "0-1; 1-2"}, ('commtest.pairs = "0-1; 1-2"', "rank 1", "0-1", "1-2")),
        (
            {"pairs": "i-(i+8), i=0..8"},
            ('commtest.pairs = "i-(i+8), i=0..8"', "rank 8", "0-8", "8-16"),
        ),
        ({"pairs": "0-1000001"}, ('commtest.pairs = "0-1000001"', "1000000 ranks")),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(
    keys: dict[str, Any], facts: tuple[object, ...]
) -> None:
    with refused(*facts):
        study(**keys)


@pytest.mark.parametrize(
    ("given", "ranks", "facts"),
    [
        (study(), 1, ("commtest.pairs", "0-1", "2 ranks", 1)),
        (study(pairs="i-(i+8), i=0..7"), 12, ("commtest.pairs", "4-12", "13 ranks", 12)),
        (study(pairs="i-(i+8)"), 8, ("commtest.pairs", "0-8", "9 ranks", 8)),
        (study({"packet": 1}, bytes=2**17), 2, ("communication.packet = 1", 131072, 65536)),
    ],
)
def test_what_does_not_suit_the_ranks_is_refused(
    given: Study, ranks: int, facts: tuple[object, ...]
) -> None:
    with refused(*facts):
        given.check_ranks(ranks)


def test_the_core_refuses_the_same_pairs() -> None:
    core = pytest.importorskip("phasewise._core", reason="the core is not built")
    text = study(pairs="i-(i+8), i=0..7").parameters()
    with refused("4-12", "13 ranks", 12, by=ValueError):
        core.plan(text, 12)
    with refused("rank 8", "0-8", "8-16", by=ValueError):
        core.plan(text.replace("0 7 8", "0 8 8"), 17)


def test_messages_beyond_the_memory_are_warned_of_and_not_run() -> None:
    large = study(operator="stream", bytes=10**9, window=1024)
    (warning,) = large.derive().warnings
    one_sentence(warning, "commtest.bytes = 1000000000", "2.05 TB")
    with refused("commtest.bytes = 1000000000", "2.05 TB"):
        check_schedule(large)


@pytest.mark.parametrize(
    ("operator", "sent", "count"), [("swap", 1, 64), ("echo", 1, 64), ("stream", 16, 1024)]
)
def test_a_plan_has_the_messages_of_the_leader(operator: str, sent: int, count: int) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    planned = plan(study(operator=operator, pairs="1-4"), 6)
    phase = {p["name"]: p for p in planned["phases"]}[operator]
    assert (phase["messages"], phase["bytes_per_rank"]) == (sent, count)


def test_a_message_goes_in_packets() -> None:
    core = pytest.importorskip("phasewise._core", reason="the core is not built")
    traffic = core.traffic(study({"packet": 24}, operator="stream", window=2).parameters(), 3)
    columns = (traffic[name].tolist() for name in ("from", "to", "messages", "bytes"))
    # Two messages of 24 + 24 + 16 B, and an answer of 8.
    assert set(zip(*columns, strict=True)) == {(0, 1, 6, 128), (1, 0, 1, 8)}


def test_bandwidth_is_defined_by_the_operator() -> None:
    found = {
        name: study(operator=name, bytes=1000, window=5) for name in ("swap", "echo", "stream")
    }
    rates = {name: model_of(own).bandwidth(2.0) for name, own in found.items()}
    assert rates == {"swap": 1000.0, "echo": 1000.0, "stream": 2500.0}


class WrongRun:
    """A run whose last exchange left two bytes wrong."""

    turn = 3

    def record(self) -> dict[str, Any]:
        return {"wrong": 2.0, "checksum": 0.0}


def test_wrong_bytes_end_a_run_in_a_sentence() -> None:
    says(fault_of(study(), WrongRun().record()), "2 bytes", "wrong")
    assert set(row_layout(study())) == {"exchange", "wrong", "checksum"}
    assert set(row_layout(study(verify=False))) == {"exchange"}


def test_check_shows_the_sizes(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(repository / "examples/commtest/study.toml")]) == 0
    says(capsys.readouterr().out, "1 × 65.5 kB", "131 kB")


def test_bench_needs_the_ranks_of_the_pairs(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    assert main(["bench", "commtest", "--json"]) == 2
    one_sentence(capsys.readouterr().err, "commtest.pairs", "0-1", "2 ranks")


def test_a_bench_without_any_pair_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    assert main(["bench", "commtest", "--case", "pairs"]) == 2
    one_sentence(capsys.readouterr().err, "pairs", "1 ranks", "--ranks")
