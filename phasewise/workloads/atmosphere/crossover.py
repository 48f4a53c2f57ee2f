"""Which scheme of balance pays: predicted timesteps of each one on numbers of ranks, and at
bandwidths of messages that differ from a machine's own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from phasewise.errors import StudyError
from phasewise.machines import Machine
from phasewise.machines.topology import check_size
from phasewise.models import Case, contention, described
from phasewise.models.prediction import turn_of
from phasewise.study import Study
from phasewise.workload.communication import AUTO
from phasewise.workloads.atmosphere.communication import ALL, NODE, NONE, PAIRS, TWIN, most_ranks
from phasewise.workloads.atmosphere.model import model_of
from phasewise.workloads.atmosphere.seasons import shown_schemes, with_scheme

FACTORS = tuple(10.0 ** (power / 2) for power in range(-6, 5))
"""Bandwidths over the machine's own, 0.001 to 100."""
FOLLOWED = 256
"""Most ranks of which the model follows every message."""
EQUAL = 0.005
"""Share by which timesteps may differ and count as equal."""
CHEAPEST_FIRST = (NONE, NODE, PAIRS, ALL, TWIN)
"""Schemes in the order in which they are preferred where timesteps are equal."""
HOURS_SHOWN = 4
"""Timesteps of a study with physics that stand for its day."""
DAY = 86400.0
"""[s]"""

Seconds = Mapping[str, tuple[float, ...]]
"""Seconds of a timestep by scheme, at each place of a curve."""


@dataclass(frozen=True)
class Crossover:
    """Timesteps of a study by scheme. bandwidths: of one message between nodes, or within one where
    all ranks share it [B/s].
    """

    machine: str
    ranks: int
    bandwidths: tuple[float, ...]
    own: float
    """The machine's own bandwidth [B/s]."""
    seconds: Seconds

    @property
    def best(self) -> tuple[str, ...]:
        """The scheme of the shortest timestep at each bandwidth, the easiest one of equals."""
        return best_of(self.seconds, len(self.bandwidths))

    @property
    def changes(self) -> tuple[tuple[float, str, str], ...]:
        """Bandwidths [B/s] at which the best scheme changes, with the ones below and above."""
        best = self.best
        return tuple(
            (math.sqrt(self.bandwidths[at] * self.bandwidths[at + 1]), best[at], best[at + 1])
            for at in range(len(best) - 1)
            if best[at] != best[at + 1]
        )

    @property
    def sentence(self) -> str:
        """Which scheme pays, and where that changes."""
        at = min(range(len(self.bandwidths)), key=lambda n: abs(self.bandwidths[n] - self.own))
        best, *equal = equals_of(self.seconds, at)
        told = f"On {self.ranks} ranks of {self.machine} the best scheme is {best}"
        if equal:
            told += f", with {' and '.join(equal)} within {100 * EQUAL:g} % of it"
        if not self.changes:
            return f"{told}, at all bandwidths that are shown."
        words = [
            f"{above} above {bandwidth / 1e9:.2g} GB/s" for bandwidth, _, above in self.changes
        ]
        return f"{told}; with rising bandwidth it is {self.best[0]}, {', '.join(words)}."


def best_of(seconds: Seconds, count: int) -> tuple[str, ...]:
    """The best scheme at each place."""
    return tuple(equals_of(seconds, at)[0] for at in range(count))


def equals_of(seconds: Seconds, at: int) -> tuple[str, ...]:
    """The schemes whose timesteps at a place are next to the shortest one, those first that are
    easier to carry out.
    """
    most = (1.0 + EQUAL) * min(values[at] for values in seconds.values())
    return tuple(name for name in CHEAPEST_FIRST if name in seconds and seconds[name][at] <= most)


def cross_over(
    study: Study, machine: Machine, ranks: int, factors: Sequence[float] = FACTORS
) -> Crossover:
    """Predictions for each scheme with messages at other bandwidths; latencies and costs of calls
    stay. StudyError if study, machine and ranks do not fit.
    """
    short = over_a_day(study)
    machines = [with_bandwidth(machine, factor) for factor in factors]
    own = bandwidth_of(machine, ranks)
    seconds = {
        name: tuple(seconds_of(with_scheme(short, name), one, ranks) for one in machines)
        for name in shown_schemes(_on_nodes(short, machine), ranks)
    }
    bandwidths = tuple(own * factor for factor in factors)
    return Crossover(machine.name, ranks, bandwidths, own, seconds)


def over_ranks(study: Study, machine: Machine, ranks: Sequence[int]) -> tuple[list[int], Seconds]:
    """The numbers of ranks that suit study and machine, and predictions for each scheme, on process
    grids that are the core's choice.
    """
    free = study.replace(**{"communication.process_grid": AUTO})
    short = _on_nodes(over_a_day(free), machine)
    fit = [number for number in ranks if _fits(short, machine, number)]
    names = shown_schemes(short, max(fit, default=1))
    seconds = {
        name: tuple(seconds_of(with_scheme(short, name), machine, number) for number in fit)
        for name in names
    }
    return fit, seconds


def _on_nodes(study: Study, machine: Machine) -> Study:
    """The study with as many ranks a node as a machine has, where it does not say."""
    if study.communication.node_ranks:
        return study
    return study.replace(**{"communication.node_size": machine.node_ranks})


def _fits(study: Study, machine: Machine, ranks: int) -> bool:
    try:
        check_size(machine, ranks)
        study.check_ranks(ranks)
    except StudyError:
        return False
    return ranks <= most_ranks(model_of(study), study.communication.tunable().get("division", ""))


def over_a_day(study: Study) -> Study:
    """A study of few timesteps that stand for the hours of a day; with costs from a file the study
    itself.
    """
    if model_of(study).costs is not None:
        return study
    return study.replace(timesteps=HOURS_SHOWN, **{"atmosphere.timestep": DAY / HOURS_SHOWN})


def with_bandwidth(machine: Machine, factor: float) -> Machine:
    """A machine whose messages have other bandwidths, within nodes too."""
    network = machine.network
    changed = {
        name: value * factor
        for name in ("flow_bandwidth", "adapter_bandwidth", "link_bandwidth", "global_bandwidth")
        if (value := getattr(network, name)) is not None
    }
    memory, sockets = machine.memory, machine.sockets
    return replace(
        machine,
        network=replace(network, **changed),
        memory=memory and replace(
            memory,
            rank_bandwidth=memory.rank_bandwidth * factor,
            bandwidth=memory.bandwidth * factor,
        ),
        sockets=sockets and replace(
            sockets,
            rank_bandwidth=sockets.rank_bandwidth * factor,
            bandwidth=sockets.bandwidth * factor,
        ),
    )  # fmt: skip


def bandwidth_of(machine: Machine, ranks: int) -> float:
    """Of one message between nodes, or within a node that has all ranks [B/s]."""
    if machine.memory is not None and ranks <= machine.node_ranks:
        return float(machine.memory.rank_bandwidth)
    return float(machine.network.flow_bandwidth)


def seconds_of(study: Study, machine: Machine, ranks: int) -> float:
    """The predicted seconds of a timestep."""
    model = contention if ranks <= FOLLOWED else described
    return turn_of(Case(study, machine, ranks), model).seconds
