"""Strided blocks of a buffer as messages: NumPy slices say which bytes a message has."""

from __future__ import annotations

import numpy as np
import pytest

import phasewise._core as core

Loops = list[tuple[int, int]]
Block = tuple[list[int], int, int, Loops]


def block_of(whole: np.ndarray, part: np.ndarray, items: list[int]) -> Block:
    """The part of an array as a block: runs of one value, and a loop for each axis."""
    offset = part.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
    return items, offset, part.itemsize, list(zip(part.shape, part.strides, strict=True))


def packed(whole: np.ndarray, block: Block, item_size: int = 0, threads: int = 1) -> bytes:
    message = core.packed([block], whole.reshape(-1).view(np.uint8), item_size, threads)
    assert isinstance(message, bytes)
    return message


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64, np.complex128])
def test_a_face_of_two_dimensions_is_packed_row_by_row(dtype: type) -> None:
    field: np.ndarray = np.arange(7 * 9).reshape(7, 9).astype(dtype)
    for face in (field[:, :1], field[:, -2:], field[:1], field[2:5, 3:8], field[::2, 1::3]):
        assert packed(field, block_of(field, face, [0])) == face.tobytes()


@pytest.mark.parametrize("axis", range(4))
def test_a_face_of_four_dimensions_is_packed_in_the_order_of_its_axes(axis: int) -> None:
    field = np.random.default_rng(1).normal(size=(5, 4, 6, 3))
    for part in (slice(0, 1), slice(-2, None), slice(1, 2)):
        face = field[(slice(None),) * axis + (part,)]
        assert packed(field, block_of(field, face, [0])) == face.tobytes()


def test_items_follow_one_another_in_the_order_in_which_they_are_listed() -> None:
    fields = np.arange(4 * 6 * 5, dtype=float).reshape(4, 6, 5)
    block = block_of(fields[0], fields[0, 1:4, 2:], [3, 0, 2])
    assert packed(fields, block, fields[0].nbytes) == fields[[3, 0, 2], 1:4, 2:].tobytes()


def test_runs_of_any_length_and_no_loop_at_all() -> None:
    data = np.arange(64, dtype=np.uint8)
    assert packed(data, ([0], 3, 11, [])) == bytes(range(3, 14))
    runs = [*range(3, 8), *range(23, 28), *range(43, 48)]
    assert packed(data, ([0], 3, 5, [(3, 20)])) == bytes(runs)
    assert packed(data, ([0], 3, 5, [(0, 20)])) == b""
    assert packed(data, ([], 3, 5, [])) == b""


def test_threads_pack_the_same() -> None:
    field = np.random.default_rng(2).normal(size=(40, 50, 60))
    face = field[:, 5:45:2, 1:]
    block = block_of(field, face, [0])
    assert packed(field, block, threads=3) == face.tobytes()
