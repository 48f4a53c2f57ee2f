"""The solvers of the example beside SciPy's direct one, on one rank and on three."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import spsolve

from tests.mpi.scripts import printed

pytest.importorskip("phasewise._core", reason="the core is not built")

from phasewise.runs.layout import check_schedule
from phasewise.study.reading import load
from phasewise.workloads.ocean import NinePoint
from phasewise.workloads.ocean.mask_file import levels_of
from phasewise.workloads.ocean.model import model_of

SCRIPT = Path(__file__).parent / "choose.py"
EXAMPLE = runpy.run_path(str(SCRIPT))
depths, operator = EXAMPLE["depths"], EXAMPLE["operator"]

OFFSETS = {"east": (0, 1), "north": (1, 0), "north_east": (1, 1), "north_west": (1, -1)}


def direct(coefficients: dict[str, np.ndarray], sea: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The solution by a sparse factorisation."""
    number = np.arange(sea.size).reshape(sea.shape)
    rows, columns, values = [number[sea]], [number[sea]], [coefficients["centre"][sea]]
    for name, (up, right) in OFFSETS.items():
        j, i = np.nonzero(coefficients[name])
        # north_west of (i, j) couples (i + 1, j) with (i, j + 1).
        here = number[j, i + (right < 0)]
        there = number[j + up, i + max(right, 0)]
        for one, other in ((here, there), (there, here)):
            rows.append(one)
            columns.append(other)
            values.append(coefficients[name][j, i])
    matrix = coo_matrix(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))),
        shape=(sea.size, sea.size),
    ).tocsr()
    inside = number[sea]
    found = np.zeros(sea.size)
    found[inside] = spsolve(matrix[inside][:, inside].tocsc(), b[sea])
    return found.reshape(sea.shape)


@pytest.mark.parametrize("preconditioner", ["diagonal", "evp"])
def test_all_solvers_find_the_direct_solution(preconditioner: str) -> None:
    deep = depths()
    sea, coefficients = deep > 0, operator(deep)
    b = np.where(sea, np.random.default_rng(1).normal(size=deep.shape), 0.0)
    expected = direct(coefficients, sea, b)
    surface = NinePoint(coefficients, sea)
    for solver in ("pcg", "chrongear", "pipelined", "pcsi"):
        found = surface.solve(b, solver=solver, preconditioner=preconditioner, tolerance=1e-12)
        # The error is the residual times the condition number, some hundreds, at most.
        assert np.abs(found.solution - expected).max() < 1e-9 * np.abs(expected).max()
        assert (found.solution[~sea] == 0).all()


def lines(text: str) -> dict[str, tuple[int, str]]:
    """Iterations and the residual of each way."""
    rows = [line.split() for line in text.splitlines() if line.strip()]
    return {f"{solver} {other}": (int(count), left) for solver, other, count, left in rows}


@pytest.fixture(scope="module")
def alone() -> dict[str, tuple[int, str]]:
    """What one rank prints."""
    text = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=True)
    return lines(text.stdout)


def test_exact_blocks_cut_the_iterations_to_less_than_a_half(
    alone: dict[str, tuple[int, str]],
) -> None:
    assert len(alone) == 12
    for solver in ("pcg", "chrongear", "pipelined", "pcsi"):
        assert alone[f"{solver} evp"][0] < 0.5 * alone[f"{solver} diagonal"][0]


def test_the_readme_lists_the_iterations(alone: dict[str, tuple[int, str]]) -> None:
    text = (SCRIPT.parent / "README.md").read_text()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()
            if line.startswith("|")]  # fmt: skip
    columns = rows[0][1:]
    listed = {
        f"{solver.strip(' `')} {other}": int(count)
        for solvers, *counts in rows[2:]
        for solver in solvers.split(",")
        for other, count in zip(columns, counts, strict=True)
    }
    assert listed == {way: count for way, (count, _) in alone.items()}


@pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")
def test_three_ranks_print_the_same(alone: dict[str, tuple[int, str]]) -> None:
    assert lines(printed([str(SCRIPT)], 3, Path())) == alone


def block_of(language: str) -> str:
    """The lines of this language in the README."""
    text = (SCRIPT.parent / "README.md").read_text()
    return text.split(f"```{language}\n")[1].split("```")[0]


def test_the_readme_can_be_followed(tmp_path: Path) -> None:
    words = [sys.executable, "-c", block_of("python")]
    paths = os.pathsep.join([str(SCRIPT.parent), *sys.path])
    said = subprocess.run(
        words, cwd=tmp_path, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True
    )
    assert said.returncode == 0, said.stderr
    assert int(said.stdout.split()[0]) < 100
    (tmp_path / "sea.toml").write_text(block_of("toml"))
    study = load(tmp_path / "sea.toml")
    check_schedule(study)
    np.testing.assert_array_equal(levels_of(model_of(study)) > 0, depths() > 0)
