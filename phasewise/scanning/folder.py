"""The folder of a scan: its definition, its study, the runs of its points, and how far each is.

`scan.json` (the definition), `study.toml`, `points/<number>/` (each a run's folder, with
`failure.json` where the run failed), `table.csv` and `pictures/`: docs/scans.md.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from phasewise.errors import RunError, StudyError
from phasewise.runs.checkpoint import find_checkpoints
from phasewise.runs.disk import disk_reason
from phasewise.runs.folder import RunFolder
from phasewise.runs.kept import keep_text, read_kept
from phasewise.runs.lock import Lock
from phasewise.scanning.definition import Definition, Point
from phasewise.study import Study, load
from phasewise.tables.keys import leaves, plain, show
from phasewise.tables.writing import document

DEFINITION_FILE, STUDY_FILE = "scan.json", "study.toml"
FAILURE_FILE = "failure.json"
COMPLETE, FAILED, UNFINISHED, WAITING = "complete", "failed", "unfinished", "waiting"
"""The statuses of a point: an unfinished run can go on, a waiting one has not begun."""


@dataclass(frozen=True)
class State:
    """How far a point is: its status, why it failed, and the summary of its run."""

    status: str
    why: str = ""
    summary: dict[str, Any] = field(default_factory=dict)
    resumed: bool = False
    """Whether the run that failed had gone on from a checkpoint."""


class ScanFolder:
    """Paths and contents of the folder of a scan."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: Lock | None = None

    def run_folder(self, point: Point) -> Path:
        """The folder of a point's run."""
        return self.path / "points" / f"{point.number:04d}"

    @property
    def study(self) -> Path:
        """The study of all points, with its overrides."""
        return self.path / STUDY_FILE

    def prepare(self, definition: Definition, part: tuple[int, int]) -> None:
        """Make the folder with the definition in it, and lock this part of it.

        StudyError if it holds another scan, or something else; RunError if it cannot be used, or if
        another process works on this part.
        """
        try:
            self._check(definition)
            lock = Lock(self.path / f".lock-{part[0]}-of-{part[1]}")
            if not lock.take():
                raise RunError(f"another scan is writing to {self.path}; wait for it, or end it")
            self._lock = lock
            self._keep(definition)
        except OSError as error:
            raise self.unusable(error) from error

    def release(self) -> None:
        """Release the lock, so that the next scan can use the folder."""
        if self._lock is not None:
            self._lock.release()

    def unusable(self, error: OSError) -> RunError:
        """The error in a sentence."""
        return RunError(f"the folder {self.path} cannot be used ({disk_reason(error)})")

    def _check(self, definition: Definition) -> None:
        path = self.path / DEFINITION_FILE
        if not path.exists():
            others = self.path.iterdir() if self.path.exists() else ()
            if found := next((one.name for one in others if not one.name.startswith(".")), None):
                raise StudyError(
                    f"{self.path} is not the folder of a scan, since it holds {found}; choose "
                    "another --out"
                )
            return
        try:
            there = read_kept(path)
            differing = _differing(there, _as_json(definition))
        except (ValueError, AttributeError, TypeError):
            raise StudyError(f"{path} is damaged; choose another --out") from None
        if differing:
            raise StudyError(
                f"{self.path} holds another scan, which differs in {differing}; choose another "
                "--out, or remove that folder"
            )

    def _keep(self, definition: Definition) -> None:
        keep_text(self.study, document(_plain(definition.study.given)))
        path = self.path / DEFINITION_FILE
        if not path.exists():
            text = json.dumps(_as_json(definition), indent=2, ensure_ascii=False)
            keep_text(path, text + "\n")

    def holds_study(self, study: Study) -> bool:
        """Whether the study in this folder is the same one; a study with relative paths may not
        count as it.
        """
        with suppress(StudyError):
            return load(self.study).resolved() == study.resolved()
        return False

    def state(self, point: Point) -> State:
        """How far a point is."""
        run = RunFolder(self.run_folder(point))
        with suppress(OSError, ValueError):
            summary = read_kept(run.path / "summary.json")
            if isinstance(summary, dict):
                return State(COMPLETE, summary=summary)
        with suppress(OSError, ValueError, KeyError, TypeError):
            failure = read_kept(run.path / FAILURE_FILE)
            return State(FAILED, str(failure["why"]), resumed=bool(failure["resumed"]))
        return State(UNFINISHED if run.records.exists() else WAITING)

    def device(self, point: Point) -> str:
        """The device on which the kernels of a point's run ran; empty if it is unknown."""
        path = self.run_folder(point) / "performance.json"
        try:
            told = json.loads(path.read_text())
        except (OSError, ValueError):
            return ""
        return str(told["device"]) if isinstance(told, dict) and "device" in told else ""

    def fail(self, point: Point, why: str, resumed: bool = False) -> None:
        """Keep why a point failed, as far as the disk lets it."""
        with suppress(OSError):
            text = json.dumps({"why": why, "resumed": resumed}, ensure_ascii=False)
            keep_text(self.run_folder(point) / FAILURE_FILE, text + "\n")

    def ready(self, point: Point) -> bool:
        """Make a point's folder ready for its run; returns whether the run goes on from a
        checkpoint.

        Files of a run that nobody can resume are removed. RunError if another run is still going on
        there.
        """
        state = self.state(point)
        run = RunFolder(self.run_folder(point))
        resume = bool(find_checkpoints(run.checkpoints)) and not state.resumed
        if resume:
            run.tidy()
        elif run.records.exists():
            run.discard()
        with suppress(OSError):
            (run.path / FAILURE_FILE).unlink(missing_ok=True)
        return resume


def _plain(entry: Any) -> Any:
    """Tables as given, with NumPy's values as Python's own."""
    if isinstance(entry, dict):
        return {str(key): _plain(value) for key, value in entry.items() if value is not None}
    return str(entry) if isinstance(entry, Path) else plain(entry)


def _as_json(definition: Definition) -> dict[str, Any]:
    """The definition as it is read again from JSON, with lists for tuples."""
    found: dict[str, Any] = json.loads(json.dumps(definition.to_dict()))
    return found


def _differing(there: dict[str, Any], here: dict[str, Any]) -> str:
    """What two definitions differ in, in words; empty if they are the same."""
    for name in ("format", "samples", "seeds"):
        if there.get(name) != here[name]:
            return f"{name} ({_shown(there.get(name))} there, {_shown(here[name])} here)"
    if there["over"] != here["over"]:
        named = {entry["key"]: entry for entry in there["over"]}
        for entry in here["over"]:
            if named.get(entry["key"]) != entry:
                return f"--over {entry['key']}"
        return "--over " + ", ".join(named)
    one, other = dict(leaves(there["study"])), dict(leaves(here["study"]))
    for name in [*other, *one]:
        if one.get(name) != other.get(name):
            values = f"{_shown(one.get(name))} there, {_shown(other.get(name))} here"
            return f"the study's {name} ({values})"
    return ""


def _shown(value: Any) -> str:
    return "none" if value is None else show(value)
