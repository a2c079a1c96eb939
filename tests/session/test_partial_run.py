"""Piecewise steps, against TensorFlow."""

from __future__ import annotations

import re
from typing import Any

import pytest

import dataflow as tf
from tests.conftest import SessionFactory
from tests.session.both import assert_same, core_text

CASES: dict[str, Any] = {}


def case(function: Any) -> Any:
    CASES[function.__name__] = function
    return function


class Made:
    """Two results of three inputs, one after the other."""

    def __init__(self, lib: Any) -> None:
        self.a, self.b, self.c = (lib.placeholder(lib.float32, [], name=n) for n in "abc")
        self.first = lib.raw_ops.AddV2(x=self.a, y=self.b, name="first")
        self.second = lib.raw_ops.Mul(x=self.first, y=self.c, name="second")
        self.op = lib.no_op(name="op")


@case
def piece_by_piece(lib: Any, session: Any) -> Any:
    m = Made(lib)
    run = session.partial_run_setup([m.first, m.second], [m.a, m.b, m.c])
    first = session.partial_run(run, m.first, {m.a: 1.0, m.b: 2.0})
    return [first, session.partial_run(run, [m.second], {m.c: 4.0})]


@case
def only_feeds_first(lib: Any, session: Any) -> Any:
    m = Made(lib)
    run = session.partial_run_setup([m.second], [m.a, m.b, m.c])
    fed = session.partial_run(run, [], {m.a: 1.0, "b:0": 2.0})
    return [fed, session.partial_run(run, {"second": m.second}, {m.c: 4.0})]


@case
def names(lib: Any, session: Any) -> Any:
    Made(lib)
    run = session.partial_run_setup("first:0", ["a:0", "b:0"])
    return session.partial_run(run, "first:0", {"a:0": 1.0, "b:0": 2.0})


@case
def two_at_once(lib: Any, session: Any) -> Any:
    m = Made(lib)
    runs = [session.partial_run_setup([m.first], [m.a, m.b]) for _ in range(2)]
    for run, value in zip(runs, (1.0, 2.0), strict=True):
        session.partial_run(run, [], {m.a: value})
    return [session.partial_run(run, m.first, {m.b: 10.0}) for run in reversed(runs)]


@case
def fed_and_fetched(lib: Any, session: Any) -> Any:
    m = Made(lib)
    run = session.partial_run_setup([m.first], [m.a, m.b])
    return session.partial_run(run, [m.a, m.first], {m.a: 1.0, m.b: 2.0})


@case
def nothing_at_all(lib: Any, session: Any) -> Any:
    m = Made(lib)
    run = session.partial_run_setup([m.first], [m.a, m.b])
    return [session.partial_run(run, []), session.partial_run(run, m.first, {m.a: 1, m.b: 2})]


@case
def fed_twice(lib: Any, session: Any) -> Any:
    m = Made(lib)
    run = session.partial_run_setup([m.first, m.second], [m.a, m.b, m.c])
    session.partial_run(run, m.first, {m.a: 1.0, m.b: 2.0})
    return session.partial_run(run, m.second, {m.a: 1.0})


@case
def fetched_twice(lib: Any, session: Any) -> Any:
    m = Made(lib)
    run = session.partial_run_setup([m.first, m.second], [m.a, m.b, m.c])
    session.partial_run(run, m.first, {m.a: 1.0, m.b: 2.0})
    return session.partial_run(run, m.first)


@case
def not_computable(lib: Any, session: Any) -> Any:
    m = Made(lib)
    run = session.partial_run_setup([m.first], [m.a, m.b])
    try:
        return session.partial_run(run, m.first, {m.a: 1.0})
    except lib.errors.InvalidArgumentError as error:
        # TensorFlow names the missing feed, as a fetch.
        return re.sub(r"Fetch \w+:0", "Fetch", core_text(error.message))


