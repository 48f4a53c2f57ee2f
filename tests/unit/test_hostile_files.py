"""Files that are no files, keys and counts beyond any use: refused at once, in one sentence."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from phasewise.errors import PhasewiseError, RunError, StudyError
from phasewise.study import Study, load
from phasewise.tables.files import parse, read_text
from phasewise.traces.records import read_communication
from tests.sentences import refused
from tests.unit.fake_core import tables
from tests.unit.synthetic_communication import write_communication

SECONDS = 10.0
"""A sentence takes milliseconds; what is bounded no longer takes minutes on a busy machine."""


@pytest.mark.parametrize("kind", ["pipe", "/dev/zero"])
@pytest.mark.parametrize("key", ["map", "layout"])
def test_a_pipe_or_a_device_is_no_map_and_no_layout(tmp_path: Path, kind: str, key: str) -> None:
    path = Path(kind)
    if kind == "pipe":
        path = tmp_path / "pipe"
        os.mkfifo(path)
    plan = tables()
    if key == "map":
        plan["arc"] = {"map": str(path)}
    else:
        plan["communication"] = {"layout": str(path)}
    with refused(path, "pipe", "device"):
        Study.from_dict(plan)


def test_a_study_may_come_through_a_pipe_and_not_without_end() -> None:
    read, write = os.pipe()
    os.write(write, b"title = 'through a pipe'")
    os.close(write)
    assert read_text(Path(f"/dev/fd/{read}"), pipe=True) == "title = 'through a pipe'"
    os.close(read)
    with refused("/dev/zero", "pipe", "device"):
        load("/dev/zero")


@pytest.mark.parametrize(
    "text", ["a" + ".a" * 20_000 + " = 1", "[a" + ' . "a"' * 20_000 + "]", "a.b = {c" + ".c" * 99]
)
def test_a_key_of_very_many_parts_is_refused_at_once(text: str) -> None:
    start = time.monotonic()
    with refused("study.toml", "key", "32 parts"):
        parse(text, "study.toml")
    assert time.monotonic() - start < SECONDS


@pytest.mark.parametrize("text", ["# " + "." * 500, 'title = "a.b"', "x = 1.5", "a" * 100_000])
def test_dots_and_long_words_are_no_such_key(text: str) -> None:
    try:
        parse(text, "study.toml")
    except StudyError as error:
        assert "parts" not in str(error)


def test_control_characters_of_a_key_are_written_out() -> None:
    with pytest.raises(StudyError) as caught:
        Study.from_dict(tables() | {"\x1b[2J\x07": 1})
    assert "\\x1b[2J\\x07" in str(caught.value)
    assert str(caught.value).isprintable()


def changed(content: dict[str, Any], path: tuple[Any, ...], value: Any) -> str:
    place: Any = content
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    return json.dumps(content)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("ranks",), 10**12),
        (("turns",), 10**30),
        (("seconds",), 1e400),
        (("rank", 0, "events"), 2**62),
        (("rank", 0, "events"), -1),
        (("rank", 0, "dropped_events"), 2**62),
        (("rank", 0, "phases", "reduce_column", "messages"), 2**62),
        (("rank", 0, "phases", "reduce_column", "bytes"), -5),
        (("rank", 0, "phases", "reduce_column", "sent_to"), {"1": [2**62, 2**62]}),
    ],
)
def test_counts_of_a_record_beyond_any_run_are_refused_at_once(
    tmp_path: Path, path: tuple[Any, ...], value: Any
) -> None:
    write_communication(tmp_path)
    file = tmp_path / "communication.json"
    file.write_text(changed(json.loads(file.read_text()), path, value))
    start = time.monotonic()
    with refused(file, "damaged", by=RunError) as caught:
        read_communication(tmp_path)
    assert time.monotonic() - start < SECONDS
    assert isinstance(caught.value, PhasewiseError)
