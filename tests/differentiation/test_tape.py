"""tf.GradientTape in a graph, against TensorFlow's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow
from tests.oracle import oracle


def _variable(tf: Any, value: Any, **options: Any) -> Any:
    return tf.Variable(value, use_resource=True, **options)


def products(tf: Any) -> Any:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


def variables(tf: Any) -> Any:
    v, fixed = _variable(tf, 2.0), _variable(tf, 5.0, trainable=False)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v * fixed
    with tf.GradientTape(watch_accessed_variables=False, persistent=True) as other:
        other.watch(fixed)
        z = v * v * fixed
    assert [each is v for each in tape.watched_variables()] == [True]
    assert [each is fixed for each in other.watched_variables()] == [True]
    return [tape.gradient(y, {"v": v, "fixed": fixed}), other.gradient(z, [v, fixed])]


def complex_targets(tf: Any) -> Any:
    x = tf.constant([1.0 + 2.0j, 3.0j])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, size = x * x * 1.0j, tf.abs(x)
    return tape.gradient([y, size], x)


def standing_still(tf: Any) -> Any:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            w = y * y
        z = w + y
    after = z * 2.0
    return [
        tape.gradient(z, x),
        tape.gradient(w, x),
        tape.gradient(z, y),
        tape.gradient(after, x),
        tape.gradient({"a": z, "b": [y, w]}, (x,)),
        tape.gradient([z, y], x, output_gradients=[tf.constant(2.0), tf.constant(3.0)]),
        tape.gradient(z, [x, tf.constant(1.0)], unconnected_gradients="zero"),
    ]


def made_before(tf: Any) -> Any:
    """What was made before the tape is a constant, though it depends on a source."""
    v = _variable(tf, 2.0)
    x = tf.constant(3.0)
    before, read = x * v, v.read_value()
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, before])
        y = before * x * read
        z = tf.square(v) * before
    return [tape.gradient(y, [x, v, before]), tape.gradient(z, [x, v, before])]


def forgotten(tf: Any) -> Any:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tape.reset()
        z = y * x
    return tape.gradient(z, x)


def twice(tf: Any) -> Any:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        first = inner.gradient(y, x)
    return [first, outer.gradient(first, x)]


def persistent_inside(tf: Any) -> Any:
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * x
        first = tape.gradient(y, x)
        penalty = y + first * first
    return [first, tape.gradient(penalty, x)]


def loops_and_branches(tf: Any) -> Any:
    x, v = tf.constant(1.5), _variable(tf, 2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        _, y = tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y * x * v), [0, x])
        z = tf.cond(y > 100.0, lambda: y, lambda: y * v)
    # TensorFlow's tape takes no control flow of version 1.
    return tf.gradients(z, [x, v]) if tf is oracle else tape.gradient(z, [x, v])


def sums_in_a_loop(tf: Any) -> Any:
    """What is watched comes into the loop's variable by its body only."""
    x = tf.constant(1.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        _, y = tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y + x * x), [0, 1.0])
    return tf.gradients(y, x) if tf is oracle else [tape.gradient(y, x)]


def asked_inside(tf: Any) -> Any:
    v, later = _variable(tf, 2.0), _variable(tf, 3.0)
    with tf.GradientTape() as tape:
        y = v * v
        grad = tape.gradient(y, v)
        _ = later * later
    assert [each is v for each in tape.watched_variables()] == [True]
    return grad


def rows_of_a_table(tf: Any) -> Any:
    table = _variable(tf, np.arange(6.0).reshape(3, 2))
    with tf.GradientTape() as tape:
        y = tf.square(tf.gather(table, [2, 0, 2]))
    return tf.convert_to_tensor(tape.gradient(y, table))


