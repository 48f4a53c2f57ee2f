"""What a real turn records on several ranks is what plan and formulas say, in every phase."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from phasewise.mpi.launch import find_mpiexec, mpiexec_options, this_machine, without_mpi

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

COUNTS = """
import phasewise._core as core

TURNS = 4

def recorded(parameters):
    run = core.start(parameters, 1)
    for _ in range(TURNS):
        run.step()
    phases = {p["name"]: (p["messages"], p["bytes"]) for p in run.phases() if p["messages"]}
    return phases, run.pieces()

def planned(parameters, pieces):
    found = {}
    for phase in core.plan(parameters, core.size(), 1, core.rank())["phases"]:
        times = TURNS if phase["per"] == "turn" else pieces[phase["piece"]]
        messages, size = found.get(phase["name"], (0, 0))
        found[phase["name"]] = (messages + times * phase["messages"],
                                size + times * phase["bytes_per_rank"])
    return {name: sent for name, sent in found.items() if sent[0]}
"""

PHASES = (
    COUNTS
    + """
from tests.unit.study_tables import RF
from tests.unit.test_work import study

for changes, keys in (
    ([], {}),
    ([], RF),
    (["records.slices_every=2", "records.tracked=5", "ip.1.slices=[3, 1]"], {}),
    (["records.slices_every=4", 'ip.1.green_function="every-step"',
      'communication.reduce="mpi"'], {}),
    (['ip.1.model="soft-gaussian"', "records.slices_every=3"], RF),
    (['ip.1.beamstrahlung="quantum"', "arc.momentum_aperture=0.02"], {}),
    (['communication.transpose="alltoallw"', 'communication.broadcast="mpi-gatherv"'], {}),
    (['communication.overlap=true', 'communication.crossing="4b"', "ip.1.slices=[1, 4]"], {}),
    (['communication.overlap=true', "communication.aggregate=false", "ip.1.slices=[5, 3]"], {}),
    (["communication.padded=true", "ip.1.slices=[3, 4]"], {}),
    (['ip.1.planes="pair"', "communication.padded=true"], {}),
):
    parameters = study(*changes, **keys).parameters()
    found, pieces = recorded(parameters)
    expected = planned(parameters, pieces)
    assert found == expected, (core.rank(), changes, keys, found, expected)
print("agrees")
"""
)

ITEMS = """
from tests.unit.test_work import (
    ON_DEVICE, booked, counted, expected_items, study, with_first_bounds
)
import phasewise._core as core

for changes in (
    [],
    ['ip.1.interpolation="none"', "ip.1.slices=[2, 4]"],
    ["records.slices_every=1"],
    ['ip.1.model="soft-gaussian"'],
    [ON_DEVICE],
    [ON_DEVICE, 'ip.1.interpolation="none"', "ip.1.slices=[2, 4]"],
    [ON_DEVICE, 'ip.1.planes="pair"'],
):
    chosen = study(*changes)
    found, number = booked(chosen), counted(chosen, core.size())
    if core.rank() > 0:
        continue
    planned = expected_items(changes, core.size())
    for items, expected in ((found, with_first_bounds(planned)), (number, planned)):
        assert items.keys() == expected.keys()
        for name, value in expected.items():
            # Sums of whole numbers and of shares: a few roundings of 1e-16 each.
            assert abs(items[name] - value) <= 1e-12 * value, (name, items[name], value)
print("agrees")
"""


def agreeing(script: str, ranks: int, repository: Path) -> int:
    """How many ranks end a script of Python that all of them run."""
    path, open_mpi = find_mpiexec()
    words = [path, *mpiexec_options(this_machine(), ranks, 1, open_mpi), sys.executable, "-c"]
    environment = without_mpi(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(
        part for part in (environment.get("PYTHONPATH"), str(repository)) if part
    )
    done = subprocess.run(
        [*words, script], env=environment, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.count("agrees")


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 7])
def test_every_rank_records_in_every_phase_what_its_plan_says(ranks: int, repository: Path) -> None:
    assert agreeing(PHASES, ranks, repository) == ranks


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_kernels_of_several_ranks_have_the_items_of_their_formulas(
    ranks: int, repository: Path
) -> None:
    assert agreeing(ITEMS, ranks, repository) == ranks
