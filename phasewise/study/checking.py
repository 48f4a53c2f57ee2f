"""What `phasewise check` asks of a study's workload: the contract `Checking`."""

from __future__ import annotations

from phasewise.output import console, print_table
from phasewise.study.study import Study
from phasewise.tables.keys import show as as_toml
from phasewise.workload.interface import Part


class Checking(Part):
    """How a study of a workload is checked and shown."""

    MODULE = "checking"

    def check_files(self, study: Study) -> None:
        """StudyError where a file that the study names cannot be used."""

    def show(self, study: Study) -> None:
        """Print the study in tables; by default the keys of the workload's own tables and of
        [communication], and the sentence.
        """
        resolved = study.resolved()
        for name in (*study.workload.tables, "communication"):
            if isinstance(resolved.get(name), dict):
                rows = [[key, as_toml(value)] for key, value in resolved[name].items()]
                print_table(name, ["", "value"], rows)
        if sentence := self.sentence(study):
            console().print(sentence)

    def sentence(self, study: Study) -> str:
        """What follows from the keys, in a sentence below them."""
        return ""
