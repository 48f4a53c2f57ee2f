"""The compiled core on several ranks keeps the contract that the fake core keeps on threads."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.mpi.scripts import printed
from tests.unit.core_contract import CHECKS, IDS

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")


@pytest.mark.parametrize("ranks", [ranks for ranks in IDS if ranks > 1])
def test_the_compiled_core_keeps_the_contract_on_several_ranks(
    repository: Path, ranks: int
) -> None:
    text = printed(["-m", "tests.mpi.contract"], ranks, repository, seconds=60)
    assert text == f"{len(CHECKS)}\n"
