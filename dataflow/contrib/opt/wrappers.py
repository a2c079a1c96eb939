"""Optimizers around others: averages, clipped variables, tasks that take turns, stale gradients."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import dataflow.ops.math.compare as math_compare
import dataflow.ops.reductions.reduce as reductions
from dataflow.contrib.opt.rows import subtract_rows
from dataflow.control_flow.cond import cond
from dataflow.graph import scopes
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.tensor import Tensor
from dataflow.library.clipping import clip_by_global_norm, clip_by_norm
from dataflow.library.summaries.values import scalar
from dataflow.ops.array.gather import gather
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import identity, no_op
from dataflow.saving.saver import Saver
from dataflow.training.global_step import get_global_step
from dataflow.training.moving_averages import ExponentialMovingAverage
from dataflow.training.optimizer import Optimizer
from dataflow.values import dtypes
from dataflow.variables.initializers import Zeros
from dataflow.variables.scope import get_variable
from dataflow.variables.variable import global_variables


class Wrapper(Optimizer):
    """Hands everything on to another optimizer."""

    def __init__(self, opt: Optimizer, use_locking: bool, name: str) -> None:
        super().__init__(use_locking, name)
        self._optimizer = opt

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """See `Optimizer`."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """See `Optimizer`."""
        return self._optimizer.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> Any:
        """See `Optimizer`."""
        return self._optimizer.get_slot_names(*args, **kwargs)

    def variables(self) -> Any:
        """See `Optimizer`."""
        return self._optimizer.variables()


class MovingAverageOptimizer(Wrapper):
    """Keeps moving averages of what another optimizer trains, and saves them in its place."""

    def __init__(
        self,
        opt: Optimizer,
        average_decay: float = 0.9999,
        num_updates: Any = None,
        sequential_update: bool = True,
    ) -> None:
        """Wraps an optimizer.

        Args:
          opt: The optimizer.
          average_decay: Decay of the averages.
          num_updates: Number of updates so far; see ExponentialMovingAverage.
          sequential_update: Whether averages are of what a step leaves, and not of either.
        """
        super().__init__(opt, False, "MovingAverage")
        self._ema = ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._averages: dict[str, Any] | None = None
        self._sequential_update = sequential_update

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        global_step: Any = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> Any:
        """See `Optimizer`."""
        pairs = list(grads_and_vars)
        step = self._optimizer.apply_gradients(pairs, global_step=global_step, name=name)
        variables = [variable for _, variable in pairs]
        with scopes.control_dependencies([step] if self._sequential_update else []):
            update = self._ema.apply(variables)
        self._averages = {each.op.name: self._ema.average(each) for each in variables}
        return group(step, update, name="train_with_avg")

    def swapping_saver(
        self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any
    ) -> Saver:
        """A Saver that saves each average under the name of its variable, and the other way.

        Args:
          var_list: Variables, or a dictionary of them by name; all global ones if None.
          name: Name of the Saver.
          **kwargs: Of the Saver.

        Raises:
          RuntimeError: Nothing has been trained yet.
        """
        if self._averages is None:
            raise RuntimeError(
                "Must call apply_gradients or minimize before creating the swapping_saver"
            )
        if var_list is None:
            var_list = global_variables()
        if not isinstance(var_list, Mapping):
            var_list = {each.op.name: each for each in var_list}
        swapped = dict(var_list)
        for key, variable in var_list.items():
            average = self._averages.get(variable.op.name)
            if average is None:
                continue
            swapped[key] = average
            names = [other for other, each in var_list.items() if each is average]
            for other in names:
                swapped[other] = variable
        return Saver(swapped, name=name, **kwargs)


class VariableClippingOptimizer(Wrapper):
    """Clips variables, or rows of them, to a norm after each step."""

    def __init__(
        self,
        opt: Optimizer,
        vars_to_clip_dims: Mapping[Any, Sequence[int]],
        max_norm: float,
        use_locking: bool = False,
        colocate_clip_ops_with_vars: bool = False,
        name: str = "VariableClipping",
    ) -> None:
        """Wraps an optimizer.

        Args:
          opt: The optimizer.
          vars_to_clip_dims: By variable the axes over which its norm is taken.
          max_norm: The norm.
          use_locking: Whether updates of reference variables exclude each other.
          colocate_clip_ops_with_vars: Whether clipping is done where the variable is.
          name: Name of the scope of the operations.
        """
        super().__init__(opt, use_locking, name)
        self._dims = dict(vars_to_clip_dims)
        self._max_norm = max_norm
        self._colocates = colocate_clip_ops_with_vars

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        global_step: Any = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> Any:
        """See `Optimizer`."""
        pairs = list(grads_and_vars)
        with scopes.name_scope(name, self._name) as scope:
            step = self._optimizer.apply_gradients(pairs, global_step=global_step)
            clips = []
            with scopes.control_dependencies([step]):
                for grad, variable in pairs:
                    axes = self._dims.get(variable)
                    if grad is not None and axes is not None:
                        with scopes.name_scope("clip_" + variable.op.name):
                            clips.append(self._clip(grad, variable, list(axes)))
            return group(step, *clips, name=scope)

    def _clip(self, grad: Any, variable: Any, axes: Sequence[int]) -> Any:
        # Of a sparse gradient only the rows that it changed are looked at.
        rows = isinstance(grad, IndexedSlices) and 0 not in axes
        with scopes.colocate_with(variable) if self._colocates else contextlib.nullcontext():
            value = gather(variable, grad.indices) if rows else identity(variable.read_value())
            excess: Any = value - clip_by_norm(value, self._max_norm, axes)
        with scopes.colocate_with(variable):
            if rows:
                return subtract_rows(variable, grad.indices, excess, self._use_locking)
            return variable.assign_sub(excess, use_locking=self._use_locking)


class DropStaleGradientOptimizer(Wrapper):
    """Does not apply gradients that are older than a number of steps."""

    def __init__(
        self,
        opt: Optimizer,
        staleness: int,
        use_locking: bool = False,
        name: str = "DropStaleGradient",
    ) -> None:
        """Wraps an optimizer.

        Args:
          opt: The optimizer.
          staleness: How many steps old a gradient may be.
          use_locking: Whether updates of reference variables exclude each other.
          name: Name of the scope of the operations.
        """
        super().__init__(opt, use_locking, name)
        self._staleness = staleness

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> Any:
        """See `Optimizer`; the global step is read before."""
        self._begun = identity(get_global_step().read_value() + 0)
        with scopes.control_dependencies([self._begun]):
            loss = identity(loss() if callable(loss) else loss)
            return self._optimizer.compute_gradients(loss, *args, **kwargs)

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        global_step: Any = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> Any:
        """See `Optimizer`; counts what it drops in a variable `stale_counter`."""
        pairs = list(grads_and_vars)
        step = get_global_step() if global_step is None else global_step
        with scopes.colocate_with(step):
            stale: Any = get_variable("stale_counter", [], initializer=Zeros(), trainable=False)
        self._stale_counter = stale

        def accept() -> Any:
            applied = self._optimizer.apply_gradients(pairs, global_step=global_step, name=name)
            with scopes.control_dependencies([applied]):
                return identity(0.0)

        with (
            scopes.control_dependencies([grad for grad, _ in pairs if grad is not None]),
            scopes.colocate_with(step),
        ):
            age = step.read_value() - self._begun
        dropped = cond(math_compare.less_equal(age, self._staleness), accept, lambda: identity(1.0))
        counted = stale.assign_add(dropped)
        scalar("Gradient staleness percentage", stale / cast(step.read_value() + 1, dtypes.float32))
        return counted


class MultitaskOptimizerWrapper:
    """An optimizer that leaves variables, and their slots, whose whole gradient is zero.

    So a step that is about one task leaves the momentum of the other tasks' variables.
    """

    def __init__(self, opt: Optimizer) -> None:
        """Changes an optimizer.

        Raises:
          TypeError: It is none.
        """
        if not isinstance(opt, Optimizer):
            raise TypeError("Supplied optimizer must be an instance of tf.train.Optimizer")
        self._opt = opt
        for name in (
            "_apply_dense",
            "_resource_apply_dense",
            "_apply_sparse",
            "_resource_apply_sparse",
        ):
            setattr(opt, name, types.MethodType(_unless_zero(getattr(opt, name)), opt))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._opt, name)


def _unless_zero(function: Any) -> Any:
    def wrapped(self: Any, grad: Any, *args: Any, **kwargs: Any) -> Any:
        values = grad.values if isinstance(grad, IndexedSlices) else grad
        return cond(
            reductions.reduce_all(math_compare.equal(values, 0)),
            no_op,
            lambda: group(function(grad, *args, **kwargs)),
        )

    return wrapped


def clip_gradients_by_global_norm(
    gradients_variables: Sequence[tuple[Any, Any]], clip_norm: float = 20.0
) -> tuple[list[tuple[Any, Any]], Tensor]:
    """Pairs with gradients cut to a norm that they have together; zero ones do not count.

    Args:
      gradients_variables: Pairs of gradient and variable.
      clip_norm: The norm.

    Returns:
      The pairs, and the norm that the gradients had: a scalar.
    """
    grads, variables = zip(*gradients_variables, strict=True)
    clipped, found = clip_by_global_norm(list(grads), clip_norm)
    return list(zip(clipped, variables, strict=True)), found
