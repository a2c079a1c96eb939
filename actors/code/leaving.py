"""Has what a node makes for another process lie where that can be shown it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.actors.nodes.binding import CallKind
from dataflow.actors.nodes.plan_node import PlanNode
from dataflow.kernels.memory import shared_arrays


def call_of(node: PlanNode) -> Callable[..., Any]:
    """The callable of a node, which makes in shared memory what is large and leaves the process."""
    if not node.leaves:
        return node.call
    if _fills(node) and node.made_array:
        shape, dtype = node.seen[-1].shape, node.seen[-1].dtype
        if np.prod(shape) * dtype.itemsize >= shared_arrays.LEAST:
            return _filling(node.call, dtype)
    return shared_arrays.wanting(node.call)


def _fills(node: PlanNode) -> bool:
    """Whether it is elementwise and takes an array to fill, as a function of numpy does."""
    takes_out = node.takes_out or type(node.call) is np.ufunc
    return node.elementwise and takes_out and node.kind is CallKind.PLAIN


def _filling(call: Callable[..., Any], dtype: np.dtype[Any]) -> Callable[..., Any]:
    def run(*operands: Any) -> Any:
        shape = np.broadcast_shapes(*map(np.shape, operands))
        out = None
        if np.prod(shape) * dtype.itemsize >= shared_arrays.LEAST:
            out = shared_arrays.empty(shape, dtype)
        return call(*operands, out=out)

    return run
