"""Machine files, their simulated twins, and the least time that messages need."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from phasewise.errors import RunError, StudyError
from phasewise.machines import (
    floor,
    load_machine,
    machine_names,
    make_twin,
    nodes_of,
    smallest_box,
)
from phasewise.machines.smpirun import _failure, simulate_driver, simulated_tree
from phasewise.machines.topology import check_size
from tests.sentences import Nearest, one_sentence, refused

BASSI = """
name = "copy"
[node]
ranks = 8
[memory]
latency = 2.3e-6
rank_bandwidth = 1660e6
bandwidth = 13280e6
[network]
kind = "fat-tree"
latency = 6.7e-6
flow_bandwidth = 1105e6
adapter_bandwidth = 2368e6
[network.taper]
nodes = 2
bandwidth = 2368e6
[protocol]
sizes = [4096]
bandwidth_factors = [0.5]
latency_factors = [2.0]
[processor]
peak = 7.6e9
flops = 1e9
bandwidth = 5e9
[paper]
ping_pong = [9.4e-6, 825e6]
"""

TORUS = """
name = "small torus"
[node]
ranks = 1
[network]
kind = "torus"
dims = [4, 4, 8]
latency = 4e-6
hop_latency = 1e-7
flow_bandwidth = 142e6
link_bandwidth = 142e6
[processor]
peak = 2.8e9
flops = 1e9
bandwidth = 1e9
"""

DRAGONFLY = """
name = "dragon"
[node]
ranks = 1
[network]
kind = "dragonfly"
latency = 1e-6
hop_latency = 1e-7
flow_bandwidth = 1e9
adapter_bandwidth = 2e9
groups = 3
routers = 3
router_nodes = 4
link_bandwidth = 1e9
global_bandwidth = 4e9
[processor]
peak = 1e9
flops = 1e9
bandwidth = 1e9
"""


def written(folder: Path, text: str) -> str:
    path = folder / "machine.toml"
    path.write_text(text)
    return str(path)


def test_the_machines_of_all_papers_and_a_modern_one_are_there() -> None:
    collisions = ["bassi", "bluegene-l", "jacquard", "jaguar", "seaborg"]
    slides = ["altix", "earth-simulator", "p690", "phoenix", "phoenix-ssp"]
    lattices = ["altix-4700", "altix-dense", "xt4"]
    today = ["frontier", "hpc7a", "jupiter", "modern"]
    assert machine_names() == sorted([*collisions, *slides, *lattices, *today, "wilson"])
    assert load_machine("wilson").node_ranks == 12


@pytest.mark.parametrize("name", ["seaborg", "bassi", "jacquard"])
def test_a_smp_machine_carries_what_the_paper_measured_with_all_ranks_at_once(name: str) -> None:
    machine = load_machine(name)
    inter, intra = machine.paper["parallel_inter"], machine.paper["parallel_intra"]
    assert machine.network.adapter_bandwidth == machine.node_ranks * inter.bandwidth
    assert machine.network.latency == inter.latency
    assert machine.network.flow_bandwidth == machine.paper["ping_ping"].bandwidth
    assert machine.memory is not None
    assert machine.memory.bandwidth == machine.node_ranks * intra.bandwidth
    assert (machine.memory.latency, machine.memory.rank_bandwidth) == (
        intra.latency,
        intra.bandwidth,
    )


@pytest.mark.parametrize("name", ["jaguar", "bluegene-l"])
def test_a_neighbour_on_a_torus_is_as_far_as_the_papers_ping_ping(name: str) -> None:
    machine = load_machine(name)
    network, measured = machine.network, machine.paper["ping_ping"]
    assert network.hop_latency is not None
    assert network.latency + network.hop_latency == pytest.approx(measured.latency, rel=1e-12)
    assert network.link_bandwidth == network.flow_bandwidth == measured.bandwidth


def test_every_number_of_a_machine_file_has_its_source_beside_it(repository: Path) -> None:
    for path in (repository / "machines").glob("*.toml"):
        lines = path.read_text().splitlines()
        numbers = [
            line for line in lines if "= " in line and line.split("= ")[1][0] in "0123456789["
        ]
        bare = [line for line in numbers if "#" not in line and not line.startswith("[")]
        assert bare == [], path


@pytest.mark.parametrize(
    ("old", "new", "facts"),
    [
        ("latency = 6.7e-6", "", ("network.latency", "missing")),
        ("latency = 6.7e-6", "latency = 0", ("network.latency", 0, "(s)")),
        ("latency = 6.7e-6", "latency = 6.7", ("network.latency", 6.7, 1, "(s)", "1e-6")),
        ("latency = 6.7e-6", "latency = nan", ("network.latency", "nan", "(s)")),
        ("= 1105e6", "= -1105e6", ("network.flow_bandwidth", "-1.105e+09", 1000, "(B/s)")),
        ("= 1105e6", "= 110.5", ("network.flow_bandwidth", 110.5, 1000, "(B/s)")),
        ("= 1105e6", "= 1e14", ("network.flow_bandwidth", "1e+14", "1e+13", "(B/s)", "1e6")),
        ("ranks = 8", "ranks = 0", ("node.ranks", 0, 1)),
        ("[memory]", "[memmory]", ('"memmory"', Nearest("memory"))),
        ("flow_bandwidth", "flow_bandwith", ('"flow_bandwith"', Nearest("flow_bandwidth"))),
        ('"fat-tree"', '"fat"', ("network.kind", '"fat"', "fat-tree", "torus", "dragonfly")),
        ('"fat-tree"', '"torus"', ("network.dims", "missing")),
        ("[network.taper]", "[network.tape]", ("network", '"tape"', Nearest("taper"))),
        (
            "rank_bandwidth = 1660e6",
            "rank_bandwidth = 2e10",
            ("memory.bandwidth", "1.328e+10", "memory.rank_bandwidth", "2e+10"),
        ),
        (
            "sizes = [4096]",
            "sizes = [4096, 4096]",
            ("protocol.bandwidth_factors", 1, "protocol.sizes", 2),
        ),
        (
            "[9.4e-6, 825e6]",
            "[9.4e-6]",
            ("paper.ping_pong", "[latency, bandwidth]", "(s, B/s)", [9.4e-06]),
        ),
        ("[9.4e-6, 825e6]", "[825e6, 9.4e-6]", ("paper.ping_pong[1]", "8.25e+08", 1, "(s)")),
        ('name = "copy"', "", ("name", "missing")),
    ],
)
def test_a_wrong_machine_file_is_refused_in_one_sentence(
    tmp_path: Path, old: str, new: str, facts: tuple[object, ...]
) -> None:
    assert old in BASSI
    path = written(tmp_path, BASSI.replace(old, new, 1))
    with refused(*facts) as caught:
        load_machine(path)
    assert str(caught.value).startswith(path)


def test_a_key_of_another_kind_of_network_is_refused(tmp_path: Path) -> None:
    text = TORUS.replace("dims =", "groups = 4\ndims =")
    with refused("network.groups", "kind", '"torus"'):
        load_machine(written(tmp_path, text))


def test_a_torus_has_three_sides_or_the_smallest_box(tmp_path: Path) -> None:
    with refused("network.dims", "three", [4, 4, 8], '"smallest-box"', [4, 4]):
        load_machine(written(tmp_path, TORUS.replace("[4, 4, 8]", "[4, 4]")))
    machine = load_machine(written(tmp_path, TORUS.replace("[4, 4, 8]", '"smallest-box"')))
    assert "dims = 4 8 8" in make_twin(machine, "plain", 256).platform


@pytest.mark.parametrize(
    ("name", "nodes", "ranks", "injected"),
    [("frontier", 9856, 8, 100e9), ("jupiter", 6000, 4, 100e9), ("hpc7a", 1000, 192, 37.5e9)],
)
def test_a_machine_of_today_has_what_its_site_publishes(
    name: str, nodes: int, ranks: int, injected: float
) -> None:
    machine = load_machine(name)
    assert machine.node_ranks == ranks
    assert machine.network.adapters * machine.network.adapter_bandwidth == injected
    check_size(machine, nodes * ranks)
    if name != "hpc7a":
        with refused(name, str(nodes)):
            check_size(machine, nodes * ranks + 1)
    if name == "frontier":
        # What a cabinet of 128 nodes injects, over what leads out of it: the blocking factor 1.753
        # that is published for 74 cabinets.
        network = machine.network
        assert 128 * injected / (73 * network.global_bandwidth) == pytest.approx(1.753, abs=1e-3)


def test_what_leaves_a_group_of_a_dragonfly_shares_its_global_links(tmp_path: Path) -> None:
    machine = load_machine(written(tmp_path, DRAGONFLY))
    # Twelve nodes of a group send 1 MB each to the next one; two links lead out of a group.
    peer = (np.arange(36) + 12) % 36
    found = floor(machine, nodes_of(machine, 36), *pairs(36, peer))
    assert found.cut == pytest.approx(12e6 / 8e9, rel=1e-12)


def test_an_unknown_machine_is_answered_with_the_nearest_name() -> None:
    with refused("machine", '"basi"', ".toml", nearest="bassi"):
        load_machine("basi")


@pytest.mark.parametrize(
    ("text", "ranks", "most"), [(TORUS, 129, 128), (DRAGONFLY, 37, 36)], ids=["torus", "dragonfly"]
)
def test_a_topology_too_small_for_the_ranks_is_refused(
    tmp_path: Path, text: str, ranks: int, most: int
) -> None:
    machine = load_machine(written(tmp_path, text))
    make_twin(machine, "plain", most)
    with refused(machine.network.kind, f"{most} nodes", f"{ranks} ranks", f"{most} ranks"):
        make_twin(machine, "plain", ranks)


@pytest.mark.parametrize(
    ("nodes", "box"),
    [
        (1, (1, 1, 1)),
        (32, (2, 4, 4)),
        (128, (4, 4, 8)),
        (256, (4, 8, 8)),
        (1024, (8, 8, 16)),
        (31, (2, 4, 4)),
    ],
)
def test_the_smallest_box_is_the_most_cubic_of_the_smallest(
    nodes: int, box: tuple[int, int, int]
) -> None:
    assert smallest_box(nodes) == box


def test_ranks_fill_one_node_after_another() -> None:
    twin = make_twin(load_machine("bassi"), "plain", 20)
    assert twin.hosts == ("node0",) * 8 + ("node1",) * 8 + ("node2",) * 4


def test_only_the_full_twin_has_protocol_and_tapered_stage(tmp_path: Path) -> None:
    machine = load_machine(written(tmp_path, BASSI))
    plain, full = make_twin(machine, "plain", 32), make_twin(machine, "full", 32)
    assert "taper" not in plain.platform
    assert "taper = 2 2368000000.0" in full.platform
    assert "--cfg=smpi/bw-factor:0:1" in plain.options
    assert "--cfg=smpi/bw-factor:0:1;4096:0.5" in full.options
    assert "--cfg=smpi/lat-factor:0:1;4096:2" in full.options


def pairs(ranks: int, peer: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every rank sends 1 MB to its peer."""
    return np.arange(ranks), peer, np.full(ranks, 10**6)


