"""What keeps state whole while handlers of signals raise."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from dataflow.values.interrupts import (
    Flag,
    Monitor,
    held_back,
    is_interrupt,
    on_caller,
    sheltered,
)

PATIENCE = 60.0
"""Seconds that nothing takes, however busy the machine is."""


def _interrupt() -> None:
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


def test_sheltered_gives_results_and_errors_of_another_thread() -> None:
    assert sheltered(threading.get_ident) != threading.get_ident()
    with pytest.raises(ZeroDivisionError):
        sheltered(lambda: 1 / 0)


def test_sheltered_stays_on_threads_without_handlers() -> None:
    found: list[bool] = []

    def look() -> None:
        found.append(sheltered(threading.get_ident) == threading.get_ident())

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [True]


def test_what_is_sheltered_goes_on_after_an_interrupt() -> None:
    goes_on, ended, undone = threading.Event(), threading.Event(), threading.Event()
    taken: list[str] = []

    def work() -> str:
        _interrupt()
        goes_on.wait(PATIENCE)
        ended.set()
        return "made"

    def undo(value: str) -> None:
        taken.append(value)
        undone.set()

    with pytest.raises(KeyboardInterrupt):
        sheltered(work, undo)
    assert not ended.is_set()
    goes_on.set()
    assert undone.wait(PATIENCE)
    assert ended.is_set()
    assert taken == ["made"]


def test_what_is_left_to_the_caller_is_called_by_it() -> None:
    found: list[int] = []

    def note() -> None:
        found.append(threading.get_ident())

    def work() -> int:
        on_caller(note)
        assert not found
        return 7

    assert sheltered(work) == 7
    on_caller(note)
    assert found == [threading.get_ident()] * 2


def test_handlers_wait_for_what_is_held_back() -> None:
    steps: list[str] = []

    def work() -> None:
        _interrupt()
        time.sleep(0.01)
        steps.append("worked")

    with pytest.raises(KeyboardInterrupt):
        held_back(work)
    assert steps == ["worked"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert held_back(lambda: 7) == 7


def test_what_comes_in_a_callback_comes_again() -> None:
    with pytest.raises(KeyboardInterrupt):
        assert held_back(_interrupt, swallows=True) is None
        # A signal that another thread has taken ends no sleep: the handler runs after it.
        for _ in range(round(PATIENCE / 0.01)):
            time.sleep(0.01)


def test_handlers_wait_also_if_the_work_fails() -> None:
    def work() -> None:
        _interrupt()
        raise ValueError

    with pytest.raises(KeyboardInterrupt) as caught:
        held_back(work)
    assert isinstance(caught.value.__context__, ValueError)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_monitor_wakes_all_who_wait() -> None:
    monitor, woken = Monitor(), []
    state = {"go": False}

    def wait() -> None:
        with monitor:
            woken.append(monitor.wait_for(lambda: state["go"], PATIENCE))

    threads = [threading.Thread(target=wait) for _ in range(4)]
    for thread in threads:
        thread.start()
    with monitor:
        assert not monitor.wait(0.01)
        assert monitor.wait_for(lambda: 0, 0.01) == 0
        state["go"] = True
        monitor.notify_all()
    for thread in threads:
        thread.join(PATIENCE)
    assert woken == [True] * 4


def test_an_interrupted_wait_leaves_the_monitor_to_others() -> None:
    monitor = Monitor()
    taken: list[bool] = []

    def interrupt() -> None:
        # It is to be had once it is waited for.
        with monitor:
            _interrupt()

    with pytest.raises(KeyboardInterrupt), monitor:
        threading.Thread(target=interrupt).start()
        monitor.wait(PATIENCE)
    thread = threading.Thread(target=lambda: taken.append(monitor.acquire(timeout=PATIENCE)))
    thread.start()
    thread.join()
    assert taken == [True]


def test_a_flag_is_an_event() -> None:
    flag = Flag()
    assert not flag.wait(0.01)
    threading.Timer(0.05, flag.set).start()
    assert flag.wait(PATIENCE)
    assert flag.is_set()


def test_only_the_main_thread_is_interrupted() -> None:
    assert is_interrupt(KeyboardInterrupt())
    assert is_interrupt(SystemExit())
    assert not is_interrupt(ValueError())
    assert sheltered(lambda: is_interrupt(KeyboardInterrupt())) is False
