"""The gradient of While: a loop that goes the iterations back, with the body's gradient as body.

Values of the body that the gradient needs are pushed to lists, one for each value, that the forward
loop is given as additional loop variables; the backward loop pops them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.ops.array.fill as array_fill
from dataflow.control_flow.functional import (
    add_function,
    add_inputs,
    add_outputs,
    body_of,
    copy_handle_data,
    unique_gradient_name,
)
from dataflow.control_flow.while_v2 import build_while, check_arity, known_loop_graphs
from dataflow.differentiation.computation import UnconnectedGradients, differentiate
from dataflow.differentiation.cond_v2_gradient import OPTIONS
from dataflow.differentiation.registry import is_trainable, is_trainable_type
from dataflow.differentiation.while_gradient_graph import WhileGradientGraph
from dataflow.differentiation.zeros import has_zeros, zeros_dtype
from dataflow.functions.func_graph import FuncGraph, WhileCondFuncGraph
from dataflow.functions.tracing import flat_tensors, parameter_of, trace
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import register_gradient
from dataflow.values import dtypes

_FIRST_GRADIENT = 3
"""Before the gradients stand the backward counter, the most iterations, and those done."""


def _while_gradient(op: Operation, *grads: Any) -> list[Any]:
    cond_graph, body_graph = loop_graphs(op)
    body_graph.forward_node = op
    forward_outputs = len(body_graph.outputs)
    original = int(op.attrs.get("_num_original_outputs", len(op.outputs)))
    limit = op.inputs[1]
    prepared: list[Any] = [
        _prepared(grad, *tensors)
        for grad, *tensors in zip(
            grads[:original],
            body_graph.outputs[:original],
            op.inputs[:original],
            op.outputs[:original],
            strict=True,
        )
    ]
    prepared += [None] * (len(op.outputs) - original)
    rows = [
        row
        for row in zip(body_graph.outputs, body_graph.inputs, prepared, strict=True)
        if row[2] is not None
    ]
    ys = [y for y, _, _ in rows]
    xs = [x for _, x, _ in rows]
    total = op.outputs[0]
    counter = constant(0, dtype=total.dtype, name="grad_counter")
    args = [counter, limit, total, *(grad for _, _, grad in rows)]
    name = unique_gradient_name(body_graph.name)
    backward = WhileGradientGraph(name, cond_graph, body_graph, op, limit)

    def body_gradient(count: Any, most: Tensor, iterations: Tensor, *grad_ys: Tensor) -> list[Any]:
        found = differentiate(
            ys,
            xs,
            list(grad_ys),
            "gradients",
            OPTIONS,
            None,
            UnconnectedGradients.ZERO,
            body_graph,
        )
        return [count + 1, most, iterations, *found]

    trace(backward, body_gradient, [parameter_of(arg) for arg in args])
    for _, internal in backward.captures:
        following = backward.following[internal]
        backward.outputs.append(following)
        backward.structured_outputs.append(following)
    if backward.new_inputs:
        _rewrite(op, cond_graph, body_graph, backward.new_inputs, forward_outputs)
    op._set_attr("_num_original_outputs", len(op.outputs))
    loop_vars = [*args, *_outer_inputs(op, body_graph, backward)]
    _make_dense(backward)
    return _backward_loop(op, loop_vars, backward, prepared)


register_gradient("While", _while_gradient)
register_gradient("StatelessWhile", _while_gradient)


def loop_graphs(op: Operation) -> tuple[FuncGraph, FuncGraph]:
    """The bodies of a While node's condition and body."""
    graphs = known_loop_graphs(op)
    if graphs is not None:
        return graphs
    shapes = [tensor.shape for tensor in op.outputs]
    return body_of(op, op.attrs["cond"].name, shapes), body_of(op, op.attrs["body"].name, shapes)


def _prepared(grad: Any, body_output: Tensor, entering: Tensor, leaving: Tensor) -> Any:
    """The gradient of an output as a dense tensor; None if there can be none."""
    if not _is_trainable(body_output):
        return None
    opaque = leaving.dtype in (dtypes.resource, dtypes.variant)
    if opaque and grad is None and has_zeros(entering):
        if leaving.dtype is dtypes.resource:
            return array_fill.zeros(single("VariableShape", leaving), dtype=zeros_dtype(entering))
        return array_fill.zeros_like(leaving)
    if isinstance(grad, IndexedSlices):
        return convert_to_tensor(grad)
    return grad


def _is_trainable(tensor: Tensor) -> bool:
    if tensor.op.type == "TensorListPopBack" and tensor.value_index == 0:
        return is_trainable_type(tensor.op.attrs["element_dtype"])
    return is_trainable(tensor)


def _rewrite(
    op: Operation,
    cond_graph: FuncGraph,
    body_graph: FuncGraph,
    new_inputs: Sequence[Tensor],
    forward_outputs: int,
) -> None:
    """Gives the forward loop the lists it saves values in."""
    for graph in (cond_graph, body_graph):
        graph.name += "_rewritten"
    new_outputs = body_graph.outputs[forward_outputs:]
    op._set_attr("cond", add_function(cond_graph))
    op._set_attr("body", add_function(body_graph))
    op._set_attr("T", tuple(tensor.dtype.base_dtype for tensor in body_graph.outputs))
    op._set_attr("output_shapes", tuple(body_graph.output_shapes))
    add_inputs(op, new_inputs)
    add_outputs(op, [t.dtype for t in new_outputs], [t.shape for t in new_outputs])
    copy_handle_data(new_outputs, op.outputs[forward_outputs:])


def _outer_inputs(
    op: Operation, body_graph: FuncGraph, backward: WhileGradientGraph
) -> list[Tensor]:
    """What the captured tensors of the gradient are in the graph of the node."""
    places = {tensor: index for index, tensor in reversed(list(enumerate(body_graph.outputs)))}
    return [
        op.outputs[places[tensor]] if tensor.graph is body_graph else tensor
        for tensor in backward.external_captures
    ]


def _make_dense(backward: WhileGradientGraph) -> None:
    """Makes tensors of gradients that are slices: a loop variable has one form."""
    outputs = backward.structured_outputs
    if not any(isinstance(output, IndexedSlices) for output in outputs):
        return
    with backward.as_default():
        dense = [convert_to_tensor(o) if isinstance(o, IndexedSlices) else o for o in outputs]
    backward.structured_outputs = dense
    backward.outputs = flat_tensors(dense)


def _backward_loop(
    op: Operation,
    loop_vars: Sequence[Tensor],
    backward: WhileGradientGraph,
    prepared: Sequence[Any],
) -> list[Any]:
    def goes_on(count: Any, most: Tensor, iterations: Tensor, *unused: Tensor) -> Any:
        return count < iterations

    name = unique_gradient_name(op.attrs["cond"].name)
    condition = trace(WhileCondFuncGraph(name), goes_on, [parameter_of(each) for each in loop_vars])
    check_arity(condition, backward, len(loop_vars))
    node = build_while(
        loop_vars,
        condition,
        backward,
        backward.output_shapes,
        op.attrs["parallel_iterations"],
        f"{op.name}_grad",
        len(backward.outputs),
    )
    results = iter([identity(tensor) for tensor in node.outputs][_FIRST_GRADIENT:])
    return [None if grad is None else next(results) for grad in prepared]
