"""Gives up machines whose processes live on, while steps run; prints one outcome a line, as JSON.

Run as `python -m tests.ray.kills.split_brain SEED SECONDS WAY:MOMENT ...` in a process of its own;
what is frozen thaws after so many seconds. `all` stands for all ways and moments.
"""

from __future__ import annotations

import dataclasses
import json
import os
import random
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import ray
from ray._private import state
from ray.cluster_utils import Cluster

import dataflow as tf
from dataflow.session.session import Session
from tests.ray.actors import all_living, eventually, is_running
from tests.ray.kills.kill_nodes import QUICK
from tests.ray.kills.kill_trials import EXPECTED, Outcome, Watched, error_name
from tests.ray.kills.kill_world import MOMENTS, MORE_MOMENTS, World

WAYS = ("raylet-killed", "raylet-frozen", "all-frozen", "two-raylets-killed", "two-all-frozen")
BACK_SECONDS = 15.0
"""Within which everything works again."""
_LEFT_SECONDS = 10.0
"""Within which the processes of a machine that was given up have ended, once they can run."""


@dataclasses.dataclass
class Machine:
    """A simulated machine, the processes that Ray has started there, and ours among them."""

    node: Any

    @property
    def raylet(self) -> int:
        """The process that stands for the machine."""
        return int(self.node.all_processes["raylet"][0].process.pid)

    @property
    def processes(self) -> list[int]:
        """All of them."""
        return [self.raylet, *_below(self.raylet)]

    @property
    def actors(self) -> list[int]:
        """Those of the actors."""
        found = [a for a in state.actors().values() if a["State"] == "ALIVE"]
        return [int(a["Pid"]) for a in found if a["Address"]["NodeID"] == self.node.node_id]


def _below(process: int) -> list[int]:
    """The children of a process, and theirs."""
    found = []
    for folder in Path(f"/proc/{process}/task").iterdir():
        with suppress(OSError):
            found += [int(child) for child in (folder / "children").read_text().split()]
    return [each for child in found for each in (child, *_below(child))]


@contextmanager
def given_up(way: str, machines: Sequence[Machine]) -> Iterator[None]:
    """Has Ray count machines as dead whose actors live; those that were frozen thaw at the end."""
    frozen: list[int] = []
    for machine in machines:
        if way.endswith("killed"):
            os.kill(machine.raylet, signal.SIGKILL)
        else:
            frozen += machine.processes if way.endswith("all-frozen") else [machine.raylet]
    for process in frozen:
        os.kill(process, signal.SIGSTOP)
    yield
    for process in frozen:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGCONT)


def lose(cluster: Cluster, way: str, moment: str, seconds: float, chance: random.Random) -> Outcome:
    """Adds machines, where some tasks go, and has them given up during a step."""
    count = 2 if way.startswith("two") else 1
    machines = [
        Machine(cluster.add_node(num_cpus=1, object_store_memory=10**8)) for _ in range(count)
    ]
    cluster.wait_for_nodes()
    server = tf.train.Server({"worker": 1, "ps": count}, max_restarts=3)
    world = World(second=f"/job:ps/task:{count - 1}")
    session = Session(server.target, graph=world.graph)
    session.run(world.initializers)
    act = world.activity(moment, session, server.target)
    act()
    victims = [process for machine in machines for process in machine.actors]
    assert len(victims) == 2 * count, victims
    watched = Watched(act)
    watched.begin()
    time.sleep(chance.uniform(0.0, 0.2))
    began = time.monotonic()
    with given_up(way, machines):
        error, told = watched.end(began, BACK_SECONDS)
        if error is not None:
            assert isinstance(error, EXPECTED), repr(error)
        done = world.settle(session)
        act()
        back = time.monotonic() - began
        time.sleep(max(0.0, seconds - back))
    # Those that were given up end themselves, and disturb nobody till then.
    ends = time.monotonic() + _LEFT_SECONDS
    while any(map(is_running, victims)):
        act()
        assert time.monotonic() < ends, f"{way}, {moment}: {victims} live on"
    world.settle(session)
    session.close()
    server.stop()
    assert eventually(lambda: all_living() == set()), all_living()
    for machine in machines:
        cluster.remove_node(machine.node, allow_graceful=False)
    return Outcome(way, moment, error_name(error), told, done, back)


def main(seed: int, seconds: float, cells: Sequence[str]) -> None:
    """Loses machines in these ways and moments, one after the other."""
    if "all" in cells:
        cells = [f"{way}:{moment}" for way in WAYS for moment in (*MOMENTS, *MORE_MOMENTS)]
    cluster = Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 1,
            "object_store_memory": 10**8,
            "include_dashboard": False,
            "_system_config": {"worker_niceness": 0, **QUICK},
        },
    )
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    chance = random.Random(seed)
    for cell in cells:
        way, moment = cell.split(":")
        outcome = lose(cluster, way, moment, seconds, chance)
        print(json.dumps(dataclasses.asdict(outcome)), flush=True)
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:])
