"""A step of training: gradients that are changed, applied, and the loss behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import IndexedSlices, scaled, with_values
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.library.clipping import clip_by_norm, global_norm
from dataflow.library.summaries.values import histogram, scalar
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.identity import no_op
from dataflow.ops.math.check import check_numerics as checked
from dataflow.training.global_step import get_or_create_global_step
from dataflow.training.optimizer import Optimizer
from dataflow.values.logging import info, warning
from dataflow.variables.variable import trainable_variables

Pairs = Sequence[tuple[Any, Any]]

THE_GRAPHS_STEP: Final = 0
"""For `global_step`: the graph's own, made if it has none."""


def create_train_op(
    total_loss: Any,
    optimizer: Optimizer,
    global_step: Any = THE_GRAPHS_STEP,
    update_ops: Any = None,
    variables_to_train: Sequence[Any] | None = None,
    transform_grads_fn: Callable[[Pairs], Pairs] | None = None,
    summarize_gradients: bool = False,
    gate_gradients: int = Optimizer.GATE_OP,
    aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False,
    check_numerics: bool = True,
) -> Tensor:
    """A tensor of the loss that is there when variables have been trained for a step.

    It is added to the collection TRAIN_OP.

    Args:
      total_loss: A scalar.
      optimizer: What makes and applies the gradients.
      global_step: What is counted; None for nothing.
      update_ops: What runs before the loss; the collection UPDATE_OPS if None.
      variables_to_train: All trainable variables if None.
      transform_grads_fn: Gives pairs of gradient and variable for such pairs.
      summarize_gradients: Whether there are summaries of them.
      gate_gradients: See `Optimizer.compute_gradients`.
      aggregation_method: The same.
      colocate_gradients_with_ops: The same.
      check_numerics: Whether a loss that is infinite or no number is an error.

    Raises:
      AssertionError: If a variable is not trainable.
    """
    if global_step is THE_GRAPHS_STEP:
        global_step = get_or_create_global_step()
    total_loss = convert_to_tensor(total_loss)
    found = scopes.get_collection(GraphKeys.UPDATE_OPS)
    updates = found if update_ops is None else list(update_ops)
    if any(all(each is not update for update in updates) for each in found):
        warning(
            "update_ops in create_train_op does not contain all the update_ops in "
            "GraphKeys.UPDATE_OPS"
        )
    if updates:
        with scopes.control_dependencies(updates):
            barrier = no_op(name="update_barrier")
        total_loss = with_dependencies([barrier], total_loss)
    trainable = trainable_variables()
    if variables_to_train is None:
        variables_to_train = trainable
    for each in variables_to_train:
        assert any(each is other for other in trainable), f"{each.name} is not trainable"
    pairs: Pairs = optimizer.compute_gradients(
        total_loss,
        list(variables_to_train),
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
    )
    if transform_grads_fn is not None:
        pairs = transform_grads_fn(pairs)
    if summarize_gradients:
        with scopes.name_scope("summarize_grads"):
            add_gradients_summaries(pairs)
    step = optimizer.apply_gradients(list(pairs), global_step=global_step)
    with scopes.name_scope("train_op"):
        if check_numerics:
            total_loss = checked(total_loss, "LossTensor is inf or nan")
        train_op: Tensor = with_dependencies([step], total_loss)
    scopes.add_to_collection(GraphKeys.TRAIN_OP, train_op)
    return train_op


def add_gradients_summaries(grads_and_vars: Pairs) -> list[Any]:
    """A histogram and a norm of each gradient, as summaries `<variable>_gradient` and `_norm`."""
    return summaries_of_gradients(grads_and_vars, "_")


def summaries_of_gradients(grads_and_vars: Pairs, separator: str) -> list[Any]:
    """`add_gradients_summaries` with what stands between a variable's name and "gradient"."""
    summaries = []
    for grad, var in grads_and_vars:
        if grad is None:
            info("Var %s has no gradient", var.op.name)
            continue
        values = grad.values if isinstance(grad, IndexedSlices) else grad
        summaries.append(histogram(f"{var.op.name}{separator}gradient", values))
        summaries.append(scalar(f"{var.op.name}{separator}gradient_norm", global_norm([values])))
    return summaries


def clip_gradient_norms(gradients_to_variables: Pairs, max_norm: float) -> Pairs:
    """Each gradient by itself cut to a norm.

    Args:
      gradients_to_variables: Pairs of gradient and variable.
      max_norm: The most that the norm may be.
    """
    return [
        (with_values(grad, lambda values: clip_by_norm(values, max_norm)), var)
        for grad, var in gradients_to_variables
    ]


def clip_gradient_norms_fn(max_norm: float) -> Callable[[Pairs], Pairs]:
    """`clip_gradient_norms` as a function of the pairs."""
    return lambda pairs: clip_gradient_norms(pairs, max_norm)


def multiply_gradients(grads_and_vars: Pairs, gradient_multipliers: Mapping[Any, Any]) -> Pairs:
    """Gradients times factors.

    Args:
      grads_and_vars: A list of pairs of gradient and variable.
      gradient_multipliers: Factors by variable, or by its name.

    Raises:
      ValueError: If it is empty or no dictionary, a variable has no gradient, or the pairs are in
        no list.
    """
    if not isinstance(grads_and_vars, list):
        raise ValueError("`grads_and_vars` must be a list.")
    if not gradient_multipliers:
        raise ValueError("`gradient_multipliers` is empty.")
    if not isinstance(gradient_multipliers, Mapping):
        raise ValueError("`gradient_multipliers` must be a dict.")
    found = []
    for grad, var in grads_and_vars:
        key = var if var in gradient_multipliers else var.op.name
        if key in gradient_multipliers:
            if grad is None:
                raise ValueError("Requested multiple of `None` gradient.")
            factor = gradient_multipliers[key]
            if not isinstance(factor, Tensor):
                factor = constant(factor, grad.dtype.base_dtype)
            grad = scaled(grad, factor)
        found.append((grad, var))
    return found
