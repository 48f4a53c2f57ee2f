"""The loads of links: closed forms on small networks, the sum over adapters, the picture."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from phasewise.cli import main
from phasewise.machines import Machine, load_machine
from phasewise.models.links import Link, loads_of_links
from phasewise.models.model import Case
from phasewise.report.torus_layout import STROKE, TorusLayout
from phasewise.study import load
from tests.sentences import command_refused

WORDS, WORD = 128, 8
SIDE = WORDS * WORD
"""Bytes of a message to a neighbour."""


def links_of(repository: Path, machine: Machine, ranks: int, grid: str) -> dict[str, Link]:
    changes = ["halo.verify=false", f'communication.process_grid="{grid}"']
    study = load(repository / "examples/halo/study.toml", changes)
    return {one.name: one for one in loads_of_links(Case(study, machine, ranks))}


def test_each_adapter_of_a_ring_carries_one_message_each_way(repository: Path) -> None:
    machine = replace(load_machine("bassi"), node_ranks=1)
    found = links_of(repository, machine, 4, "4x1")
    names = {f"node{node}.{way}" for node in range(4) for way in ("out", "in")}
    assert set(found) == names
    assert {one.bytes for one in found.values()} == {2 * SIDE}
    for one in found.values():
        assert one.seconds == pytest.approx(2 * SIDE / machine.network.adapter_bandwidth)


def test_the_adapters_carry_what_goes_between_nodes(repository: Path) -> None:
    found = links_of(repository, load_machine("bassi"), 32, "32x1").values()
    for way in ("out", "in"):
        carried = sum(one.bytes for one in found if one.name.endswith(way))
        assert carried == 4 * 2 * SIDE  # four nodes in a ring, a message to each neighbour


def test_the_links_of_a_torus_carry_each_message_from_node_to_node(repository: Path) -> None:
    machine = load_machine("bluegene-l")
    found = links_of(repository, machine, 8, "8x1").values()
    assert {one.kind for one in found} == {"link"}
    assert all(one.source != one.target for one in found)
    # A message between two nodes takes one link or more; the ring is crossed both ways.
    nodes = 8 // machine.node_ranks
    assert sum(one.bytes for one in found) >= 2 * nodes * SIDE


@pytest.mark.parametrize("dims", [(4, 4, 1), (4, 1, 3), (2, 4, 4)])
def test_a_picture_of_a_torus_has_neighbours_side_by_side(dims: tuple[int, int, int]) -> None:
    layout = TorusLayout(dims)
    nodes = layout.nodes()
    assert len(set(nodes)) == len(nodes)
    strides = (1, dims[0], dims[0] * dims[1])
    for number in range(len(nodes)):
        for axis, (side, stride) in enumerate(zip(dims, strides, strict=True)):
            if side == 1:
                continue
            here = number // stride % side
            other = number + ((here + 1) % side - here) * stride
            ends = f"router{number}", f"router{other}"
            link = Link(f"link{6 * number + 2 * axis}", "link", *ends, 1.0, 1.0)
            (x, y), (to_x, to_y) = layout.segment(link)
            assert (x, y) == nodes[number]
            # A link of a layer ends at its neighbour, or is a stroke that closes the ring; links
            # between layers are strokes to the upper right.
            length = ((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5
            if axis in layout.axes[:2] and here + 1 < side:
                assert (to_x, to_y) == nodes[other]
            else:
                assert length == pytest.approx(STROKE)
            assert (to_x > x and to_y > y) == (axis == layout.axes[2])


def test_a_dragonfly_tells_its_links_apart(repository: Path) -> None:
    found = links_of(repository, load_machine("frontier"), 2048, "2048x1").values()
    assert {one.kind for one in found} >= {"adapter", "port", "local", "global"}
    ports = {end for one in found if one.kind == "port" for end in (one.source, one.target)}
    nodes = {one.target for one in found if ".in" in one.name}
    assert nodes == {f"node{number}" for number in range(256)} == ports - routers_of(found)


def routers_of(links: Iterable[Link]) -> set[str]:
    """What links between routers begin or end at."""
    return {end for one in links for end in (one.source, one.target) if end.startswith("router")}


def test_the_picture_is_written_and_the_ten_hottest_are_told(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study, picture = str(repository / "examples/halo/study.toml"), tmp_path / "links.svg"
    words = ["--machine", "bassi", "--ranks", "64", "--model", "1a", "--links", str(picture)]
    assert main(["predict", study, *words, "--json"]) == 0
    hottest = json.loads(capsys.readouterr().out)["links"]
    assert [set(one) for one in hottest] == [{"link", "bytes", "seconds"}] * 10
    assert hottest[0]["link"] in picture.read_text()


@pytest.mark.parametrize(
    ("ranks", "name", "sentence"),
    [("8", "links.svg", "fit on one node"), ("16", "links.txt", "--links")],
)
def test_what_has_no_picture_is_refused_before_anything_is_predicted(
    repository: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    ranks: str,
    name: str,
    sentence: str,
) -> None:
    monkeypatch.delattr("phasewise.commands.predict.predict_many")
    study = repository / "examples/halo/study.toml"
    words = ["--machine", "bassi", "--ranks", ranks, "--model", "1a"]
    command_refused(capsys, ["predict", study, *words, "--links", tmp_path / name], sentence)
