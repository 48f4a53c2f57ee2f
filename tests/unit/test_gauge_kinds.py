"""Files of links as other programs write them: read where they are unambiguous, with what was not
verified named.
"""

from __future__ import annotations

import json
import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phasewise.cli import main
from phasewise.workloads.qcd.gauge.files import check_links, open_links
from phasewise.workloads.qcd.gauge.names import form_of
from phasewise.workloads.qcd.gauge.reading import FORMATS, loop_means, read_box
from phasewise.workloads.qcd.gauge.stored import empty_links
from phasewise.workloads.qcd.gauge.writing import write_links
from tests.sentences import one_sentence, refused
from tests.unit.damaged_fields import SIZE, field, values, written

pytest.importorskip("phasewise._core", reason="the core is not built")

REPORTS = Path(__file__).resolve().parents[3] / "shared" / "data" / "reports"
LATTICES = REPORTS.parent / "lattice"
published = pytest.mark.skipif(not REPORTS.is_dir(), reason="the files lie outside the project")
BEGIN, END = 0x8000, 0x4000
Packed = tuple[str, bytes, int]


def records(raw: bytes) -> list[Packed]:
    """The records of a LIME file: kind, data, flags."""
    found, at = [], 0
    while at < len(raw):
        _, _, flags, length, kind = struct.unpack(">IHHQ128s", raw[at : at + 144])
        found.append((kind.split(b"\0")[0].decode(), raw[at + 144 : at + 144 + length], flags))
        at += 144 + (length + 7) // 8 * 8
    return found


def packed(records: list[Packed]) -> bytes:
    return b"".join(
        struct.pack(">IHHQ128s", 0x456789AB, 1, flags, len(data), kind.encode())
        + data
        + bytes(-len(data) % 8)
        for kind, data, flags in records
    )


def ildg(path: Path, change: Callable[[list[Packed]], list[Packed]]) -> Any:
    """A file of ILDG whose records were changed, and its links."""
    links = field()
    write_links(path, form_of("ildg"), SIZE, links)
    path.write_bytes(packed(change(records(path.read_bytes()))))
    return links


def only(*kinds: str) -> Callable[[list[Packed]], list[Packed]]:
    return lambda all_of: [one for one in all_of if one[0] in kinds]


