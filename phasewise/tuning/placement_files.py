"""Writes what a user needs to run the choice: tables of a study, and files for a launcher.

The layout assigns places to ranks; the files assign ranks to nodes, rank r to node r // (node
size).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phasewise.errors import RunError
from phasewise.machines import Machine, node_count
from phasewise.mpi.launch import allocated_nodes
from phasewise.runs.disk import disk_reason, replace_text
from phasewise.study import Study
from phasewise.tables.writing import document
from phasewise.tuning.candidates import Candidate


@dataclass(frozen=True)
class Placement:
    """Where ranks run: the `names` of the nodes (made up unless `known` is set), with `node_ranks`
    ranks on each node, as many on each of its sockets, and `threads` threads in each rank.
    """

    names: tuple[str, ...]
    known: bool
    ranks: int
    node_ranks: int
    threads: int = 1
    sockets: int = 1

    def hostfile(self) -> str:
        """The file for Open MPI's ``mpiexec --hostfile``: each node once, with the number of its
        ranks.
        """
        return self._nodes(" slots=")

    def machinefile(self) -> str:
        """The same for MPICH's ``mpiexec -f`` and its kin."""
        return self._nodes(":")

    def _nodes(self, before_count: str) -> str:
        lines = [] if self.known else [f"# put the names of your nodes for {self.names[0]}, …"]
        for index, name in enumerate(self.names):
            lines.append(f"{name}{before_count}{len(self._ranks_of(index))}")
        return "\n".join(lines) + "\n"

    def rankfile(self) -> str:
        """The file for ``mpiexec --rankfile`` of Open MPI: the node and the cores of each rank, and
        the socket that has these cores where a node has several.

        +n0 is the first node of the hostfile or of the allocation, whatever its name.
        """
        lines = []
        for index in range(len(self.names)):
            for local, rank in enumerate(self._ranks_of(index)):
                socket = local * self.sockets // self.node_ranks
                before = -(-socket * self.node_ranks // self.sockets)  # ranks on sockets before
                first = (local - before) * self.threads
                last = first + self.threads - 1
                cores = f"{first}-{last}" if last > first else str(first)
                place = f"{socket}:{cores}" if self.sockets > 1 else cores
                lines.append(f"rank {rank}=+n{index} slot={place}")
        return "\n".join(lines) + "\n"

    def slurm(self) -> str:
        """The file for ``SLURM_HOSTFILE=… srun --distribution=arbitrary``: the node of each
        rank.
        """
        return "".join(f"{self.names[rank // self.node_ranks]}\n" for rank in range(self.ranks))

    def _ranks_of(self, node: int) -> range:
        first = node * self.node_ranks
        return range(first, min(first + self.node_ranks, self.ranks))


def place(machine: Machine, ranks: int, threads: int, environment: Mapping[str, str]) -> Placement:
    """The placement on the nodes of the batch allocation in `environment` if it has enough of
    them.
    """
    nodes = node_count(machine, ranks)
    rest = (ranks, machine.node_ranks, threads, machine.socket_count)
    names = allocated_nodes(environment)
    if len(names) >= nodes:
        return Placement(tuple(names[:nodes]), True, *rest)
    if nodes == 1 and machine.is_hardware:
        return Placement(("localhost",), True, *rest)
    made_up = tuple(f"node{index}" for index in range(nodes))
    return Placement(made_up, False, *rest)


def write_all(
    out: Path,
    study: Study,
    candidate: Candidate,
    machine: Machine,
    split: tuple[int, int],
    summary: Mapping[str, Any],
) -> list[str]:
    """Write what the choice needs into `out`, and return the files' names; RunError if they cannot
    be written.

    split: ranks, and threads of each rank. summary: what ``tune --json`` prints, kept as tune.json.
    """
    placement = place(machine, *split, os.environ)
    tables = candidate.apply(study).resolved()
    files = {
        "communication.toml": document({"communication": candidate.communication()}),
        "study.toml": document(tables),
        "hostfile": placement.hostfile(),
        "machinefile": placement.machinefile(),
        "rankfile": placement.rankfile(),
        "slurm-hostfile": placement.slurm(),
        "tune.json": json.dumps(summary, indent=2, ensure_ascii=False) + "\n",
    }
    for name, text in files.items():
        try:
            out.mkdir(parents=True, exist_ok=True)
            replace_text(out / name, text)
        except OSError as error:
            raise RunError(f"{out / name} cannot be written ({disk_reason(error)})") from error
    return list(files)
