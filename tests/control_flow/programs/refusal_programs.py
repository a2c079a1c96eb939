"""Programs with conditionals and loops that are refused while they are built."""

from __future__ import annotations

from typing import Any

from tests.control_flow.both import programs_of


def scalar(tf: Any, name: str = "x", dtype: str = "float32") -> Any:
    return tf.placeholder(dtype, [], name=name)


def vector(tf: Any, name: str = "v") -> Any:
    return tf.placeholder("float32", [2], name=name)


def cond_of_python_bool(tf: Any) -> Any:
    return tf.cond(True, lambda: tf.constant(1), lambda: tf.constant(2))


def cond_of_number(tf: Any) -> Any:
    return tf.cond(scalar(tf), lambda: tf.constant(1), lambda: tf.constant(2))


def cond_of_vector(tf: Any) -> Any:
    return tf.cond(vector(tf) > 0.0, lambda: tf.constant(1), lambda: tf.constant(2))


def cond_without_true_fn(tf: Any) -> Any:
    return tf.cond(scalar(tf) > 0.0, false_fn=lambda: 1)


def cond_without_false_fn(tf: Any) -> Any:
    return tf.cond(scalar(tf) > 0.0, true_fn=lambda: 1)


def cond_with_both_names(tf: Any) -> Any:
    return tf.cond(scalar(tf) > 0.0, true_fn=lambda: 1, fn1=lambda: 1, fn2=lambda: 1)


def cond_with_both_false_names(tf: Any) -> Any:
    return tf.cond(scalar(tf) > 0.0, lambda: 1, lambda: 1, fn2=lambda: 1)


def cond_true_fn_not_callable(tf: Any) -> Any:
    return tf.cond(scalar(tf) > 0.0, tf.constant(1), lambda: 1)


def cond_false_fn_not_callable(tf: Any) -> Any:
    return tf.cond(scalar(tf) > 0.0, lambda: 1, tf.constant(1))


def cond_true_fn_returns_nothing(tf: Any) -> Any:
    return tf.cond(scalar(tf) > 0.0, lambda: None, lambda: 1)


def cond_false_fn_returns_nothing(tf: Any) -> Any:
    return tf.cond(scalar(tf) > 0.0, lambda: 1, lambda: None)


def cond_returns_empty_lists(tf: Any) -> Any:
    return tf.cond(scalar(tf) > 0.0, list, list)


def cond_returns_different_numbers(tf: Any) -> Any:
    x = scalar(tf)
    return tf.cond(x > 0.0, lambda: (x, x), lambda: (x, x, x))


def cond_returns_different_types(tf: Any) -> Any:
    x = scalar(tf)
    return tf.cond(x > 0.0, lambda: x, lambda: tf.constant(1))


def cond_returns_one_and_many(tf: Any) -> Any:
    x = scalar(tf)
    return tf.cond(x > 0.0, lambda: x, lambda: (x, x))


def cond_returns_list_and_tuple(tf: Any) -> Any:
    x = scalar(tf)
    return tf.cond(x > 0.0, lambda: [x, x], lambda: (x, x))


def cond_returns_singles_strictly(tf: Any) -> Any:
    x = scalar(tf)
    return tf.cond(x > 0.0, lambda: [x], lambda: x, strict=True)


def cond_returns_different_keys(tf: Any) -> Any:
    x = scalar(tf)
    return tf.cond(x > 0.0, lambda: {"a": x}, lambda: {"b": x})


def cond_returns_tensor_and_slices(tf: Any) -> Any:
    x = vector(tf)
    return tf.cond(
        x[0] > 0.0,
        lambda: x,
        lambda: tf.IndexedSlices(x, tf.constant([0, 1]), tf.constant([4])),
    )


def cond_returns_what_is_no_tensor(tf: Any) -> Any:
    return tf.cond(scalar(tf) > 0.0, lambda: object, lambda: object)


