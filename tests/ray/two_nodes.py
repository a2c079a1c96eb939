"""A program on a simulated cluster of two machines; prints what it finds, one fact a line.

Run by `test_two_nodes.py` in a process of its own, which can join no other Ray; its argument is the
transport.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import ray
from ray._private import state

import dataflow as tf
from dataflow.actors.transfers.lanes.tls import TlsSocket
from tests.actors.transfers.certificates import Authority
from tests.ray.actors import usage
from tests.ray.lanes import actor_of, lanes_of
from tests.ray.transports import LANES, switched_to
from tests.ray.two_machines import two_machines

transport = sys.argv[1]
folder = tempfile.TemporaryDirectory()
FILES = Authority(Path(folder.name)).files()


def say(what: str, value: object) -> None:
    # In one piece: another thread may speak at the same time.
    sys.stdout.write(f"out: {what}: {value}\n")
    sys.stdout.flush()


def nodes_of_actors() -> dict[str, str]:
    """The node of each living actor, by the part of its name after the cluster's."""
    return {
        "/job:" + actor["Name"].partition("/job:")[2]: actor["Address"]["NodeID"]
        for actor in state.actors().values()
        if actor["State"] == "ALIVE"
    }


def chain(tasks: list[str], length: int) -> tuple[tf.Tensor, tf.Tensor]:
    """A placeholder, and it doubled on one task after the other."""
    x = tf.placeholder(tf.float32, [None])
    y = x
    for count in range(length):
        with tf.device(tasks[count % len(tasks)]):
            y = y * 2.0
    return x, y


