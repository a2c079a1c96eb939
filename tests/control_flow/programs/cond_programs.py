"""Programs with conditionals, for both libraries: `f(tf)` returns what is to be fetched."""

from __future__ import annotations

import collections
from typing import Any

Pair = collections.namedtuple("Pair", "first second")


def scalar(tf: Any, name: str = "x", dtype: str = "float32") -> Any:
    return tf.placeholder(dtype, [], name=name)


def vector(tf: Any, name: str = "v") -> Any:
    return tf.placeholder("float32", [2], name=name)


def positive(tf: Any, x: Any) -> Any:
    return tf.greater(tf.reduce_sum(x), 0.0)


def one_tensor(tf: Any) -> Any:
    x = vector(tf)
    return tf.cond(positive(tf, x), lambda: x * 2.0, lambda: x + 1.0)


def outer_tensors_returned(tf: Any) -> Any:
    x, y = vector(tf), vector(tf, "w")
    return tf.cond(positive(tf, x), lambda: x, lambda: y)


def same_tensor_returned(tf: Any) -> Any:
    x = vector(tf)
    return tf.cond(positive(tf, x), lambda: x, lambda: x)


def constants(tf: Any) -> Any:
    return tf.cond(positive(tf, scalar(tf)), lambda: tf.constant(1), lambda: tf.constant(2))


def python_numbers(tf: Any) -> Any:
    return tf.cond(positive(tf, scalar(tf)), lambda: 1, lambda: 2)


def predicate_used_inside(tf: Any) -> Any:
    p = tf.placeholder_with_default(True, [], name="p")
    return tf.cond(p, lambda: tf.logical_not(p), lambda: p)


def several_results(tf: Any) -> Any:
    x = vector(tf)
    return tf.cond(positive(tf, x), lambda: (x * 2.0, tf.exp(x)), lambda: (x + 1.0, tf.sin(x)))


def single_in_list(tf: Any) -> Any:
    x = vector(tf)
    result = tf.cond(positive(tf, x), lambda: [x * 2.0], lambda: [x])
    assert not isinstance(result, list)
    return result


def single_in_list_strictly(tf: Any) -> Any:
    x = vector(tf)
    result = tf.cond(positive(tf, x), lambda: [x * 2.0], lambda: [x], strict=True)
    assert isinstance(result, list)
    return result


def nested_structure(tf: Any) -> Any:
    x = vector(tf)
    result = tf.cond(
        positive(tf, x),
        lambda: {"a": Pair(x, [x * 2.0]), "b": tf.exp(x)},
        lambda: {"a": Pair(x + 1.0, [x]), "b": x},
    )
    assert isinstance(result["a"], Pair)
    return [result["a"].first, result["a"].second, result["b"]]


def operations(tf: Any) -> Any:
    x = scalar(tf)
    return tf.cond(positive(tf, x), lambda: tf.no_op("a"), lambda: tf.no_op("b"))


def operation_and_tensor(tf: Any) -> Any:
    x = scalar(tf)
    return tf.cond(positive(tf, x), lambda: (tf.no_op(), x), lambda: (tf.group(x), x + 1.0))


def indexed_slices(tf: Any) -> Any:
    x = tf.placeholder("float32", [2, 3])
    return tf.cond(
        positive(tf, x),
        lambda: tf.IndexedSlices(x, tf.constant([0, 1]), tf.constant([4, 3])),
        lambda: tf.IndexedSlices(x * 2.0, tf.constant([1, 2]), tf.constant([4, 3])),
    ).values


def slices_with_different_indices(tf: Any) -> Any:
    x = tf.placeholder("float32", [2, 3])
    return tf.cond(
        positive(tf, x),
        lambda: tf.IndexedSlices(x, tf.constant([0, 1])),
        lambda: tf.IndexedSlices(x * 2.0, tf.constant([1, 2], tf.int64)),
    )


def sparse(tf: Any) -> Any:
    x = vector(tf)

    def make(values: Any) -> Any:
        return tf.SparseTensor([[0, 1], [1, 0]], values, [2, 2])

    result = tf.cond(positive(tf, x), lambda: make(x), lambda: make(x * 2.0))
    return [result.indices, result.values, result.dense_shape]


def in_a_branch(tf: Any) -> Any:
    x, y = scalar(tf), scalar(tf, "y")
    return tf.cond(
        positive(tf, x),
        lambda: tf.cond(positive(tf, y), lambda: x * y, lambda: x + 1.0),
        lambda: tf.cond(y < x, lambda: y, lambda: x - y),
    )


