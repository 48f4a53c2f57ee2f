"""What `phasewise check` asks of a study of an ocean."""

from __future__ import annotations

from collections.abc import Sequence

from phasewise.study import Study
from phasewise.study.checking import Checking
from phasewise.workloads.ocean.communication import OceanCommunication
from phasewise.workloads.ocean.initial_file import check_initial_file
from phasewise.workloads.ocean.mask_file import check_mask_file
from phasewise.workloads.ocean.model import model_of


class OceanChecking(Checking):
    """How studies of it are checked."""

    def check(self, study: Study) -> Sequence[str]:
        """StudyError if the mask or the fields of a file are none of the study's grid, or if the
        solver cannot share exchanges.
        """
        model, ways = model_of(study), study.communication
        assert isinstance(ways, OceanCommunication)
        ways.check_model(model)
        check_mask_file(model)
        check_initial_file(model)
        return ()
