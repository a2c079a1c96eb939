"""Stacks: StackV2, StackPushV2, StackPopV2, StackCloseV2 and their old forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow import errors
from tests.conftest import SessionFactory

Action = Callable[[Any, Any], Any]


def push(value: Any, **attrs: Any) -> Action:
    return lambda library, stack: library.raw_ops.StackPushV2(handle=stack, elem=value, **attrs)


def pop(dtype: str = "float32") -> Action:
    return lambda library, stack: library.raw_ops.StackPopV2(
        handle=stack, elem_type=getattr(library, dtype)
    )


def use(
    actions: Sequence[Action], limit: Any = -1, dtype: str = "float32", **attrs: Any
) -> Callable[[Any], Any]:
    """A program that does one thing to a stack after the other and gives what they give."""

    def build(library: Any) -> Any:
        size = library.placeholder_with_default(np.int32(limit), None)
        kind = getattr(library, dtype)
        stack = library.raw_ops.StackV2(max_size=size, elem_type=kind, **attrs)
        results: list[Any] = []
        for action in actions:
            with library.control_dependencies(results[-1:]):
                results.append(action(library, stack))
        return [r for r in results if hasattr(r, "dtype")]

    return build


def test_popping_another_type_is_an_internal_error() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        fetches = use([push(1.0), pop("int32")])(tf)
        with pytest.raises(errors.InternalError, match="type float does not match declared"):
            session.run(fetches)


def test_each_run_of_the_op_makes_a_stack(session_factory: SessionFactory) -> None:
    stack = tf.raw_ops.StackV2(max_size=-1, elem_type=tf.float32)
    pushed = tf.raw_ops.StackPushV2(handle=stack, elem=tf.constant(1.0))
    with tf.control_dependencies([pushed]):
        popped = tf.raw_ops.StackPopV2(handle=stack, elem_type=tf.float32)
    session = session_factory()
    assert [session.run(popped) for _ in range(3)] == [1.0, 1.0, 1.0]
    with pytest.raises(errors.InvalidArgumentError, match="is empty"):
        session.run(tf.raw_ops.StackPopV2(handle=stack, elem_type=tf.float32))
