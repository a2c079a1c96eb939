"""Dead tensors in steps that are fed and fetched piece by piece."""

from __future__ import annotations

from typing import Any

from tests.conftest import SessionFactory
from tests.session.both import assert_same


def _branches(library: Any) -> tuple[Any, Any, Any, list[Any]]:
    pred, x = library.placeholder(library.bool), library.placeholder(library.float32)
    off, on = library.raw_ops.Switch(data=x, pred=pred)
    negative, square = library.negative(off, name="off"), library.square(on, name="on")
    merged = library.raw_ops.Merge(inputs=[negative, square]).output
    return negative, square, merged, [pred, x]


def test_the_branch_that_is_alive(session_factory: SessionFactory) -> None:
    def program(library: Any, session: Any) -> Any:
        _, square, merged, (pred, x) = _branches(library)
        run = session.partial_run_setup([square, merged], [pred, x])
        return session.partial_run(run, merged, {pred: True, x: 3.0}), session.partial_run(
            run, square
        )

    assert_same(program, session_factory)


def test_the_branch_that_is_dead(session_factory: SessionFactory) -> None:
    def program(library: Any, session: Any) -> Any:
        negative, _, merged, (pred, x) = _branches(library)
        run = session.partial_run_setup([negative, merged], [pred, x])
        session.partial_run(run, merged, {pred: True, x: 3.0})
        return session.partial_run(run, negative)

    outcome = assert_same(program, session_factory)
    assert outcome[-1] == "The tensor returned for off:0 was not valid."


def test_a_loop(session_factory: SessionFactory) -> None:
    def program(library: Any, session: Any) -> Any:
        limit, start = library.placeholder(library.int32), library.placeholder(library.int32)
        end = library.while_loop(lambda i: i < limit, lambda i: i + 2, [start])
        run = session.partial_run_setup([end, start + 1], [limit, start])
        late = session.partial_run(run, [], {start: 1})
        return late, session.partial_run(run, end, {limit: 10})

    assert_same(program, session_factory)
