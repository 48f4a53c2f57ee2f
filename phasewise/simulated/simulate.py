"""``phasewise simulate``: a study's turns on a simulated machine, by the same driver.

The reference is a simulator, not hardware: docs/machines.md says what it models.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from phasewise.errors import RunError, StudyError
from phasewise.machines import Floor, Machine, Twin, floor, make_ideal, make_twin, nodes_of
from phasewise.machines.overhead import check_overhead
from phasewise.machines.smpirun import simulate_driver, simulated_tree
from phasewise.runs.disk import disk_reason
from phasewise.runs.folder import RunFolder
from phasewise.scratch import TemporaryFolder, temporary_folder
from phasewise.simulated.records import seconds_of, take_communication, take_records
from phasewise.study import Study
from phasewise.study.laboratory import check_simulated, fewest_steps, max_steps
from phasewise.traces.records import IDEAL, SLOW, CommunicationRecord, read_communication
from phasewise.traces.summary import communication_summary
from phasewise.workload.discovery import KEY


@dataclass(frozen=True)
class Request:
    """How a study is simulated.

    twin: plain or full. steps: how many steps of a turn are simulated, spread evenly, to stand for
    all of them; 0: all. skeleton: send messages of the true sizes without their contents.
    computation: charge work at the machine's rate. events: how many events each rank keeps; 0: no
    time line. ideal: simulate it again with messages that take no time, which tells how much of the
    communication is transfer. slow: how many times the kernels of some ranks are charged.
    """

    machine: Machine
    ranks: int
    twin: str = "full"
    steps: int = 0
    skeleton: bool = False
    computation: bool = True
    events: int = 0
    ideal: bool = False
    slow: Mapping[int, float] = field(default_factory=dict)


def simulate(
    study: Study, request: Request, out: Path, source: Path | None = None
) -> tuple[dict[str, Any], CommunicationRecord]:
    """Simulate `study`; returns the summary as ``simulate --json`` prints it, and the record in
    `out`.

    source: the study's file, which is copied into `out`. StudyError if study, machine and ranks do
    not fit together, RunError if SimGrid is missing or the simulation fails.
    """
    machine, ranks = request.machine, request.ranks
    steps = _sampled_steps(study, request.steps)
    study.check_ranks(ranks)
    _check_slow(request)
    check_simulated(study, request.skeleton)
    check_overhead(machine, study.communication)
    twin = make_twin(machine, request.twin, ranks)
    simulated_tree()
    folder = RunFolder(out)
    folder.prepare(study, source, resume=False)
    try:
        with _working_folder() as work:
            simulate_driver(twin, flat_parameters(study, request, steps), Path(work))
            head = _head(study, request, steps)
            if request.ideal:
                head[IDEAL] = _ideal_seconds(study, request, steps, twin)
            take_communication(Path(work), out, study.workload.unit, head)
            record = read_communication(out)
            if not request.skeleton and not steps:
                seconds = record.seconds / record.turns
                take_records(Path(work), folder, study, ranks, seconds)
        summary = summarise(study, request, twin, record, steps)
        folder.write_json("summary.json", summary)
    finally:
        folder.release()
    return summary, record


def _ideal_seconds(study: Study, request: Request, steps: int, twin: Twin) -> float:
    """Time [s] of the same turns with messages that take no time."""
    quick = replace(request, events=0, machine=replace(request.machine, overhead=None))
    with _working_folder() as work:
        simulate_driver(make_ideal(twin), flat_parameters(study, quick, steps), Path(work))
        return seconds_of(Path(work))


def _working_folder() -> TemporaryFolder:
    try:
        return temporary_folder("simulate")
    except OSError as error:
        raise RunError(f"no temporary folder can be made ({disk_reason(error)})") from error


def _sampled_steps(study: Study, asked: int) -> int:
    """Steps to simulate; 0 if that is all of them."""
    fewest = fewest_steps(study)
    if asked and not fewest:
        raise StudyError("--steps samples steps that are alike, but this study has none")
    return asked if asked < fewest else 0


def flat_parameters(study: Study, request: Request, steps: int = 0) -> str:
    """The driver's parameters of a simulation; steps: how many steps of a turn are sampled, 0 for
    all.
    """
    rate = request.machine.processor
    values: dict[str, Any] = {
        "records.events": request.events,
        "simulated.steps": steps,
        "simulated.skeleton": int(request.skeleton),
        "simulated.flops": rate.flops if request.computation else 0.0,
        "simulated.bandwidth": rate.bandwidth if request.computation else 0.0,
    }
    vector = request.machine.vector
    overhead = request.machine.of_program(study.in_threads).overhead
    if vector is not None:
        values |= {f"simulated.{name}": value for name, value in asdict(vector).items()}
    lines = [f"{key} = {value!r}\n" for key, value in values.items()]
    if request.slow:
        pairs = (f"{rank} {times!r}" for rank, times in sorted(request.slow.items()))
        lines.append(f"simulated.slow = {' '.join(pairs)}\n")
    if overhead is not None:
        lines.append(f"simulated.overheads = {' '.join(map(repr, overhead.kinds))}\n")
        lines.append(f"simulated.round = {overhead.round!r}\n")
    return study.parameters() + "".join(lines)


def _head(study: Study, request: Request, steps: int) -> dict[str, Any]:
    """What communication.json says that the driver does not know."""
    machine = {"name": request.machine.name, "title": request.machine.title, "twin": request.twin}
    return {
        KEY: study.workload.named,
        "layout": study.communication.layout_text,
        "algorithms": study.communication.algorithms(),
        "machine": machine,
        **_sampled(study, steps),
        "skeleton": request.skeleton,
        "computation": request.computation,
        SLOW: _slow(request),
    }


def _slow(request: Request) -> dict[str, float]:
    """How many times the kernels of a rank are charged, by rank as JSON has it."""
    return {str(rank): times for rank, times in sorted(request.slow.items())}


def _check_slow(request: Request) -> None:
    """StudyError if a rank that is to be slow does not exist."""
    for rank, times in request.slow.items():
        if rank >= request.ranks:
            raise StudyError(
                f"--slow {rank}:{times:g}: there is no rank {rank}; the {request.ranks} ranks are "
                f"0 to {request.ranks - 1}"
            )
    if request.slow and not request.computation:
        raise StudyError("--slow charges kernels more, and --no-computation does not charge them")


def _sampled(study: Study, steps: int) -> dict[str, Any]:
    """How many of how many steps of a turn were simulated: `sampled_steps`, and `steps` unless the
    workload counts steps.
    """
    found = [steps or max_steps(study), max_steps(study)]
    return {"sampled_steps": found} | (
        {} if study.workload.unit.many == "steps" else {"steps": found}
    )


def summarise(
    study: Study, request: Request, twin: Twin, record: CommunicationRecord, steps: int
) -> dict[str, Any]:
    """What ``simulate --json`` prints; times [s] are of one turn.

    A phase's seconds, and `communication_seconds`, are means over the ranks of the time spent in
    it, waiting included; `exchange_seconds` counts only the phases of the workload's own exchange.
    `variation` is the standard deviation of the turns after the first over their mean, 0 for fewer
    than three turns.
    """
    communicating = [phase for phase in record.phases if phase.communicates]
    times = {phase.name: float(np.mean(phase.communicating)) for phase in communicating}
    whole = sum((phase.communicating for phase in communicating), np.zeros(record.ranks))
    turns = record.turns
    limit = floor_of(record, request)
    return {
        "machine": request.machine.name,
        "twin": twin.kind,
        "reference": "simulator",
        "ranks": record.ranks,
        "process_grid": record.grid_text,
        "layout": record.layout,
        "algorithms": study.communication.algorithms(),
        study.workload.unit.many: turns,
        **_sampled(study, steps),
        "skeleton": request.skeleton,
        "computation": request.computation,
        SLOW: _slow(request),
        "turn_seconds": record.seconds / turns,
        "communication_seconds": float(np.mean(whole)) / turns,
        "communication_seconds_max": float(np.max(whole)) / turns,
        "exchange_seconds": sum(times[phase.name] for phase in communicating if phase.main) / turns,
        "phases": {name: seconds / turns for name, seconds in times.items()},
        "floor_seconds": limit.seconds / turns,
        "floor": {name: getattr(limit, name) / turns for name in ("adapter", "cut", "memory")},
        "communication": communication_summary(record),
        "variation": record.variation,
    }


def floor_of(record: CommunicationRecord, request: Request) -> Floor:
    """The least time [s] that the recorded messages of all turns need on the machine."""
    traffic = record.traffic
    nodes = nodes_of(request.machine, record.ranks)
    taper = request.twin == "full"
    return floor(request.machine, nodes, traffic.source, traffic.target, traffic.bytes, taper)
