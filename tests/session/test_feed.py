"""Feeds: what is taken, how it is converted, what is refused; against TensorFlow."""

from __future__ import annotations

import collections
import sys
import types
import warnings
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.conftest import SessionFactory
from tests.session.both import assert_same

# dtype, value
VALUES: dict[str, tuple[str, Any]] = {
    "float": ("float32", 1.5),
    "int as float": ("float32", 3),
    "int that float32 rounds": ("float32", 16777217),
    "bool as float": ("float32", True),
    "list": ("float32", [1, 2.5]),
    "nested list": ("float32", [[1], [2]]),
    "float64 array": ("float32", np.array([1.5, 2.5])),
    "numpy scalar": ("float32", np.float64(1.5)),
    "float is cut": ("int32", 2.7),
    "floats are cut": ("int32", np.array([2.7, -2.7])),
    "out of range in a list": ("uint8", [300]),
    "int64 array": ("int32", np.array([1, 2])),
    "big endian": ("float32", np.array([1.5, 2.5], ">f4")),
    "sliced": ("float32", np.arange(10, dtype=np.float32)[::2]),
    "matrix": ("float32", np.ma.masked_array([1.0, 2.0], mask=[0, 1])),
    "empty": ("float32", []),
    "numpy number out of range": ("uint8", np.int64(300)),
    "float out of range": ("float32", 1e40),
    "complex as float": ("float32", 1 + 2j),
    "number in a string": ("float32", "1.5"),
    "none as float": ("float32", None),
    "bool": ("bool", True),
    "one as bool": ("bool", 1),
    "array as bool": ("bool", np.array([0, 2])),
    "half": ("float16", 2049),
    "bfloat16": ("bfloat16", 1.5),
    "bfloat16 int": ("bfloat16", 257),
    "bfloat16 from float32": ("bfloat16", np.float32([1.5])),
    "complex": ("complex64", 1),
    "complex from float": ("complex128", 1.5),
    "uint64": ("uint64", 2**63),
    "text": ("string", "héllo"),
    "bytes": ("string", b"\xff"),
    "texts": ("string", ["a", b"\xff"]),
    "numpy texts": ("string", np.array(["a", "bc"])),
    "numpy bytes": ("string", np.array([b"a", b"bc"])),
    "numpy text": ("string", np.str_("ab")),
    "numpy byte string": ("string", np.bytes_(b"ab")),
    "no texts": ("string", []),
    # Refused:
    "int out of range": ("uint8", 300),
    "negative for unsigned": ("uint8", -1),
    "int too large": ("int32", 2**40),
    "int that is no bool": ("bool", 5),
    "text as float": ("float32", "a"),
    "object": ("float32", object),
    "dict": ("float32", {"a": 1}),
    "ragged": ("float32", [[1], [1, 2]]),
    "none as int": ("int32", None),
    "int as text": ("string", 1),
}


