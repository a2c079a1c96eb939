"""What a node probably costs, before it has run: from its op and the sizes that are known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

if TYPE_CHECKING:
    from dataflow.passes.graphs.node_graph import Node

_CALL: Final = 1e-6
"""Seconds of a call from Python into numpy."""
_PER_BYTE: Final = 0.15e-9
"""Seconds a byte of elementwise work; half the memory bandwidth of one core."""


def estimate(node: Node, input_bytes: Sequence[float]) -> tuple[float, float]:
    """Estimates a node.

    Sizes follow the inputs, as they do in elementwise ops; where nothing is known they are small.
    The first runs correct the estimate.

    Args:
      node: The node.
      input_bytes: Estimated bytes of each input.

    Returns:
      Seconds, and bytes of the outputs.
    """
    most = max(input_bytes, default=0.0)
    size = _declared_bytes(node)
    if size is None:
        size = most
    return _CALL + _PER_BYTE * max(size, most), size


def _declared_bytes(node: Node) -> float | None:
    """Bytes of the output where the node's attrs tell: variables, placeholders."""
    shape = node.attrs.get("shape")
    if shape is None:
        return None
    dtype = node.attrs.get("dtype")
    if not isinstance(shape, TensorShape) or not isinstance(dtype, DType):
        return None
    dims = shape.dims_tuple
    if dims is None or None in dims:
        return None
    return float(math.prod(d for d in dims if d is not None) * dtype.size)
