"""Configurations of SU(3) without quarks: their plaquette, and a run that is resumed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import phasewise
from phasewise.runs.summary import summarise

STUDY = Path(__file__).parent / "study.toml"
SMALL = ["lattice.size=[4,4,4,4]", "measure.flow.until=0.5", "measure.every=10"]


def ran(out: Path, *changes: str, resume: bool = False) -> Any:
    study = phasewise.load(STUDY, [*SMALL, *changes])
    return phasewise.run(study, out, resume=resume)


def test_the_plaquette_at_strong_coupling_is_that_of_the_expansion(tmp_path: Path) -> None:
    # u + 4 u⁵ with u(β) of a single plaquette: 0.060130 at β = 1. A plaquette has the variance
    # 1/18, and there are 1536 of them: 200 independent configurations have an error of 4.3e-4, and
    # sweeps at strong coupling leave hardly any autocorrelation.
    keys = ("gauge.beta=1.0", "trajectories=210", "measure.thermalisation=10")
    with ran(tmp_path, *keys) as results:
        found = summarise(results)["ensemble"]["plaquette"]
    assert abs(found["mean"] - 0.060130) < 3 * 4.3e-4
    assert 3e-4 < found["error"] < 6e-4 and found["configurations"] == 200


def test_a_run_that_is_resumed_has_the_bits_of_one_that_is_not(tmp_path: Path) -> None:
    whole, part = tmp_path / "whole", tmp_path / "part"
    keys = ("measure.every=5", "records.links_every=5", "records.checkpoint_every=5")
    ran(whole, "trajectories=10", *keys).close()
    ran(part, "trajectories=5", *keys).close()
    ran(part, "trajectories=10", *keys, resume=True).close()
    with phasewise.open_results(whole) as one, phasewise.open_results(part) as other:
        for name in ("plaquette_time", "polyakov", "flow_charge", "measured"):
            assert one.rows(name).tobytes() == other.rows(name).tobytes()
        assert np.flatnonzero(one.rows("measured")).tolist() == [4, 9]
    for number in (5, 10):
        name = f"links/trajectory-{number:012d}.ildg"
        assert (whole / name).read_bytes() == (part / name).read_bytes()


def test_the_flow_has_a_scale(tmp_path: Path) -> None:
    # t0 is 0.95 at β = 5.7; its error is 0.04 after 20 trajectories, and from the hot start on the
    # first twelve lead to it.
    keys = ["trajectories=24", "measure.every=6", "measure.thermalisation=11"]
    study = phasewise.load(STUDY, [*keys, "measure.flow.step=0.1"])
    with phasewise.run(study, tmp_path) as results:
        ensemble = summarise(results)["ensemble"]
    assert abs(ensemble["t0"]["mean"] - 0.95) < 3 * 0.04
    assert ensemble["t0"]["configurations"] == 3
    assert abs(ensemble["plaquette"]["mean"] - 0.549) < 0.01
