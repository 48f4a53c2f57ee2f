"""`phasewise machine import`: times of published benchmarks become curves of a machine's file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from phasewise.cli import main
from phasewise.machines import load_machine
from phasewise.machines.importing import import_curves
from phasewise.models import default_model
from tests.sentences import one_sentence, refused

SIZES = (1, 64, 1024, 65536, 1048576)
LATENCY, BANDWIDTH = 2e-6, 4e9
TIMES = [LATENCY + size / BANDWIDTH for size in SIZES]


def osu(scale: float = 1.0) -> str:
    rows = [
        f"{size:<10} {1e6 * scale * time:18.4f}" for size, time in zip(SIZES, TIMES, strict=True)
    ]
    return "\n".join(["# OSU MPI Latency Test v7.5", "# Size          Latency (us)", *rows])


def imb() -> str:
    def section(name: str, scale: float) -> list[str]:
        rows = [
            f"{size:13} {1000:12} {1e6 * scale * time:13.4f} {size / (scale * time) / 1e6:12.2f}"
            for size, time in zip(SIZES, TIMES, strict=True)
        ]
        return [f"# Benchmarking {name} ", "# #processes = 2 ", *rows]

    return "\n".join(
        [*section("PingPong", 1.0), *section("PingPing", 2.0), *section("Sendrecv", 9.0)]
    )


def netpipe_file() -> str:
    return "\n".join(
        f"{size:8} {8 * size / time / 2**20:.6f} {time:.10f}"
        for size, time in zip(SIZES, TIMES, strict=True)
    )


def netpipe_screen() -> str:
    return "\n".join(
        f"{i:3}: {size:7} bytes {2000:7} times --> {8 * size / time / 2**20:10.2f} Mbps in "
        f"{1e6 * time:13.4f} usec"
        for i, (size, time) in enumerate(zip(SIZES, TIMES, strict=True))
    )


def written(folder: Path, text: str, name: str = "out.txt") -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("kind", "text"),
    [("osu", osu()), ("imb", imb()), ("netpipe", netpipe_file()), ("netpipe", netpipe_screen())],
    ids=["osu", "imb", "np.out", "screen"],
)
def test_a_curve_has_the_times_of_single_messages(tmp_path: Path, kind: str, text: str) -> None:
    curve = import_curves(kind, [written(tmp_path, text)], "network")[0]
    assert (curve.benchmark, curve.level, curve.sizes) == ("ping-pong", "network", SIZES)
    assert curve.seconds == pytest.approx(TIMES, rel=1e-4)
    assert curve.latency == pytest.approx(LATENCY, rel=1e-3)
    assert curve.bandwidth == pytest.approx(BANDWIDTH, rel=1e-3)


def test_a_row_whose_time_is_no_number_does_not_count(tmp_path: Path) -> None:
    text = osu() + "\n8 1.2.3\n16 .\n"
    curve = import_curves("osu", [written(tmp_path, text)], "network")[0]
    assert curve.sizes == SIZES


def test_imb_gives_messages_that_cross_too_and_nothing_else(tmp_path: Path) -> None:
    curves = import_curves("imb", [written(tmp_path, imb())], "node")
    assert [curve.name for curve in curves] == ["ping-pong node", "ping-ping node"]
    assert curves[1].seconds == pytest.approx([2 * time for time in TIMES], rel=1e-4)


def test_several_files_are_launches_that_give_an_interval(tmp_path: Path) -> None:
    files = [written(tmp_path, osu(scale), f"{scale}.txt") for scale in (1.0, 1.1, 1.3)]
    curve = import_curves("osu", files, "network")[0]
    assert curve.seconds == pytest.approx([1.1 * time for time in TIMES], rel=1e-3)
    assert curve.low == pytest.approx(TIMES, rel=1e-3)
    assert curve.high == pytest.approx([1.3 * time for time in TIMES], rel=1e-3)
    assert curve.noisy


def test_a_machine_gets_the_curves_and_keeps_its_description(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, output = written(tmp_path, osu()), tmp_path / "there.toml"
    words = ["machine", "import", "osu", str(source), "--machine", "bassi", "-o", str(output)]
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [curve["name"] for curve in found["curves"]] == ["ping-pong network"]
    machine, bassi = load_machine(str(output)), load_machine("bassi")
    assert machine.network == bassi.network
    assert [curve.name for curve in machine.curves] == ["ping-pong network"]
    # Single messages say nothing of several at once: the described network does.
    assert default_model(machine) == default_model(bassi)
    # Imported again for the other level, the first curve stays.
    words = ["machine", "import", "osu", str(source), "--level", "node"]
    assert main([*words, "--machine", str(output), "-o", str(tmp_path / "both.toml")]) == 0
    both = load_machine(str(tmp_path / "both.toml"))
    assert [curve.name for curve in both.curves] == ["ping-pong network", "ping-pong node"]


def test_without_a_machine_the_tables_are_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["machine", "import", "netpipe", str(written(tmp_path, netpipe_file()))]) == 0
    assert "[[curve]]" in capsys.readouterr().out


def test_a_stream_of_messages_is_no_time_of_one(tmp_path: Path) -> None:
    text = "# OSU MPI Bandwidth Test v7.5\n# Size      Bandwidth (MB/s)\n1 3.2\n2 6.4\n"
    path = written(tmp_path, text)
    with refused(path.name, "OSU MPI Bandwidth Test", "osu_latency"):
        import_curves("osu", [path], "network")


@pytest.mark.parametrize(
    ("kind", "text", "names"),
    [
        ("osu", "nothing\n", ("no times", "osu_latency")),
        ("imb", osu(), ("no times", "t[usec]")),
        ("netpipe", "1 0.5 0.0\n2 0.6 0.1\n", ("1 B", "0 s")),
        ("netpipe", "1048576 0.5 1e-15\n", ("1048576 B", "B/s")),
        ("netpip", "", ('"netpip"', "netpipe")),
    ],
)
def test_output_of_something_else_is_refused_in_a_sentence(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    kind: str,
    text: str,
    names: tuple[str, ...],
) -> None:
    path = written(tmp_path, text)
    words = ["machine", "import", kind, str(path), "--machine", "bassi"]
    assert main([*words, "-o", str(tmp_path / "new.toml")]) == 2
    one_sentence(capsys.readouterr().err, *names)
    assert not (tmp_path / "new.toml").exists()


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["import"], ("osu", "imb", "netpipe")),
        (["import", "osu"], ("needs a file",)),
        (["import", "osu", "a", "--machine", "bassi"], ("--machine", "--output")),
        (["import", "osu", "a", "--ranks", "2"], ("--ranks", "machine measure", "machine import")),
        (["list", "--level", "node"], ("--level", "machine import", "machine list")),
        (["show", "a", "b"], ("one machine",)),
    ],
)
def test_what_an_action_has_no_use_for_is_refused(
    capsys: pytest.CaptureFixture[str], words: list[str], names: tuple[str, ...]
) -> None:
    assert main(["machine", *words]) == 2
    one_sentence(capsys.readouterr().err, *names)
