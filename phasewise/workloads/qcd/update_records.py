"""Datasets that trajectories record, and what is said of a trajectory that went wrong."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from phasewise.runs.layout import Dataset
from phasewise.workloads.qcd.model import Qcd
from phasewise.workloads.qcd.solver_faults import solver_fault
from phasewise.workloads.qcd.update_keys import HMC

LEAST_ACCEPTANCE = 0.05
FEWEST_JUDGED = 20
"""Trajectories after which a low acceptance is said."""
MOST_SAID = 10
"""Most trajectories that went wrong of which a run speaks; the records count all."""


def update_rows(model: Qcd) -> dict[str, Dataset]:
    """What each trajectory has beside what was measured on the links."""
    update = model.update
    if update is None:
        return {}
    found = {
        "reunitarised": Dataset((), "Links that were put back into SU(3) at the end.", kind="i8"),
        "measured": Dataset((), "Whether flow and pion were measured after it, 0 or 1.", kind="i8"),
    }
    if update.method != HMC:
        return found
    found |= {
        "delta_h": Dataset((), "Change of the Hamiltonian along the trajectory."),
        "accepted": Dataset((), "Whether its end was accepted, 0 or 1.", kind="i8"),
        "kinetic": Dataset((), "Kinetic energy of the momenta at the start."),
        "trouble": Dataset(
            (), "Number of the monomial that spoiled it, in their order; -1: none.", kind="i8"
        ),
        "trouble_step": Dataset(
            (), "Number of its force that did it, from 0; -1: its action.", kind="i8"
        ),
    }
    for name in model.monomials:
        found[f"action_{name}"] = Dataset((), f"Action of {name} at the start.")
        found[f"force_{name}"] = Dataset((), f"Root mean square over links of the force of {name}.")
        found[f"force_max_{name}"] = Dataset((), f"Largest force of {name} on a link.")
    for name in model.solving_monomials:
        found[f"iterations_{name}"] = Dataset((), f"Iterations of the solves of {name}.", kind="i8")
    if model.solving_monomials:
        found["unconverged"] = Dataset(
            (), "Solves that did not converge; the trajectory is then rejected.", kind="i8"
        )
    return found


class Remarks:
    """What is said of a trajectory after which the run goes on."""

    def __init__(self, model: Qcd, count: int) -> None:
        """count: trajectories of the run."""
        self._model, self._count = model, count
        self._done = self._accepted = self._troubles = 0
        self._said = False

    def detail(self, record: Mapping[str, Any]) -> str:
        """The words of progress."""
        found = f"plaquette {plaquette_of(record):.5f}"
        if "delta_h" not in record:
            return found
        return f"{found}, ΔH {float(record['delta_h']):.2g}"

    def remark(self, record: Mapping[str, Any]) -> str:
        """A sentence; empty if there is nothing to say."""
        if "accepted" not in record:
            return ""
        self._done += 1
        self._accepted += int(record["accepted"])
        said = trouble(self._model, record)
        self._troubles += bool(said)
        return said if said and self._troubles <= MOST_SAID else self._low_acceptance()

    def _low_acceptance(self) -> str:
        if self._said or self._done < min(FEWEST_JUDGED, self._count):
            return ""
        update = self._model.update
        assert update is not None
        share = self._accepted / self._done
        found = low_acceptance(update.steps, update.length, share, self._done)
        self._said = bool(found)
        return found


def plaquette_of(record: Mapping[str, Any]) -> float:
    """The mean plaquette of the links, 1 when cold."""
    return 0.5 * (float(record["plaquette_space"]) + float(record["plaquette_time"]))


def low_acceptance(steps: Iterable[int], length: float, share: float, count: int) -> str:
    """What to change where few trajectories are accepted; empty if enough are."""
    if share >= LEAST_ACCEPTANCE:
        return ""
    return (
        f"{100 * share:.3g} % of {count} trajectories were accepted: give more update.steps than "
        f"{list(steps)}, or a shorter update.length than {length:g}"
    )


def trouble(model: Qcd, record: Mapping[str, Any]) -> str:
    """Why a trajectory was rejected whose energy or whose solves are worth nothing, or why the pion
    was not measured after it.
    """
    if unconverged := int(record.get("unconverged", 0)):
        solves = "a solve" if unconverged == 1 else f"{unconverged} solves"
        return (
            f"{solves} did not converge within solver.limit = {model.solver.limit} iterations, so "
            "that the trajectory is rejected; raise solver.limit, or lower quarks.kappa"
        )
    number = int(record.get("trouble", -1))
    if number < 0:
        fault = solver_fault(model.solver, record)
        return fault and f"the pion is not measured: {fault}"
    name, delta = model.monomials[number], float(record["delta_h"])
    size = f"{delta:.3g}" if math.isfinite(delta) else "not a finite number"
    step = int(record["trouble_step"])
    what = f"the action of {name}" if step < 0 else f"force {step} of {name} (the first is 0)"
    return (
        f"ΔH is {size}, by {what}, so that the trajectory is rejected; give more update.steps, or "
        "a shorter update.length"
    )
