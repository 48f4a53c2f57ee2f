"""A device that cannot compute radiation in collisions is refused."""

from __future__ import annotations

import pytest

from tests.unit.test_radiation_keys import ELECTRONS, build

core = pytest.importorskip("phasewise._core", reason="the core is not built")


@pytest.mark.parametrize("device", ["emulated", "cuda"])
def test_a_device_is_refused_in_a_sentence(device: str) -> None:
    text = build(**ELECTRONS, ip__1__beamstrahlung="mean", run__device=device).parameters()
    with pytest.raises(ValueError, match='need a CPU; give "cpu"'):
        core.start(text, 1)
