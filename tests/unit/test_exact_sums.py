"""The build with plain sums, with which the benchmark of exact sums compares: how it is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.compare_checkouts import CallError
from benchmarks.exact_sums import PLAIN, share, with_plain_sums
from tests.sentences import refused


@pytest.mark.parametrize("name", PLAIN)
def test_what_makes_sums_exact_stands_where_the_benchmark_takes_it_out(
    repository: Path, name: str
) -> None:
    text = (repository / name).read_text(encoding="utf-8")
    plain = with_plain_sums(name, text)
    assert "low_offset);" not in plain
    with refused(name, "PLAIN", by=CallError):
        with_plain_sums(name, plain)


def test_the_share_is_what_the_turn_would_save() -> None:
    assert share(2.0, 1.5) == 0.25
