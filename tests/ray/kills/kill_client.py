"""A client that does one thing again and again until it is killed.

Run as `python -m tests.ray.kills.kill_client RAY_ADDRESS TARGET MOMENT`.
"""

from __future__ import annotations

import sys

import ray

from dataflow.session.session import Session
from tests.ray.kills.kill_world import World


def main(address: str, target: str, moment: str) -> None:
    """Works for ever; says when the first round is over."""
    ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    world = World()
    session = Session(target, graph=world.graph)
    act = world.activity(moment, session, target)
    act()
    print("ready", flush=True)
    while True:
        act()


if __name__ == "__main__":
    main(*sys.argv[1:])
