"""Lattice QCD: configurations of gauge fields made and measured, and solves with the Wilson matrix.

>>> from phasewise.workloads.qcd import Links, Quarks
>>> quarks = Quarks(Links.read("field.lime"), kappa=0.13)
"""

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from phasewise.tables.declared import flat_of, schema_of
from phasewise.tables.keys import Key
from phasewise.workload.interface import Workload
from phasewise.workloads.qcd.communication import (
    QcdCommunication,
    check_process_grid,
    read_communication,
)
from phasewise.workloads.qcd.derived import derive
from phasewise.workloads.qcd.gauge_keys import RECTANGLES
from phasewise.workloads.qcd.link_records import LinkRecords
from phasewise.workloads.qcd.model import TABLES, Qcd
from phasewise.workloads.qcd.study_tables import read, resolved
from phasewise.workloads.qcd.update_keys import SOLVE, flat_update, unit_of
from phasewise.workloads.qcd.update_keys import TABLE as UPDATE

if TYPE_CHECKING:
    from phasewise.workloads.qcd.fields.correlators import (
        Mesons,
        effective_mass,
        mesons,
        nucleon,
    )
    from phasewise.workloads.qcd.fields.ensemble import Ensemble
    from phasewise.workloads.qcd.fields.flow import Flow
    from phasewise.workloads.qcd.fields.gamma import GAMMAS
    from phasewise.workloads.qcd.fields.links import Links
    from phasewise.workloads.qcd.fields.propagator import Propagator
    from phasewise.workloads.qcd.fields.quarks import Quarks, Solution
    from phasewise.workloads.qcd.fields.sources import Noise, Point, Smeared, Wall
    from phasewise.workloads.qcd.resampling import jackknife

_PLACES = {
    "fields.correlators": ("Mesons", "effective_mass", "mesons", "nucleon"),
    "fields.ensemble": ("Ensemble",),
    "fields.flow": ("Flow",),
    "fields.gamma": ("GAMMAS",),
    "fields.links": ("Links",),
    "fields.propagator": ("Propagator",),
    "fields.quarks": ("Quarks", "Solution"),
    "fields.sources": ("Noise", "Point", "Smeared", "Wall"),
    "resampling": ("jackknife",),
}

__all__ = [
    "GAMMAS",
    "WORKLOAD",
    "Ensemble",
    "Flow",
    "Links",
    "Mesons",
    "Noise",
    "Point",
    "Propagator",
    "Quarks",
    "Smeared",
    "Solution",
    "Wall",
    "effective_mass",
    "jackknife",
    "mesons",
    "nucleon",
]


def __getattr__(name: str) -> Any:
    # The command finds workloads by importing them; arrays are imported only where they are used.
    for module, names in _PLACES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _parameters(model: Qcd) -> Iterable[tuple[str, Any]]:
    for name in TABLES:
        part = getattr(model, name)
        if part is not None and name != UPDATE:
            for key, value in flat_of(part):
                yield f"{name}.{key}", value
    yield "solver.iterations", model.solver.most
    yield "solver.tolerance", model.solver.wanted
    yield "measure.flow_steps", model.measure.flow_steps
    if model.update is not None or model.quarks is None:
        yield "quarks.present", int(model.quarks is not None)
    if model.update is None:
        return
    yield "gauge.beta", model.gauge.beta
    yield "gauge.rectangles", RECTANGLES[model.gauge.action]
    yield "measure.every", model.measure.every
    for key, value in flat_update(model.update):
        yield f"{UPDATE}.{key}", value


WORKLOAD = Workload(
    name="qcd",
    former_names=("lattice",),
    commands={"gauge": ("gauge_command", "Check or convert a file with a gauge field.")},
    title="lattice QCD solves",
    unit=SOLVE,
    unit_of=unit_of,
    tables={name: Key("table") for name in TABLES},
    read=read,
    resolved=resolved,
    parameters=_parameters,
    communication=schema_of(QcdCommunication),
    read_communication=read_communication,
    records=schema_of(LinkRecords),
    derive=derive,
    check_ranks=check_process_grid,
    dump_folder="links",
    free_keys=r"records\.links.*|measure\.thermalisation",
    fewest_shown=1,  # one solve has all that the pictures show
)
