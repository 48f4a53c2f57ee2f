"""Every kind of collision gives the same bits, however its ranks divide and exchange their work."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from phasewise.mpi.launch import (
    find_mpiexec,
    mpiexec_options,
    rank_variables,
    this_machine,
    without_mpi,
)
from tests.mpi.pairwise import all_pairs, cover, pairs_of
from tests.mpi.variants import KEYS, KINDS, PLACES, ranks_of, variants, written

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

RANKS = sorted({int(place.split()[0]) for place in PLACES})
MAX_THREADS = max(int(threads) for threads in KEYS["threads"])
SECONDS = 160
"""Ten times what the variants for the most ranks take on two idle cores."""


def fingerprints(repository: Path, ranks: int) -> dict[str, str]:
    """What tests/mpi/variants.py prints on so many ranks."""
    path, open_mpi = find_mpiexec()
    machine = this_machine()
    # As if for the most threads: where there are too few cores for them, those that wait give way.
    options = mpiexec_options(machine, ranks, MAX_THREADS, open_mpi)
    with subprocess.Popen(
        [path, *options, sys.executable, "-m", "tests.mpi.variants"],
        cwd=repository,
        env=without_mpi(os.environ) | rank_variables(machine, ranks, MAX_THREADS),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            text, said = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.terminate()  # mpiexec takes its ranks along
            said = process.communicate()[1]
            pytest.fail(f"{ranks} ranks did not end; the last variant begun: {last_begun(said)}")
    assert process.returncode == 0, f"in the variant {last_begun(said)}\n{said[-2000:]}"
    found = json.loads(text)
    assert isinstance(found, dict)
    return found


def last_begun(said: str) -> str:
    """The variant that the ranks were at."""
    return next((line for line in said.splitlines()[::-1] if line.startswith("place ")), "none")


@pytest.fixture(scope="module")
def alone(repository: Path) -> dict[str, str]:
    """On one rank: each kind of collision as it is by default, and the variants for one rank."""
    return fingerprints(repository, 1)


@pytest.mark.parametrize("ranks", RANKS)
def test_the_physics_is_the_same_bit_for_bit(
    repository: Path, alone: dict[str, str], ranks: int
) -> None:
    found = alone if ranks == 1 else fingerprints(repository, ranks)
    expected = {written(choice): alone[choice["kind"]] for choice in variants(ranks)}
    assert expected
    assert [name for name in expected if found[name] != expected[name]] == []


def test_the_kinds_of_collision_differ(alone: dict[str, str]) -> None:
    assert len({alone[kind] for kind in KINDS}) == len(KINDS)


def test_every_value_of_a_key_meets_every_value_of_the_others() -> None:
    choices = cover(KEYS)
    met = {pair for choice in choices for pair in pairs_of(choice)}
    assert met == set(all_pairs(KEYS))
    # Far fewer than all combinations, of which there are tens of millions.
    assert len(choices) < 2 * len(KEYS["place"]) * len(KEYS["kind"])
    assert {ranks_of(choice) for choice in choices} == {1, 2, 3, 4, 6, 7, 8}