@case
def fetch_not_set_up(lib: Any, session: Any) -> Any:
    m = Made(lib)
    run = session.partial_run_setup([m.first], [m.a, m.b])
    return session.partial_run(run, m.second, {m.a: 1.0})


@case
def feed_not_set_up(lib: Any, session: Any) -> Any:
    m = Made(lib)
    run = session.partial_run_setup([m.first], [m.a, m.b])
    return session.partial_run(run, m.first, {m.a: 1.0, m.c: 1.0})


@case
def over(lib: Any, session: Any) -> Any:
    m = Made(lib)
    run = session.partial_run_setup([m.first], [m.a, m.b])
    session.partial_run(run, m.first, {m.a: 1.0, m.b: 2.0})
    return session.partial_run(run, m.first)


@case
def unknown_handle(lib: Any, session: Any) -> Any:
    m = Made(lib)
    return session.partial_run("nothing like it", m.first)


@case
def operation_fetched(lib: Any, session: Any) -> Any:
    m = Made(lib)
    run = session.partial_run_setup([m.first, m.op], [m.a, m.b])
    return session.partial_run(run, [m.first, m.op], {m.a: 1.0, m.b: 2.0})


@case
def operation_set_up(lib: Any, session: Any) -> Any:
    m = Made(lib)
    run = session.partial_run_setup([m.first, m.op], [m.a, m.b])
    return session.partial_run(run, [m.first], {m.a: 1.0, m.b: 2.0})


@case
def setup_without_fetches(lib: Any, session: Any) -> Any:
    m = Made(lib)
    return session.partial_run_setup([], [m.a])


@case
def setup_of_none(lib: Any, session: Any) -> Any:
    m = Made(lib)
    return session.partial_run_setup(None, [m.a])


@case
def setup_in_empty_graph(lib: Any, session: Any) -> Any:
    return session.partial_run_setup("x:0")


@case
def wrong_shape(lib: Any, session: Any) -> Any:
    m = Made(lib)
    run = session.partial_run_setup([m.first], [m.a, m.b])
    return session.partial_run(run, m.first, {m.a: [1.0], m.b: 2.0})


@case
def an_ordinary_run_between(lib: Any, session: Any) -> Any:
    m = Made(lib)
    run = session.partial_run_setup([m.first, m.second], [m.a, m.b, m.c])
    first = session.partial_run(run, m.first, {m.a: 1.0, m.b: 2.0})
    between = session.run(m.second, {m.a: 5.0, m.b: 5.0, m.c: 5.0})
    return [first, between, session.partial_run(run, m.second, {m.c: 4.0})]


@case
def error_then_another_run(lib: Any, session: Any) -> Any:
    m = Made(lib)
    run = session.partial_run_setup([m.first], [m.a, m.b])
    try:
        session.partial_run(run, m.first, {m.a: 1.0})
    except lib.errors.InvalidArgumentError:
        pass
    run = session.partial_run_setup([m.first], [m.a, m.b])
    return session.partial_run(run, m.first, {m.a: 1.0, m.b: 2.0})


@pytest.mark.parametrize("name", CASES)
def test_case(name: str, session_factory: SessionFactory) -> None:
    assert_same(CASES[name], session_factory)


@pytest.mark.parametrize("feed", ["missing:0", 3, "a"])
def test_setup_with_a_feed_that_is_none(feed: Any, session_factory: SessionFactory) -> None:
    """TensorFlow's own error handling fails here, with an AttributeError."""
    m = Made(tf)
    with pytest.raises(
        (KeyError, TypeError, ValueError), match="Cannot interpret argument `feed` key as Tensor: "
    ):
        session_factory().partial_run_setup([m.first], [feed])


def test_closing_ends_it(session_factory: SessionFactory) -> None:
    m = Made(tf)
    session = session_factory()
    run = session.partial_run_setup([m.first], [m.a, m.b])
    session.partial_run(run, [], {m.a: 1.0})
    session.close()
    with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
        session.partial_run(run, m.first, {m.b: 1.0})
