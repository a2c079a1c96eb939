"""What TensorFlow's own tests ask of bodies of functions and of stores of variables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import dataflow as tf
from dataflow.control_flow.cond_v2 import cond_v2
from dataflow.control_flow.while_v2 import while_loop
from dataflow.porting.spellings.eager import mode
from dataflow.porting.spellings.framework import graph_internals
from dataflow.porting.spellings.ops import flow, scopes


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    """A graph of the test's own."""
    with tf.Graph().as_default() as made:
        yield made


def test_a_store_that_a_program_opens() -> None:
    store = scopes.EagerVariableStore()
    with store.as_default():
        trained = tf.get_variable("b", initializer=3.0)
        kept = tf.get_variable("a", [], trainable=False)
        listed = tf.get_variable("c", [], collections=["own"])
    assert tf.global_variables() == [trained, kept]
    assert tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES) == [trained, listed]
    assert store.variables() == [kept, trained, listed]
    assert store.trainable_variables() == [trained, listed]
    assert store.non_trainable_variables() == [kept]
    assert tf.get_variable("b", []) is not trained, "outside there is another store"
    copied = scopes.EagerVariableStore(store.copy()._store)
    with copied.as_default(), tf.variable_scope("", reuse=True):
        again = tf.get_variable("b", [])
    assert again is copied.variables()[1] and again is not trained
    assert not copied.variables()[0].trainable
    with tf.Session() as session:
        session.run([trained.initializer, trained.assign(5.0).op])
        session.run(again.initializer)
        assert session.run(again) == session.run(trained)


def test_the_bodies_of_a_node() -> None:
    x = tf.constant(1.0)
    with mode.function_executor_type("SINGLE_THREADED_EXECUTOR"):
        chosen = cond_v2(x > 0.0, lambda: x * 2.0, lambda: tf.exp(x))
    looped = while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)])[0]
    taken, other = flow.get_func_graphs(chosen.op.inputs[0].op)
    assert "Mul" in {op.type for op in taken.get_operations()}
    assert "Exp" in {op.type for op in other.get_operations()}
    node = looped.op.inputs[0].op
    assert flow._get_graph(node, "body").name == node.get_attr("body").name
    assert flow._get_graph(node, "cond").name == node.get_attr("cond").name


def test_a_graph_as_a_function(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    y = tf.exp(x, name="y")

    def written(*names: Any) -> Any:
        made = graph_internals.graph_to_function_def(
            graph, graph.get_operations(), [x], [y], *names
        )
        return made.signature.name, made.signature.output_arg[0].name, dict(made.ret)

    assert written(["out"]) == ("_", "out", {"out": "y:y:0"})
    assert written()[0] == "_"
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"size = 2 outputs size = 1"):
        written(["a", "b"])
    with pytest.raises(ValueError, match=r"Must not have duplicates in out_names: a, a"):
        graph_internals.graph_to_function_def(graph, [y.op], [x], [y, y], ["a", "a"])


def test_calls_ask_for_the_executor_around_them() -> None:
    add = tf.function(lambda x: x + 1)
    x = tf.placeholder(tf.int32)
    calls = {}
    for name in (None, "NOBODY", "SINGLE_THREADED_EXECUTOR"):
        with mode.function_executor_type("DEFAULT"), mode.function_executor_type(name):
            calls[name] = add(x)
        assert calls[name].op.get_attr("executor_type") == (name or "").encode()
    assert add(x).op.get_attr("executor_type") == b""
    with tf.Session() as session:
        assert session.run(calls["SINGLE_THREADED_EXECUTOR"], {x: 1}) == 2
        assert session.run(calls[None], {x: 1}) == 2
        with pytest.raises(tf.errors.NotFoundError, match="executor type: NOBODY"):
            session.run(calls["NOBODY"], {x: 1})
