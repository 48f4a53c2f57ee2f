"""Columns of an atmosphere on several ranks: their bits, checkpoints, plans beside what was sent,
and columns that fail.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import phasewise
from phasewise.study import load
from tests.mpi.atmosphere_ways import CASES, OF_RANKS, RANKS, keys, ways
from tests.mpi.pairwise import written
from tests.mpi.scripts import Script
from tests.mpi.test_told_once import COUNTS, agreeing
from tests.mpi.whole_run import datasets, ran, run

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

# Ten times the seconds that the ways on the most ranks take on two busy cores.
SCRIPT = Script("tests.mpi.atmosphere_ways", "ranks", max(map(int, keys()["threads"])), 60)

STUDY = """
workload = "atmosphere"
timesteps = 6
[atmosphere]
grid = [10, 12]
levels = 6
timestep = 7200.0
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
    """On one rank: each case as it is without balance, and the ways for one rank."""
    return SCRIPT.fingerprints(repository, 1)


@pytest.mark.parametrize("ranks", RANKS)
def test_a_day_is_the_same_bit_for_bit(repository: Path, alone: dict[str, str], ranks: int) -> None:
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


SENT = (
    COUNTS
    + """
from tests.mpi.atmosphere_ways import given, study

for case, own in (
    ("day", {"balance": "all"}),
    ("day", {"balance": "twin", "division": "longitudes", "columns": "fence"}),
    ("day", {"balance": "node", "node_size": 2, "division": "blocks"}),
    ("winter", {"balance": "pairs", "columns": "sendrecv"}),
    ("winter", {"balance": "all", "columns": "put"}),
    ("dry", {"balance": "all", "exchange": "alltoallw"}),
    ("dry", {"balance": "none"}),
):
    parameters = study(case, {"node_size": 1, **own}, TURNS).parameters()
    found, pieces = recorded(parameters)
    expected = planned(parameters, pieces)
    assert found == expected, (core.rank(), case, own, found, expected)
    assert pieces == {"sun": 1.0}
# Given costs are the same in every run, so that a plan knows what `measured` moves.
for balance in ("all", "pairs", "measured"):
    parameters = given(TURNS) + f"communication.balance = {balance}\\n"
    found, pieces = recorded(parameters)
    assert found == planned(parameters, pieces), (core.rank(), balance, found)
    assert ("costs" in found) == (balance == "measured")
print("agrees" + "\\n", end="")
"""
)


def test_what_is_recorded_is_what_is_planned(repository: Path) -> None:
    # The latitudes do not divide evenly.
    assert agreeing(SENT, 6, repository) == 6


def test_a_run_goes_on_on_other_ranks(written_study: Path, tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    keep = ["--set", "records.checkpoint_every=1"]
    for ranks, timesteps, more in (
        (3, 2, []),
        (2, 4, ["--resume", "--set", "communication.balance=twin",
                "--set", "communication.division=longitudes"]),
        (4, 6, ["--resume", "--set", "communication.balance=measured",
                "--set", "communication.division=blocks"]),
    ):  # fmt: skip
        words = ["--ranks", ranks, "--out", parts, "--quiet", *keep, *more]
        ran(written_study, *words, "--set", f"timesteps={timesteps}")
    phasewise.run(load(written_study), out=tmp_path / "whole").close()
    found, expected = datasets(parts), datasets(tmp_path / "whole")
    assert found.keys() == expected.keys()
    differ = [name for name in expected if found[name] != expected[name]]
    assert {name.split("/")[-1] for name in differ} <= {*OF_RANKS, "cost"}


def test_a_column_that_cannot_go_on_is_named_once(written_study: Path, tmp_path: Path) -> None:
    words = ["--set", "atmosphere.solar_constant=90000", "--set", "atmosphere.albedo=0"]
    done = run(written_study, "--ranks", 3, "--out", tmp_path / "run", "--quiet", *words)
    assert done.returncode == 1
    # On a busy machine some ranks say so before they know that others do.
    said = {line.split("cannot be done: ")[-1] for line in done.stderr.splitlines()}
    sentences = [one for one in said if one.startswith("the column at ")]
    assert len(sentences) == 1 and "Traceback" not in done.stderr
    assert " K at " in sentences[0] and "timestep" in done.stderr