def loop(tasks: list[str]) -> tuple[tf.Tensor, tf.Tensor]:
    """A placeholder of a trip count, and 1 doubled and lessened by 3 so often, over two tasks."""
    n = tf.placeholder(tf.int32, [])

    def body(i: tf.Tensor, v: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        with tf.device(tasks[1]):
            doubled = v * 2.0
        with tf.device(tasks[0]):
            return i + 1, doubled - 3.0

    return n, tf.while_loop(lambda i, _: i < n, body, [0, 1.0])[1]


def functions(task: str) -> tuple[list[tf.Tensor], tf.Tensor]:
    """Texts that Python functions on a task make: alone, in a loop, in a pipeline; one that fails.

    A text is the machine on which it was made, and a number.
    """

    def here(number: Any) -> Any:
        return f"{ray.get_runtime_context().get_node_id()} {number}"

    def nowhere() -> Any:
        raise ValueError("nothing is here")

    def again(i: tf.Tensor, _: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        text = tf.py_func(here, [i], tf.string)
        text.set_shape([])
        return i + 1, text

    with tf.device(task):
        alone = tf.py_func(here, [7], tf.string)
        looped = tf.while_loop(lambda i, _: i < 3, again, [0, ""])[1]
        numbers = tf.data.Dataset.range(5, 9).map(lambda i: tf.py_func(here, [i], tf.string))
        element = tf.data.make_one_shot_iterator(numbers).get_next()
        return [alone, looped, element], tf.py_func(nowhere, [], tf.int64)


def say_of_functions(session: tf.Session, task: str, node: str) -> None:
    """Where Python functions run, and what is told of one that fails."""
    texts, failing = functions(task)
    found = [session.run(texts) for _ in range(2)]
    say("functions", [[text.decode().replace(node, "there") for text in each] for each in found])
    try:
        session.run(failing)
    except tf.errors.InvalidArgumentError as error:
        message = error.message
        say("failing function", [part in message for part in ("nothing is here", "in nowhere")])


def lone_session(first: str, second: str) -> None:
    tasks = ["/job:worker/task:0", "/job:worker/task:1"]
    with tf.Graph().as_default():
        x, y = chain(tasks, 5)
        n, v = loop(tasks)
        session = tf.Session("ray")
        say("devices", [device.name for device in session.list_devices()])
        where = nodes_of_actors()
        by_task = [{n for name, n in where.items() if f"task:{i}" in name} for i in (0, 1)]
        say("a node for each task", by_task == [{first}, {second}])
        small = session.run(y, {x: [1.0, 2.0]}).tolist()
        say("small tensors", small)
        value = np.arange(2_000_000, dtype=np.float32)
        say("large tensors", bool((session.run(y, {x: value}) == value * 32).all()))
        say("loop", [float(session.run(v, {n: trips})) for trips in (0, 3, 1, 20)])
        say_of_functions(session, tasks[1], second)
        session.close()
    say("left", sorted(nodes_of_actors()))


def encrypted() -> tf.ConfigProto:
    """Options that have connections between machines encrypted."""
    config = tf.ConfigProto()
    tls = config.rpc_options.tls
    tls.certificate, tls.key, tls.authority = FILES
    return config


def encrypted_session() -> None:
    with tf.Graph().as_default():
        x, y = chain(["/job:worker/task:0", "/job:worker/task:1"], 5)
        session = tf.Session("ray", config=encrypted())
        value = np.arange(200_000, dtype=np.float32)
        say("encrypted tensors", bool((session.run(y, {x: value}) == value * 32).all()))
        first, second = (device.name for device in session.list_devices())

        def encrypts(actor: Any) -> bool:
            (peer,) = actor._shell._peers._peers.values()
            return isinstance(peer._lane._socket, TlsSocket)

        say("devices encrypt", ray.get(actor_of(session, first).__ray_call__.remote(encrypts)))
        lanes = lanes_of(session)
        kinds = [isinstance(lanes[name].lane._socket, TlsSocket) for name in (first, second)]
        say("the session encrypts here and there", kinds)
        session.close()


def say_mismatch(target: str, y: tf.Tensor, feeds: dict[tf.Tensor, list[float]]) -> None:
    """What a session is told that encrypts, by a server that does not."""
    with tf.Session(target, graph=y.graph, config=encrypted()) as session:
        try:
            session.run(y, feeds)
        except tf.errors.FailedPreconditionError as error:
            say("mismatch", error.message)


def server(second: str) -> None:
    opened = tf.train.Server(tf.train.ClusterSpec({"worker": 1, "ps": 1}))
    where = nodes_of_actors()
    say(
        "tasks spread",
        len({where["/job:worker/replica:0/task:0"], where["/job:ps/replica:0/task:0"]}),
    )
    lost, kept = "/job:ps/task:0", "/job:worker/task:0"
    say("sessions' task is near", where["/job:ps/replica:0/task:0"] == second)
    with tf.Graph().as_default():
        x, y = chain([kept, lost], 3)
        x_kept, y_kept = chain([kept], 1)
        n, v = loop([kept, lost])
        session = tf.Session(opened.target)
        say("server", session.run(y, {x: [1.0]}).tolist())
        if transport == LANES:
            say_mismatch(opened.target, y, {x: [1.0]})
        say("other task", session.run(y_kept, {x_kept: [1.0]}).tolist())
        looping = threading.Thread(target=loop_until_lost, args=(session, v, {n: 10**8}))
        looping.start()
        while not session_is_in_a_step(session):
            looping.join(0.05)
        started = time.monotonic()
        cluster.remove_node(node, allow_graceful=False)
        try:
            while True:
                session.run(y, {x: [1.0]}, tf.RunOptions(timeout_in_ms=30_000))
        except tf.errors.UnavailableError as error:
            say("names the task", lost.replace("/task", "/replica:0/task") in error.message)
        looping.join()
        say("seconds", time.monotonic() - started)
        say("still there", session.run(y_kept, {x_kept: [1.0]}).tolist())
        session.close()
    opened.stop()
    say("left", sorted(nodes_of_actors()))


def loop_until_lost(session: tf.Session, v: tf.Tensor, feeds: dict[tf.Tensor, int]) -> None:
    """Runs a loop that would take for ever, and tells how it ends."""
    try:
        session.run(v, feeds)
    except tf.errors.UnavailableError as error:
        say("loop ends", "/job:ps/replica:0/task:0" in error.message)


def session_is_in_a_step(session: tf.Session) -> bool:
    """Whether the session's devices run something."""
    return all(device.steps for device in usage(session).values())


cluster = two_machines()
own = ray.get_runtime_context().get_node_id()
(node,) = cluster.worker_nodes
(other,) = (n["NodeID"] for n in ray.nodes() if n["NodeID"] != own)
with switched_to(transport):
    lone_session(own, other)
    if transport == LANES:
        encrypted_session()
    server(other)
ray.shutdown()
cluster.shutdown()
folder.cleanup()
