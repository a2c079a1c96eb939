"""`decode_raw` as TensorFlow 2 and `tensorflow.python.ops.parsing_ops` have it."""

from __future__ import annotations

from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single

__all__ = ["decode_raw"]


def decode_raw(
    input_bytes: Any,
    out_type: Any,
    little_endian: bool = True,
    fixed_length: Any = None,
    name: str | None = None,
) -> Tensor:
    """The numbers whose bytes strings hold, in a dimension behind those of the strings.

    Args:
      input_bytes: Strings; of one length unless `fixed_length` is given.
      out_type: The numbers' type.
      little_endian: Whether a number's lowest byte comes first.
      fixed_length: To how many bytes strings are cut or filled with zeros first.
      name: Name of the operation.

    Raises:
      ValueError: The length is known, and negative or no multiple of a number's bytes.
      InvalidArgumentError: At run time: the strings' lengths differ, or hold no whole numbers.
    """
    attrs = {"out_type": out_type, "little_endian": little_endian}
    if fixed_length is None:
        return single("DecodeRaw", input_bytes, **attrs, name=name)
    return single("DecodePaddedRaw", input_bytes, fixed_length, **attrs, name=name)
