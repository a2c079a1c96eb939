"""Placeholder, PlaceholderV2, PlaceholderWithDefault and NoOp: built, fed, left unfed, run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from google.protobuf import text_format

import dataflow as tf
from tests.conftest import SessionFactory
from tests.session.both import assert_same

V2 = """versions { producer: 22 } node { name: "x" op: "PlaceholderV2"
    attr { key: "dtype" value { type: DT_FLOAT } }
    attr { key: "shape" value { shape { dim { size: -1 } dim { size: 2 } } } } }"""


def placeholder(lib: Any, op: str, shape: Any = (None, 2)) -> Any:
    """A float placeholder "x" of one of the three kinds."""
    if op == "PlaceholderV2":
        graph_def = text_format.Parse(V2, lib.GraphDef())
        (x,) = lib.import_graph_def(graph_def, return_elements=["x:0"], name="")
        return x
    if op == "PlaceholderWithDefault":
        return lib.placeholder_with_default([[5.0, 6.0]], shape, name="x")
    return lib.placeholder(lib.float32, shape, name="x")


OPS = ["Placeholder", "PlaceholderV2", "PlaceholderWithDefault"]


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("value", [[[1, 2]], np.zeros([0, 2]), np.ones([3, 2], np.float64)])
def test_fed_values_come_out(op: str, value: Any, session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x = placeholder(lib, op)
        return session.run([x, x + 1.0], {x: value})

    assert_same(program, session_factory)


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("value", [[1.0, 2.0], [[1.0]], "text", None])
def test_values_that_do_not_fit_are_refused(
    op: str, value: Any, session_factory: SessionFactory
) -> None:
    def program(lib: Any, session: Any) -> Any:
        x = placeholder(lib, op)
        return session.run(x + 1.0, {x: value})

    assert assert_same(program, session_factory)[0] == "error"


@pytest.mark.parametrize("op", OPS)
def test_only_the_one_with_a_default_may_be_left_unfed(
    op: str, session_factory: SessionFactory
) -> None:
    def program(lib: Any, session: Any) -> Any:
        return session.run(lib.identity(placeholder(lib, op)) * 2.0)

    outcome = assert_same(program, session_factory)
    assert outcome[0] == ("value" if op == "PlaceholderWithDefault" else "error")


@pytest.mark.parametrize("shape", [None, [], [None], [2, None, 3], [0]], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "int64", "bool", "string", "complex64"])
def test_what_is_built_is_tensorflows(
    shape: Any, dtype: str, session_factory: SessionFactory
) -> None:
    def program(lib: Any, session: Any) -> Any:
        x = lib.placeholder(lib.as_dtype(dtype), shape)
        default = lib.placeholder_with_default(x, None)
        return [
            (t.name, t.op.type, t.dtype.name, str(t.shape), str(t.op.node_def))
            for t in (x, default)
        ]

    assert_same(program, session_factory)


@pytest.mark.parametrize(
    ("default", "shape"),
    [
        ([1.0, 2.0], [2]),
        ([1.0, 2.0], [None]),
        ([1.0, 2.0], None),
        (3, []),
        ("text", None),
        ([1.0, 2.0], [3]),
        ([1.0, 2.0], [2, 1]),
        (1.0, [None]),
    ],
    ids=str,
)
def test_defaults_fit_the_shape_or_are_refused(
    default: Any, shape: Any, session_factory: SessionFactory
) -> None:
    def program(lib: Any, session: Any) -> Any:
        x = lib.placeholder_with_default(default, shape, name="x")
        return [str(x.shape), x.dtype.name, session.run(x)]

    assert_same(program, session_factory)


def test_a_default_is_computed_only_if_nothing_is_fed(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        needed = lib.placeholder(lib.float32, [], name="needed")
        x = lib.placeholder_with_default(needed, [], name="x")
        (gradient,) = lib.gradients(x * 3.0, needed)
        return [
            session.run(x + 1.0, {x: 4.0}),
            session.run([x, gradient], {needed: 2.0}),
            session.run(lib.identity(x)),
        ]

    outcome = assert_same(program, session_factory)
    assert "'needed'" in outcome[-1]


@pytest.mark.parametrize("kind", [3, "no type", None, "float", np.float16], ids=str)
def test_a_placeholder_needs_a_type(kind: Any, session_factory: SessionFactory) -> None:
    assert_same(lambda lib, session: lib.placeholder(kind).dtype.name, session_factory)


@pytest.mark.parametrize("shape", [[-2], [[1]], object, 3, (), [None]], ids=str)
def test_a_placeholder_needs_a_shape(shape: Any, session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        return str(lib.placeholder(lib.float32, shape).shape)

    assert_same(program, session_factory)


# What 1.15 says; 2.21 says it otherwise.
SHAPES = {
    "ab": (TypeError, "A string has ambiguous TensorShape, .* convert to an int: ab"),
    1.5: (ValueError, "Ambiguous dimension: 1.5"),
}


@pytest.mark.parametrize("size", SHAPES)
def test_a_shape_is_of_whole_numbers(size: Any) -> None:
    kind, text = SHAPES[size]
    with tf.Graph().as_default(), pytest.raises(kind, match=text):
        tf.placeholder(tf.float32, size if isinstance(size, str) else [size])


# NoOp


def test_a_no_op_does_nothing(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        first, second = lib.no_op(), lib.no_op(name="scope/done")
        return [
            first.type,
            str(first.node_def),
            str(second.node_def),
            first.outputs,
            session.run(first),
            session.run({"a": [first, second]}),
            first.run(session=session),
        ]

    assert assert_same(program, session_factory)[0] == "value"


def test_a_no_op_waits_for_what_it_depends_on(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        v = lib.Variable(1.0, name="v", use_resource=False)
        session.run(v.initializer)
        with lib.control_dependencies([lib.assign_add(v, 1.0), lib.assign_add(v, 10.0)]):
            both = lib.no_op(name="both")
        with lib.control_dependencies([both]):
            after = lib.no_op(name="after")
        session.run(after)
        return [session.run(v), list(both.node_def.input), list(after.node_def.input)]

    assert assert_same(program, session_factory)[0] == "value"


def test_a_no_op_fails_with_what_it_waits_for(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x = lib.placeholder(lib.float32, [], name="x")
        with lib.control_dependencies([x]):
            done = lib.no_op(name="done")
        session.run(done, {x: 1.0})
        return session.run(done)

    outcome = assert_same(program, session_factory)
    assert "placeholder tensor 'x'" in outcome[-1]


def test_a_no_op_takes_no_input_and_gives_no_output(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        done = lib.no_op(name="done")
        return session.run("done:0", {"done:0": 1.0}) if done else None

    assert assert_same(program, session_factory)[0] == "error"
