"""A variable read on another device than its own: after the write that the reader waits for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.conftest import SessionFactory
from tests.session.both import oracle, tf

Program = Callable[[Any], Any]
"""`f(library)` returns a fetch that reads `v`, which is 1, from another device."""


def _variable(library: Any) -> Any:
    with library.device("/cpu:1"):
        return library.Variable(1.0, use_resource=False, name="v")


def after_a_write(library: Any) -> Any:
    """The reader waits for a write."""
    v = _variable(library)
    with library.device("/cpu:1"):
        write = v.assign(5.0).op
    with library.device("/cpu:0"), library.control_dependencies([write]):
        return library.add(v._ref(), 0.0)


def after_writes_one_after_the_other(library: Any) -> Any:
    """Each read sees what was written before it."""
    v = _variable(library)
    found = []
    before = []
    for _ in range(3):
        with library.device("/cpu:1"), library.control_dependencies(before):
            write = v.assign_add(1.0).op
        with library.device("/cpu:0"), library.control_dependencies([write]):
            found.append(library.add(v._ref(), 0.0))
        before = [found[-1]]
    return found


def after_a_write_that_another_device_waited_for(library: Any) -> Any:
    """Between the write and the read lies a third device."""
    v = _variable(library)
    with library.device("/cpu:1"):
        write = v.assign_sub(3.0).op
    with library.device("/cpu:2"), library.control_dependencies([write]):
        passed = library.no_op()
    with library.device("/cpu:0"), library.control_dependencies([passed]):
        return library.multiply(v._ref(), 10.0)


def before_a_write(library: Any) -> Any:
    """A write that waits for the reader."""
    v = _variable(library)
    with library.device("/cpu:0"):
        read = library.add(v._ref(), 0.0)
    with library.device("/cpu:1"), library.control_dependencies([read]):
        write = v.assign(7.0).op
    with library.control_dependencies([write]):
        return library.identity(read)


def after_a_write_in_a_loop(library: Any) -> Any:
    """Each iteration writes on one device and reads on another."""
    v = _variable(library)
    ref = v._ref()

    def body(i: Any, total: Any) -> Any:
        # The next iteration writes after this one has read.
        with library.device("/cpu:1"), library.control_dependencies([total]):
            write = library.assign_add(ref, 1.0)
        with library.device("/cpu:2"):
            return i + 1, total + write

    return library.while_loop(lambda i, _: i < 4, body, [0, 0.0])


PROGRAMS = [
    after_a_write,
    after_writes_one_after_the_other,
    after_a_write_that_another_device_waited_for,
    before_a_write,
    after_a_write_in_a_loop,
]


def _run(library: Any, open_session: Callable[[Any, Any], Any]) -> list[Any]:
    """What each program gives, five times."""
    with library.Graph().as_default() as graph:
        fetches = [program(library) for program in PROGRAMS]
        init = library.global_variables_initializer()
        config = library.ConfigProto(device_count={"CPU": 3})
        with open_session(graph, config) as session:
            found = []
            for fetch in fetches * 5:
                session.run(init)
                found.append(session.run(fetch))
            return found


def test_the_values_are_tensorflows(session_factory: SessionFactory) -> None:
    theirs = _run(oracle, lambda graph, config: oracle.Session("", graph, config))
    ours = _run(tf, lambda graph, config: session_factory(graph, config))
    for program, one, other in zip(PROGRAMS * 5, ours, theirs, strict=True):
        assert one == other, program.__name__
