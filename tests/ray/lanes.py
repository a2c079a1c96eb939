"""What the tests see of lanes from outside: sockets, shared memory, threads; what goes over one,
and how it is cut."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import ray

import dataflow as tf
from dataflow.actors.ray.links.calls import NAMESPACE
from dataflow.session.session import Session
from tests.ray.actors import cluster_of

HERE = ""
"""The end of a lane that is in this process, among the names of devices."""


def chain() -> tuple[Any, Any]:
    """A placeholder, and a value that has crossed from one device to the other."""
    x = tf.placeholder(tf.float32, [None])
    with tf.device("/cpu:0"):
        y = x + 1.0
    with tf.device("/cpu:1"):
        return x, y * 2.0


def connection_of(session: Session) -> Any:
    """What a session shares with the others of this process on its cluster."""
    runtime: Any = session._link.runtime
    return runtime._sessions[session._link.handle].connection


def lanes_of(session: Session) -> dict[str, Any]:
    """The connections of a session that are open, by device."""
    found = connection_of(session).lanes._devices
    return {n: device for n, device in found.items() if device.may_be_silent and device.is_open}


def actor_of(session: Session, device: str) -> Any:
    """The actor of a session's device."""
    return ray.get_actor(cluster_of(session) + device, namespace=NAMESPACE)


def cut(session: Session, begin: str, end: str) -> float:
    """Cuts a lane as the network would: neither end is told, both find it out by themselves.

    Args:
      session: A session whose devices the lane leads from or to.
      begin: The device that has opened it, by full name, or `HERE`.
      end: The device that it leads to, by full name.

    Returns:
      When it was cut, on the clock that all processes of a machine share.
    """

    def shut(lane: Any) -> float:
        lane._socket.shutdown(socket.SHUT_RDWR)
        return time.monotonic()

    def there(actor: Any) -> float:
        return shut(actor._shell._peers._peers[end]._lane)

    if begin == HERE:
        return shut(lanes_of(session)[end].lane)
    found: float = ray.get(actor_of(session, begin).__ray_call__.remote(there))
    return found


def _links(process: int | str) -> Iterator[tuple[str, str]]:
    """The descriptors of a process, and what they stand for."""
    folder = f"/proc/{process}/fd"
    for name in os.listdir(folder):
        with suppress(OSError):
            yield f"{folder}/{name}", os.readlink(f"{folder}/{name}")


def near_sockets(*processes: int) -> Counter[str]:
    """The sockets of these processes at which lanes of this machine end, by the door's name.

    One listens; there is one more for each lane.
    """
    with open("/proc/net/unix") as sockets:
        rows = [line.split() for line in sockets]
    names = {row[6]: row[7] for row in rows if len(row) > 7 and row[7].startswith("@dataflow-")}
    targets = {target for process in processes for _, target in _links(process)}
    inodes = {target[len("socket:[") : -1] for target in targets if target.startswith("socket:[")}
    return Counter(name for inode, name in names.items() if inode in inodes)


def far_sockets(process: int, port: int) -> int:
    """The number of sockets of a process at a door for other machines."""
    with open("/proc/net/tcp") as sockets:
        rows = [line.split() for line in sockets][1:]
    inodes = {row[9] for row in rows if int(row[1].rpartition(":")[2], 16) == port}
    return sum(target[len("socket:[") : -1] in inodes for _, target in _links(process))


def other_descriptors(process: int) -> Counter[str]:
    """What else than sockets and the shared memory of lanes a process has open, by kind."""
    found = (target for _, target in _links(process))
    kinds = (kind for kind in found if not kind.startswith("socket:"))
    return Counter(kind for kind in kinds if "memfd:dataflow" not in kind)


def segments(process: int | str = "self") -> dict[int, int]:
    """The shared memory of a process: bytes, by a number that is the same in all processes."""
    found = {}
    for path, target in _links(process):
        if "memfd:dataflow" in target:
            with suppress(OSError):
                status = os.stat(path)
                found[status.st_ino] = status.st_size
    return found


def lane_threads() -> list[str]:
    """Names of this process's threads that belong to lanes."""
    names = [thread.name for thread in threading.enumerate()]
    return [name for name in names if name.startswith("dataflow")]
