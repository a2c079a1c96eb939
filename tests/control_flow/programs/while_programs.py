"""Programs with loops, for both libraries: `f(tf)` returns what is to be fetched."""

from __future__ import annotations

import collections
from typing import Any

from tests.control_flow.both import programs_of

State = collections.namedtuple("State", "count total")


def scalar(tf: Any, name: str = "x", dtype: str = "float32") -> Any:
    return tf.placeholder(dtype, [], name=name)


def vector(tf: Any, name: str = "v") -> Any:
    return tf.placeholder("float32", [2], name=name)


def counter(tf: Any) -> Any:
    return tf.while_loop(lambda i: i < 10, lambda i: i + 1, [0])


def counter_as_structure(tf: Any) -> Any:
    result = tf.while_loop(lambda i: i < 10, lambda i: [i + 1], [0], return_same_structure=True)
    assert isinstance(result, list)
    return result


def powers(tf: Any) -> Any:
    x = vector(tf)
    return tf.while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, a * x), [0, x])


def condition_uses_outer(tf: Any) -> Any:
    x, limit = vector(tf), scalar(tf, "limit")
    return tf.while_loop(lambda a: tf.reduce_sum(a) < limit * 9.0, lambda a: a + x, [x])


def invariants_only(tf: Any) -> Any:
    x = vector(tf)
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.exp(x)), [0, x])


def outer_returned(tf: Any) -> Any:
    x, y = vector(tf), vector(tf, "w")
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, y), [0, x])


def variables_swap(tf: Any) -> Any:
    x, y = scalar(tf), scalar(tf, "y")
    return tf.while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, b, a), [0, x, y])


def nested_structure(tf: Any) -> Any:
    x = scalar(tf)
    start = (tf.constant(0), State(tf.constant(1), x), {"b": x, "a": [x + 1.0]})

    def body(i: Any, state: Any, extra: Any) -> Any:
        following = State(state.count * 2, state.total + extra["b"])
        return i + 1, following, {"a": [extra["b"]], "b": extra["a"][0]}

    result = tf.while_loop(lambda i, state, extra: i < 4, body, start)
    assert isinstance(result[1], State)
    return [result[0], result[1].count, result[1].total, result[2]["a"], result[2]["b"]]


def shape_invariants(tf: Any) -> Any:
    x = tf.placeholder("float32", [2, 3])
    return tf.while_loop(
        lambda i, a: i < 3,
        lambda i, a: [i + 1, tf.concat([a, x], 0)],
        [tf.constant(0), x],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 3])],
    )


def unknown_shapes(tf: Any) -> Any:
    x = tf.placeholder("float32", [None])
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: [i + 1, a * 2.0], [0, x])


def unknown_invariant(tf: Any) -> Any:
    x = vector(tf)
    return tf.while_loop(
        lambda i, a: i < 3,
        lambda i, a: [i + 1, tf.reshape(a, [-1, 1])],
        [0, x],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)],
    )


def some_invariants(tf: Any) -> Any:
    x = vector(tf)
    return tf.while_loop(
        lambda i, a, b: i < 3,
        lambda i, a, b: [i + 1, a, tf.concat([b, a], 0)],
        [0, x, x],
        shape_invariants=[None, None, tf.TensorShape([None])],
    )


def spec_invariants(tf: Any) -> Any:
    x, s = vector(tf), tf.SparseTensor([[1]], [2.0], [3])
    results = tf.while_loop(
        lambda i, a, b: i < 3,
        lambda i, a, b: [
            i + 1,
            tf.concat([a, a], 0),
            tf.SparseTensor(b.indices, b.values * 2.0, b.dense_shape),
        ],
        [0, x, s],
        shape_invariants=[
            tf.TensorSpec([], tf.int32),
            tf.TensorSpec([None], tf.float32),
            tf.SparseTensorSpec([None], tf.float32),
        ],
    )
    assert results[1].shape.as_list() == [None]
    assert results[2].indices.shape.as_list() == [None, 1]
    return [*results[:2], results[2].values]


def ragged_invariant(tf: Any) -> Any:
    rows = tf.RaggedTensor.from_row_splits(vector(tf), [0, 1, 2], validate=False)
    i, result = tf.while_loop(
        lambda i, a: i < 3,
        lambda i, a: [i + 1, a.with_values(a.values * 2.0)],
        [0, rows],
        shape_invariants=[None, tf.RaggedTensorSpec([None, None], tf.float32)],
    )
    assert result.row_splits.shape.as_list() == [None]
    return [i, result.values, result.row_splits]


def maximum_iterations(tf: Any) -> Any:
    x = vector(tf)
    return tf.while_loop(
        lambda i, a: i < 100, lambda i, a: [i + 1, a + x], [0, x], maximum_iterations=7
    )


