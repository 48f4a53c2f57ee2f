"""The workload `collectives`: its keys, what is refused, and what its messages are."""

from __future__ import annotations

import json
from typing import Any

import pytest

from phasewise.cli import main
from phasewise.models.plan import plan
from phasewise.study import Study
from phasewise.workloads.collectives.model import OFFERED
from tests.sentences import Nearest, refused


def study(communication: dict[str, Any] | None = None, **keys: Any) -> Study:
    """A small study."""
    return Study.from_dict(
        {
            "workload": "collectives",
            "exchanges": 5,
            "collectives": keys,
            "communication": communication or {},
        }
    )


def test_every_key_becomes_its_flat_parameter() -> None:
    given = study({"algorithm": "ring"}, operator="allgather", bytes=64, blocking=False, work=1e3)
    assert given.parameters().splitlines() == [
        "turns = 5",
        "seed = 1",
        "workload = collectives",
        "collectives.operator = allgather",
        "collectives.bytes = 64",
        "collectives.blocking = 0",
        "collectives.work = 1000.0",
        "collectives.verify = 1",
        "communication.algorithm = ring",
        "communication.protocol = irecv-isend",
        "communication.node_size = 0",
    ]
    assert Study.from_dict(given.resolved()) == given


@pytest.mark.parametrize(
    ("communication", "keys", "facts"),
    [
        ({}, {"bytes": 12}, ("collectives.bytes = 12", 8)),
        ({}, {"bytes": 72, "operator": "sum"}, ("collectives.bytes = 72", 64, '"sum"')),
        (
            {"algorithm": "ring"},
            {"operator": "barrier"},
            ('communication.algorithm = "ring"', '"barrier"', "library", "dissemination"),
        ),
        (
            {"algorithm": "ring", "protocol": "packed"},
            {},
            ('communication.protocol = "packed"', '"allreduce"'),
        ),
        ({"algorithm": "rung"}, {}, ("communication.algorithm", '"rung"', Nearest("ring"))),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(
    communication: dict[str, Any], keys: dict[str, Any], facts: tuple[object, ...]
) -> None:
    with refused(*facts):
        study(communication, **keys).check_ranks(4)


def sent(ranks: int, operator: str, algorithm: str, size: int = 64) -> tuple[int, int]:
    """Messages and bytes that all ranks send."""
    core = pytest.importorskip("phasewise._core", reason="the core is not built")
    own = study({"algorithm": algorithm}, operator=operator, bytes=size)
    traffic = core.traffic(own.parameters(), ranks)
    return int(traffic["messages"].sum()), int(traffic["bytes"].sum())


def test_rounds_send_what_the_algorithm_needs() -> None:
    for p in (2, 5, 8):
        assert sent(p, "broadcast", "binomial") == (p - 1, 64 * (p - 1))
        assert sent(p, "allgather", "ring") == (p * (p - 1), 64 * p * (p - 1))
        assert sent(p, "reduce-scatter", "pairwise") == (p * (p - 1), 64 * p * (p - 1))
        assert sent(p, "alltoall", "ring") == (p * (p - 1), 64 * p * (p - 1))
    assert sent(8, "barrier", "dissemination")[0] == 24
    assert sent(8, "allreduce", "recursive-doubling") == (24, 24 * 64)
    assert sent(8, "sum", "binomial", 16) == (14, 14 * 2 * 69 * 8)


@pytest.mark.parametrize("operator", OFFERED)
def test_a_library_call_counts_as_one_message(operator: str) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    (phase, _) = plan(study(operator=operator, bytes=64), 4)["phases"]
    assert phase["name"] == operator.replace("-", "_")
    assert (phase["library"], phase["messages"]) == (True, 1)


def test_bench_compares_the_algorithms(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    sets = ("--set", "collectives.bytes=64", "--set", "collectives.operator=allreduce")
    assert main(["bench", "collectives", "--case", "hidden", "--turns", "1", *sets, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert {curve["protocol"] for curve in result["curves"]} <= set(OFFERED["allreduce"])
    assert len(result["curves"]) >= 8
    for curve in result["curves"]:
        assert curve["bytes"] == [64] and 0 <= curve["hidden"][0] <= 1
