"""Files of gauge fields: published ones, round trips, and files that are damaged."""

from __future__ import annotations

import errno
import json
import os
import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phasewise.cli import main
from phasewise.errors import RunError, StudyError
from phasewise.workloads.qcd.gauge import checksums
from phasewise.workloads.qcd.gauge.files import check_links, open_links
from phasewise.workloads.qcd.gauge.names import BYTE_ORDERS, ROWS, Form, form_of
from phasewise.workloads.qcd.gauge.reading import FORMATS, read_box
from phasewise.workloads.qcd.gauge.writing import write_links
from tests.sentences import one_sentence, refused
from tests.unit.damaged_fields import (
    DAMAGES,
    SIZE,
    Damage,
    field,
    not_special_links,
    values,
    written,
)

pytest.importorskip("phasewise._core", reason="the core is not built")

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "lattice"
published = pytest.mark.skipif(not DATA.is_dir(), reason="the fields lie outside the project")

KINDS = [(name, precision) for name, own in FORMATS.items() for precision in own.PRECISIONS]


def read_and_checked(path: Path) -> Any:
    """The links of a file that a check accepts."""
    stored = open_links(path)
    check_links(stored)
    return stored.read()


@published
@pytest.mark.parametrize(
    ("name", "plaquettes", "sums"),
    [
        # Sums of three planes, by MILC; its last digit.
        ("lat.sample.l4444", (1.794675, 1.774426), ("02352c05", "d137321d")),
        ("lat.sample.l4448", (1.723748, 1.690586), ("13f3b413", "161f7dde")),
        ("lat.sample.l8888", (1.779002, 1.782359), ("4f9d000e", "8d72f72e")),
        ("lat.sample.l4444.ildg", (1.794675, 1.774426), ("37affb9c", "2fc07bbf")),
    ],
)
def test_published_fields_have_their_plaquettes_and_checksums(
    name: str, plaquettes: tuple[float, float], sums: tuple[str, str]
) -> None:
    found = check_links(open_links(DATA / name))
    assert 3 * found["plaquette_space"] == pytest.approx(plaquettes[0], abs=1e-6)
    assert 3 * found["plaquette_time"] == pytest.approx(plaquettes[1], abs=1e-6)
    assert tuple(found["checksums"].values()) == sums


