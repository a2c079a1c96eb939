"""Nodes that no public function makes, in programs: written as a GraphDef, and imported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.passes.building import Nodes

__all__ = ["Nodes", "imported", "old_nodes"]


def old_nodes(producer: int = 10) -> Nodes:
    """Nodes of a time at which TensorFlow still took ops that it has replaced since."""
    nodes = Nodes()
    nodes.graph_def.versions.producer = producer
    return nodes


def imported(tf: Any, nodes: Nodes, **inputs: Any) -> Mapping[str, Any]:
    """Puts nodes into the default graph; gives operations by name.

    Tensors in `inputs` take the place of the nodes of these names, which need not be there.
    """
    graph_def = tf.GraphDef()
    graph_def.ParseFromString(nodes.graph_def.SerializeToString())
    names = [node.name for node in graph_def.node]
    operations = tf.import_graph_def(
        graph_def, input_map=inputs, return_elements=names, name="imported"
    )
    return dict(zip(names, operations, strict=True))