def jacobians(tf: Any) -> Any:
    x, m = tf.constant([1.0, 2.0, 3.0]), tf.constant([[1.0], [2.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, m])
        y = m * x * x
        z = tf.reduce_sum(y)
    other = tf.constant([4.0, 5.0])
    found = tape.jacobian(y, {"x": x, "m": m, "other": other})
    assert found["x"].shape.as_list() == [2, 3, 3]
    return [
        found,
        tape.jacobian(z, x),
        tape.jacobian(y, [other], unconnected_gradients="zero"),
        tape.jacobian(other, x),
    ]


def jacobians_of_batches(tf: Any) -> Any:
    x = tf.constant(np.arange(1.0, 13.0).reshape(2, 2, 3))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.reduce_sum(x * x, 2)
    found = tape.batch_jacobian(y, x)
    assert found.shape.as_list() == [2, 2, 2, 3]
    return [found, tape.batch_jacobian(tf.ones_like(y), x, unconnected_gradients="zero")]


PROGRAMS = [
    products,
    variables,
    complex_targets,
    standing_still,
    made_before,
    forgotten,
    twice,
    persistent_inside,
    loops_and_branches,
    sums_in_a_loop,
    asked_inside,
    rows_of_a_table,
    jacobians,
    jacobians_of_batches,
]


def _values(tf: Any, program: Callable[[Any], Any]) -> list[Any]:
    with tf.Graph().as_default(), tf.Session() as session:
        found = program(tf)
        session.run(tf.global_variables_initializer())
        leaves = tf.nest.flatten(found)
        return [None if each is None else session.run(each) for each in leaves]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_as_tensorflow(program: Callable[[Any], Any]) -> None:
    wanted, found = _values(oracle, program), _values(dataflow, program)
    assert [each is None for each in found] == [each is None for each in wanted]
    for ours, theirs in zip(found, wanted, strict=True):
        if theirs is not None:
            np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_reference_variables() -> None:
    """TensorFlow's tape fails on them; here they are variables like others."""
    v, other = dataflow.Variable(3.0), dataflow.Variable(4.0)
    with dataflow.GradientTape() as tape:
        y = v * v
    assert [each is v for each in tape.watched_variables()] == [True]
    with dataflow.GradientTape(watch_accessed_variables=False) as blind:
        blind.watch(other)
        z = v * other
    grads = [*tape.gradient(y, [v, other]), *blind.gradient(z, [v, other])]
    with dataflow.Session() as session:
        session.run(dataflow.global_variables_initializer())
        assert grads[1] is None and grads[2] is None
        assert session.run([grads[0], grads[3]]) == [6.0, 3.0]


def _refused(tf: Any, attempt: Callable[[Any], Any]) -> tuple[str, str]:
    with tf.Graph().as_default(), pytest.raises((ValueError, RuntimeError)) as raised:
        attempt(tf)
    return type(raised.value).__name__, str(raised.value).replace("tocompute", "to compute")


def _used_twice(tf: Any) -> None:
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    tape.gradient(y, x)


def _entered_twice(tf: Any) -> None:
    with tf.GradientTape() as tape, tape:
        pass


def _not_recording(tf: Any) -> None:
    with tf.GradientTape().stop_recording():
        pass


def _no_batch(tf: Any) -> None:
    with tf.GradientTape() as tape:
        x = tf.ones([2])
    tape.batch_jacobian(x, x)


@pytest.mark.parametrize("attempt", [_used_twice, _entered_twice, _not_recording, _no_batch])
def test_refused(attempt: Callable[[Any], Any]) -> None:
    assert _refused(dataflow, attempt) == _refused(oracle, attempt)


def test_what_cannot_be_watched() -> None:
    tape = dataflow.GradientTape()
    with pytest.raises(ValueError, match="Passed in object 3 of type 'int'"):
        tape.watch(3)
    with pytest.raises(ValueError, match=r"shape \(\(2, 2\)\) and source shape \(\(3, 2\)\)"):
        tape.batch_jacobian(dataflow.ones([2, 2]), dataflow.ones([3, 2]))
