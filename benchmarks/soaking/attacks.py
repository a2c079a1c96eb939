"""What a soak does to its processes and sessions beside kills: freezes, interrupts, bad graphs."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from google.protobuf.message import DecodeError

import dataflow as tf
from soaking.steps import MixedSteps

_LONGEST_FREEZE: Final = 5.0
"""Seconds; far below what a step may take."""
INTERRUPTED: Final = ("small", "large", "loop", "failing", "in flight", "piecewise")
"""Steps whose results do not tell whether an earlier one was carried out."""
_INSIDE_OF_A_LOOP: Final = "has already been set"
"""TensorFlow too calls it internal that what is fetched is computed again and again."""
_REFUSALS: Final = (tf.errors.OpError, ValueError, TypeError, KeyError, DecodeError)
"""What importing and running a malformed graph may raise; KeyError where a fetch is not there."""


def freeze(pid: int, chooser: random.Random) -> None:
    """Stops a process for some seconds: who waits for it waits, and nothing fails."""

    def thaw() -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)

    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
        later = threading.Timer(chooser.uniform(0.2, _LONGEST_FREEZE), thaw)
        later.daemon = True
        later.start()


def malformed_session(target: str, chooser: random.Random) -> str:
    """Opens a session with a graph of which something is other; gives what came of it.

    Raises:
      InternalError: The graph was not refused as it should be.
    """
    try:
        with tf.Graph().as_default() as graph:
            tf.import_graph_def(_spoilt_graph(chooser), name="")
            with tf.Session(target, graph=graph) as session:
                options = tf.RunOptions(timeout_in_ms=120_000)
                session.run("y:0", {"x:0": [1.0, 2.0]}, options)
    except tf.errors.InternalError as error:
        if _INSIDE_OF_A_LOOP not in error.message:
            raise
        return type(error).__name__
    except _REFUSALS as error:
        return type(error).__name__
    return "ran"


def _spoilt_graph(chooser: random.Random) -> Any:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None], name="x")
        product = tf.matmul(tf.reshape(x, [-1, 2]), [[1.0, 2.0], [3.0, 4.0]])
        loop = tf.while_loop(lambda v: tf.reduce_sum(v) < 100.0, lambda v: v * 2.0, [product])
        tf.nn.relu(loop, name="y")
    found = graph.as_graph_def()
    if chooser.random() < 0.2:
        data = bytearray(found.SerializeToString())
        data[chooser.randrange(len(data))] = chooser.randrange(256)
        return tf.GraphDef.FromString(bytes(data))
    node, other = chooser.sample(list(found.node), 2)
    spoil = chooser.choice(("op", "input", "attr", "name", "dtype"))
    if spoil == "op":
        node.op = other.op
    elif spoil == "input" and node.input:
        node.input[chooser.randrange(len(node.input))] = other.name
    elif spoil == "attr" and node.attr:
        del node.attr[chooser.choice(sorted(node.attr))]
    elif spoil == "name":
        node.name = other.name
    else:
        node.attr["T"].type = chooser.randrange(25)
    return found


def interrupted_step(steps: MixedSteps, chooser: random.Random) -> str | None:
    """A step of the main thread that Ctrl-C may end, then the same step, which must be right.

    Returns:
      The kind of the step if it was interrupted.

    Raises:
      WrongResultError: A step gave something wrong.
    """
    kind = chooser.choice(INTERRUPTED)
    interrupted = None
    try:
        with _interrupt_after(chooser.uniform(0.0, 0.01)):
            steps.kinds[kind]()
    except KeyboardInterrupt:
        interrupted = kind
    steps.kinds[kind]()
    return interrupted


@contextmanager
def _interrupt_after(seconds: float) -> Iterator[None]:
    """Sends this process's main thread a SIGINT so much later, unless the body has ended."""
    over = threading.Event()
    main = threading.main_thread().ident
    assert main is not None

    def send() -> None:
        if not over.wait(seconds):
            signal.pthread_kill(main, signal.SIGINT)

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    try:
        yield
    finally:
        # One that is on its way comes before the thread that sends it has ended.
        over.set()
        sender.join()
