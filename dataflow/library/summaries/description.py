"""tf.summary.get_summary_description: what a node of TensorSummary says about itself."""

from __future__ import annotations

from google.protobuf import json_format

from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.proto.summary_pb2 import SummaryDescription


def get_summary_description(node_def: NodeDef) -> SummaryDescription:
    """The description of a node, which its attr holds as JSON.

    Args:
      node_def: A node of TensorSummary.

    Raises:
      ValueError: It is one of another op.
    """
    if node_def.op != "TensorSummary":
        raise ValueError(f"Can't get_summary_description on {node_def.op}")
    description = SummaryDescription()
    json_format.Parse(node_def.attr["description"].s.decode(), description)
    return description
