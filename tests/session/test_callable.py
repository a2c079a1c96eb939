"""`make_callable`, with and without feeds, against TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tensorflow.core.protobuf import config_pb2 as oracle_config

import dataflow as tf
from dataflow import errors
from dataflow.proto import config_pb2 as config
from tests.conftest import SessionFactory
from tests.session.both import assert_same, core_text, oracle

CASES: dict[str, Any] = {}


def case(function: Any) -> Any:
    CASES[function.__name__] = function
    return function


def make(lib: Any) -> tuple[Any, Any, Any, Any]:
    a = lib.placeholder(lib.float32, [], name="a")
    b = lib.placeholder(lib.float32, [None], name="b")
    return a, b, lib.identity(a, name="y"), lib.identity(b, name="z")


@case
def one_feed(lib: Any, session: Any) -> Any:
    a, _, y, _ = make(lib)
    call = session.make_callable(y, [a])
    return [call(1.0), call(2), call(np.float32(3.0))]


@case
def feeds_in_any_order(lib: Any, session: Any) -> Any:
    a, b, y, z = make(lib)
    call = session.make_callable([z, {"y": y}], feed_list=(b, a))
    return [call([1.0], 2.0), call([3.0, 4.0], 5.0)]


@case
def names_as_feeds(lib: Any, session: Any) -> Any:
    make(lib)
    call = session.make_callable("y:0", ["a:0"])
    return [call(1.0), call(2.0)]


@case
def fed_and_fetched(lib: Any, session: Any) -> Any:
    a, _, y, _ = make(lib)
    call = session.make_callable([a, y], [a])
    return [call(1.0), call(2.0)]


@case
def nested_feed(lib: Any, session: Any) -> Any:
    a, b, y, z = make(lib)
    call = session.make_callable([y, z], [(a, b)])
    return [call((1.0, [2.0])), call((3.0, [4.0]))]


@case
def one_tensor_twice(lib: Any, session: Any) -> Any:
    a, _, y, _ = make(lib)
    return [session.make_callable(y, [a, a])(1.0, 2.0), session.make_callable(y, ["a:0", a])(1, 2)]


@case
def too_many_values(lib: Any, session: Any) -> Any:
    a, _, y, _ = make(lib)
    call = session.make_callable(y, [a])
    return [call(1.0, 2.0), call(3.0, 4.0)]


@case
def too_few_values(lib: Any, session: Any) -> Any:
    a, _, y, _ = make(lib)
    call = session.make_callable(y, [a])
    call(1.0)
    return call()


@case
def value_of_wrong_shape(lib: Any, session: Any) -> Any:
    _, b, _, z = make(lib)
    call = session.make_callable(z, [b])
    call([1.0])
    return call(1.0)


@case
def value_of_wrong_shape_at_once(lib: Any, session: Any) -> Any:
    _, b, _, z = make(lib)
    return session.make_callable(z, [b])(1.0)


@case
def tensor_as_value(lib: Any, session: Any) -> Any:
    a, _, y, _ = make(lib)
    call = session.make_callable(y, [a])
    call(1.0)
    return call(y)


@case
def feed_list_is_a_tensor(lib: Any, session: Any) -> Any:
    a, _, y, _ = make(lib)
    return session.make_callable(y, feed_list=a)


@case
def bad_fetch_is_found_when_called(lib: Any, session: Any) -> Any:
    a, *_ = make(lib)
    call = session.make_callable(None, [a])
    return call(1.0)


@case
def bad_feed_is_found_when_called(lib: Any, session: Any) -> Any:
    *_, y, _ = make(lib)
    call = session.make_callable(y, [3])
    return call(1.0)


@case
def bad_fetch_without_feeds(lib: Any, session: Any) -> Any:
    make(lib)
    return session.make_callable(None)


@case
def unknown_fetch_without_feeds(lib: Any, session: Any) -> Any:
    make(lib)
    return session.make_callable("missing:0")


@case
def options_with_feeds(lib: Any, session: Any) -> Any:
    a, _, y, _ = make(lib)
    call = session.make_callable(y, [a])
    options = oracle.RunOptions() if lib is oracle else config.RunOptions()
    return [call(1.0, options=options), call(2.0, options=options)]


@case
def other_keyword(lib: Any, session: Any) -> Any:
    a, _, y, _ = make(lib)
    try:
        return session.make_callable(y, [a])(1.0, foo=3)
    except TypeError:
        return "TypeError"


@case
def tensor(lib: Any, session: Any) -> Any:
    call = session.make_callable(lib.identity(lib.constant([1.0, 2.0])))
    return [call(), call()]


@case
def operation(lib: Any, session: Any) -> Any:
    return session.make_callable(lib.no_op())()


@case
def structure(lib: Any, session: Any) -> Any:
    c = lib.identity(lib.constant(1.0))
    call = session.make_callable({"a": [c, c], "b": (lib.no_op(),)})
    return [call(), call()]


@case
def with_options(lib: Any, session: Any) -> Any:
    call = session.make_callable(lib.identity(lib.constant(1.0)), accept_options=True)
    options = oracle.RunOptions() if lib is oracle else config.RunOptions()
    metadata = oracle.RunMetadata() if lib is oracle else config.RunMetadata()
    return [call(), call(options=options), call(options=options, run_metadata=metadata)]


@case
def without_options(lib: Any, session: Any) -> Any:
    call = session.make_callable(lib.constant(1.0))
    outcomes = []
    for arguments, keywords in (((3,), {}), ((), {"options": None})):
        try:
            outcomes.append(call(*arguments, **keywords))
        except TypeError:
            outcomes.append("TypeError")
    return outcomes


@case
def nothing_without_feeds(lib: Any, session: Any) -> Any:
    make(lib)
    return session.make_callable([])()


@case
def nothing_with_feeds(lib: Any, session: Any) -> Any:
    a, *_ = make(lib)
    return session.make_callable([], [a])(1.0)


@case
def missing_feed(lib: Any, session: Any) -> Any:
    *_, y, _ = make(lib)
    try:
        return session.make_callable(y)()
    except (errors.InvalidArgumentError, oracle.errors.InvalidArgumentError) as error:
        # TensorFlow's callables do not say which operation failed.
        return core_text(error.message)


@case
def graph_grows_after(lib: Any, session: Any) -> Any:
    a, _, y, _ = make(lib)
    call = session.make_callable(y, [a])
    first = call(1.0)
    z = lib.identity(y)
    return [first, call(2.0), session.make_callable(z, [a])(3.0), session.run(z, {a: 4.0})]


@case
def empty_graph(lib: Any, session: Any) -> Any:
    return session.make_callable("x:0", ["y:0"])(1.0)


@pytest.mark.parametrize("name", CASES)
def test_case(name: str, session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        return CASES[name](lib, session)

    outcome = assert_same(program, session_factory)
    assert not (outcome[0] == "error" and outcome[1] == "NameError")


# Callables from options

OPTIONS: dict[str, tuple[dict[str, Any], tuple[Any, ...]]] = {
    "plain": ({"feed": ["a:0"], "fetch": ["y:0"]}, (np.float32(1.0),)),
    "array": ({"feed": ["b:0"], "fetch": ["z:0"]}, (np.ones(2, np.float32),)),
    "two": (
        {"feed": ["b:0", "a:0"], "fetch": ["y:0", "z:0"]},
        (np.ones(2, np.float32), np.array(5.0, np.float32)),
    ),
    "target": ({"feed": ["a:0"], "fetch": ["y:0"], "target": ["op"]}, (np.float32(1.0),)),
    "only a target": ({"target": ["op"]}, ()),
    "python float": ({"feed": ["a:0"], "fetch": ["y:0"]}, (1.0,)),
    "other dtype": ({"feed": ["a:0"], "fetch": ["y:0"]}, (np.array(1.0),)),
    "too few": ({"feed": ["a:0"], "fetch": ["y:0"]}, ()),
    "too many": ({"feed": ["a:0"], "fetch": ["y:0"]}, (1.0, 2.0)),
    "unknown fetch": ({"fetch": ["missing:0"]}, ()),
    "unknown feed": ({"feed": ["missing:0"], "fetch": ["y:0"]}, (1.0,)),
    "nothing": ({}, ()),
    "unknown device": (
        {"feed": ["a:0"], "fetch": ["y:0"], "feed_devices": {"a:0": "/device:GPU:7"}},
        (np.float32(1.0),),
    ),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_from_options(name: str, session_factory: SessionFactory) -> None:
    fields, values = OPTIONS[name]

    def program(lib: Any, session: Any) -> Any:
        make(lib)
        lib.no_op(name="op")
        cls = oracle_config.CallableOptions if lib is oracle else config.CallableOptions
        call = session._make_callable_from_options(cls(**fields))
        return [call(*values), call(*values)]

    def without_dtype_names(lib: Any, session: Any) -> Any:
        try:
            return program(lib, session)
        except (errors.InvalidArgumentError, oracle.errors.InvalidArgumentError) as error:
            # numpy's name of the actual type is TensorFlow's for all but the floats.
            return error.message.replace("float64", "double").split("\n")[0]

    assert_same(without_dtype_names, session_factory)


def test_from_options_runs_with_its_options(session_factory: SessionFactory) -> None:
    x = tf.constant(1.0, name="x")
    session = session_factory()
    options = config.CallableOptions(fetch=["x:0"])
    options.run_options.timeout_in_ms = 60_000
    call = session._make_callable_from_options(options)
    metadata = config.RunMetadata()
    assert call(run_metadata=metadata) == [1.0]
    session.close()
    with pytest.raises(errors.CancelledError, match="Session has been closed"):
        call()
    assert x.name == "x:0"


# Of each row: what is fed, what is replaced by what, what is fetched.
CONNECTIONS: dict[str, tuple[dict[str, float], dict[str, str], list[str]]] = {
    "placeholder": ({}, {"x:0": "y:0"}, ["z:0"]),
    "beside a feed": ({"q:0": 3.0}, {"x:0": "y:0"}, ["z:0", "p:0"]),
    "what is computed": ({}, {"z:0": "y:0"}, ["w:0"]),
    "one behind the other": ({}, {"z:0": "v:0", "v:0": "y:0"}, ["w:0"]),
    "one before the other": ({}, {"v:0": "y:0", "z:0": "v:0"}, ["w:0"]),
    "not needed": ({}, {"x:0": "y:0"}, ["v:0"]),
    "after a placeholder": ({}, {"x:0": "y:0"}, ["after_x:0"]),
    "after a sum": ({}, {"v:0": "y:0"}, ["after_v:0"]),
    "second output": ({}, {"x:0": "s:1"}, ["z:0"]),
    "unknown": ({}, {"missing:0": "y:0"}, ["z:0"]),
    "no such output": ({}, {"x:1": "y:0"}, ["z:0"]),
    "fed too": ({"x:0": 3.0}, {"x:0": "y:0"}, ["z:0"]),
    "fetched too": ({}, {"x:0": "y:0"}, ["x:0"]),
    "itself": ({}, {"x:0": "x:0"}, ["z:0"]),
    "cycle": ({}, {"x:0": "w:0"}, ["z:0"]),
    "cycle of order": ({}, {"x:0": "after_x:0"}, ["z:0"]),
    "cycle of two": ({}, {"x:0": "v:0", "y:0": "w:0"}, ["w:0"]),
}


def _connect(
    lib: Any, session: Any, feeds: dict[str, float], pairs: dict[str, str], fetches: list[str]
) -> Any:
    x, y = lib.placeholder("float", [], name="x"), lib.constant(2.0, name="y")
    lib.multiply(lib.add(x, y, name="z"), 3.0, name="w")
    v = lib.add(y, 0.5, name="v")
    lib.negative(lib.placeholder("float", [], name="q"), name="p")
    lib.unstack(lib.constant([5.0, 7.0]), name="s")
    for name, tensor in {"after_x": x, "after_v": v}.items():
        with lib.control_dependencies([tensor]):
            lib.constant(1.0, name=name)
    cls = oracle_config.CallableOptions if lib is oracle else config.CallableOptions
    options = cls(feed=list(feeds), fetch=fetches)
    for replaced, source in pairs.items():
        options.tensor_connection.add(from_tensor=source, to_tensor=replaced)
    values = [np.float32(value) for value in feeds.values()]
    call = session._make_callable_from_options(options)
    return [call(*values), call(*values)]


@pytest.mark.parametrize("name", CONNECTIONS)
def test_a_tensor_stands_in_the_place_of_another(
    name: str, session_factory: SessionFactory
) -> None:
    def program(lib: Any, session: Any) -> Any:
        try:
            return _connect(lib, session, *CONNECTIONS[name])
        except (errors.OpError, oracle.errors.OpError) as error:
            return type(error).__name__, error.message.split("\n")[0]

    assert_same(program, session_factory)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("missing:0", 'from unknown node: "missing:0", in place of "x:0"'),
        ("y:1", r'from unknown edge: "y:1" \(actual number of outputs = 1\), in place of "x:0"'),
        ("i:0", 'to "x:0" of type float32 from "i:0" of type int32'),
    ],
)
def test_what_stands_in_is_checked(
    source: str, message: str, session_factory: SessionFactory
) -> None:
    x = tf.placeholder("float", [], name="x")
    tf.constant(1.0, name="y")
    tf.constant(1, name="i")
    tf.negative(x, name="z")
    options = config.CallableOptions(fetch=["z:0"])
    options.tensor_connection.add(from_tensor=source, to_tensor="x:0")
    with pytest.raises(errors.InvalidArgumentError, match=message):
        session_factory()._make_callable_from_options(options)()
