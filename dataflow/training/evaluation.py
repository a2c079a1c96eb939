"""Evaluating a checkpoint: steps that update metrics, counted, and their values at the end."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.ops.basic.identity import identity
from dataflow.training.hooks.feeding import FinalOpsHook
from dataflow.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from dataflow.training.monitored.monitored_session import MonitoredSession
from dataflow.training.monitored.session_creators import ChiefSessionCreator
from dataflow.values import dtypes, logging
from dataflow.variables.initializers import Zeros
from dataflow.variables.scope import get_variable

_LOGGED = 10
"""How often the progress of many evaluations is logged."""


def get_or_create_eval_step() -> Any:
    """The variable of the default graph that counts steps of evaluation, made if there is none.

    Raises:
      ValueError: There are several.
    """
    found = scopes.get_collection(GraphKeys.EVAL_STEP)
    if len(found) > 1:
        raise ValueError("Multiple tensors added to tf.GraphKeys.EVAL_STEP")
    if found:
        return found[0]
    return get_variable(
        GraphKeys.EVAL_STEP,
        shape=[],
        dtype=dtypes.int64,
        initializer=Zeros(),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP],
    )


class StopAfterNEvalsHook(SessionRunHook):
    """Asks for a stop after a number of steps of evaluation."""

    def __init__(self, num_evals: int | None, log_progress: bool = True) -> None:
        """Makes a hook.

        Args:
          num_evals: How many steps; None for no end.
          log_progress: Whether they are logged: all of a few, one in ten of many.
        """
        self._num_evals = num_evals
        self._evals_completed: Any = None
        self._log_progress = log_progress
        self._log_frequency = (
            1 if num_evals is None or num_evals < 2 * _LOGGED else num_evals // _LOGGED
        )

    def _set_evals_completed_tensor(self, updated_eval_step: Any) -> None:
        self._evals_completed = updated_eval_step

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """See `SessionRunHook`."""
        return SessionRunArgs({"evals_completed": self._evals_completed})

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """See `SessionRunHook`."""
        done = run_values.results["evals_completed"]
        if self._log_progress:
            if self._num_evals is None:
                logging.info("Evaluation [%d]", done)
            elif done % self._log_frequency == 0 or done == self._num_evals:
                logging.info("Evaluation [%d/%d]", done, self._num_evals)
        if self._num_evals is not None and done >= self._num_evals:
            run_context.request_stop()


def evaluate_once(
    checkpoint_path: str | None,
    master: str = "",
    scaffold: Any = None,
    eval_ops: Any = None,
    feed_dict: Any = None,
    final_ops: Any = None,
    final_ops_feed_dict: Any = None,
    hooks: Sequence[SessionRunHook] | None = None,
    config: Any = None,
) -> Any:
    """Evaluates a checkpoint.

    Args:
      checkpoint_path: Its prefix; the model is initialised if None.
      master: The session's target.
      scaffold: Initialises the model; made if None.
      eval_ops: Are run until a hook asks for a stop or the input ends: a tensor, operation, list
        or dictionary; None for no steps.
      feed_dict: What they are fed.
      final_ops: Are evaluated at the end.
      final_ops_feed_dict: What they are fed.
      hooks: Are called before and after each step.
      config: The session's ConfigProto.

    Returns:
      The values of `final_ops`; None without them.
    """
    eval_step = get_or_create_eval_step()
    all_hooks = list(hooks or [])
    if eval_ops is not None:
        update = eval_step.assign_add(1, use_locking=True)
        if isinstance(eval_ops, dict):
            eval_ops["update_eval_step"] = update
            updates = list(eval_ops.values())
        else:
            listed = list(eval_ops) if isinstance(eval_ops, (tuple, list)) else [eval_ops]
            eval_ops = updates = [*listed, update]
        with scopes.control_dependencies(updates):
            counted = identity(eval_step.read_value())
        for hook in all_hooks:
            if isinstance(hook, StopAfterNEvalsHook):
                hook._set_evals_completed_tensor(counted)
    logging.info("Starting evaluation at %s", _now())
    start = time.monotonic()
    creator = ChiefSessionCreator(
        scaffold, master, config, checkpoint_filename_with_path=checkpoint_path
    )
    final = FinalOpsHook(final_ops, final_ops_feed_dict)
    all_hooks.append(final)
    with MonitoredSession(creator, all_hooks) as session:
        if eval_ops is not None:
            while not session.should_stop():
                session.run(eval_ops, feed_dict)
    logging.info("Inference Time : %.5fs", time.monotonic() - start)
    logging.info("Finished evaluation at %s", _now())
    return final.final_ops_values


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime())
