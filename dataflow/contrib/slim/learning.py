"""tf.contrib.slim.learning: training in a loop that a Supervisor watches."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dataflow.contrib.training.train_op import (
    THE_GRAPHS_STEP,
    Pairs,
    summaries_of_gradients,
)
from dataflow.contrib.training.train_op import (
    clip_gradient_norms as clip_gradient_norms,
)
from dataflow.contrib.training.train_op import (
    clip_gradient_norms_fn as clip_gradient_norms_fn,
)
from dataflow.contrib.training.train_op import (
    create_train_op as _create_train_op,
)
from dataflow.contrib.training.train_op import (
    multiply_gradients as multiply_gradients,
)
from dataflow.errors import AbortedError, OutOfRangeError
from dataflow.graph import scopes
from dataflow.graph.tensor import Tensor
from dataflow.library.table_initializers import tables_initializer
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import group
from dataflow.ops.math.compare import equal, greater_equal
from dataflow.ops.math.division import floormod
from dataflow.proto.config_pb2 import RunMetadata, RunOptions
from dataflow.saving.saver import Saver
from dataflow.session.session import Session
from dataflow.training.global_step import get_or_create_global_step
from dataflow.training.hooks.chrome_trace import chrome_trace
from dataflow.training.optimizer import Optimizer
from dataflow.training.supervisor.supervisor import Supervisor
from dataflow.training.sync_replicas import SyncReplicasOptimizer
from dataflow.values.logging import info, warning
from dataflow.variables.variable import (
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)

USE_DEFAULT = Supervisor.USE_DEFAULT
"""What the Supervisor takes from the graph's collections, or makes."""
_MADE = object()
"""For `train_step_kwargs`: what `train_step` needs."""


def add_gradients_summaries(grads_and_vars: Pairs) -> list[Any]:
    """A histogram and a norm of each gradient, as summaries `<variable>/gradient` and `_norm`."""
    return summaries_of_gradients(grads_and_vars, "/")


def create_train_op(
    total_loss: Any,
    optimizer: Optimizer,
    global_step: Any = THE_GRAPHS_STEP,
    update_ops: Any = None,
    variables_to_train: Sequence[Any] | None = None,
    clip_gradient_norm: float = 0,
    summarize_gradients: bool = False,
    gate_gradients: int = Optimizer.GATE_OP,
    aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False,
    gradient_multipliers: Mapping[Any, Any] | None = None,
    check_numerics: bool = True,
) -> Tensor:
    """`tf.contrib.training.create_train_op`, of gradients that are multiplied and cut.

    Args:
      total_loss: See there, as for what is not named here.
      optimizer: See there.
      global_step: See there.
      update_ops: See there.
      variables_to_train: See there.
      clip_gradient_norm: The most that the norm of each gradient may be; 0 for no bound.
      summarize_gradients: See there.
      gate_gradients: See there.
      aggregation_method: See there.
      colocate_gradients_with_ops: See there.
      gradient_multipliers: Factors by variable, or by its name.
      check_numerics: See there.
    """

    def changed(pairs: Pairs) -> Pairs:
        if gradient_multipliers:
            with scopes.name_scope("multiply_grads"):
                pairs = multiply_gradients(pairs, gradient_multipliers)
        if clip_gradient_norm > 0:
            with scopes.name_scope("clip_grads"):
                pairs = clip_gradient_norms(pairs, clip_gradient_norm)
        return pairs

    return _create_train_op(
        total_loss,
        optimizer,
        global_step=global_step,
        update_ops=update_ops,
        variables_to_train=variables_to_train,
        transform_grads_fn=changed,
        summarize_gradients=summarize_gradients,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
        check_numerics=check_numerics,
    )


