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


class Acceptance:
    """How many of the trajectories that a run has made were accepted."""

    def __init__(self) -> None:
        self.count = self.accepted = 0

    def add(self, record: Mapping[str, Any]) -> None:
        """Count a trajectory by its record."""
        self.count += 1
        self.accepted += int(record["accepted"])

    @property
    def share(self) -> float:
        """That of the accepted ones."""
        return self.accepted / self.count


class UpdateDetail:
    """The words of progress after a trajectory."""

    def __init__(self) -> None:
        self._acceptance = Acceptance()

    def __call__(self, record: Mapping[str, Any]) -> str:
        found = f"plaquette {plaquette_of(record):.5f}"
        if "delta_h" not in record:
            return found
        self._acceptance.add(record)
        return (
            f"{found}, ΔH {float(record['delta_h']):.2g}, "
            f"{100 * self._acceptance.share:.0f} % accepted"
        )


class Remarks:
    """What is said of a trajectory after which the run goes on."""

    def __init__(self, model: Qcd, count: int) -> None:
        """count: trajectories of the run."""
        self._model, self._count = model, count
        self._acceptance, self._troubles, self._said = Acceptance(), 0, False

    def __call__(self, record: Mapping[str, Any]) -> str:
        """A sentence; empty if there is nothing to say."""
        if "accepted" not in record:
            return solver_remark(self._model, record)
        self._acceptance.add(record)
        said = trouble(self._model, record)
        self._troubles += bool(said)
        if not said or self._troubles > MOST_SAID:
            return self._low_acceptance()
        return said + ("; further ones are counted, not said" * (self._troubles == MOST_SAID))

    def _low_acceptance(self) -> str:
        found, update = self._acceptance, self._model.update
        if self._said or update is None or found.count < min(FEWEST_JUDGED, self._count):
            return ""
        sentence = low_acceptance(update.steps, update.length, found.share, found.count)
        self._said = bool(sentence)
        return sentence


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
        return solver_remark(model, record)
    name, delta = model.monomials[number], float(record["delta_h"])
    size = f"{delta:.3g}" if math.isfinite(delta) else "not a finite number"
    step = int(record["trouble_step"])
    what = f"the action of {name}" if step < 0 else f"force {step} of {name} (the first is 0)"
    return (
        f"ΔH is {size}, by {what}, so that the trajectory is rejected; give more update.steps, or "
        "a shorter update.length"
    )


def solver_remark(model: Qcd, record: Mapping[str, Any]) -> str:
    """Why the pion was not measured."""
    fault = solver_fault(model.solver, record)
    return fault and f"the pion is not measured: {fault}"
