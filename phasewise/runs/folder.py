"""The folder of a run: which files it has, and the lock with which only one run writes to it."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from phasewise.errors import RunError
from phasewise.output import message
from phasewise.runs.disk import disk_reason, is_special, replace_text
from phasewise.runs.lock import Lock
from phasewise.study import Study
from phasewise.study.replaying import replaying
from phasewise.tables.files import special
from phasewise.workload.discovery import workloads
from phasewise.workload.interface import Workload

LOCK_FILE = ".lock"
RECORD_FILE = "communication.json"
EVENT_FILE = "events.bin"
TUNING_FILE = "tuning.json"
"""The file that says which ways to exchange a run tried, and which one it chose
(docs/records.md).
"""

RECORDING_FILE, TRACE_FOLDER = "recording.json", "recording"
"""What the recorder of other programs leaves: its summary, and the folder of the ranks' files
(docs/record.md).
"""

REPLACED = (
    *("study.toml", "study.json", "performance.json", "summary.json"),
    *(RECORD_FILE, EVENT_FILE, TUNING_FILE, RECORDING_FILE),
)
"""Files of a run that are written under another name first and then renamed."""
DYING_SECONDS = 5.0
"""Seconds for which a killed rank may still hold its lock after mpiexec has ended."""


class RunFolder:
    """Paths of a run's files. Rank 0 alone calls `prepare` and `release`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock(path / LOCK_FILE)

    @property
    def records(self) -> Path:
        """Turn-by-turn records."""
        return self.path / "records.h5"

    @property
    def checkpoints(self) -> Path:
        """Folder of the checkpoints."""
        return self.path / "checkpoint"

    def dumps(self, workload: Workload) -> Path:
        """Folder of a workload's dumps."""
        return self.path / workload.dump_folder

    def prepare(self, study: Study, source: Path | None, resume: bool) -> None:
        """Make the folder, lock it, move an earlier run in it aside, and write the study into it.

        With `resume`, the earlier run stays, and the study is written later (`keep_study`).
        RunError if the folder cannot be used, if another run is writing to it, or if it holds the
        record that the study replays.
        """
        self._check_record(study)
        try:
            if resume and not self.path.is_dir():
                raise RunError(
                    f"there is no run in {self.path} to go on from; run without --resume"
                )
            self._take_lock()
            self._check_files()
            self._drop_halves()
            recorded = (self.path / RECORDING_FILE).exists()
            if not resume and (recorded or self.records.exists()):
                self._move_aside(source)
        except OSError as error:
            raise RunError(
                f"the folder {self.path} cannot be used ({disk_reason(error)})"
            ) from error
        if not resume:
            self.keep_study(study, source)

    def _check_record(self, study: Study) -> None:
        own = replaying(study)
        record = None if own is None else own.folder(study.model)
        if record is not None and record.resolve() == self.path.resolve():
            raise RunError(f"{self.path} holds the record that is replayed: give another folder")

    def claim(self) -> None:
        """Make the folder and lock it for what has no study, and move an earlier run in it aside.

        RunError if the folder cannot be used, or another run is writing to it.
        """
        try:
            self._take_lock()
            self._check_files()
            self._drop_halves()
            if any((self.path / name).exists() for name in _kept()):
                self._move_aside(None)
        except OSError as error:
            raise RunError(
                f"the folder {self.path} cannot be used ({disk_reason(error)})"
            ) from error

    def keep_study(self, study: Study, source: Path | None) -> None:
        """Write the study as given and as resolved; when a run is resumed, this comes after the
        study was accepted.
        """
        try:
            pipe = source is not None and is_special(source)  # its text has been read
            if source is not None and not pipe and not _same(source, self.path / "study.toml"):
                replace_text(self.path / "study.toml", source.read_text(encoding="utf-8"))
        except OSError as error:
            raise RunError(
                f"{self.path / 'study.toml'} cannot be written ({disk_reason(error)})"
            ) from error
        self.write_json("study.json", study.resolved())

    def write_json(self, name: str, value: Any) -> None:
        """Write a JSON file into the folder, whole or not at all."""
        try:
            replace_text(self.path / name, json.dumps(value, indent=2, ensure_ascii=False) + "\n")
        except OSError as error:
            raise RunError(
                f"{self.path / name} cannot be written ({disk_reason(error)})"
            ) from error

    def release(self) -> None:
        """Release the lock, so that the next run can use the folder."""
        self._lock.release()

    def tidy(self) -> None:
        """Remove the half-written files of a run whose ranks are all dead; nothing else."""
        if not (self.path / LOCK_FILE).exists():
            return  # the run did not get as far as this
        with suppress(OSError, RunError):
            self._take_lock(DYING_SECONDS)
            self._drop_halves()
        self.release()

    def discard(self) -> None:
        """Remove the files of a run that nobody will resume; RunError while it is still running."""
        try:
            self._take_lock(DYING_SECONDS)
            self._drop_halves()
            for name in _kept():
                here = self.path / name
                if here.is_dir():
                    shutil.rmtree(here)
                else:
                    here.unlink(missing_ok=True)
        except OSError as error:
            raise RunError(
                f"the folder {self.path} cannot be used ({disk_reason(error)})"
            ) from error
        finally:
            self.release()

    def _take_lock(self, patience: float = 0.0) -> None:
        """RunError if another process still holds the lock after `patience` seconds."""
        if not self._lock.take(patience):
            raise RunError(f"another run is writing to {self.path}; choose another --out")

    def _check_files(self) -> None:
        """RunError if one of the run's files is a pipe, which has no other end, or a device."""
        for path in (self.path / name for name in _kept()):
            if path.exists() and (what := special(path)):
                raise RunError(f"{path} {what}")

    def _drop_halves(self) -> None:
        """Remove what a run that was killed had written under another name and not yet renamed."""
        halves = [self.path / f"{name}.partial" for name in REPLACED]
        for folder in ("checkpoint", *_dump_folders()):
            halves += (self.path / folder).glob("*.partial")
        for half in halves:
            half.unlink(missing_ok=True)

    def _move_aside(self, source: Path | None) -> None:
        """Move an earlier run's files into a folder beside this one; none of them is overwritten.

        This folder stays, with its lock and with files that belong to no run. The `source` of the
        study is copied instead of moved.
        """
        named = self.path.name not in ("", "..") and not self.path.is_symlink()
        place = self.path if named else self.path.resolve()
        number = 1
        while (aside := Path(f"{place}.{number}")).exists():
            number += 1
        aside.mkdir()
        for name in _kept():
            here = self.path / name
            if source is not None and _same(source, here):
                shutil.copy2(here, aside / name)
            elif here.exists() or here.is_symlink():
                here.rename(aside / name)
        message(f"phasewise: the earlier run in {self.path} was moved to {aside}")


def _kept() -> tuple[str, ...]:
    """The files and folders of a run, which are moved together. The records come last, because a
    folder with records counts as a run's.
    """
    own = ("pictures", "report.html", *REPLACED, "records.h5")
    return ("checkpoint", TRACE_FOLDER, *_dump_folders(), *own)


def _dump_folders() -> list[str]:
    """The dump folders of all workloads, because an earlier run may have had another workload."""
    return [own.dump_folder for own in workloads().values() if own.dump_folder]


def _same(one: Path, other: Path) -> bool:
    """Whether both paths lead to the same file, and it exists."""
    return one.exists() and other.exists() and one.samefile(other)


def default_name(study: Path) -> str:
    """The name of a run's folder: that of the study's file, or that of the study's folder if the
    file is study.toml.
    """
    return study.resolve().parent.name if study.stem == "study" else study.stem
