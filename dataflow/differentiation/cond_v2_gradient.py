"""Gradients of If and Case: a node of the same kind whose branches are the branches' gradients.

What the gradient of a branch needs of its intermediate values, the branch returns as an additional
output, wrapped as an optional value, for the branch that is not taken has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.ops.array.fill as array_fill
from dataflow.control_flow.cond_v2 import (
    CASE,
    COND,
    branch_functions,
    build_case,
    build_cond,
    check_same_outputs,
    known_branch_graphs,
)
from dataflow.control_flow.functional import (
    LOWERING_ATTR,
    add_function,
    add_outputs,
    body_of,
    copy_handle_data,
    unique_gradient_name,
)
from dataflow.control_flow.intermediates import give_optionals, wrapped
from dataflow.control_flow.primitives import as_indexed_slices
from dataflow.differentiation.computation import UnconnectedGradients, differentiate
from dataflow.differentiation.registry import is_trainable
from dataflow.differentiation.resource_inputs import resource_input_index
from dataflow.differentiation.walk import WalkOptions
from dataflow.functions.func_graph import CondBranchFuncGraph, FuncGraph
from dataflow.functions.tracing import flat_tensors, trace
from dataflow.graph.constant_value import constant_value
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import register_gradient
from dataflow.values import dtypes

OPTIONS = WalkOptions(colocate=False, gate=False, aggregation_method=None)
"""How the bodies of functions are differentiated."""


def _if_gradient(op: Operation, *grads: Any) -> list[Any]:
    forward = branch_graphs(op)
    backward = _backward_graphs(op, forward, grads, COND)
    inputs = _outer_inputs(op, forward, backward)
    _make_slices_agree(COND, backward)
    return [None, *build_cond(op.inputs[0], backward, inputs, None)]


def _case_gradient(op: Operation, *grads: Any) -> list[Any]:
    forward = branch_graphs(op)
    backward = _backward_graphs(op, forward, grads, CASE)
    inputs = _outer_inputs(op, forward, backward)
    _make_slices_agree(CASE, backward)
    lower = op.attrs.get(LOWERING_ATTR)
    return [None, *build_case(op.inputs[0], backward, inputs, "gradient", lower)]


register_gradient("If", _if_gradient)
register_gradient("StatelessIf", _if_gradient)
register_gradient("Case", _case_gradient)
register_gradient("StatelessCase", _case_gradient)


def branch_graphs(op: Operation) -> list[FuncGraph]:
    """The bodies of the branches of an If or Case node, with the node's inputs as captures."""
    inputs = op.inputs[1:]
    graphs = known_branch_graphs(op)
    if graphs is None:
        shapes = [tensor.shape for tensor in inputs]
        graphs = [body_of(op, name, shapes) for name in branch_functions(op)]
    for graph in graphs:
        copy_handle_data(inputs, graph.inputs)
        graph.captured.reset(inputs, graph.inputs)
        graph.forward_node = op
    return graphs


def differentiate_body(ys: Sequence[Tensor], grad_ys: Sequence[Any], graph: FuncGraph) -> list[Any]:
    """Gradients of the ys of a body with respect to its inputs, made in the default graph."""
    pairs = [pair for pair in zip(ys, grad_ys, strict=True) if is_trainable(pair[0])]
    return differentiate(
        [y for y, _ in pairs],
        graph.inputs,
        [grad for _, grad in pairs],
        "gradients",
        OPTIONS,
        None,
        UnconnectedGradients.NONE,
        graph,
    )


class CondGradientGraph(CondBranchFuncGraph):
    """The gradient of a branch: tensors of the branch reach it through the branch's outputs."""

    def __init__(self, name: str, forward: FuncGraph) -> None:
        super().__init__(name, share_collections=True)
        self._forward = forward
        self._indirect: dict[Tensor, Tensor] = {}
        self.saved: dict[Tensor, Tensor] = {}
        """Intermediates of the forward branch -> the optionals that wrap them there."""
        self.needs_rewrite = False

    def _capture_outer(self, tensor: Tensor, name: str) -> Tensor:
        forward = self._forward
        if tensor.graph is not forward or tensor in forward.inputs or tensor in forward.outputs:
            return super()._capture_outer(tensor, name)
        known = self._indirect.get(tensor)
        if known is not None:
            return known
        if tensor.op.type == "Const":
            captured = constant(constant_value(tensor), dtype=tensor.dtype)
        elif tensor.dtype is dtypes.resource:
            index = resource_input_index(tensor, forward)
            captured = super()._capture_outer(forward.inputs[index], name)
        else:
            optional = super()._capture_outer(self._wrapped(tensor), name)
            captured = single_component(optional, tensor)
        self._indirect[tensor] = captured
        return captured

    def _wrapped(self, tensor: Tensor) -> Tensor:
        """The optional that wraps an intermediate; one that is returned already serves again."""
        found = self.saved.get(tensor)
        if found is not None:
            return found
        for consumer in tensor.consumers():
            if consumer.type == "OptionalFromValue":
                optional = consumer.outputs[0]
                if optional in self._forward.outputs:
                    break
        else:
            optional = wrapped(self._forward, tensor)
            self.needs_rewrite = True
        self.saved[tensor] = optional
        return optional


