"""A gas on several ranks: its bits, checkpoints, its end and its failures, and plans beside what
was sent.
"""

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
from phasewise.runs.results import Results
from phasewise.simulated.simulate import Request, simulate
from phasewise.study import Study, load
from tests.mpi.hydro_ways import CASES, OVERLAPS, RANKS, keys, ways
from tests.mpi.pairwise import written
from tests.mpi.scripts import Script, printed
from tests.mpi.test_told_once import COUNTS, agreeing
from tests.mpi.whole_run import datasets, ran, run
from tests.sentences import says

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

# Ten times the seconds that the ways on the most ranks take on two idle cores.
SCRIPT = Script("tests.mpi.hydro_ways", "ranks", max(map(int, keys()["threads"])), 60)

STUDY = """
workload = "hydro"
timesteps = 100
[hydro]
problem = "sedov"
zones = [12, 10, 11]
until = 0.5
radius = 0.4
[records]
snapshots = 2
l1_every = 1
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
        # Protocols belong to messages during sweeps.
        met = {choice[key] for choice in several if choice["moved"] == OVERLAPS}
        assert met == set(values), key


def test_a_rank_sends_a_square_of_six_values_to_each_other_rank() -> None:
    square = phasewise.Study.from_dict(
        {
            "workload": "hydro",
            "timesteps": 1,
            "hydro": {"problem": "kelvin-helmholtz", "zones": [512, 512]},
        }
    )
    phases = {phase["name"]: phase for phase in plan(square, 64)["phases"]}
    for name in ("transpose_xy", "transpose_yx"):
        # 8 V (N/P)² B, with V = 6 values of a zone.
        assert (phases[name]["messages"], phases[name]["bytes"]) == (63, 8 * 6 * 8 * 8)


SENT = (
    COUNTS
    + """
from tests.mpi.hydro_ways import study

for case, own in (
    ("shear", {}),
    ("shear", {"overlap": True, "batch": 2}),
    ("blast", {"transpose": "bruck", "global_sum": "binomial"}),
    ("cube", {"transpose": "ring"}),
    ("cube", {"decomposition": "pencils", "overlap": True, "batch": 3, "protocol": "fence"}),
    ("fixed cube", {"decomposition": "pencils", "transpose": "alltoallw"}),
    ("fixed cube", {"decomposition": "pencils", "process_grid": "3x2", "overlap": True}),
):
    parameters = study(case, {"node_size": 1, **own}).parameters()
    found, pieces = recorded(parameters)
    expected = planned(parameters, pieces)
    assert found == expected, (core.rank(), case, own, found, expected)
    sent = {name for name, (messages, _) in found.items() if messages}
    pencils = own.get("decomposition") == "pencils"
    # Slabs in three dimensions have x and y whole at once.
    assert ("transpose_xy" in sent) == (pencils or "cube" not in case)
    assert ("transpose_zy" in sent) == ("cube" in case)
    assert pieces["start"] == 1
    # After the second and the fourth timestep, and after the third, which the study has last.
    assert pieces.get("norms", 3) == 3
