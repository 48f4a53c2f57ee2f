"""The elliptic solver on several ranks: all bits of one rank, in every way of exchanging."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.mpi.scripts import printed

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

SCRIPT = """
import hashlib
import json
import sys
import numpy as np
from phasewise.driver import load_core
from phasewise.workloads.ocean import NinePoint
from benchmarks.ocean_surface import depths, operator, right_side

comm = load_core()
coefficients, sea = operator(depths(80, 60), 4000.0)
b = right_side(sea)
hashes = {}


def solved(name, surface, **own):
    found = surface.solve(b, **own)
    bits = [found.solution, found.residuals, np.array(found.bounds)]
    hashes[name] = hashlib.sha256(b"".join(np.ascontiguousarray(one) for one in bits)).hexdigest()


def all_with(surface, kind):
    for solver in ("pcg", "chrongear", "pipelined", "pcsi"):
        for preconditioner in ("diagonal", "evp"):
            name = f"{solver} {preconditioner} {kind}"
            solved(name, surface, solver=solver, preconditioner=preconditioner)
    solved(f"two {kind}", surface, preconditioner="diagonal", iterations_per_exchange=2)


surface = NinePoint(coefficients, sea, periodic_x=True)
all_with(surface, "one")
for kind, blocks in (("balanced", (10, 12)), ("curve", (20, 12))):
    dealt = NinePoint(coefficients, sea, periodic_x=True, blocks=blocks, distribution=kind)
    all_with(dealt, kind)
for halo in ("sendrecv", "ordered", "derived", "put", "persistent", "shared", "fence", "neighbour"):
    solved(f"pcsi halo {halo}", surface, preconditioner="diagonal", solver_halo=halo)
for total in ("mpi", "binomial", "dissemination", "node-aware", "put"):
    own = {"solver": "pipelined", "preconditioner": "evp", "solver_sum": total}
    solved(f"pipelined sum {total}", surface, **own)
for protocol in ("put", "persistent", "sendrecv", "get"):
    own = {"solver": "chrongear", "preconditioner": "evp", "solver_sum_protocol": protocol}
    solved(f"chrongear by {protocol}", surface, **own)


def refused(name, right, **own):
    try:
        surface.solve(right, **own)
    except ValueError as error:
        hashes[name] = str(error)


for name, value in (
    ("evp_block", 12), ("most_iterations", "100"), ("iterations", 0), ("tolerance", float("nan"))
):
    refused(f"refused {name}", b, **{name: value})
refused("said", b[: 60 - (comm.rank() == 1)])
refused("said too", b, iterations=0 if comm.rank() == 1 else None, most_iterations=3000)
if comm.rank() == 0:
    print(json.dumps(hashes) + "\\n", end="")
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("nine_point") / "solve.py"
    path.write_text(SCRIPT)
    return path


def hashes(script: Path, ranks: int, repository: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads(printed([str(script)], ranks, repository))
    return found


@pytest.fixture(scope="module")
def one(script: Path, repository: Path) -> dict[str, str]:
    return hashes(script, 1, repository)


def test_no_way_changes_a_bit(one: dict[str, str]) -> None:
    solved = {name: bits for name, bits in one.items() if name != "said"}
    for solver, preconditioner in (
        ("pcsi", "diagonal"),
        ("pipelined", "evp"),
        ("chrongear", "evp"),
    ):
        alike = {
            bits
            for name, bits in solved.items()
            if name.split()[0] == solver
            and (preconditioner in name.split() or name.split()[1] in ("halo", "sum", "by"))
        }
        assert len(alike) == 1, solver
    assert {solved[f"two {kind}"] for kind in ("one", "balanced", "curve")} == {solved["two one"]}


def test_arguments_that_cannot_be_used_are_named(one: dict[str, str]) -> None:
    for name in ("evp_block", "most_iterations", "iterations", "tolerance"):
        assert one[f"refused {name}"].startswith(name)


@pytest.mark.parametrize("ranks", [2, 3, 4, 7])
def test_ranks_have_the_bits_of_one(
    ranks: int, one: dict[str, str], script: Path, repository: Path
) -> None:
    found = hashes(script, ranks, repository)
    assert "rank 1: b has the shape (59, 80)" in found.pop("said")
    assert "rank 1: iterations = 0 must be at least 1" in found.pop("said too")
    assert found == one