def cond_branch_fails(tf: Any) -> Any:
    x = vector(tf)
    return tf.cond(x[0] > 0.0, lambda: tf.matmul(x, x), lambda: x)


def case_of_no_list(tf: Any) -> Any:
    return tf.case(scalar(tf) > 0.0, default=lambda: 1)


def case_of_no_pairs(tf: Any) -> Any:
    return tf.case([scalar(tf) > 0.0], default=lambda: 1)


def case_of_lists(tf: Any) -> Any:
    return tf.case([[True, lambda: 1]], default=lambda: 1)


def case_of_numbers(tf: Any) -> Any:
    return tf.case([(scalar(tf), lambda: 1)], default=lambda: 1)


def case_of_python_bools(tf: Any) -> Any:
    return tf.case([(True, lambda: 1)], default=lambda: 1)


def case_of_values(tf: Any) -> Any:
    return tf.case([(scalar(tf) > 0.0, tf.constant(1))], default=lambda: 1)


def case_default_not_callable(tf: Any) -> Any:
    return tf.case([(scalar(tf) > 0.0, lambda: 1)], default=1)


def case_of_nothing(tf: Any) -> Any:
    return tf.case([], default=lambda: 1)


def loop_cond_not_callable(tf: Any) -> Any:
    return tf.while_loop(True, lambda i: i, [0])


def loop_body_not_callable(tf: Any) -> Any:
    return tf.while_loop(lambda i: i < 3, 1, [0])


def loop_without_variables(tf: Any) -> Any:
    return tf.while_loop(lambda: True, lambda: None, [])


def loop_of_no_iterations(tf: Any) -> Any:
    return tf.while_loop(lambda i: i < 3, lambda i: i, [0], parallel_iterations=0)


def loop_of_half_iterations(tf: Any) -> Any:
    return tf.while_loop(lambda i: i < 3, lambda i: i, [0], parallel_iterations=1.5)


def loop_with_maximum_vector(tf: Any) -> Any:
    return tf.while_loop(lambda i: i < 3, lambda i: i, [0], maximum_iterations=[3, 4])


def loop_variable_grows(tf: Any) -> Any:
    x = vector(tf)
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.concat([a, a], 0)), [0, x])


def loop_variable_changes_rank(tf: Any) -> Any:
    x = vector(tf)
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.reduce_sum(a)), [0, x])


def loop_variable_loses_shape(tf: Any) -> Any:
    x, y = vector(tf), tf.placeholder("float32", None, name="y")
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a + y), [0, x])


def loop_invariant_does_not_fit(tf: Any) -> Any:
    x = vector(tf)
    return tf.while_loop(lambda a: True, lambda a: a, [x], shape_invariants=[tf.TensorShape([3])])


def loop_invariant_is_no_shape(tf: Any) -> Any:
    x = vector(tf)
    return tf.while_loop(lambda a: True, lambda a: a, [x], shape_invariants=[3])


def loop_invariant_is_spec_of_another_shape(tf: Any) -> Any:
    x, spec = vector(tf), tf.TensorSpec([5], tf.float32)
    return tf.while_loop(lambda a: True, lambda a: a, [x], shape_invariants=[spec])


def loop_invariant_is_spec_of_sparse(tf: Any) -> Any:
    x, spec = vector(tf), tf.SparseTensorSpec([None])
    return tf.while_loop(lambda a: True, lambda a: a, [x], shape_invariants=[spec])


def loop_invariants_of_another_structure(tf: Any) -> Any:
    x = vector(tf)
    return tf.while_loop(
        lambda i, a: True, lambda i, a: (i, a), [0, x], shape_invariants=[tf.TensorShape([])]
    )


def loop_sparse_invariant_is_no_vector(tf: Any) -> Any:
    s = tf.SparseTensor([[0, 1]], [1.0], [2, 2])
    return tf.while_loop(
        lambda s: True, lambda s: s, [s], shape_invariants=[tf.TensorShape([2, 2])]
    )


