"""What a sentence for a user must hold: the key, the value and the nearest name, in any wording."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pytest

from phasewise.cli import main
from phasewise.errors import StudyError


def missing(text: str, *facts: object) -> list[str]:
    """The facts that a text does not hold: names, values, words, wherever its lines are broken.

    A fact is whole: "3" is not in "30", "0.3" or "3.5", and "turns" is not in "ramp.turns".
    """
    flat = " ".join(text.split())
    return [str(fact) for fact in facts if not re.search(_whole(str(fact)), flat)]


def _whole(fact: str) -> str:
    before = r"(?<!\w)(?<!\w\.)" if re.match(r"\w", fact) else ""
    after = r"(?!\w|\.\d)" if re.search(r"\w$", fact) else ""
    return before + re.escape(fact) + after


def offer(name: str) -> str:
    """How a text offers the nearest valid name, as a fact in a list of mistakes."""
    return f'did you mean "{name}"?'


def offered(text: str) -> str:
    """The nearest valid name that a text offers; "" if it offers none."""
    found = re.search(r'did you mean "?([^"?]+)"?\?', text)
    return found[1] if found else ""


def says(text: str, *facts: object, nearest: str | None = None) -> None:
    """Fails unless a text holds all facts, and offers `nearest` where that is given."""
    absent = missing(text, *facts)
    assert not absent, f"{absent} missing in: {text}"
    if nearest is not None:
        assert offered(text) == nearest, f'"{nearest}" is not offered in: {text}'
    assert "Traceback" not in text, text


def one_sentence(text: str, *facts: object, nearest: str | None = None) -> None:
    """Likewise of a text that is one line."""
    assert len(text.strip().splitlines()) == 1, text
    says(text, *facts, nearest=nearest)


@contextmanager
def refused(
    *facts: object, by: type[BaseException] = StudyError, nearest: str | None = None
) -> Iterator[pytest.ExceptionInfo[BaseException]]:
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
