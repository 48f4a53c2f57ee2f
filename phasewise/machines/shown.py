"""``phasewise machine list`` and ``phasewise machine show``: the machines that phasewise knows, and
what a machine's file says.
"""

from __future__ import annotations

from collections.abc import Sequence

from phasewise.machines.facts import facts, rows_of
from phasewise.machines.machine import load_machine, machine_names
from phasewise.machines.reference import statement
from phasewise.output import console, engineering, print_json, print_table


def show_list(as_json: bool) -> None:
    """Print the machines that phasewise knows."""
    machines = [load_machine(name) for name in machine_names()]
    if as_json:
        print_json({"machines": [facts(machine) for machine in machines]})
        return
    heads = ["machine", "ranks a node", "network", "flop/s of a rank", "its memory", "title"]
    rows = [
        [
            machine.name,
            str(machine.node_ranks),
            machine.network.kind,
            engineering(machine.processor.flops, "flop/s"),
            engineering(machine.processor.bandwidth, "B/s"),
            machine.title,
        ]
        for machine in machines
    ]
    print_table("Machines that can be simulated and predicted", heads, rows)
    console().print(
        "phasewise machine show NAME has all of one; phasewise machine measure writes a file of "
        "this one."
    )


def show_machine(name: str, as_json: bool) -> None:
    """Print what the file of a machine says; StudyError if there is no such machine."""
    machine = load_machine(name)
    if as_json:
        print_json(facts(machine))
        return
    print_table(machine.title, ["", "value"], rows_of(machine))
    console().print(statement(machine), soft_wrap=True)
    if machine.kernels:
        print_table(
            "Kernels",
            ["kernel", "unit", "ns a unit", "sizes of a call"],
            [
                [name, rate.unit, _range(rate.seconds, 1e9), _range(rate.sizes, 1.0)]
                for name, rate in machine.kernels.items()
            ],
        )


def _range(values: Sequence[float], factor: float) -> str:
    ends = sorted({f"{factor * end:.3g}" for end in (min(values), max(values))}, key=float)
    return " … ".join(ends)
