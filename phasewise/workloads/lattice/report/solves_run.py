"""A run of solves as its report sees it."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from phasewise.analysis.spectrum import Floats
from phasewise.report.reported_run import ReportedRun


class SolvesRun(ReportedRun):
    """A run of solves, and what was measured on them."""

    @cached_property
    def pion(self) -> Floats | None:
        """C(t) of each solve, (solves, T); None if it was not measured."""
        if not self.study["measure"].get("pion"):
            return None
        return np.asarray(self.results.rows("pion"), dtype=np.float64)