@published
def test_the_weak_field_has_its_loops(capsys: Any) -> None:
    assert main(["gauge", "check", str(DATA / "weak_field.lime"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["format"], found["size"]) == ("ildg", [4, 4, 4, 8])
    assert found["plaquette"] == pytest.approx(0.99480413, abs=1e-8)
    assert found["link_trace"] == pytest.approx(0.37944935, abs=1e-8)
    expected = (0.96658602, 0.96636591, 0.96714628, 0.87876950)
    assert [re for re, _ in found["polyakov"]] == pytest.approx(expected, abs=1e-8)
    assert found["checksums"] == {"suma": "a2c41090", "sumb": "11193c39"}


@published
def test_a_field_of_milc_has_its_checksum_in_the_archives_format() -> None:
    stored = open_links(DATA / "lat.sample.l4448")
    two_rows = stored.words().reshape(-1, 4, 3, 6)[:, :, :2]
    assert checksums.hexadecimal(checksums.nersc(two_rows.reshape(len(two_rows), -1))) == "b3be9b3b"


FORMS = [
    form_of(name, precision, rows, order)
    for name, precision in KINDS
    for rows in ROWS[name]
    for order in BYTE_ORDERS[name]
]


@pytest.mark.parametrize("form", FORMS)
def test_what_is_written_is_read_again(form: Form, tmp_path: Path) -> None:
    links, path = field(), tmp_path / "field"
    stored = write_links(path, form, SIZE, links)
    assert (stored.format, stored.precision, stored.size) == (form.format, form.precision, SIZE)
    assert (stored.rows, stored.big) == (form.rows, form.byte_order == "big")
    again, found = stored.read(), check_links(stored)
    # Half a unit in the last place of numbers below one.
    last = 2**-25 if form.precision == "single" else 0.0
    given = slice(0, form.rows)
    assert np.abs(again - links)[..., given, :, :].max() <= last
    # A third row is a sum of four products of them; of links, it is right to their own rounding.
    assert np.abs(again - links).max() <= 8 * max(last, 2**-53)
    assert found["checksums"] == dict(stored.checksums)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("name", "precision"), KINDS)
def test_checksums_are_put_together_from_parts(name: str, precision: str, tmp_path: Path) -> None:
    links = field()
    stored = write_links(tmp_path / "field", form_of(name, precision), SIZE, links)
    boxes = [((0, y, 0, t), (2, 2, 2, 3)) for y in (0, 2) for t in (0, 3)]
    parts = [read_box(stored, *box).checksums for box in boxes]
    assert FORMATS[name].combined(parts) == read_box(stored).checksums
    whole = stored.read()
    for origin, extents in boxes:
        _, y, _, t = origin
        part = stored.read(origin, extents)
        assert np.array_equal(part, whole[t : t + 3, :, y : y + 2])


def test_milc_files_are_read_and_written_in_either_byte_order(tmp_path: Path) -> None:
    links, path = field(), tmp_path / "field"
    before = write_links(path, form_of("milc"), SIZE, links).read()
    raw = path.read_bytes()
    head = struct.pack("<i4i64siII", *struct.unpack(">i4i64siII", raw[:96]))
    swapped = head + np.frombuffer(raw[96:], ">u4").astype("<u4").tobytes()
    path.write_bytes(swapped)
    again = read_and_checked(path)
    assert np.array_equal(again, before)
    write_links(path, form_of("milc", byte_order="little"), SIZE, links)
    assert path.read_bytes() == swapped


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("rows", [2, 3])
def test_the_archives_files_are_read_and_written_in_either_byte_order_and_with_two_rows(
    rows: int, bits: int, tmp_path: Path
) -> None:
    links, path = field(), tmp_path / "field"
    precision, real = ("single", "f4") if bits == 32 else ("double", "f8")
    write_links(path, form_of("nersc", precision), SIZE, links)
    raw = path.read_bytes()
    end = raw.index(b"END_HEADER\n") + len(b"END_HEADER\n")
    head = raw[:end].replace(f"IEEE{bits}BIG".encode(), f"IEEE{bits}LITTLE".encode())
    data = np.frombuffer(raw[end:], f">{real}").astype(f"<{real}").reshape(-1, 4, 3, 6)[:, :, :rows]
    if rows == 2:
        words = np.ascontiguousarray(data).view("<u4").astype(np.uint32)
        old, new = (
            head.split(b"CHECKSUM = ")[1][:8],
            checksums.nersc(words.reshape(len(data), -1)),
        )
        head = head.replace(b"GAUGE_3x3", b"GAUGE").replace(old, f"{new:08x}".encode())
    by_hand = head + np.ascontiguousarray(data).tobytes()
    path.write_bytes(by_hand)
    again = read_and_checked(path)
    assert np.abs(again - links).max() < (1e-6 if bits == 32 else 1e-14)
    form = form_of("nersc", precision, rows, "little")
    write_links(path, form, SIZE, links)
    assert path.read_bytes() == by_hand


@pytest.mark.parametrize("damage", DAMAGES, ids=[one.name for one in DAMAGES])
def test_a_damaged_file_is_one_sentence(damage: Damage, tmp_path: Path) -> None:
    path = tmp_path / "field"
    damage.write(path)
    with refused(path, *damage.facts):
        check_links(open_links(path))


WORDS = (
    *(b"", b"0", b"-1", b"1e5", b"nan", b"inf", b"4097", b"99999999999999999999", b"=", b"<"),
    *(b"\0", b"\r\n", b"\xff\xfe", b"1_0", b"g" * 300, b"\xff" * 8, b"\x7f" + b"\xff" * 7),
)
"""What may stand in the place of other bytes."""


def mutated(raw: bytes, head: int, random: np.random.Generator) -> bytes:
    """A file with some bytes cut off, changed, replaced, left out or doubled; most in its head."""
    found = raw
    for _ in range(random.integers(1, 4)):
        at = int(random.integers(head if random.random() < 0.8 else len(raw))) % (len(found) + 1)
        kind, length = random.integers(5), int(random.integers(1, 200))
        if kind == 0:
            found = found[:at]
        elif kind == 1:
            found = found[:at] + bytes([random.integers(256)]) + found[at + 1 :]
        elif kind == 2:
            word = WORDS[random.integers(len(WORDS))]
            found = found[:at] + word + found[at + int(random.integers(9)) :]
        elif kind == 3:
            found = found[:at] + found[at + length :]
        else:
            found = found[: at + length] + found[at:]
    return found


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("form", FORMS)
def test_files_of_any_length_and_with_any_bytes_are_one_sentence_or_whole(
    form: Form, tmp_path: Path
) -> None:
    links, path = field(), tmp_path / "field"
    whole = write_links(path, form, SIZE, links)
    raw = path.read_bytes()
    random = np.random.default_rng(11)
    refused = 0
    for _ in range(80):
        path.write_bytes(mutated(raw, whole.offset, random))
        try:
            again = read_and_checked(path)
            assert np.abs(again - links).max() < 1e-6
        except StudyError as error:
            assert str(path) in str(error) and "\n" not in str(error)
            refused += 1
    assert refused > 40


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", ["ildg", "nersc"])
@pytest.mark.parametrize("name", not_special_links())
def test_links_that_are_not_special_unitary_are_refused(
    name: str, kind: str, tmp_path: Path
) -> None:
    (bad, facts), path = not_special_links()[name], tmp_path / "field"
    written(path, form_of(kind, "double"), SIZE, bad, values(field()))
    with refused(path, *facts):
        check_links(open_links(path))


def test_a_pipe_is_no_file_of_links(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero")):
        with refused(path, "folder", "pipe", "device"):
            open_links(path)


@pytest.mark.parametrize("kept", [0, 10**4])
def test_a_file_that_is_cut_short_after_it_was_opened_is_one_sentence(
    kept: int, tmp_path: Path
) -> None:
    links, path = field(), tmp_path / "field"
    stored = write_links(path, form_of("milc"), SIZE, links)
    os.truncate(path, stored.offset + kept)
    for read in (stored.read, stored.words, lambda: check_links(stored)):
        with refused(path, f"byte {stored.offset + kept}"):
            read()
    path.unlink()
    with refused(path, os.strerror(errno.ENOENT)):
        stored.read()


@pytest.mark.filterwarnings("error")
def test_a_signalling_nan_is_one_sentence(tmp_path: Path) -> None:
    links, path = field(), tmp_path / "field"
    stored = write_links(path, form_of("milc", "single"), SIZE, links)
    raw = path.read_bytes()
    path.write_bytes(raw[: stored.offset] + b"\x7f\xa0\0\0" + raw[stored.offset + 4 :])
    with refused(path, "checksums"):
        check_links(open_links(path))


def test_files_are_converted(tmp_path: Path, capsys: Any) -> None:
    links, first = field(), tmp_path / "field.lime"
    write_links(first, form_of("ildg", "double"), SIZE, links)
    for name in ("nersc", "milc"):
        out = tmp_path / name
        assert main(["gauge", "convert", str(first), str(out), "--format", name, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["format"] == name
        assert found["precision"] == ("double" if name == "nersc" else "single")
    words = ["gauge", "convert", str(first), str(first), "--format", "milc"]
    assert main(words) == 2
    one_sentence(capsys.readouterr().err, first)
    words = ["gauge", "convert", str(first), str(tmp_path / "x"), "--format", "milc"]
    assert main([*words, "--precision", "double"]) == 2
    one_sentence(capsys.readouterr().err, "milc", "double precision", "single")
    words = ["gauge", "convert", str(first), str(tmp_path / "y"), "--format"]
    assert main([*words, "ildg", "--byte-order", "little"]) == 2
    one_sentence(capsys.readouterr().err, "ildg", "little", "byte order", "big")
    assert main([*words, "milc", "--rows", "2"]) == 2
    one_sentence(capsys.readouterr().err, "milc", "2 rows", 3)
    assert main([*words, "nersc", "--rows", "2", "--byte-order", "little"]) == 0
    assert b"IEEE64LITTLE" in (tmp_path / "y").read_bytes()[:2000]
    assert main(words[:4]) == 2
    one_sentence(capsys.readouterr().err.splitlines()[-1], "--format", *FORMATS)
    assert main(["gauge", "check"]) == 2


def test_a_conversion_to_a_full_disk_is_one_sentence(tmp_path: Path, capsys: Any) -> None:
    links, first = field(), tmp_path / "field.lime"
    write_links(first, form_of("ildg"), SIZE, links)
    for name in FORMATS:
        assert main(["gauge", "convert", str(first), "/dev/full", "--format", name]) == 1
        one_sentence(capsys.readouterr().err, "/dev/full", "written", "disk", "full")


def test_a_disk_that_refuses_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    links, path = field(), tmp_path / "folder"
    path.mkdir()
    with refused(path, "written", by=RunError):
        write_links(path, form_of("milc", "single"), SIZE, links)


def test_links_of_single_precision_are_converted_to_double(tmp_path: Path) -> None:
    links, first, second = field(), tmp_path / "first", tmp_path / "second"
    write_links(first, form_of("milc"), SIZE, links)
    words = ["gauge", "convert", str(first), str(second), "--precision", "double", "--format"]
    for name in ("ildg", "nersc"):
        assert main([*words, name]) == 0
        again = open_links(second)
        assert again.precision == "double"
        assert np.array_equal(again.read(), open_links(first).read())
    # The third row is made of two of single precision, and has double precision itself.
    write_links(first, form_of("nersc", "single", 2), SIZE, links)
    assert main([*words, "ildg"]) == 0
    assert main(["gauge", "check", str(second)]) == 0


@pytest.mark.parametrize("power", ["e999", "e-999", "e" + 5000 * "9"])
def test_a_plaquette_of_any_power_is_refused_in_one_sentence(
    power: str, tmp_path: Path, capsys: Any
) -> None:
    links, path = field(), tmp_path / "field"
    write_links(path, form_of("nersc"), SIZE, links)
    raw, given = path.read_bytes(), f"PLAQUETTE = 1.5{power}".encode()
    path.write_bytes(re.sub(rb"PLAQUETTE = [-+.e0-9]+", given, raw, count=1))
    assert given + b"\n" in path.read_bytes()
    assert main(["gauge", "check", str(path)]) == 2
    one_sentence(capsys.readouterr().err, path, "plaquette", f"{values(links)['plaquette']:.10g}")


def test_each_value_of_a_header_is_compared_to_its_own_digits(tmp_path: Path, capsys: Any) -> None:
    links, path = field(), tmp_path / "field"
    own = values(links)
    given = {"plaquette": round(own["plaquette"], 4), "link_trace": own["link_trace"] + 1e-6}
    written(path, form_of("nersc"), SIZE, links, given)
    long = f"{given['plaquette']:+.12e}".encode()
    assert path.read_bytes().count(long) == 1
    path.write_bytes(path.read_bytes().replace(long, f"{given['plaquette']:.4f}".encode()))
    assert main(["gauge", "check", str(path)]) == 2
    one_sentence(capsys.readouterr().err, path, "link trace", f"{own['link_trace']:.10g}")


@pytest.mark.parametrize(("digits", "right"), [(4, True), (6, True), (6, False)])
def test_a_header_of_few_digits_is_compared_to_these(
    digits: int, right: bool, tmp_path: Path, capsys: Any
) -> None:
    links, path = field(), tmp_path / "field"
    own = values(links)
    write_links(path, form_of("nersc"), SIZE, links)
    given = own["plaquette"] + (0.0 if right else 2e-6)
    long = f"{own['plaquette']:+.12e}".encode()
    assert path.read_bytes().count(long) == 1
    path.write_bytes(path.read_bytes().replace(long, f"{given:.{digits}f}".encode()))
    assert main(["gauge", "check", str(path)]) == (0 if right else 2)
    if not right:
        one_sentence(capsys.readouterr().err, path, "plaquette", f"{own['plaquette']:.10g}")


def test_a_check_takes_nothing_that_says_how_to_write(tmp_path: Path, capsys: Any) -> None:
    assert main(["gauge", "check", str(tmp_path / "field"), "--byte-order", "big"]) == 2
    one_sentence(capsys.readouterr().err, "gauge check", "--byte-order")
