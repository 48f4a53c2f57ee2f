"""Files of a run that are no files, nested without end, or hold text where numbers stand; and too
little memory: each is one sentence, at once.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from phasewise.address_space import check_address_space
from phasewise.cli import main
from phasewise.errors import RunError
from phasewise.runs.checkpoint import verify
from phasewise.runs.folder import RunFolder
from phasewise.runs.records import RecordsWriter
from phasewise.runs.results import open_results
from phasewise.study import Study, load
from phasewise.tables.files import parse_json
from phasewise.traces.records import read_communication
from phasewise.workloads.common.dumps import read_dump
from tests.sentences import refused
from tests.unit.fake_core import tables

FOLDER_FILES = ["study.toml", "study.json", "communication.json", "records.h5", "tuning.json"]


@pytest.mark.parametrize("name", FOLDER_FILES)
@pytest.mark.parametrize("resume", [False, True])
def test_a_pipe_in_the_folder_of_a_run_is_refused_at_once(
    tmp_path: Path, name: str, resume: bool
) -> None:
    os.mkfifo(tmp_path / name)
    folder = RunFolder(tmp_path)
    with refused(tmp_path / name, "pipe", by=RunError):
        folder.prepare(Study.from_dict(tables()), None, resume)
    folder.release()


def test_readers_of_a_run_refuse_a_pipe_at_once(tmp_path: Path) -> None:
    names = ("communication.json", "records.h5", "turn-1.h5", "study.toml")
    for name in names:
        os.mkfifo(tmp_path / name)
    with refused(tmp_path / "communication.json", "pipe", by=RunError):
        read_communication(tmp_path)
    with refused(tmp_path / "records.h5", "pipe", by=RunError):
        open_results(tmp_path)
    with refused(tmp_path / "turn-1.h5", "pipe", by=RunError):
        read_dump(tmp_path / "turn-1.h5", 1)
    with refused(tmp_path / "study.toml", "pipe"):
        load(tmp_path / "study.toml")
    with pytest.raises(OSError, match="pipe"):
        verify(tmp_path / "turn-1.h5", {})


@pytest.mark.parametrize(
    ("text", "fact"),
    [("[" * 1000 + "]" * 1000, "deep"), ('{"a": "\\ud800"}', "halves"), ('{"a": 1', "delimiter")],
)
def test_json_that_is_no_record_is_one_sentence(tmp_path: Path, text: str, fact: str) -> None:
    path = tmp_path / "communication.json"
    path.write_text(text)
    with refused(path, "damaged", by=RunError) as caught:
        read_communication(tmp_path)
    assert fact in str(caught.value)
    assert parse_json('{"a": "\\ud83d\\ude00"}', "it") == {"a": "\N{GRINNING FACE}"}


def records(tmp_path: Path) -> Path:
    path = tmp_path / "records.h5"
    attributes = {"study": json.dumps(tables()), "derived": "{}"}
    RecordsWriter(path, Study.from_dict(tables()), attributes).close()
    return path


def test_text_where_numbers_stand_in_records_is_one_sentence(tmp_path: Path) -> None:
    path = records(tmp_path)
    with h5py.File(path, "r+") as file:
        del file["luminosity"]
        file["luminosity"] = np.array([b"bright"])
    with open_results(path) as results, refused(path, "luminosity", "numbers", by=RunError):
        results.rows("luminosity")


def test_a_series_that_is_shorter_than_the_turns_is_one_sentence(tmp_path: Path) -> None:
    path = records(tmp_path)
    with h5py.File(path, "r+") as file:
        del file["turn"]
        file["turn"] = np.arange(3)
    with open_results(path) as results, refused(path, "luminosity", 0, "3 turns", by=RunError):
        results.rows("luminosity")


def test_half_a_character_in_records_is_one_sentence(tmp_path: Path) -> None:
    path = records(tmp_path)
    with h5py.File(path, "r+") as file:
        file.attrs["study"] = np.bytes_(json.dumps(tables()).encode().replace(b"small", b"sma\xff"))
    with refused(path, "records", by=RunError):
        open_results(path)


@pytest.mark.parametrize(("threads", "needed"), [("1", 360), ("2", 440)])
def test_too_little_address_space_is_one_sentence_before_a_library_waits_for_it(
    monkeypatch: pytest.MonkeyPatch, threads: str, needed: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(8))
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", threads)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (int(250e6), -1))
    with refused(
        "phasewise predict", f"{needed} MB", "250 MB", "OPENBLAS_NUM_THREADS", by=RunError
    ):
        check_address_space("predict")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (int(needed * 1e6), -1))
    check_address_space("predict")


def test_a_backend_that_matplotlib_does_not_know_keeps_no_command_from_drawing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MPLBACKEND", "no-such-backend")
    with pytest.raises(SystemExit):
        main(["--version"])
    done = subprocess.run([sys.executable, "-c", "import matplotlib"], capture_output=True)
    assert done.returncode == 0, done.stderr
