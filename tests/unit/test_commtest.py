"""The workload `commtest`: its keys and pairs, what is refused, what its messages are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from phasewise.cli import main
from phasewise.errors import RunError, StudyError
from phasewise.models.plan import plan
from phasewise.runs.layout import check_schedule, row_layout, take_snapshots
from phasewise.study import Study
from phasewise.workloads.commtest.model import model_of
from phasewise.workloads.commtest.pairs import pairs_of, ranges_of


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
    ("keys", "sentence"),
    [
        ({"bytes": 0}, "commtest.bytes = 0 must be at least 1"),
        ({"bytes": 10**9 + 1}, "must be at most 1e+09"),
        ({"window": 1025}, "commtest.window = 1025 must be at most 1024"),
        ({"operator": "ecko"}, 'did you mean "echo"?'),
        ({"pairs": "0:1"}, 'commtest.pairs = "0:1" is not known: pairs are written "0-1"'),
        ({"pairs": "3-3"}, 'commtest.pairs = "3-3": a rank would wait for itself'),
        ({"pairs": "i-(i+0)"}, "a rank would wait for itself"),
        ({"pairs": "i-(i+8), i=5..3"}, "i ends at 3, before it begins at 5"),
        ({"pairs": "0-1; 1-2"}, "rank 1 is in the pairs 0-1 and 1-2, and would wait for ever"),
        ({"pairs": "i-(i+8), i=0..8"}, "rank 8 is in the pairs 0-8 and 8-16"),
        ({"pairs": "0-1000001"}, "needs more than 1000000 ranks"),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(keys: dict[str, Any], sentence: str) -> None:
    with pytest.raises(StudyError) as caught:
        study(**keys)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("given", "ranks", "sentence"),
    [
        (study(), 1, "the pair 0-1 needs 2 ranks, not 1"),
        (study(pairs="i-(i+8), i=0..7"), 12, "the pair 4-12 needs 13 ranks, not 12"),
        (study(pairs="i-(i+8)"), 8, "the pair 0-8 needs 9 ranks, not 8"),
        (study({"packet": 1}, bytes=2**17), 2, "131072 pieces; at most 65536 are accepted"),
    ],
)
def test_what_does_not_suit_the_ranks_is_refused(given: Study, ranks: int, sentence: str) -> None:
    with pytest.raises(StudyError) as caught:
        given.check_ranks(ranks)
    assert sentence in str(caught.value)


def test_the_core_refuses_the_same_pairs() -> None:
    core = pytest.importorskip("phasewise._core", reason="the core is not built")
    text = study(pairs="i-(i+8), i=0..7").parameters()
    with pytest.raises(ValueError, match="the pair 4-12 needs 13 ranks, not 12"):
        core.plan(text, 12)
    with pytest.raises(ValueError, match="rank 8 is in the pairs 0-8 and 8-16"):
        core.plan(text.replace("0 7 8", "0 8 8"), 17)


def test_messages_beyond_the_memory_are_warned_of_and_not_run() -> None:
    large = study(operator="stream", bytes=10**9, window=1024)
    (warning,) = large.derive().warnings
    assert "takes 2.05 TB of memory a rank" in warning
    with pytest.raises(StudyError, match=r"2\.05 TB"):
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
    with pytest.raises(RunError) as caught:
        take_snapshots(WrongRun(), None, study(), print)  # type: ignore[arg-type]
    assert str(caught.value) == "2 bytes were wrong after exchange 2"
    assert set(row_layout(study())) == {"exchange", "wrong", "checksum"}
    assert set(row_layout(study(verify=False))) == {"exchange"}


def test_check_shows_the_sizes(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(repository / "examples/commtest/study.toml")]) == 0
    assert "1 × 65.5 kB one way; 131 kB of memory a rank" in capsys.readouterr().out


def test_bench_needs_the_ranks_of_the_pairs(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    assert main(["bench", "commtest", "--json"]) == 2
    assert "the pair 0-1 needs 2 ranks, not 1" in capsys.readouterr().err


def test_a_bench_without_any_pair_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    assert main(["bench", "commtest", "--case", "pairs"]) == 2
    assert "no pair of ranks or no length fits; give more --ranks" in capsys.readouterr().err
