"""Whole simulated runs: times of a closed form, the bits of a real run, the same bytes twice."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phasewise.cli import main
from phasewise.errors import RunError
from phasewise.machines import load_machine
from phasewise.machines.smpirun import simulated_tree
from phasewise.runs.results import Results
from phasewise.simulated.simulate import Request, simulate
from phasewise.study import Study
from phasewise.traces.efficiency import efficiency
from phasewise.traces.records import Events, read_communication
from tests.sentences import command_refused, refused, says
from tests.unit.study_tables import tables

try:
    simulated_tree()
except RunError as error:
    pytest.skip(str(error), allow_module_level=True)

HEADER = 16
"""Bytes that SimGrid adds to a message."""

BASE = {"reduce": "mesh", "broadcast": "mesh", "aggregate": False, "crossing": "4b"}
"""The source paper's algorithms before its optimisation."""


def study(**changes: Any) -> Study:
    small = {"turns": 1, "beam__1__macroparticles": 400, "ip__1__grid": [32, 32]}
    return Study.from_dict(tables(**{**small, **changes}))


def exchanges(**changes: Any) -> Study:
    """Without the luminosity, whose messages go while those of the potentials are on their way, and
    with the same two planes of every pair of slices.
    """
    base = {f"communication__{key}": value for key, value in BASE.items()}
    even = {"ip__1__luminosity": False, "ip__1__planes": "pair"}
    return study(**{**base, **even, **changes})


def messages_alone(machine: str, ranks: int) -> Request:
    return Request(load_machine(machine), ranks, "plain", skeleton=True, computation=False)


def test_ranks_of_two_nodes_that_all_talk_take_the_papers_time_for_each_message(
    tmp_path: Path,
) -> None:
    # Beam 1 is on one node of Bassi, beam 2 on the other, so that the potentials cross with all
    # ranks of both nodes at work: model 3, L + s/B with Table 4's parallel ping-ping.
    machine = load_machine("bassi")
    crossing = exchanges(ip__1__grid=[256, 256], communication__process_grid="1x8")
    summary, record = simulate(crossing, messages_alone("bassi", 16), tmp_path)
    phase = record.phase("broadcast_column")
    assert phase is not None
    line = machine.paper["parallel_inter"]
    messages, size = phase.messages[0], phase.bytes[0] / phase.messages[0] + HEADER
    # One to each rank of the other node for each pair of slices, and for each of the two planes
    # between which the field is interpolated.
    assert messages >= 8 * 4 * 4
    # While one rank's message has its latency before it, the others share the adapter without it:
    # of the latencies some part is hidden.
    seconds = summary["phases"]["broadcast_column"]
    assert messages * size / line.bandwidth <= seconds
    assert seconds <= messages * line.seconds(size) * (1 + 1e-6)
    assert summary["floor_seconds"] < summary["exchange_seconds"]


def test_ranks_within_a_node_take_the_papers_time_for_each_message(tmp_path: Path) -> None:
    within = exchanges(communication__process_grid="1x4")
    summary, record = simulate(within, messages_alone("bassi", 8), tmp_path)
    phase = record.phase("broadcast_column")
    assert phase is not None
    line = load_machine("bassi").paper["parallel_intra"]
    expected = phase.messages[0] * line.seconds(phase.bytes[0] / phase.messages[0] + HEADER)
    # The bus serves every rank at its own limit; simulated times are rounded to 1e-9 s.
    assert summary["phases"]["broadcast_column"] == pytest.approx(expected, rel=1e-3)


RING = """
name = "ring"
[node]
ranks = 1
[network]
kind = "torus"
dims = [1, 1, 4]
latency = 4e-6
hop_latency = 1e-7
flow_bandwidth = 142e6
link_bandwidth = 142e6
[processor]
peak = 1e9
flops = 1e9
bandwidth = 1e9
"""


def test_messages_half_round_a_ring_share_both_ways(tmp_path: Path) -> None:
    # Of four ranks in a ring the first two hold beam 1. Each sends half of its messages two places
    # on, all at once: 71 MB/s each if they went the same way round, 142 MB/s if both are used.
    (tmp_path / "ring.toml").write_text(RING)
    machine = load_machine(str(tmp_path / "ring.toml"))
    crossing = exchanges(
        ip__1__grid=[256, 256],
        communication__process_grid="2x1",
        communication__crossing="4a",
        communication__aggregate=True,
    )
    request = replace(messages_alone("bassi", 4), machine=machine)
    summary, record = simulate(crossing, request, tmp_path / "run")
    phase = record.phase("broadcast_row")
    assert phase is not None
    # The steps of four slices have 1, 2, 3, 4, 3, 2, 1 pairs: the busier column sends 10 of them in
    # seven steps, where each column sends 8 of the 16. Messages to the other beam: two a step.
    assert phase.bytes.min() == phase.bytes.max()
    volume = 10 / 8 * phase.bytes[0]
    seconds = summary["phases"]["broadcast_row"]
    assert seconds <= 14 * (4e-6 + 2 * 1e-7 + HEADER / 142e6) + volume / 142e6


