"""control_flow_ops and tensor_array_ops: their inner functions by the names that others call."""

import dataflow.control_flow.primitives as _primitives
from dataflow.control_flow.case import build_case
from dataflow.control_flow.tensor_array import TensorArray
from dataflow.differentiation.cond_v2_gradient import branch_graphs
from dataflow.differentiation.while_v2_gradient import loop_graphs
from dataflow.functions.func_graph import FuncGraph
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor

_Enter = _primitives.enter
_Identity = _primitives.identity
_NextIteration = _primitives.next_iteration
_SwitchRefOrTensor = _primitives.switch_ref_or_tensor
_case_helper = build_case


def get_func_graphs(op: Operation) -> tuple[FuncGraph, ...]:
    """The bodies of the branches of an If or Case node."""
    return tuple(branch_graphs(op))


def _get_graph(while_op: Operation, func_attr_name: str) -> FuncGraph:
    """The body of a function of a While node: "cond" or "body"."""
    return loop_graphs(while_op)[func_attr_name == "body"]


def build_ta_with_new_flow(old_ta: TensorArray, flow: Tensor) -> TensorArray:
    """The array after what gives `flow`."""
    return old_ta._with_flow(flow)
