"""What `phasewise check` asks of a study of shallow water."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phasewise.output import print_table
from phasewise.study import Study
from phasewise.study.checking import Checking
from phasewise.workloads.sphere.field_file import check_field_file
from phasewise.workloads.sphere.grid import nearest_point
from phasewise.workloads.sphere.model import model_of
from phasewise.workloads.sphere.summary import place_text


class SphereChecking(Checking):
    """How studies of it are checked and shown."""

    def check(self, study: Study) -> Sequence[str]:
        """StudyError if the file of fields is none of the study's grid."""
        check_field_file(model_of(study))
        return ()

    def show(self, study: Study) -> None:
        """Print the keys, what follows from them, and the stations."""
        super().show(study)
        given = model_of(study).records.stations
        points = self.entries(study)["stations"]
        rows = [
            [place_text(place), place_text((round(point[0], 2), round(point[1], 2)))]
            for place, point in zip(given, points, strict=True)
        ]
        if rows:
            print_table("stations", ["station", "its grid point"], rows)

    def entries(self, study: Study) -> dict[str, Any]:
        """`stations`: the grid point of each [degrees]."""
        model = model_of(study)
        grid = (model.latitudes, model.longitudes)
        return {"stations": [list(nearest_point(*grid, one)) for one in model.records.stations]}
