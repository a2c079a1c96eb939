"""What a loop or a branch does with a TensorArray: it passes the flow on, not the array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.values.shapes import TensorShape


class FlowCarrier:
    """Base class of `TensorArray`: state whose order of use is kept by a tensor, its flow."""

    @property
    def flow(self) -> Tensor:
        """Orders what is done to the state."""
        raise NotImplementedError

    def _with_flow(self, flow: Tensor) -> Any:
        """The same state, used after whatever made `flow`."""
        raise NotImplementedError

    def _of_branch(self, flow: Tensor, shape: TensorShape) -> Any:
        """The state after a conditional, of which only what all branches have in common is known.

        Args:
          flow: What orders its use.
          shape: What is known of the elements' shape.
        """
        raise NotImplementedError

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the elements' shape."""
        raise NotImplementedError


def is_tensor_array(value: Any) -> bool:
    """True for a TensorArray."""
    return isinstance(value, FlowCarrier)


def to_flow(value: Any) -> Any:
    """The flow of a TensorArray; anything else as it is."""
    return value.flow if isinstance(value, FlowCarrier) else value


def from_flow(original: Any, value: Any) -> Any:
    """The TensorArray that `original` is, with another flow; where it is none, the value."""
    return original._with_flow(value) if isinstance(original, FlowCarrier) else value


def from_branches(arrays: Sequence[Any], flow: Tensor) -> Any:
    """The TensorArray that branches of a conditional have given, one each, behind the conditional.

    Args:
      arrays: What the branches gave.
      flow: The conditional's output that stands for it.
    """
    shape = arrays[0].element_shape
    for other in arrays[1:]:
        shape = shape.most_specific_compatible_shape(other.element_shape)
    return arrays[0]._of_branch(flow, shape)
