"""SyncReplicasOptimizer: replicas whose gradients are averaged before a step is made."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.library.queues.accumulators import (
    ConditionalAccumulator,
    SparseConditionalAccumulator,
)
from dataflow.library.queues.fifo_queue import FIFOQueue
from dataflow.ops.array.fill import fill
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import no_op
from dataflow.ops.state.reference import assign
from dataflow.training.coordination.queue_runner import QueueRunner
from dataflow.training.hooks.session_run_hook import SessionRunHook
from dataflow.training.monitored.session_manager import what_is_missing
from dataflow.training.optimizer import Optimizer
from dataflow.values import logging
from dataflow.variables.variable import (
    Variable,
    global_variables,
    report_uninitialized_variables,
)


class SyncReplicasOptimizer(Optimizer):
    """Collects gradients of replicas, and updates the variables once with their means.

    Each replica waits for a token before it goes on, and the chief gives them out after each
    update; gradients that were computed before it are dropped.
    """

    chief_init_op: Any
    """What the chief runs to make itself ready; None before `apply_gradients`."""
    local_step_init_op: Any
    """What the other replicas run."""
    ready_for_local_init_op: Any
    """Gives the names of what both need."""

    def __init__(
        self,
        opt: Optimizer,
        replicas_to_aggregate: int,
        total_num_replicas: int | None = None,
        variable_averages: Any = None,
        variables_to_average: Any = None,
        use_locking: bool = False,
        name: str = "sync_replicas",
    ) -> None:
        """Wraps an optimizer.

        Args:
          opt: Applies the means.
          replicas_to_aggregate: How many gradients are averaged for an update.
          total_num_replicas: How many replicas there are; as many if None.
          variable_averages: An ExponentialMovingAverage that is updated with the variables.
          variables_to_average: Its variables.
          use_locking: Whether updates lock the variables.
          name: Name of the nodes.
        """
        super().__init__(use_locking, name)
        total = replicas_to_aggregate if total_num_replicas is None else total_num_replicas
        logging.info(
            "SyncReplicasV2: replicas_to_aggregate=%s; total_num_replicas=%s",
            replicas_to_aggregate,
            total,
        )
        self._opt = opt
        self._required = replicas_to_aggregate
        self._total = total
        self._averages = variable_averages
        self._averaged = variables_to_average
        self._accumulators: list[tuple[Any, str]] = []
        self._queue_runner: QueueRunner | None = None
        self.chief_init_op = self.local_step_init_op = self.ready_for_local_init_op = None

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """As the wrapped optimizer's."""
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(  # type: ignore[override]
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        global_step: Any = None,
        name: str | None = None,
    ) -> Any:
        """An operation by which a replica hands in its gradients and waits for its token.

        Args:
          grads_and_vars: Gradients and variables.
          global_step: The global step, which is incremented with each update.
          name: Accepted; TensorFlow uses it for nothing.

        Raises:
          ValueError: There are no variables, no global step, or gradients of no known kind.
        """
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        self._global_step = global_step
        with scopes.colocate_with(no_op()):
            self._local_step = Variable(
                0,
                trainable=False,
                collections=[GraphKeys.LOCAL_VARIABLES],
                dtype=global_step.dtype.base_dtype,
                name="sync_rep_local_step",
            )
        self.local_step_init_op = assign(self._local_step, global_step)
        self.ready_for_local_init_op = report_uninitialized_variables(global_variables())
        with scopes.name_scope(None, self._name):
            train_ops: list[Any] = []
            means = []
            for grad, var in pairs:
                with scopes.device(var.device):
                    means.append((self._collect(grad, var, train_ops), var))
            with scopes.device(global_step.device), scopes.name_scope(""):
                update = self._opt.apply_gradients(means, global_step)
            train_op = self._hand_out_tokens(update, train_ops)
            init_ops = [self.local_step_init_op]
            for held, place in self._accumulators:
                with scopes.device(place):
                    init_ops.append(held.set_global_step(global_step, name="SetGlobalStep"))
            self.chief_init_op = group(*init_ops)
        return train_op

    def _collect(self, grad: Any, var: Any, train_ops: list[Any]) -> Any:
        """The mean of a gradient over replicas; what hands one in is added to `train_ops`."""
        if grad is None:
            return None
        shared_name = f"{var.name}/grad_accum"
        mean: Any
        held: ConditionalAccumulator | SparseConditionalAccumulator
        if isinstance(grad, Tensor):
            held = ConditionalAccumulator(grad.dtype, shape=var.shape, shared_name=shared_name)
            train_ops.append(held.apply_grad(grad, local_step=self._local_step))
            mean = held.take_grad(self._required)
        elif isinstance(grad, IndexedSlices):
            held = SparseConditionalAccumulator(grad.dtype, shape=(), shared_name=shared_name)
            train_ops.append(held.apply_indexed_slices_grad(grad, local_step=self._local_step))
            mean = held.take_indexed_slices_grad(self._required)
        else:
            raise ValueError("Unknown grad type!")
        self._accumulators.append((held, var.device))
        return mean

    def _hand_out_tokens(self, update: Any, train_ops: list[Any]) -> Any:
        """Adds the queue of tokens; gives what waits for one."""
        step = self._global_step
        with scopes.device(step.device), scopes.name_scope(""):
            self._tokens = FIFOQueue(
                -1,
                step.dtype.base_dtype,
                shapes=(),
                name="sync_token_q",
                shared_name="sync_token_q",
            )
        with scopes.device(step.device), scopes.name_scope(""):
            with scopes.control_dependencies(train_ops):
                token = self._tokens.dequeue()
            train_op = assign(self._local_step, token)
            with scopes.control_dependencies([update]):
                tokens = fill([max(self._total, self._required)], step)
                sync_op: Any = self._tokens.enqueue_many((tokens,))
            if self._averages is not None:
                with scopes.control_dependencies([sync_op]), scopes.name_scope(""):
                    sync_op = self._averages.apply(self._averaged)
            self._queue_runner = QueueRunner(self._tokens, [sync_op])
        return train_op

    def get_chief_queue_runner(self) -> QueueRunner:
        """What the chief runs: it averages, updates and hands out tokens.

        Raises:
          ValueError: `apply_gradients` was not called.
        """
        if self._queue_runner is None:
            raise ValueError("Should be called after apply_gradients().")
        return self._queue_runner

    def get_init_tokens_op(self, num_tokens: int = -1) -> Any:
        """An operation by which the chief hands out the first tokens.

        Args:
          num_tokens: How many; as many as gradients are averaged by default.

        Raises:
          ValueError: `apply_gradients` was not called, or the first step would wait for ever.
        """
        if self._queue_runner is None:
            raise ValueError("get_init_tokens_op() should be called after apply_gradients().")
        needed = self._required - self._total
        if num_tokens == -1:
            num_tokens = self._required
        elif num_tokens < needed:
            raise ValueError(
                f"Too few tokens to finish the first step: {num_tokens} (given) vs {needed} "
                "(needed)"
            )
        if num_tokens <= 0:
            return no_op(name="no_init_tokens")
        with scopes.device(self._global_step.device), scopes.name_scope(""):
            return self._tokens.enqueue_many((fill([num_tokens], self._global_step),))

    def make_session_run_hook(self, is_chief: bool, num_tokens: int = -1) -> SessionRunHook:
        """The hook that a MonitoredSession of a replica needs.

        Args:
          is_chief: Whether the replica is the chief.
          num_tokens: See `get_init_tokens_op`.
        """
        return _ReplicaHook(self, is_chief, num_tokens)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """As the wrapped optimizer's."""
        return self._opt.get_slot(*args, **kwargs)

    def variables(self) -> list[Any]:
        """As the wrapped optimizer's."""
        return self._opt.variables()

    def get_slot_names(self, *args: Any, **kwargs: Any) -> list[str]:
        """As the wrapped optimizer's."""
        return self._opt.get_slot_names(*args, **kwargs)


