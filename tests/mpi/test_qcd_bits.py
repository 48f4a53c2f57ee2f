"""A solve of lattice QCD gives the same bits, however its ranks divide and exchange their work."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from phasewise.runs.results import Results
from phasewise.workloads.qcd.gauge.files import check_links
from phasewise.workloads.qcd.gauge.names import form_of
from phasewise.workloads.qcd.gauge.writing import write_links
from tests.mpi.pairwise import all_pairs, pairs_of, written
from tests.mpi.qcd_ways import RANKS, SIZE, SOLVERS, keys, ways
from tests.mpi.scripts import Script
from tests.mpi.whole_run import datasets, ran
from tests.unit.test_qcd import random_links, reals

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

# Ten times the seconds that the ways on the most ranks take on two idle cores.
SCRIPT = Script("tests.mpi.qcd_ways", "ranks", max(map(int, keys()["threads"])), 120)


@pytest.fixture(scope="module")
def alone(repository: Path) -> dict[str, str]:
    """On one rank: each solver as it is by default, and the ways for one rank."""
    return SCRIPT.fingerprints(repository, 1)


@pytest.mark.parametrize("ranks", RANKS)
def test_a_solve_is_the_same_bit_for_bit(
    repository: Path, alone: dict[str, str], ranks: int
) -> None:
    found = alone if ranks == 1 else SCRIPT.fingerprints(repository, ranks)
    expected = {written(choice): alone[choice["solver"]] for choice in ways(ranks)}
    assert expected
    assert [name for name in expected if found[name] != expected[name]] == []


def test_the_solvers_differ(alone: dict[str, str]) -> None:
    assert len({alone[solver] for solver in SOLVERS}) == len(SOLVERS)


def test_every_two_values_of_a_way_meet() -> None:
    met = {pair for ranks in RANKS for choice in ways(ranks) for pair in pairs_of(choice)}
    assert met == set(all_pairs(keys()))


# Ranks, threads, and how they exchange, of one part of a run after the other.
PARTS = (
    (2, 1, {"halo": "put", "spinors": "full"}),
    (6, 1, {"halo": "persistent", "overlap": "true", "layout": "random"}),
    (3, 2, {"halo": "sendrecv", "overlap": "thread", "blocks": "runs"}),
    (1, 2, {"kernel": "plain"}),
)


def test_a_run_goes_on_with_links_of_a_file_on_other_ranks_and_in_other_ways(
    tmp_path: Path,
) -> None:
    links = reals(random_links(3, SIZE))
    field, gone = tmp_path / "field.lime", tmp_path / "gone.lime"
    stored = write_links(field, form_of("ildg", "double"), SIZE, links)
    path = tmp_path / "file.toml"
    path.write_text(
        f"""
workload = "qcd"
solves = {len(PARTS)}
[lattice]
size = {list(SIZE)}
[gauge]
start = "file"
file = "field.lime"
[quarks]
kappa = 0.12
[solver]
iterations = 3
[records]
checkpoint_every = 1
"""
    )
    for done, (ranks, threads, keys_given) in enumerate(PARTS):
        own = [word for k, v in keys_given.items() for word in ("--set", f"communication.{k}={v}")]
        words = ["--ranks", ranks, "--threads", threads, "--out", tmp_path / "parts", "--quiet"]
        ran(path, *words, *own, "--set", f"solves={done + 1}", *(["--resume"] if done else []))
        if not done:
            field.rename(gone)
    gone.rename(field)
    ran(path, "--ranks", 1, "--out", tmp_path / "whole", "--quiet")
    assert datasets(tmp_path / "parts") == datasets(tmp_path / "whole")
    with Results(tmp_path / "whole") as results:
        assert results.rows("plaquette_space")[-1] == pytest.approx(
            check_links(stored)["plaquette_space"], abs=1e-14
        )
