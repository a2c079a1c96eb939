"""Conditionals that are decided while the graph is built, where the condition is known then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.control_flow.case import build_case
from dataflow.control_flow.cond import cond
from dataflow.graph import constant_value
from dataflow.graph.tensor import Tensor


def smart_cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """What the function that a condition chooses makes; `cond` where it is not known yet.

    Args:
      pred: A boolean scalar: a Python bool, 0, 1 or a tensor.
      true_fn: Called if `pred` is true.
      false_fn: Called if `pred` is false.
      name: Name scope of the operations of `cond`.

    Raises:
      TypeError: A function is not callable, or `pred` is something else.
    """
    if true_fn is None or not callable(true_fn):
        raise TypeError(f"Argument `true_fn` must be callable. Received {true_fn}")
    if false_fn is None or not callable(false_fn):
        raise TypeError(f"Argument `false_fn` must be callable. Received {false_fn}")
    value = smart_constant_value(pred)
    if value is None:
        return cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)
    return true_fn() if value else false_fn()


def smart_constant_value(pred: Any) -> Any:
    """The value of a condition, or None if it is known only when the graph runs.

    Raises:
      TypeError: `pred` is neither a tensor nor a bool nor 0 nor 1.
    """
    if isinstance(pred, Tensor):
        return constant_value.constant_value(pred)
    if pred in (0, 1):
        return bool(pred)
    raise TypeError(
        "Argument `pred` must be a Tensor, or a Python bool, or 1 or 0. Received: "
        f"pred={pred} of type {type(pred).__name__}"
    )


def smart_case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    name: str = "smart_case",
) -> Any:
    """`case`, decided while the graph is built as far as the conditions are known then."""
    return build_case(smart_cond, pred_fn_pairs, default, exclusive, name, allow_python_preds=True)
