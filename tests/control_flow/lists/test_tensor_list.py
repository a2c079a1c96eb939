"""Lists of tensors: EmptyTensorList, TensorListReserve and the ops that work on them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dataflow as tf
from dataflow.kernels.lists.tensor_list import TensorList
from tests.conftest import SessionFactory
from tests.differentiation.both import assert_same_graph
from tests.ops.cases.lists.tensor_list import GRADIENTS
from tests.ops.list_ops import Ops


def test_an_optional_is_no_list() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        other = tf.raw_ops.OptionalFromValue(components=[tf.constant(1)])
        length = tf.raw_ops.TensorListLength(input_handle=other)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Input handle is not a list"):
            session.run(length)


def test_lists_go_from_device_to_device(session_factory: SessionFactory) -> None:
    """On Ray each of the devices is a process of its own."""
    ops = Ops(tf)
    x = tf.placeholder(tf.float32, [2, 5000])
    with tf.device("/cpu:0"):
        handle = ops.push(ops.unstack(x, [-1]), [3.0])
    with tf.device("/cpu:1"):
        last, first = ops.pop(handle)[1], ops.get(handle, 0)
        longer = ops.push(handle, tf.ones([2]))
    with tf.device("/cpu:0"):
        lengths = [ops.length(longer), ops.length(handle)]
    session = session_factory(config=tf.ConfigProto(device_count={"CPU": 2}))
    rows = np.arange(10_000, dtype=np.float32).reshape(2, 5000)
    found = session.run([last, first, *lengths], {x: rows})
    np.testing.assert_array_equal(found[0], [3])
    np.testing.assert_array_equal(found[1], rows[0])
    assert found[2:] == [4, 3]


def place(library: Any, *shape: int) -> Any:
    return library.placeholder(library.float32, shape, name="x")


def gradients(case: Callable[[Ops, Any], Any], *shape: int) -> Callable[[Any], Any]:
    def build(library: Any) -> Any:
        x = place(library, *shape)
        y = case(Ops(library), x)
        weights = library.range(1.0, library.cast(library.size(y), "float32") + 1.0)
        return library.gradients(y * library.reshape(weights, library.shape(y)), x)

    return build


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_are_tensorflows(name: str) -> None:
    case, shape = GRADIENTS[name]
    assert_same_graph(gradients(case, *shape))


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("push"), st.integers(0, 50), st.integers(0, 99)),
        st.tuples(st.just("pop"), st.integers(0, 50), st.just(0)),
        st.tuples(st.just("set"), st.integers(0, 50), st.integers(0, 99)),
        st.tuples(st.just("read"), st.integers(0, 50), st.just(0)),
    ),
    max_size=40,
)


@given(STEPS)
def test_old_lists_keep_their_elements(steps: list[tuple[str, int, int]]) -> None:
    """Any list made so far may be changed next; each must stay what it was."""
    made: list[tuple[TensorList, list[int]]] = [(TensorList(tf.int32, None, [1, 2]), [1, 2])]
    for kind, which, value in steps:
        handle, model = made[which % len(made)]
        if kind == "push":
            made.append((handle.pushed(value), [*model, value]))
        elif kind == "pop" and model:
            rest, last = handle.popped()
            assert last == model[-1]
            made.append((rest, model[:-1]))
        elif kind == "set" and model:
            place = value % len(model)
            made.append((handle.replaced(place, value), _with(model, place, value)))
        elif kind == "read" and model:
            assert handle.get(which % len(model)) == model[which % len(model)]
    for handle, model in made:
        assert handle.length == len(model)
        assert handle.elements() == model


def _with(model: list[int], place: int, value: int) -> list[int]:
    return [*model[:place], value, *model[place + 1 :]]


def test_lists_may_be_read_and_changed_from_many_threads() -> None:
    first = TensorList(tf.int32, None, range(100))
    wrong: list[Any] = []

    def work(number: int) -> None:
        handle = first
        for round_number in range(300):
            handle = handle.replaced(number, (number, round_number))
            if first.get(number) != number or handle.get(number) != (number, round_number):
                wrong.append((number, round_number))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert first.elements() == list(range(100))


def test_a_long_list_is_built_in_linear_time() -> None:
    handle = TensorList(tf.int32, None)
    for value in range(100_000):
        handle = handle.pushed(value)
    for value in range(100_000):
        handle = handle.replaced(value, -value)
    for value in reversed(range(100_000)):
        handle, last = handle.popped()
        assert last == -value
    assert handle.length == 0


def test_a_long_history_is_read_and_freed_without_recursion() -> None:
    first = TensorList(tf.int32, None, [0])
    last = first
    for value in range(50_000):
        last = last.replaced(0, value)
    assert first.get(0) == 0
    assert last.get(0) == 49_999
    del first, last
