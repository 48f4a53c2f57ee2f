"""A send counts as held until its receive only where nothing shows that it was buffered."""

from collections.abc import Sequence

import numpy as np

from phasewise.recorder.late_receivers import Sends, held

US = 1e-6
Row = tuple[int, float, float, float]
"""Bytes, how long a send takes, and when its receive is posted after it began [µs]."""


def told(*rows: Row, apart: Sequence[int] = (), synchronous: Sequence[int] = ()) -> list[bool]:
    """Whether each blocking send was held; apart, synchronous: the places of those that are."""
    size, took, posted = (np.array(column) for column in zip(*rows, strict=True))
    places = np.arange(len(rows))
    began = 1e-3 * (1 + places)
    flags = (np.isin(places, chosen) for chosen in (apart, synchronous))
    blocking = np.ones(len(rows), bool)
    times = began, began + US * took, began + US * posted
    return [bool(one) for one in held(Sends(size.astype(np.int64), *flags, blocking, *times))]


def test_a_send_that_lasts_until_its_receive_is_posted_was_held() -> None:
    # 60 µs of waiting and 5 of transfer; a send that finds its receive posted takes 5 µs.
    assert told(
        (
            100000,
            65,
            60,
        ),
        (100000, 5, -10),
    ) == [True, False]


def test_a_send_whose_receive_is_posted_while_it_is_copied_was_not() -> None:
    # It ends 1 µs after the posting, and the quickest takes 2 µs.
    assert told((1000, 3, 2), (1000, 2, -10)) == [False, False]


def test_a_send_that_ends_before_its_receive_tells_that_as_many_bytes_are_buffered() -> None:
    # A rank that lost its core for 4 ms in such a send did not wait for its receive either.
    rows = [(4000, 2, 500), (4000, 4000, 300), (100, 4000, 300), (4001, 4000, 300)]
    assert told(*rows) == [False, False, False, True]
    # It tells nothing of sends to other systems, and nothing of synchronous ones.
    assert told(*rows, apart=[1], synchronous=[2]) == [False, True, True, True]
    # Clocks of two systems may differ by so much.
    assert told((4000, 2, 3), (4000, 400, 300), apart=[0, 1]) == [False, True]
