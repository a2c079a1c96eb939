"""tensorflow.python.kernel_tests.signal.test_util: whether results are known before a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.importing.sub_graphs import extract_sub_graph
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.session.session import Session
from dataflow.values.tensor_proto import make_tensor_proto


def grappler_optimize(
    graph: Graph, fetches: Sequence[Tensor] | None = None, config_proto: Any = None
) -> GraphDef:
    """The nodes that tensors need, with a constant for each that depends on no step.

    Args:
      graph: The graph.
      fetches: The tensors; by default those of the collection "train_op".
      config_proto: Ignored: there are no other optimizers.
    """
    wanted = graph.get_collection("train_op") if fetches is None else list(fetches)
    known = [each for each in wanted if _is_known(each.op)]
    others = [each.op.name for each in wanted if each not in known]
    optimized = extract_sub_graph(graph.as_graph_def(), others)
    if known:
        with Session(graph=graph) as session:
            values = session.run(known)
        for tensor, value in zip(known, values, strict=True):
            node = optimized.node.add(name=tensor.op.name, op="Const")
            node.attr["dtype"].type = tensor.dtype.as_datatype_enum  # type: ignore[assignment]
            node.attr["value"].tensor.CopyFrom(make_tensor_proto(value))
    return optimized


def _is_known(op: Operation) -> bool:
    """Whether nothing that is fed, drawn or kept makes what an operation returns."""
    left, seen = [op], {op}
    while left:
        each = left.pop()
        if each.op_def.is_stateful or each.type.startswith("Placeholder"):
            return False
        for before in (*(tensor.op for tensor in each.inputs), *each.control_inputs):
            if before not in seen:
                seen.add(before)
                left.append(before)
    return True
