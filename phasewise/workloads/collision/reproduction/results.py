"""All numbers that the reproduction shows: simulated, measured on simulated machines, predicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from phasewise.machines import Machine, load_machine
from phasewise.models import Prediction
from phasewise.models.judged import times_of
from phasewise.reproduction.telling import Telling
from phasewise.simulated.many import Summary, Task, simulate_many
from phasewise.workloads.collision.reproduction.cases import (
    SimulatedCase,
    messages,
    paper_case,
    simulated_cases,
)
from phasewise.workloads.collision.reproduction.extent import Extent, Run, exchange_task, runs_of
from phasewise.workloads.collision.reproduction.holdout import (
    Errors,
    WholeStudy,
    holdout,
    judge,
    read_whole_study,
)
from phasewise.workloads.collision.reproduction.kept import Kept, read_kept
from phasewise.workloads.collision.reproduction.predicted import (
    by_published_models,
    by_table_4,
    computing_seconds,
    predict_runs,
)
from phasewise.workloads.collision.reproduction.sensitivity import (
    Sensitivity,
    assumptions,
    sensitivities,
)


@dataclass(frozen=True)
class Compared:
    """A kept simulation that was made again, with the seconds of its exchange as kept, and now."""

    run: Run
    kept: float
    now: float

    @property
    def same(self) -> bool:
        """Whether they agree to a millionth."""
        return abs(self.now / self.kept - 1) < 1e-6


@dataclass(frozen=True)
class PaperResults:
    """The data of claims, tables and figures; times [s] are per turn.

    simulated, predicted, published, table_4: times of the phases that exchange grids, mean over the
    ranks; `published` has those of the paper's models with the twins' curves, `table_4` those with
    the paper's own L and B. machines: the machines, with the curves measured on their twins.
    computing: the computation by machine and number of ranks, at assumed rates. single: simulated
    base and column-first layout on a full fat-tree with one rank per node. repeated: errors on the
    held-out cases that were simulated for this reproduction. whole: errors on all held-out cases,
    from an earlier study; None if there is none. refused: (model, machine) → why there is no
    prediction. kept: the date (ISO) of simulations that were not made for this reproduction, else
    empty; compared: those that were made again.
    """

    extent: Extent
    machines: dict[str, Machine]
    simulated: dict[Run, float]
    predicted: dict[tuple[Run, str], Prediction]
    published: dict[tuple[Run, str], float]
    table_4: dict[Run, float]
    computing: dict[tuple[str, int], float]
    single: tuple[float, float]
    repeated: Errors
    whole: WholeStudy | None = None
    refused: dict[tuple[str, str], str] = field(default_factory=dict)
    sensitivity: tuple[Sensitivity, ...] = ()
    kept: str = ""
    compared: tuple[Compared, ...] = ()

    def ratio(self, run: Run, model: str) -> float | None:
        """The simulated time divided by that of one of the paper's models; None if there is no
        prediction.
        """
        found = self.published.get((run, model))
        return None if found is None else self.simulated[run] / found

    def ratios(
        self, machine: str, model: str, ranks: Sequence[int], variant: str = "base"
    ) -> list[float] | None:
        """`ratio` on several numbers of ranks; None unless all of them are known."""
        found = [self.ratio(Run(machine, number, variant), model) for number in ranks]
        known = [ratio for ratio in found if ratio is not None]
        return known if len(known) == len(found) else None

    def own_ratio(self, run: Run, model: str) -> float | None:
        """The simulated time divided by that of one of our models; None if there is no
        prediction.
        """
        found = self.predicted.get((run, model))
        return None if found is None else self.simulated[run] / found.exchange_seconds

    def gain(self, machine: str, ranks: int, before: str, after: str) -> float:
        """The fraction by which the simulated time falls from one variant to another."""
        own = self.simulated
        return 1 - own[Run(machine, ranks, after)] / own[Run(machine, ranks, before)]

    def table_4_gain(self, machine: str, ranks: int, before: str, after: str) -> float:
        """The fraction by which the time that Table 4's L and B predict falls from one variant to
        another.
        """
        own = self.table_4
        return 1 - own[Run(machine, ranks, after)] / own[Run(machine, ranks, before)]


@dataclass(frozen=True)
class Simulated:
    """Summaries of the paper's cases, of `single`, of the assumptions, and of cases held out."""

    runs: dict[Run, Summary]
    single: list[Summary]
    assumed: list[Summary]
    held_out: list[Summary]


