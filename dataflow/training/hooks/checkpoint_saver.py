"""The hook that saves checkpoints while a model trains, and who is told of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import get_collection, get_default_graph
from dataflow.importing.files import write_graph
from dataflow.proto.event_pb2 import SessionLog
from dataflow.recording.writer_cache import FileWriterCache
from dataflow.saving.meta_graph.export import export_meta_graph
from dataflow.training.hooks.global_step_read import global_step_read
from dataflow.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from dataflow.training.hooks.timers import SecondOrStepTimer
from dataflow.values import logging


class CheckpointSaverListener:
    """Does nothing; subclasses are told when a CheckpointSaverHook begins, saves and ends."""

    def begin(self) -> None:
        """Called before the session is made: the graph may still be changed."""

    def before_save(self, session: Any, global_step_value: Any) -> None:
        """Called before a checkpoint is saved."""

    def after_save(self, session: Any, global_step_value: Any) -> Any:
        """Called after a checkpoint was saved; True asks for a stop of the training."""

    def end(self, session: Any, global_step_value: Any) -> None:
        """Called at the end, after the last checkpoint."""


class CheckpointSaverHook(SessionRunHook):
    """Saves a checkpoint at the start, every so many steps or seconds, and at the end.

    The folder's writer of `tf.summary.FileWriterCache` gets the graph and each checkpoint's path.
    """

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Sequence[CheckpointSaverListener] | None = None,
        save_graph_def: bool = True,
    ) -> None:
        """Makes a hook.

        Args:
          checkpoint_dir: Folder of the checkpoints.
          save_secs: How many seconds from one to the next.
          save_steps: How many steps.
          saver: Saves them; that of the scaffold or of the graph's collection if None.
          checkpoint_basename: What their names begin with.
          scaffold: Has the saver.
          listeners: Are called before and after each is saved.
          save_graph_def: Whether to write the graph beside them.

        Raises:
          ValueError: Both a saver and a scaffold are given, or not exactly one of steps and
            seconds.
        """
        logging.info("Create CheckpointSaverHook.")
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._checkpoint_dir = checkpoint_dir
        self._save_path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._saver = saver
        self._scaffold = scaffold
        self._listeners = list(listeners or [])
        self._save_graph_def = save_graph_def
        self._steps_per_run = 1

    def _set_steps_per_run(self, steps_per_run: int) -> None:
        """Says by how much a run of the session raises the global step."""
        self._steps_per_run = steps_per_run

    def begin(self) -> None:
        """See `SessionRunHook`."""
        self._summary_writer = FileWriterCache.get(self._checkpoint_dir)
        self._global_step_tensor = global_step_read("CheckpointSaverHook")
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Saves the state that training starts from, so that a lost session can go on there."""
        step = session.run(self._global_step_tensor)
        graph = get_default_graph()
        graph_def = graph.as_graph_def(add_shapes=True)
        if self._save_graph_def:
            write_graph(graph_def, self._checkpoint_dir, "graph.pbtxt")
        saver_def = self._get_saver().saver_def
        self._summary_writer.add_graph(graph)
        self._summary_writer.add_meta_graph(
            export_meta_graph(graph_def=graph_def, saver_def=saver_def)
        )
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """See `SessionRunHook`."""
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Saves if it is time; the step that it saw may be from before the update."""
        if not self._timer.should_trigger_for_step(run_values.results + self._steps_per_run):
            return
        step = run_context.session.run(self._global_step_tensor)
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        """Saves the last step, unless that was done."""
        step = session.run(self._global_step_tensor)
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Any, step: Any) -> bool:
        """Saves a checkpoint; whether a listener asks for a stop."""
        logging.info("Calling checkpoint listeners before saving checkpoint %d...", step)
        for listener in self._listeners:
            listener.before_save(session, step)
        logging.info("Saving checkpoints for %d into %s.", step, self._save_path)
        self._get_saver().save(
            session, self._save_path, global_step=step, write_meta_graph=self._save_graph_def
        )
        saved = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self._save_path)
        self._summary_writer.add_session_log(saved, step)
        logging.info("Calling checkpoint listeners after saving checkpoint %d...", step)
        stops = False
        for listener in self._listeners:
            if listener.after_save(session, step):
                logging.info(
                    "A CheckpointSaverListener requested that training be stopped. listener: %s",
                    listener,
                )
                stops = True
        return stops

    def _get_saver(self) -> Any:
        """What saves: it is asked for each time, since a scaffold finds its saver late."""
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        savers = get_collection(GraphKeys.SAVERS)
        if not savers:
            raise RuntimeError(
                f"No items in collection {GraphKeys.SAVERS}. Please add a saver to the collection "
                "or provide a saver or scaffold."
            )
        if len(savers) > 1:
            raise RuntimeError(
                f"More than one item in collection {GraphKeys.SAVERS}. Please indicate which one "
                "to use by passing it to the constructor."
            )
        self._saver = savers[0]
        return self._saver
