"""Rows that are worked out together: a fault is that of one row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import dataflow as tf
from tests.ops import conformance
from tests.ops.batches import let_join, of_row
from tests.ops.case import Case, Values


def _negative(values: Values) -> list[np.ndarray]:
    return [-values.positive(3)]


def _unfit(values: Values) -> list[np.ndarray]:
    return [values.any(3, 2), values.any(3, 2)]


def test_neighbours_are_worked_out_once() -> None:
    rows = [Case("Neg", _negative, label=str(place)) for place in range(10)]
    let_join(rows)
    asked: list[list[str]] = []

    def labels(given: Sequence[Case], ending: str) -> list[str]:
        asked.append([row.label for row in given])
        return [row.label + ending for row in given]

    assert [of_row(labels, row, "!") for row in rows] == [f"{place}!" for place in range(10)]
    assert asked == [[*"01234567"], [*"89"]]
    assert of_row(labels, rows[0], "?") == "0?"
    assert of_row(labels, Case("Neg", _negative, label="alone"), "!") == "alone!"
    assert asked[2:] == [[*"01234567"], ["alone"]]


def test_a_row_that_fails_leaves_the_others_alone() -> None:
    wrong = Case("MatMul", _unfit)
    rows = [Case("Neg", _negative), wrong, Case("Abs", _negative)]
    let_join(rows)
    for library in (tf, conformance.oracle):
        for row, sign in ((rows[0], -1), (rows[2], 1)):
            found = conformance.answer_of(library, row)
            ((value,), (fed,)) = found.values["float32"], found.feeds["float32"].values()
            np.testing.assert_array_equal(value, sign * (fed if sign < 0 else np.abs(fed)))
            assert {node.op for node in found.graph_def.node} == {"Placeholder", row.op}
        with pytest.raises(ValueError, match="Dimensions must be equal"):
            conformance.answer_of(library, wrong)


def test_a_graph_holds_the_batch_and_crosses_as_a_whole() -> None:
    rows = [Case("Neg", _negative), Case("Abs", _negative)]
    let_join(rows)
    for maker, runner in ((tf, conformance.oracle), (conformance.oracle, tf)):
        one, other = (conformance.answer_of(maker, row) for row in rows)
        assert one.graph_def is other.graph_def
        for row, answer in zip(rows, (one, other), strict=True):
            (crossed,) = conformance.crossed_over(maker, runner, row)
            np.testing.assert_array_equal(crossed, answer.values["float32"][0])
    assert all(map(conformance.same_graph_defs, rows))
