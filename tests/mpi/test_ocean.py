"""An ocean on several ranks: its bits, checkpoints, and plans beside what was sent."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import phasewise
from phasewise.errors import RunError
from phasewise.machines import load_machine
from phasewise.machines.smpirun import simulated_tree
from phasewise.models.plan import plan
from phasewise.simulated.simulate import Request, simulate
from phasewise.study import load
from tests.mpi.ocean_ways import CASES, RANKS, keys, ways
from tests.mpi.pairwise import written
from tests.mpi.scripts import Script
from tests.mpi.test_told_once import COUNTS, agreeing
from tests.mpi.whole_run import datasets, ran

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

# Ten times the seconds that the ways on the most ranks take on two busy cores.
SCRIPT = Script("tests.mpi.ocean_ways", "ranks", max(map(int, keys()["threads"])), 60)

STUDY = """
workload = "ocean"
timesteps = 6
[ocean]
grid = [28, 22, 7]
timestep = 3600.0
viscosity = 2.0e4
diffusivity = 2.0e3
wind = 1.0
evp_block = [6, 5]
[records]
snapshots_every = 2
"""


@pytest.fixture
def written_study(tmp_path: Path) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return path


@pytest.fixture(scope="module")
def alone(repository: Path) -> dict[str, str]:
    """On one rank: each case as it is by default, and the ways for one rank."""
    return SCRIPT.fingerprints(repository, 1)


@pytest.mark.parametrize("ranks", RANKS)
def test_timesteps_are_the_same_bit_for_bit(
    repository: Path, alone: dict[str, str], ranks: int
) -> None:
    found = alone if ranks == 1 else SCRIPT.fingerprints(repository, ranks)
    expected = {written(choice): alone[choice["case"]] for choice in ways(ranks)}
    assert expected
    assert [name for name in expected if found[name] != expected[name]] == []


def test_the_cases_differ(alone: dict[str, str]) -> None:
    assert len({alone[case] for case in CASES}) == len(CASES)


def test_every_value_of_a_key_is_among_the_ways() -> None:
    several = [choice for ranks in RANKS for choice in ways(ranks) if ranks > 1]
    for key, values in keys().items():
        assert {choice[key] for choice in several} == set(values), key


def test_a_halo_of_one_field_is_two_messages_and_then_two_with_the_corners() -> None:
    """POP's x1 on 16 × 8 ranks: blocks of 20 × 48 cells with two rows around them."""
    study = phasewise.Study.from_dict(
        {
            "workload": "ocean",
            "timesteps": 1,
            "ocean": {"grid": "x1", "mask": "none", "solver": "pcg", "iterations": 1},
            "communication": {"process_grid": "16x8"},
        }
    )
    phases = {phase["name"]: phase for phase in plan(study, 128)["phases"]}
    halo = phases["solver_halo"]
    assert (halo["messages"], halo["bytes_per_rank"]) == (4, 2 * 768 + 2 * 384)
    # 40 levels of two components, in one message each.
    flow = phases["baroclinic_boundary"]
    assert (flow["messages"], flow["bytes_per_rank"]) == (4, 80 * (2 * 768 + 2 * 384))


SENT = (
    COUNTS
    + """
from tests.mpi.ocean_ways import study

for case, own in (
    ("globe", {}),
    ("globe", {"aggregate": False, "blocks": [4, 4], "distribution": "balanced"}),
    ("gyre", {"boundary": "fence", "solver_sum": "binomial"}),
    ("channel", {"solver_sum": "mpi"}),
    ("torus", {"iterations_per_exchange": 2, "solver_halo": "sendrecv"}),
):
    parameters = study(case, {"node_size": 1, **own}).parameters()
    found, pieces = recorded(parameters)
    expected = planned(parameters, pieces)
    assert found == expected, (core.rank(), case, own, found, expected)
    assert pieces["setup"] == 1 and pieces["iteration"] > TURNS
    assert ("tracer_boundary" in found) == (case != "channel")
print("agrees")
"""
)


def test_what_is_recorded_is_what_is_planned(repository: Path) -> None:
    # No axis divides evenly.
    assert agreeing(SENT, 6, repository) == 6


def test_a_run_goes_on_on_other_ranks(written_study: Path, tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    keep = ["--set", "records.checkpoint_every=1"]
    for ranks, timesteps, more in (
        (3, 2, []),
        (2, 4, ["--resume", "--set", "communication.blocks=[4, 4]"]),
        (4, 6, ["--resume", "--set", "communication.distribution=curve",
                "--set", "communication.blocks=[4, 4]"]),
    ):  # fmt: skip
        words = ["--ranks", ranks, "--out", parts, "--quiet", *keep, *more]
        ran(written_study, *words, "--set", f"timesteps={timesteps}")
    phasewise.run(load(written_study), out=tmp_path / "whole").close()
    assert datasets(parts) == datasets(tmp_path / "whole")
    summary = json.loads((parts / "summary.json").read_text())
    assert abs(summary["volume_change"]) < 1e-13
    assert summary["solver"]["residual"] < 1e-13
    least, largest = summary["solver"]["bounds"]
    assert 0 < least < largest


def test_simulated_ranks_compute_the_same_ocean(written_study: Path, tmp_path: Path) -> None:
    try:
        simulated_tree()
    except RunError as error:
        pytest.skip(str(error))
    # Simulated ranks take no snapshots.
    study = load(written_study, ["records.snapshots_every=0"])
    simulate(study, Request(load_machine("bassi"), 4), tmp_path / "simulated")
    phasewise.run(study, out=tmp_path / "here").close()
    found = datasets(tmp_path / "here")
    assert {"volume", "iterations", "residual"} <= found.keys()
    assert datasets(tmp_path / "simulated") == found