@pytest.mark.parametrize("name", VALUES)
def test_value(name: str, session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        dtype, value = VALUES[name]
        x = lib.placeholder(lib.as_dtype(dtype), name="x")
        y = lib.identity(x)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [session.run([x, y], {x: value}), session.run(y, {x: value})]

    assert_same(program, session_factory)


@pytest.mark.parametrize("value", [1.5, None, [1.5, "a"], np.array([1, 2])], ids=repr)
def test_no_strings(value: Any, session_factory: SessionFactory) -> None:
    """The error says more than TensorFlow's, which names no tensor."""

    def program(lib: Any, session: Any) -> Any:
        x = lib.placeholder(lib.string, name="x")
        assert session.run(lib.identity(x), {x: "fine"}) == b"fine"
        return session.run(lib.identity(x), {x: value})

    from tests.session.both import on_oracle, on_ours

    ours, theirs = on_ours(program, session_factory), on_oracle(program)
    assert ours[:4] == theirs[:4]
    assert ours[4] == f"{theirs[4]} in the value fed for the string tensor x:0"


def test_int_that_does_not_fit_any_type(session_factory: SessionFactory) -> None:
    x = tf.placeholder(tf.int32, name="x")
    with pytest.raises(TypeError, match="Type of feed value 1180591620717411303424 with type"):
        session_factory().run(x, {x: 2**70})


SHAPES: dict[str, tuple[Any, Any]] = {
    "exact": ([2, 3], (2, 3)),
    "partly known": ([None, 3], (5, 3)),
    "unknown": (None, (1, 2, 3)),
    "scalar": ([], ()),
    "empty": ([None, 0], (4, 0)),
    "other size": ([None, 4], (2, 3)),
    "other rank": ([None], (2, 3)),
    "array for scalar": ([], (1,)),
    "scalar for array": ([1], ()),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shape(name: str, session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        static, shape = SHAPES[name]
        x = lib.placeholder(lib.float32, static, name="x")
        y = lib.identity(x)
        arrays = [np.zeros(shape, np.float32), np.zeros(shape).tolist()]
        return [session.run(y, {x: array}) for array in arrays]

    assert_same(program, session_factory)


def test_set_shape_counts_from_the_next_run(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x = lib.placeholder(lib.float32, name="x")
        y = lib.identity(x)
        session.run(y, {x: [1.0, 2.0]})
        x.set_shape([3])
        return session.run(y, {x: [1.0, 2.0]})

    assert assert_same(program, session_factory)[0] == "error"


# key, given the tensor; value
KEYS: dict[str, Any] = {
    "tensor": lambda lib, x, op: x,
    "name": lambda lib, x, op: "x:0",
    "bytes": lambda lib, x, op: b"x:0",
    # Refused:
    "int": lambda lib, x, op: 3,
    "none": lambda lib, x, op: None,
    "operation": lambda lib, x, op: op,
    "operation name": lambda lib, x, op: "x",
    "no such name": lambda lib, x, op: "missing:0",
    "no such name without output": lambda lib, x, op: "missing",
    "no such output": lambda lib, x, op: "x:1",
    "bad name": lambda lib, x, op: "x:y",
}


@pytest.mark.parametrize("name", KEYS)
def test_key(name: str, session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x = lib.placeholder(lib.float32, name="x")
        y = lib.identity(x)
        op = lib.no_op()
        return [session.run(y, {KEYS[name](lib, x, op): value}) for value in (1.0, 2.0)]

    assert_same(program, session_factory)


def test_key_of_another_graph(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        y = lib.identity(lib.placeholder(lib.float32, name="x"))
        with lib.Graph().as_default():
            other = lib.placeholder(lib.float32, name="x")
        return session.run(y, {other: 1.0})

    assert assert_same(program, session_factory)[0] == "error"


DICTS: dict[str, Any] = {
    "ordered": lambda a, b: collections.OrderedDict([(b, 2.0), (a, 1.0)]),
    "read-only": lambda a, b: types.MappingProxyType({a: 1.0, b: 2.0}),
    "nested": lambda a, b: {(a, b): (1.0, 2.0)},
    "nested twice": lambda a, b: {(a, (b,)): [1.0, (2.0,)]},
    "one tensor twice": lambda a, b: {a: 1.0, b: 2.0, "a:0": 5.0},
    "one tensor twice, other order": lambda a, b: {"a:0": 5.0, b: 2.0, a: 1.0},
    # Refused:
    "list": lambda a, b: [a],
    "short": lambda a, b: {(a, b): (1.0,)},
    "twice": lambda a, b: {(a, b, a): (1.0, 2.0, 3.0)},
    "first error counts": lambda a, b: {a: "no number", "missing:0": 1.0},
    "first error counts, other order": lambda a, b: {"missing:0": 1.0, a: "no number"},
}


@pytest.mark.parametrize("name", DICTS)
def test_dict(name: str, session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        a, b = (lib.placeholder(lib.float32, [], name=n) for n in "ab")
        fetches = [lib.identity(a), lib.identity(b)]
        feed = DICTS[name](a, b)
        return [session.run(fetches, feed), session.run(fetches, feed)]

    assert_same(program, session_factory)


def test_feeds_are_checked_before_fetches(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x = lib.placeholder(lib.float32, name="x")
        return session.run("missing:0", {x: "no number"})

    assert assert_same(program, session_factory)[1] == "ValueError"


def test_errors_are_the_same_once_it_has_run(session_factory: SessionFactory) -> None:
    bad = [[1.0, 2.0], "text", tf.constant, 2**40, object()]

    def program(lib: Any, session: Any) -> Any:
        x = lib.placeholder(lib.int32, [], name="x")
        y = lib.identity(x)
        session.run(y, {x: 1})
        errors = []
        for value in [lib.constant(1), *bad[:2], 2**40]:
            try:
                session.run(y, {x: value})
            except (TypeError, ValueError) as error:
                errors.append((type(error).__name__, str(error)))
        return errors

    outcome = assert_same(program, session_factory)
    assert len(outcome[1][1]) == 4


def test_any_tensor_can_be_fed(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x = lib.placeholder(lib.float32, [], name="x")
        middle = lib.identity(x)
        y = lib.identity(middle)
        c = lib.constant(4.0)
        return [
            session.run(y, {middle: 2.0}),
            session.run([y, middle], {middle: 3.0}),
            session.run(lib.identity(c), {c: 7.0}),
            session.run(c, {c: 8.0}),
            session.run(c),
        ]

    assert_same(program, session_factory)


def test_output_of_an_op_with_several_outputs(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        # TensorFlow folds constants into consumers of a fed output, so these are none.
        x = lib.placeholder(lib.float32, [])
        a, b = lib.identity_n([x, x])
        fetches = [lib.identity(a), lib.identity(b)]
        return [session.run(fetches, {x: 1.0, b: 9.0}), session.run([a, b], {x: 2.0, b: 9.0})]

    assert_same(program, session_factory)


def test_prevent_feeding(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x = lib.placeholder(lib.float32, [], name="x")
        y = lib.identity(x)
        session.run(y, {x: 1.0})
        lib.get_default_graph().prevent_feeding(x)
        return session.run(y, {x: 1.0})

    assert assert_same(program, session_factory)[0] == "error"


def test_missing_feed(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x = lib.placeholder(lib.float32, [None, 4], name="x")
        return session.run(lib.identity(x))

    assert assert_same(program, session_factory)[3] == "x"


def test_fed_and_fetched_gives_the_fed_array(session_factory: SessionFactory) -> None:
    x = tf.placeholder(tf.float32, [2, 4])
    array = np.ones((2, 4), np.float32)
    assert session_factory().run([x], {x: array})[0] is array


def test_results_do_not_share_memory_with_feeds(session_factory: SessionFactory) -> None:
    x = tf.placeholder(tf.float32, [2])
    y = tf.identity(x)
    session = session_factory()
    array = np.ones(2, np.float32)
    result = session.run(y, {x: array})
    result[0] = 5
    assert array[0] == 1 and array.flags.writeable
    frozen = np.ones(2, np.float32)
    frozen.flags.writeable = False
    assert session.run(y, {x: frozen}).flags.writeable


@pytest.mark.parametrize(
    ("value", "kind"),
    [(None, TypeError), ("a", ValueError), (object(), TypeError), (2**31, TypeError)],
)
def test_what_cannot_be_converted_names_its_feed(
    value: Any, kind: type[Exception], session_factory: SessionFactory
) -> None:
    x = tf.placeholder(tf.int32, name="size")
    with pytest.raises(kind) as caught:
        session_factory().run(x + 1, {x: value})
    if sys.version_info >= (3, 11):
        assert caught.value.__notes__ == ["This was fed for size:0, of type int32."]