MPI = {"reduce": "mpi", "broadcast": "mpi", "transpose": "alltoallw"}
ALL_REDUCED = {"reduce": "mpi-allreduce", "broadcast": "mpi-gatherv"}


@pytest.mark.parametrize(
    ("machine", "ranks", "grid", "algorithms"),
    [
        ("seaborg", 6, "3x1", {}),
        ("bluegene-l", 6, "1x3", {}),
        # The library's algorithms are SimGrid's, some of which are wrong on so many ranks.
        ("bassi", 12, "3x2", MPI),
        ("bassi", 14, "1x7", ALL_REDUCED),
    ],
    ids=["fat-tree", "torus", "library", "all-reduced"],
)
def test_a_simulated_run_has_the_bits_of_a_run_on_one_rank(
    tmp_path: Path, machine: str, ranks: int, grid: str, algorithms: dict[str, str]
) -> None:
    core = pytest.importorskip("phasewise._core", reason="the core is not built")
    chosen = {f"communication__{key}": value for key, value in algorithms.items()}
    two_turns = study(turns=2, communication__process_grid=grid, **chosen)
    simulate(two_turns, Request(load_machine(machine), ranks), tmp_path / "simulated")
    simulation = core.start(study(turns=2).parameters())
    with Results(tmp_path / "simulated") as results:
        for turn in range(2):
            simulation.step()
            record = simulation.record()
            assert results.luminosity[turn].tolist() == record["luminosity"].tolist()
            for beam in (1, 2):
                expected = record[f"{beam}/covariance"]
                assert np.array_equal(results.beam(beam).covariance[turn], expected)


def test_the_same_simulation_gives_the_same_bytes(tmp_path: Path) -> None:
    request = Request(load_machine("jacquard"), 4, events=500)
    for name in ("first", "second"):
        simulate(study(), request, tmp_path / name)
    for name in ("communication.json", "events.bin", "summary.json"):
        first, second = (tmp_path / folder / name for folder in ("first", "second"))
        assert first.read_bytes() == second.read_bytes()
    record = read_communication(tmp_path / "first")
    events = Events(record)
    assert all(len(events.of(rank)) > 0 for rank in range(4))
    says(record.source, "simulated", "jacquard", "hardware")


@pytest.mark.parametrize("green", ["as-needed", "every-step"])
@pytest.mark.parametrize("process_grid", ["4x1", "2x2"])
def test_a_skeleton_sends_what_the_particles_send(
    tmp_path: Path, process_grid: str, green: str
) -> None:
    grid = study(communication__process_grid=process_grid, ip__1__green_function=green)
    full = Request(load_machine("bassi"), 8)
    _, real = simulate(grid, full, tmp_path / "real")
    _, hollow = simulate(grid, replace(full, skeleton=True), tmp_path / "hollow")
    for phase in real.phases:
        other = hollow.phase(phase.name)
        assert other is None or np.array_equal(other.bytes, phase.bytes), phase.name
        if other is not None and phase.name.startswith(("reduce", "broadcast")):
            # The same copies and additions of the same bytes; 17 digits are written.
            assert other.computing == pytest.approx(phase.computing, rel=1e-9), phase.name
    assert sum(p.bytes.sum() for p in hollow.phases) == sum(p.bytes.sum() for p in real.phases)


def test_sampled_steps_stand_for_all_bytes_of_the_turn(tmp_path: Path) -> None:
    request = messages_alone("seaborg", 8)
    whole, every = simulate(study(), request, tmp_path / "all")
    sampled, some = simulate(study(), replace(request, steps=3), tmp_path / "some")
    assert (whole["steps"], sampled["steps"]) == ([7, 7], [3, 7])
    for name in ("reduce_row", "reduce_column", "broadcast_row", "broadcast_column"):
        phase, scaled = every.phase(name), some.phase(name)
        if phase is not None and scaled is not None:
            # Rounded to bytes for each rank.
            assert scaled.bytes.sum() == pytest.approx(phase.bytes.sum(), abs=every.ranks)
    # Columns work at once, so that steps of 2, 4 and 2 pairs take about as long as the others: with
    # half of all pairs they count twice, and six such steps stand for seven, up to what messages
    # of a full step take from each other (measured: 4 %).
    ratio = sampled["exchange_seconds"] / whole["exchange_seconds"]
    assert ratio == pytest.approx(6 / 7, rel=0.06)