def maximum_iterations_of_one(tf: Any) -> Any:
    return tf.while_loop(lambda i: i < 100, lambda i: i + 2, [0], maximum_iterations=7)


def maximum_iterations_as_structure(tf: Any) -> Any:
    return tf.while_loop(
        lambda i: i < 100,
        lambda i: [i + 2],
        [0],
        maximum_iterations=tf.constant(3, tf.int64),
        return_same_structure=True,
    )


def maximum_iterations_with_invariants(tf: Any) -> Any:
    x = vector(tf)
    return tf.while_loop(
        lambda a, b: tf.constant(True),
        lambda a, b: [a, tf.concat([b, a], 0)],
        [x, x],
        shape_invariants=[x.shape, tf.TensorShape([None])],
        maximum_iterations=3,
    )


def options(tf: Any) -> Any:
    x = vector(tf)
    return tf.while_loop(
        lambda i, a: i < 5,
        lambda i, a: (i + 1, a * x),
        [0, x],
        parallel_iterations=3,
        back_prop=False,
        swap_memory=True,
        name="repeat",
    )


def sparse_variable(tf: Any) -> Any:
    x = vector(tf)
    start = tf.SparseTensor([[0, 1], [1, 0]], x, [2, 2])

    def body(i: Any, s: Any) -> Any:
        return i + 1, tf.SparseTensor(s.indices, s.values * 2.0, s.dense_shape)

    result = tf.while_loop(lambda i, s: i < 3, body, [0, start])
    return [result[0], result[1].indices, result[1].values, result[1].dense_shape]


def sparse_variable_with_invariant(tf: Any) -> Any:
    x = vector(tf)
    start = tf.SparseTensor([[0, 1], [1, 0]], x, [2, 2])

    def body(i: Any, s: Any) -> Any:
        indices = tf.concat([s.indices, s.indices], 0)
        return i + 1, tf.SparseTensor(indices, tf.tile(s.values, [2]), s.dense_shape)

    result = tf.while_loop(
        lambda i, s: i < 3, body, [0, start], [tf.TensorShape([]), tf.TensorShape([None])]
    )
    return [result[0], result[1].indices, result[1].values, result[1].dense_shape]


def slices_variable(tf: Any) -> Any:
    x = tf.placeholder("float32", [2, 3])
    start = tf.IndexedSlices(x, tf.constant([0, 1]), tf.constant([4, 3]))

    def body(i: Any, s: Any) -> Any:
        return i + 1, tf.IndexedSlices(s.values * 2.0, s.indices, s.dense_shape)

    result = tf.while_loop(lambda i, s: i < 3, body, [0, start])
    return [result[0], result[1].values, result[1].indices, result[1].dense_shape]


def slices_with_invariant(tf: Any) -> Any:
    x = tf.placeholder("float32", [2, 3])
    start = tf.IndexedSlices(x, tf.constant([0, 1]))

    def body(i: Any, s: Any) -> Any:
        values = tf.concat([s.values, x], 0)
        return i + 1, tf.IndexedSlices(values, tf.concat([s.indices, [0, 1]], 0))

    result = tf.while_loop(
        lambda i, s: i < 3, body, [0, start], [tf.TensorShape([]), tf.TensorShape([None, 3])]
    )
    return [result[0], result[1].values, result[1].indices]


def in_a_loop(tf: Any) -> Any:
    x = vector(tf)

    def body(i: Any, a: Any) -> Any:
        inner = tf.while_loop(lambda j, b: j < i, lambda j, b: (j + 1, b + a * x), [0, a])
        return i + 1, inner[1]

    return tf.while_loop(lambda i, a: i < 4, body, [0, x])


def inner_loop_starts_with_invariant(tf: Any) -> Any:
    x = vector(tf)

    def body(i: Any, a: Any) -> Any:
        inner = tf.while_loop(lambda j, b: j < 2, lambda j, b: (j + 1, b * 2.0), [0, x])
        return i + 1, a + inner[1]

    return tf.while_loop(lambda i, a: i < 4, body, [0, x])


def three_loops(tf: Any) -> Any:
    x = scalar(tf)

    def innermost(k: Any, c: Any) -> Any:
        return k + 1, c + x

    def middle(j: Any, b: Any) -> Any:
        return j + 1, tf.while_loop(lambda k, c: k < j, innermost, [0, b])[1]

    def outermost(i: Any, a: Any) -> Any:
        return i + 1, tf.while_loop(lambda j, b: j < i, middle, [0, a])[1]

    return tf.while_loop(lambda i, a: i < 3, outermost, [0, x])


