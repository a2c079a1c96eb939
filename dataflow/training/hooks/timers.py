"""Timers that say at which steps a hook acts."""

from __future__ import annotations

import time


class SecondOrStepTimer:
    """Triggers every so many seconds, or every so many steps; the first time at once."""

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        """Makes a timer.

        Raises:
          ValueError: Not exactly one of the two is given.
        """
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._every_secs = every_secs
        self._every_steps = every_steps
        self.reset()

    def reset(self) -> None:
        """Forgets when it triggered."""
        self._last_triggered_step: int | None = None
        self._last_triggered_time: float | None = None

    def should_trigger_for_step(self, step: int) -> bool:
        """Whether it is time; never twice for one step."""
        if self._last_triggered_step is None or self._last_triggered_time is None:
            return True
        if self._last_triggered_step == step:
            return False
        if self._every_secs is not None:
            return time.time() >= self._last_triggered_time + self._every_secs
        return self._every_steps is not None and (
            step >= self._last_triggered_step + self._every_steps
        )

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """Says that the hook has acted; gives seconds and steps since the last time."""
        now, before = time.time(), self._last_triggered_time
        elapsed: tuple[float | None, int | None] = None, None
        if before is not None and self._last_triggered_step is not None:
            elapsed = now - before, step - self._last_triggered_step
        self._last_triggered_time, self._last_triggered_step = now, step
        return elapsed

    def last_triggered_step(self) -> int | None:
        """The step at which the hook has last acted."""
        return self._last_triggered_step


class NeverTriggerTimer:
    """Never triggers."""

    def reset(self) -> None:
        """Nothing."""

    def should_trigger_for_step(self, step: int) -> bool:
        """False."""
        return False

    def update_last_triggered_step(self, step: int) -> tuple[None, None]:
        """Nothing."""
        return None, None

    def last_triggered_step(self) -> None:
        """Nothing."""
