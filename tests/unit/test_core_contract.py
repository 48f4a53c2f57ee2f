"""The core that tests run on threads keeps the contract of the compiled one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.core_contract import CHECKS, IDS
from tests.unit.fake_core import World


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("ranks", IDS)
def test_the_fake_core_keeps_the_contract(ranks: int, name: str) -> None:
    World(ranks).run(CHECKS[name])


@pytest.mark.parametrize("name", CHECKS)
def test_the_compiled_core_keeps_the_contract(name: str) -> None:
    core: Any = pytest.importorskip("phasewise._core", reason="the core is not built")
    CHECKS[name](core)
