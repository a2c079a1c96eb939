"""Hooks of estimators of trees."""

from __future__ import annotations

import logging
import os
from typing import Any

from dataflow.graph.scopes import get_default_graph
from dataflow.ops.basic.identity import no_op
from dataflow.ops.state.reference import assign
from dataflow.proto.summary_pb2 import Summary
from dataflow.recording.writer_cache import FileWriterCache
from dataflow.training.global_step import get_global_step
from dataflow.training.hooks.feeding import FeedFnHook as FeedFnHook
from dataflow.training.hooks.session_run_hook import SessionRunArgs, SessionRunHook

_logger = logging.getLogger(__name__)


class FeatureImportanceSummarySaver(SessionRunHook):
    """Writes how often trees use each feature, and what they gain by it."""

    def __init__(self, model_dir: Any, every_n_steps: int = 1) -> None:
        """Makes a hook.

        Args:
          model_dir: The folder below which each feature has one of summaries.
          every_n_steps: After how many steps it writes.

        Raises:
          ValueError: There is no folder.
        """
        if model_dir is None:
            raise ValueError("model dir must be specified.")
        self._model_dir = model_dir
        self._every_n_steps = every_n_steps
        self._last_triggered_step: int | None = None

    def begin(self) -> None:
        """Finds the tensors that the model has of that.

        Raises:
          RuntimeError: There is no global step.
          KeyError: The model has no such tensors.
        """
        self._fetches = {"global_step": get_global_step()}
        if self._fetches["global_step"] is None:
            raise RuntimeError(
                "Global step should be created to use FeatureImportanceSummarySaver."
            )
        graph = get_default_graph()
        for name in ("feature_names", "feature_usage_counts", "feature_gains"):
            self._fetches[name] = graph.get_tensor_by_name(f"gbdt/{name}:0")

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Asks for them."""
        return SessionRunArgs(self._fetches)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Writes them, if it is time.

        Raises:
          RuntimeError: There are more features than numbers, or fewer.
        """
        step, names, counts, gains = (
            run_values.results[key]
            for key in ("global_step", "feature_names", "feature_usage_counts", "feature_gains")
        )
        last = self._last_triggered_step
        if last is not None and step < last + self._every_n_steps:
            return
        if len(names) != len(counts) or len(names) != len(gains):
            raise RuntimeError(
                "Feature names and importance measures have inconsistent lengths: "
                f"{len(names)} names, {len(counts)} counts, {len(gains)} gains."
            )
        self._last_triggered_step = step
        parts = {"usage_counts": counts, "gains": gains}
        shares = {"usage_counts": "usage_fraction", "gains": "gains_fraction"}
        for place, name in enumerate(names):
            writer = FileWriterCache.get(os.path.join(self._model_dir, name.decode("utf-8")))
            for kind, values in parts.items():
                total = float(sum(values))
                share = 1.0 / total if total else 1.0
                for tag, value in ((kind, values[place]), (shares[kind], values[place] * share)):
                    told = Summary.Value(tag=f"feature_importance/{tag}", simple_value=value)
                    writer.add_summary(Summary(value=[told]), step)


class StopAfterNTrees(SessionRunHook):
    """Ends the training once so many trees are done, or twice as many were tried."""

    def __init__(
        self,
        n: int,
        num_attempted_trees_tensor: Any,
        num_finalized_trees_tensor: Any,
        override_global_step_value: int | None = None,
    ) -> None:
        """Makes a hook.

        Args:
          n: How many trees.
          num_attempted_trees_tensor: How many were tried.
          num_finalized_trees_tensor: How many are done.
          override_global_step_value: What the global step is set to then.
        """
        self._num_trees = n
        self._fetches = {
            "attempted": num_attempted_trees_tensor,
            "finalized": num_finalized_trees_tensor,
        }
        self._step_value = override_global_step_value
        self._step_op: Any = None

    def begin(self) -> None:
        """Makes what sets the global step.

        Raises:
          RuntimeError: There is no global step.
        """
        step = get_global_step()
        if step is None:
            raise RuntimeError("Global step should be created.")
        if self._step_value is not None:
            self._step_op = assign(step, self._step_value)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Ends the training, if it is time."""
        # What the step itself fetches may be read before the layer of that step is added.
        told = run_context.session.run(self._fetches)
        attempted, finalized = told["attempted"], told["finalized"]
        if finalized < self._num_trees and attempted <= 2 * self._num_trees:
            return
        _logger.info("Requesting stop since we have reached %d trees.", finalized)
        if self._step_op is not None:
            _logger.info("Overriding global steps value.")
            run_context.session.run(self._step_op)
        run_context.request_stop()


class SwitchTrainOp(SessionRunHook):
    """Runs one training step up to some global step, and another one from there on."""

    def __init__(self, first_train_op: Any, train_steps: int, second_train_op: Any) -> None:
        """Makes a hook.

        Args:
          first_train_op: The step at first.
          train_steps: The global step from which on the other one runs.
          second_train_op: The other one.
        """
        self._first_train_op = first_train_op
        self._second_train_op = second_train_op
        self._train_steps = train_steps

    def begin(self) -> None:
        """Nothing trains before the global step is known.

        Raises:
          RuntimeError: There is no global step.
        """
        self._step = get_global_step()
        self._current: Any = no_op()
        if self._step is None:
            raise RuntimeError("Global step should be created to use SwitchTrainOp.")

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Asks for the training step."""
        return SessionRunArgs(self._current)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Chooses the next one."""
        # What the step itself fetches may be read before it is counted.
        is_early = run_context.session.run(self._step) < self._train_steps
        self._current = self._first_train_op if is_early else self._second_train_op
