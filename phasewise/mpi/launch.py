"""Starts the ranks of a run with the mpiexec options that the machine needs, and reports how they
ended.

It works as root, with more ranks than cores, and inside a batch allocation; the user need not set
any variable.
"""

from __future__ import annotations

import codecs
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from phasewise.compiled import CHOICE, MPICH
from phasewise.driver import ALONE, launched_size, require_mpi
from phasewise.errors import RunError, StoppedError, error_of
from phasewise.mpi.children import child
from phasewise.mpi.progress import RELAY_VARIABLE
from phasewise.mpi.rank_output import RankOutput
from phasewise.mpi.signals import SIGNALS, give_back, handled
from phasewise.output import print_json, table_width
from phasewise.scratch import folder_of_process

MPICH_LAUNCHERS = ("mpiexec.mpich", "mpiexec.hydra")
LAUNCHERS = ("mpiexec.openmpi", "mpiexec", "mpirun", *MPICH_LAUNCHERS)
OURS = "phasewise: "
"""The first word of the messages of a failing rank or driver."""
MPI_VARIABLES = (
    *("PMIX_", "ORTE_SCHIZO_", "OMPI_APP_", "OMPI_COMM_WORLD_", "OMPI_NUM_APP_", "OMPI_UNIVERSE_"),
    *("OMPI_FIRST_RANKS", "OMPI_FILE_LOCATION", "OMPI_COMMAND", "OMPI_ARGV"),
    *("OMPI_MCA_ess", "OMPI_MCA_orte_", "OMPI_MCA_pmix", "OMPI_MCA_initial_wdir"),
)
"""Prefixes of the variables that Open MPI sets in its processes."""


SHARED_MEMORY = "/dev/shm"
MEMORY_FOLDERS = (
    *("btl_vader_backing_directory", "osc_sm_backing_directory", "osc_rdma_backing_directory"),
    "shmem_mmap_backing_file_base_dir",
)
"""Parameters of Open MPI for the folder of the memory that ranks share."""

SHARED = "PHASEWISE_SHARED"
"""It is set if several runs share this machine or allocation; their ranks are not bound to
cores.
"""


class TooLongError(RunError):
    """A program has taken more time than it was given, and was ended."""


@dataclass(frozen=True)
class Host:
    """What decides how ranks are placed: the usable cores, whether a batch system gave them, and
    whether this process runs as root.
    """

    cores: int
    allocated: bool
    root: bool


def launched() -> bool:
    """Whether this process is a rank that a launcher has started."""
    return launched_size() > 0


def find_mpiexec() -> tuple[str, bool]:
    """Path of mpiexec, and whether it is Open MPI's; RunError if there is none."""
    on_mpich = os.environ.get(CHOICE) == MPICH
    names = MPICH_LAUNCHERS if on_mpich else LAUNCHERS
    found = [path for name in names if (path := shutil.which(name))]
    if on_mpich and not found:
        raise RunError(f"{CHOICE}={MPICH} needs {names[0]}; install the Debian package mpich")
    for path in found:
        if is_open_mpi(_version(path)):
            return path, True
    if found:
        return found[0], False
    raise RunError("--ranks needs mpiexec, which is not found; install Open MPI (make setup does)")


def _version(path: str) -> str:
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout + done.stderr


def is_open_mpi(version: str) -> bool:
    """Whether this is the version text of Open MPI's mpiexec."""
    return "Open MPI" in version or "OpenRTE" in version


def this_machine(environment: Mapping[str, str] | None = None) -> Host:
    """The machine, or the batch allocation, that this process is in."""
    environment = os.environ if environment is None else environment
    allocated = allocated_cores(environment)
    here = len(os.sched_getaffinity(0))
    own = allocated is not None and SHARED not in environment
    return Host(allocated or here, own, os.geteuid() == 0)


def allocated_cores(environment: Mapping[str, str]) -> int | None:
    """Cores of the SLURM or PBS allocation in `environment`; None outside of one."""
    nodes = environment.get("SLURM_JOB_CPUS_PER_NODE")
    if nodes:
        # "64(x2),32" means two nodes of 64 and one of 32.
        parts = re.findall(r"(\d+)(?:\(x(\d+)\))?", nodes)
        return sum(int(cores) * int(times or 1) for cores, times in parts)
    node_file = environment.get("PBS_NODEFILE")
    if node_file and Path(node_file).is_file():
        slots = len(Path(node_file).read_text().split())
        per_slot = environment.get("NCPUS") or environment.get("OMP_NUM_THREADS") or "1"
        return slots * (int(per_slot) if per_slot.isdigit() else 1)
    return None


