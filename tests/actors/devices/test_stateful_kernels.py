"""Kernels of stateful nodes: kept for their session, whoever binds or closes beside it."""

from __future__ import annotations

import itertools
import threading

from dataflow.actors.devices.stateful_kernels import StatefulKernels


def first() -> None:
    """A callable."""


def second() -> None:
    """Another one."""


def test_the_first_callable_of_a_node_stays() -> None:
    kernels = StatefulKernels()
    assert kernels.find(1, "a") is None
    assert kernels.keep(1, "a", first) is first
    assert kernels.keep(1, "a", second) is first
    assert kernels.keep(2, "a", second) is second
    assert (kernels.find(1, "a"), kernels.find(2, "a"), kernels.find(1, "b")) == (
        first,
        second,
        None,
    )
    assert len(kernels) == 2
    kernels.forget_session(1)
    kernels.forget_session(7)
    assert (kernels.find(1, "a"), kernels.find(2, "a"), len(kernels)) == (None, second, 1)
    kernels.clear()
    assert len(kernels) == 0


def test_sessions_come_and_go_while_others_bind() -> None:
    kernels = StatefulKernels()
    for number in range(20_000):
        kernels.keep(0, f"node{number}", first)
    errors: list[BaseException] = []
    done = threading.Event()

    def bind() -> None:
        try:
            for number in itertools.count():
                kernels.keep(1 + number % 100, f"node{number}", first)
                if done.is_set():
                    return
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=bind) for _ in range(2)]
    for thread in threads:
        thread.start()
    for session in range(300):
        kernels.forget_session(1 + session % 100)
        assert len(kernels) >= 20_000
    done.set()
    for thread in threads:
        thread.join()
    assert not errors


def test_what_a_kernel_does_at_its_end_may_use_them() -> None:
    kernels = StatefulKernels()

    class Closing:
        def __call__(self) -> None:
            """Does nothing."""

        def __del__(self) -> None:
            kernels.forget_session(3)

    kernels.keep(1, "a", Closing())
    kernels.keep(2, "a", Closing())
    kernels.forget_session(1)
    kernels.clear()
    assert len(kernels) == 0
