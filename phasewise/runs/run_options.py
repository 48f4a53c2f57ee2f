"""How a study is run: what `phasewise.run` takes beside the study."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from phasewise.driver import Core
from phasewise.mpi.progress import Progress

if TYPE_CHECKING:
    from phasewise.runs.simulation import Simulation


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The arguments of `phasewise.tuning.running.run`, which describes them."""

    out: str | Path | None = None
    threads: int = 1
    resume: bool = False
    callback: Callable[[Simulation], None] | None = None
    progress: Progress | bool | None = None
    source: Path | None = None
    core: Core | None = None
    events: int = 0
