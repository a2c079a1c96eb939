"""Cuts the network between machines that have addresses of their own; prints what comes of it.

Run as root, as `python -m tests.ray.kills.cut_network`: each machine is a network namespace, and
what is cut loses its packets without a word. Nothing outside of these namespaces is touched.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import ray
from ray._private import state
from ray.cluster_utils import Cluster

import dataflow as tf
from dataflow import errors
from dataflow.session.session import Session
from tests.ray.actors import eventually, is_running
from tests.ray.kills.kill_nodes import QUICK

HEAD = "10.77.0.1"


def ip(*words: str) -> None:
    """Runs `ip`."""
    subprocess.run(["ip", *words], check=True)


class Machine:
    """A namespace with a wire to this one, and a Ray node in it."""

    def __init__(self, number: int, head: str) -> None:
        self.address, gate = f"10.77.{number}.2", f"10.77.{number}.1"
        self.wire = f"wire{number}"
        self._holder = subprocess.Popen(["unshare", "-n", "sleep", "infinity"])
        own = os.stat("/proc/self/ns/net").st_ino
        net = f"/proc/{self._holder.pid}/ns/net"
        assert eventually(lambda: os.stat(net).st_ino != own)
        far = f"far{number}"
        ip("link", "add", self.wire, "type", "veth", "peer", "name", far)
        ip("link", "set", far, "netns", str(self._holder.pid))
        ip("addr", "add", f"{gate}/30", "dev", self.wire)
        ip("link", "set", self.wire, "up")
        for words in (
            ["link", "set", "lo", "up"],
            ["addr", "add", f"{self.address}/30", "dev", far],
            ["link", "set", far, "up"],
            ["route", "add", "default", "via", gate],
        ):
            subprocess.run([*self._inside, "ip", *words], check=True)
        command = "from ray.scripts.scripts import main; main()"
        options = ["--num-cpus=1", "--object-store-memory=100000000", "--block"]
        where = [f"--address={head}", f"--node-ip-address={self.address}"]
        start = [*self._inside, sys.executable, "-c", command, "start", *where, *options]
        self._node = subprocess.Popen(start, stdout=subprocess.DEVNULL)

    @property
    def _inside(self) -> list[str]:
        return ["nsenter", "-t", str(self._holder.pid), "-n"]

    def stop(self) -> None:
        """Ends it."""
        self._node.terminate()
        self._node.wait()
        self._holder.kill()
        self._holder.wait()


def say(what: str, value: object) -> None:
    print(f"out: {what}: {value}", flush=True)


def outcome(call: Any) -> tuple[str, float]:
    """How a step ends, and after how many seconds."""
    began = time.monotonic()
    try:
        call()
        return "works", time.monotonic() - began
    except errors.OpError as error:
        return f"{type(error).__name__}: {error.message[:160]}", time.monotonic() - began


def until_it_works(call: Any, since: float) -> float:
    """Seconds from then on until a step succeeds."""
    while outcome(call)[0] != "works":
        time.sleep(0.1)
        assert time.monotonic() - since < 90.0, outcome(call)
    return time.monotonic() - since


def inside() -> None:
    """In a namespace of its own: the head, two machines, and what is cut."""
    ip("link", "set", "lo", "up")
    ip("addr", "add", f"{HEAD}/32", "dev", "lo")
    Path("/proc/sys/net/ipv4/ip_forward").write_text("1")
    options = {"num_cpus": 1, "object_store_memory": 10**8, "include_dashboard": False}
    system = {"worker_niceness": 0, **QUICK}
    where = {"node_ip_address": HEAD, "_system_config": system}
    cluster = Cluster(initialize_head=True, head_node_args={**options, **where})
    ray.init(address=cluster.address, log_to_driver=False, _node_ip_address=HEAD)
    machines = []
    for number in (1, 2):
        machines.append(Machine(number, cluster.address))
        # One at a time: two that start together take the same names for their sockets.
        assert eventually(lambda: sum(n["Alive"] for n in ray.nodes()) == len(machines) + 1, 60.0)
    first, second = machines
    server = tf.train.Server({"worker": 1, "ps": 2}, max_restarts=2)
    with tf.device("/job:ps/task:0"):
        x = tf.placeholder(tf.float32, [None])
        kept = tf.Variable(3.0)
        sent = x * kept
    with tf.device("/job:ps/task:1"):
        lost = tf.Variable(2.0)
        crossed = sent * lost
    session = Session(server.target)

    def step() -> None:
        assert session.run(crossed, {x: [1.0]}) == [6.0]

    session.run([kept.initializer, lost.initializer])
    for _ in range(1000):
        step()
    pair = (first.address, second.address)
    for here, there in (pair, pair[::-1]):
        ip("rule", "add", "from", here, "to", there, "blackhole")
    cut = time.monotonic()
    while (found := outcome(step))[0] == "works":
        pass
    say("two machines cut off from each other", (*found, time.monotonic() - cut))
    say("the next step", outcome(step))
    for here, there in (pair, pair[::-1]):
        ip("rule", "del", "from", here, "to", there)
    # Nobody was given up, so nothing was lost.
    say("works again, seconds after the cut is mended", until_it_works(step, time.monotonic()))
    actors = state.actors().values()
    victims = [
        int(a["Pid"])
        for a in actors
        if a["State"] == "ALIVE" and a["Address"]["IPAddress"] == second.address
    ]
    ip("link", "set", second.wire, "down")
    cut = time.monotonic()
    say("a machine cut off", outcome(step))

    def again() -> None:
        session.run(lost.initializer)
        step()

    say("works again, seconds after the cut", until_it_works(again, cut))
    say("the old processes live on", all(map(is_running, victims)))
    ip("link", "set", second.wire, "up")
    say("they end when they hear of it", eventually(lambda: not any(map(is_running, victims))))
    say("the session goes on", outcome(step))
    session.close()
    server.stop()
    ray.shutdown()
    for machine in machines:
        machine.stop()
    cluster.shutdown()


if __name__ == "__main__":
    if sys.argv[1:] == ["inside"]:
        inside()
    else:
        module = [sys.executable, "-m", "tests.ray.kills.cut_network", "inside"]
        sys.exit(subprocess.run(["unshare", "-n", *module], check=False).returncode)
