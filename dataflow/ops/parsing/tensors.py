"""Tensors as serialized messages, and examples as JSON."""

from __future__ import annotations

from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import scalar, unchanged, unknown

define_op(
    "SerializeTensor",
    inputs="tensor: T",
    outputs="serialized: string",
    attrs=["T: type"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="A tensor as a serialized TensorProto.",
)

define_op(
    "ParseTensor",
    inputs="serialized: string",
    outputs="output: out_type",
    attrs=["out_type: type"],
    shape=unknown,
    gradient=NOT_DIFFERENTIABLE,
    doc="The tensor of a serialized TensorProto.",
)

define_op(
    "DecodeJSONExample",
    inputs="json_examples: string",
    outputs="binary_examples: string",
    attrs=[],
    shape=unchanged,
    gradient=MISSING_GRADIENT,
    doc="Examples that are written as JSON, serialized.",
)


def serialize_tensor(tensor: Any, name: str | None = None) -> Tensor:
    """A tensor as a serialized `TensorProto`, a scalar string."""
    return single("SerializeTensor", tensor, name=name)


def parse_tensor(serialized: Any, out_type: Any, name: str | None = None) -> Tensor:
    """The tensor of a serialized `TensorProto`.

    Args:
      serialized: A scalar string.
      out_type: The tensor's type.
      name: Name of the operation.

    Raises:
      InvalidArgumentError: At run time: it is no message, or one of a tensor of another type.
    """
    return single("ParseTensor", serialized, out_type=out_type, name=name)


def decode_json_example(json_examples: Any, name: str | None = None) -> Tensor:
    """Serialized `Example` messages of those that strings hold as JSON.

    Raises:
      InvalidArgumentError: At run time: a string is no JSON, or none of an example.
    """
    return single("DecodeJSONExample", json_examples, name=name)
