"""The ways to sum over latitudes that a tuner compares: each transpose, and each distributed sum by
each protocol, in several numbers of blocks.
"""

from __future__ import annotations

from typing import Any

from phasewise.errors import StudyError
from phasewise.machines import Machine
from phasewise.runs.choosing import Choosing
from phasewise.study import Study
from phasewise.tuning.candidates import PlainCandidate, Tuning, node_levels
from phasewise.workloads.sphere.communication import PLAIN, TRANSPOSE


class SphereTuning(Tuning):
    """What tuners compare."""

    def candidates(self, study: Study, ranks: int, machine: Machine) -> list[PlainCandidate]:
        """Candidates that are distinct and valid; StudyError if none suits the ranks."""
        choices = study.workload.part(Choosing).choices(study.model, ranks)
        usual = {name: getattr(study.communication, name) for name in choices}
        if usual["protocol"] not in choices["protocol"]:
            usual["protocol"] = choices["protocol"][0]
        levels = node_levels(machine, ranks)
        tables = [
            usual | {"legendre": TRANSPOSE, "transpose": name} for name in choices["transpose"]
        ]
        for legendre in choices["legendre"]:
            if legendre == TRANSPOSE or (legendre == "node-aware" and not levels):
                continue
            own = usual | {"legendre": legendre}
            tables += [own | {"protocol": name} for name in choices["protocol"]]
            tables += [own | {"blocks": blocks} for blocks in choices["blocks"]]
        if study.communication.algorithms()["sums"] == PLAIN:
            # With plain sums another algorithm would change the bits.
            tables = [one for one in tables if one["legendre"] == usual["legendre"]]
        found = dict.fromkeys(PlainCandidate(tuple(table.items())) for table in tables)
        valid = [one for one in found if _suits(one, study, ranks)]
        if not valid:
            study.check_ranks(ranks)
            raise StudyError(f"none of the ways to exchange suits {ranks} ranks")
        return valid


def _suits(candidate: Any, study: Study, ranks: int) -> bool:
    try:
        candidate.apply(study).check_ranks(ranks)
    except StudyError:
        return False
    return True
