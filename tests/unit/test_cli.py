"""The command line: check and import do what they say, and misuse ends in one sentence."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from phasewise.cli import main, parse
from phasewise.output import print_table
from tests.sentences import Nearest, one_sentence, says
from tests.unit.study_tables import tables
from tests.unit.test_importer import DECK
from tests.unit.test_study import json_as_toml


@pytest.fixture
def study(tmp_path: Path) -> str:
    """The path of a valid study."""
    path = tmp_path / "study.toml"
    path.write_text(json_as_toml(tables()))
    return str(path)


def test_check_prints_the_study_and_its_derived_quantities(
    study: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", study]) == 0
    printed = capsys.readouterr().out
    for text in (tables()["title"], "7460.5", "0.0037452", "1.2020", "1.0054", "MB"):
        assert text in printed


def test_check_in_json_is_one_object_with_the_study_resolved(
    study: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", study, "--json", "--set", "ip.1.slices=3"]) == 0
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert found["study"]["ip"]["1"]["slices"] == 3
    assert found["derived"]["ips"][0]["luminosity_head_on_per_second"] > 1e34
    # 1000 macroparticles in 3 slices are plenty: nothing to warn of.
    assert captured.err == ""


def test_check_warns_on_standard_error(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", study, "--set", "ip.1.slices=50"]) == 0
    said = capsys.readouterr().err
    says(said, "ip.1.slices = 50", 100, "1000 macroparticles", "beam 1", "beam 2")
    assert all(line.startswith("warning: ") for line in said.splitlines())


def test_import_writes_a_study_that_check_accepts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "imported.toml"
    assert main(["import", "beambeam3d", str(DECK), "-o", str(output)]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    says(captured.err, "beam1.in", "line 7", "x")
    assert main(["check", str(output)]) == 0


def test_import_prints_the_study_or_one_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "beambeam3d", str(DECK)]) == 0
    text = capsys.readouterr().out
    assert main(["import", "beambeam3d", str(DECK), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["study"] == text
    assert found["not_translated"][0]["record"] == "beam1.in line 7 (x)"
    assert tomllib.loads(text)["turns"] == 400


def test_an_output_that_cannot_be_written_is_a_failed_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", "beambeam3d", str(DECK), "-o", str(tmp_path)]) == 1
    one_sentence(capsys.readouterr().err, tmp_path, "written")


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        ([], ("COMMAND",)),
        (["chek", "a.toml"], ("chek", Nearest("check"))),
        (["check"], ("STUDY",)),
        (["check", "a.toml", "--jsom"], ("--jsom", Nearest("--json"))),
        (["run", "a.toml", "--rank=3"], ("--rank=3", Nearest("--ranks"))),
        (["run", "a.toml", "--ranks", "0"], ("--ranks", "'0'", 1)),
        (["bench", "collision", "--case", "fin"], ("fin", Nearest("fine"))),
        (["import", "beambeam", "."], ("beambeam", Nearest("beambeam3d"))),
        (["import", "beambeam3d", "/absent"], ("/absent", "folder")),
        (["check", "/absent.toml"], ("/absent.toml",)),
    ],
)
def test_misuse_ends_with_status_2_and_one_sentence(
    words: list[str], facts: tuple[object, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("phasewise: ")
    one_sentence(captured.err, *facts)
    assert captured.out == ""


def test_with_json_an_error_is_one_object_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "/absent.toml", "--json"]) == 2
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert (set(found), found["status"]) == ({"error", "status"}, 2)
    one_sentence(found["error"], "/absent.toml")
    assert captured.err == f"phasewise: {found['error']}\n"


def command(repository: Path, *words: str, **changes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", *words],
        cwd=repository,
        env=os.environ | {"PYTHONPATH": str(repository), "PYTHON": sys.executable} | changes,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_what_nobody_foresaw_is_one_sentence_and_a_traceback_only_for_debugging(
    study: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_options: object) -> int:
        raise ZeroDivisionError("division\nby zero")

    monkeypatch.setattr("phasewise.commands.check.main", fail)
    monkeypatch.delenv("PHASEWISE_DEBUG", raising=False)
    assert main(["check", study, "--json"]) == 1
    captured = capsys.readouterr()
    assert captured.err == "phasewise: ZeroDivisionError: division by zero\n"
    assert json.loads(captured.out) == {
        "error": "ZeroDivisionError: division by zero",
        "status": 1,
    }
    monkeypatch.setenv("PHASEWISE_DEBUG", "1")
    assert main(["check", study]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_of_several_ranks_the_first_tells_of_a_wrong_option(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for rank, sentences in (("0", 1), ("1", 0)):
        monkeypatch.setenv("OMPI_COMM_WORLD_RANK", rank)
        assert main(["run", "--jsom", "--json"]) == 2
        captured = capsys.readouterr()
        assert captured.err.count("phasewise: ") == sentences
        assert captured.out.count("error") == sentences


def test_output_that_cannot_be_written_is_one_sentence(study: str, repository: Path) -> None:
    done = command(repository, '"$PYTHON" -m phasewise check "$0" > /dev/full', study)
    assert done.returncode == 1
    one_sentence(done.stderr, os.strerror(errno.ENOSPC))


def test_a_terminal_without_unicode_shows_what_it_can(study: str, repository: Path) -> None:
    done = command(repository, '"$PYTHON" -m phasewise check "$0"', study, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "?" in done.stdout


def test_run_options_are_parsed() -> None:
    words = "run a.toml --ranks 4 --threads 2 --set turns=3 --set seed=2 --out d --resume --quiet"
    options = parse(words.split())
    assert (options.study, options.ranks, options.threads, options.out) == ("a.toml", 4, 2, "d")
    assert options.set == ["turns=3", "seed=2"]
    assert (options.resume, options.quiet, options.json) == (True, True, False)


def test_check_needs_no_compiled_driver(study: str, repository: Path) -> None:
    program = (
        "import sys; sys.modules['phasewise._core'] = None; "
        "from phasewise.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "check", study],
        cwd=repository,
        env=os.environ | {"PYTHONPATH": str(repository)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("phasewise ")


def test_a_table_shows_a_unit_in_brackets_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("a title [ms]", ["name [m]", "x [/s]"], [["charge [e]", "[bold]"]])
    shown = capsys.readouterr().out
    assert all(f"[{unit}]" in shown for unit in ("ms", "m", "/s", "e", "bold"))
    assert "\\" not in shown