def cond_in_a_loop(tf: Any) -> Any:
    x, y = scalar(tf), scalar(tf, "y")

    def body(i: Any, a: Any) -> Any:
        return i + 1, tf.cond(i < 2, lambda: a * x, lambda: a + y)

    return tf.while_loop(lambda i, a: i < 5, body, [0, x])


def cond_with_constants_in_a_loop(tf: Any) -> Any:
    def body(i: Any, a: Any) -> Any:
        return i + 1, a + tf.cond(a < 2.0, lambda: tf.constant(1.0), lambda: tf.constant(3.0))

    return tf.while_loop(lambda i, a: i < 5, body, [0, scalar(tf)])


def cond_in_the_condition(tf: Any) -> Any:
    x = scalar(tf)

    def goes_on(i: Any) -> Any:
        return tf.cond(x > 1.0, lambda: i < 3, lambda: i < 5)

    return tf.while_loop(goes_on, lambda i: i + 1, [0])


def loop_in_a_branch(tf: Any) -> Any:
    x = scalar(tf)

    def true_fn() -> Any:
        return tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a * x), [0, x])[1]

    return tf.cond(x > 0.0, true_fn, lambda: x)


def loop_in_a_branch_in_a_loop(tf: Any) -> Any:
    x, y = scalar(tf), scalar(tf, "y")

    def inner(a: Any) -> Any:
        return tf.while_loop(lambda j, b: j < 2, lambda j, b: (j + 1, b * y + a), [0, x])[1]

    def body(i: Any, a: Any) -> Any:
        return i + 1, tf.cond(i < 2, lambda: inner(a), lambda: a + y)

    return tf.while_loop(lambda i, a: i < 4, body, [0, x])


def branch_in_a_loop_in_a_branch(tf: Any) -> Any:
    x, y = scalar(tf), scalar(tf, "y")

    def body(i: Any, a: Any) -> Any:
        return i + 1, tf.cond(a < y, lambda: a + x, lambda: a - y)

    def true_fn() -> Any:
        return tf.while_loop(lambda i, a: i < 4, body, [0, x])[1]

    return tf.cond(x > 0.0, true_fn, lambda: y)


def control_dependencies_around(tf: Any) -> Any:
    x = scalar(tf)
    a = tf.identity(x, name="a")
    with tf.control_dependencies([a]):
        return tf.while_loop(lambda i, b: i < 3, lambda i, b: (i + 1, b * x), [0, x])


def operations_around(tf: Any) -> Any:
    x = scalar(tf)
    with tf.control_dependencies([tf.no_op("before")]):
        return tf.while_loop(lambda i, b: i < 3, lambda i, b: (i + 1, b * tf.constant(2.0)), [0, x])


def control_dependencies_inside(tf: Any) -> Any:
    x = scalar(tf)
    outside = tf.exp(x, name="outside")
    waited = tf.no_op("waited")

    def body(i: Any, a: Any) -> Any:
        b = tf.exp(a, name="b")
        with tf.control_dependencies([b, outside, waited]):
            return i + 1, a * tf.constant(0.5)

    return tf.while_loop(lambda i, a: i < 3, body, [0, x])


def control_dependencies_around_inner_loop(tf: Any) -> Any:
    x = scalar(tf)

    def body(i: Any, a: Any) -> Any:
        with tf.control_dependencies([tf.identity(a, name="first")]):
            inner = tf.while_loop(lambda j, b: j < 2, lambda j, b: (j + 1, b * x), [0, x])
        return i + 1, a + inner[1]

    return tf.while_loop(lambda i, a: i < 3, body, [0, x])


def control_dependencies_in_a_branch_in_a_loop(tf: Any) -> Any:
    x = scalar(tf)
    outside = tf.identity(x, name="outside")

    def body(i: Any, a: Any) -> Any:
        inside = tf.identity(a, name="inside")

        def true_fn() -> Any:
            with tf.control_dependencies([inside, outside]):
                return a + tf.constant(1.0)

        with tf.control_dependencies([inside]):
            return i + 1, tf.cond(a < 3.0, true_fn, lambda: tf.constant(0.0))

    return tf.while_loop(lambda i, a: i < 3, body, [0, x])


def control_dependencies_forgotten(tf: Any) -> Any:
    x = scalar(tf)

    def body(i: Any, a: Any) -> Any:
        with tf.control_dependencies(None):
            outside = tf.constant(2.0, name="outside")
        with tf.init_scope():
            further = tf.constant(3.0, name="further")
        return i + 1, a * outside + further

    return tf.while_loop(lambda i, a: i < 3, body, [0, x])


WHILE_PROGRAMS = programs_of(globals(), "scalar", "vector")
