"""Ops that write updates into entries of a tensor by index."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.gather as array_gather
import dataflow.ops.array.shape as array_shape
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.shape_parts import size_at, subshape, vector_as_shape
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import merge, with_rank_at_least
from dataflow.values.shapes import TensorShape

_NUMBERS = (
    "T: {float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
    "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64, bool}"
)
_POLICY = "bad_indices_policy: string = ''"


def _checked(whole: TensorShape, indices: TensorShape, updates: TensorShape) -> TensorShape:
    """The shape that is written into.

    Raises:
      ValueError: Indices and updates do not fit it.
    """
    if whole.rank is None or indices.rank is None or updates.rank is None:
        return whole
    if 0 in (whole.dims_tuple or ()) and 0 not in (indices.dims_tuple or ()):
        raise ValueError("Indices and updates specified for empty input")
    batch = indices.rank - 1
    head, expected_head = subshape(updates, 0, batch), subshape(indices, 0, batch)
    try:
        merge(expected_head, head)
    except ValueError as error:
        raise ValueError(
            f"Dimensions [0,{batch}) of indices[shape={_text(indices)}] = {_text(expected_head)} "
            f"must match dimensions [0,{batch}) of updates[shape={_text(updates)}] = "
            f"{_text(head)}: {error}"
        ) from None
    depth = size_at(indices, -1)
    if depth is None:
        return whole
    tail, expected_tail = subshape(updates, batch), subshape(whole, depth)
    try:
        merge(expected_tail, tail)
    except ValueError as error:
        raise ValueError(
            f"Dimensions [{depth},{whole.rank}) of input[shape={_text(whole)}] = "
            f"{_text(expected_tail)} must match dimensions [{batch},{updates.rank}) of "
            f"updates[shape={_text(updates)}] = {_text(tail)}: {error}"
        ) from None
    return whole


def _text(shape: TensorShape) -> str:
    return "[" + ",".join("?" if d is None else str(d) for d in shape.dims_tuple or ()) + "]"


def _scatter_shape(c: InferenceContext) -> TensorShape:
    indices = with_rank_at_least(c.input(0), 1)
    updates = with_rank_at_least(c.input(1), 1)
    return _checked(vector_as_shape(c, 2), indices, updates)


def _update_shape(c: InferenceContext) -> TensorShape:
    indices = with_rank_at_least(c.input(1), 1)
    return _checked(c.input(0), indices, with_rank_at_least(c.input(2), 1))


def _scatter_gradient(op: Operation, grad: Any) -> Any:
    return [None, array_gather.gather_nd(grad, op.inputs[0]), None]


def _update_gradient(op: Operation, grad: Any) -> Any:
    indices = op.inputs[1]
    taken = array_gather.gather_nd(grad, indices)
    kept = identity(grad)
    nothing = array_fill.zeros_like(op.inputs[2], dtype=grad.dtype)
    rest = tensor_scatter_nd_update(kept, indices, nothing)
    return [rest, None, taken]


def _add_gradient(op: Operation, grad: Any) -> Any:
    taken = array_gather.gather_nd(grad, op.inputs[1])
    return [identity(grad), None, taken]


def _sub_gradient(op: Operation, grad: Any) -> Any:
    taken: Any = array_gather.gather_nd(grad, op.inputs[1])
    rest = identity(grad)
    return [rest, None, -taken]


def _aliasing_gradient(op: Operation, grad: Any) -> Any:
    return [grad, None, array_gather.gather_nd(grad, op.inputs[1])]


def _extreme_gradient(op: Operation, grad: Any) -> Any:
    """Shares the gradient among all that are equal to the result."""
    x, indices, y = op.inputs
    output = op.outputs[0]
    policy = op.attrs["bad_indices_policy"]
    of_x: Any = single("Cast", single("Equal", x, output), DstT=grad.dtype)
    taken = array_gather.gather_nd(output, indices, bad_indices_policy=policy)
    of_y: Any = single("Cast", single("Equal", y, taken), DstT=grad.dtype)
    shape = array_shape.shape(x, out_type=indices.dtype)
    spread: Any = scatter_nd(indices, of_y, shape, bad_indices_policy=policy)
    count = of_x + spread
    grad_x = grad * of_x / count
    shares: Any = array_gather.gather_nd(grad / count, indices, bad_indices_policy=policy)
    return [grad_x, None, shares * of_y]


define_op(
    "ScatterNd",
    inputs="indices: Tindices, updates: T, shape: Tindices",
    outputs="output: T",
    attrs=["T: type", "Tindices: {int16, int32, int64}", _POLICY],
    shape=_scatter_shape,
    gradient=_scatter_gradient,
    doc="Updates added to entries of a tensor of zeros.",
)

define_op(
    "ScatterNdNonAliasingAdd",
    inputs="input: T, indices: Tindices, updates: T",
    outputs="output: T",
    attrs=[_NUMBERS, "Tindices: {int32, int64}", _POLICY],
    shape=_update_shape,
    gradient=_aliasing_gradient,
    doc="Updates added to entries of a tensor.",
)

for _name, _types, _gradient, _doc in (
    (
        "TensorScatterUpdate",
        "Tindices: {int16, int32, int64, uint16}",
        _update_gradient,
        "A tensor with some entries replaced.",
    ),
    (
        "TensorScatterAdd",
        "Tindices: {int32, int64}",
        _add_gradient,
        "A tensor with updates added to some entries.",
    ),
    (
        "TensorScatterSub",
        "Tindices: {int32, int64}",
        _sub_gradient,
        "A tensor with updates subtracted from some entries.",
    ),
    (
        "TensorScatterMin",
        "Tindices: {int32, int64}",
        _extreme_gradient,
        "A tensor with some entries lowered to the updates.",
    ),
    (
        "TensorScatterMax",
        "Tindices: {int32, int64}",
        _extreme_gradient,
        "A tensor with some entries raised to the updates.",
    ),
):
    define_op(
        _name,
        inputs="tensor: T, indices: Tindices, updates: T",
        outputs="output: T",
        attrs=["T: type", _types, _POLICY],
        shape=_update_shape,
        gradient=_gradient,
        doc=_doc,
    )


def scatter_nd(
    indices: Any, updates: Any, shape: Any, name: str | None = None, bad_indices_policy: str = ""
) -> Tensor:
    """Updates added to entries of a tensor of zeros.

    Args:
      indices: Integers of shape `[..., depth]`: positions along the first `depth` dimensions.
      updates: A tensor of shape `indices.shape[:-1] + shape[depth:]`.
      shape: The sizes of the result: an integer vector.
      name: Name of the operation.
      bad_indices_policy: "" or "ERROR" to refuse positions out of range, "IGNORE" to skip them.

    Raises:
      ValueError: The shapes are known not to fit.
    """
    return single(
        "ScatterNd", indices, updates, shape, name=name, bad_indices_policy=bad_indices_policy
    )


def tensor_scatter_nd_update(
    tensor: Any, indices: Any, updates: Any, name: str | None = None
) -> Tensor:
    """A tensor with the entries at `indices` replaced by `updates`; see `scatter_nd`."""
    return single("TensorScatterUpdate", tensor, indices, updates, name=name)


def tensor_scatter_nd_add(
    tensor: Any,
    indices: Any,
    updates: Any,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Tensor:
    """A tensor with `updates` added to the entries at `indices`; see `scatter_nd`."""
    return _scattered("TensorScatterAdd", tensor, indices, updates, name, bad_indices_policy)


def tensor_scatter_nd_sub(
    tensor: Any,
    indices: Any,
    updates: Any,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Tensor:
    """A tensor with `updates` subtracted from the entries at `indices`; see `scatter_nd`."""
    return _scattered("TensorScatterSub", tensor, indices, updates, name, bad_indices_policy)


def tensor_scatter_nd_min(
    tensor: Any,
    indices: Any,
    updates: Any,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Tensor:
    """A tensor with the entries at `indices` lowered to `updates`; see `scatter_nd`."""
    return _scattered("TensorScatterMin", tensor, indices, updates, name, bad_indices_policy)


def tensor_scatter_nd_max(
    tensor: Any,
    indices: Any,
    updates: Any,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Tensor:
    """A tensor with the entries at `indices` raised to `updates`; see `scatter_nd`."""
    return _scattered("TensorScatterMax", tensor, indices, updates, name, bad_indices_policy)


def _scattered(
    op_type: str, tensor: Any, indices: Any, updates: Any, name: str | None, policy: str
) -> Tensor:
    return single(op_type, tensor, indices, updates, name=name, bad_indices_policy=policy)
