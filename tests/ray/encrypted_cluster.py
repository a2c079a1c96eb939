"""A program on a simulated cluster of two machines whose Ray encrypts; prints facts, one a line.

Ray reads its switch when it is imported, so the variables that turn TLS on are set by who starts
this: see `test_encrypted_cluster.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import ray
from ray.cluster_utils import Cluster

import dataflow as tf
from dataflow.actors.transfers.lanes.tls import TlsSocket
from tests.ray.lanes import actor_of

TASKS = ["/job:worker/task:0", "/job:worker/task:1"]


def say(what: str, value: object) -> None:
    print(f"out: {what}: {value}", flush=True)


def there_and_back() -> tuple[tf.Tensor, tf.Tensor]:
    """A placeholder, and it doubled four times on one machine after the other."""
    x = tf.placeholder(tf.float32, [None])
    y = x
    for count in range(4):
        with tf.device(TASKS[count % 2]):
            y = y * 2.0
    return x, y


def encrypts(actor: Any) -> bool:
    """Whether a device's only lane to another is encrypted."""
    (peer,) = actor._shell._peers._peers.values()
    return isinstance(peer._lane._socket, TlsSocket)


def try_session(session: tf.Session, x: tf.Tensor, y: tf.Tensor) -> None:
    value = np.arange(200_000, dtype=np.float32)
    say("right", bool((session.run(y, {x: value}) == value * 16).all()))


cluster = Cluster(
    initialize_head=True,
    head_node_args={
        "num_cpus": 1,
        "object_store_memory": 10**8,
        "include_dashboard": False,
        "_system_config": {"worker_niceness": 0},
    },
)
ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
cluster.add_node(num_cpus=1, object_store_memory=10**8)
cluster.wait_for_nodes()
with tf.Graph().as_default():
    x, y = there_and_back()
    with tf.Session("ray") as session:
        try_session(session, x, y)
        first = session.list_devices()[0].name
        say("devices encrypt", ray.get(actor_of(session, first).__ray_call__.remote(encrypts)))
    server = tf.train.Server(tf.train.ClusterSpec({"worker": 2}))
    with tf.Session(server.target) as session:
        try_session(session, x, y)
    server.stop()
say("address", cluster.address)
input()
ray.shutdown()
cluster.shutdown()
