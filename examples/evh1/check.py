"""Spherical symmetry in two dimensions, what is conserved, and what ranks send."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import phasewise
from phasewise.models.plan import plan
from phasewise.workloads.hydro import sedov

STUDY = Path(__file__).parent / "study.toml"


def test_all_directions_have_the_same_density_and_nothing_is_lost() -> None:
    study = phasewise.load(STUDY, ["hydro.zones=[64,8]", "timesteps=600", "hydro.until=0"])
    with phasewise.run(study) as results:
        density, faces = results.fields("density")[-1], results.faces(0)
        time = float(results.rows("time")[-1])
        rows = {name: np.asarray(results.rows(name)) for name in ("mass", "energy")}
    rounding = 2.0**-53 * study.count
    assert (np.ptp(density, axis=1) <= rounding * density.max(axis=1)).all()
    for values in rows.values():
        assert values == pytest.approx(values[0], rel=rounding)
    exact = sedov(faces, time, study.resolved()["hydro"]["energy"])
    steepest = faces[1 + int(np.argmin(np.diff(density[:, 0])))]
    assert exact.shock > 18 * (faces[1] - faces[0])
    # The outer flank of a front that is two to three zones wide.
    assert abs(steepest - exact.shock) <= 2 * (faces[1] - faces[0])


def test_a_rank_sends_as_many_bytes_as_the_closed_form_says() -> None:
    study = phasewise.load(STUDY, ["hydro.zones=[512,512]"])
    ranks, zones = 64, 512
    phases = {phase["name"]: phase for phase in plan(study, ranks)["phases"]}
    for name in ("transpose_xy", "transpose_yx"):
        assert phases[name]["messages"] == ranks - 1
        assert phases[name]["bytes"] == 48 * (zones // ranks) ** 2 == 3072