def allocated_nodes(environment: Mapping[str, str]) -> list[str]:
    """Names of the nodes of a SLURM or PBS allocation, in its order; none outside of one."""
    listed = environment.get("SLURM_JOB_NODELIST")
    if listed and shutil.which("scontrol"):
        done = subprocess.run(
            ["scontrol", "show", "hostnames", listed], capture_output=True, text=True, check=False
        )
        return done.stdout.split() if done.returncode == 0 else []
    file = environment.get("PBS_NODEFILE")
    if file and Path(file).is_file():
        return list(dict.fromkeys(Path(file).read_text(encoding="utf-8").split()))
    return []


def allocated_node_count(environment: Mapping[str, str]) -> int:
    """The number of nodes of the SLURM or PBS allocation in `environment`; 1 outside of one."""
    nodes = environment.get("SLURM_JOB_NUM_NODES", "")
    return max(1, int(nodes) if nodes.isdigit() else len(allocated_nodes(environment)))


def mpiexec_options(
    machine: Host,
    ranks: int,
    threads: int,
    open_mpi: bool,
    alone: bool = False,
    yields: bool = False,
) -> list[str]:
    """Options between mpiexec and the program.

    On a shared machine, ranks are not bound to cores, since two runs would then share the same
    cores; and a waiting rank yields its core, since spinning would hold up the rank that it waits
    for. alone: nothing else runs, as in a measurement; ranks are then bound and spin or, with
    `yields`, yield their cores as those of a run do.
    """
    options = ["-n", str(ranks)]
    if not open_mpi:
        return options
    if machine.root:
        options.append("--allow-run-as-root")
    crowded = ranks * threads > machine.cores
    if machine.allocated and not crowded:
        return [*options, "--map-by", f"slot:PE={threads}", "--bind-to", "core"]
    if alone and not crowded:
        # Two ranks may share a core if each has a hardware thread of it.
        options += ["--oversubscribe", "--map-by", f"slot:PE={threads}"]
        options += ["--bind-to", "core:overload-allowed"]
        return [*options, "--mca", "mpi_yield_when_idle", str(int(yields))]
    options += ["--oversubscribe", "--bind-to", "none"]
    return [*options, "--mca", "mpi_yield_when_idle", "1"]


def rank_variables(machine: Host, ranks: int, threads: int) -> dict[str, str]:
    """Variables for the ranks; waiting threads yield if there are more threads than cores."""
    variables = {"OMP_NUM_THREADS": str(threads), RELAY_VARIABLE: "1"}
    variables["COLUMNS"] = str(table_width())
    if not sys.stdout.isatty():
        variables["TERM"] = "dumb"  # mpiexec gives its ranks a terminal, whatever this process has
    if ranks * threads > machine.cores:
        variables["OMP_WAIT_POLICY"] = "passive"
    return variables


def without_mpi(environment: Mapping[str, str]) -> dict[str, str]:
    """`environment` without what a parent that runs MPI has left in it, which would mislead
    mpiexec.
    """
    if "PMIX_NAMESPACE" not in environment and ALONE not in environment:
        return dict(environment)
    return {
        name: value
        for name, value in environment.items()
        if not name.startswith(MPI_VARIABLES) or name.startswith("PMIX_MCA_")
    }


def passed_on(variables: Mapping[str, str], environment: Mapping[str, str]) -> list[str]:
    """Options by which Open MPI hands variables to ranks on other nodes."""
    debug = ["PHASEWISE_DEBUG"] if "PHASEWISE_DEBUG" in environment else []
    return [word for name in [*variables, *debug] for word in ("-x", name)]


