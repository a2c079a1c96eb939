"""What variables refuse, and what they do outside of the default graph."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import dataflow as tf
from tests.session.both import oracle


def _refusal(action: Any) -> tuple[type[Exception], str]:
    with pytest.raises(Exception) as caught:
        action()
    return caught.type, str(caught.value)


def _copied(lib: Any) -> None:
    with lib.Graph().as_default():
        copy.deepcopy(lib.Variable(1.0, use_resource=True))


def test_a_resource_variable_is_not_copied() -> None:
    assert _refusal(lambda: _copied(tf)) == _refusal(lambda: _copied(oracle))


@pytest.mark.parametrize("use_resource", [False, True])
def test_an_initial_value_of_a_loop(use_resource: bool) -> None:
    def body(i: Any) -> Any:
        tf.Variable(tf.zeros([], tf.int32), use_resource=use_resource)
        return i + 1

    with tf.Graph().as_default(), pytest.raises(ValueError, match="inside a control-flow"):
        tf.while_loop(lambda i: i < 3, body, [0])


def test_an_assignment_where_no_graph_is_the_default() -> None:
    with tf.Graph().as_default() as graph:
        variable = tf.Variable(1.0, use_resource=True)
    assigned = variable.assign(2.0)
    assert assigned.graph is graph
    with tf.Session(graph=graph) as session:
        assert session.run(assigned) == 2.0


def test_a_partitioned_variable_of_a_list_of_sizes() -> None:
    with tf.Graph().as_default():
        parts = [tf.Variable([float(i)], name=f"p{i}") for i in range(2)]
        for i, part in enumerate(parts):
            part._set_save_slice_info(tf.Variable.SaveSliceInfo("whole", [2], [i], [1]))
        whole = type(_partitioned())("whole", [2], tf.float32, parts[::-1], [2])
        assert whole.get_shape() == [2] and list(whole) == parts


def _partitioned() -> Any:
    partitioner = tf.fixed_size_partitioner(2)
    return tf.get_variable("v", [2], partitioner=partitioner)


def test_operators_are_those_of_tensors() -> None:
    for name in ("__add__", "__matmul__", "__invert__"):
        mine, others = getattr(tf.Variable, name), getattr(tf.Tensor, name)
        assert (mine.__name__, mine.__doc__, mine.__module__) == (
            others.__name__,
            others.__doc__,
            others.__module__,
        )


def _left_too_early(lib: Any) -> Any:
    with lib.Graph().as_default():
        scope = lib.variable_scope("outer")
        scope.__enter__()
        with lib.variable_scope("inner"):
            early = _refusal(lambda: scope.__exit__(None, None, None))
        scope.__exit__(None, None, None)
        return early, lib.get_variable("v", [1]).name


def test_a_scope_that_is_left_too_early_can_be_left_later() -> None:
    assert _left_too_early(tf) == _left_too_early(oracle)


def _creators_left_too_early(lib: Any) -> Any:
    def creator(following: Any, **arguments: Any) -> Any:
        return following(**arguments)

    with lib.Graph().as_default():
        scope = lib.variable_creator_scope(creator)
        scope.__enter__()
        with lib.variable_creator_scope(creator):
            scope.__exit__(None, None, None)


def test_creators_that_are_left_too_early() -> None:
    ours, theirs = (_refusal(lambda lib=lib: _creators_left_too_early(lib)) for lib in (tf, oracle))
    assert ours == theirs
