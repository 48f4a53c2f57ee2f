"""Reads the tables of a study, checks what belongs together, and writes them again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.tables.declared import check_needed, schema_of, values_of
from phasewise.tables.keys import Key, check_table, show, with_defaults
from phasewise.workloads.qcd.flow_keys import check_flow, with_flow
from phasewise.workloads.qcd.gauge_keys import RECTANGLES, check_start, read_files
from phasewise.workloads.qcd.link_records import LinkRecords, with_form
from phasewise.workloads.qcd.model import PIONS, SINGLE, TABLES, Measure, Qcd
from phasewise.workloads.qcd.places import as_written, read_places
from phasewise.workloads.qcd.quark_keys import check_quarks, with_clover
from phasewise.workloads.qcd.update_checks import check_update
from phasewise.workloads.qcd.update_keys import TABLE as UPDATE
from phasewise.workloads.qcd.update_keys import read_update, update_values


def read(tables: Mapping[str, Any], records: Mapping[str, Any], folder: Path) -> Qcd:
    """The model that a study's tables describe; file names are relative to the folder."""
    found: dict[str, Any] = {}
    for name, kind in TABLES.items():
        if name == UPDATE:
            given = tables[name]
            found[name] = None if given is None else read_update(given, found["quarks"])
        elif name == "quarks" and tables[name] is None and _needs_no_quarks(tables, found):
            found[name] = None
        else:
            found[name] = kind(**_values(name, kind, tables[name] or {}, folder))
    if RECTANGLES[found["gauge"].action] != 0.0:
        found["measure"] = replace(found["measure"], rectangles=True)
    model = Qcd(**found, records=with_form(LinkRecords(**records)))
    _check(model)
    return model


def _needs_no_quarks(tables: Mapping[str, Any], found: Mapping[str, Any]) -> bool:
    """Whether a study without [quarks] has something to do: to make links, or to measure those of
    files.
    """
    return tables[UPDATE] is not None or found["gauge"].from_files


def _values(name: str, kind: type, given: Any, folder: Path) -> dict[str, Any]:
    """The values of a table's keys, with every default filled in."""
    schema = schema_of(kind)
    if name == "measure":
        given = with_flow(_with_pion(given))
    values = with_defaults(check_table(given, schema, name), schema)
    check_needed(values, schema, name)
    if name == "quarks":
        values = with_clover(values, given)
    if name == "gauge":
        values |= read_files(values["file"], values["files"], folder)
    if name == "measure":
        values["source"] = read_places(values["source"])
    return values


PION_TABLE = {
    "source": Key("word", PIONS[0], choices=PIONS),
    "width": Key("number"),
    "iterations": Key("integer"),
}
"""The keys of measure.pion if it is a table."""


def _with_pion(given: Any) -> Any:
    """The table [measure]; if `pion` is a table in it, its keys are moved to [measure]."""
    if not isinstance(given, Mapping) or not isinstance(given.get("pion"), Mapping):
        return given
    pion = check_table(given["pion"], PION_TABLE, "measure.pion")
    for name in ("width", "iterations"):
        if name in pion and name in given:
            raise StudyError(
                f"measure.{name} and measure.pion.{name} are one key: give one of them"
            )
    own: dict[str, Any] = {name: pion[name] for name in ("width", "iterations") if name in pion}
    return {**given, **own, "pion": pion.get("source", PIONS[0])}


def _check_pion(measure: Measure) -> None:
    given = (
        f"measure.width = {show(measure.width)} and measure.iterations = {show(measure.iterations)}"
    )
    smeared = measure.pion == "smeared"
    if smeared and not (measure.width > 0 and measure.iterations > 0):
        raise StudyError(f'measure.pion = "smeared" needs both above 0, not {given}')
    if not smeared and (measure.width > 0 or measure.iterations > 0):
        source = f"measure.pion = {show(measure.pion)} has" if measure.pion else "there is"
        raise StudyError(
            f"{given} describe a smeared source, and {source} none; give measure.pion = "
            '"smeared", or neither of them'
        )


def _check(model: Qcd) -> None:
    size = model.lattice.size
    if any(extent % 2 for extent in size):
        raise StudyError(
            f"lattice.size = {show(list(size))} has an odd extent; the nearest even ones are "
            f"{show([extent + extent % 2 for extent in size])}"
        )
    check_start(model.gauge)
    if model.solver.tolerance is not None and model.solver.iterations is not None:
        raise StudyError(
            "solver.tolerance and solver.iterations exclude each other: give a tolerance to be "
            "met, or a number of iterations"
        )
    _check_quarks(model)
    _check_pion(model.measure)
    check_flow(model.measure.flow_step, model.measure.flow_until)
    _check_sources(model)
    check_update(model)
    if model.solver.precision == "single" and 0 < model.solver.wanted < SINGLE:
        raise StudyError(
            f"solver.tolerance = {show(model.solver.wanted)} is beyond single precision; give "
            f'{show(SINGLE)} or more, or solver.precision = "mixed"'
        )


def _check_quarks(model: Qcd) -> None:
    if model.quarks is not None:
        check_quarks(model.quarks)
    elif model.measure.pion:
        raise StudyError(
            f"measure.pion = {show(model.measure.pion)} needs quarks, and there is no [quarks]; "
            "give quarks.kappa, or leave the pion out"
        )


def _check_sources(model: Qcd) -> None:
    """StudyError if a source lies beyond the lattice, or a smeared one has several places."""
    sources = model.measure.source
    if model.measure.pion == "smeared" and len(sources) != 1:
        raise StudyError(
            f"measure.source = {show(as_written(sources))} gives several places, and a smeared "
            "source has one; give one point"
        )
    for point in () if isinstance(sources, str) else sources:
        for axis, extent, at in zip("xyzt", model.lattice.size, point, strict=True):
            if at >= extent:
                raise StudyError(
                    f"measure.source = {show(list(point))} lies beyond the lattice, which has "
                    f"{extent} sites along {axis}"
                )


def resolved(model: Qcd) -> dict[str, Any]:
    """The tables of a model."""
    parts = {name: getattr(model, name) for name in (*TABLES, "records")}
    found = {name: values_of(part) for name, part in parts.items() if part is not None}
    found["measure"]["source"] = as_written(model.measure.source)
    if model.gauge.files:
        found["gauge"]["files"] = [str(one) for one in model.gauge.files]
    if model.update is None:
        # Keys that count trajectories say nothing of solves.
        del found["measure"]["every"], found["records"]["links_every"]
    else:
        found[UPDATE] = update_values(model.update)
    return found
