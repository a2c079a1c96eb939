"""Fetches of every structure and kind, against TensorFlow."""

from __future__ import annotations

import collections
from typing import Any

import attr
import numpy as np
import pytest

import dataflow as tf
from dataflow.session.conversions import register_session_run_conversion_functions
from tests.conftest import SessionFactory
from tests.session.both import assert_same, oracle

Pair = collections.namedtuple("Pair", "left right")


@attr.s
class Record:
    first = attr.ib()
    second = attr.ib()


class Items(list):
    pass


class Boxes(tuple):
    pass


def make(lib: Any) -> tuple[Any, Any, Any]:
    x = lib.placeholder(lib.float32, [], name="x")
    return x, lib.identity(x, name="y"), lib.no_op(name="nothing")


STRUCTURES = {
    "tensor": lambda x, y, op: y,
    "operation": lambda x, y, op: op,
    "name": lambda x, y, op: "y:0",
    "bytes name": lambda x, y, op: b"y:0",
    "operation name": lambda x, y, op: "nothing",
    "list": lambda x, y, op: [y, x],
    "one": lambda x, y, op: [y],
    "twice": lambda x, y, op: [y, y, op, y],
    "tuple": lambda x, y, op: (y, op),
    "namedtuple": lambda x, y, op: Pair(y, [x, op]),
    "dict": lambda x, y, op: {"b": y, "a": Pair(op, (y,))},
    "ordered": lambda x, y, op: collections.OrderedDict([("b", y), ("a", x)]),
    "default": lambda x, y, op: collections.defaultdict(list, {"b": y}),
    "attrs": lambda x, y, op: Record(y, [x]),
    "list subclass": lambda x, y, op: Items([y, x]),
    "tuple subclass": lambda x, y, op: Boxes([y]),
    "empty list": lambda x, y, op: [],
    "empty tuple": lambda x, y, op: (),
    "empty dict": lambda x, y, op: {},
    "nested empty": lambda x, y, op: [[], {}, ()],
    "keys of several types": lambda x, y, op: {1: y, "1": x, (2,): [y]},
    "deep": lambda x, y, op: [[[{"a": [Pair((y,), x)]}]], y],
    "fed only": lambda x, y, op: [x, x],
    "fed and operation": lambda x, y, op: [x, op],
}

REFUSED = {
    "none": lambda x, y, op: None,
    "none inside": lambda x, y, op: [y, {"a": None}],
    "int": lambda x, y, op: 3,
    "set": lambda x, y, op: {1},
    "array": lambda x, y, op: np.ones(2),
    "class": lambda x, y, op: object,
    "no such tensor": lambda x, y, op: "missing:0",
    "no such operation": lambda x, y, op: "missing",
    "no such output": lambda x, y, op: "x:3",
    "no output": lambda x, y, op: "nothing:0",
    "bad name": lambda x, y, op: "a:b:c",
    "second of two": lambda x, y, op: [y, "missing:0"],
}


