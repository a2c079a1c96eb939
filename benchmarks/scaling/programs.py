"""The graphs that show what a step costs against devices, edges, sessions and parameter servers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow as tf

Step = Callable[[], Any]


def device_name(index: int) -> str:
    """One of the devices of the lone task of the server."""
    return f"/job:worker/task:0/device:CPU:{index}"


def fetch_from_each(session: Any, devices: int) -> Step:
    """Fetches a scalar from each of so many devices: the null step."""
    fetches = []
    for index in range(devices):
        with tf.device(device_name(index)):
            number = tf.Variable(float(index), name="number")
            session.run(number.initializer)
            fetches.append(tf.identity(number))
    wanted = [float(index) for index in range(devices)]

    def step() -> None:
        if session.run(fetches) != wanted:
            raise ValueError("A device gives another device's number.")

    return step


def hops(session: Any, count: int, devices: int = 2) -> Step:
    """A fed scalar goes from device to device, so often, one after the other."""
    with tf.device(device_name(0)):
        x = y = tf.placeholder(tf.float32, [])
    for index in range(count + 1):
        with tf.device(device_name(index % devices)):
            y = y + 1.0

    def step() -> None:
        if session.run(y, {x: 1.0}) != count + 2.0:
            raise ValueError("A hop is missing.")

    return step


def side_by_side(session: Any, edges: int) -> Step:
    """So many scalars go from one device to another in one step."""
    with tf.device(device_name(0)):
        x = tf.placeholder(tf.float32, [])
        sent = [x + float(index) for index in range(edges)]
    with tf.device(device_name(1)):
        total = tf.add_n([each * 1.0 for each in sent])
    wanted = edges + edges * (edges - 1) / 2

    def step() -> None:
        if session.run(total, {x: 1.0}) != wanted:
            raise ValueError("An edge is missing.")

    return step


def parameter_server_step(session: Any, worker: int, servers: int) -> Step:
    """A worker's null step: it reads a scalar of each server, adds up, and updates each server.

    The servers are the devices from 0, the worker is the device of that index.
    """
    read = []
    for index in range(servers):
        with tf.device(device_name(index)):
            number = tf.Variable(1.0, name="shared")
            mine = tf.Variable(0.0, name=f"updates_of_{worker}")
            session.run([number.initializer, mine.initializer])
            read.append((number, mine))
    with tf.device(device_name(worker)):
        total = tf.add_n([tf.identity(number) for number, _ in read]) / float(servers)
    updates = [tf.assign_add(mine, total).op for _, mine in read]

    def step() -> None:
        session.run(updates)

    return step