def test_the_floor_of_a_full_node_is_its_volume_over_the_adapter() -> None:
    machine = load_machine("bassi")
    ranks = np.arange(16)
    found = floor(machine, nodes_of(machine, 16), *pairs(16, ranks ^ 8))
    # Eight ranks send, and as many receive, 1 MB each.
    assert found.adapter == found.seconds == pytest.approx(8e6 / 2368e6, rel=1e-12)
    assert (found.cut, found.memory) == (0.0, 0.0)


def test_the_floor_within_a_node_is_its_memorys() -> None:
    machine = load_machine("bassi")
    found = floor(machine, nodes_of(machine, 8), *pairs(8, np.arange(8) ^ 1))
    assert found.memory == found.seconds == pytest.approx(8e6 / 13280e6, rel=1e-12)
    alone = (np.array([0]), np.array([1]), np.array([10**6]))
    assert floor(machine, nodes_of(machine, 8), *alone).seconds == pytest.approx(1e6 / 1660e6)


def test_a_tapered_stage_holds_up_what_leaves_it(tmp_path: Path) -> None:
    machine = load_machine(written(tmp_path, BASSI))
    nodes, ranks = nodes_of(machine, 32), np.arange(32)
    across = pairs(32, ranks ^ 16)
    # Two nodes of eight ranks each leave their stage, whose way out is one adapter wide.
    assert floor(machine, nodes, *across).cut == pytest.approx(16e6 / 2368e6, rel=1e-12)
    assert floor(machine, nodes, *across, taper=False).cut == 0.0
    assert floor(machine, nodes, *pairs(32, ranks ^ 8)).cut == 0.0


