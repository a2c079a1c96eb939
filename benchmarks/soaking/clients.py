"""Clients in processes of their own, which are killed while they use the servers."""

from __future__ import annotations

import os
import random
import traceback
from typing import Any, Final

import ray
from ray import exceptions

import dataflow as tf
from soaking.steps import MixedSteps, WrongResultError

_READY_SECONDS: Final = 300.0
_OWN_MACHINE: Final = "given up the machine of this program"


@ray.remote(num_cpus=0, max_restarts=0)
class Client:
    """Opens sessions until it is killed."""

    def process(self) -> int:
        """Its process."""
        return os.getpid()

    def work(self, target: str, devices: tuple[str, str], owner: str, seed: int) -> str:
        """Runs mixed steps in sessions of a server that is not killed, one after the other.

        Returns:
          What was wrong.
        """
        chooser = random.Random(seed)
        try:
            while True:
                with tf.Graph().as_default() as graph, tf.Session(target, graph=graph) as session:
                    steps = MixedSteps(session, devices, owner, chooser.randrange(2**32))
                    for _ in range(chooser.randrange(2, 10)):
                        steps.run_one()
        except WrongResultError as error:
            return f"wrong: {error}"
        except tf.errors.UnavailableError as error:
            # Its own machine was given up, where only a program that joins again can go on.
            return "" if _OWN_MACHINE in error.message else traceback.format_exc()
        except Exception:
            return traceback.format_exc()


class RunningClient:
    """A client, seen from outside."""

    def __init__(self, target: str, devices: tuple[str, str], owner: str, seed: int) -> None:
        """Starts it."""
        self._actor: Any = Client.remote()
        self.process: int = ray.get(self._actor.process.remote(), timeout=_READY_SECONDS)
        self._work = self._actor.work.remote(target, devices, owner, seed)

    def wait(self) -> str:
        """Waits for its end; says what was wrong, "" if it was killed."""
        try:
            return str(ray.get(self._work))
        except exceptions.RayActorError:
            return ""
