"""What `phasewise check` prints of several workloads: what it prints of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phasewise.output import console
from phasewise.study import Study
from phasewise.study.checking import Checking
from phasewise.workloads.composite.parts_of import parts_of


class CompositeChecking(Checking):
    """Each part in turn."""

    def check(self, study: Study) -> Sequence[str]:
        return [
            sentence
            for _, own in parts_of(study)
            for sentence in own.workload.part(Checking).check(own)
        ]

    def entries(self, study: Study) -> dict[str, Any]:
        found = {name: own.workload.part(Checking).entries(own) for name, own in parts_of(study)}
        return {name: entries for name, entries in found.items() if entries}

    def show(self, study: Study) -> None:
        for name, own in parts_of(study):
            console().print(name)
            own.workload.part(Checking).show(own)
