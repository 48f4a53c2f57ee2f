"""The benchmark of all variants of a lattice's exchanges: what it times and what it leaves out."""

from __future__ import annotations

import pytest

from benchmarks.qcd_variants import FACES, OVERLAPS, asked, read_options, refusal
from phasewise.machines import load_machine
from phasewise.workload.protocols import NOT_SIMULATED, PROTOCOLS, available

pytest.importorskip("phasewise._core", reason="the core is not built")


def test_every_protocol_meets_all_faces_and_overlaps() -> None:
    every = asked(read_options([]))
    assert len(every) == len(set(every)) == len(PROTOCOLS) * len(FACES) * len(OVERLAPS)


@pytest.mark.parametrize("name", ["xt4", "altix-4700"])
def test_a_torus_and_a_fat_tree_simulate_all_that_simgrid_has(name: str) -> None:
    options = read_options(["--ranks", "64", "--size", "24", "24", "24", "48", "--machine", name])
    machine = load_machine(name)
    for one in asked(options):
        lacking = one.overlap == "thread" or one.protocol in NOT_SIMULATED
        assert bool(refusal(one, options, machine)) == lacking, one.name


def test_real_ranks_have_all_protocols_of_the_build_and_a_thread_that_communicates() -> None:
    for threads in (1, 2):
        options = read_options(["--threads", str(threads)])
        for one in asked(options):
            lacking = one.protocol not in available() or (threads == 1 and one.overlap == "thread")
            assert bool(refusal(one, options, None)) == lacking, one.name


def test_a_machine_whose_messages_cost_nothing_has_no_runs() -> None:
    options = read_options(["--ranks", "8", "--overlaps", "none", "--protocols", "put"])
    found = [one.faces for one in asked(options) if refusal(one, options, load_machine("jaguar"))]
    assert found == [name for name in FACES if name.endswith("runs")]
