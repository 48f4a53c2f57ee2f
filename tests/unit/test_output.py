"""What cannot be written: messages are lost and nothing ends, results are asked for and end it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from phasewise.mpi.progress import MARK
from phasewise.output import alike, print_table
from tests.sentences import one_sentence, says

TELLS = """
import os
from phasewise.mpi import progress
from phasewise.mpi.progress import Lines, Relay
from phasewise.output import message
progress.LINE_SECONDS = 0
for told in (Lines("turn"), Relay("turn")):
    for turn in range(5):
        told.update(turn, 4, "detail")
    told.close()
message("phasewise: a word")
os.write(1, b"went on")
"""


def ends(script: str, redirection: str) -> subprocess.CompletedProcess[str]:
    words = ["sh", "-c", f'exec "$0" "$@" {redirection}', sys.executable, "-c", script]
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("redirection", ["2>/dev/full", "2>&-"])
def test_a_progress_line_that_cannot_be_written_ends_nothing(redirection: str) -> None:
    done = ends(TELLS, redirection)
    assert (done.returncode, done.stdout) == (0, "went on")


def test_a_pipe_that_was_closed_ends_nothing() -> None:
    assert MARK in ends(TELLS, "").stderr
    script = f"import os\nread, write = os.pipe()\nos.close(read)\nos.dup2(write, 2)\n{TELLS}"
    done = ends(script, "")
    assert (done.returncode, done.stdout) == (0, "went on")


CHECK = "import sys; from phasewise.__main__ import main; sys.argv[1:] = {words}; sys.exit(main())"


@pytest.mark.parametrize("words", [["check"], ["check", "--json"], ["--version"]])
@pytest.mark.parametrize(
    ("redirection", "reason"),
    [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")],
)
def test_output_that_cannot_be_written_is_an_error_of_one_sentence(
    repository: Path, words: list[str], redirection: str, reason: str
) -> None:
    study = [str(repository / "examples" / "lhc" / "study.toml")] if words[0] == "check" else []
    done = ends(CHECK.format(words=words + study), redirection)
    (sentence,) = (line for line in done.stderr.splitlines() if "warning" not in line)
    assert sentence.startswith("phasewise: ")
    says(sentence, "output", reason)
    assert done.returncode == 1


def test_an_interrupt_during_imports_is_one_sentence() -> None:
    # What a person meets who presses Ctrl-C at once.
    script = """
import signal, sys, threading, os
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Slow())
from phasewise.__main__ import main
sys.argv[1:] = ["--version"]
sys.exit(main())
"""
    done = ends(script, "")
    assert done.returncode == 1 and done.stderr.startswith("phasewise: ")
    one_sentence(done.stderr, "interrupted")


def test_control_characters_of_a_key_or_a_name_do_not_reach_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "bad\x1b[2Jname.toml"
    path.write_text('"\\u001b]0;title\\u0007\\u009b" = 1\n')
    for words in (["check", str(path)], ["check", str(tmp_path / "no\x07\r\n")], ["che\x1bck"]):
        done = ends(CHECK.format(words=words), "")
        assert done.returncode == 2
        assert done.stderr.endswith("\n")
        assert done.stderr[:-1].isprintable()


def test_without_ranks_nothing_of_an_mpi_installation_is_needed(
    repository: Path, tmp_path: Path
) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    study = str(repository / "examples" / "lhc" / "study.toml")
    words = ["run", study, "--quiet", "--out", str(tmp_path / "out"), "--set", "turns=1"]
    words += [w for b in "12" for w in ("--set", f"beam.{b}.macroparticles=1000")]
    done = subprocess.run(
        [sys.executable, "-c", CHECK.format(words=words)],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_ends_of_an_interval_have_as_many_decimals_as_its_value() -> None:
    assert alike(0.03534, 0.01767, 0.0707) == ["0.03534", "0.01767", "0.07070"]
    assert alike(1234.4, 617.25) == ["1234", "617"]
    assert alike(0.0, 0.0) == ["0", "0"]
    assert alike(2.0, digits=2) == ["2.0"]


@pytest.mark.parametrize("columns", [38, 44, 50, 60, 80, 100, 200])
def test_a_table_that_is_too_wide_loses_no_word(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    heads = ["machine", "ranks", "process grid", "communication", "sum_direction", "bytes × count"]
    rows = [["altix-4700", "4", "1x1x1x4", "0.347 %", "0.27 %", "36864 × 2"], ["xt4", *"12345"]]
    print_table("title", heads, rows, keys=2)
    printed = capsys.readouterr().out
    assert max(map(len, printed.splitlines())) <= columns
    words = printed.split()
    assert all(word in words for line in (heads, *rows) for cell in line for word in cell.split())
    # Each part begins with the keys of its rows.
    parts = printed.count("title")
    assert (words.count("altix-4700"), words.count("ranks")) == (parts, parts)
    assert (parts == 1) == (columns >= 80)


def test_a_word_longer_than_all_columns_is_broken_and_not_cut(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    print_table("title", ["name", "value"], [["a", "0123456789" * 5]])
    printed = capsys.readouterr().out
    assert "…" not in printed and sum(map(printed.count, "0123456789")) == 50
