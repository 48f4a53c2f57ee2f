"""Every kind of collision gives the same bits, however its ranks divide and exchange their work."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.mpi.pairwise import all_pairs, cover, pairs_of, written
from tests.mpi.scripts import Script
from tests.mpi.variants import KEYS, KINDS, PLACES, ranks_of, variants

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

RANKS = sorted({int(place.split()[0]) for place in PLACES})
# Ten times the seconds that the variants for the most ranks take on two idle cores.
SCRIPT = Script("tests.mpi.variants", "place", max(map(int, KEYS["threads"])), 160)


@pytest.fixture(scope="module")
def alone(repository: Path) -> dict[str, str]:
    """On one rank: each kind of collision as it is by default, and the variants for one rank."""
    return SCRIPT.fingerprints(repository, 1)


@pytest.mark.parametrize("ranks", RANKS)
def test_the_physics_is_the_same_bit_for_bit(
    repository: Path, alone: dict[str, str], ranks: int
) -> None:
    found = alone if ranks == 1 else SCRIPT.fingerprints(repository, ranks)
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
    assert {ranks_of(choice) for choice in choices} == {1, 2, 3, 4, 6, 7}
