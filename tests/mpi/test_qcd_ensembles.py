"""Solves that take the files of an ensemble, and their sources, in turn."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phasewise.cli import main
from phasewise.runs.results import Results
from phasewise.study import Study
from phasewise.workloads.qcd import Links, Point, Quarks, jackknife, mesons
from tests.mpi.whole_run import datasets, ran
from tests.sentences import command_refused
from tests.unit.quark_reference import random_links

pytest.importorskip("phasewise._core", reason="the core is not built")
mpi = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

SIZE = (2, 4, 2, 6)
STUDY = """
workload = "qcd"
solves = 3
[lattice]
size = [2, 4, 2, 6]
[gauge]
start = "file"
files = ["0.lime", "1.lime", "2.lime"]
[quarks]
kappa = 0.04
[solver]
tolerance = 1e-3
[measure]
pion = "point"
source = [[0, 0, 0, 0], [1, 3, 0, 4]]
[records]
checkpoint_every = 1
"""


def links_of(seed: int) -> Links:
    return Links(random_links(SIZE, seed).reshape(*SIZE[::-1], 4, 3, 3))


@pytest.fixture
def study(tmp_path: Path) -> Path:
    for seed in range(3):
        links_of(seed).write(tmp_path / f"{seed}.lime")
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return path


def test_predictions_count_new_links_in_each_solve_of_an_ensemble(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seconds = []
    for files in ('["0.lime"]', '["0.lime", "1.lime"]'):
        words = ["--set", f"gauge.files={files}", "--ranks", "2", "--machine", "bassi", "--json"]
        assert main(["predict", str(study), *words]) == 0
        phases = json.loads(capsys.readouterr().out)["points"][0]["phases"]
        seconds.append(sum(s for name, s in phases.items() if name.startswith("links_")))
    assert seconds[0] == 0 < seconds[1]


@mpi
def test_solves_take_files_and_sources_in_turn(study: Path) -> None:
    out = study.parent / "out"
    done = ran(study, "--out", out, "--json", "--ranks", 2)
    with Results(out) as results:
        pions, plaquettes = results.rows("pion"), results.rows("plaquette_space")
    sources = [(0, 0, 0, 0), (1, 3, 0, 4), (0, 0, 0, 0)]
    for seed, source in enumerate(sources):
        links = links_of(seed)
        assert plaquettes[seed] == links.measure()["plaquette_space"]
        quarks = Quarks(links, 0.04, solver={"tolerance": 1e-3})
        expected = mesons(quarks.propagator(Point(source)))("g5")[0].real
        assert np.allclose(pions[seed], expected, rtol=1e-10, atol=0)
    ensemble = json.loads(done.stdout)["ensemble"]
    mean, error = jackknife(pions)
    assert ensemble["solves"] == 3
    assert ensemble["pion"] == {
        "mean": mean.tolist(),
        "error": error.tolist(),
        "autocorrelation_time": [None] * len(mean),
        "configurations": 3,
    }
    # A run that goes on takes the file and the source of its next solve.
    part = study.parent / "part"
    ran(study, "--out", part, "--quiet", "--set", "solves=2")
    ran(study, "--out", part, "--quiet", "--resume")
    assert datasets(part) == datasets(out)


def flat(source: Any, seed: int = 1) -> Study:
    return Study.from_dict(
        {
            "workload": "qcd", "solves": 40, "seed": seed, "lattice": {"size": [4, 4, 4, 8]},
            "quarks": {"kappa": 0.1}, "measure": {"pion": "point", "source": source},
            "solver": {"tolerance": 1e-8},
        }
    )  # fmt: skip


def test_random_sources_follow_the_seed() -> None:
    from phasewise.runs.simulation import Simulation

    def pions(seed: int) -> Any:
        study = flat("random", seed).replace(**{"gauge.start": "hot"})
        simulation = Simulation(study)
        found = []
        for _ in range(3):
            simulation.step()
            found.append(simulation.record()["pion"])
        return np.array(found)

    first = pions(1)
    # The same links from three places: other numbers, each its own.
    assert len({one.tobytes() for one in first}) == 3
    assert np.array_equal(first, pions(1))


def test_sources_are_written_as_they_are_given() -> None:
    for source in ([1, 2, 3, 4], [[1, 2, 3, 4], [0, 0, 0, 7]], "random"):
        study = flat(source)
        assert study.resolved()["measure"]["source"] == source
        assert Study.from_dict(study.resolved()).parameters() == study.parameters()


def test_wrong_files_and_sources_are_one_sentence(study: Path, capsys: Any) -> None:
    for keys, facts in (
        (["gauge.file='0.lime'"], ("gauge.file", "gauge.files")),
        (["gauge.files=[]"], ("gauge.files", "names of files")),
        (["gauge.files=['0.lime','none']"], (study.parent / "none",)),
        (["gauge.start=hot"], ("gauge.start", "gauge.files", '"hot"')),
        (["measure.source=[[0,0,0,0],[0,9,0,0]]"], ("measure.source", [0, 9, 0, 0], 4, "y")),
        (["measure.source=[[0,0,0]]"], ("measure.source[1]", [0, 0, 0])),
        (["measure.source=randum"], ("measure.source", '"randum"', '"random"')),
        (
            ["measure.pion=smeared", "measure.width=1.0", "measure.iterations=2"],
            ("measure.source", "smeared", "one"),
        ),
    ):
        words = [word for key in keys for word in ("--set", key)]
        command_refused(capsys, ["check", study, *words], *facts)
