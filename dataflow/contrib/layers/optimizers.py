"""optimize_loss: gradients, what is done to them, and the step of an optimizer, in one call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

import dataflow.ops.array.shape as array_shape
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import IndexedSlices, scaled, with_values
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.library.clipping import clip_by_global_norm, global_norm
from dataflow.library.summaries.values import histogram, scalar
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.random.stateful import truncated_normal
from dataflow.training.adagrad import AdagradOptimizer
from dataflow.training.adam import AdamOptimizer
from dataflow.training.ftrl import FtrlOptimizer
from dataflow.training.global_step import assert_global_step, get_global_step
from dataflow.training.gradient_descent import GradientDescentOptimizer
from dataflow.training.momentum import MomentumOptimizer
from dataflow.training.optimizer import Optimizer
from dataflow.training.rmsprop import RMSPropOptimizer
from dataflow.variables.initializers import Constant
from dataflow.variables.scope import get_variable, variable_scope
from dataflow.variables.variable import trainable_variables

_Pairs = Sequence[tuple[Any, Any]]

OPTIMIZER_CLS_NAMES: Final[Mapping[str, Callable[..., Optimizer]]] = {
    "Adagrad": AdagradOptimizer,
    "Adam": AdamOptimizer,
    "Ftrl": FtrlOptimizer,
    "Momentum": lambda learning_rate: MomentumOptimizer(learning_rate, momentum=0.9),
    "RMSProp": RMSPropOptimizer,
    "SGD": GradientDescentOptimizer,
}
OPTIMIZER_SUMMARIES: Final = (
    "learning_rate",
    "loss",
    "gradients",
    "gradient_norm",
    "global_gradient_norm",
)


def optimize_loss(
    loss: Any,
    global_step: Any,
    learning_rate: Any,
    optimizer: Any,
    gradient_noise_scale: float | None = None,
    gradient_multipliers: Mapping[Any, Any] | None = None,
    clip_gradients: Any = None,
    learning_rate_decay_fn: Callable[[Any, Any], Any] | None = None,
    update_ops: Any = None,
    variables: Sequence[Any] | None = None,
    name: str | None = None,
    summaries: Sequence[str] | None = None,
    colocate_gradients_with_ops: bool = False,
    increment_global_step: bool = True,
) -> Tensor:
    """A tensor of the loss that is there when variables have been trained for a step.

    Args:
      loss: A scalar.
      global_step: The number of steps; the graph's own if None, or none if it has none.
      learning_rate: A number or scalar, or None if the optimizer needs none.
      optimizer: A name of `OPTIMIZER_CLS_NAMES`, a class, an object, or a function of the learning
        rate, or of nothing, that gives one.
      gradient_noise_scale: Factor of normal noise that is added to gradients; None for none.
      gradient_multipliers: Factors of the gradients of variables, by variable or by name with ":0".
      clip_gradients: The most that the norm of all gradients may be, or a function of pairs of
        gradient and variable that gives such pairs.
      learning_rate_decay_fn: A function of the learning rate and the step.
      update_ops: What runs before the loss; the collection UPDATE_OPS if None.
      variables: What is trained; all trainable variables if None.
      name: Of the scope; "OptimizeLoss" if None.
      summaries: Some of `OPTIMIZER_SUMMARIES`; the first two and the last if None.
      colocate_gradients_with_ops: Whether gradients are made where their operations are.
      increment_global_step: Whether the step is counted.

    Raises:
      ValueError: If an argument is none of these, or there is nothing to train.
    """
    loss = convert_to_tensor(loss)
    if global_step is None:
        global_step = get_global_step()
    else:
        assert_global_step(global_step)
    with variable_scope(name, "OptimizeLoss", [loss, global_step]):
        updates = scopes.get_collection(GraphKeys.UPDATE_OPS) if update_ops is None else update_ops
        if updates:
            loss = with_dependencies(list(updates), loss)
        wanted = _wanted(summaries)
        rate = _rate(learning_rate, learning_rate_decay_fn, global_step)
        if learning_rate_decay_fn is not None and "learning_rate" in wanted:
            scalar("learning_rate", rate)
        opt = _optimizer(optimizer, learning_rate, rate)
        of = trainable_variables() if variables is None else list(variables)
        pairs: _Pairs = opt.compute_gradients(
            loss, of, colocate_gradients_with_ops=colocate_gradients_with_ops
        )
        if gradient_noise_scale is not None:
            pairs = [(_noisy(grad, gradient_noise_scale), var) for grad, var in pairs]
        if gradient_multipliers is not None:
            pairs = _multiplied(pairs, gradient_multipliers)
        if "global_gradient_norm" in wanted or "gradient_norm" in wanted:
            scalar("global_norm/gradient_norm", global_norm([grad for grad, _ in pairs]))
        pairs = _clipped(pairs, clip_gradients)
        if "loss" in wanted:
            scalar("loss", loss)
        _summarize(pairs, wanted, clip_gradients is not None)
        step = opt.apply_gradients(
            pairs, global_step=global_step if increment_global_step else None, name="train"
        )
        trained: Tensor = with_dependencies([step], loss)
        return trained


def _wanted(summaries: Sequence[str] | None) -> Sequence[str]:
    if summaries is None:
        return ["loss", "learning_rate", "global_gradient_norm"]
    for each in summaries:
        if each not in OPTIMIZER_SUMMARIES:
            raise ValueError(
                f"Summaries should be one of [{', '.join(OPTIMIZER_SUMMARIES)}], you provided "
                f"{each}."
            )
    return summaries


def _rate(rate: Any, decay: Callable[[Any, Any], Any] | None, step: Any) -> Any:
    if rate is None:
        return None
    if isinstance(rate, Tensor):
        if rate.shape.rank not in (0, None):
            raise ValueError(
                f"Learning rate should be 0d Tensor or float. Got {rate} of type {type(rate)}"
            )
    elif isinstance(rate, float | np.floating):
        if rate < 0.0:
            raise ValueError(f"Invalid learning_rate {rate}.")
        rate = get_variable("learning_rate", [], trainable=False, initializer=Constant(float(rate)))
    else:
        raise ValueError(
            f"Learning rate should be 0d Tensor or float. Got {rate} of type {type(rate)}"
        )
    if decay is None:
        return rate
    if step is None:
        raise ValueError("global_step is required for learning_rate_decay_fn.")
    return decay(rate, step)


def _optimizer(optimizer: Any, learning_rate: Any, rate: Any) -> Optimizer:
    if isinstance(optimizer, str):
        _needs(learning_rate, f"optimizer is string ({optimizer}).")
        if optimizer not in OPTIMIZER_CLS_NAMES:
            names = ", ".join(OPTIMIZER_CLS_NAMES)
            raise ValueError(
                f"Optimizer name should be one of [{names}], you provided {optimizer}."
            )
        return OPTIMIZER_CLS_NAMES[optimizer](learning_rate=rate)
    if isinstance(optimizer, type) and issubclass(optimizer, Optimizer):
        _needs(learning_rate, f"optimizer is class ({optimizer}).")
        make: Callable[..., Optimizer] = optimizer
        found: Any = make(learning_rate=rate)
    elif isinstance(optimizer, Optimizer):
        found = optimizer
    elif callable(optimizer):
        found = optimizer(rate) if inspect.signature(optimizer).parameters else optimizer()
    else:
        raise ValueError(
            "Unrecognized optimizer: should be string, subclass of Optimizer, instance of subclass "
            f"of Optimizer or function with one argument. Got {optimizer!s}."
        )
    if not isinstance(found, Optimizer):
        raise ValueError(
            f"Unrecognized optimizer: function should return subclass of Optimizer. Got {found!s}."
        )
    return found


def _needs(rate: Any, why: str) -> None:
    if rate is None:
        raise ValueError(f"Learning rate is None, but should be specified if {why}")


def _noisy(grad: Any, scale: float) -> Any:
    def noisy(values: Any) -> Any:
        noise = truncated_normal(_shape(values), dtype=values.dtype.base_dtype) * scale
        return values + noise

    return with_values(grad, noisy)


def _shape(values: Tensor) -> Any:
    return values.shape if values.shape.is_fully_defined() else array_shape.shape(values)


def _multiplied(pairs: _Pairs, factors: Mapping[Any, Any]) -> _Pairs:
    found = []
    for grad, var in pairs:
        key = var if var in factors else var.name
        if grad is not None and key in factors:
            factor = factors[key]
            is_sparse = isinstance(grad, IndexedSlices)
            grad = scaled(grad, factor if is_sparse else cast(factor, grad.dtype))
        found.append((grad, var))
    return found


def _clipped(pairs: _Pairs, clip: Any) -> _Pairs:
    if clip is None:
        return pairs
    if callable(clip):
        return clip(pairs)  # type: ignore[no-any-return]
    if not isinstance(clip, int | float | np.number):
        raise ValueError(f"Unknown type {type(clip)} for clip_gradients")
    clipped, _ = clip_by_global_norm([grad for grad, _ in pairs], clip)
    return list(zip(clipped, [var for _, var in pairs], strict=True))


def _summarize(pairs: _Pairs, wanted: Sequence[str], clipped: bool) -> None:
    for grad, var in pairs:
        if grad is None:
            continue
        values = grad.values if isinstance(grad, IndexedSlices) else grad
        label = var.name.replace(":", "_")
        if "gradients" in wanted:
            histogram(f"gradients/{label}", values)
        if "gradient_norm" in wanted:
            scalar(f"gradient_norm/{label}", global_norm([values]))
    if clipped and ("global_gradient_norm" in wanted or "gradient_norm" in wanted):
        scalar("global_norm/clipped_gradient_norm", global_norm([grad for grad, _ in pairs]))
