"""The time of a turn of many studies on a simulated machine: one run of smpirun times them all,
from starts that the ranks agree upon, as on real ranks.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from phasewise.errors import RunError, StudyError
from phasewise.machines import make_twin
from phasewise.machines.overhead import check_overhead
from phasewise.machines.smpirun import simulate_driver
from phasewise.scratch import temporary_folder
from phasewise.simulated.simulate import Request, flat_parameters
from phasewise.study import Study
from phasewise.study.laboratory import check_simulated

TIMES = "times.jsonl"


@dataclass(frozen=True)
class SimulatedTime:
    """Seconds of a turn; missed: whether a rank came after the agreed start."""

    seconds: float
    missed: bool


def time_simulated(studies: Sequence[Study], request: Request) -> list[SimulatedTime]:
    """The times of a turn of each study. StudyError if study, machine and ranks do not fit,
    RunError if SimGrid is missing or fails; both name the study that was under way.
    """
    for study in studies:
        study.check_ranks(request.ranks)
        check_simulated(study, request.skeleton)
        check_overhead(request.machine, study.communication)
    twin = make_twin(request.machine, request.twin, request.ranks)
    with temporary_folder("times") as name:
        folder = Path(name)
        files = [f"{index}.txt" for index in range(len(studies))]
        for file, study in zip(files, studies, strict=True):
            (folder / file).write_text(flat_parameters(study, request), encoding="utf-8")
        try:
            simulate_driver(twin, "".join(f"{file}\n" for file in files), folder, "--times")
        except (RunError, StudyError) as error:
            done = len(_times(folder / TIMES))
            named = f"{_name(studies[done])}: " if done < len(studies) else ""
            raise type(error)(f"{named}{error}") from None
        found = _times(folder / TIMES)
    if len(found) != len(studies):
        raise RunError(f"the simulation timed {len(found)} of {len(studies)} studies")
    return found


def _times(path: Path) -> list[SimulatedTime]:
    """What the driver has written."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    lines = [json.loads(line) for line in text.splitlines()]
    return [SimulatedTime(float(line["seconds"]), bool(line["missed"])) for line in lines]


def _name(study: Study) -> str:
    """The study in words."""
    own = study.resolved()[study.workload.name]
    return ", ".join(f"{key} {value}" for key, value in (own | _algorithms(study)).items())


def _algorithms(study: Study) -> dict[str, str]:
    return dict(study.communication.algorithms())
