"""Raw and compressed bytes, and the numbers that stand in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.graph.dispatch import unary
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.parsing.shapes import VECTOR, joined
from dataflow.schema.opdef import MISSING_GRADIENT, NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import unchanged, with_rank
from dataflow.values.deprecated_args import renamed
from dataflow.values.shapes import TensorShape

define_op(
    "DecodeRaw",
    inputs="bytes: string",
    outputs="output: out_type",
    attrs=[
        "out_type: {half, float32, float64, int32, uint16, uint8, int16, int8, int64, complex64,"
        " complex128, bool, bfloat16}",
        "little_endian: bool = true",
    ],
    shape=lambda c: joined(c.input(0), VECTOR),
    gradient=NOT_DIFFERENTIABLE,
    doc="The numbers whose bytes strings of one length hold.",
)


def _padded_shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(1), 0)
    length = c.constant(1)
    if length is None:
        return joined(c.input(0), VECTOR)
    if length < 0:
        raise ValueError(
            f"Dimension size, given by scalar input 1, must be non-negative but is {length}"
        )
    size = np.dtype(c.attr("out_type").as_numpy_dtype).itemsize
    if length % size:
        raise ValueError(f"Dimension size must be evenly divisible by {size} but is {length}")
    return joined(c.input(0), TensorShape.of((int(length) // size,)))


define_op(
    "DecodePaddedRaw",
    inputs="input_bytes: string, fixed_length: int32",
    outputs="output: out_type",
    attrs=[
        "out_type: {half, float32, float64, int32, uint16, uint8, int16, int8, int64, bfloat16}",
        "little_endian: bool = true",
    ],
    shape=_padded_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="The numbers whose bytes strings hold that are cut or filled with zeros to one length.",
)

define_op(
    "DecodeCompressed",
    inputs="bytes: string",
    outputs="output: string",
    attrs=["compression_type: string = ''"],
    shape=unchanged,
    gradient=MISSING_GRADIENT,
    doc="The bytes that were compressed with zlib or gzip.",
)


def decode_raw(
    input_bytes: Any = None,
    out_type: Any = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: Any = None,
) -> Tensor:
    """The numbers whose bytes strings hold, in a dimension behind those of the strings.

    Args:
      input_bytes: Strings of one length.
      out_type: The numbers' type.
      little_endian: Whether a number's lowest byte comes first.
      name: Name of the operation.
      bytes: `input_bytes` under its former name.

    Raises:
      ValueError: There is no type, or the strings are given twice.
      InvalidArgumentError: At run time: the strings' lengths differ, or hold no whole numbers.
    """
    input_bytes = renamed("input_bytes", input_bytes, "bytes", bytes)
    if out_type is None:
        raise ValueError("decode_raw_v1() missing 1 positional argument: 'out_type'")
    return single(
        "DecodeRaw", input_bytes, out_type=out_type, little_endian=little_endian, name=name
    )


@unary
def decode_compressed(bytes: Any, compression_type: str = "", name: str | None = None) -> Tensor:
    """The bytes that were compressed, for each of a tensor of strings.

    Args:
      bytes: Strings.
      compression_type: "ZLIB", "GZIP", or "" for strings that are not compressed.
      name: Name of the operation.

    Raises:
      InvalidArgumentError: At run time: there is no such compression.
      DataLossError: At run time: a string is not compressed so.
    """
    return single("DecodeCompressed", bytes, compression_type=compression_type, name=name)
