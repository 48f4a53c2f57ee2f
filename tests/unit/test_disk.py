"""Files that are written whole or not at all, and what stands in their place: links, devices."""

from __future__ import annotations

import errno
import os
import stat
import threading
from pathlib import Path

import pytest

from phasewise.runs.disk import is_special, replace_text, replacing


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    replace_text(path, "first")
    with pytest.raises(RuntimeError), replacing(path) as file:
        file.write(b"half")
        raise RuntimeError
    assert path.read_text() == "first"
    replace_text(path, "σ")
    assert path.read_text(encoding="utf-8") == "σ"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.txt"]


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    there, link = tmp_path / "below" / "there.txt", tmp_path / "link.txt"
    link.symlink_to(Path("below") / "there.txt")
    for text in ("made", "replaced"):
        replace_text(link, text)
        assert link.is_symlink()
        assert there.read_text() == text


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        read: list[str] = []
        reader = threading.Thread(target=lambda taken=read: taken.append(pipe.read_text()))
        reader.start()
        replace_text(path, "text")
        reader.join()
        assert read == ["text"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert link.is_symlink()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["link", "pipe"]


def test_a_device_is_written_to_and_stays(tmp_path: Path) -> None:
    # A link to the device, as root, who runs the tests in a container, could replace it.
    device = tmp_path / "null"
    device.symlink_to(os.devnull)
    assert is_special(device)
    replace_text(device, "text")
    assert device.is_symlink()
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    full = tmp_path / "full"
    full.symlink_to("/dev/full")
    with pytest.raises(OSError) as caught:
        replace_text(full, "text")
    assert caught.value.errno == errno.ENOSPC
