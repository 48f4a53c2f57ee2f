"""What a sentence for a user must hold: the key, the value and the nearest name, in any wording."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from phasewise.cli import main
from phasewise.errors import StudyError


class Nearest(str):
    """A fact of its own kind: the valid name that a sentence offers in place of a wrong one."""

    __slots__ = ()


def missing(text: str, *facts: object) -> list[str]:
    """The facts that a text does not hold: names, values, words, wherever its lines are broken.

    A fact is whole: "3" is not in "30", "0.3" or "3.5", and "turns" is not in "ramp.turns".
    """
    flat = " ".join(text.split())
    return [str(fact) for fact in facts if not _holds(flat, fact)]


def _holds(text: str, fact: object) -> bool:
    if isinstance(fact, Nearest):
        return offered(text) == fact
    whole = str(fact)
    before = r"(?<!\w)(?<!\w\.)" if re.match(r"\w", whole) else ""
    after = r"(?!\w|\.\d)" if re.search(r"\w$", whole) else ""
    return re.search(before + re.escape(whole) + after, text) is not None


def offered(text: str) -> str:
    """The nearest valid name that a text offers; "" if it offers none."""
    found = re.search(r'did you mean "?([^"?]+)"?\?', text)
    return found[1] if found else ""


def says(text: str, *facts: object, nearest: str | None = None) -> None:
    """Fails unless a text holds all facts, and offers `nearest` where that is given."""
    wanted = facts if nearest is None else (*facts, Nearest(nearest))
    absent = missing(text, *wanted)
    assert not absent, f"{absent} missing in: {text[:2000]}"
    assert "Traceback" not in text, text


def sentence_of(error: str) -> str:
    """The only line of a program's errors that phasewise has written, without its name."""
    start = "phasewise: "
    (line,) = (line for line in error.splitlines() if line.startswith(start))
    assert "Traceback" not in error, error
    return line.removeprefix(start)


def one_sentence(text: str, *facts: object, nearest: str | None = None) -> None:
    """Likewise of a text that is one line."""
    assert len(text.strip().splitlines()) == 1, text
    says(text, *facts, nearest=nearest)


@contextmanager
def refused(
    *facts: object, by: type[BaseException] = StudyError, nearest: str | None = None
) -> Iterator[pytest.ExceptionInfo[Any]]:
    """The block must raise an error whose sentence holds all facts, and offers `nearest`."""
    with pytest.raises(by) as caught:
        yield caught
    one_sentence(str(caught.value), *facts, nearest=nearest)


def command_refused(
    capsys: pytest.CaptureFixture[str],
    words: Iterable[object],
    *facts: object,
    status: int = 2,
    nearest: str | None = None,
) -> None:
    """The words of a command must end it with this status and one sentence, likewise."""
    capsys.readouterr()
    assert main([str(word) for word in words]) == status
    said = capsys.readouterr().err
    assert said.startswith("phasewise: ")
    one_sentence(said, *facts, nearest=nearest)
