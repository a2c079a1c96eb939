"""The cycle collector pauses while graphs are made, and is afterwards as it was before."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest

import dataflow as tf
from dataflow.actors.ray.actors.roll_call import RollCall
from dataflow.values.garbage import uncollected


@pytest.fixture(autouse=True)
def _collector_on() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


@uncollected
def _is_on(then: Callable[[], bool] | None = None) -> tuple[bool, bool]:
    """Whether the collector is on inside, before and after a call that may pause it again."""
    before = gc.isenabled()
    if then is not None:
        then()
    return before, gc.isenabled()


def test_paused_inside_and_on_again_behind() -> None:
    assert _is_on() == (False, False)
    assert gc.isenabled()


def test_a_call_inside_does_not_end_the_pause() -> None:
    assert _is_on(_is_on) == (False, False)
    assert gc.isenabled()


def test_on_again_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError):
        _is_on(lambda: 1 // 0 > 0)
    assert gc.isenabled()


def test_on_again_after_an_interrupt_that_comes_when_it_has_just_paused() -> None:
    def interrupt(frame: FrameType, event: str, called: Any) -> None:
        if event == "c_return" and called is gc.disable:
            raise KeyboardInterrupt

    sys.setprofile(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            _is_on()
    finally:
        sys.setprofile(None)
    assert gc.isenabled()


def test_what_the_user_switched_off_stays_off() -> None:
    gc.disable()
    assert _is_on() == (False, False)
    assert not gc.isenabled()


def test_on_after_a_graph_was_sent_run_exported_and_imported() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [2], name="x")
        y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2.0), [0, x])[1]
        assert session.run(y, {x: [1.0, 2.0]}).tolist() == [8.0, 16.0]
        assert gc.isenabled()
        graph_def = graph.as_graph_def()
        assert gc.isenabled()
    with tf.Graph().as_default():
        tf.import_graph_def(graph_def, name="")
        assert gc.isenabled()


@pytest.mark.ray
def test_on_while_a_session_waits_for_its_devices_to_start(
    ray_cluster: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That may take minutes, in which other threads' closed sessions are to be collected."""
    seen: list[bool] = []
    complete = RollCall.complete

    def looking(roll: RollCall, timeout: float) -> bool:
        seen.append(gc.isenabled())
        return complete(roll, timeout)

    monkeypatch.setattr(RollCall, "complete", looking)
    # Devices that no other session of this run has started.
    config = tf.ConfigProto(device_count={"CPU": 1}, inter_op_parallelism_threads=3)
    with tf.Graph().as_default(), tf.Session("ray", config=config) as session:
        assert session.run(tf.constant(2.0) * 3.0) == 6.0
    assert seen == [True]


def test_on_after_a_graph_that_is_refused() -> None:
    graph_def = tf.GraphDef()
    graph_def.node.add(name="a", op="Identity", input=["missing"])
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="missing"):
            tf.import_graph_def(graph_def, name="")
        assert gc.isenabled()
        stuck = tf.placeholder(tf.float32, [], name="x") / 0.0
        assert gc.isenabled()
        with tf.Session() as session:
            with pytest.raises(tf.errors.InvalidArgumentError, match="x"):
                session.run(stuck)
            assert gc.isenabled()
