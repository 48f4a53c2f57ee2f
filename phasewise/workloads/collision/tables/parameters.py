"""The model of two beams as the flat parameters that the driver reads (docs/flat-parameters.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from phasewise.tables.declared import flat_of
from phasewise.workloads.collision.tables.line import elements
from phasewise.workloads.collision.tables.model import Collision


def parameters(model: Collision) -> Iterator[tuple[str, Any]]:
    """Names and values; the elements of the arcs follow from several keys together."""
    for beam in model.beams:
        for name, value in flat_of(beam):
            yield f"beam.{beam.number}.{name}", value
        yield f"beam.{beam.number}.strong", beam.strong
        if beam.arc.momentum_aperture is not None:
            yield f"beam.{beam.number}.momentum_aperture", beam.arc.momentum_aperture
    yield "ip.count", len(model.ips)
    for k, ip in enumerate(model.ips):
        for name, value in flat_of(ip):
            if value is not None:
                yield f"ip.{k + 1}.{name}", value
        if ip.bhabha is not None:
            scattering = (ip.bhabha.least, ip.bhabha.beam_size, ip.bhabha.scale)
            yield f"ip.{k + 1}.bhabha", scattering
        yield f"ip.{k + 1}.separation", ip.separation
        yield f"ip.{k + 1}.separation_ramp", ip.separation_ramp
        for beam in model.beams:
            optics = beam.optics[k]
            for name, value in (*flat_of(optics), ("crab", optics.crab)):
                yield f"ip.{k + 1}.{name}.{beam.number}", value
    yield from _lines(model)
    for name, value in flat_of(model.records):
        yield f"records.{name}", value


def _lines(model: Collision) -> Iterator[tuple[str, Any]]:
    for beam in model.beams:
        for segment in range(1, len(model.ips) + 1):
            line = f"line.{beam.number}.{segment}"
            contents = elements(model, beam, segment)
            yield f"{line}.count", len(contents)
            for k, element in enumerate(contents, 1):
                yield f"{line}.{k}.element", element.name
                for name, value in element.values.items():
                    yield f"{line}.{k}.{name}", value
