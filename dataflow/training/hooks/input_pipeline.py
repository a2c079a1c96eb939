"""The hook that saves how far input pipelines have come, beside the model's checkpoints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.scopes import get_collection
from dataflow.library.datasets.iterators import GLOBAL_ITERATORS
from dataflow.saving.iterator_state import IteratorSaveable
from dataflow.saving.saver import Saver
from dataflow.saving.state import latest_checkpoint
from dataflow.training.hooks.checkpoint_saver import CheckpointSaverHook
from dataflow.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)


class _Saver(Saver):
    """Lists its checkpoints in a file of another name than those of the model."""

    def __init__(self, var_list: Sequence[Any], latest_filename: str) -> None:
        super().__init__(var_list)
        self._latest_filename = latest_filename

    def save(
        self,
        sess: Any,
        save_path: Any,
        global_step: Any = None,
        latest_filename: str | None = None,
        *arguments: Any,
        **options: Any,
    ) -> str | None:
        latest_filename = latest_filename or self._latest_filename
        return super().save(sess, save_path, global_step, latest_filename, *arguments, **options)


class _SavesLater(CheckpointSaverHook):
    """Saves nothing at the start, when iterators may not have begun, and no graph."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Leaves it to the first step."""

    def restore_or_save(self, session: Any, latest_filename: str) -> None:
        """Goes on from the last checkpoint, or saves the first one."""
        found = latest_checkpoint(self._checkpoint_dir, latest_filename)
        if found is not None:
            self._get_saver().restore(session, found)
            return
        step = session.run(self._global_step_tensor)
        self._save(session, step)
        self._timer.update_last_triggered_step(step)


class CheckpointInputPipelineHook(SessionRunHook):
    """Saves how far the graph's iterators have come, as often as the estimator saves its model.

    The next training goes on from there, instead of at the start of the data.
    """

    def __init__(self, estimator: Any) -> None:
        """Makes a hook.

        Args:
          estimator: The estimator, whose folder and configuration are used.

        Raises:
          ValueError: It is to save neither by steps nor by seconds.
        """
        config = estimator.config
        prefix = "input"
        if config.num_worker_replicas > 1:
            prefix += f"_{config.task_type}_{config.task_id}"
        self._latest_filename = f"checkpoint_{prefix}"
        self._options: dict[str, Any] = {
            "save_secs": config.save_checkpoints_secs,
            "save_steps": config.save_checkpoints_steps,
            "checkpoint_basename": f"{prefix}.ckpt",
            "save_graph_def": False,
        }
        self._folder = estimator.model_dir
        self._hook = _SavesLater(self._folder, **self._options)
        self._is_first_run = True

    def begin(self) -> None:
        """See `SessionRunHook`."""
        saved = [IteratorSaveable(each, each.name) for each in get_collection(GLOBAL_ITERATORS)]
        saver = _Saver(saved, self._latest_filename)
        self._hook = _SavesLater(self._folder, saver=saver, **self._options)
        self._is_first_run = True
        self._hook.begin()

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Goes on from the last checkpoint before the first step; see `SessionRunHook`."""
        if self._is_first_run:
            self._hook.restore_or_save(run_context.session, self._latest_filename)
            self._is_first_run = False
        return self._hook.before_run(run_context)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """See `SessionRunHook`."""
        self._hook.after_run(run_context, run_values)

    def end(self, session: Any) -> None:
        """See `SessionRunHook`."""
        self._hook.end(session)