def test_sampled_steps_stand_for_the_green_functions_of_all_steps(tmp_path: Path) -> None:
    own = study(communication__process_grid="4x1", ip__1__green_function="every-step")
    request = Request(load_machine("bassi"), 8, skeleton=True)
    _, every = simulate(own, request, tmp_path / "all")
    _, some = simulate(own, replace(request, steps=3), tmp_path / "some")
    whole, scaled = every.phase("green"), some.phase("green")
    assert whole is not None
    assert scaled is not None
    # Each step takes as long as any other; 17 digits are written.
    assert scaled.computing == pytest.approx(whole.computing, rel=1e-9)


def test_computation_takes_time_unless_it_is_left_out(tmp_path: Path) -> None:
    request = Request(load_machine("jaguar"), 4)
    charged, record = simulate(study(), request, tmp_path / "charged")
    free, other = simulate(study(), replace(request, computation=False), tmp_path / "free")
    assert charged["turn_seconds"] > free["turn_seconds"]
    assert sum(phase.computing.sum() for phase in other.phases) == 0.0
    assert sum(phase.computing.sum() for phase in record.phases) > 0.0


def test_a_slow_rank_computes_longer_and_others_do_not(
    tmp_path: Path, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["simulate", str(repository / "examples/halo/study.toml"), "--machine", "bassi"]
    words += ["--ranks", "4", "--json"]
    found = {}
    for name, more in {"even": [], "slow": ["--slow", "2:3", "--slow", "1:2"]}.items():
        assert main([*words, *more, "--out", str(tmp_path / name)]) == 0
        summary = json.loads(capsys.readouterr().out)
        assert summary["slow"] == ({} if name == "even" else {"1": 2.0, "2": 3.0})
        record = read_communication(tmp_path / name)
        kernels = [phase.computing for phase in record.phases if not phase.communicates]
        found[name] = np.sum(kernels, axis=0)
    np.testing.assert_allclose(found["slow"], found["even"] * [1, 2, 3, 1])
    says(record.source, "simulated on bassi", "rank 1 2 times", "rank 2 3 times")


def test_a_slow_rank_that_cannot_be_is_refused(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["simulate", repository / "examples/halo/study.toml", "--machine", "bassi"]
    words += ["--ranks", "4"]
    for slow, facts in {
        "4:2": ("--slow 4:2", "0 to 3"),
        "1": ("--slow", "1", "24:2"),
        "1:0": ("--slow", "1:0", "24:2"),
    }.items():
        command_refused(capsys, [*words, "--slow", slow], *facts)
    command_refused(capsys, [*words, "--slow", "1:2", "--no-computation"], "--no-computation")


def test_messages_that_take_no_time_split_the_communication_efficiency(tmp_path: Path) -> None:
    request = replace(messages_alone("bassi", 8), twin="full", skeleton=False, ideal=True)
    _, silent = simulate(study(), request, tmp_path / "silent")
    # Without computation nothing is left but rounding, far below a latency of microseconds.
    assert silent.ideal_seconds is not None and silent.ideal_seconds < 1e-9
    summary, record = simulate(study(), replace(request, computation=True), tmp_path / "run")
    found, told = efficiency(record), summary["communication"]
    assert found.serialisation is not None and found.transfer is not None
    assert found.communication_efficiency == pytest.approx(found.serialisation * found.transfer)
    assert 0 < found.transfer < 1 and 0 < found.serialisation <= 1
    assert told["serialisation"] == found.serialisation and told["transfer"] == found.transfer


def test_the_command_prints_the_summary_that_scripts_rely_on(
    tmp_path: Path, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["simulate", str(repository / "examples/lhc/study.toml"), "--machine", "bassi"]
    words += ["--ranks", "4", "--process-grid", "2x1", "--layout", "row-first", "--skeleton"]
    words += ["--set", "ip.1.grid=[16,16]", "--out", str(tmp_path / "run"), "--json"]
    assert main(words) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["machine"], summary["ranks"], summary["layout"]) == ("bassi", 4, "row-first")
    assert (summary["process_grid"], summary["reference"]) == ("2x1", "simulator")
    assert summary["algorithms"]["reduce"] == "hypercube"
    assert 0 < summary["communication_seconds"] <= summary["turn_seconds"]
    assert set(summary["phases"]) >= {"reduce_row", "broadcast_row"}
    assert json.loads((tmp_path / "run/summary.json").read_text()) == summary


def test_particles_from_a_file_are_refused_unless_only_messages_are_sent(tmp_path: Path) -> None:
    given = study()
    beams = (replace(given.beams[0], distribution="file"), given.beams[1])
    changed = replace(given, model=replace(given.model, beams=beams))
    with refused("beam.1.particles", "file"):
        simulate(changed, Request(load_machine("bassi"), 2), tmp_path)
