"""basic_train_loop: a step again and again in a supervisor's session."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dataflow.errors import AbortedError
from dataflow.training.supervisor.supervisor import Supervisor


def basic_train_loop(
    supervisor: Supervisor,
    train_step_fn: Callable[..., Any],
    args: Sequence[Any] | None = None,
    kwargs: Mapping[str, Any] | None = None,
    master: str = "",
) -> None:
    """Trains until the supervisor stops; goes on in another session when a process was lost.

    Args:
      supervisor: Opens the sessions.
      train_step_fn: `f(session, *args, **kwargs)`: makes one step.
      args: Its further positional arguments.
      kwargs: Its keyword arguments.
      master: The sessions' target.
    """
    while True:
        try:
            with supervisor.managed_session(master) as session:
                while not supervisor.should_stop():
                    train_step_fn(session, *(args or ()), **(kwargs or {}))
            return
        except AbortedError:
            continue
