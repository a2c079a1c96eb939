"""What layers do in training and otherwise: chosen at once where that is known, else by a cond."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.control_flow.cond import cond
from dataflow.graph.constant_value import constant_value
from dataflow.graph.tensor import Tensor


def known_truth(training: Any) -> bool | None:
    """A truth value as a Python bool, or None if it is not known before the graph runs."""
    if isinstance(training, Tensor):
        value = constant_value(training)
        return None if value is None else bool(value)
    if isinstance(training, (bool, int)) or training is None:
        return bool(training)
    return None


def choose(training: Any, if_true: Callable[[], Any], if_false: Callable[[], Any]) -> Any:
    """What one of two functions makes."""
    known = known_truth(training)
    if known is None:
        return cond(training, if_true, if_false)
    return if_true() if known else if_false()