def train_step(
    sess: Any, train_op: Any, global_step: Any, train_step_kwargs: Mapping[str, Any]
) -> tuple[Any, Any]:
    """A step, and whether it was the last.

    Args:
      sess: A session.
      train_op: Trains, and gives the loss.
      global_step: Counts the steps.
      train_step_kwargs: "should_stop", "should_log" and "should_trace", scalars, if they are
        wanted; the last with "logdir", where traces go, and "summary_writer", which may be told.

    Returns:
      The loss, and whether to stop.

    Raises:
      ValueError: If there is "should_trace" without "logdir".
    """
    started = time.monotonic()
    options = metadata = None
    if "should_trace" in train_step_kwargs:
        if "logdir" not in train_step_kwargs:
            raise ValueError(
                "logdir must be present in train_step_kwargs when should_trace is present"
            )
        if sess.run(train_step_kwargs["should_trace"]):
            options, metadata = RunOptions(trace_level=RunOptions.FULL_TRACE), RunMetadata()
    loss, count = sess.run([train_op, global_step], options=options, run_metadata=metadata)
    if metadata is not None:
        path = os.path.join(train_step_kwargs["logdir"], f"tf_trace-{count}.json")
        info("Writing trace to %s", path)
        with open(path, "w") as file:
            file.write(chrome_trace(metadata.step_stats, True, False))
        if "summary_writer" in train_step_kwargs:
            train_step_kwargs["summary_writer"].add_run_metadata(metadata, f"run_metadata-{count}")
    if "should_log" in train_step_kwargs and sess.run(train_step_kwargs["should_log"]):
        seconds = time.monotonic() - started
        info("global step %d: loss = %.4f (%.3f sec/step)", count, loss, seconds)
    stops = train_step_kwargs.get("should_stop")
    return loss, False if stops is None else sess.run(stops)


