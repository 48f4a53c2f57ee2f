"""Bunches in a period along z, which repel themselves across its ends too, and coasting beams."""

from __future__ import annotations

import math
from dataclasses import replace

from phasewise.errors import StudyError
from phasewise.workload.bunches import FILE
from phasewise.workloads.spacecharge.bunch import AGREEMENT, Bunch

COASTING = ("gaussian", "kv", FILE)
"""Distributions whose shape in x and y does not depend on z, or is the user's own."""
WIDTHS = {"kv": math.sqrt(12), "uniform": 2 * math.sqrt(5), "waterbag": 2 * math.sqrt(8)}
"""Full length of a bunch over its rms length."""
GAUSSIAN_WIDTH = 6.0
"""Full length of a Gaussian bunch over its rms length, unless a cut gives another one."""


def in_period(bunch: Bunch, period: float | None) -> Bunch:
    """The bunch in a period [m], or alone (None); StudyError if it does not fit.

    A coasting beam is uniform in z over the period, so that its rms length is period/√12.
    """
    if bunch.coasting:
        return _coasting(bunch, period)
    if period is None or bunch.bunch_length is None or bunch.distribution == FILE:
        return bunch
    width = WIDTHS.get(bunch.distribution, 2 * bunch.cut or GAUSSIAN_WIDTH)
    if width * bunch.bunch_length > period * (1 + AGREEMENT):
        raise StudyError(
            f"solver.period = {period:g} m is shorter than the bunch, "
            f"{width * bunch.bunch_length:g} m; a beam that fills it is coasting = true"
        )
    return bunch


def _coasting(bunch: Bunch, period: float | None) -> Bunch:
    if period is None:
        raise StudyError(
            'bunch.coasting needs solver.boundaries = "periodic" and the solver.period that the '
            "beam fills"
        )
    if bunch.distribution not in COASTING:
        raise StudyError(
            f'bunch.distribution = "{bunch.distribution}" cannot coast: its size in x and y '
            'depends on z; "gaussian", "kv" and "file" can'
        )
    length = period / math.sqrt(12)
    given: float | None = bunch.bunch_length
    if given is not None and abs(given - length) > AGREEMENT * length:
        raise StudyError(
            f"bunch.bunch_length = {given:g} m is not that of a coasting beam, "
            f"solver.period/√12 = {length:g} m; leave it out"
        )
    return replace(bunch, bunch_length=length)
