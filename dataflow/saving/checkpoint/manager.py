"""tf.train.CheckpointManager: keeps the last checkpoints of a folder."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.graph.scopes import get_default_session
from dataflow.proto.saver_pb2 import SaverDef
from dataflow.saving.checkpoint.checkpoint import Checkpoint
from dataflow.saving.checkpoint.sessions import session_of
from dataflow.saving.state import get_checkpoint_state, remove_checkpoint, write_state
from dataflow.values import logging


class CheckpointManager:
    """Saves checkpoints of a `tf.train.Checkpoint` in a folder and removes old ones."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: Any,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step: int | None = None,
    ) -> None:
        """Goes on with the checkpoints that the folder has.

        Args:
          checkpoint: Says what is saved.
          directory: The folder.
          max_to_keep: How many checkpoints are kept; all if None.
          keep_checkpoint_every_n_hours: One of that many hours is kept for good.
          checkpoint_name: What names of checkpoints begin with.
          step_counter: A tensor or variable that counts steps.
          checkpoint_interval: How many steps there are from one checkpoint to the next.
          init_fn: Is called by `restore_or_initialize` if there is no checkpoint.
          last_checkpoint_step: The step of the last checkpoint.

        Raises:
          ValueError: `max_to_keep` is not positive, or there is an interval and no counter.
        """
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                "Expected a positive integer or `None` for `max_to_keep`, got " + str(max_to_keep)
            )
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError(
                "`step_counter` should be passed if `checkpoint_interval` is not None."
            )
        self._checkpoint = checkpoint
        self._directory = directory
        self._max_to_keep = max_to_keep
        self._keep_hours = keep_checkpoint_every_n_hours
        self._prefix = os.path.join(os.fsdecode(directory), checkpoint_name)
        self._step_counter = step_counter
        self._interval = checkpoint_interval
        self._init_fn = init_fn
        self._last_step = last_checkpoint_step
        self._kept: dict[str, float] = {}
        self._latest: str | None = None
        # A manager of the same folder that is made at once must see these checkpoints as later.
        self._last_preserved = time.time() - 1.0
        self._recover()

    def _recover(self) -> None:
        state = get_checkpoint_state(self._directory)
        if state is None:
            return
        now = time.time()
        self._latest = state.model_checkpoint_path
        self._last_preserved = min(state.last_preserved_timestamp, now)
        if now < state.last_preserved_timestamp:
            logging.warning(
                "time.time() returned a value %s seconds behind the last preserved checkpoint "
                "timestamp.",
                state.last_preserved_timestamp - now,
            )
        paths = list(state.all_model_checkpoint_paths)
        times = list(state.all_model_checkpoint_timestamps) or [self._last_preserved] * len(paths)
        for path, moment in zip(paths, times, strict=True):
            if min(moment, now) > self._last_preserved:
                self._kept[path] = min(moment, now)

    @property
    def checkpoint(self) -> Checkpoint:
        """Says what is saved."""
        return self._checkpoint

    @property
    def directory(self) -> Any:
        """The folder."""
        return self._directory

    @property
    def checkpoint_interval(self) -> int | None:
        """How many steps there are from one checkpoint to the next."""
        return self._interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The newest checkpoint, or None."""
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """The checkpoints that are kept but not for good, the oldest first."""
        return list(self._kept)

    def save(
        self, checkpoint_number: Any = None, check_interval: bool = True, options: Any = None
    ) -> str | None:
        """Saves a checkpoint in the default session, and removes those that are too many.

        Args:
          checkpoint_number: Its number, or a tensor or variable that holds it; counted if None.
          check_interval: Whether nothing is saved before as many steps as the interval are over.
          options: A `CheckpointOptions`, or None.

        Returns:
          The checkpoint; None if it was too early for one.
        """
        session = session_of(None)
        if self._interval is not None:
            step = _number(session, self._step_counter)
            is_early = self._last_step is not None and step - self._last_step < self._interval
            if check_interval and is_early:
                return None
            self._last_step = step
        counted = self._checkpoint._count(session)
        number = counted if checkpoint_number is None else _number(session, checkpoint_number)
        path = self._checkpoint.write(f"{self._prefix}-{number}", session, options)
        self._kept.pop(path, None)
        self._kept[path] = time.time()
        self._latest = path
        # What is removed was not listed any more: who reads the list finds all that it names.
        kept = dict(self._kept)
        removed = self._too_many()
        self._record(kept)
        for old in removed:
            remove_checkpoint(old, SaverDef.V2)
        if removed:
            self._record(self._kept)
        return path

    def restore_or_initialize(self) -> str | None:
        """Restores the newest checkpoint in the default session, or calls `init_fn`.

        Returns:
          The checkpoint, or None.
        """
        if self._latest is not None:
            status = self._checkpoint.restore(self._latest)
            session = get_default_session()
            if session is not None:
                status.initialize_or_restore(session)
                if self._interval is not None:
                    self._last_step = _number(session, self._step_counter)
            return self._latest
        if self._init_fn is not None:
            self._init_fn()
        return None

    def sync(self) -> None:
        """Does nothing: a checkpoint is written when `save` returns."""

    def _too_many(self) -> list[str]:
        """Takes those out that are too many; gives those to remove."""
        removed = []
        while self._max_to_keep and len(self._kept) > self._max_to_keep:
            path = next(iter(self._kept))
            moment = self._kept.pop(path)
            hours = self._keep_hours
            if hours and moment - hours * 3600 >= self._last_preserved:
                self._last_preserved = moment
            else:
                removed.append(path)
        return removed

    def _record(self, kept: dict[str, float]) -> None:
        """Lists checkpoints in the folder."""
        write_state(
            self._directory,
            self._latest,
            list(kept),
            None,
            list(kept.values()),
            self._last_preserved,
            relative=True,
        )


def _number(session: Any, value: Any) -> int:
    return int(value) if isinstance(value, (int, np.integer)) else int(session.run(value))
