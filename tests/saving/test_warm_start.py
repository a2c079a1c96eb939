"""warm_start against TensorFlow's: the same nodes, values and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow

import dataflow
from tests.differentiation.both import assert_same_graph, assert_same_refusal
from tests.oracle import open_session

oracle = tensorflow.compat.v1


def _variables(tf: Any) -> list[Any]:
    a = tf.get_variable("a", [2], use_resource=False)
    parts = tf.get_variable("p", [4], partitioner=tf.fixed_size_partitioner(2), use_resource=False)
    with tf.variable_scope("deep", use_resource=True):
        b = tf.get_variable("b", [2])
        c = tf.get_variable("c", [], trainable=False)
    return [a, parts, b, c]


def _values(tf: Any) -> dict[str, Any]:
    return {
        "a": tf.Variable([1.0, 2.0], name="a"),
        "p": tf.Variable([3.0, 4.0, 5.0, 6.0], name="p"),
        "b": tf.Variable([7.0, 8.0], name="deep/b"),
        "c": tf.Variable(9.0, name="deep/c"),
    }


@pytest.fixture(scope="module")
def saver_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a Saver of TensorFlow's wrote."""
    prefix = str(tmp_path_factory.mktemp("saver") / "m")
    with oracle.Graph().as_default(), open_session(oracle) as session:
        _values(oracle)
        session.run(oracle.global_variables_initializer())
        return str(oracle.train.Saver().save(session, prefix, write_meta_graph=False))


@pytest.fixture(scope="module")
def object_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a Checkpoint of TensorFlow's wrote: its keys are names of attributes."""
    prefix = str(tmp_path_factory.mktemp("objects") / "m")
    with oracle.Graph().as_default(), open_session(oracle) as session:
        checkpoint = oracle.train.Checkpoint(**_values(oracle))
        session.run(oracle.global_variables_initializer())
        return str(checkpoint.save(prefix, session))


@pytest.mark.parametrize(
    ("wanted", "renamed"),
    [
        (".*", None),
        ("deep", None),
        (["a", "deep/c"], None),
        (None, None),
        ("a|deep", {"a": "deep/b"}),
        (["a"], {"a": "deep/b"}),
    ],
    ids=str,
)
def test_variables_begin_with_what_was_trained(
    saver_checkpoint: str, wanted: Any, renamed: Any
) -> None:
    def program(tf: Any) -> Any:
        made = _variables(tf)
        tf.train.warm_start(saver_checkpoint, wanted, var_name_to_prev_var_name=renamed)
        return [tf.shape(tf.identity(each)) for each in made]

    assert_same_graph(program)


def test_values_of_a_saver_and_of_objects(saver_checkpoint: str, object_checkpoint: str) -> None:
    for path in (saver_checkpoint, object_checkpoint):
        with dataflow.Graph().as_default(), open_session(dataflow) as session:
            a, parts, b, c = _variables(dataflow)
            if path == object_checkpoint:
                dataflow.train.warm_start(path, [a, b, c])
            else:
                dataflow.train.warm_start(path, [a, b, c, *parts])
            session.run(dataflow.global_variables_initializer())
            found = session.run([a, b, c])
            for have, want in zip(found, ([1, 2], [7, 8], 9), strict=True):
                np.testing.assert_array_equal(have, want)
            if path == saver_checkpoint:
                whole = session.run(dataflow.convert_to_tensor(parts))
                np.testing.assert_array_equal(whole, [3, 4, 5, 6])


@pytest.mark.parametrize(
    ("wanted", "renamed"),
    [
        (3, None),
        ([1, "a"], None),
        (["deep", "deep/b"], None),
        (["a"], {"else": "b"}),
        (["a"], {"a": "deep/c"}),
    ],
    ids=str,
)
def test_errors(saver_checkpoint: str, wanted: Any, renamed: Any) -> None:
    def program(tf: Any) -> None:
        _variables(tf)
        tf.train.warm_start(saver_checkpoint, wanted, var_name_to_prev_var_name=renamed)

    assert "ar" in assert_same_refusal(program)


def test_objects_lack_a_variable(object_checkpoint: str) -> None:
    def program(tf: Any) -> None:
        tf.get_variable("new", [2])
        tf.train.warm_start(object_checkpoint)

    assert "did not contain values for all variables" in assert_same_refusal(program)
