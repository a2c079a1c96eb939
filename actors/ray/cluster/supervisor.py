"""Starts tasks again that have died, a bounded number of times.

Ray could restart the actors itself, but then one handle would stand for both lives of an actor, and
a call could not tell which of them it reached; and callers hear of a death more than a second later
(measured: 1.4 to 1.7 s, against 0.02 s of an actor that stays dead).
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from dataflow.actors.ray.cluster.launch import ActorSet, Launch
from dataflow.actors.ray.cluster.machines import Machine, Placement, Task, machines, place_tasks
from dataflow.actors.ray.links.calls import RayLink, as_op_error
from dataflow.errors import OpError

_LOGGER = logging.getLogger("dataflow")

_FIRST_PAUSE: Final = 0.5
"""Seconds between a start that failed and the next one; doubled each time."""
_LONGEST_PAUSE: Final = 10.0
_MAX_ATTEMPTS: Final = 5
"""Starts that may fail in a row. Until Ray has noticed that a machine is gone, which takes it 15 s,
it may be asked to start a task there."""


class Supervisor:
    """Watches the units of an actor set, and starts those again that die."""

    def __init__(
        self,
        launch: Launch,
        actors: ActorSet,
        placements: Sequence[Placement],
        patience: float,
        gave_up: Callable[[OpError], None],
    ) -> None:
        """Begins to watch.

        Args:
          launch: What the actors were started with.
          actors: The actors, all ready.
          placements: The tasks and where they are.
          patience: Seconds that a start may take.
          gave_up: Told of a death after which nothing is started again, on a thread.
        """
        self._launch = launch
        self._actors = actors
        self._placements = {placement.task: placement for placement in placements}
        self._patience = patience
        self._gave_up = gave_up
        self._restarts: Counter[str] = Counter()
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._ray = RayLink()
        actors.watch(self._died)

    def stop(self) -> None:
        """Starts nothing from now on."""
        self._stopping.set()

    def _died(self, unit: str, whom: str, error: OpError) -> None:
        thread = threading.Thread(
            target=self._start_again, args=(unit, whom, error), name="dataflow-restart", daemon=True
        )
        thread.start()

    def _start_again(self, unit: str, whom: str, error: OpError) -> None:
        # The rest of a task goes with its part: all of it starts anew, or nothing.
        self._actors.end(unit)
        pause = _FIRST_PAUSE
        most = self._launch.max_restarts
        self._restarts[unit] += 1
        count = self._restarts[unit]
        attempts = 0
        while self._ray.holds and not self._stopping.is_set():
            attempts += 1
            if count > most or attempts > _MAX_ATTEMPTS:
                self._gave_up(error)
                return
            _LOGGER.warning(
                "%s Starting %s again (%d of %d).", error.message, _named(unit), count, most
            )
            try:
                self._start(unit, count)
                return
            except Exception as failure:
                error = failure if isinstance(failure, OpError) else as_op_error(failure, whom)
            self._stopping.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _start(self, unit: str, count: int) -> None:
        with self._lock:
            if unit == self._launch.master:
                home = self._placements[self._launch.home]
                self._actors.start_master(self._place(home).machine, count)
            else:
                placement = self._place(self._placements[unit])
                self._placements[unit] = placement
                self._actors.start_task(placement, count)
        self._actors.wait(self._patience, unit)
        self._actors.watch(self._died, unit)

    def _place(self, last: Placement) -> Placement:
        """The same machine, or another one if it is gone: that with the fewest of the tasks."""
        living = machines()
        if any(machine.node_id == last.machine.node_id for machine in living):
            return last
        counts = Counter(p.machine.node_id for p in self._placements.values())

        def load(machine: Machine) -> int:
            return counts[machine.node_id]

        (placement,) = place_tasks([Task(last.task)], sorted(living, key=load), self._launch.config)
        return placement


def _named(unit: str) -> str:
    return unit[0].lower() + unit[1:] if unit.startswith("The ") else f"task {unit}"