def checked(path: Path, capsys: Any, *words: str) -> dict[str, Any]:
    """What `gauge check --json` says of a file that it accepts."""
    assert main(["gauge", "check", str(path), "--json", *words]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def same(found: dict[str, Any], links: Any) -> bool:
    return bool(found["plaquette"] == values(links)["plaquette"])


def to_scidac(all_of: list[Packed]) -> list[Packed]:
    """The layout of SciDAC: other names, and no record of ILDG."""
    return [
        (kind.replace("ildg-binary", "scidac-binary"), data, flags)
        for kind, data, flags in all_of
        if kind != "ildg-format"
    ]


def sum_in_its_own_message(all_of: list[Packed]) -> list[Packed]:
    *others, (kind, data, flags) = all_of[:-1]
    return [*others, (kind, data, flags | END), (*all_of[-1][:2], BEGIN | END)]


@pytest.mark.parametrize(
    ("change", "verified"),
    [
        (only("ildg-format", "ildg-binary-data"), []),
        (lambda all_of: all_of[:-1], []),
        (to_scidac, ["suma", "sumb"]),
        (sum_in_its_own_message, ["suma", "sumb"]),
        (lambda all_of: [one for one in all_of if one[0] != "ildg-format"], ["suma", "sumb"]),
    ],
    ids=["minimal", "without sums", "scidac", "sum in its own message", "without ildg-format"],
)
def test_files_of_lime_are_read_by_the_records_that_they_have(
    change: Callable[[list[Packed]], list[Packed]], verified: list[str], tmp_path: Path, capsys: Any
) -> None:
    links = ildg(tmp_path / "field", change)
    found = checked(tmp_path / "field", capsys)
    assert same(found, links)
    assert (found["verified"], found["fields"]) == (verified, 1)


def test_data_alone_are_read_with_the_size(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "field"
    links = ildg(path, only("ildg-binary-data"))
    assert same(checked(path, capsys, "--size", "2x4x2x6"), links)
    for words, facts in (
        ((), ("ildg-format", "--size")),
        (("--size", "4x4x4x6"), ("4×4×4×6", 55296, 110592)),
        (("--size", "2x4x2"), ("--size", "2x4x2", "16x16x16x32")),
    ):
        assert main(["gauge", "check", str(path), *words]) == 2
        one_sentence(capsys.readouterr().err, *facts)
    write_links(path, form_of("milc"), SIZE, links)
    assert main(["gauge", "check", str(path), "--size", "4x2x2x6"]) == 2
    one_sentence(capsys.readouterr().err, path, "4x2x2x6", "2x4x2x6")


def test_the_first_of_two_fields_is_read_and_the_other_named(tmp_path: Path, capsys: Any) -> None:
    path, other = tmp_path / "field", np.zeros_like(field())
    other[..., range(3), range(3), 0] = 1.0
    for kind, change in (("ildg", list), ("scidac", to_scidac)):
        write_links(path, form_of("ildg"), SIZE, other)
        second = change(records(path.read_bytes()))
        links = ildg(path, lambda all_of, s=second, c=change: [*c(all_of), *s])
        assert main(["gauge", "check", str(path), "--json"]) == 0
        said = capsys.readouterr()
        found = json.loads(said.out)
        assert same(found, links)
        assert (found["fields"], found["verified"]) == (2, ["suma", "sumb"])
        at = path.read_bytes().rindex(f"{kind}-binary-data".encode()) + 128
        one_sentence(said.err, path, 2, f"{kind}-binary-data at byte {at}")


@pytest.mark.parametrize("kind", FORMATS)
def test_zeros_may_follow_the_end(kind: str, tmp_path: Path, capsys: Any) -> None:
    links, path = field(), tmp_path / "field"
    write_links(path, form_of(kind), SIZE, links)
    whole = checked(path, capsys)
    for many in (1, 4096):
        path.write_bytes(path.read_bytes() + bytes(many))
        assert checked(path, capsys) == whole
    path.write_bytes(path.read_bytes() + b"x")
    assert main(["gauge", "check", str(path)]) == 2


def test_milc_files_without_sums_are_read_and_with_wrong_ones_only_on_trust(
    tmp_path: Path, capsys: Any
) -> None:
    path, out = tmp_path / "field", tmp_path / "out"
    write_links(path, form_of("milc"), SIZE, field())
    raw = path.read_bytes()
    path.write_bytes(raw[:88] + bytes(8) + raw[96:])
    assert checked(path, capsys)["verified"] == []
    path.write_bytes(raw[:88] + b"\1\2\3\4" + raw[92:])
    assert main(["gauge", "check", str(path)]) == 2
    one_sentence(capsys.readouterr().err, path, "checksums", "sum29 01020304", "--trust")
    assert main(["gauge", "convert", str(path), str(out), "--trust", "--format", "milc"]) == 0
    assert "sum29 01020304" in capsys.readouterr().err
    assert out.read_bytes() == raw


def nersc(path: Path, precision: str, order: str, *changes: tuple[bytes, bytes]) -> Any:
    """A file of the archive whose header was changed, and its links."""
    links = field()
    write_links(path, form_of("nersc", precision, byte_order=order), SIZE, links)
    raw = path.read_bytes()
    for old, new in changes:
        assert old in raw
        raw = raw.replace(old, new, 1)
    path.write_bytes(raw)
    return links


@pytest.mark.parametrize(("precision", "bits"), [("single", "32"), ("double", "64")])
@pytest.mark.parametrize("order", ["big", "little"])
def test_a_word_without_an_order_is_read_in_the_order_of_its_links(
    order: str, precision: str, bits: str, tmp_path: Path, capsys: Any
) -> None:
    path, given = tmp_path / "field", f"IEEE{bits}{order.upper()}".encode()
    nersc(path, precision, order, (given, f"IEEE{bits}".encode()))
    assert checked(path, capsys)["verified"] == ["checksum", "plaquette", "link_trace"]


def header_line(raw: bytes, name: bytes) -> bytes:
    begin = raw.index(name + b" = ")
    return raw[begin : raw.index(b"\n", begin) + 1]


def test_headers_with_other_line_ends_and_without_values_are_read(
    tmp_path: Path, capsys: Any
) -> None:
    path = tmp_path / "field"
    links = nersc(path, "double", "big")
    raw = path.read_bytes()
    end = raw.index(b"END_HEADER\n") + len(b"END_HEADER\n")
    path.write_bytes(raw[:end].replace(b"\n", b"\r\n") + raw[end:])
    assert same(checked(path, capsys), links)
    left = ["checksum", "plaquette", "link_trace"]
    for name in (b"LINK_TRACE", b"CHECKSUM", b"PLAQUETTE"):
        raw = raw.replace(header_line(raw, name), b"", 1)
        left.remove(name.decode().lower())
        path.write_bytes(raw)
        assert checked(path, capsys)["verified"] == left
    assert main(["gauge", "check", str(path)]) == 0
    said = capsys.readouterr()
    one_sentence(said.err, path, "no checksum")
    assert "nothing" in said.out


def test_an_unknown_kind_of_data_is_no_typing_error(tmp_path: Path) -> None:
    nersc(tmp_path / "field", "double", "big", (b"4D_SU3_GAUGE_3x3", b"4D_SU4_GAUGE"))
    with pytest.raises(Exception, match="DATATYPE = 4D_SU4_GAUGE is not read; accepted") as error:
        open_links(tmp_path / "field")
    assert "did you mean" not in str(error.value)


@pytest.mark.parametrize("kind", ["ildg", "nersc"])
def test_links_that_drifted_from_unitarity_are_put_into_it(kind: str, tmp_path: Path) -> None:
    random, path = np.random.default_rng(4), tmp_path / "field"
    links = field()
    drifted = links + 1e-10 * random.normal(size=links.shape)
    stored = written(path, form_of(kind), SIZE, drifted, values(drifted))
    found = check_links(stored)
    assert 1e-10 < found["unitarity"] < 1e-8
    kept = empty_links(SIZE)
    read_box(stored, kept=kept)
    u = kept[..., 0] + 1j * kept[..., 1]
    assert np.abs(u @ u.conj().swapaxes(-1, -2) - np.eye(3)).max() < 1e-15
    assert np.abs(np.linalg.det(u) - 1).max() < 1e-15
    assert np.abs(kept - links).max() < 1e-8
    # What is read is not changed when it is read again.
    again = empty_links(SIZE)
    read_box(write_links(path, form_of(kind), SIZE, kept), kept=again)
    assert np.array_equal(again, kept)


def test_boxes_of_a_file_measure_the_bits_of_the_whole(tmp_path: Path) -> None:
    links = field()
    stored = write_links(tmp_path / "field", form_of("nersc"), SIZE, links)
    expected = values(links)
    whole = loop_means(SIZE, [read_box(stored, rectangles=True).loops])
    assert whole == {name: expected[name] for name in whole}
    boxes = [((0, y, 0, t), (2, 2, 2, 3)) for y in (0, 2) for t in (0, 3)]
    parts = loop_means(SIZE, [read_box(stored, *box).loops for box in boxes])
    for name in ("plaquette_space", "plaquette_time", "link_trace"):
        assert parts[name] == expected[name]


@pytest.mark.parametrize("kind", FORMATS)
def test_a_conversion_of_single_precision_to_two_rows_is_what_a_check_accepts(
    kind: str, tmp_path: Path, capsys: Any
) -> None:
    source, out = tmp_path / "field", tmp_path / "out"
    write_links(source, form_of(kind, "single"), SIZE, field())
    for precision in ("single", "double"):
        words = ["--format", "nersc", "--precision", precision, "--rows", "2"]
        assert main(["gauge", "convert", str(source), str(out), *words]) == 0
        capsys.readouterr()
        assert checked(out, capsys)["verified"] == ["checksum", "plaquette", "link_trace"]


def test_links_that_no_check_accepts_leave_the_earlier_file(tmp_path: Path) -> None:
    path, bad = tmp_path / "field", field()
    write_links(path, form_of("nersc"), SIZE, field())
    before = path.read_bytes()
    bad[1, 0, 2, 1, 3] *= 1.1
    with refused(path, "SU(3)"):
        write_links(path, form_of("nersc"), SIZE, bad)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_check_holds_time_slices_and_not_the_file(tmp_path: Path) -> None:
    links, long = field(), (2, 4, 2, 600)
    stored = write_links(tmp_path / "field", form_of("ildg"), long, np.concatenate([links] * 100))
    one_slice = links[0].nbytes
    read_box(stored)
    tracemalloc.start()
    try:
        read_box(stored)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # A slice, its planes, and lists of sums; the core holds three slices more.
    assert peak < 600 * one_slice / 4


@published
@pytest.mark.parametrize(
    ("name", "plaquette", "verified", "fields"),
    [
        ("v1_nosum.ildg", 0.5948501589, [], 1),
        ("v1_minimal.ildg", 0.5948501589, [], 1),
        ("v3_scidac.lime", 0.99480413, ["suma", "sumb"], 1),
        ("v5_two.ildg", 0.5948501589, ["suma", "sumb"], 2),
    ],
)
def test_reported_files_have_their_plaquettes(
    name: str, plaquette: float, verified: list[str], fields: int, capsys: Any
) -> None:
    found = checked(REPORTS / name, capsys)
    # Of the links in SU(3), which those of single precision are not quite.
    assert found["plaquette"] == pytest.approx(plaquette, abs=1e-8)
    assert (found["verified"], found["fields"]) == (verified, fields)