@pytest.mark.parametrize("name", STRUCTURES)
def test_structure(name: str, session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x, y, op = make(lib)
        fetches = STRUCTURES[name](x, y, op)
        # The second run finds what the first one resolved.
        return [session.run(fetches, {x: 1.5}), session.run(fetches, {x: 2.5})]

    assert_same(program, session_factory)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x, y, op = make(lib)
        session.run(y, {x: 1.0})
        return session.run(REFUSED[name](x, y, op), {x: 1.5})

    outcome = assert_same(program, session_factory)
    assert outcome[0] == "error"


@pytest.mark.parametrize("kind", ["tensor", "operation"])
def test_other_graph(kind: str, session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        make(lib)
        with lib.Graph().as_default():
            x, _, op = make(lib)
        return session.run(x if kind == "tensor" else op)

    assert assert_same(program, session_factory)[0] == "error"


def test_other_graph_after_the_same_name_ran(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x, y, _ = make(lib)
        session.run(y, {x: 1.0})
        with lib.Graph().as_default():
            _, other, _ = make(lib)
        return session.run(other, {x: 1.0})

    assert assert_same(program, session_factory)[0] == "error"


def test_prevent_fetching(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x, y, _ = make(lib)
        lib.get_default_graph().prevent_fetching(y.op)
        return session.run(y, {x: 1.0})

    assert assert_same(program, session_factory)[0] == "error"


def test_a_list_may_change_between_runs(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x, y, op = make(lib)
        fetches = [y]
        results = [session.run(fetches, {x: 1.0})]
        fetches.append(x)
        results.append(session.run(fetches, {x: 2.0}))
        fetches[0] = op
        results.append(session.run(fetches, {x: 3.0}))
        return results

    assert_same(program, session_factory)


def test_structures_of_equal_parts_stay_apart(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x, y, _ = make(lib)
        feed = {x: 1.0}
        structures = [
            [x, y],
            (x, y),
            Pair(x, y),
            [[x], y],
            [[x, y]],
            {1: x, 2: y},
            {True: x, 2: y},
            {"1": x, "2": y},
            [x],
            x,
        ]
        first = [session.run(s, feed) for s in structures]
        return [first, [session.run(s, feed) for s in structures]]

    assert_same(program, session_factory)


def test_result_lists_are_the_callers(session_factory: SessionFactory) -> None:
    x, y, _ = make(tf)
    session = session_factory()
    first = session.run([y], {x: 1.0})
    first.append("mine")
    assert session.run([y], {x: 1.0}) == [np.float32(1.0)]


def test_a_default_factory_survives(session_factory: SessionFactory) -> None:
    x, y, _ = make(tf)
    result = session_factory().run(collections.defaultdict(list, a=y), {x: 1.0})
    assert result["new"] == []


class Stand:
    """Stands for a tensor, the way variables do."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    def _as_graph_element(self) -> Any:
        return self.tensor


def test_object_that_stands_for_a_tensor(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x, y, _ = make(lib)
        results = []
        for _ in range(2):
            stand, other = Stand(y), Stand(x)
            results.append(session.run([stand, {"a": other}, stand], {other: 1.0}))
            results.append(session.run(stand, {x: 2.0}))
        return results

    assert_same(program, session_factory)


def test_objects_that_live_for_one_run(session_factory: SessionFactory) -> None:
    """Python gives the place of an object that is gone to the next one."""

    def program(lib: Any, session: Any) -> Any:
        x, y, _ = make(lib)
        z = lib.identity(lib.constant(7.0))
        results = []
        for number in range(20):
            fetched, fed = ((y, x), (z, y))[number % 2]
            results.append(session.run(Stand(fetched), {Stand(fed): number}))
            results.append(session.run([Stand(fetched)], {x: number}))
        return results

    assert_same(program, session_factory)


class Doubled:
    """A type of the program's own."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor


def register(lib: Any) -> None:
    """Registers `Doubled` once with each library."""
    if lib is oracle:
        from tensorflow.python.client.session import (
            register_session_run_conversion_functions as register_there,
        )

        target: Any = register_there
    else:
        target = register_session_run_conversion_functions
    try:
        target(
            Doubled,
            lambda fetch: ([fetch.tensor], lambda arrays: arrays[0] * 2),
            lambda feed, value: [(feed.tensor, value / 2)],
            lambda feed: [feed.tensor],
        )
    except ValueError:
        pass


def test_registered_type(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        register(lib)
        x, y, _ = make(lib)
        box = Doubled(y)
        results = [session.run([box, y], {Doubled(x): 3.0}) for _ in range(2)]
        # What the type stands for may change: nothing of it is remembered.
        box.tensor = x
        return [results, session.run([box], {x: 1.0})]

    assert_same(program, session_factory)


def test_a_type_is_registered_once(session_factory: SessionFactory) -> None:
    register(tf)
    with pytest.raises(ValueError, match="has already been registered so ignore it"):
        register_session_run_conversion_functions(Doubled, lambda fetch: ([], None))
    with pytest.raises(ValueError, match="has already been registered so ignore it"):
        register_session_run_conversion_functions(object, lambda fetch: ([], None))


def test_a_type_without_feed_function(session_factory: SessionFactory) -> None:
    class FetchOnly(Doubled):
        """A type is registered once for all sessions: this test, run twice, needs two."""

    register_session_run_conversion_functions(
        FetchOnly, lambda fetch: ([fetch.tensor], lambda arrays: arrays[0])
    )
    x, y, _ = make(tf)
    session = session_factory()
    assert session.run(FetchOnly(y), {x: 1.0}) == 1.0
    with pytest.raises(TypeError, match="can only be fetched"):
        session.run(y, {FetchOnly(x): 1.0})
