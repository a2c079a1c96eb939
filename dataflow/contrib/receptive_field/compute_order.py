"""In which order the nodes of a net are worked out, and how large their images are."""

from __future__ import annotations

import collections
import math
from collections.abc import Mapping, Sequence
from typing import Any

from dataflow.contrib.receptive_field.layer_parameters import get_layer_params

NodeInfo = collections.namedtuple("NodeInfo", ["order", "node", "input_size", "output_size"])


def parse_graph_nodes(graph_def: Any) -> dict[str, Any]:
    """The nodes of a GraphDef by name."""
    return {node.name: node for node in graph_def.node}


def sources(node: Any) -> list[str]:
    """The nodes whose tensors a node takes."""
    return [name.split(":")[0] for name in node.input if not name.startswith("^")]


def get_compute_order(
    graph_def: Any, input_node_name: str = "", input_node_size: Sequence[int] | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Sorts the nodes of a net.

    Args:
      graph_def: The net, a GraphDef.
      input_node_name: The node that gives images; what is in front of it does not count.
      input_node_size: Their height and width.

    Returns:
      For each node its order, one more than that of any node it takes tensors of, its NodeDef, and
      the sizes of the images it takes and gives, None if they are not known; and the NodeDefs by
      name.

    Raises:
      ValueError: A node takes what comes of itself, as in a loop.
    """
    nodes = parse_graph_nodes(graph_def)
    found: dict[str, Any] = {}
    begun: set[str] = set()
    for name in nodes:
        waiting = [name]
        while waiting:
            current = waiting[-1]
            is_input = current == input_node_name
            missing = [] if is_input else _missing(nodes[current], found)
            if missing:
                if current in begun:
                    raise ValueError(
                        f"Node {current} takes what comes of itself: receptive fields are those of "
                        "nets without loops."
                    )
                begun.add(current)
                waiting += missing
                continue
            waiting.pop()
            if is_input:
                found.setdefault(current, NodeInfo(0, nodes[current], None, input_node_size))
            elif current not in found:
                found[current] = _info(nodes[current], nodes, found)
    return found, nodes


def _missing(node: Any, found: Mapping[str, Any]) -> list[str]:
    return [name for name in sources(node) if name not in found]


def _info(node: Any, nodes: Mapping[str, Any], found: Mapping[str, Any]) -> Any:
    parents = [found[name] for name in sources(node)]
    order = max((parent.order + 1 for parent in parents), default=0)
    # The first input is the image, for all that is known.
    size = parents[0].output_size if parents else None
    if size is None:
        return NodeInfo(order, node, None, None)
    kernel_x, kernel_y, stride_x, stride_y, _, _, total_x, total_y = get_layer_params(
        node, nodes, size, force=True
    )
    made = [
        _resolution(size[0], kernel_x, stride_x, total_x),
        _resolution(size[1], kernel_y, stride_y, total_y),
    ]
    return NodeInfo(order, node, size, made)


def _resolution(
    size: int | None, kernel: int | None, stride: int | None, padding: int | None
) -> int | None:
    if size is None or kernel is None or stride is None or padding is None:
        return None
    return math.ceil((size + padding - kernel + 1) / stride)
