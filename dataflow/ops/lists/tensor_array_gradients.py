"""Gradients of the ops on tensor arrays: what one reads is written to an array of gradients."""

from __future__ import annotations

from typing import Any

import dataflow.ops.basic.identity as identity_ops
import dataflow.ops.lists.tensor_array_nodes as nodes
from dataflow.graph import scopes
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor


def gradient_source(tensor: Any) -> str:
    """Which call of `tf.gradients` a gradient belongs to: each has arrays of its own.

    Raises:
      ValueError: The gradient's name does not tell.
    """
    tokens = tensor.name.split("/")
    places = [i for i, token in enumerate(tokens) if token.startswith("gradients")]
    if not places:
        raise ValueError(
            "Expected op/tensor name to start with gradients (excluding scope), got: "
            f"{tensor.name}. This means that a tf.gradients op with this op in its dependency "
            "path has a custom name that does not start with 'gradients'. Please make sure all "
            "calls to tf.gradients that have non-empty `name` arguments use names that start with "
            "'gradients'."
        )
    return "/".join(tokens[: places[-1] + 1])


def _gradient_array(op: Operation, type_attr: str, flow: Any, source: str) -> nodes.NodeArray:
    """The array of the gradients of the array an op works on."""
    forward = nodes.NodeArray(
        op.get_attr(type_attr), handle=op.inputs[0], flow=flow, colocate_with_first_write_call=False
    )
    return forward.grad(source=source, flow=flow)


def _behind(op: Operation, flow: Tensor) -> Any:
    """The flow's gradient, which the array of gradients must be made after: the size is final."""
    done = identity_ops.identity(op.outputs[0], "flow_out")
    with scopes.control_dependencies([done]):
        return identity_ops.identity(flow, "write_barrier")


def read(op: Operation, grad: Any) -> list[Any]:
    """Writes the gradient to where the element was read."""
    array = _gradient_array(op, "dtype", op.inputs[2], gradient_source(grad))
    return [None, None, array.write(op.inputs[1], grad).flow]


def write(op: Operation, flow: Any) -> list[Any]:
    """Reads the gradient of the element that was written."""
    source = gradient_source(flow)
    flow = _behind(op, flow)
    array = _gradient_array(op, "T", flow, source)
    return [None, None, array.read(op.inputs[1]), flow]


def gather(op: Operation, grad: Any) -> list[Any]:
    """Writes the slices of the gradient to where the elements were read."""
    array = _gradient_array(op, "dtype", op.inputs[2], gradient_source(grad))
    return [None, None, array.scatter(op.inputs[1], grad).flow]


def scatter(op: Operation, flow: Any) -> list[Any]:
    """Stacks the gradients of the elements that were written."""
    source = gradient_source(flow)
    flow = _behind(op, flow)
    array = _gradient_array(op, "T", flow, source)
    return [None, None, array.gather(op.inputs[1]), flow]


def concat(op: Operation, grad: Any, _: Any) -> list[Any]:
    """Splits the gradient as the elements were joined."""
    array = _gradient_array(op, "dtype", op.inputs[1], gradient_source(grad))
    return [None, array.split(grad, lengths=op.outputs[1]).flow]


def split(op: Operation, flow: Any) -> list[Any]:
    """Joins the gradients of the parts that were written."""
    source = gradient_source(flow)
    flow = _behind(op, flow)
    array = _gradient_array(op, "T", flow, source)
    return [None, array.concat(), None, flow]
