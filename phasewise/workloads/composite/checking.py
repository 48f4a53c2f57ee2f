"""What `phasewise check` prints of several workloads: what it prints of each."""

from __future__ import annotations

from phasewise.output import console
from phasewise.study import Study
from phasewise.workloads.composite.parts import parts_of


def check_files(study: Study) -> None:
    """StudyError if a file that a part needs is missing."""
    for _, own in parts_of(study):
        own.workload.offers("checking", "check_files", _nothing)(own)


def show(study: Study) -> None:
    """The tables of each part."""
    for name, own in parts_of(study):
        console().print(name)
        own.workload.offers("checking", "show", _nothing)(own)


def _nothing(_study: Study) -> None:
    """It shows nothing of its own."""
