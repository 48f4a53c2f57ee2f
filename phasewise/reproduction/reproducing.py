"""What `phasewise reproduce` asks of a workload: the contract `Reproducing`."""

from __future__ import annotations

from pathlib import Path

from phasewise.errors import StudyError
from phasewise.reproduction.claim import Reproduction
from phasewise.reproduction.source import Chapter, Source
from phasewise.workload.interface import Part


class Reproducing(Part):
    """A source whose tables, figures and claims a workload regenerates, or a chapter of one."""

    MODULE = "reproducing"
    SOURCE: str = ""
    """The name of a source that it reproduces by itself."""
    CHAPTER_OF: Source | None = None
    """A source of which it has a chapter, beside those of other workloads."""

    def reproduce(self, out: Path, quick: bool, workers: int) -> Reproduction:
        """Regenerate SOURCE."""
        raise StudyError(f'"{self.workload.name}" reproduces no source by itself')

    def chapter(self, out: Path, quick: bool, workers: int) -> Chapter:
        """Regenerate the workload's chapter of the source CHAPTER_OF."""
        raise StudyError(f'"{self.workload.name}" has no chapter of a source')