def three_deep(tf: Any) -> Any:
    x, y = scalar(tf), scalar(tf, "y")

    def inner() -> Any:
        return tf.cond(x < 3.0, lambda: tf.cond(y < 2.0, lambda: x, lambda: y), lambda: x * y)

    return tf.cond(x > 0.0, inner, lambda: y)


def control_dependencies_around(tf: Any) -> Any:
    x = scalar(tf)
    a = tf.identity(x, name="a")
    with tf.control_dependencies([a]):
        return tf.cond(x > 0.0, lambda: tf.constant(1.0) + x, lambda: x * 2.0)


def control_dependencies_inside(tf: Any) -> Any:
    x = scalar(tf)
    a = tf.identity(x, name="a")

    def true_fn() -> Any:
        b = tf.exp(x, name="b")
        with tf.control_dependencies([a, b]):
            return tf.identity(x) + tf.constant(3.0)

    return tf.cond(x > 0.0, true_fn, lambda: x)


def control_dependencies_forgotten(tf: Any) -> Any:
    x = scalar(tf)

    def true_fn() -> Any:
        with tf.control_dependencies(None):
            outside = tf.constant(2.0, name="outside")
        return x * outside

    return tf.cond(x > 0.0, true_fn, lambda: x)


def init_scope_inside(tf: Any) -> Any:
    x = scalar(tf)

    def true_fn() -> Any:
        with tf.init_scope():
            outside = tf.constant(2.0, name="outside")
        return x * outside

    return tf.cond(x > 0.0, true_fn, lambda: x)


def variable_read(tf: Any) -> Any:
    x = scalar(tf)
    w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
    return tf.cond(x > 0.0, lambda: w * x, lambda: w + 1.0)


def variable_returned(tf: Any) -> Any:
    x = scalar(tf)
    w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
    return tf.cond(x > 0.0, lambda: w, lambda: w + 1.0)


def resource_variable(tf: Any) -> Any:
    x = scalar(tf)
    w = tf.get_variable("w", [2], initializer=tf.ones_initializer(), use_resource=True)
    return tf.cond(x > 0.0, lambda: w, lambda: w.read_value() + x)


def assignment(tf: Any) -> Any:
    x = scalar(tf)
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    return tf.cond(x > 0.0, lambda: tf.assign_add(w, x), lambda: tf.identity(w))


def assignments_as_operations(tf: Any) -> Any:
    x = scalar(tf)
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    v = tf.get_variable("v", [], initializer=tf.zeros_initializer(), use_resource=True)
    return tf.cond(
        x > 0.0,
        lambda: tf.group(tf.assign(w, x), v.assign_add(x)),
        lambda: tf.group(tf.assign(w, -x)),
    )


def variable_made_inside(tf: Any) -> Any:
    x = scalar(tf)

    def true_fn() -> Any:
        return x * tf.get_variable("w", [], initializer=tf.ones_initializer())

    return tf.cond(x > 0.0, true_fn, lambda: x)


def devices(tf: Any) -> Any:
    x = scalar(tf)
    with tf.device("/cpu:0"):
        y = x * 2.0

    def true_fn() -> Any:
        with tf.device("/device:CPU:1"):
            return y + 1.0

    return tf.cond(x > 0.0, true_fn, lambda: y)


def colocation(tf: Any) -> Any:
    x, y = scalar(tf), scalar(tf, "y")

    def true_fn() -> Any:
        with tf.colocate_with(x):
            return y + 1.0

    return tf.cond(x > 0.0, true_fn, lambda: y)


def lists_of_one(tf: Any) -> Any:
    x = scalar(tf)
    alone = tf.cond(x > 0.0, lambda: [x], lambda: (-x,))
    pair = tf.cond(x > 0.0, lambda: [(x, x + 1.0)], lambda: (-x, x))
    return [alone, *pair]


def named(tf: Any) -> Any:
    x = scalar(tf)
    with tf.name_scope("outer"):
        first = tf.cond(x > 0.0, lambda: x, lambda: -x, name="choose")
        second = tf.cond(x > 1.0, lambda: x, lambda: -x)
    return [first, second, tf.cond(x > 2.0, lambda: x, lambda: -x, name="choose")]


def scopes_inside(tf: Any) -> Any:
    x = scalar(tf)

    def true_fn() -> Any:
        with tf.name_scope("inner"):
            return tf.add_n([x, x * 2.0, tf.concat([[x], [x]], 0)[0]])

    return tf.cond(x > 0.0, true_fn, lambda: x)


def old_argument_names(tf: Any) -> Any:
    x = scalar(tf)
    return tf.cond(x > 0.0, fn1=lambda: x, fn2=lambda: -x)


