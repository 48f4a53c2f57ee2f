"""What a study with [update] must be, and what one without it must not have."""

from __future__ import annotations

from itertools import pairwise

from phasewise.errors import StudyError
from phasewise.tables.keys import show
from phasewise.workloads.qcd.model import Qcd
from phasewise.workloads.qcd.quark_keys import Quarks
from phasewise.workloads.qcd.update_keys import FLAVOURS, HEAT_BATH, UpdateTable


def check_update(model: Qcd) -> None:
    """StudyError if configurations cannot be made as the study says."""
    update = model.update
    if update is None:
        _check_solves(model)
        return
    if model.gauge.beta is None:
        raise StudyError("gauge.beta is missing: it is β of the action of the links in an [update]")
    if len(model.gauge.every_file) > 1:
        raise StudyError(
            f"gauge.files has {len(model.gauge.every_file)} files, and an [update] begins with "
            'one; give gauge.start = "file" and gauge.file, or leave [update] out to measure them'
        )
    if update.method == HEAT_BATH:
        _check_heat_bath(model)
    _check_flavours(update, model.quarks)
    _check_masses(update, model.quarks)
    if model.quarks is not None:
        _check_quarks(model.quarks)
        _check_solver(model)


def _check_solves(model: Qcd) -> None:
    """StudyError if a study of solves has keys that count trajectories."""
    where = None
    if model.measure.every != 1:
        where = f"measure.every = {model.measure.every}"
    elif model.measure.thermalisation is not None:
        where = f"measure.thermalisation = {model.measure.thermalisation}"
    elif model.records.links_every:
        where = f"records.links_every = {model.records.links_every}"
    if where is not None:
        raise StudyError(f"{where} counts trajectories, and without [update] there are none")


def _check_heat_bath(model: Qcd) -> None:
    where = f"update.method = {show(HEAT_BATH)}"
    if model.gauge.action != "wilson":
        raise StudyError(
            f"{where} knows the Wilson action alone, not gauge.action = "
            f'{show(model.gauge.action)}; give update.method = "hmc"'
        )
    if model.quarks is not None:
        raise StudyError(
            f'{where} has no quarks: leave [quarks] out, or give update.method = "hmc"'
        )


def _check_flavours(update: UpdateTable, quarks: Quarks | None) -> None:
    flavours = 0 if quarks is None else FLAVOURS
    if update.flavours not in (None, flavours):
        raise StudyError(
            f"update.flavours = {update.flavours} is not possible: there are two degenerate "
            "flavours with [quarks], and none without"
        )


def _check_masses(update: UpdateTable, quarks: Quarks | None) -> None:
    masses = update.hasenbusch
    where = f"update.hasenbusch = {show(list(masses))}"
    if masses and quarks is None:
        raise StudyError(f"{where} splits the determinant of quarks, and there is no [quarks]")
    if any(one >= other for one, other in pairwise(masses)):
        ordered = sorted(set(masses))
        raise StudyError(
            f"{where} must ascend, from the light quarks to the heavy ones: give {show(ordered)}"
        )


def _check_quarks(quarks: Quarks) -> None:
    """StudyError if these quarks have no force."""
    if quarks.stout_steps > 0:
        raise StudyError(
            f"quarks.stout_steps = {quarks.stout_steps}: the force of quarks on stout links is not "
            "known to [update]; leave stout_weight and stout_steps out"
        )
    for name in ("anisotropy", "velocity"):
        value = getattr(quarks, name)
        if value != 1.0:
            raise StudyError(
                f"quarks.{name} = {show(value)}: the force of anisotropic quarks is not known to "
                "[update]; leave it out"
            )
    if quarks.clover_spatial != quarks.clover_temporal:
        raise StudyError(
            f"quarks.clover_spatial = {show(quarks.clover_spatial)} and quarks.clover_temporal = "
            f"{show(quarks.clover_temporal)} differ, and the force of anisotropic quarks is not "
            "known to [update]; give quarks.clover for all planes"
        )


def _check_solver(model: Qcd) -> None:
    """StudyError if the solves of forces and actions cannot reach their tolerances."""
    if model.solver.iterations is not None:
        raise StudyError(
            f"solver.iterations = {model.solver.iterations} fixes the work of a solve, and those "
            "of an [update] go on to update.force_tolerance and update.action_tolerance; leave it "
            "out"
        )
    if model.solver.precision == "single":
        raise StudyError(
            'solver.precision = "single" is too little for the forces and the action of an '
            '[update]; give "mixed" or "double"'
        )
