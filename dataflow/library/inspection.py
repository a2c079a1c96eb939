"""What a Python value is to a graph: a tensor or not, and known before a session runs or not."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.graph.constant_value import constant_value
from dataflow.graph.tensor import Tensor
from dataflow.values.composite_tensor import CompositeTensor
from dataflow.variables.base import BaseVariable


def is_tensor(x: Any) -> bool:
    """True for a tensor, a sparse tensor, IndexedSlices, and a variable."""
    return isinstance(x, (Tensor, CompositeTensor, BaseVariable))


def is_symbolic_tensor(tensor: Any) -> bool:
    """True for a tensor of a graph, which has no value before a session runs."""
    return isinstance(tensor, Tensor)


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value of a tensor that does not depend on a session: an array, or None if unknown.

    Args:
      tensor: A tensor or variable; anything else is returned as it is.
      partial: Takes an array with None for its unknown elements, where tensors are stacked.
    """
    if isinstance(tensor, BaseVariable):
        return None
    if not isinstance(tensor, Tensor):
        return tensor
    value = constant_value(tensor)
    if value is not None or not partial or tensor.op.type != "Pack" or tensor.op.attrs["axis"]:
        return value
    return np.array([constant_value(part) for part in tensor.op.inputs], dtype=object)
