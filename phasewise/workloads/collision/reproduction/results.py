"""All numbers that the reproduction shows: simulated, measured on simulated machines, predicted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from phasewise.errors import StudyError
from phasewise.machines import Machine, load_machine
from phasewise.models import Case, Prediction, predict
from phasewise.models.computation import kernel_seconds
from phasewise.models.judged import times_of
from phasewise.reproduction.measured import measured_machine
from phasewise.reproduction.telling import Telling
from phasewise.simulated.many import Summary, Task, simulate_many
from phasewise.simulated.simulate import Request
from phasewise.workloads.collision.reproduction.cases import (
    MACHINES,
    SimulatedCase,
    messages,
    paper_case,
    simulated_cases,
)
from phasewise.workloads.collision.reproduction.holdout import (
    FIRST_TURN,
    MODELS,
    Errors,
    WholeStudy,
    holdout,
    judge,
    read_whole_study,
)

VARIANTS = ("base", "optimised", "aggregated", "hypercube")
BEST = {"seaborg": "3", "bassi": "3", "jacquard": "4", "jaguar": "6", "bluegene-l": "6"}
"""The most accurate model of each machine in the source paper."""


@dataclass(frozen=True)
class Extent:
    """How much is simulated: a full reproduction, or a quick one.

    steps: of a turn's 15, from `many` ranks on. held_out: cases of a machine that judge the models,
    of at most `max_messages` messages and `max_ranks` ranks.
    """

    machines: tuple[str, ...]
    ranks: tuple[int, ...]
    predicted: tuple[int, ...]
    held_out: int
    max_ranks: int
    max_messages: int
    steps: int = 5
    many: int = 256


FULL = Extent(MACHINES, (32, 64, 128, 256), (512, 1024), 10, 256, 150_000)
QUICK = Extent(("bassi", "jaguar"), (32, 64), (), 4, 64, 60_000)


class Run(NamedTuple):
    """One of the paper's cases: a machine's name, ranks, and a word of VARIANTS."""

    machine: str
    ranks: int
    variant: str


@dataclass(frozen=True)
class PaperResults:
    """The data of claims, tables and figures; times [s] are per turn.

    simulated, predicted: of the phases that exchange grids, mean over the ranks. machines: with the
    curves measured on their twins. computing: by machine and number of ranks, at assumed rates.
    single: simulated base and column-first layout on a full fat-tree with one rank per node.
    repeated: errors on the held-out cases that were simulated for this reproduction. whole: errors
    on all held-out cases, from an earlier study; None if there is none. refused: (model, machine) →
    why there is no prediction.
    """

    extent: Extent
    machines: dict[str, Machine]
    simulated: dict[Run, float]
    predicted: dict[tuple[Run, str], Prediction]
    computing: dict[tuple[str, int], float]
    single: tuple[float, float]
    repeated: Errors
    whole: WholeStudy | None = None
    refused: dict[tuple[str, str], str] = field(default_factory=dict)

    def has(self, machines: Iterable[str], ranks: Iterable[int]) -> bool:
        """Whether the base was simulated on all of these."""
        wanted = (Run(name, number, "base") for name in machines for number in ranks)
        return all(run in self.simulated for run in wanted)

    def ratio(self, run: Run, model: str) -> float | None:
        """Simulated over predicted time; None if there is no prediction."""
        found = self.predicted.get((run, model))
        return None if found is None else self.simulated[run] / found.exchange_seconds

    def ratios(
        self, machine: str, model: str, ranks: Sequence[int], variant: str = "base"
    ) -> list[float] | None:
        """Simulated over predicted on a number of ranks; None unless all can be had."""
        found = [self.ratio(Run(machine, number, variant), model) for number in ranks]
        known = [ratio for ratio in found if ratio is not None]
        return known if len(known) == len(found) else None

    def gain(self, machine: str, ranks: int, before: str, after: str) -> float:
        """The fraction by which the simulated time falls from one variant to another."""
        own = self.simulated
        return 1 - own[Run(machine, ranks, after)] / own[Run(machine, ranks, before)]


def gather(extent: Extent, cache: Path, workers: int) -> PaperResults:
    """Simulate, measure and predict; simulations are kept in `cache`."""
    whole = read_whole_study()
    runs = _runs(extent)
    tasks = [paper_task(run, extent) for run in runs]
    single = [_single_task(variant) for variant in ("base", "column-first")]
    held_out = [one for name in extent.machines for one in _held_out(name, extent)]
    judging = [sample.task() for sample in held_out]
    found = simulate_many([*tasks, *single, *judging], cache, workers, Telling("simulations"))
    exchanging = [float(summary["exchange_seconds"]) for summary in found]
    simulated = dict(zip(runs, exchanging, strict=False))
    of_single = (exchanging[len(tasks)], exchanging[len(tasks) + 1])
    machines = {name: measured_machine(name, cache) for name in extent.machines}
    predicted, refused = _predict(runs, machines, extent)
    return PaperResults(
        extent,
        machines,
        simulated,
        predicted,
        _computing(extent, machines),
        of_single,
        _judge(held_out, found[len(tasks) + 2 :], machines),
        whole,
        refused,
    )


def _runs(extent: Extent) -> list[Run]:
    """Base, optimised and hypercube on all ranks, aggregated on the most."""
    return [
        Run(name, ranks, variant)
        for name in extent.machines
        for ranks in extent.ranks
        for variant in VARIANTS
        if variant != "aggregated" or ranks == extent.ranks[-1]
    ]


def paper_task(run: Run, extent: Extent) -> Task:
    """The simulation of one of the paper's cases, sampled where it has very many messages."""
    task = paper_case(*run).task(computation=False)
    steps = extent.steps if run.ranks >= extent.many else 0
    return replace(task, request=replace(task.request, steps=steps))


