"""Asks actors for their devices until all have answered, those that cannot again and again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any, Final

import ray

from dataflow.actors.ray.links.calls import RemoteActor
from dataflow.actors.wire.messages import Describe, Opened
from dataflow.errors import DeadlineExceededError, OpError

_ASK_AGAIN: Final = 0.2
"""Seconds until an actor that has failed to answer is asked again."""


class RollCall:
    """Workers or devices that are asked what devices they have."""

    def __init__(self, actors: Iterable[RemoteActor], stays_dead: Callable[[str], bool]) -> None:
        """Asks nobody yet.

        Args:
          actors: The actors; what messages call them is what they go by here.
          stays_dead: Whether one that was found to be dead is never started again.
        """
        self.found: dict[str, Opened] = {}
        """The answers."""
        self.reasons: dict[str, OpError] = {}
        """Why others have not answered."""
        self._due = dict.fromkeys(actors, 0.0)
        """Whom to ask, from when on."""
        self._asked: dict[Any, RemoteActor] = {}
        """Those that are to answer, by the call."""
        self._stays_dead = stays_dead

    def complete(self, timeout: float) -> bool:
        """Asks until all have answered; whether they have within so many seconds.

        Raises:
          OpError: One that stays dead has died, or another one that it needs. This is told at
            once, whoever else has not answered yet.
        """
        deadline = time.monotonic() + timeout
        while self._due or self._asked:
            now = time.monotonic()
            for actor in [actor for actor, due in self._due.items() if due <= now]:
                self._ask(actor)
            if now >= deadline:
                self._give_up(timeout)
                return False
            self._hear(min([deadline, *self._due.values()]) - time.monotonic())
        return True

    def _ask(self, actor: RemoteActor) -> None:
        del self._due[actor]
        try:
            self._asked[actor.send(Describe())] = actor
        except OpError as error:
            self._failed(actor, error)

    def _hear(self, seconds: float) -> None:
        """Takes those answers that come within so many seconds, at once if there is one."""
        if not self._asked:
            time.sleep(max(0.0, seconds))
            return
        calls, _ = ray.wait(list(self._asked), num_returns=1, timeout=max(0.0, seconds))
        for call in calls:
            actor = self._asked.pop(call)
            try:
                self.found[actor.whom] = actor.receive(call, Opened)
                self.reasons.pop(actor.whom, None)
            except OpError as error:
                self._failed(actor, error)

    def _failed(self, actor: RemoteActor, error: OpError) -> None:
        self.reasons[actor.whom] = error
        # A task that is started again has new actors under the old names.
        actor.forget()
        if self._stays_dead(actor.whom) and not isinstance(error, DeadlineExceededError):
            raise error
        self._due[actor] = time.monotonic() + _ASK_AGAIN

    def _give_up(self, timeout: float) -> None:
        for actor in self._asked.values():
            message = f"{actor.whom} has not answered within {timeout:.1f} s."
            self.reasons[actor.whom] = DeadlineExceededError(None, None, message)