def train(
    train_op: Any,
    logdir: str | None,
    train_step_fn: Callable[..., tuple[Any, Any]] = train_step,
    train_step_kwargs: Any = _MADE,
    log_every_n_steps: int | None = 1,
    graph: Any = None,
    master: str = "",
    is_chief: bool = True,
    global_step: Any = None,
    number_of_steps: int | None = None,
    init_op: Any = USE_DEFAULT,
    init_feed_dict: Any = None,
    local_init_op: Any = USE_DEFAULT,
    init_fn: Callable[[Any], Any] | None = None,
    ready_op: Any = USE_DEFAULT,
    summary_op: Any = USE_DEFAULT,
    save_summaries_secs: float = 600,
    summary_writer: Any = USE_DEFAULT,
    startup_delay_steps: int = 0,
    saver: Any = None,
    save_interval_secs: float = 600,
    sync_optimizer: Any = None,
    session_config: Any = None,
    session_wrapper: Callable[[Session], Any] | None = None,
    trace_every_n_steps: int | None = None,
    ignore_live_threads: bool = False,
) -> Any:
    """Trains until a number of steps is reached, queues have ended, or somebody stops it.

    A folder that has a checkpoint is gone on with; at the end the model is saved there.

    Args:
      train_op: Trains, and gives the loss.
      logdir: Folder of checkpoints and events; None for none.
      train_step_fn: Makes a step: a function of session, `train_op`, step and arguments that gives
        the loss and whether to stop.
      train_step_kwargs: The arguments; by default "should_stop" and "should_log". What the
        events are written with is put there as "summary_writer", unless that is None.
      log_every_n_steps: How often steps are told of; None for never.
      graph: The graph; the default one if None.
      master: The session's target.
      is_chief: Whether this is the task that initialises and saves.
      global_step: Counts the steps; the graph's own, made if it has none, if None.
      number_of_steps: When `global_step` has reached it, training ends; None for no end.
      init_op: See `Supervisor`, as for what is not named here.
      init_feed_dict: See there.
      local_init_op: See there.
      init_fn: See there.
      ready_op: See there.
      summary_op: See there.
      save_summaries_secs: See there.
      summary_writer: See there.
      startup_delay_steps: How many steps others must have made before this task begins.
      saver: One of all variables is made if None.
      save_interval_secs: Seconds from one checkpoint to the next.
      sync_optimizer: A SyncReplicasOptimizer, or a list of them.
      session_config: Of the session.
      session_wrapper: Gives what is run in the place of the session.
      trace_every_n_steps: How often a step is traced, for Chrome, in `logdir`; None for never.
      ignore_live_threads: Whether threads that do not end are left alone.

    Returns:
      The last step's loss; None if there was none.

    Raises:
      ValueError: If `train_op` is None, events or traces are wanted without a folder, or there is
        a delay together with a `sync_optimizer`, or that is none.
      RuntimeError: If threads do not end.
    """
    if train_op is None:
        raise ValueError("train_op cannot be None.")
    if logdir is None:
        if isinstance(summary_op, Tensor):
            raise ValueError("Cannot provide summary_op because logdir=None")
        if saver is not None:
            raise ValueError("Cannot provide saver because logdir=None")
        if trace_every_n_steps is not None:
            raise ValueError("Cannot provide trace_every_n_steps because logdir=None")
    optimizers = sync_optimizer if isinstance(sync_optimizer, list | tuple) else [sync_optimizer]
    optimizers = [each for each in optimizers if each is not None]
    if optimizers and startup_delay_steps > 0:
        raise ValueError("startup_delay_steps must be zero when sync_optimizer is supplied.")
    if number_of_steps is not None and number_of_steps <= 0:
        raise ValueError("`number_of_steps` must be either None or a positive number.")
    graph = graph or scopes.get_default_graph()
    with graph.as_default():
        if global_step is None:
            global_step = get_or_create_global_step()
        saver = saver or Saver()
        if not all(isinstance(each, SyncReplicasOptimizer) for each in optimizers):
            raise ValueError("`sync_optimizer` must be a tf.train.SyncReplicasOptimizer.")
        with scopes.name_scope("init_ops"):
            if init_op is USE_DEFAULT:
                init_op = global_variables_initializer()
            if ready_op is USE_DEFAULT:
                ready_op = report_uninitialized_variables()
            if local_init_op is USE_DEFAULT:
                local_init_op = group(local_variables_initializer(), tables_initializer())
            ready_for_local = None
            if optimizers:
                with scopes.control_dependencies([] if local_init_op is None else [local_init_op]):
                    local_init_op = group(
                        *(
                            each.chief_init_op if is_chief else each.local_step_init_op
                            for each in optimizers
                        )
                    )
                ready_for_local = group(*(each.ready_for_local_init_op for each in optimizers))
        # Made before the supervisor closes the graph.
        chiefs = optimizers if is_chief else []
        tokens = [each.get_init_tokens_op() for each in chiefs]
        runners = [each.get_chief_queue_runner() for each in chiefs]
        if train_step_kwargs is _MADE:
            train_step_kwargs = _arguments(global_step, number_of_steps, log_every_n_steps)
            if is_chief and trace_every_n_steps is not None:
                with scopes.name_scope("train_step/"):
                    due = equal(floormod(global_step, trace_every_n_steps), 0)
                train_step_kwargs |= {"should_trace": due, "logdir": logdir}
        supervisor = Supervisor(
            graph=graph,
            is_chief=is_chief,
            logdir=logdir,
            init_op=init_op,
            init_feed_dict=init_feed_dict,
            local_init_op=local_init_op,
            ready_for_local_init_op=ready_for_local,
            ready_op=ready_op,
            summary_op=summary_op if logdir else None,
            summary_writer=summary_writer if logdir else None,
            global_step=global_step,
            saver=saver,
            save_summaries_secs=save_summaries_secs,
            save_model_secs=save_interval_secs,
            init_fn=init_fn,
        )
    if summary_writer is not None:
        train_step_kwargs["summary_writer"] = supervisor.summary_writer

    def steps() -> Any:
        loss = None
        with supervisor.managed_session(
            master, start_standard_services=False, config=session_config
        ) as own:
            session = own if session_wrapper is None else session_wrapper(own)
            if is_chief and logdir:
                supervisor.start_standard_services(session)
            elif not is_chief and startup_delay_steps > 0:
                _wait_for(session, global_step, min(startup_delay_steps, number_of_steps or 2**63))
            threads = supervisor.start_queue_runners(session)
            if chiefs:
                supervisor.start_queue_runners(session, runners)
                session.run(tokens)
            with contextlib.suppress(OutOfRangeError):
                while not supervisor.should_stop():
                    loss, stops = train_step_fn(session, train_op, global_step, train_step_kwargs)
                    if stops:
                        info("Stopping Training.")
                        supervisor.request_stop()
                        break
            if logdir and supervisor.is_chief:
                info("Finished training! Saving model to disk.")
                supervisor.saver.save(
                    session, supervisor.save_path, global_step=supervisor.global_step
                )
                # The session's end closes the writer.
                supervisor.stop(threads, False, ignore_live_threads)
        return loss

    while True:
        try:
            return steps()
        except AbortedError:
            # A server of the cluster was started again.
            info("Retrying training!")


def _arguments(step: Any, last: int | None, every: int | None) -> dict[str, Any]:
    with scopes.name_scope("train_step"):
        stops = constant(False) if last is None else greater_equal(step, last)
        found = {"should_stop": stops}
        if every is not None and every > 0:
            found["should_log"] = equal(floormod(step, every), 0)
    return found


def _wait_for(session: Any, step: Any, count: int) -> None:
    while session.run(step) < count:
        warning("Waiting for step %d before starting training.", count)
        time.sleep(1.0)