def start(
    argv: Sequence[str],
    ranks: int,
    threads: int,
    quiet: bool = False,
    as_json: bool = False,
    unit: str = "turn",
) -> int:
    """Run the command `phasewise` with these arguments in a number of ranks, and wait for it.

    Returns the exit status of the ranks, or 1 if one died. `quiet` shows no progress; `as_json`
    prints a JSON object with the error if no rank was left to do so; `unit`: what the ranks count.
    """
    program = [sys.executable, "-m", "phasewise", *argv]
    command, environment = launch_command(program, ranks, threads)
    with child(command, environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        return _watch(process, RankOutput(quiet, unit), as_json)


def run_ranks(
    argv: Sequence[str], ranks: int, threads: int, progress: bool, unit: str = "turn"
) -> None:
    """Run the command `phasewise` with these arguments in a number of ranks for a program in
    Python: drop what the ranks print on standard output, and raise their sentence if they fail.

    RunError if the run fails, StudyError if its input cannot be used.
    """
    program = [sys.executable, "-m", "phasewise", *argv]
    command, environment = launch_command(program, ranks, threads)
    output = RankOutput(not progress, unit, keep_errors=True)
    with child(command, environment, stderr=subprocess.PIPE) as process:
        status, stopped = _follow(process, output)
    if status:
        sentence = output.error or output.verdict(status, stopped)
        raise error_of(_known(status, stopped and not output.error), sentence)


def launch_command(
    program: Sequence[str], ranks: int, threads: int, alone: bool = False, yields: bool = False
) -> tuple[list[str], dict[str, str]]:
    """The command line that starts `program` in ranks, and the environment that they need.

    alone, yields: as for `mpiexec_options`. RunError if there is no MPI to start them with.
    """
    require_mpi()
    mpiexec, open_mpi = find_mpiexec()
    machine = this_machine()
    variables = rank_variables(machine, ranks, threads)
    command = [mpiexec, *mpiexec_options(machine, ranks, threads, open_mpi, alone, yields)]
    if open_mpi:
        command += passed_on(variables, os.environ)
    environment = without_mpi(os.environ) | variables
    if ranks > 1 and not machine.allocated:
        environment = memory_variables() | environment
    if open_mpi and machine.root:
        environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return [*command, *program], environment


def memory_variables() -> dict[str, str]:
    """Variables by which Open MPI keeps the memory that ranks share in a folder of this process,
    where nothing is left of it if they are killed; RunError if nothing can be written there.
    """
    try:
        folder = folder_of_process(SHARED_MEMORY)
    except OSError as error:
        raise RunError(
            f"ranks on one machine exchange through {SHARED_MEMORY}, which cannot be written "
            f"({error.strerror}): run without --ranks, or where there is such a folder"
        ) from None
    return {f"OMPI_MCA_{name}": str(folder) for name in MEMORY_FOLDERS}


def run_to_end(
    command: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    limit: float | None = None,
) -> tuple[int, str]:
    """Run `command`, which works in the temporary `folder`, without showing what it says. Returns
    its exit status and its own sentence, or else the first line of its standard error, or nothing.

    RunError if it cannot be started, TooLongError if it takes more than `limit` s.
    """
    with child(command, environment, [folder], stderr=subprocess.PIPE) as process:
        try:
            _, said = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            raise TooLongError(f"it took more than {limit:.0f} s") from None
    text = said.decode(errors="replace")
    lines = [line.strip() for line in text.splitlines() if line.strip(" -\n")]
    own = [line.removeprefix(OURS) for line in lines if line.startswith(OURS)]
    return process.returncode, (own or lines or [""])[0]


def _watch(process: subprocess.Popen[bytes], output: RankOutput, as_json: bool) -> int:
    """Show the output of the ranks until they end, and forward requests to stop."""
    assert process.stdout is not None
    results = _Results(process.stdout)
    status, stopped = _follow(process, output)
    results.join()
    if status == 0:
        results.check()
        return 0
    if not output.reported:
        sentence = output.verdict(status, stopped)
        output.say(f"phasewise: {sentence}")
        if as_json:
            print_json({"error": sentence, "status": _known(status, stopped)})
    status = _known(status, stopped and not output.reported)
    if output.failure is not None and as_json:
        print_json({"error": output.failure, "status": status})
    return status


def _known(status: int, stopped: bool) -> int:
    """The exit status of this command if its ranks ended with `status`: that of one of our errors.
    stopped: whether they were asked to end, and did so without an error of their own.
    """
    return StoppedError.exit_status if stopped else error_of(status, "").exit_status


def _follow(process: subprocess.Popen[bytes], output: RankOutput) -> tuple[int, bool]:
    """Read what the ranks write to standard error until they end, and forward requests to stop.
    Returns the exit status, and whether there was such a request.
    """
    stops = Stops(process)
    assert process.stderr is not None
    try:
        for line in process.stderr:
            output.take(line.decode(errors="replace").rstrip("\n"))
        return process.wait(), stops.requested
    finally:
        stops.restore()
        output.finish()


class _Results(threading.Thread):
    """A thread that prints what the ranks print: mpiexec would lose that without saying so."""

    def __init__(self, source: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self._source = source
        self._error: OSError | RunError | None = None
        self.start()

    def run(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        while data := os.read(self._source.fileno(), 1 << 16):
            try:
                sys.stdout.write(decoder.decode(data))
                sys.stdout.flush()
            except (OSError, RunError) as error:
                self._error = error

    def check(self) -> None:
        """Raise the error that occurred when the results were written."""
        if self._error is not None:
            raise self._error


class Stops:
    """Forwards a request to stop to every rank, as the signal that mpiexec forwards.

    A plain SIGTERM would make mpiexec kill the ranks within a second, in the middle of a turn. Only
    a second request does that.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.requested = False
        self._process = process
        self._former = handled(SIGNALS, self._stop)

    def _stop(self, number: int, frame: object) -> None:
        self._process.send_signal(signal.SIGTERM if self.requested else signal.SIGUSR1)
        self.requested = True

    def restore(self) -> None:
        """Give the signals back to their former handlers."""
        give_back(self._former)