def test_antipodal_messages_on_a_torus_are_bound_by_the_midplane(tmp_path: Path) -> None:
    machine = load_machine(written(tmp_path, TORUS))
    at = np.arange(128)
    x, y, z = at % 4, at // 4 % 4, at // 16
    peer = (x + 2) % 4 + 4 * ((y + 2) % 4) + 16 * ((z + 4) % 8)
    # Across z, 64 messages of 1 MB go each way over two planes of 16 links.
    found = floor(machine, nodes_of(machine, 128), *pairs(128, peer))
    assert found.cut == found.seconds == pytest.approx(2e6 / 142e6, rel=1e-12)


def test_neighbours_on_a_torus_need_no_more_than_their_links(tmp_path: Path) -> None:
    machine = load_machine(written(tmp_path, TORUS))
    at = np.arange(128)
    peer = at - at % 4 + (at + 1) % 4
    # Of each row of four, one message crosses each plane, which has a link for it at both ends.
    found = floor(machine, nodes_of(machine, 128), *pairs(128, peer))
    assert found.cut == pytest.approx(0.5e6 / 142e6, rel=1e-12)


def test_without_smpirun_a_sentence_tells_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with refused("smpirun", "libsimgrid-dev", "make setup", by=RunError):
        simulated_tree()


@pytest.mark.skipif(shutil.which("smpirun") is None, reason="SimGrid is not installed")
def test_without_the_simulated_driver_a_sentence_names_the_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PHASEWISE_SIMULATED", str(tmp_path))
    with refused(tmp_path, "driver", "make setup", "PHASEWISE_SIMULATED", by=RunError):
        simulated_tree()


