"""``phasewise machine list`` and ``phasewise machine show``: the machines that phasewise knows, and
what a machine's file says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phasewise.machines.machine import Machine, load_machine, machine_names
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
    found = facts(machine)
    if as_json:
        print_json(found)
        return
    rows = [[_label(key), _text(value)] for key, value in found.items() if key != "title"]
    print_table(machine.title, ["", "value"], [row for row in rows if row[1]])
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


def facts(machine: Machine) -> dict[str, Any]:
    """What the JSON of both commands has of a machine; times in s, rates in B/s and flop/s."""
    network, memory = machine.network, machine.memory
    return {
        "name": machine.name,
        "title": machine.title,
        "source": " ".join(machine.source.split()),
        "reference": machine.measured.reference if machine.measured else "described",
        "ranks_per_node": machine.node_ranks,
        "nodes": machine.nodes,
        "flops": machine.processor.flops,
        "peak": machine.processor.peak,
        "memory_bandwidth": machine.processor.bandwidth,
        "network": network.kind,
        "network_latency": network.latency,
        "flow_bandwidth": network.flow_bandwidth,
        "adapter_bandwidth": network.adapter_bandwidth,
        "link_bandwidth": network.link_bandwidth,
        "node_latency": memory.latency if memory else None,
        "node_bandwidth": memory.bandwidth if memory else None,
        "eager": machine.protocol.eager,
        "curves": [curve.name for curve in machine.curves],
        "kernels": sorted(machine.kernels),
        "device": machine.device.kind if machine.device else None,
    }


UNITS = {"flops": "flop/s", "peak": "flop/s", "latency": "s", "bandwidth": "B/s", "eager": "B"}
"""Units of the facts, by the last word of their names."""


def _label(key: str) -> str:
    unit = UNITS.get(key.rpartition("_")[2])
    return key.replace("_", " ") + (f" [{unit}]" if unit else "")


def _range(values: Sequence[float], factor: float) -> str:
    ends = sorted({f"{factor * end:.3g}" for end in (min(values), max(values))}, key=float)
    return " … ".join(ends)


def _text(value: Any) -> str:
    if value is None or value in ("", []):
        return ""
    if isinstance(value, list):
        return f"{len(value)}"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
