"""The memory of a rank is what docs/compared.md says: particles twice, meshes, the interpreter."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from phasewise.workloads.collision.bench import PARTICLE_BYTES

pytest.importorskip("phasewise._core", reason="the core is not built")

PAPER = 2_500_000
"""Macroparticles of each beam in the paper's case."""
FEW, MORE = 10_000, 110_000
"""Of each beam, here."""
RUNS = (("small", FEW), ("small", MORE), ("paper", FEW))
"""Cases of the benchmark, with macroparticles of a beam: what does not grow with these, meshes
above all, is that of the paper's case in the last one, which takes longest.
"""


@pytest.fixture(scope="module")
def memory() -> dict[tuple[str, int], int]:
    """For each of RUNS the most [bytes] that one rank has held, the interpreter included."""
    found = {}
    for case, count in RUNS:
        command = ["bench", "collision", "--case", case, "--turns", "1", "--json"]
        done = subprocess.run(
            [sys.executable, "-m", "phasewise", *command, "--set",
             f"beam.1.macroparticles={count}"],
            capture_output=True, text=True, timeout=150, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]
        found[case, count] = json.loads(done.stdout)["memory_bytes"]
    return found


def bytes_of_a_particle(memory: dict[tuple[str, int], int]) -> float:
    return (memory["small", MORE] - memory["small", FEW]) / (2 * (MORE - FEW))


def test_a_particle_is_kept_twice(memory: dict[tuple[str, int], int]) -> None:
    # Sorting needs a second copy. The two runs differ by 20 MB, and each is known to 0.5 MB of
    # pages and of the allocator: 5 bytes a particle, less than one more number of 8 bytes.
    assert bytes_of_a_particle(memory) == pytest.approx(2 * PARTICLE_BYTES, abs=5)


def test_the_page_says_what_a_rank_holds_in_the_papers_case(
    repository: Path, memory: dict[tuple[str, int], int]
) -> None:
    page = (repository / "docs/compared.md").read_text(encoding="utf-8")
    text = " ".join(page.split())
    found = re.search(r"([\d.]+) to ([\d.]+) times the memory", text)
    assert found is not None
    low, high = map(float, found.groups())
    each = bytes_of_a_particle(memory)
    fixed = memory["paper", FEW] - 2 * FEW * each
    # Alone a rank holds both beams, one of two holds one, with the same meshes; the figures are
    # rounded to a tenth.
    for particles in (2 * PAPER, PAPER):
        ratio = (fixed + particles * each) / (particles * PARTICLE_BYTES)
        assert low - 0.05 <= ratio <= high + 0.05
