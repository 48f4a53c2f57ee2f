"""Exchanges of the parts of a ring: each is recorded under the prefix of the part that runs it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

core: Any = pytest.importorskip("phasewise._core", reason="the core is not built")

TIMES = 5
"""The first finds the name of the phase, the others know it."""


def calls(*prefixes: str) -> dict[str, int]:
    """How often each phase was called in an exchange of one rank with itself."""
    exchange = {
        "team": [0],
        "me": 0,
        "protocol": "irecv-isend",
        "nodes": [0],
        "adds": False,
        "blocks": [([0], 0, 8, []), ([0], 8, 8, [])],
        "rounds": [{"sends": [(0, [0])], "receives": [(0, [1])]}],
    }
    memory = np.array([7.0, 0.0])
    bytes_of = memory.view(np.uint8)
    executor = core.Executor()
    executor.run(exchange, bytes_of, 16, bytes_of, 16, TIMES, prefixes=list(prefixes))
    assert memory[1] == 7.0
    record = json.loads(executor.record())
    return {name: phase["calls"] for name, phase in record["phases"].items()}


def test_a_phase_that_is_known_under_one_prefix_is_another_one_under_the_next() -> None:
    assert calls("") == {"exchange": TIMES}
    assert calls("a.", "b.") == {"a.exchange": 3, "b.exchange": 2}
    assert calls("a.", "a.", "b.") == {"a.exchange": 4, "b.exchange": 1}
    assert calls("", "a.") == {"exchange": 3, "a.exchange": 2}