def _single_task(variant: str) -> Task:
    """The paper's case on Jacquard as it would be with one rank a node and a full fat-tree.

    Its layout alone changes from the base: 64 ranks, where the two differ.
    """
    machine = load_machine("jacquard")
    network = replace(machine.network, taper=None, adapter_bandwidth=machine.network.flow_bandwidth)
    alone = replace(machine, name="full fat-tree", node_ranks=1, memory=None, network=network)
    sample = paper_case("jacquard", 64, "base")
    if variant != "base":
        sample = replace(sample, layout=variant)
    return Task(sample.study(), Request(alone, 64, skeleton=True, computation=False))


def _held_out(name: str, extent: Extent) -> list[SimulatedCase]:
    """Cases that judge the models, spread over the machine's list."""
    small = [
        sample
        for sample in simulated_cases(name)
        if sample.held_out
        and sample.ranks <= extent.max_ranks
        and messages(sample.study(), sample) <= extent.max_messages
    ]
    every = max(len(small) // extent.held_out, 1)
    return small[::every][: extent.held_out]


def _predict(
    runs: list[Run], machines: dict[str, Machine], extent: Extent
) -> tuple[dict[tuple[Run, str], Prediction], dict[tuple[str, str], str]]:
    """Every run by every model, and larger ones by the best."""
    beyond = [
        Run(name, ranks, variant)
        for name in extent.machines
        for ranks in extent.predicted
        for variant in ("optimised", "hypercube")
    ]
    wanted = [(run, model) for run in runs for model in MODELS]
    wanted += [(run, model) for run in beyond for model in (BEST[run.machine], "contention")]
    predicted: dict[tuple[Run, str], Prediction] = {}
    refused: dict[tuple[str, str], str] = {}
    tell = Telling("predictions")
    for number, (run, model) in enumerate(wanted, 1):
        pair = (model, run.machine)
        if pair not in refused:
            case = Case(
                paper_case(*run).study(), machines[run.machine], run.ranks, pieces=FIRST_TURN
            )
            try:
                predicted[run, model] = predict(case, model, computation=False)
            except StudyError as error:
                refused[pair] = str(error)
        tell(number, len(wanted))
    return predicted, refused


def _computing(extent: Extent, machines: dict[str, Machine]) -> dict[tuple[str, int], float]:
    """Seconds of a turn's computation, at the assumed rates of the machine's processor."""
    return {
        (name, ranks): sum(
            kernel_seconds(
                Case(paper_case(name, ranks, "base").study(), machines[name], ranks)
            ).values()
        )
        for name in extent.machines
        for ranks in extent.ranks
    }


def _judge(
    held_out: list[SimulatedCase], summaries: list[Summary], machines: dict[str, Machine]
) -> Errors:
    times = [times_of(summary) for summary in summaries]
    tell = Telling("cases judged")
    return holdout(judge(held_out, times, machines, progress=tell)[0], machines)
