"""Why the solution of a study's right-hand side is worth nothing, in a sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from phasewise.workloads.qcd.model import SolverTable


def solver_fault(solver: SolverTable, record: Mapping[str, Any]) -> str:
    """What is wrong with the solves of a turn, from the driver's record of it; empty if nothing is,
    or if there were none.
    """
    if "residual" not in record or not record.get("measured", 1):
        return ""
    residual = float(record["residual"])
    if math.isnan(residual):
        return (
            f"the solver diverges: within {solver.most} iterations the residual has left the "
            f"range of numbers; {_against_divergence(solver)}"
        )
    if residual > 1:
        return (
            f"the solver diverges: after {solver.most} iterations the residual is "
            f"{residual:.3g}, more than that of no solution, 1; {_against_divergence(solver)}"
        )
    if not record["converged"]:
        return (
            f"the solver did not converge: after {solver.most} iterations the residual is "
            f"{residual:.3g}; raise solver.limit or solver.tolerance = {solver.wanted:g}, or "
            "lower quarks.kappa"
        )
    # The solver's own residual, M†(b - M x), may vanish where that of M x = b does not.
    if not residual <= solver.wanted**0.5 and solver.wanted > 0:
        return (
            f"the solver found no solution: the residual is {residual:.3g}, though it met its "
            f"tolerance of {solver.wanted:g}, since the matrix is singular or almost; change "
            "quarks.kappa or quarks.phases"
        )
    return ""


def _against_divergence(solver: SolverTable) -> str:
    """What may help against divergence; more iterations do not."""
    ways = ["lower quarks.kappa"]
    if solver.method != "cg":
        ways.append('give solver.method = "cg"')
    if solver.precision != "double":
        ways.append('give solver.precision = "double"')
    return ", or ".join(ways)
