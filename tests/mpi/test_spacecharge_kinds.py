"""Every kind of solver of space charge on several ranks: the same bits, and what the plan says."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from phasewise.mpi.launch import find_mpiexec, mpiexec_options, this_machine, without_mpi
from tests.unit.spacecharge_study import study

core = pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

FEW = ("solver.grid=[12, 14, 8]",)
"""Fewer planes than some runs have ranks."""
PERIODIC = (*FEW, 'solver.boundaries="periodic"', "solver.period=0.2")
FROZEN = ("solver={kicks=3, kind='frozen'}",)
KINDS: dict[str, tuple[str, ...]] = {
    "periodic": PERIODIC,
    "pencils": (*FEW, "communication.decomposition=pencils"),
    "tsc": (*PERIODIC, "solver.weighting=tsc"),
    "2.5d": (*PERIODIC, 'solver.kind="2.5d"', "solver.pipe_radius=0.02"),
    "frozen": (*FROZEN, "solver.pipe_radius=0.02"),
    "frozen sizes": (*FROZEN, "solver.sizes=[1e-3, 1.2e-3, 0.02]"),
}
"""Changes of the study."""
WHOLE = ("periodic", "pencils")
"""Kinds that are run on many numbers of ranks, with threads."""
MANY, FEW_RANKS = ((2, 2), (3, 1), (4, 1), (7, 1), (9, 1)), ((3, 2), (9, 1))


def ran(name: str, ranks: int, threads: int, folder: Path) -> tuple[str, list[dict[str, Any]]]:
    """Two turns of the driver: every turn's record as it is written, and what each rank sent."""
    folder.mkdir(parents=True)
    text = folder / "parameters"
    text.write_text(study(*KINDS[name]).parameters())
    mpiexec, open_mpi = find_mpiexec()
    words = [mpiexec, *mpiexec_options(this_machine(), ranks, threads, open_mpi)]
    driver = shutil.which("phasewise-driver")
    assert driver is not None
    done = subprocess.run(
        [*words, driver, str(text), str(threads), "--out", str(folder)],
        env=without_mpi(os.environ), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    record = json.loads((folder / "communication.json").read_text())
    return (folder / "turns.jsonl").read_text(), record["rank"]


def sent(rank: dict[str, Any]) -> dict[str, tuple[float, float]]:
    """Messages and bytes of each phase that has some."""
    phases = rank["phases"].items()
    return {name: (one["messages"], one["bytes"]) for name, one in phases if one.get("messages", 0)}


def planned(name: str, ranks: int, rank: dict[str, Any]) -> dict[str, tuple[float, float]]:
    """The same of the plan of all turns."""
    chosen = study(*KINDS[name])
    found: dict[str, tuple[float, float]] = {}
    for phase in core.plan(chosen.parameters(), ranks, 1, rank["rank"])["phases"]:
        times = chosen.turns if phase["per"] == "turn" else rank["pieces"][phase["piece"]]
        messages, size = found.get(phase["name"], (0, 0))
        found[phase["name"]] = (
            messages + times * phase["messages"],
            size + times * phase["bytes_per_rank"],
        )
    return {name: one for name, one in found.items() if one[0]}


@pytest.mark.parametrize("name", KINDS)
def test_ranks_and_threads_do_not_change_a_bit_and_send_what_is_planned(
    name: str, tmp_path: Path
) -> None:
    expected, _ = ran(name, 1, 1, tmp_path / "alone")
    for ranks, threads in MANY if name in WHOLE else FEW_RANKS:
        found, records = ran(name, ranks, threads, tmp_path / f"{ranks}.{threads}")
        assert found == expected, (ranks, threads)
        for rank in records:
            assert sent(rank) == planned(name, ranks, rank), (ranks, rank["rank"])
