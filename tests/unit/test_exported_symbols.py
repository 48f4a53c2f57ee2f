"""The functions that objects export, where their other symbols were stripped."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from phasewise.recorder.places import places_of
from phasewise.recorder.raw import Frame
from phasewise.recorder.symbols import exported, functions_at

SOURCE = """
int data[64] = {1};
__attribute__((visibility("hidden"), noinline)) int hidden(int x) { return x * data[x & 63]; }
int first_exported(int x) { return hidden(x) + 1; }
int second_exported(int x) { return hidden(x + 1) - 2; }
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, tuple[int, int]]]:
    """A stripped library, and the address and size of each function, as nm lists them."""
    folder = tmp_path_factory.mktemp("exported")
    (folder / "x.c").write_text(SOURCE)
    path = folder / "libx.so"
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", str(folder / "x.c"), "-o", path], check=True)
    listed = subprocess.run(["nm", "-S", path], check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in listed.splitlines()]
    places = {row[3]: (int(row[0], 16), int(row[1], 16)) for row in rows if len(row) == 4}
    subprocess.run(["strip", path], check=True)
    return path, places


def test_every_address_of_an_exported_function_has_its_name_and_no_other(
    built: tuple[Path, dict[str, tuple[int, int]]],
) -> None:
    path, places = built
    for name in ("first_exported", "second_exported"):
        start, size = places[name]
        assert functions_at(str(path), [start, start + size - 1]) == [name, name]
    start, size = places["hidden"]
    assert functions_at(str(path), [start, start + size - 1, places["data"][0]]) == ["", "", ""]


def test_a_call_site_in_a_stripped_object_is_named_by_what_it_exports(
    built: tuple[Path, dict[str, tuple[int, int]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, places = built
    known = Frame(str(path), places["first_exported"][0], "")
    unknown = Frame(str(path), places["hidden"][0], "")
    for searched in (None, ""):
        if searched is not None:
            monkeypatch.setenv("PATH", searched)  # without binutils
        found = places_of([known, unknown])
        assert found[known].function == "first_exported"
        assert found[unknown].function == f"libx.so+0x{unknown.offset:x}"


@pytest.mark.parametrize("content", [b"", b"text", b"\x7fELF\x02\x01" + b"\xff" * 200])
def test_what_is_no_object_has_no_functions(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "object"
    path.write_bytes(content)
    assert exported(str(path)) is None and functions_at(str(path), [16]) == [""]