def loop_body_returns_too_little(tf: Any) -> Any:
    return tf.while_loop(lambda i, j: i < 3, lambda i, j: i + 1, [0, 0])


def loop_body_returns_too_much(tf: Any) -> Any:
    return tf.while_loop(lambda i: i < 3, lambda i: (i + 1, i), [0])


def loop_body_returns_nothing(tf: Any) -> Any:
    return tf.while_loop(lambda i: i < 3, lambda i: None, [0])


def loop_body_returns_another_structure(tf: Any) -> Any:
    return tf.while_loop(lambda i, p: i < 3, lambda i, p: (i + 1, p[0]), [0, (0, 0)])


def loop_body_takes_too_few(tf: Any) -> Any:
    return tf.while_loop(lambda i, j: i < 3, lambda i: i, [0, 0])


def loop_condition_is_a_number(tf: Any) -> Any:
    return tf.while_loop(lambda i: i, lambda i: i, [0])


def loop_condition_is_a_vector(tf: Any) -> Any:
    x = vector(tf)
    return tf.while_loop(lambda i: x > 0.0, lambda i: i, [0])


def loop_condition_is_python_bool(tf: Any) -> Any:
    return tf.while_loop(lambda i: [True, False], lambda i: i, [0])


def value_leaves_the_loop(tf: Any) -> Any:
    kept = []

    def body(i: Any) -> Any:
        kept.append(tf.add(i, 1, name="kept"))
        return kept[0]

    tf.while_loop(lambda i: i < 3, body, [0])
    return tf.multiply(kept[0], 2, name="outside")


def value_goes_to_another_loop(tf: Any) -> Any:
    kept = []

    def body(i: Any) -> Any:
        kept.append(tf.add(i, 1, name="kept"))
        return kept[0]

    tf.while_loop(lambda i: i < 3, body, [0])
    return tf.while_loop(lambda i: i < 3, lambda i: i + kept[0], [0])


def value_leaves_the_inner_loop(tf: Any) -> Any:
    kept = []

    def inner(j: Any) -> Any:
        kept.append(tf.add(j, 1, name="kept"))
        return kept[0]

    def body(i: Any) -> Any:
        tf.while_loop(lambda j: j < 3, inner, [0])
        return i + kept[0]

    return tf.while_loop(lambda i: i < 3, body, [0])


def value_of_a_loop_in_a_branch(tf: Any) -> Any:
    kept = []

    def body(i: Any) -> Any:
        kept.append(tf.add(i, 1, name="kept"))
        return kept[0]

    tf.while_loop(lambda i: i < 3, body, [0])
    return tf.cond(scalar(tf) > 0.0, lambda: kept[0] * 2, lambda: 1)


def assertion_without_data(tf: Any) -> Any:
    return tf.Assert(scalar(tf) > 0.0, [])


def assertion_of_a_number(tf: Any) -> Any:
    return tf.Assert(scalar(tf), ["text"])


def assertion_of_no_list(tf: Any) -> Any:
    return tf.Assert(scalar(tf) > 0.0, scalar(tf, "y"))


def group_of_numbers(tf: Any) -> Any:
    return tf.group(1, 2)


def tuple_of_nothing(tf: Any) -> Any:
    return tf.tuple([None])


def checks_of_all_numbers_within_cond(tf: Any) -> Any:
    tf.cond(scalar(tf) > 0.0, lambda: tf.constant(1.0) * 2.0, lambda: tf.constant(3.0))
    return tf.add_check_numerics_ops()


def checks_of_all_numbers_within_a_loop(tf: Any) -> Any:
    tf.while_loop(lambda v: v < 3.0, lambda v: v + 1.0, [tf.constant(1.0)])
    return tf.add_check_numerics_ops()


REFUSED = programs_of(globals(), "scalar", "vector")
