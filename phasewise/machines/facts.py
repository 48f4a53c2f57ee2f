"""The main rates of a `Machine`, which shows itself by them, as JSON and tables have them."""

from __future__ import annotations

from typing import Any

UNITS = {"flops": "flop/s", "peak": "flop/s", "latency": "s", "bandwidth": "B/s", "eager": "B"}
"""Units of the facts, by the last word of their names."""


def facts(machine: Any) -> dict[str, Any]:
    """What the JSON of `machine list` and `machine show` has of each machine; times in s, rates in
    B/s and flop/s.
    """
    network, memory, sockets = machine.network, machine.memory, machine.sockets
    return {
        "name": machine.name,
        "title": machine.title,
        "source": " ".join(machine.source.split()),
        "reference": machine.measured.reference if machine.measured else "described",
        "ranks_per_node": machine.node_ranks,
        "sockets_per_node": machine.socket_count,
        "adapters_per_node": network.adapters if network.adapter_bandwidth else None,
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
        "node_bandwidth": machine.socket_count * memory.bandwidth if memory else None,
        "socket_bandwidth": memory.bandwidth if memory and sockets else None,
        "socket_link_latency": sockets.latency if sockets else None,
        "socket_link_bandwidth": sockets.bandwidth if sockets else None,
        "eager": machine.protocol.eager,
        "curves": [curve.name for curve in machine.curves],
        "kernels": sorted(machine.kernels),
        "device": machine.device.kind if machine.device else None,
        "uncertain": machine.uncertain,
    }


def rows_of(machine: Any) -> list[list[str]]:
    """The facts with units, as rows of a table; those that are unknown are left out."""
    rows = [[_label(key), _text(value)] for key, value in facts(machine).items() if key != "title"]
    return [row for row in rows if row[1]]


def _label(key: str) -> str:
    unit = UNITS.get(key.rpartition("_")[2])
    return key.replace("_", " ") + (f" [{unit}]" if unit else "")


def _text(value: Any) -> str:
    if value is None or value in ("", []):
        return ""
    if isinstance(value, list):
        return f"{len(value)}"
    if isinstance(value, dict):
        return ", ".join(f"{name} ± {100 * part:g} %" for name, part in value.items())
    return f"{value:.6g}" if isinstance(value, float) else str(value)
