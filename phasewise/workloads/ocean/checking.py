"""What `phasewise check` asks of a study of an ocean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from phasewise.output import console
from phasewise.study import Study
from phasewise.study.checking import Checking
from phasewise.workloads.ocean.communication import OceanCommunication
from phasewise.workloads.ocean.driver import check_blocks, map_of
from phasewise.workloads.ocean.initial_file import check_initial_file
from phasewise.workloads.ocean.mask_file import check_mask_file
from phasewise.workloads.ocean.model import model_of
from phasewise.workloads.ocean.stability import check_timestep, limits_of, rounded_down

FEW_CELLS = 1000
"""A sea of fewer cells may have none that water flows to; the map tells."""


class OceanChecking(Checking):
    """How studies of it are checked and shown."""

    def check(self, study: Study) -> Sequence[str]:
        """StudyError if the timestep is beyond stability, the blocks of evp are too large, the mask
        or the fields of a file are none of the study's grid, no sea is left, or the solver cannot
        share exchanges.
        """
        model, ways = model_of(study), study.communication
        assert isinstance(ways, OceanCommunication)
        ways.check_model(model)
        check_mask_file(model)
        check_initial_file(model)
        check_timestep(model, limits_of(study))
        check_blocks(study)
        if model.sea is not None and model.sea * model.columns < FEW_CELLS:
            map_of(study.parameters(), 1)
        return ()

    def entries(self, study: Study) -> dict[str, Any]:
        """`largest_timestep`: by each of its causes [s], null where there is none."""
        limits = limits_of(study)
        return {
            "largest_timestep": {
                cause: None if math.isinf(limit) else limit for cause, limit in limits.items()
            }
        }

    def show(self, study: Study) -> None:
        """Print the keys, what follows from them, and how long a timestep may be."""
        super().show(study)
        limits = {cause: one for cause, one in limits_of(study).items() if not math.isinf(one)}
        if limits:
            words = ", ".join(f"{rounded_down(one):g} s by {name}" for name, one in limits.items())
            console().print(f"Largest stable timesteps: {words}.", soft_wrap=True)
