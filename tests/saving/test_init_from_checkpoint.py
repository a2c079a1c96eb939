"""init_from_checkpoint and warm_start against TensorFlow's: the same nodes, values and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow

import dataflow
from tests.differentiation.both import assert_same_graph, assert_same_refusal
from tests.oracle import open_session

oracle = tensorflow.compat.v1


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with a checkpoint that TensorFlow wrote."""
    folder = tmp_path_factory.mktemp("trained")
    with oracle.Graph().as_default(), open_session(oracle) as session:
        with oracle.variable_scope("old"):
            oracle.get_variable("w", initializer=np.arange(6, dtype=np.float32).reshape(3, 2))
            oracle.get_variable("deep/b", initializer=np.array([7.0, 8.0], np.float32))
        oracle.get_variable("n", initializer=np.int64(5))
        session.run(oracle.global_variables_initializer())
        oracle.train.Saver().save(session, str(folder / "m"), 3, write_meta_graph=False)
    return str(folder)


def _variables(tf: Any, resource: bool) -> list[Any]:
    with tf.variable_scope("new", use_resource=resource):
        w = tf.get_variable("w", [3, 2], initializer=tf.zeros_initializer())
        b = tf.get_variable("deep/b", [2], initializer=tf.zeros_initializer())
        parts = tf.get_variable(
            "p",
            [3, 2],
            initializer=tf.zeros_initializer(),
            partitioner=tf.fixed_size_partitioner(2),
        )
    with tf.device("/cpu:0"):
        n = tf.get_variable("n", [], tf.int64, initializer=tf.zeros_initializer())
    return [w, b, parts, n]


@pytest.mark.parametrize("resource", [False, True], ids=["reference", "resource"])
@pytest.mark.parametrize("how", ["names", "objects", "pairs"])
def test_variables_begin_with_values_of_a_checkpoint(
    checkpoint: str, how: str, resource: bool
) -> None:
    def program(tf: Any) -> Any:
        w, b, parts, n = _variables(tf, resource)
        maps = {
            "names": {"old/w": "new/w", "old/deep/b": "new/deep/b", "n": "n"},
            "objects": {"old/w": w, "old/deep/b": b, "n": n},
            "pairs": [("old/w", w), ("old/w", parts._get_variable_list()), ("n", "n")],
        }
        tf.train.init_from_checkpoint(checkpoint, maps[how])
        assert w.initial_value.shape == [3, 2]
        return [tf.identity(each) for each in (w, b, parts, n)]

    assert_same_graph(program)


@pytest.mark.parametrize("scopes", [("old/", "new/"), ("/", "/"), ("old/deep/", "new/deep/")])
def test_scopes(checkpoint: str, scopes: tuple[str, str]) -> None:
    def program(tf: Any) -> Any:
        with tf.variable_scope(scopes[1].rstrip("/"), use_resource=False):
            if scopes[0] == "old/":
                w = tf.get_variable("w", [3, 2], partitioner=tf.fixed_size_partitioner(3))
                b = tf.get_variable("deep/b", [2])
            elif scopes[0] == "/":
                w = tf.get_variable("old/w", [3, 2])
                b = tf.get_variable("old/deep/b", [2])
            else:
                w = b = tf.get_variable("b", [2])
        tf.train.init_from_checkpoint(checkpoint, dict([scopes]))
        return [tf.identity(w), tf.identity(b)]

    assert_same_graph(program)


@pytest.mark.parametrize(
    "assignments",
    [
        {"old/deep/b": "new/w"},
        {"old/w": "other/"},
        {"old/deep/": "new/"},
    ],
    ids=str,
)
def test_errors(checkpoint: str, assignments: dict[str, str]) -> None:
    def program(tf: Any) -> None:
        _variables(tf, False)
        tf.train.init_from_checkpoint(checkpoint, assignments)

    text = assert_same_refusal(program)
    assert "Tensor" in text or "tensor" in text or "scope" in text


def test_what_is_not_in_the_checkpoint_is_named(checkpoint: str) -> None:
    texts = []
    for tf in (dataflow, oracle):
        with tf.Graph().as_default(), pytest.raises(ValueError, match="is not found") as refused:
            _variables(tf, False)
            tf.train.init_from_checkpoint(checkpoint, {"none": "new/w"})
        # What there is follows, in any order.
        texts.append(str(refused.value).partition("{")[0])
    assert texts[0] == texts[1]


def test_parts_of_two_variables_are_none(checkpoint: str) -> None:
    def program(tf: Any) -> None:
        two = [
            tf.get_variable(name, [3, 2], partitioner=tf.fixed_size_partitioner(2))
            for name in ("a", "b")
        ]
        parts = [two[0]._get_variable_list()[0], two[1]._get_variable_list()[1]]
        tf.train.init_from_checkpoint(checkpoint, {"old/w": parts})

    assert "Slices must all be from the same tensor" in assert_same_refusal(program)


def test_the_initializer_that_was_set_is_the_one_that_runs(checkpoint: str) -> None:
    with dataflow.Graph().as_default(), open_session(dataflow) as session:
        variable = dataflow.get_variable("v", [2], initializer=dataflow.ones_initializer())
        dataflow.train.init_from_checkpoint(checkpoint, {"old/deep/b": variable})
        session.run(dataflow.global_variables_initializer())
        np.testing.assert_array_equal(session.run(variable), [7.0, 8.0])
        variable.load([1.0, 2.0], session)
        np.testing.assert_array_equal(session.run(variable), [1.0, 2.0])
