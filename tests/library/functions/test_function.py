"""tf.function in graph mode against TensorFlow's."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.framework.function import Defun as oracle_defun

import dataflow as tf
from dataflow.library.defun import Defun
from tests.conftest import SessionFactory
from tests.oracle import open_session

LIBRARIES = (tf, oracle)


def both(program: Any) -> tuple[Any, Any]:
    """What a program of a library and a graph gives with each."""
    found = []
    for library in LIBRARIES:
        with library.Graph().as_default() as graph:
            found.append(program(library, graph))
    return found[0], found[1]


def test_kinds_of_arguments_are_traced_once_each() -> None:
    def program(tf: Any, graph: Any) -> Any:
        traced: list[Any] = []

        @tf.function
        def area(x: Any, y: Any = 2.0, *, scale: Any = 1) -> Any:
            traced.append((x.shape.as_list(), y, scale))
            return {"area": x * y, "both": (x, y)}

        one, two = tf.constant(3.0), tf.constant([1.0, 2.0])
        calls = [area(one), area(two, y=3.0), area(one, 2.0), area(one, scale=2), area(two, 3.0)]
        concrete = area.get_concrete_function(tf.TensorSpec([None], tf.float32))
        with open_session(tf, graph) as session:
            values = session.run([call["area"] for call in calls] + [calls[1]["both"][1]])
        kinds = [op.type for op in graph.get_operations()]
        args, kwargs = concrete.structured_input_signature
        return traced, values, kinds, args[0].name, args[1:], kwargs

    ours, theirs = both(program)
    assert ours[0] == theirs[0] and ours[2:] == theirs[2:]
    for mine, its in zip(ours[1], theirs[1], strict=True):
        np.testing.assert_array_equal(mine, its)


def test_equal_values_of_other_types_are_traced_apart() -> None:
    """TensorFlow takes the trace of 1 for 1.0 and True, too, and so gives an integer."""
    with tf.Graph().as_default():
        constant = tf.function(lambda value: tf.constant(value))
        made = [constant(value).dtype.name for value in (1, 1.0, True, 1)]
    assert made == ["int32", "float32", "bool", "int32"]
    assert constant.experimental_get_tracing_count() == 3


def test_variables_are_made_once_and_in_order() -> None:
    def program(tf: Any, graph: Any) -> Any:
        made: list[Any] = []

        @tf.function
        def count(x: Any) -> Any:
            if not made:
                made.append(tf.Variable(tf.ones([2]) * 3.0, name="total"))
            made[0].assign_add(x)
            seen = made[0] + 0.0
            made[0].assign_add(x)
            return seen

        result = count(tf.constant([1.0, 2.0]))
        (gradient,) = tf.gradients(count(tf.constant([1.0, 1.0])), made)
        names = [(v.name, v.trainable) for v in tf.global_variables()]
        with open_session(tf, graph) as session:
            session.run(tf.global_variables_initializer())
            values = [session.run(result), session.run(result), session.run(gradient)]
        kinds = sorted((op.name, op.type) for op in graph.get_operations() if "grad" not in op.name)
        return np.array(values).tolist(), names, tf.trainable_variables(), kinds

    ours, theirs = both(program)
    assert ours == theirs


def test_what_is_refused() -> None:
    def program(tf: Any, graph: Any) -> Any:
        found = []

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def described(x: Any) -> Any:
            return x

        assert described([1.0, 2.0]).shape.rank == 1
        for call in (
            lambda: described(tf.constant(1.0)),
            lambda: described(tf.constant([1])),
            lambda: described([1.0], 2),
            lambda: tf.function(lambda x: object())(1),
            lambda: tf.function(lambda x: tf.Variable(1.0))(1),
            lambda: tf.function(lambda x: x, input_signature=[3]),
        ):
            try:
                call()
                found.append(None)
            except (TypeError, ValueError) as error:
                found.append(type(error))
        return found

    ours, theirs = both(program)
    assert ours == theirs and None not in ours
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Unable to lift tensor"):
        tf.function(lambda x: tf.Variable(x))(tf.constant(1.0))


def test_methods_nested_functions_and_composites() -> None:
    def program(tf: Any, graph: Any) -> Any:
        class Scaled:
            def __init__(self, scale: float) -> None:
                self.scale = scale

            @tf.function
            def inner(self, x: Any) -> Any:
                return x * self.scale

            @tf.function
            def outer(self, x: Any) -> Any:
                return self.inner(x) + self.inner(x + 1.0)

        sparse = tf.SparseTensor([[0, 1]], [2.0], [2, 2])

        @tf.function
        def doubled(x: Any) -> Any:
            return tf.SparseTensor(x.indices, x.values * 2.0, x.dense_shape)

        first, second = Scaled(2.0), Scaled(3.0)
        calls = [first.outer(tf.constant(1.0)), second.outer(tf.constant(1.0))]
        again = tf.function(tf.function(lambda x, y=2.0: x / y))
        calls += [tf.function(first.inner)(4.0), again(tf.constant(5.0)), again(3.0, y=1.0)]
        with open_session(tf, graph) as session:
            values = session.run(calls)
            dense = session.run(tf.sparse_tensor_to_dense(doubled(sparse)))
        assert first.inner is first.inner
        assert list(inspect.signature(again).parameters) == ["x", "y"]
        return [float(value) for value in values], dense.tolist()

    ours, theirs = both(program)
    assert ours == theirs == ([6.0, 9.0, 8.0, 2.5, 3.0], [[0.0, 4.0], [0.0, 0.0]])


def test_shapes_are_relaxed_where_asked_for() -> None:
    def program(tf: Any, graph: Any) -> Any:
        shapes: list[Any] = []

        @tf.function(reduce_retracing=True)
        def traced(x: Any) -> Any:
            shapes.append(x.shape.as_list())
            return x + 1.0

        for size in (1, 2, 3, 4):
            traced(tf.zeros([size]))
        return shapes

    ours, theirs = both(program)
    assert ours == theirs == [[1], [None]]


def test_ranks_are_relaxed_where_tensorflow_2_does() -> None:
    def program(tf: Any, graph: Any, option: str = "reduce_retracing") -> Any:
        shapes: list[Any] = []

        @tf.function(**{option: True})
        def traced(x: Any) -> Any:
            shapes.append(None if x.shape.ndims is None else x.shape.as_list())
            return x + 1.0

        for shape in ([2], [2, 3], [4], [5, 3], [6]):
            traced(tf.zeros(shape))
        return shapes

    ours, theirs = both(program)
    assert ours == theirs == [[2], None]
    with tf.Graph().as_default() as graph:
        # As TensorFlow 1 has it.
        apart = program(tf, graph, "experimental_relax_shapes")
    assert apart == [[2], [2, 3], [None], [None, 3]]


def test_shapes_are_relaxed_in_each_graph_anew() -> None:
    def program(tf: Any, graph: Any) -> Any:
        shapes: list[Any] = []
        traced = tf.function(lambda x: shapes.append(x.shape.as_list()), reduce_retracing=True)
        for sizes in ((1, 2), (3,)):
            with tf.Graph().as_default():
                for size in sizes:
                    traced(tf.zeros([size]))
        return shapes

    ours, theirs = both(program)
    assert ours == theirs == [[1], [None], [3]]


def test_effects_wait_for_all_arguments() -> None:
    """Those of functions whose results are arguments come before, whatever the nodes need."""

    def program(tf: Any, graph: Any) -> Any:
        dataset = tf.data.Dataset.range(40)
        iterator = tf.data.make_initializable_iterator(dataset)
        last = tf.get_variable("last", [], tf.int64, use_resource=True, trainable=False)

        @tf.function
        def first() -> Any:
            found = iterator.get_next()
            last.assign(found)
            return found * 1

        @tf.function
        def inner(x: Any) -> Any:
            return iterator.get_next() + 0 * x

        @tf.function
        def second(x: Any, _: Any) -> Any:
            before = tf.identity(last)
            last.assign(-1)
            return iterator.get_next() + x, before, inner(x)

        x = first()
        results = [x, *second(tf.constant(100, tf.int64), x)]
        with open_session(tf, graph) as session:
            session.run([tf.global_variables_initializer(), iterator.initializer])
            return [[int(value) for value in session.run(results)] for _ in range(3)]

    ours, theirs = both(program)
    assert ours == theirs
    assert ours == [[0, 101, 0, 2], [3, 104, 3, 5], [6, 107, 6, 8]]


def test_training_in_a_function() -> None:
    def program(tf: Any, graph: Any) -> Any:
        weights = tf.get_variable("w", [2], use_resource=True, initializer=tf.ones_initializer())
        zeros = tf.zeros_initializer()
        step = tf.get_variable("step", [], tf.int64, use_resource=True, initializer=zeros)
        optimizer = tf.train.AdamOptimizer(0.1)

        @tf.function
        def train(x: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(weights * weights * x)
            gradients = tape.gradient(loss, [weights])
            optimizer.apply_gradients(zip(gradients, [weights], strict=True), global_step=step)
            return loss

        loss = train(tf.constant(2.0))
        with open_session(tf, graph) as session:
            session.run(tf.global_variables_initializer())
            losses = [session.run(loss) for _ in range(3)]
            return (
                np.array(losses),
                session.run(weights),
                sorted(variable.name for variable in tf.global_variables()),
            )

    ours, theirs = both(program)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-6)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-6)
    assert [name for name in ours[2] if "power" not in name] == [
        name for name in theirs[2] if "power" not in name
    ]


def test_on_each_target(session_factory: SessionFactory) -> None:
    total = tf.get_variable("total", [], use_resource=True, initializer=tf.zeros_initializer())

    @tf.function
    def add(x: Any) -> Any:
        while total < x:
            total.assign_add(1.0)
        return total + x

    result = add(tf.constant(3.0))
    session = session_factory()
    session.run(tf.global_variables_initializer())
    assert session.run(result) == 6.0 and session.run(total) == 3.0


def test_a_call_waits_for_what_its_body_is_to_wait_for() -> None:
    def program(tf: Any, graph: Any) -> Any:
        count = tf.get_variable("count", [], use_resource=True, initializer=tf.zeros_initializer())
        add = count.assign_add(1.0)

        @tf.function
        def outer(x: Any) -> Any:
            own = tf.constant(2.0, name="own")

            @tf.function
            def inner() -> Any:
                with tf.control_dependencies([add, own]):
                    return tf.constant(3.0)

            return inner() + x

        calls = [outer(tf.constant(1.0)), outer.get_concrete_function(tf.constant(2.0))(1.0)]
        waits = [[each.name for each in call.op.control_inputs] for call in calls]
        library = graph.as_graph_def().library.function
        inside = {i for f in library for node in f.node_def for i in node.input if i[0] == "^"}
        with open_session(tf, graph) as session:
            session.run(count.initializer)
            session.run(calls[0])
            first = session.run(count)
            session.run(calls[1])
            found = [first, session.run(count)]
        refused = []
        with tf.Graph().as_default():
            for element in (add, add.op):
                for program in (
                    lambda e: tf.control_dependencies([e]).__enter__(),
                    lambda e: outer(tf.constant(1.0)),
                    lambda e: defun(tf, e)(),
                ):
                    with pytest.raises(ValueError, match="not an element of this graph") as error:
                        program(element)
                    refused.append(str(error.value).splitlines()[0][:16])
        return waits, inside, found, refused

    ours, theirs = both(program)
    assert ours == theirs


def defun(library: Any, outside: Any) -> Any:
    """A Defun whose body is to wait for something outside, which it cannot."""
    made = Defun if library is tf else oracle_defun

    @made()
    def body() -> Any:
        with library.control_dependencies([outside]):
            return library.constant(3.0)

    return body
