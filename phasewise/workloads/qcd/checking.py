"""What `phasewise check` prints for lattice QCD."""

from __future__ import annotations

from collections.abc import Sequence

from phasewise.output import console, engineering, print_table
from phasewise.study import Study
from phasewise.study.checking import Checking
from phasewise.tables.keys import show as as_toml
from phasewise.workloads.qcd.derived import derive, files_left_out, links_of_size
from phasewise.workloads.qcd.gauge.files import remarks
from phasewise.workloads.qcd.model import TABLES, model_of
from phasewise.workloads.qcd.recording import check_trajectories


class QcdChecking(Checking):
    """How studies of it are checked and shown."""

    def check(self, study: Study) -> Sequence[str]:
        """StudyError if a file of links is not one, or is that of another lattice, or if no
        trajectory counts or is measured.
        """
        check_trajectories(study)
        model = model_of(study)
        files = [links_of_size(path, model.lattice.size) for path in model.gauge.every_file]
        found = [sentence for stored in files for sentence in remarks(stored)]
        left_out = files_left_out(model, study.count)
        return [*found, left_out] if left_out else found

    def show(self, study: Study) -> None:
        """Print the keys, and what follows from them."""
        resolved, derived = study.resolved(), derive(model_of(study))
        for name in (*TABLES, "records", "communication"):
            if name not in resolved:
                continue
            rows = [[key, as_toml(value)] for key, value in resolved[name].items()]
            print_table(name, ["", "value"], rows)
        memory = engineering(derived.memory_bytes, "B")
        mass = "" if derived.bare_mass is None else f", bare mass {derived.bare_mass:.6g}"
        console().print(f"{derived.sites} sites{mass}; about {memory} of memory")
