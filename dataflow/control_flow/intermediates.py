"""What nodes that call functions give of their bodies' insides, for gradients made later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import dataflow.ops.lists.tensor_list_nodes as lists
from dataflow.control_flow.functional import without_control_inputs
from dataflow.functions.func_graph import FuncGraph
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.values import dtypes


def wrap_intermediates(branches: Sequence[FuncGraph]) -> None:
    """Makes traced branches return all they compute, as optionals: only one of them runs."""
    give_optionals(
        branches,
        [
            [
                wrapped(branch, tensor)
                for tensor in list(_computed(branch))
                if tensor not in branch.inputs and tensor not in branch.outputs
            ]
            for branch in branches
        ],
    )


def wrapped(branch: FuncGraph, tensor: Tensor) -> Tensor:
    """An optional that holds a tensor of a branch."""
    with branch.as_default():
        optional: Tensor = single("OptionalFromValue", [tensor])
    return optional


def give_optionals(branches: Sequence[FuncGraph], optionals: Sequence[Sequence[Tensor]]) -> None:
    """Makes branches return optionals, and empty ones where another branch has more."""
    most = max(map(len, optionals))
    for branch, own in zip(branches, optionals, strict=True):
        with branch.as_default():
            missing = [single("OptionalNone") for _ in range(most - len(own))]
        branch.outputs += [*own, *missing]


def accumulate_intermediates(cond: FuncGraph, body: FuncGraph, limit: Tensor) -> list[Tensor]:
    """Makes the traced body of a loop push all it computes to lists; returns them, still empty."""
    counter = body.inputs[0]
    captured = set(body.internal_captures)
    tensors = [
        tensor
        for tensor in _computed(body)
        if tensor.op.type != "Identity"
        and tensor is not counter
        and tensor not in captured
        and accumulator_of(tensor) is None
    ]
    return [accumulate(tensor, cond, body, limit)[0] for tensor in tensors]


def accumulate(
    tensor: Tensor, cond: FuncGraph, body: FuncGraph, limit: Tensor, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Makes the body of a loop push a value to a list, which becomes one more loop variable.

    Args:
      tensor: A tensor of the body.
      cond: The condition of the loop.
      body: The body.
      limit: The most iterations there may be.
      name: Name of the list.

    Returns:
      The list that the loop has to start with, and what the body returns for it.
    """
    with body.outer_graph.as_default(), without_control_inputs():
        empty = lists.empty_list(tensor.shape, tensor.dtype.base_dtype, limit, name=name)
    with body.as_default():
        accumulator = lists.push_back(empty, tensor)
    body.outputs.append(accumulator)
    with cond.as_default():
        cond.capture(empty)
    return empty, accumulator


def accumulator_of(tensor: Tensor) -> Tensor | None:
    """The output of a body that is the list its values are pushed to, if there is one."""
    graph: Any = tensor.graph
    for consumer in tensor.consumers():
        if consumer.type != "TensorListPushBack" or consumer.inputs[0] not in graph.inputs:
            continue
        output = _returned(consumer.outputs[0], graph)
        if output is not None and graph.outputs.index(output) == graph.inputs.index(
            consumer.inputs[0]
        ):
            return output
    return None


def _returned(tensor: Tensor, graph: FuncGraph) -> Tensor | None:
    """The tensor, or its copy, as the output of a body that it is."""
    if tensor in graph.outputs:
        return tensor
    consumers = tensor.consumers()
    if consumers and consumers[0].type == "Identity" and consumers[0].outputs[0] in graph.outputs:
        return consumers[0].outputs[0]
    return None


def _computed(body: FuncGraph) -> Iterator[Tensor]:
    """The values of a body; one that holds a lock would hold it for good."""
    for op in body.get_operations():
        if op.type != "MutexLock":
            yield from (tensor for tensor in op.outputs if tensor.dtype is not dtypes.resource)
