"""Programs that check values, ranks and types, for both libraries."""

from __future__ import annotations

from typing import Any

from tests.control_flow.both import programs_of


def place(tf: Any, *shape: Any, name: str = "x", dtype: str = "float32") -> Any:
    return tf.placeholder(dtype, None if shape == (...,) else list(shape), name=name)


def comparisons(tf: Any) -> Any:
    x, y = place(tf, 2), place(tf, 2, name="y")
    functions = (
        tf.assert_equal,
        tf.assert_none_equal,
        tf.assert_less,
        tf.assert_less_equal,
        tf.assert_greater,
        tf.assert_greater_equal,
    )
    return [function(x, y) for function in functions]


def comparisons_of_integers(tf: Any) -> Any:
    x = place(tf, 2, dtype="int32")
    return [
        tf.assert_equal(x, [1, 2], message="not those", name="check"),
        tf.assert_less(x, 7, data=["mine", x], summarize=1),
        tf.debugging.assert_greater(x, 0),
    ]


def with_itself(tf: Any) -> Any:
    x = place(tf, 2)
    return tf.assert_equal(x, x)


def of_constants(tf: Any) -> Any:
    return [tf.assert_equal([1, 2], [1, 2]), tf.assert_less(1.0, tf.constant(2.0))]


def signs(tf: Any) -> Any:
    x = place(tf, 2)
    return [
        tf.assert_positive(x),
        tf.assert_negative(x, message="no"),
        tf.assert_non_positive(x),
        tf.assert_non_negative(x, data=[x], name="sign"),
    ]


def signs_of_integers(tf: Any) -> Any:
    x = place(tf, 2, dtype="int32")
    return [tf.assert_positive(x), tf.assert_non_positive(x), tf.assert_non_negative(x)]


def near(tf: Any) -> Any:
    x, y = place(tf, 2), place(tf, 2, name="y")
    z = place(tf, 2, name="z", dtype="complex64")
    return [
        tf.assert_near(x, y),
        tf.assert_near(x, y, rtol=0.1, atol=0.2, message="far", summarize=1, name="close"),
        tf.debugging.assert_near(z, z),
    ]


def ranks(tf: Any) -> Any:
    x, known = place(tf, ...), place(tf, 2, 3, name="known")
    rank = place(tf, name="rank", dtype="int32")
    unknown_rank = place(tf, ..., name="unknown_rank", dtype="int32")
    return [
        tf.assert_rank(known, 2),
        tf.assert_rank(x, 2),
        tf.assert_rank(x, rank, message="which"),
        tf.assert_rank(known, unknown_rank, data=["mine"]),
        tf.assert_rank_at_least(known, 1),
        tf.assert_rank_at_least(x, 1),
        tf.assert_rank_at_least(x, rank),
        tf.assert_rank_in(known, [1, 2]),
        tf.assert_rank_in(x, [1, 2], name="in"),
        tf.assert_rank_in(x, (rank, 3)),
    ]


def types(tf: Any) -> Any:
    x, i = place(tf), place(tf, name="i", dtype="int64")
    s = tf.SparseTensor([[0]], [1.0], [2])
    assert tf.assert_same_float_dtype([x, None]) == tf.float32
    assert tf.assert_same_float_dtype() == tf.float32
    assert tf.assert_same_float_dtype(dtype=tf.float64) == tf.float64
    assert tf.is_numeric_tensor(x) and not tf.is_numeric_tensor(1.0)
    tf.assert_proper_iterable([x])
    return [
        tf.assert_type(x, tf.float32),
        tf.assert_type(s, "float32"),
        tf.assert_integer(i),
        tf.assert_scalar(x),
        tf.assert_scalar(1, name="one"),
    ]


def monotonic(tf: Any) -> Any:
    x, i = place(tf, ...), place(tf, None, name="i", dtype="int32")
    return [tf.is_non_decreasing(x), tf.is_strictly_increasing(i, name="grows")]


def shapes(tf: Any) -> Any:
    x, y = place(tf, None, 3), place(tf, 3, None, name="y")
    z = place(tf, ..., name="z")
    return tf.debugging.assert_shapes(
        [(x, ("N", 3)), (y, ("D", "N")), (z, ("...", "N")[1:]), (place(tf, name="s"), ())]
    )


def shapes_from_the_end(tf: Any) -> Any:
    x, z = place(tf, None, 3), place(tf, ..., name="z")
    pairs = {z: ("*", "N", "D"), x: (None, "D")}
    ordered = list(pairs.items())
    return tf.debugging.assert_shapes(ordered, message="odd", name="sizes")


CHECK_PROGRAMS = programs_of(globals(), "place")


def constants_differ(tf: Any) -> Any:
    return tf.assert_equal([1, 2], [1, 3], message="differ")


def constant_is_negative(tf: Any) -> Any:
    return tf.assert_positive(-1.0)


def types_differ(tf: Any) -> Any:
    return tf.assert_equal(place(tf), place(tf, dtype="int32"))


def rank_differs(tf: Any) -> Any:
    return tf.assert_rank(place(tf, 2), 2, message="odd")


def rank_is_a_vector(tf: Any) -> Any:
    return tf.assert_rank(place(tf, 2), [1])


def rank_is_a_float(tf: Any) -> Any:
    return tf.assert_rank(place(tf, 2), 1.0)


def rank_is_less(tf: Any) -> Any:
    return tf.assert_rank_at_least(place(tf, 2), 2)


def rank_is_another(tf: Any) -> Any:
    return tf.assert_rank_in(place(tf, 2), [0, 2])


def type_is_another(tf: Any) -> Any:
    return tf.assert_type(place(tf), tf.int32, message="odd")


def type_is_no_integer(tf: Any) -> Any:
    return tf.assert_integer(place(tf))


def is_no_scalar(tf: Any) -> Any:
    return tf.assert_scalar(place(tf, 2), message="odd")


def is_no_iterable(tf: Any) -> Any:
    return tf.assert_proper_iterable(1)


def is_a_string(tf: Any) -> Any:
    return tf.assert_proper_iterable("abc")


def float_types_differ(tf: Any) -> Any:
    return tf.assert_same_float_dtype([place(tf), place(tf, name="d", dtype="float64")])


def float_type_is_integer(tf: Any) -> Any:
    return tf.assert_same_float_dtype([place(tf, dtype="int32")])


def increasing_strings(tf: Any) -> Any:
    return tf.is_strictly_increasing(tf.constant(["a"]))


def shape_is_a_number(tf: Any) -> Any:
    return tf.debugging.assert_shapes([(place(tf, 2), 2)])


def shape_has_dots_inside(tf: Any) -> Any:
    return tf.debugging.assert_shapes([(place(tf, 2, 3), (2, "*"))])


def size_is_another(tf: Any) -> Any:
    return tf.debugging.assert_shapes([(place(tf, 2, 3), (2, 4))], message="odd")


def sizes_differ(tf: Any) -> Any:
    return tf.debugging.assert_shapes(
        [(place(tf, 2, 3), ("N", "D")), (place(tf, 4, name="y"), ("N",))]
    )


REFUSED_CHECKS = programs_of(globals(), "place", *(p.__name__ for p in CHECK_PROGRAMS))
