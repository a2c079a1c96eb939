"""Loses a whole simulated machine while a session works on it; prints one outcome a line, as JSON.

Run as `python -m tests.ray.kills.kill_nodes COUNT SEED`, or `... quick` to have Ray notice sooner,
in a process of its own.
"""

from __future__ import annotations

import dataclasses
import json
import random
import sys
import time

import ray
from ray.cluster_utils import Cluster

import dataflow as tf
from dataflow.session.session import Session
from tests.ray.actors import all_living
from tests.ray.kills.kill_trials import Outcome, Watched, error_name
from tests.ray.kills.kill_world import MOMENTS, PS, World

QUICK = {
    "health_check_initial_delay_ms": 1000,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 2000,
    "health_check_failure_threshold": 3,
}
NODE_SECONDS = 15.0
"""Within which the loss of a machine is told."""


def lose_a_machine(cluster: Cluster, moment: str, chance: random.Random) -> Outcome:
    """Adds a machine, where one task goes, and takes it away during a step."""
    node = cluster.add_node(num_cpus=1, object_store_memory=10**8)
    cluster.wait_for_nodes()
    server = tf.train.Server({"worker": 1, "ps": 1}, max_restarts=2)
    world = World()
    session = Session(server.target, graph=world.graph)
    session.run(world.initializers)
    act = world.activity(moment, session, server.target)
    act()
    watched = Watched(act)
    watched.begin()
    time.sleep(chance.uniform(0.0, 0.2))
    lost = time.monotonic()
    cluster.remove_node(node, allow_graceful=False)
    # Its processes find out by themselves that their machine is gone.
    error, seconds = watched.end(lost, 2 * NODE_SECONDS)
    if error is not None:
        assert PS in error.message, error.message
        assert seconds < NODE_SECONDS, f"{moment}: {seconds:.1f} s"
    else:
        assert moment in ("creating a session", "closing a session"), moment
    # The task is started again on the machine that is left.
    state = world.settle(session)
    back = time.monotonic() - lost
    session.close()
    server.stop()
    assert all_living() == set()
    return Outcome("machine", moment, error_name(error), seconds, state, back)


def main(count: int, seed: int, quick: bool) -> None:
    """Loses so many machines, one after the other."""
    options: dict[str, int] = {"worker_niceness": 0}
    if quick:
        options |= QUICK
    cluster = Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 1,
            "object_store_memory": 10**8,
            "include_dashboard": False,
            "_system_config": options,
        },
    )
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    chance = random.Random(seed)
    for number in range(count):
        # The first of them is the one where the machine is surely at work.
        moment = ("kernels busy", *MOMENTS)[number % (len(MOMENTS) + 1)]
        print(json.dumps(dataclasses.asdict(lose_a_machine(cluster, moment, chance))), flush=True)
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), "quick" in sys.argv[3:])
