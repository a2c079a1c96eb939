"""The receptive field of a net: which part of the input decides one place of the output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dataflow.contrib.receptive_field.compute_order import get_compute_order, sources
from dataflow.contrib.receptive_field.layer_parameters import get_layer_params
from dataflow.graph.graph import Graph
from dataflow.graph.tensor import Tensor


class ReceptiveField:
    """Size, step and padding, each horizontal and vertical."""

    def __init__(self, size: Any, stride: Any, padding: Any) -> None:
        """Takes pairs of numbers; paddings may be None."""
        self.size = np.asarray(size)
        self.stride = np.asarray(stride)
        self.padding = np.asarray(padding)

    def compute_input_center_coordinates(self, y: Any, axis: Any = None) -> Any:
        """Where the middles of the parts of the input are that places of the output see.

        Args:
          y: The places, in the last dimension.
          axis: Which directions it has; all if None.

        Raises:
          ValueError: It has another number of them.
        """
        y, axes = self._checked(y, axis, "feature coordinates `y`")
        return -self.padding[axes] + y * self.stride[axes] + (self.size[axes] - 1) / 2

    def compute_feature_coordinates(self, x: Any, axis: Any = None) -> Any:
        """The places of the output that see parts of the input with these middles.

        Args:
          x: The middles, in the last dimension.
          axis: Which directions it has; all if None.

        Raises:
          ValueError: It has another number of them.
        """
        x, axes = self._checked(x, axis, "input center coordinates `x`")
        return (x + self.padding[axes] + (1 - self.size[axes]) / 2) / self.stride[axes]

    def _checked(self, given: Any, axis: Any, what: str) -> tuple[Any, list[int]]:
        axes = list(range(self.size.size) if axis is None else axis)
        values = np.asarray(given)
        if values.shape[-1] != len(axes):
            raise ValueError(
                f"Dimensionality of the {what} ({values.shape[-1]}) does not match dimensionality "
                f"of `axis` ({len(axes)})"
            )
        return values, axes

    def __iter__(self) -> Iterator[Any]:
        return iter(np.concatenate([self.size, self.stride, self.padding]))


@dataclass(frozen=True, slots=True)
class _Field:
    """What the output sees of the output of a node, in one direction."""

    size: int = 1
    stride: int = 1
    padding: int | None = 0

    def behind(self, kernel: int, stride: int, padding: int | None) -> _Field:
        """What it sees of the node's input."""
        known = self.padding is not None and padding is not None
        return _Field(
            stride * self.size + kernel - stride,
            stride * self.stride,
            stride * self.padding + padding if known else None,  # type: ignore[operator]
        )

    def wider(self, other: _Field, direction: str) -> _Field:
        """The larger one of two, on two ways to the same node.

        Raises:
          ValueError: They have different steps or middles.
        """
        if self.padding is not None and other.padding is not None:
            for what, differ in (
                ("effective stride", self.stride != other.stride),
                ("center shift", self._shift != other._shift),
            ):
                if differ:
                    raise ValueError(
                        f"Graph is not aligned since {what} from different paths is different in "
                        f"{direction} direction"
                    )
        return other if self.size < other.size else self

    @property
    def _shift(self) -> float:
        assert self.padding is not None
        return (self.size - 1) / 2 - self.padding


def compute_receptive_field_from_graph_def(
    graph_def: Any,
    input_node: Any,
    output_node: Any,
    stop_propagation: Sequence[str] | None = None,
    input_resolution: Sequence[int] | None = None,
) -> ReceptiveField:
    """The receptive field of a net.

    Args:
      graph_def: The net, a Graph or GraphDef.
      input_node: The node that gives images, or a tensor of it.
      output_node: The node whose places see them, or a tensor of it.
      stop_propagation: What is not followed: names of nodes, or how they begin.
      input_resolution: Height and width of the images; None if they are not known. Paddings are
        None if they depend on it.

    Raises:
      ValueError: Ways through the net do not see the same places, a node is missing, or there is
        an op on the way that nothing is known of.
    """
    if isinstance(graph_def, Graph):
        graph_def = graph_def.as_graph_def()
    start = input_node.op.name if isinstance(input_node, Tensor) else input_node
    end = output_node.op.name if isinstance(output_node, Tensor) else output_node
    infos, nodes = get_compute_order(graph_def, start, input_resolution)
    fields = {end: (_Field(), _Field())}
    is_found = False
    stopped = tuple(stop_propagation or ())
    for info in sorted(infos.values(), key=lambda each: -each.order):
        name = info.node.name
        if name == start:
            break
        is_found = is_found or name == end
        if not is_found or name not in fields:
            continue
        kernel_x, kernel_y, stride_x, stride_y, padding_x, padding_y, _, _ = get_layer_params(
            info.node, nodes, info.input_size
        )
        known = padding_x is not None and padding_y is not None
        across, down = fields[name]
        seen = (
            across.behind(kernel_x, stride_x, padding_x if known else None),
            down.behind(kernel_y, stride_y, padding_y if known else None),
        )
        for source in sources(info.node):
            if not source.startswith(stopped):
                fields[source] = _joined(fields.get(source), seen)
    if not is_found:
        raise ValueError("Output node was not found")
    if start not in fields:
        raise ValueError("Input node was not found")
    found = fields[start]
    return ReceptiveField(
        [each.size for each in found],
        [each.stride for each in found],
        [each.padding for each in found],
    )


def _joined(known: tuple[_Field, _Field] | None, seen: tuple[_Field, _Field]) -> Any:
    if known is None:
        return seen
    return known[0].wider(seen[0], "horizontal"), known[1].wider(seen[1], "vertical")