def gather(extent: Extent, cache: Path, workers: int) -> PaperResults:
    """Simulate, measure and predict; simulations are put into the folder `cache`."""
    kept = read_kept() if extent.kept else Kept()
    held_out = [one for name in extent.machines for one in _held_out(name, extent)]
    found = _simulate(extent, held_out, kept, cache, workers)
    machines = {name: kept.machine(name, cache) for name in extent.machines}
    simulated = {run: exchange_of(summary) for run, summary in found.runs.items()}
    predicted, refused = predict_runs(extent, machines, workers)
    published, refused_published = by_published_models(list(simulated), machines)
    before, after = map(exchange_of, found.single)
    return PaperResults(
        extent=extent,
        machines=machines,
        simulated=simulated,
        predicted=predicted,
        published=published,
        table_4=by_table_4(extent),
        computing=computing_seconds(extent),
        single=(before, after),
        repeated=_judge(held_out, found.held_out, machines),
        whole=read_whole_study(),
        refused=refused | refused_published,
        sensitivity=sensitivities(list(assumptions()), list(map(exchange_of, found.assumed))),
        kept=kept.date if any(kept.has(paper_task(run)) for run in simulated) else "",
        compared=_compared(extent, kept, cache, workers),
    )


def exchange_of(summary: Summary) -> float:
    """Simulated seconds of the phases that exchange grids."""
    return float(summary["exchange_seconds"])


def tasks_of(extent: Extent) -> list[Task]:
    """The simulations of a reproduction, except for the cases held out."""
    return [
        *(paper_task(run) for run in runs_of(extent)),
        *(_single_task(variant) for variant in ("base", "column-first")),
        *(task for one in assumptions() for task in one.tasks()),
    ]


def _simulate(
    extent: Extent, held_out: list[SimulatedCase], kept: Kept, cache: Path, workers: int
) -> Simulated:
    runs, tasks = runs_of(extent), tasks_of(extent)
    judging = [sample.task() for sample in held_out]
    found = kept.simulate([*tasks, *judging], cache, workers, Telling("simulations"))
    first = len(runs)
    return Simulated(
        dict(zip(runs, found, strict=False)),
        found[first : first + 2],
        found[first + 2 : len(tasks)],
        found[len(tasks) :],
    )


def _compared(extent: Extent, kept: Kept, cache: Path, workers: int) -> tuple[Compared, ...]:
    """Some of the kept simulations, made again."""
    tasks = {run: paper_task(run) for run in extent.again}
    again = {run: task for run, task in tasks.items() if kept.has(task)}
    found = simulate_many(list(again.values()), cache, workers) if again else []
    return tuple(
        Compared(run, exchange_of(kept.summary(task)), exchange_of(summary))
        for (run, task), summary in zip(again.items(), found, strict=True)
    )


def paper_task(run: Run) -> Task:
    """The simulation of one of the paper's cases."""
    return exchange_task(load_machine(run.machine), run.ranks, run.variant)


def _single_task(variant: str) -> Task:
    """The paper's case on Jacquard as it would be with one rank a node and a full fat-tree.

    Only its layout changes from the base. It has 64 ranks, on which the two layouts differ.
    """
    machine = load_machine("jacquard")
    network = replace(machine.network, taper=None, adapter_bandwidth=machine.network.flow_bandwidth)
    alone = replace(machine, name="full fat-tree", node_ranks=1, memory=None, network=network)
    task = exchange_task(alone, 64, "base")
    if variant == "base":
        return task
    return replace(task, study=replace(paper_case("jacquard", 64, "base"), layout=variant).study())


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


def _judge(
    held_out: list[SimulatedCase], summaries: list[Summary], machines: dict[str, Machine]
) -> Errors:
    times = [times_of(summary) for summary in summaries]
    tell = Telling("cases judged")
    return holdout(judge(held_out, times, machines, progress=tell)[0], machines)