print("agrees")
"""
)


def test_what_is_recorded_is_what_is_planned(repository: Path) -> None:
    # No axis divides evenly.
    assert agreeing(SENT, 6, repository) == 6


def test_a_run_goes_on_on_other_ranks_and_ends_at_its_time(
    written_study: Path, tmp_path: Path
) -> None:
    # It stands after an odd number of timesteps, where z is whole.
    parts = tmp_path / "parts"
    keep = ["--set", "records.checkpoint_every=1"]
    for ranks, timesteps, more in (
        (3, 3, []),
        (2, 100, ["--resume", "--set", "communication.overlap=true"]),
        (4, 100, ["--resume", "--set", "communication.decomposition=pencils"]),
    ):
        words = ["--ranks", ranks, "--out", parts, "--quiet", *keep, *more]
        ran(written_study, *words, "--set", f"timesteps={timesteps}")
    phasewise.run(load(written_study), out=tmp_path / "whole").close()
    assert datasets(parts) == datasets(tmp_path / "whole")
    with Results(parts) as results:
        time, dt = results.rows("time"), results.rows("dt")
        assert 3 < len(time) < 100
        assert time[-1] == 0.5
        assert dt[-1] <= dt[-2]


def test_a_run_that_ends_before_its_count_says_how_far_it_is(
    written_study: Path, tmp_path: Path
) -> None:
    seen: list[tuple[int, int]] = []

    class Seen:
        def update(self, turn: int, turns: int, detail: str) -> None:
            seen.append((turn, turns))

        def close(self) -> None: ...

    phasewise.run(load(written_study), out=tmp_path / "out", progress=Seen()).close()
    assert seen[0] == (0, 100)
    assert all(turn <= turns < 100 for turn, turns in seen[1:])
    assert seen[-1][0] == seen[-1][1] < 100


FAILING = """
import numpy as np
import phasewise._core as core
from tests.mpi.hydro_ways import study

def said(case, change):
    run = core.start(study(case, {}).parameters(), 1)
    rows = run.state()["zones"]
    ids = rows.pop("id")
    change(ids, rows)
    run.restore("zones", ids, rows)
    try:
        run.step()
    except RuntimeError as error:
        return str(error)
    return f"timestep {run.record()['dt']}"

def no_number(ids, rows):
    rows["pressure"][ids == 150] = np.nan

def hot(ids, rows):
    rows["time"][:] = 5.0
    rows["pressure"][ids == 43] = 1e30

print(said("shear", no_number) + "\\n", end="")
print(said("shear", hot) + "\\n", end="")
"""


def test_every_rank_says_which_zone_ends_a_run(repository: Path) -> None:
    lines = printed(["-c", FAILING], 3, repository).splitlines()
    assert len(lines) == 6 and len(set(lines)) == 2
    first, second = sorted(set(lines), key=lambda line: "allows" in line)
    # Zone 150 of 22 along x.
    says(first, "the gas has left the range of numbers", "zone (18, 6)", "pressure nan")
    says(second, "the gas allows no timestep above 1e-12 of the time 5", "zone (21, 1)", "1e+30")


def test_messages_in_pairs_end_where_ranks_have_different_numbers_of_batches(
    tmp_path: Path,
) -> None:
    try:
        simulated_tree()
    except RunError as error:
        pytest.skip(str(error))
    ways = {"overlap": True, "protocol": "sendrecv", "batch": 16}
    own = {"problem": "sedov", "zones": [64, 30, 11]}
    uneven = {"workload": "hydro", "timesteps": 1, "hydro": own, "communication": ways}
    # The messages are so large that a send waits for its receive.
    request = Request(load_machine("jaguar"), 7, skeleton=True)
    _, record = simulate(Study.from_dict(uneven), request, tmp_path)
    assert record.seconds > 0


def test_too_many_ranks_are_refused_in_one_sentence(written_study: Path, tmp_path: Path) -> None:
    done = run(written_study, "--ranks", 11, "--out", tmp_path / "out", "--quiet")
    assert done.returncode == 2
    says(done.stderr, "11 ranks", "10", "pencils")


def test_a_run_that_tunes_itself_keeps_its_bits(
    written_study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PHASEWISE_CACHE", str(tmp_path / "cache"))
    sets = ["--set", "timesteps=60", "--set", "hydro.until=0.0", "--set", "records.snapshots=0"]
    tuned = [*sets, "--set", "communication.tune=auto"]
    ran(written_study, "--ranks", 2, "--out", tmp_path / "tuned", "--quiet", *tuned)
    phasewise.run(load(written_study, sets[1::2]), out=tmp_path / "plain").close()
    tried = json.loads((tmp_path / "tuned" / "tuning.json").read_text())["candidates"]
    assert {one["changes"].get("overlap") for one in tried} >= {True}
    assert datasets(tmp_path / "tuned") == datasets(tmp_path / "plain")
