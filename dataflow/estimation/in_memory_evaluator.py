"""InMemoryEvaluatorHook: evaluations while a model trains, without checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dataflow.estimation.checks import checked_hooks, evaluation_stop
from dataflow.estimation.estimator import Estimator
from dataflow.graph import scopes
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.ops.basic.placeholder import placeholder
from dataflow.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from dataflow.training.hooks.timers import SecondOrStepTimer
from dataflow.training.monitored.scaffold import Scaffold


class InMemoryEvaluatorHook(SessionRunHook):
    """Evaluates the model as it is in the session that trains it, every so many steps."""

    def __init__(
        self,
        estimator: Estimator,
        input_fn: Callable[..., Any],
        steps: int | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        name: str | None = None,
        every_n_iter: int | None = 100,
    ) -> None:
        """Makes a hook.

        Args:
          estimator: The estimator that trains.
          input_fn: Gives the input of evaluation.
          steps: How many steps an evaluation has; until the input ends if None.
          hooks: Are called in its loop.
          name: Ends the name of the folder of summaries.
          every_n_iter: How many steps of training are between two.

        Raises:
          ValueError: `every_n_iter` is not positive, or the estimator is one of a cluster.
        """
        if every_n_iter is None or every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        config = estimator.config
        if config.num_ps_replicas > 0 or config.num_worker_replicas > 1:
            raise ValueError("InMemoryEvaluator supports only single machine (aka Local) setting.")
        self._estimator = estimator
        self._input_fn = input_fn
        self._steps = steps
        self._name = name
        self._user_hooks = checked_hooks(hooks)
        self._timer = SecondOrStepTimer(every_steps=every_n_iter)
        self._every_n_iter = every_n_iter
        self._iterations = 0

    def begin(self) -> None:
        """Builds the graph of evaluation, whose variables are given those of training.

        Raises:
          ValueError: The model's scaffold has a saver or an `init_fn`, which would not be called.
        """
        self._timer.reset()
        self._iterations = 0
        self._trained = {
            each.op.name: each for each in scopes.get_collection(GraphKeys.GLOBAL_VARIABLES)
        }
        self._graph = Graph()
        with self._graph.as_default():
            hooks = list(self._user_hooks)
            stop = evaluation_stop(self._steps)
            if stop is not None:
                hooks.append(stop)
            scaffold, self._update, self._values, self._hooks = self._estimator._build_evaluation(
                self._input_fn, hooks, None
            )
            if scaffold.saver is not None:
                raise ValueError("InMemoryEvaluator does not support custom saver")
            if scaffold.init_fn is not None:
                raise ValueError("InMemoryEvaluator does not support custom init_fn")
            fed, assigned = {}, []
            for variable in scopes.get_collection(GraphKeys.GLOBAL_VARIABLES):
                if variable.op.name not in self._trained:
                    continue
                value = placeholder(variable.dtype.base_dtype, variable.get_shape())
                assigned.append(variable.assign(value))
                fed[variable.op.name] = value
            self._fed = fed
            self._scaffold = Scaffold(
                init_fn=lambda _, session: session.run(
                    assigned, {fed[name]: value for name, value in self._current.items()}
                ),
                copy_from_scaffold=scaffold,
            )

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Evaluates what training begins with.

        Raises:
          ValueError: The graph of training saves more than variables.
        """
        if scopes.get_collection(GraphKeys.SAVEABLE_OBJECTS):
            raise ValueError(
                "InMemoryEvaluator does not support saveables other than global variables."
            )
        self._evaluate(session)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """See `SessionRunHook`."""
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Evaluates if it is time."""
        self._iterations += 1
        if self._timer.should_trigger_for_step(self._iterations):
            self._evaluate(run_context.session)

    def end(self, session: Any) -> None:
        """Evaluates what training has ended with."""
        self._evaluate(session)

    def _evaluate(self, session: Any) -> None:
        self._timer.update_last_triggered_step(self._iterations)
        self._current = session.run(
            {name: each for name, each in self._trained.items() if name in self._fed}
        )
        with self._graph.as_default():
            # A session ends the graph, and the next evaluation adds a counter's read.
            self._estimator._run_evaluation(
                None,
                self._scaffold,
                self._update,
                dict(self._values),
                self._hooks,
                self._estimator.eval_dir(self._name),
            )
