"""What `phasewise check` asks of a study of gas dynamics."""

from __future__ import annotations

from collections.abc import Sequence

from phasewise.study import Study
from phasewise.study.checking import Checking
from phasewise.workloads.hydro.array_file import check_array_file
from phasewise.workloads.hydro.model import model_of


class HydroChecking(Checking):
    """How studies of it are checked."""

    def check(self, study: Study) -> Sequence[str]:
        """What a file has below the floors; StudyError if its arrays are none of the study's
        grid.
        """
        return check_array_file(model_of(study))
