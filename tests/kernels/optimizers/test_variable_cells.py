"""Changing several variables at once: who owns their arrays, and what a failure leaves."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from dataflow.kernels.contract.resources import Variable, frozen, snapshot, update_together


def cell(value: Any) -> Variable:
    """A variable with a value."""
    made = Variable("v", None)
    made.value = value
    return made


def new(value: float) -> Any:
    """An array as a variable holds it."""
    return frozen(np.full(3, value, np.float32))


def owned_of(*values: Any) -> list[bool]:
    """What an update of variables with these values is told of them."""
    cells = list(map(cell, values))
    del values
    told: list[bool] = []

    def change(values: list[Any], owned: list[bool]) -> list[Any]:
        told.extend(owned)
        assert [value.flags.writeable for value in values] == owned
        return values

    update_together(cells, change)
    assert not any(cell.value.flags.writeable for cell in cells)
    return told


def test_arrays_that_others_hold_are_not_written_to() -> None:
    # An assert would hold on to the arrays.
    alone = owned_of(new(0), new(1), new(2))
    reader = new(1)
    read = owned_of(new(0), reader)
    viewed = owned_of(frozen(new(0)[:2]), new(1))
    assert alone == [True, True, True]
    assert read == [True, False]
    assert viewed == [False, True]


def test_what_two_variables_hold_is_not_written_to() -> None:
    cells = [cell(new(0)), cell(new(1)), cell(new(2))]
    cells[1].value = cells[0].value
    told: list[bool] = []

    def change(values: list[Any], owned: list[bool]) -> list[Any]:
        told.extend(owned)
        return values

    update_together(cells, change)
    assert told == [False, False, True]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_failure_leaves_the_values(count: int) -> None:
    cells = [cell(new(i)) for i in range(count)]

    def change(values: list[Any], owned: list[bool]) -> list[Any]:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        update_together(cells, change)
    for i, left in enumerate(cells):
        np.testing.assert_array_equal(left.value, np.full(3, i))
        assert not left.value.flags.writeable
        assert left.lock.acquire(blocking=False)
        left.lock.release()


def test_the_last_value_of_one_that_is_named_twice_stays() -> None:
    first, second = cell(new(1)), cell(new(2))
    told: list[bool] = []

    def change(values: list[Any], owned: list[bool]) -> list[Any]:
        told.extend(owned)
        return [new(5), new(6), new(7)]

    update_together((first, second, first), change)
    assert told == [False, True, False]
    assert (first.value[0], second.value[0]) == (7, 6)


def test_readers_wait_for_arrays_that_are_written_to() -> None:
    cells = cell(new(0)), cell(new(1))
    entered, read = threading.Event(), threading.Event()
    found: list[Any] = []

    def reader() -> None:
        entered.wait()
        found.append(cells[1].value)
        read.set()

    thread = threading.Thread(target=reader)
    thread.start()

    def change(values: list[Any], owned: list[bool]) -> list[Any]:
        entered.set()
        assert not read.wait(0.05)
        values[1][...] = 9
        return values

    update_together(cells, change)
    thread.join()
    assert found[0].tolist() == [9, 9, 9]


def test_a_snapshot_is_a_copy_unless_the_array_is_handed_over() -> None:
    value, given = np.arange(3.0), np.arange(3.0)
    held = snapshot(value)
    assert held is not value and value.flags.writeable and not held.flags.writeable
    assert snapshot(given, handed_over=True) is given and not given.flags.writeable
    assert snapshot(value[:2], handed_over=True).base is None