def used_by_another(tf: Any) -> Any:
    x = scalar(tf)
    kept = []

    def true_fn() -> Any:
        kept.append(tf.exp(x, name="kept"))
        return kept[0]

    first = tf.cond(x > 0.0, true_fn, lambda: x)
    second = tf.cond(x > 0.0, lambda: kept[0] * 2.0, lambda: x)
    return [first, second]


def random_inside(tf: Any) -> Any:
    x = scalar(tf)
    tf.set_random_seed(3)
    return tf.cond(x > 0.0, lambda: tf.reduce_sum(tf.zeros_like(tf.random_uniform([2]))), lambda: x)


def imported_inside(tf: Any) -> Any:
    with tf.Graph().as_default() as other:
        tf.multiply(tf.placeholder("float32", [], name="in"), tf.constant(2.0), name="out")
    x = scalar(tf)

    def true_fn() -> Any:
        (out,) = tf.import_graph_def(
            other.as_graph_def(), input_map={"in": x}, return_elements=["out:0"], name="imp"
        )
        return out

    return tf.cond(x > 0.0, true_fn, lambda: x)


def smart(tf: Any) -> Any:
    x = scalar(tf)
    return [
        tf.case([(x > 0.0, lambda: x)], default=lambda: -x),
        tf.case([(x > 2.0, lambda: x), (x > 0.0, lambda: x * 2.0)], default=lambda: -x),
    ]


def many_cases(tf: Any) -> Any:
    x = scalar(tf)
    pairs = [(x > float(limit), lambda limit=limit: x * float(limit)) for limit in (3, 2, 1)]
    return tf.case(pairs, default=lambda: x, name="choose")


def exclusive_cases(tf: Any) -> Any:
    x = scalar(tf)
    return tf.case(
        [(x > 3.0, lambda: x), (x < 2.0, lambda: x * 2.0)], default=lambda: -x, exclusive=True
    )


def cases_without_default(tf: Any) -> Any:
    x = scalar(tf)
    return tf.case([(x > 3.0, lambda: x), (x < 2.0, lambda: x * 2.0)], name="only")


def one_case_without_default(tf: Any) -> Any:
    x = scalar(tf)
    return tf.case([(x > 0.0, lambda: (x, x * 2.0))])


def cases_in_a_dictionary(tf: Any) -> Any:
    x = scalar(tf)
    return tf.case(
        {tf.less(x, 2.0, name="b"): lambda: x, tf.less(x, 3.0, name="a"): lambda: -x},
        default=lambda: x + 1.0,
        exclusive=True,
    )


def cases_in_order(tf: Any) -> Any:
    x = scalar(tf)
    pairs = [(tf.less(x, 2.0, name="b"), lambda: x), (tf.less(x, 3.0, name="a"), lambda: -x)]
    return tf.case(collections.OrderedDict(pairs), default=lambda: x + 1.0)


def strict_cases(tf: Any) -> Any:
    x = scalar(tf)
    return tf.case([(x > 0.0, lambda: [x])], default=lambda: [-x], strict=True)


def guarded_assertion(tf: Any) -> Any:
    x = scalar(tf)
    with tf.control_dependencies([tf.Assert(x > 0.0, [x, "text"], summarize=2)]):
        return tf.identity(x)


def plain_assertion(tf: Any) -> Any:
    x = scalar(tf)
    with tf.control_dependencies([tf.Assert(x > 0.0, ["text", 3], name="check")]):
        return tf.identity(x)


def assertion_in_a_branch(tf: Any) -> Any:
    x = scalar(tf)

    def true_fn() -> Any:
        with tf.control_dependencies([tf.Assert(x < 5.0, [x])]):
            return tf.identity(x)

    return tf.cond(x > 0.0, true_fn, lambda: x)


COND_PROGRAMS = [
    lists_of_one,
    one_tensor,
    outer_tensors_returned,
    same_tensor_returned,
    constants,
    python_numbers,
    predicate_used_inside,
    several_results,
    single_in_list,
    single_in_list_strictly,
    nested_structure,
    operations,
    operation_and_tensor,
    indexed_slices,
    slices_with_different_indices,
    sparse,
    in_a_branch,
    three_deep,
    control_dependencies_around,
    control_dependencies_inside,
    control_dependencies_forgotten,
    init_scope_inside,
    variable_read,
    variable_returned,
    resource_variable,
    assignment,
    assignments_as_operations,
    variable_made_inside,
    devices,
    colocation,
    named,
    scopes_inside,
    old_argument_names,
    used_by_another,
    random_inside,
    imported_inside,
    guarded_assertion,
    plain_assertion,
    assertion_in_a_branch,
]

CASE_PROGRAMS = [
    smart,
    many_cases,
    exclusive_cases,
    cases_without_default,
    one_case_without_default,
    cases_in_a_dictionary,
    cases_in_order,
    strict_cases,
]
