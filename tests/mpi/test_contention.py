"""Model `contention` against whole simulated runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from phasewise.errors import RunError
from phasewise.machines import load_machine
from phasewise.machines.machine import parse_machine
from phasewise.machines.smpirun import simulated_tree
from phasewise.models import Case, first_turn, predict
from phasewise.simulated.simulate import Request, simulate
from phasewise.study import Study
from phasewise.study.laboratory import first_pieces
from tests.unit.study_tables import tables

pytest.importorskip("phasewise._core", reason="the core is not built")
try:
    simulated_tree()
except RunError as error:
    pytest.skip(str(error), allow_module_level=True)


def study(algorithm: str) -> Study:
    """Messages of some 100 kB, so that the simulator's 16 B header and 1 ns matter little."""
    changes = {f"communication__{phase}": algorithm for phase in ("reduce", "broadcast")}
    return Study.from_dict(tables(turns=1, ip__1__grid=[128, 128], ip__1__planes="pair", **changes))


@pytest.mark.parametrize("algorithm", ["hypercube", "mesh"])
@pytest.mark.parametrize(("machine", "ranks"), [("bassi", 16), ("bluegene-l", 8)])
def test_contention_tells_what_a_simulated_run_takes(
    tmp_path: Path, machine: str, ranks: int, algorithm: str
) -> None:
    case, described = study(algorithm), load_machine(machine)
    request = Request(described, ranks, "plain", skeleton=True, computation=False)
    summary, _ = simulate(case, request, tmp_path)
    # The study makes Green functions as needed: one in the turn that is simulated.
    found = predict(
        Case(case, described, ranks, "plain", pieces={"green": 1.0}), "contention", False
    )
    assert found.communication_seconds == pytest.approx(summary["communication_seconds"], rel=0.01)
    assert found.exchange_seconds == pytest.approx(summary["exchange_seconds"], rel=0.01)


UNEVEN = {
    "beam__1__macroparticles": 30_000,
    "beam__2": {"like": "beam.1", "macroparticles": 10_000},
}
"""More work in one beam than in the other."""

WAYS = {
    "columns": {"communication__process_grid": "1x4"},
    "rows": {"communication__process_grid": "4x1"},
    "uneven": {"communication__process_grid": ["4x1", "1x4"], **UNEVEN},
    "overlap": {"communication__process_grid": "1x4", "communication__overlap": True},
    "library": {
        "communication__process_grid": "2x2",
        "communication__overlap": True,
        "communication__reduce": "mpi",
        "communication__broadcast": "mpi",
    },
    "transposes": {"communication__process_grid": "1x4", "communication__transpose": "alltoallw"},
}
GROUPS = """
name = "groups"
[node]
ranks = 1
[network]
kind = "dragonfly"
latency = 1e-6
hop_latency = 1e-7
flow_bandwidth = 4e9
adapter_bandwidth = 4e9
groups = 2
routers = 2
router_nodes = 2
link_bandwidth = 1e9
global_bandwidth = 0.37e9
[processor]
peak = 1e9
flops = 1e9
bandwidth = 1e9
"""
STAGES = """
name = "stages"
[node]
ranks = 1
[network]
kind = "fat-tree"
latency = 1e-6
flow_bandwidth = 4e9
adapter_bandwidth = 4e9
allocation = "shuffled"
[network.taper]
nodes = 2
bandwidth = 3e9
[processor]
peak = 1e9
flops = 1e9
bandwidth = 1e9
"""
WRITTEN = {"groups": GROUPS, "stages": STAGES}


@pytest.mark.parametrize("name", ["bassi", "bluegene-l", *WRITTEN])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("green", ["as-needed", "every-step"])
def test_contention_tells_whole_turns_and_their_waiting(
    tmp_path: Path, name: str, way: str, green: str
) -> None:
    base = {"ip__1__grid": [128, 128], "ip__1__green_function": green, "ip__1__planes": "pair"}
    case = Study.from_dict(tables(turns=1, **base, **WAYS[way]))
    machine = parse_machine(WRITTEN[name], name) if name in WRITTEN else load_machine(name)
    summary, record = simulate(case, Request(machine, 8, skeleton=True), tmp_path)
    assert {name: count for name, count in record.pieces.items() if count} == first_pieces(case, 8)
    found = predict(Case(case, machine, 8, pieces=record.pieces), "contention")
    assert found.turn_seconds == pytest.approx(summary["turn_seconds"], rel=0.015)
    assert found.communication_seconds == pytest.approx(summary["communication_seconds"], rel=0.04)
    waited = sum(float(phase.waiting.mean()) for phase in record.phases)
    assert found.waiting_seconds == pytest.approx(waited, rel=0.1, abs=0.002 * found.turn_seconds)


def test_all_ranks_begin_the_first_turn_together(tmp_path: Path) -> None:
    """A halo of a few microseconds does not contain what the start of the run has left between the
    ranks, so that one exchange takes what each of ten does.
    """
    bassi = load_machine("bassi")

    def halo(exchanges: int, words: int) -> Study:
        own = {"words": words, "verify": False}
        return Study.from_dict({"workload": "halo", "exchanges": exchanges, "halo": own})

    for words in (2, 128):
        one, ten = (
            simulate(halo(n, words), Request(bassi, 16, skeleton=True), tmp_path / f"{words}-{n}")
            for n in (1, 10)
        )
        assert one[0]["turn_seconds"] == pytest.approx(ten[0]["turn_seconds"], rel=0.02)
        found = predict(first_turn(halo(1, words), bassi, 16), "contention")
        # The simulator adds a header of 16 B to each message, and a nanosecond.
        assert found.turn_seconds == pytest.approx(one[0]["turn_seconds"], rel=0.015)
        assert (one[1].variation, one[0]["variation"]) == (0.0, 0.0)
        # The nine turns after the first are alike.
        assert ten[1].variation == ten[0]["variation"] == pytest.approx(0.0, abs=0.02)


def test_a_later_turn_begins_where_the_first_has_left_the_ranks(tmp_path: Path) -> None:
    # Ranks with less work wait for the others in the next turn, which no single turn shows.
    case = Study.from_dict(
        tables(turns=1, ip__1__grid=[128, 128], ip__1__green_function="every-step", **UNEVEN)
    )
    bassi, found = load_machine("bassi"), []
    for turns in (1, 3):
        study_of = case.replace(turns=turns)
        found.append(simulate(study_of, Request(bassi, 8, skeleton=True), tmp_path / f"{turns}")[0])
    one, three = (each["communication_seconds"] for each in found)
    later = predict(Case(case, bassi, 8), "contention").communication_seconds
    assert later == pytest.approx((3 * three - one) / 2, rel=0.005)
    first = predict(first_turn(case, bassi, 8), "contention").communication_seconds
    assert later > 1.008 * first
    mean = predict(first_turn(case, bassi, 8, turns=3), "contention").communication_seconds
    assert mean == pytest.approx(three, rel=0.01)


def test_turns_that_differ_have_a_variation(tmp_path: Path) -> None:
    # The sum that checks the halo lets the ranks go at different times, so that they drift.
    case = Study.from_dict({"workload": "halo", "exchanges": 8, "halo": {"words": 128}})
    summary, record = simulate(case, Request(load_machine("bassi"), 16, skeleton=True), tmp_path)
    assert 0.001 < summary["variation"] == record.variation < 0.5
