"""Shallow water on several ranks: its bits, checkpoints, maps, and plans beside what was sent."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest

import phasewise
from phasewise.runs.results import Results
from phasewise.study import load
from phasewise.workloads.sphere.communication import DISTRIBUTED
from phasewise.workloads.sphere.grid import latitudes_of
from tests.mpi.pairwise import written
from tests.mpi.scripts import Script
from tests.mpi.sphere_ways import CASES, RANKS, keys, ways
from tests.mpi.test_told_once import COUNTS, agreeing
from tests.mpi.whole_run import datasets, ran, run
from tests.sentences import says

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

# Ten times the seconds that the ways on the most ranks take on two idle cores.
SCRIPT = Script("tests.mpi.sphere_ways", "ranks", max(map(int, keys()["threads"])), 120)

STUDY = """
workload = "sphere"
timesteps = 6
[sphere]
case = "williamson-5"
truncation = 10
levels = 2
timestep = 900.0
[records]
stations = [[40.46, 255.94]]
maps_every = 2
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
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
        # Protocols and blocks matter to distributed sums.
        met = {choice[key] for choice in several if choice["legendre"] in DISTRIBUTED}
        assert met == set(values), key


def test_a_run_with_a_mountain_from_a_file_goes_on_on_other_ranks(
    study: Path, tmp_path: Path
) -> None:
    north = np.radians(latitudes_of(16))[:, None]
    east = 2 * np.pi * np.arange(32) / 32
    with h5py.File(tmp_path / "start.h5", "w") as file:
        file["u"] = 20.0 * np.cos(north) + 0.0 * east
        file["v"] = np.stack([np.zeros((16, 32)), 2.0 * np.cos(north) * np.sin(east)])
        file["mountain"] = 500.0 * np.cos(north) ** 2 * (1.0 + np.cos(east))
        file["h"] = 5500.0 - 900.0 * np.sin(north) ** 2 - file["mountain"][...]
    given = ["--set", 'sphere.case="file"', "--set", 'sphere.file="start.h5"']
    parts = tmp_path / "parts"
    keep = ["--set", "records.checkpoint_every=1"]
    ways = ((3, "transpose", 2, []), (2, "hypercube", 6, ["--resume"]))
    for ranks, legendre, timesteps, more in ways:
        words = ["--ranks", ranks, "--out", parts, "--quiet", *given, *keep, *more]
        words += ["--set", f"communication.legendre={legendre}"]
        ran(study, *words, "--set", f"timesteps={timesteps}")
    whole = load(study, ['sphere.case="file"', 'sphere.file="start.h5"'])
    phasewise.run(whole, out=tmp_path / "whole").close()
    assert datasets(parts) == datasets(tmp_path / "whole")
    with Results(parts) as results:
        assert results.snapshots("maps") == [1, 3, 5]
        # The levels differ in v alone.
        first, second = results.array("maps/5/v")
        assert np.abs(first - second).max() > 1.0
        mass = results.rows("mass")[:, 0]
        # The mean is summed from the grid anew, to one unit in the last place.
        np.testing.assert_allclose(mass, mass[0], rtol=2**-52)


def test_the_spectrum_of_a_map_is_that_of_its_winds(study: Path) -> None:
    with phasewise.run(load(study)) as results:
        u, v = (results.array(f"maps/5/{name}") for name in ("u", "v"))
        energy = results.array("spectra/5/kinetic_energy")
        surface = results.array("maps/5/surface")
        weight = np.polynomial.legendre.leggauss(16)[1]
        mean = 0.5 * (0.5 * (u**2 + v**2)).mean(axis=2) @ weight
        # Products of degree 2M are exact on the grid, so that only rounding differs.
        np.testing.assert_allclose(energy.sum(axis=1), mean, rtol=1e-12)
        degrees = 360 * np.arange(32) / 32
        at = np.abs(latitudes_of(16) - 40.46).argmin(), np.abs(degrees - 255.94).argmin()
        np.testing.assert_array_equal(results.rows("stations")[5, 0], surface[:, at[0], at[1]])


SENT = (
    COUNTS
    + """
from phasewise.workloads.sphere.communication import LEGENDRES
from tests.mpi.sphere_ways import study

for legendre in LEGENDRES:
    for sums in ("order-free", "plain") if legendre == "ring" else ("order-free",):
        own = {"legendre": legendre, "sums": sums, "node_size": 1}
        parameters = study("tilted", "table", own).parameters()
        found, pieces = recorded(parameters)
        expected = planned(parameters, pieces)
        assert found == expected, (core.rank(), own, found, expected)
        assert pieces["start"] == 1 and found["legendre_transpose" if legendre == "transpose"
                                              else "legendre_share"][1] > 0
print("agrees")
"""
)


def test_what_is_recorded_is_what_is_planned(repository: Path) -> None:
    # Neither a hypercube nor the wavenumbers divide evenly.
    assert agreeing(SENT, 6, repository) == 6


def test_fields_that_leave_the_range_of_numbers_end_a_run(study: Path, tmp_path: Path) -> None:
    # The winds, which grow behind the mountain, leave the limit for those of the start.
    sets = ["sphere.timestep=5500", "timesteps=9999", "records.maps_every=0"]
    words = [word for key in sets for word in ("--set", key)]
    done = run(study, "--out", tmp_path / "out", "--quiet", *words)
    assert done.returncode == 1
    says(done.stderr, "timestep", "level", "range of numbers", "sphere.timestep = 5500")


def test_a_run_that_tunes_itself_keeps_its_bits(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PHASEWISE_CACHE", str(tmp_path / "cache"))
    sets = ["--set", "timesteps=45", "--set", "records.maps_every=0"]
    tuned = [*sets, "--set", "communication.tune=auto"]
    ran(study, "--ranks", 2, "--out", tmp_path / "tuned", "--quiet", *tuned)
    ran(study, "--ranks", 2, "--out", tmp_path / "plain", "--quiet", *sets)
    tried = json.loads((tmp_path / "tuned" / "tuning.json").read_text())["candidates"]
    assert {one["changes"].get("legendre") for one in tried} >= {"ring", "hypercube"}
    assert datasets(tmp_path / "tuned") == datasets(tmp_path / "plain")
