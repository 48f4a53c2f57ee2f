"""What a sentence for a user must hold: the key, the value and the nearest name, in any wording."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from phasewise.errors import StudyError


def missing(text: str, *facts: object) -> list[str]:
    """The facts that a text does not hold, as whole words: names, values, parts of a sentence."""
    return [
        str(fact)
        for fact in facts
        if not re.search(rf"(?<!\w){re.escape(str(fact))}(?!\w|\.\d)", text)
    ]


def says(text: str, *facts: object, nearest: str | None = None) -> None:
    """Fails unless a text holds all facts, and offers `nearest` where that is given."""
    absent = missing(text, *facts)
    assert not absent, f"{absent} missing in: {text}"
    if nearest is not None:
        assert f'did you mean "{nearest}"' in text, f'"{nearest}" is not offered in: {text}'
    assert "Traceback" not in text, text


def one_sentence(text: str, *facts: object, nearest: str | None = None) -> None:
    """Likewise of a text that is one line."""
    assert len(text.strip().splitlines()) == 1, text
    says(text, *facts, nearest=nearest)


@contextmanager
def refused(
    *facts: object, by: type[Exception] = StudyError, nearest: str | None = None
) -> Iterator[pytest.ExceptionInfo[Exception]]:
    """The block must raise an error whose sentence holds all facts, and offers `nearest`."""
    with pytest.raises(by) as caught:
        yield caught
    one_sentence(str(caught.value), *facts, nearest=nearest)
