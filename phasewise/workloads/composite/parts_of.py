"""The studies and the records of the parts of a study of several workloads."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, cast

from phasewise.study import Study
from phasewise.workloads.composite.communication import CompositeCommunication
from phasewise.workloads.composite.workload import Composite, ring_of


def workload_of(study: Study) -> Composite:
    """The workload of a study of several."""
    return ring_of(study.workload)


def part_of(study: Study, name: str) -> Study:
    """The study of one part, as if it stood alone."""
    workload = workload_of(study)
    own = cast(CompositeCommunication, study.communication)
    return dataclasses.replace(
        study,
        workload=workload.ring[name],
        model=study.model.parts[name],
        communication=own.parts[name],
    )


def parts_of(study: Study) -> Iterator[tuple[str, Study]]:
    """The studies of all parts, in the order of the ring."""
    return ((name, part_of(study, name)) for name in workload_of(study).ring)


def own_entries(name: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """What a part has in a record of all parts, under its own names."""
    begin = f"{name}/"
    return {key[len(begin) :]: value for key, value in record.items() if key.startswith(begin)}


def prefixed(name: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """What a part has, under the names of all parts."""
    return {f"{name}/{key}": value for key, value in record.items()}
