"""Assigning to slices of variables: StridedSliceAssign and ResourceStridedSliceAssign."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.differentiation import both

START = np.arange(12, dtype=np.float32).reshape(4, 3)

# What is sliced, and the value assigned to it.
SLICES: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "rows": (lambda v: v[1:3], [[-1.0, -2.0, -3.0], [-4.0, -5.0, -6.0]]),
    "row": (lambda v: v[-1], [-1.0, -2.0, -3.0]),
    "element": (lambda v: v[2, 1], -1.0),
    "steps": (lambda v: v[::2, ::-1], [[-1.0, -2.0, -3.0], [-4.0, -5.0, -6.0]]),
    "broadcast": (lambda v: v[1:, 0], -1.0),
    "nothing": (lambda v: v[:0], np.zeros((0, 3), np.float32)),
}


def _assigned(library: Any, name: str, use_resource: bool) -> tuple[Any, Any]:
    """What the assignment gives, and the variable after it."""
    take, value = SLICES[name]
    with library.Graph().as_default(), library.Session() as session:
        variable = library.Variable(START, use_resource=use_resource)
        assign = take(variable).assign(value)
        session.run(library.global_variables_initializer())
        result = session.run(assign)
        return result, session.run(variable)


@pytest.mark.parametrize("use_resource", [False, True], ids=["StridedSliceAssign", "Resource"])
@pytest.mark.parametrize("name", SLICES)
def test_assign_to_slice(name: str, use_resource: bool) -> None:
    theirs = _assigned(both.oracle, name, use_resource)
    ours = _assigned(both.tf, name, use_resource)
    for have, want in zip(ours, theirs, strict=True):
        both.assert_same_value(have, want)


@pytest.mark.parametrize("use_resource", [False, True])
def test_assign_makes_tensorflows_graph(use_resource: bool) -> None:
    def program(tf: Any) -> Any:
        variable = tf.Variable(START, use_resource=use_resource)
        variable[1:3, 0].assign([1.0, 2.0])
        variable[0].assign([1.0, 2.0, 3.0], name="row")

    both.assert_same_graph(program, values=False)


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_value_fetched_before_keeps_its_elements(use_resource: bool) -> None:
    tf = both.tf
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.Variable(START, use_resource=use_resource)
        assign = variable[0].assign([9.0, 9.0, 9.0])
        session.run(variable.initializer)
        whole, row = session.run([variable, variable[0]])
        session.run(assign)
        np.testing.assert_array_equal(whole, START)
        np.testing.assert_array_equal(row, START[0])


@pytest.mark.parametrize("use_resource", [False, True])
def test_assign_refuses_a_value_that_does_not_fit(use_resource: bool) -> None:
    errors = []
    for library in (both.oracle, both.tf):
        with library.Graph().as_default(), library.Session() as session:
            variable = library.Variable(START, use_resource=use_resource)
            value = library.placeholder(library.float32, None)
            assign = variable[0].assign(value)
            session.run(library.global_variables_initializer())
            with pytest.raises(library.errors.InvalidArgumentError) as caught:
                session.run(assign, {value: [1.0, 2.0]})
            errors.append(str(caught.value))
            np.testing.assert_array_equal(session.run(variable), START)
    for text in errors:
        assert "[2]" in text and "[3]" in text


@pytest.mark.parametrize("use_resource", [False, True])
def test_assign_to_slice_of_uninitialized_variable(use_resource: bool) -> None:
    for library in (both.oracle, both.tf):
        with library.Graph().as_default(), library.Session() as session:
            variable = library.Variable(START, use_resource=use_resource)
            assign = variable[0].assign([1.0, 2.0, 3.0])
            with pytest.raises(library.errors.OpError, match=r"(?i)uninitialized|does not exist"):
                session.run(assign)
