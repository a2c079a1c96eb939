"""Kills Ray's head while a session works, and may start another one in its place; prints what a
program sees, one fact a line.

Run as `python -m tests.ray.kills.head_loss killed|restarted` in a process of its own. Ray ends a
program some time after its head has gone: RAY_gcs_rpc_server_reconnect_timeout_s says when.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import ray
from ray.cluster_utils import Cluster

import dataflow as tf
from dataflow import errors
from dataflow.actors.ray.cluster.head_watch import ray_seconds
from dataflow.session.session import Session
from tests.ray.actors import eventually, is_running, living
from tests.ray.kills.kill_world import World

PATIENCE = ray_seconds()


def say(what: str, value: object) -> None:
    print(f"out: {what}: {value}", flush=True)


def environment_of(process: int) -> dict[str, str]:
    pairs = Path(f"/proc/{process}/environ").read_text().split("\0")
    return dict(pair.split("=", 1) for pair in pairs if "=" in pair)


def lose_the_head(cluster: Any, again: bool) -> subprocess.Popen[bytes] | None:
    """Kills the head; the one that takes its place listens at the same port, and is new."""
    head = cluster.head_node.all_processes["gcs_server"][0].process
    command = Path(f"/proc/{head.pid}/cmdline").read_text().split("\0")[:-1]
    variables = environment_of(head.pid)
    os.kill(head.pid, signal.SIGKILL)
    head.wait()
    if not again:
        return None
    port = cluster.address.rpartition(":")[2]
    name = "--gcs_server_port="
    command = [f"{name}{port}" if part.startswith(name) else part for part in command]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, env=variables, stdout=quiet, stderr=quiet)


def main(how: str) -> None:
    """Says when and how the session ends, and that the program goes on."""
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
    server = tf.train.Server({"worker": 1, "ps": 1}, max_restarts=1)
    world = World()
    session = Session(server.target, graph=world.graph)
    session.run(world.initializers)
    act = world.activity("values in flight", session, server.target)
    act()
    actors = living(server.target.removeprefix("ray:").partition("/job:")[0]).values()
    joined: list[Any] = []

    def join() -> None:
        try:
            server.join()
        except errors.OpError as error:
            joined.append(error)

    joining = threading.Thread(target=join)
    joining.start()
    lost = time.monotonic()
    new = lose_the_head(cluster, how == "restarted")
    act()
    say("a step needs no head", True)
    session_ends = None
    while session_ends is None or "Ray's head" not in session_ends.message:
        try:
            act()
        except errors.UnavailableError as error:
            session_ends = error
        assert time.monotonic() - lost < PATIENCE, session_ends
        time.sleep(0.02)
    say("error", session_ends.message)
    say("seconds", time.monotonic() - lost)
    for name, call in (
        ("run", act),
        ("extend", lambda: session.run(world.spare[5], {world.seed: 1.0})),
    ):
        began = time.monotonic()
        try:
            call()
        except errors.UnavailableError as error:
            say(f"then {name}", error.message == session_ends.message)
            say("at once", time.monotonic() - began < 1.0)
    joining.join(PATIENCE)
    say("the server ends", "Ray's head" in joined[0].message)
    began = time.monotonic()
    session.close()
    say("closed", time.monotonic() - began < 1.0)
    if new is not None:
        say("actors end", eventually(lambda: not any(map(is_running, actors))))
        try:
            Session(server.target)
        except errors.UnavailableError as error:
            say("a new session", error.message)
    ray.shutdown()
    # Without a Ray to hear of, the program is nobody's to end.
    time.sleep(max(0.0, lost + PATIENCE + 3.0 - time.monotonic()))
    say("the program goes on", True)
    server.stop()
    cluster.shutdown()
    if new is not None:
        new.kill()
        new.wait()
    with tf.Graph().as_default(), Session("ray") as fresh:
        say("with another Ray", float(fresh.run(tf.constant(3.0) * 2.0)))


if __name__ == "__main__":
    main(sys.argv[1])
