"""What `phasewise check` asks of a study's workload: the contract `Checking`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from phasewise.errors import StudyError
from phasewise.output import console, print_table
from phasewise.study.study import Study
from phasewise.tables.keys import show as as_toml
from phasewise.workload.interface import Part
from phasewise.workload.table import OneTable


class Shown(Protocol):
    """Something that has tables, and an entry of the JSON."""

    def show(self) -> None: ...
    def to_dict(self) -> dict[str, Any]: ...


class Checking(Part):
    """How a study of a workload is checked and shown."""

    MODULE = "checking"

    def check(self, study: Study) -> Sequence[str]:
        """A sentence for what is probably not meant beyond the study's derived warnings, such as a
        file that differs from the study; StudyError for what a run would refuse.
        """
        return ()

    def entries(self, study: Study) -> dict[str, Any]:
        """What the JSON has beside the study and its derived quantities."""
        return {}

    def simulate_noise(self, study: Study, turns: int, say: Callable[[str], None]) -> Shown:
        """The noise of macroparticles from short runs of so many turns, where a workload has such
        noise; `say` gets sentences on the runs. By default StudyError.
        """
        raise StudyError(
            f"--noise is for a study of bunches of macroparticles alone, and this one is of "
            f"{study.workload.title}"
        )

    def show(self, study: Study) -> None:
        """Print the study in tables; by default the keys of the workload's own tables and of
        [communication], and the model's sentence.
        """
        resolved = study.resolved()
        for name in (*study.workload.tables, "communication"):
            if isinstance(resolved.get(name), dict):
                rows = [[key, as_toml(value)] for key, value in resolved[name].items()]
                print_table(name, ["", "value"], rows)
        if isinstance(study.model, OneTable) and study.model.sentence:
            console().print(study.model.sentence)
