"""Simulated times and measured curves that come with phasewise, for a quick reproduction.

benchmarks/keep_reproduction.py writes them from a full reproduction. A simulation is found by a
hash of all its input: if a study, a machine's file or a twin has changed, it is made anew. A change
of the driver or of SimGrid goes unnoticed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from phasewise.errors import RunError
from phasewise.machines import Machine, load_machine
from phasewise.machines.curves import Curve
from phasewise.reproduction.measured import measured_machine
from phasewise.runs.disk import disk_reason, replace_text
from phasewise.simulated.many import Summary, Task, input_key, simulate_many

FILE = Path(__file__).with_name("kept.json")
FIGURES = ("exchange_seconds", "communication_seconds", "turn_seconds")
"""What is kept of a simulation's summary."""
INTERVAL = ("low", "high")


@dataclass(frozen=True)
class Kept:
    """What is kept: the date (ISO), summaries by input_key, curves by machine and description."""

    date: str = ""
    summaries: dict[str, Summary] = field(default_factory=dict)
    curves: dict[str, tuple[Curve, ...]] = field(default_factory=dict)

    def has(self, task: Task) -> bool:
        """Whether the simulation of a task is kept."""
        return input_key(task) in self.summaries

    def summary(self, task: Task) -> Summary:
        """The summary of a task that is kept."""
        return self.summaries[input_key(task)]

    def machine(self, name: str, cache: Path) -> Machine:
        """A described machine with its kept curves; without these it is measured."""
        machine = load_machine(name)
        found = self.curves.get(machine_key(machine))
        return measured_machine(name, cache) if found is None else replace(machine, curves=found)

    def simulate(
        self, tasks: Sequence[Task], cache: Path, workers: int, progress: Callable[[int, int], None]
    ) -> list[Summary]:
        """Summaries of the tasks; what is not kept is simulated, as by `simulate_many`."""
        missing = [task for task in tasks if not self.has(task)]
        made = iter(simulate_many(missing, cache, workers, progress) if missing else ())
        return [self.summaries[input_key(t)] if self.has(t) else next(made) for t in tasks]


def machine_key(machine: Machine) -> str:
    """A hash of a machine's description."""
    described = repr(replace(machine, curves=(), measured=None))
    return hashlib.sha256(described.encode()).hexdigest()[:16]


def read_kept(path: Path | None = None) -> Kept:
    """What `write_kept` wrote, by default into FILE; empty if there is no file. RunError if it
    cannot be read.
    """
    path = path or FILE
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        curves = {key: tuple(_curve(one) for one in own) for key, own in content["curves"].items()}
        return Kept(content["date"], content["simulations"], curves)
    except FileNotFoundError:
        return Kept()
    except OSError as error:
        raise RunError(f"{path} cannot be read ({disk_reason(error)})") from error
    except (ValueError, LookupError, TypeError) as error:
        raise RunError(
            f"{path} does not hold simulations: python -m benchmarks.keep_reproduction writes it"
        ) from error


def write_kept(
    date: str,
    simulated: Iterable[tuple[Task, Summary]],
    machines: Mapping[str, Machine],
    path: Path | None = None,
) -> None:
    """Write what a full reproduction simulated and measured, by default into FILE; OSError if it
    cannot be written.
    """
    simulations = [
        f"{json.dumps(input_key(task))}: {json.dumps({key: summary[key] for key in FIGURES})}"
        for task, summary in simulated
    ]
    curves = [
        f"{json.dumps(machine_key(load_machine(name)))}: [\n"
        + ",\n".join(json.dumps(_written(curve)) for curve in machine.curves)
        + "\n]"
        for name, machine in machines.items()
    ]
    parts = [
        '"reference": "simulator"',
        f'"date": {json.dumps(date)}',
        '"simulations": {\n' + ",\n".join(simulations) + "\n}",
        '"curves": {\n' + ",\n".join(curves) + "\n}",
    ]
    replace_text(path or FILE, "{\n" + ",\n".join(parts) + "\n}\n")


def _written(curve: Curve) -> dict[str, Any]:
    """A curve as it is kept. A simulated curve has no noise, so that its intervals are left out."""
    return {key: value for key, value in vars(curve).items() if key not in INTERVAL}


def _curve(kept: Mapping[str, Any]) -> Curve:
    rows = {key: tuple(kept[key]) for key in ("sizes", "seconds", "bends")}
    return Curve(**(dict(kept) | rows), low=rows["seconds"], high=rows["seconds"])
