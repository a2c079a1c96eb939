"""tf.contrib.framework: scopes of arguments, and variables by name."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import framework, rnn


@framework.add_arg_scope
def one(x: Any, a: Any = 1, b: Any = 2) -> Any:
    return x, a, b


@framework.add_arg_scope
def two(x: Any, a: Any = 3, *, c: Any = 4) -> Any:
    return x, a, c


def test_scopes_of_arguments() -> None:
    assert one(0) == (0, 1, 2)
    with framework.arg_scope([one, two], a=10) as outer:
        assert one(0) == (0, 10, 2) and two(0) == (0, 10, 4)
        assert one(0, a=5) == (0, 5, 2)
        with framework.arg_scope([one], b=20):
            assert one(0) == (0, 10, 20) and two(0) == (0, 10, 4)
            with framework.arg_scope([one], a=11, b=21):
                assert one(0) == (0, 11, 21)
        assert one(0) == (0, 10, 2)
        seen: list[Any] = []
        thread = threading.Thread(target=lambda: seen.append(one(0)))
        thread.start()
        thread.join()
        assert seen == [(0, 1, 2)]
    assert one(0) == (0, 1, 2) and framework.current_arg_scope() == {}
    with framework.arg_scope([two], c=7), framework.arg_scope(outer):
        assert one(0) == (0, 10, 2) and two(0) == (0, 10, 4)
    with pytest.raises(RuntimeError, match="oh"), framework.arg_scope([one], a=9):
        raise RuntimeError("oh")
    assert one(0) == (0, 1, 2)
    key = framework.arg_scope_func_key(one)
    assert outer[key] == {"a": 10} and key != framework.arg_scope_func_key(two)
    assert framework.arg_scoped_arguments(two) == ("a", "c")
    assert framework.has_arg_scope(one) and not framework.has_arg_scope(test_scopes_of_arguments)


def test_malformed_scopes() -> None:
    not_decorated = r"len'\) is not decorated with @add_arg_scope"
    with pytest.raises(ValueError, match=not_decorated), framework.arg_scope([len], a=1):
        pass
    no_list = "must either be a list/tuple or reused scope"
    with pytest.raises(TypeError, match=no_list), framework.arg_scope("one", a=1):
        pass
    with pytest.raises(ValueError, match="kwargs must be empty"), framework.arg_scope({}, a=1):
        pass
    with framework.arg_scope([one], nothing=1), pytest.raises(TypeError, match="nothing"):
        one(0)


@pytest.fixture
def variables() -> Any:
    with tf.Graph().as_default():
        with tf.variable_scope("a"):
            first = framework.model_variable("w", [2, 2], initializer=tf.ones_initializer())
            with tf.variable_scope("b"):
                second = framework.variable("w", [3], initializer=tf.zeros_initializer())
        kept = ["mine", tf.GraphKeys.GLOBAL_VARIABLES]
        third = framework.variable("w2", [], trainable=False, device="/cpu:0", collections=kept)
        local = tf.get_local_variable("l", [])
        yield first, second, third, local


def test_variables_by_name(variables: Any) -> None:
    first, second, third, local = variables
    assert framework.get_variables() == [first, second, third]
    assert framework.get_model_variables() == [first] and framework.get_local_variables() == [local]
    assert framework.get_trainable_variables() == [first, second]
    assert tf.get_collection("mine") == [third] and third.device.endswith("CPU:0")
    assert framework.get_variables("a/b") == [second]
    assert framework.get_variables_by_suffix("w") == [first, second]
    assert framework.get_variables_by_name("w2") == [third]
    assert framework.get_variables_by_name("w") == [first, second]
    assert framework.get_variables_to_restore(exclude=["a/b"]) == [first, third]
    assert framework.get_variables_to_restore(include=["a"]) == [first, second]
    assert framework.get_unique_variable("a/w") is first
    assert framework.get_variable_full_name(second) == "a/b/w"
    assert framework.filter_variables([first, second, third], ["w$"], ["b"]) == [first]
    assert framework.filter_variables([first, third], ["w"], reg_search=False) == [third]
    framework.add_model_variable(second)
    framework.add_model_variable(second)
    assert framework.get_model_variables() == [first, second]
    for name, message in (("none", "Couldn't find"), ("a", "does not uniquely identify")):
        with pytest.raises(ValueError, match=message):
            framework.get_unique_variable(name)
    for wrong in ({"include": "a"}, {"exclude": "a"}):
        with pytest.raises(TypeError, match="not a list or a tuple"):
            framework.get_variables_to_restore(**wrong)


def test_assignment(variables: Any, tmp_path: Path, session_factory: Any) -> None:
    first, second, third, _ = variables
    path = str(tmp_path / "model")
    by_value = framework.assign_from_values_fn({"a/w": np.arange(4.0), "a/b/w": [1, 2, 3]})
    saver = tf.train.Saver([first, second])
    with session_factory() as session:
        session.run(tf.global_variables_initializer())
        by_value(session)
        assert session.run(first).tolist() == [[0, 1], [2, 3]]
        assert session.run(second).tolist() == [1, 2, 3]
        saver.save(session, path)
        session.run(tf.global_variables_initializer())
        operation, feeds = framework.assign_from_checkpoint(path, {"a/w": first, "a/b/w": second})
        session.run(operation, feeds)
        assert session.run(first).tolist() == [[0, 1], [2, 3]]
        session.run(tf.global_variables_initializer())
        restore = framework.assign_from_checkpoint_fn(
            path, [first, third], ignore_missing_vars=True
        )
        assert restore is not None
        restore(session)
        assert session.run(first).tolist() == [[0, 1], [2, 3]]
        assert session.run(second).tolist() == [0, 0, 0]
    assert framework.assign_from_checkpoint_fn(path, [third], ignore_missing_vars=True) is None
    with pytest.raises(ValueError, match=r"missing variable \[w2\]"):
        framework.assign_from_checkpoint(path, [third])
    with pytest.raises(ValueError, match=r"lh_shape: \[\(3,\)\], rh_shape: \[\(2, 2\)\]"):
        framework.assign_from_checkpoint(path, {"a/b/w": first})


def test_a_variable_is_only_in_the_collections_that_are_said() -> None:
    with tf.Graph().as_default():
        a = framework.variable("a", [])
        with framework.arg_scope([framework.variable], trainable=False, collections=["A", "B"]):
            b = framework.variable("b", [])
        assert framework.get_variables_to_restore() == [a] == tf.trainable_variables()
        assert tf.get_collection("A") == [b] == tf.get_collection("B")


def test_a_checkpoint_is_beside_a_folder_of_its_name(tmp_path: Path) -> None:
    prefix = tmp_path / "model"
    prefix.mkdir()
    with tf.Graph().as_default(), tf.Session() as session:
        value = tf.get_variable("w", initializer=2.5)
        session.run(value.initializer)
        tf.train.Saver([value]).save(session, str(prefix))
    with tf.Graph().as_default(), tf.Session() as session:
        value = tf.get_variable("v", initializer=0.0)
        session.run(*framework.assign_from_checkpoint(str(prefix), {"w": value}))
        assert session.run(value) == 2.5


def test_cells_are_those_of_nn() -> None:
    assert rnn.BasicLSTMCell is tf.nn.rnn_cell.BasicLSTMCell
    assert rnn.static_rnn is tf.nn.static_rnn


def test_nodes_are_fused() -> None:
    with tf.Graph().as_default() as graph:
        a = tf.placeholder(tf.float32, [2], name="a")
        c = tf.add(a, tf.placeholder(tf.float32, [2], name="b"), name="c")
        e = tf.identity(tf.multiply(c, c, name="d"), name="e")
        tf.negative(e, name="f")
        tf.identity(tf.sqrt(c, name="z"), name="h")
    before = graph.as_graph_def()

    def fused(inputs: Any, outputs: Any) -> list[tuple[str, list[str]]]:
        made = framework.fuse_op(before, inputs, outputs, [1] * len(outputs), True, "op", "Custom")
        (node,) = (node for node in made.node if node.name == "op")
        assert node.op == "Custom" and node.attr["_output_quantized"].b
        assert list(node.attr["_output_types"].list.type) == [1] * len(outputs)
        return [(node.name, list(node.input)) for node in made.node]

    assert fused(["c"], ["e", "h"]) == [
        *[("a", []), ("b", []), ("c", ["a", "b"]), ("op", ["c"])],
        *[("e", ["op"]), ("h", ["op:1"]), ("f", ["e"])],
    ]
    assert fused(["a"], ["e"]) == [
        *[("a", []), ("op", ["a"]), ("e", ["op"]), ("f", ["e"])],
        *[("z", ["c"]), ("h", ["z"])],
    ]
    assert before == graph.as_graph_def()
    for given, error, text in (
        (("a", ["e"]), TypeError, "input_nodes must be a list."),
        ((["a"], "e"), TypeError, "output_nodes must be a list."),
        ((["q"], ["e"]), AssertionError, "q is not in graph"),
        ((["c"], ["d"]), AssertionError, "Output node d must have one input, and has 2."),
        ((["d"], ["f", "h"]), TypeError, "Node z uses input c not in input_nodes."),
    ):
        with pytest.raises(error, match=text):
            fused(*given)
    with pytest.raises(TypeError, match=r"must be a graph_pb2\.GraphDef proto"):
        framework.fuse_op(3, [], [], [], False, "op", "Custom")  # type: ignore[arg-type]