@pytest.mark.parametrize(
    ("status", "said", "facts"),
    [
        (
            1,
            "noise\nphasewise: rank 3 failed in phase reduce_row: no room\nBacktrace",
            ("rank 3", "reduce_row", "no room"),
        ),
        (
            134,
            "[CRITICAL] Oops! Deadlock detected, some activities are still around",
            ("8 ranks", "bassi", "wait"),
        ),
        (0, "[0.017475] [smpi/INFO] Stalling SMPI instance: smpirun.", ("8 ranks", "wait")),
        (137, "", ("8 ranks", "bassi", "killed", "memory")),
        (139, "Segmentation fault.\nTry to debug that", ("8 ranks", "bassi", "segmentation")),
        (
            134,
            "[node1:8:(9) 0.1] x.cpp:2: [root/CRITICAL] MPI_Irecv - returned MPI_ERR_RANK\nAborted",
            ("8 ranks", "bassi", "smpirun", "status 134", "MPI_Irecv - returned MPI_ERR_RANK"),
        ),
        (3, "first\nlast words\n", ("8 ranks", "bassi", "smpirun", "status 3", "last words")),
    ],
)
def test_what_ends_a_simulation_is_told_in_one_sentence(
    status: int, said: str, facts: tuple[str, ...]
) -> None:
    error = _failure(status, said, make_twin(load_machine("bassi"), "plain", 8))
    assert isinstance(error, RunError)
    one_sentence(str(error), *facts)
    assert "Backtrace" not in str(error) and "debug" not in str(error)


@pytest.mark.skipif(shutil.which("smpirun") is None, reason="SimGrid is not installed")
def test_ranks_that_wait_for_ever_end_a_simulation_though_the_status_is_0(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    simulated = tmp_path / "smpirun"
    simulated.write_text("#!/bin/sh\necho '[smpi/INFO] Stalling SMPI instance: smpirun.' >&2\n")
    simulated.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with refused("8 ranks", "bassi", "wait for each other", by=RunError):
        simulate_driver(make_twin(load_machine("bassi"), "plain", 8), "", tmp_path)


def test_parameters_that_the_driver_refuses_are_bad_input() -> None:
    error = _failure(2, "phasewise: no such key", make_twin(load_machine("bassi"), "plain", 8))
    assert isinstance(error, StudyError)
