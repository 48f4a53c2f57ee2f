"""What can only be tested where there is a GPU: its numbers beside the CPU's, and that its kernels
stay within their memory.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.study import Study
from tests.unit.deposit_cases import CASES, FEW
from tests.unit.study_tables import json_as_toml, tables, write

pytest.importorskip("phasewise._core", reason="the core is not built")

SMALL: dict[str, Any] = {
    "turns": 3,
    "beam__1__macroparticles": 2000,
    "ip__1__grid": [32, 32],
    "ip__1__slices": 3,
}


def missing_gpu() -> str:
    """Why there is no GPU to test on; empty if there is one."""
    try:
        phasewise.Simulation(Study.from_dict(tables(**SMALL, run__device="cuda")))
    except phasewise.PhasewiseError as error:
        return str(error)
    return ""


pytestmark = pytest.mark.skipif(bool(missing_gpu()), reason=missing_gpu() or "there is a GPU")


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"ip__1__interpolation": "none"},
        {"ip__1__longitudinal_kick": True, "records": {"moments_order": 4}},
        {"ip__1__weighting": "tsc"},
        {"ip__1__model": "soft-gaussian"},
    ],
    ids=str,
)
def test_kicks_on_a_gpu_are_those_of_the_cpu(changes: dict[str, Any]) -> None:
    assert_kicks_are_the_same(tables(**(SMALL | changes)))


@pytest.mark.parametrize("case", CASES)
def test_kicks_of_charges_by_tiles_are_those_of_the_cpu(case: str) -> None:
    assert_kicks_are_the_same(tables(**(FEW | CASES[case])))


@pytest.mark.parametrize("grid", [[128, 128], [256, 256]], ids=str)
def test_large_tiles_give_the_kicks_of_the_cpu(grid: list[int]) -> None:
    many = {"beam__1__macroparticles": 200000, "ip__1__slices": 2, "ip__1__grid": grid}
    assert_kicks_are_the_same(tables(**many))


def assert_kicks_are_the_same(plan: dict[str, Any]) -> None:
    """To 1e-12 of the largest, on the GPU and the CPU."""
    runs = {}
    for device in ("cpu", "cuda"):
        runs[device] = phasewise.Simulation(Study.from_dict(plan | {"run": {"device": device}}))
        runs[device].step()
    for beam in (1, 2):
        ours, theirs = (columns(run, beam) for run in runs.values())
        for name in ("px", "py"):
            assert np.abs(ours[name] - theirs[name]).max() <= 1e-12 * np.abs(ours[name]).max()


def columns(simulation: phasewise.Simulation, beam: int) -> dict[str, Any]:
    """The particles of a beam, in the order of their ids."""
    found = simulation.driver.particles(beam)  # type: ignore[attr-defined]
    order = np.argsort(found["id"])
    return {name: found[name][order] for name in found}


def test_two_runs_on_a_gpu_have_the_same_bits() -> None:
    plan = Study.from_dict(tables(**SMALL, run__device="cuda"))
    one, other = phasewise.run(plan), phasewise.run(plan)
    assert np.array_equal(one.luminosity, other.luminosity)


@pytest.mark.parametrize("tool", ["memcheck", "racecheck", "initcheck"])
def test_kernels_stay_within_their_memory(tool: str, tmp_path: Path) -> None:
    sanitizer = shutil.which("compute-sanitizer") or shutil.which(
        "compute-sanitizer", path="/usr/local/cuda/bin"
    )
    if sanitizer is None:
        pytest.skip("compute-sanitizer is not installed")
    study = write(tmp_path, json_as_toml(tables(**(SMALL | {"turns": 1}))))
    words = ["--tool", tool, "--error-exitcode", "9", sys.executable, "-m", "phasewise", "run"]
    words += [str(study), "--device", "cuda", "--out", str(tmp_path / "out"), "--quiet"]
    done = subprocess.run([sanitizer, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_kernels_on_a_gpu_take_some_time_and_no_more_than_the_turn() -> None:
    run = phasewise.Simulation(Study.from_dict(tables(**SMALL, run__device="cuda")))
    spent = []
    for _ in range(2):
        start = time.perf_counter()
        run.step()
        run.driver.record()
        turn = time.perf_counter() - start
        spent.append({one["name"]: one["seconds"] for one in run.driver.kernels()})
    first, both = spent
    second = {name: both[name] - first[name] for name in both}
    assert all(seconds >= 0 for seconds in second.values())
    assert min(second[name] for name in ("encounter", "solve", "field", "sort")) > 0
    assert sum(second.values()) <= turn
