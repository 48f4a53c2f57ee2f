"""A recorded program is predicted on numbers of ranks on which it was not recorded."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phasewise.cli import main
from phasewise.errors import StudyError
from phasewise.machines import load_machine
from phasewise.models.computing_elsewhere import scaled_computing
from phasewise.models.distances import PARTS, messages_at, rounds_of_library
from phasewise.models.other_ranks import predict_scaled, read_scaling
from phasewise.models.terms import fitted
from tests.sentences import command_refused, refused

RANKS = (3, 4, 8, 16)


def phase(**given: Any) -> dict[str, Any]:
    none = {"calls": 0, "messages": 0, "bytes": 0, "communicating": 0.0, "computing": 0.0}
    return none | {"waiting": None, "library": False, "sent_to": {}} | given


def record(folder: Path, p: int, messages: int, computing: float, core_share: float = 1.0) -> str:
    """A ring: each rank sends half of `messages` of 8 p bytes to either neighbour."""
    half = messages // 2
    rows = []
    for rank in range(p):
        to = {str((rank + by) % p): [half, half * 8 * p] for by in (1, -1)}
        halo = phase(calls=messages, messages=messages, bytes=8 * p * messages, sent_to=to)
        own = {"halo": halo | {"communicating": 1.0}, "computing": phase(computing=computing)}
        own["barrier"] = phase(calls=5, library=True)
        own["signals"] = phase(calls=3, messages=3, sent_to={str((rank + 1) % p): [3, 0]})
        row = {"rank": rank, "node": 0, "place": [rank], "seconds": 9.0, "phases": own}
        rows.append(row | {"core_share": core_share})
    head = {"version": 1, "kind": "recorded", "ranks": p, "unit": ["run", "runs"], "runs": 1}
    head |= {"seconds": 9.0, "process_grid": [[p]], "layout": "as launched", "algorithms": {}}
    folder.mkdir()
    text = json.dumps(head | {"machine": None, "rank": rows})
    (folder / "communication.json").write_text(text)
    return str(folder)


def ring(folder: Path, last: int = 200, noise: float = 1.0) -> list[str]:
    """Records on RANKS, whose last one sends `last` messages and computes `noise` times as long."""
    return [
        record(folder / str(p), p, *((last, noise * 8 / p) if p == RANKS[-1] else (200, 8 / p)))
        for p in RANKS
    ]


@pytest.mark.parametrize(
    ("function", "power", "logarithm"),
    [
        (lambda p: 7.0 + 0 * p, 0, 0),
        (lambda p: 2 - 2 / p, -1, 0),
        (lambda p: 3 + 5 * math.log2(p), 0, 1),
        (lambda p: 4 * p**0.5, 0.5, 0),
        (lambda p: 1 + p * math.log2(p) ** 2, 1, 2),
    ],
)
def test_the_term_of_an_exact_function_is_found(
    function: Any, power: float, logarithm: int
) -> None:
    found = fitted(RANKS, [function(p) for p in RANKS])
    assert (float(found.power), found.logarithm) == (power, logarithm)
    # Four values have two unknowns: what is left is rounding, times 64 ranks in the worst term.
    assert found.at(64) == pytest.approx(function(64), rel=1e-10)


def test_a_ring_is_predicted_on_a_number_that_was_not_recorded(tmp_path: Path) -> None:
    machine = load_machine("frontier")
    found = predict_scaled(read_scaling(ring(tmp_path)), machine, 64, "described")
    assert found.computation_seconds == pytest.approx(8 / 64, rel=1e-9)
    assert found.turn_low < found.turn_seconds < found.turn_high
    # Without residuals of this program a study has a factor of two: its square is twice as wide.
    assert found.high / found.communication_seconds == pytest.approx(4, rel=1e-3)
    twice = predict_scaled(
        read_scaling(ring_again(tmp_path)), machine, 64, "described", "full", (1, 4)
    )
    assert twice.computation_seconds == pytest.approx(16 / 64, rel=1e-9)


def test_records_whose_ranks_shared_cores_are_named(tmp_path: Path) -> None:
    folders = [record(tmp_path / str(p), p, 200, 8 / p, min(1.0, 4 / p)) for p in RANKS]
    eight, sixteen = read_scaling(folders).disturbed
    assert "in the record of 8 ranks the ranks had 50 % of a core" in eight
    assert "in the record of 16 ranks the ranks had 25 % of a core" in sixteen


def ring_again(folder: Path) -> list[str]:
    return [str(folder / str(p)) for p in RANKS]


def test_phases_that_are_missed_are_refused_by_name(tmp_path: Path) -> None:
    # 5 % more messages are accepted, 20 % are not.
    (tmp_path / "few").mkdir()
    assert read_scaling(ring(tmp_path / "few", last=208)).refused == []
    (tmp_path / "many").mkdir()
    with pytest.raises(StudyError, match=r"halo \(calls missed by 17 %, accepted 5 %\)"):
        read_scaling(ring(tmp_path / "many", last=240))
    (tmp_path / "slow").mkdir()
    with pytest.raises(StudyError, match=r"computing \(computing missed by 50 %, accepted 15 %\)"):
        read_scaling(ring(tmp_path / "slow", noise=2.0))


def test_three_records_and_equal_numbers_of_ranks_are_too_few(tmp_path: Path) -> None:
    folders = ring(tmp_path)
    with pytest.raises(StudyError, match="these 3 have 3, 4, 8"):
        read_scaling(folders[:3])
    with pytest.raises(StudyError, match="these 4 have 3, 4, 8, 8"):
        read_scaling([*folders[:3], folders[2]])


def test_messages_leave_the_node_from_the_places_next_to_its_end() -> None:
    machine = load_machine("frontier")
    one = messages_at("halo", (80.0, 800.0), np.ones(PARTS), 1.0, machine)
    assert one.count.sum() == pytest.approx(80)
    assert one.count @ one.bytes == pytest.approx(800)
    # Of the ranks of a node, the last one's next neighbour is on another node.
    assert one.count[one.inter == 1].sum() == pytest.approx(80 / machine.node_ranks)
    rounds = rounds_of_library("sum", 3.0, 24.0, machine, 1000)
    assert (rounds.count.sum(), rounds.count @ rounds.bytes) == pytest.approx((30, 240))


def test_computing_is_scaled_by_the_ratio_of_two_machines() -> None:
    here, there = load_machine("bassi"), load_machine("frontier")
    memory = here.processor.bandwidth / there.processor.bandwidth
    flops = here.processor.flops / there.processor.flops

    def factors(compute: str | None, origin: str | None) -> dict[str, float]:
        return dict(scaled_computing(compute, origin, there).factors)

    assert factors("memory", "bassi") == {"memory": memory}
    assert factors(None, "bassi") == {"memory": memory, "flops": flops}
    assert factors("2.5", None) == {"2.5": 2.5}
    assert list(factors(None, None).values()) == [1.0]
    with refused("--compute flops", "--recorded-on"):
        factors("flops", None)
    with refused("memry", "--compute", nearest="memory"):
        factors("memry", "bassi")


def test_the_command_tells_and_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = ring(tmp_path)
    words = ["predict", *folders, "--machine", "bassi", "--ranks", "32,64"]
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [point["ranks"] for point in found["points"]] == [32, 64]
    assert (found["recorded_ranks"], found["refused"]) == ([3, 4, 8, 16], [])
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "missed on 16 ranks" in said and "of a core" not in said
    command_refused(capsys, words[:-2], "--ranks", "required")
    assert main([*words, "--model", "contention"]) == 2
    assert "were not recorded: choose a model that adds up" in capsys.readouterr().err
    command_refused(capsys, [*words, "--what-if"], "--what-if", "several records")
    command_refused(capsys, [*words, "--set", "turns=2"], "--set", "several records")
