"""Fingerprint: 64 bits for each row of a tensor, the same everywhere and always."""

from __future__ import annotations

from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank, with_rank_at_least
from dataflow.values.shapes import TensorShape


def _shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(1), 0)
    dims = with_rank_at_least(c.input(0), 1).dims_tuple or (None,)
    method = c.constant(1)
    if method is None:
        return TensorShape.of((dims[0], None))
    if bytes(method[()]) != b"farmhash64":
        raise ValueError(f"Unsupported method: {bytes(method[()]).decode(errors='replace')}")
    return TensorShape.of((dims[0], 8))


define_op(
    "Fingerprint",
    inputs="data: T, method: string",
    outputs="fingerprint: uint8",
    attrs=["T: type"],
    shape=_shape,
    gradient=MISSING_GRADIENT,
    doc="The fingerprint of each row, as bytes.",
)


def fingerprint(data: Any, method: Any = "farmhash64", name: str | None = None) -> Tensor:
    """The fingerprint of each row of a tensor, as bytes.

    Args:
      data: Of any type but handles, and at least one dimension.
      method: `farmhash64`: FarmHash's Fingerprint64.
      name: Name of the operation.

    Returns:
      uint8, [rows, 8].
    """
    return single("Fingerprint", data, method, name=name)
