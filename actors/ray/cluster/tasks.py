"""The tasks behind a connection: which of them have died, and which have come back since."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import ray
from ray import exceptions

from dataflow.actors.ray.links.calls import (
    RayLink,
    RemoteActor,
    as_op_error,
    device_name,
    ray_is_gone,
    worker_name,
)
from dataflow.actors.ray.links.ended import has_ended
from dataflow.actors.ray.links.watch import DeathWatch
from dataflow.actors.wire.messages import Describe, Opened, SessionCreated
from dataflow.errors import DeadlineExceededError, OpError, UnavailableError
from dataflow.passes.placement.split import task_of
from dataflow.values.device_info import DeviceInfo

_LOGGER = logging.getLogger("dataflow")

MASTER: Final = ""
"""Stands for the master where tasks are named."""
_RETURN_SECONDS: Final = 60.0
"""Seconds that a task may take to come back, where the program does not say."""
_LOOK_AGAIN: Final = 0.05
"""Seconds between two looks for a task that comes back."""
_ANSWER_SECONDS: Final = 5.0
"""Seconds after which a new actor that does not answer is asked anew."""


_VERDICT_SECONDS: Final = 1.0
"""Seconds within which Ray tells of a death that a connection has shown already, and who lives
answers."""


_ORPHAN: Final = "its owner has died"
"""In what Ray says of an actor that ended with the process that started it."""


NEW_SESSION: Final = "Make a new session: it starts processes of its own."
START_AGAIN: Final = "Start its server again; Server(..., max_restarts=n) does so by itself."
"""What to do about a death that nobody mends."""


@dataclass(slots=True)
class _Death:
    """What is known of a task that has died."""

    error: OpError
    """What Ray says of it."""
    returns: bool
    """Someone starts it again."""


class Tasks:
    """Watches the actors of tasks and of their master; finds those that were started again."""

    def __init__(
        self,
        cluster: str,
        master: RemoteActor | None,
        on_death: Callable[[str], None],
        forget: Callable[[str], None],
    ) -> None:
        """Makes a table that watches nothing yet.

        Args:
          cluster: First part of the actors' names.
          master: The master; None if there is none among the actors, nor workers: then they end
            with the connection, and nobody starts them again.
          on_death: Told of each task that has lost an actor.
          forget: Told of each device that is another actor now.
        """
        self.changes = 0
        """Rises with every death and every return."""
        self.devices: dict[str, DeviceInfo] = {}
        """By name, as they were started last."""
        self._ray = RayLink()
        self._cluster = cluster
        self._master = master
        self._on_death = on_death
        self._forget = forget
        self._end: UnavailableError | None = None
        """Why there is no Ray any more to ask for anything."""
        self._dead: dict[str, _Death] = {}
        self._returns: set[str] = set()
        self._starts: Counter[str] = Counter()
        self._returned: dict[str, int] = {}
        """The value of `changes` when a task came back last."""
        self._watches: list[DeathWatch] = []
        self._actors: dict[tuple[str, str], RemoteActor] = {}
        """By task, and by what messages call them."""
        self._lock = threading.RLock()
        self._looking = threading.RLock()

    @property
    def all_live(self) -> bool:
        """True if no task is dead, nor the master."""
        return not self._dead and self._end is None

    @property
    def is_over(self) -> bool:
        """True if none will ever be reached again."""
        return self._end is not None

    @property
    def _whose(self) -> str:
        """What messages call what is gone if it is no task."""
        return "The cluster" if self._master is None else self._master.whom

    def starts(self, task: str) -> int:
        """How often a task, or the master, has come back."""
        return self._starts[task]

    def came_back_after(self, changes: int, tasks: Iterable[str]) -> bool:
        """Whether one of the tasks has come back since `changes` had that value."""
        return any(self._returned.get(task, 0) > changes for task in tasks)

    def returns(self, task: str) -> bool:
        """Whether a task, or the master, is started again when it dies."""
        return task in self._returns

    def watch(self, created: SessionCreated) -> None:
        """Begins to watch; a second call does nothing."""
        with self._lock:
            if self._watches:
                return
            self._returns.update(created.returns)
            self.devices.update((device.name, device) for device in created.devices)
            tasks = dict.fromkeys(map(task_of, self.devices))
            actors: dict[tuple[str, str], RemoteActor] = {}
            if self._master is not None:
                actors[MASTER, self._master.whom] = self._master.fresh()
            for task in tasks:
                actors |= self._actors_of(task)
            self._add_watch(actors)

    def let_go(self) -> None:
        """Tells of no death any more; see `DeathWatch.let_go`. To be followed by `stop`."""
        with self._lock:
            for watch in self._watches:
                watch.let_go()

    def stop(self) -> None:
        """Ends the watch."""
        with self._lock:
            watches, self._watches = self._watches, []
        for watch in watches:
            watch.stop()

    def end(self, error: UnavailableError) -> None:
        """Takes note that Ray is over for this process; every later `check` raises this."""
        with self._lock:
            if self._end is not None:
                return
            self._end = error
            self.changes += 1
        for task in dict.fromkeys(map(task_of, tuple(self.devices))):
            self._on_death(task)

    def check(self, tasks: Iterable[str]) -> None:
        """Refuses what needs a dead task.

        Raises:
          UnavailableError: One of the tasks has lost an actor, or Ray is over for this process;
            ResourceExhaustedError if an actor was killed for want of memory.
        """
        if self._end is not None:
            raise UnavailableError(None, None, self._end.message)
        for task in sorted(tasks):
            death = self._dead.get(task)
            if death is not None:
                message = self._message(task, death)
                raise type(death.error)(None, None, message)  # type: ignore[call-arg]

    def examine(self, tasks: Iterable[str]) -> None:
        """Takes note of those tasks that are dead although no one has told of it yet."""
        self._look(frozenset(tasks), _ANSWER_SECONDS)

    def verdict(self, tasks: frozenset[str] | None, error: UnavailableError) -> OpError:
        """What to say of an error that looks like a death: whose and why, if that becomes known.

        Args:
          tasks: The tasks that it may be about; None for any, or the master.
          error: The error.
        """
        if not self._ray.holds:
            return ray_is_gone(", ".join(sorted(tasks or ())) or self._whose)
        self._look(tasks, _VERDICT_SECONDS)
        try:
            self.check(self._dead_of(tasks))
        except OpError as death:
            return death
        return error

    def _look(self, tasks: frozenset[str] | None, seconds: float) -> None:
        """Asks the actors of tasks, or all, until one is found dead or each has answered."""
        asked: dict[Any, tuple[str, int, str]] = {}
        for (task, whom), actor in list(self._actors.items()):
            if tasks is None or task in tasks:
                start = self._starts[task]
                try:
                    asked[actor.call("ready")] = (task, start, whom)
                except OpError as error:
                    self._died(task, start, error)
        deadline = time.monotonic() + seconds
        while asked and not self._dead_of(tasks) and self._end is None:
            left = max(0.0, deadline - time.monotonic())
            calls, _ = ray.wait(list(asked), num_returns=1, timeout=left)
            if not calls:
                return
            for call in calls:
                task, start, whom = asked.pop(call)
                try:
                    ray.get(call)
                except exceptions.ActorUnavailableError as error:
                    _LOGGER.debug("%s does not answer: %s", whom, error)
                except exceptions.RayError as error:
                    self._died(task, start, as_op_error(error, whom))

    def _dead_of(self, tasks: frozenset[str] | None) -> set[str]:
        """Those of the tasks, or of all and the master, that are known to be dead."""
        return {task for task in tuple(self._dead) if tasks is None or task in tasks}

    def recover(self, tasks: Iterable[str], timeout: float | None = None) -> None:
        """Waits for those of the tasks that are dead and come back.

        Args:
          tasks: The tasks; `MASTER` for the master.
          timeout: Seconds to wait; None for as long as a start takes.

        Raises:
          UnavailableError: One of them does not come back; see `check`.
          DeadlineExceededError: One of them is not back in time.
        """
        self.check(())
        for task in sorted(set(tasks) & self._dead.keys()):
            if not self._wait_for(task, timeout):
                self.check([task])

    def recover_all(self, timeout: float | None = None) -> None:
        """Waits for all tasks that are dead and come back, as long as a start takes.

        Whoever needs one that is not back is told then.
        """
        with contextlib.suppress(DeadlineExceededError):
            for task in sorted(self._dead.keys() - {MASTER}):
                self._wait_for(task, timeout)

    def _wait_for(self, task: str, timeout: float | None) -> bool:
        """Whether a dead task is back; waits for it if someone starts it again.

        Raises:
          DeadlineExceededError: It is not back within `timeout` seconds.
        """
        death = self._dead.get(task)
        deadline = time.monotonic() + (_RETURN_SECONDS if timeout is None else timeout)
        while death is not None and self._master is not None and self._end is None:
            with self._looking:
                if self._dead.get(task) is not death or self._find(task, deadline):
                    return True
            if not death.returns or self._is_over_for(task):
                death.returns = False
                return False
            if time.monotonic() >= deadline:
                if timeout is not None:
                    whom = self._whose if task == MASTER else f"Task {task}"
                    raise DeadlineExceededError(
                        None,
                        None,
                        f"{whom} was not started again within {timeout:.1f} s. "
                        f"{self._message(task, death)}",
                    )
                # It is looked for again, but nobody waits for it any more.
                death.returns = False
                return False
            time.sleep(_LOOK_AGAIN)
        return death is None

    def _find(self, task: str, deadline: float) -> bool:
        """Takes up a task that runs again."""
        patience = max(0.1, min(_ANSWER_SECONDS, deadline - time.monotonic()))
        try:
            if task == MASTER:
                self._find_master(patience)
            else:
                return self._find_task(task, patience)
        except OpError:
            return False
        return True

    def _is_over_for(self, task: str) -> bool:
        """True if nobody starts a task again: its server has ended, or the server's program."""
        assert self._master is not None
        if has_ended(self._master.name if task == MASTER else worker_name(self._cluster, task)):
            return True
        for (owner, _), actor in list(self._actors.items()):
            if owner == task:
                try:
                    actor.confirm(_LOOK_AGAIN)
                except OpError as error:
                    if _ORPHAN in error.message:
                        return True
        return False

    def _find_master(self, patience: float) -> None:
        assert self._master is not None
        found = self._master.fresh()
        found.confirm(patience)
        self._master.forget()
        self._came_back(MASTER, {(MASTER, self._master.whom): found})

    def _find_task(self, task: str, patience: float) -> bool:
        worker = RemoteActor(worker_name(self._cluster, task), task)
        opened = worker.ask(Describe(), Opened, patience)
        now = {device.name: device for device in opened.devices}
        known = [device for name, device in self.devices.items() if task_of(name) == task]
        if any(d.name not in now or now[d.name].incarnation == d.incarnation for d in known):
            # The rest of the task that has died.
            return False
        for device in known:
            self.devices[device.name] = now[device.name]
            self._forget(device.name)
        with self._lock:
            (self._returns.add if opened.returns else self._returns.discard)(task)
        self._came_back(task, self._actors_of(task))
        return True

    def _came_back(self, task: str, actors: Mapping[tuple[str, str], RemoteActor]) -> None:
        with self._lock:
            self._starts[task] += 1
            del self._dead[task]
            self.changes += 1
            self._returned[task] = self.changes
            self._add_watch(actors)

    def _actors_of(self, task: str) -> dict[tuple[str, str], RemoteActor]:
        found: dict[tuple[str, str], RemoteActor] = {}
        if self._master is not None:
            found[task, task] = RemoteActor(worker_name(self._cluster, task), task)
        for name in self.devices:
            if task_of(name) == task:
                found[task, name] = RemoteActor(device_name(self._cluster, name), name)
        return found

    def _add_watch(self, actors: Mapping[tuple[str, str], RemoteActor]) -> None:
        starts = {task: self._starts[task] for task, _ in actors}
        task_by_name = {whom: task for task, whom in actors}

        def died(whom: str, error: OpError) -> None:
            task = task_by_name[whom]
            self._died(task, starts[task], error)

        handles = {whom: actor.handle for (_, whom), actor in actors.items()}
        self._actors.update(actors)
        self._watches = [watch for watch in self._watches if watch.is_running]
        self._watches.append(DeathWatch(handles, died))

    def _died(self, task: str, start: int, error: OpError) -> None:
        with self._lock:
            if self._starts[task] != start or task in self._dead:
                return
            self._dead[task] = _Death(error, task in self._returns)
            self.changes += 1
        if task != MASTER:
            self._on_death(task)

    def _message(self, task: str, death: _Death) -> str:
        if task == MASTER:
            gone = f"{self._whose} is gone, and the graphs of its sessions with it"
        else:
            gone = f"Task {task} is gone, and its variables with it"
        if death.returns and task == MASTER:
            advice = "It is being started again: run the step once more."
        elif death.returns:
            advice = (
                "It is being started again: initialize or restore its variables, and run the step "
                "once more."
            )
        elif self._master is None:
            advice = NEW_SESSION
        else:
            advice = START_AGAIN
        return f"{gone}: {death.error.message} {advice}"