class _ReplicaHook(SessionRunHook):
    """Makes a replica ready, and starts the chief's thread."""

    def __init__(self, optimizer: SyncReplicasOptimizer, is_chief: bool, num_tokens: int) -> None:
        self._sync_optimizer = optimizer
        self._is_chief = is_chief
        self._num_tokens = num_tokens

    def begin(self) -> None:
        """See `SessionRunHook`."""
        optimizer = self._sync_optimizer
        if optimizer.chief_init_op is None:
            raise ValueError(
                "SyncReplicasOptimizer.apply_gradient should be called before using the hook."
            )
        if self._is_chief:
            self._init_op = optimizer.chief_init_op
            self._tokens_op = optimizer.get_init_tokens_op(self._num_tokens)
        else:
            self._init_op = optimizer.local_step_init_op

    def after_create_session(self, session: Any, coord: Any) -> None:
        """See `SessionRunHook`."""
        missing = what_is_missing(
            self._sync_optimizer.ready_for_local_init_op,
            session,
            "Model is not ready for SyncReplicasOptimizer local init.",
        )
        if missing is not None:
            raise RuntimeError(
                "Init operations did not make model ready for SyncReplicasOptimizer local_init. "
                f"Init op: {self._init_op.name}, error: {missing}"
            )
        session.run(self._init_op)
        if self._is_chief:
            session.run(self._tokens_op)
            runner = self._sync_optimizer.get_chief_queue_runner()
            runner.create_threads(session, coord=coord, daemon=True, start=True)
