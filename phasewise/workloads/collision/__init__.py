"""Two colliding beams, turn after turn: strong-strong, soft-Gaussian and weak-strong."""

from phasewise.tables.declared import schema_of
from phasewise.workload.interface import Workload
from phasewise.workloads.collision.derived.quantities import derive
from phasewise.workloads.collision.tables.communication import BeamCommunication
from phasewise.workloads.collision.tables.model import Records, bunches, formerly
from phasewise.workloads.collision.tables.parameters import parameters
from phasewise.workloads.collision.tables.process_grid import check_process_grid
from phasewise.workloads.collision.tables.read import TABLES, read, read_host
from phasewise.workloads.collision.tables.read_communication import build_communication
from phasewise.workloads.collision.tables.resolved import resolved

WORKLOAD = Workload(
    name="collision",
    title="colliding beams",
    tables=TABLES,
    marks=("ip",),
    read=read,
    resolved=resolved,
    parameters=parameters,
    communication=schema_of(BeamCommunication),
    read_communication=build_communication,
    records=schema_of(Records),
    derive=derive,
    check_ranks=check_process_grid,
    needed_records=("luminosity",),
    dump_folder="particles",
    free_keys=(
        r"records\.(slices_every|pair_luminosity_every|photon_spectrum_every|particles_every"
        r"|particles_fraction|field)|ip\.\d+\.green_function"
    ),
    formerly=formerly,
    one_for_both=("reduce", "broadcast"),
    bunches=bunches,
    read_host=read_host,
)
