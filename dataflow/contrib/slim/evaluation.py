"""slim.evaluation: a checkpoint, or each new one of a folder, evaluated with summaries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from dataflow.contrib.training.evaluation import SummaryAtEndHook, evaluate_repeatedly
from dataflow.contrib.training.evaluation import (
    wait_for_new_checkpoint as wait_for_new_checkpoint,
)
from dataflow.library.summaries.merging import merge_all
from dataflow.saving.saver import Saver
from dataflow.saving.state import checkpoints_iterator as checkpoints_iterator
from dataflow.training.evaluation import StopAfterNEvalsHook
from dataflow.training.evaluation import evaluate_once as _evaluate_once
from dataflow.training.hooks.session_run_hook import SessionRunHook
from dataflow.training.monitored.scaffold import Scaffold

_ALL_SUMMARIES: Final = 0
"""For `summary_op`: those of the graph, merged."""


def evaluate_once(
    master: str,
    checkpoint_path: str,
    logdir: Any,
    num_evals: int = 1,
    initial_op: Any = None,
    initial_op_feed_dict: Any = None,
    eval_op: Any = None,
    eval_op_feed_dict: Any = None,
    final_op: Any = None,
    final_op_feed_dict: Any = None,
    summary_op: Any = _ALL_SUMMARIES,
    summary_op_feed_dict: Any = None,
    variables_to_restore: Any = None,
    session_config: Any = None,
    hooks: Sequence[SessionRunHook] | None = None,
) -> Any:
    """Evaluates a checkpoint.

    Args:
      master: The session's target.
      checkpoint_path: The checkpoint.
      logdir: Folder of the summary.
      num_evals: How many steps.
      initial_op: Runs first.
      initial_op_feed_dict: What it is fed.
      eval_op: Is run in each step.
      eval_op_feed_dict: What it is fed.
      final_op: Is evaluated at the end.
      final_op_feed_dict: What it is fed.
      summary_op: Gives the summary; None for none.
      summary_op_feed_dict: What it is fed.
      variables_to_restore: All variables if None.
      session_config: The session's ConfigProto.
      hooks: Further ones.

    Returns:
      The value of `final_op`.
    """
    return _evaluate_once(
        checkpoint_path,
        master=master,
        scaffold=_scaffold(initial_op, initial_op_feed_dict, variables_to_restore),
        eval_ops=eval_op,
        feed_dict=eval_op_feed_dict,
        final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict,
        hooks=_hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks),
        config=session_config,
    )


def evaluation_loop(
    master: str,
    checkpoint_dir: Any,
    logdir: Any,
    num_evals: int = 1,
    initial_op: Any = None,
    initial_op_feed_dict: Any = None,
    init_fn: Callable[..., Any] | None = None,
    eval_op: Any = None,
    eval_op_feed_dict: Any = None,
    final_op: Any = None,
    final_op_feed_dict: Any = None,
    summary_op: Any = _ALL_SUMMARIES,
    summary_op_feed_dict: Any = None,
    variables_to_restore: Any = None,
    eval_interval_secs: float = 60,
    max_number_of_evaluations: int | None = None,
    session_config: Any = None,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
) -> Any:
    """Evaluates each new checkpoint of a folder; arguments as for `evaluate_once`.

    Args:
      master: See there.
      checkpoint_dir: The folder.
      logdir: See there.
      num_evals: See there.
      initial_op: See there.
      initial_op_feed_dict: See there.
      init_fn: Is called with the scaffold and the session.
      eval_op: See there.
      eval_op_feed_dict: See there.
      final_op: See there.
      final_op_feed_dict: See there.
      summary_op: See there.
      summary_op_feed_dict: See there.
      variables_to_restore: See there.
      eval_interval_secs: The least time from one evaluation to the next.
      max_number_of_evaluations: How many; without an end if None.
      session_config: See there.
      timeout: How long to wait for a new checkpoint.
      timeout_fn: Asked when none has come in time: whether to give up.
      hooks: See there.

    Returns:
      The value of `final_op` in the last evaluation.
    """
    return evaluate_repeatedly(
        checkpoint_dir,
        master=master,
        scaffold=_scaffold(initial_op, initial_op_feed_dict, variables_to_restore, init_fn),
        eval_ops=eval_op,
        feed_dict=eval_op_feed_dict,
        final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict,
        eval_interval_secs=eval_interval_secs,
        hooks=_hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks),
        config=session_config,
        max_number_of_evaluations=max_number_of_evaluations,
        timeout=timeout,
        timeout_fn=timeout_fn,
    )


def _scaffold(
    initial_op: Any, feed_dict: Any, variables: Any, init_fn: Callable[..., Any] | None = None
) -> Scaffold:
    saver = None if variables is None else Saver(variables)
    return Scaffold(init_op=initial_op, init_feed_dict=feed_dict, init_fn=init_fn, saver=saver)


def _hooks(
    num_evals: int, logdir: Any, summary_op: Any, feed_dict: Any, hooks: Any
) -> list[SessionRunHook]:
    if summary_op is _ALL_SUMMARIES:
        summary_op = merge_all()
    found: list[SessionRunHook] = [StopAfterNEvalsHook(num_evals)]
    if summary_op is not None:
        found.append(SummaryAtEndHook(logdir, summary_op=summary_op, feed_dict=feed_dict))
    return [*found, *(hooks or [])]