def single_component(optional: Tensor, like: Tensor) -> Tensor:
    """The tensor that an optional wraps, of the type and shape of another."""
    components: list[Tensor] = single(
        "OptionalGetValue",
        optional,
        output_types=[like.dtype.base_dtype],
        output_shapes=[like.shape],
    )  # type: ignore[assignment]
    tensor = components[0]
    tensor.handle_data = like.handle_data
    return tensor


def _backward_graphs(
    op: Operation, forward: Sequence[FuncGraph], grads: Sequence[Any], kind: str
) -> list[CondGradientGraph]:
    """Bodies of the gradients; the node is rewritten to return what they need."""
    backward = []
    for graph in forward:
        name = unique_gradient_name(graph.name)
        body = CondGradientGraph(name, graph)
        trace(body, _Differentiation(graph, grads))
        backward.append(body)
    _fill_missing(forward, backward)
    if any(graph.needs_rewrite for graph in backward):
        give_optionals(forward, [list(graph.saved.values()) for graph in backward])
        check_lengths(kind, forward)
        for graph in forward:
            graph.name += "_rewritten"
        _rewrite(op, forward)
    return backward


class _Differentiation:
    """Makes the gradient of a branch, as a function for `trace`."""

    def __init__(self, graph: FuncGraph, grads: Sequence[Any]) -> None:
        self._graph = graph
        self._grads = grads

    def __call__(self) -> list[Any]:
        # Outputs that other gradients have added already are paired with theirs.
        ys = self._graph.outputs[: len(self._grads)]
        return differentiate_body(ys, self._grads, self._graph)


def check_lengths(kind: str, graphs: Sequence[FuncGraph]) -> None:
    """Raises as `check_same_outputs` does."""
    check_same_outputs(kind, graphs)


def _rewrite(op: Operation, graphs: Sequence[FuncGraph]) -> None:
    """Replaces the functions of a node by ones that return more."""
    functions = [add_function(graph) for graph in graphs]
    if "branches" in op.attrs:
        op._set_attr("branches", tuple(functions))
    else:
        op._set_attr("then_branch", functions[0])
        op._set_attr("else_branch", functions[1])
    first = graphs[0]
    op._set_attr("Tout", tuple(tensor.dtype.base_dtype for tensor in first.outputs))
    op._set_attr("output_shapes", tuple(first.output_shapes))
    added = first.outputs[len(op.outputs) :]
    add_outputs(op, [t.dtype for t in added], [t.shape for t in added])


def _outer_inputs(
    op: Operation, forward: Sequence[FuncGraph], backward: Sequence[CondGradientGraph]
) -> list[list[Tensor]]:
    """What the captured tensors of each gradient are in the graph of the node."""
    return [
        [_outer_tensor(op, graph, tensor) for tensor in body.external_captures]
        for graph, body in zip(forward, backward, strict=True)
    ]


def _outer_tensor(op: Operation, graph: FuncGraph, tensor: Tensor) -> Tensor:
    if tensor.graph is not graph:
        return tensor
    for index, output in enumerate(graph.outputs):
        if output is tensor:
            return op.outputs[index]
    external = graph.captured.external_of(tensor)
    if external is not None:
        return external
    raise ValueError(f"Could not find external tensor capture {tensor} in captures or outputs")


def _fill_missing(forward: Sequence[FuncGraph], backward: Sequence[CondGradientGraph]) -> None:
    """Gives a branch that has no gradient for an input zeros, if another branch has one."""
    columns = zip(*(graph.structured_outputs for graph in backward), strict=True)
    for index, column in enumerate(columns):
        if all(grad is None for grad in column) or all(grad is not None for grad in column):
            continue
        for graph, body, grad in zip(forward, backward, column, strict=True):
            if grad is None:
                with body.as_default():
                    body.structured_outputs[index] = _zeros(graph.inputs[index])
    for body in backward:
        body.outputs = flat_tensors(body.structured_outputs)


def _zeros(tensor: Tensor) -> Tensor:
    if tensor.dtype is not dtypes.resource:
        return array_fill.zeros_like(tensor)
    if not tensor.handle_data:
        raise ValueError(
            "Internal error: Tried to take gradients (or similar) of a variable without handle "
            f"data:\n{tensor}"
        )
    ((dtype, shape),) = tensor.handle_data
    return array_fill.zeros(shape, dtype=dtype)


def _make_slices_agree(kind: str, graphs: Sequence[CondGradientGraph]) -> None:
    """Turns a gradient into slices where that of another branch is of slices."""
    structured = [list(graph.structured_outputs) for graph in graphs]
    for index, column in enumerate(zip(*structured, strict=True)):
        if len({type(value) for value in column}) == 1:
            continue
        if not any(isinstance(value, IndexedSlices) for value in column):
            continue
        for graph, outputs in zip(graphs, structured, strict=True):
            value = outputs[index]
            if isinstance(value, IndexedSlices):
                continue
            if not isinstance(value, Tensor):
                raise TypeError(
                    f"Cannot reconcile tf.{kind} {index}-th outputs:\n  outputs from all "
                    f"branches: {column}"
                )
            with graph.as_default():
                outputs[index] = as_indexed_slices(value)
    for graph, outputs in zip(graphs, structured, strict=True):
        graph.structured_outputs = outputs
        graph.outputs = flat_tensors(outputs)
