"""Lattice QCD: solves with the Wilson matrix on a four-dimensional lattice, and gauge fields."""

from collections.abc import Iterable
from typing import Any

from phasewise.tables.declared import flat_of, schema_of
from phasewise.tables.keys import Key
from phasewise.workload.interface import Unit, Workload
from phasewise.workloads.qcd.communication import (
    QcdCommunication,
    check_process_grid,
    read_communication,
)
from phasewise.workloads.qcd.derived import derive
from phasewise.workloads.qcd.model import TABLES, LinkRecords, Qcd, read, resolved


def _parameters(model: Qcd) -> Iterable[tuple[str, Any]]:
    for name in TABLES:
        for key, value in flat_of(getattr(model, name)):
            yield f"{name}.{key}", value
    yield "solver.iterations", model.solver.most
    yield "solver.tolerance", model.solver.wanted


WORKLOAD = Workload(
    name="qcd",
    former_names=("lattice",),
    commands={"gauge": ("gauge_command", "Check or convert a file with a gauge field.")},
    title="lattice QCD solves",
    unit=Unit("solve", "solves"),
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
    free_keys=r"records\.links.*",
    fewest_shown=1,  # one solve has all that the pictures show
)
