"""Strings one by one: parts, white space, lengths, case, base64."""

from __future__ import annotations

from typing import Any

from dataflow.graph.dispatch import unary
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import broadcast_shapes, unchanged, with_rank
from dataflow.values.shapes import TensorShape


def _part(c: InferenceContext) -> TensorShape:
    pos, length = c.input(1), c.input(2)
    if pos.rank is not None:
        if length.rank is not None:
            with_rank(pos, length.rank)
        # What only one of them knows is refused, as TensorFlow does.
        if pos.rank and pos.dims_tuple != length.dims_tuple:
            shown = f"{_shown(pos)} vs. {_shown(length)}"
            raise ValueError(f"pos and len shapes must match: {shown}")
    return broadcast_shapes(c.input(0), pos)


def _shown(shape: TensorShape) -> str:
    if shape.dims_tuple is None:
        return "?"
    return "[" + ",".join("?" if dim is None else str(dim) for dim in shape.dims_tuple) + "]"


define_op(
    "Substr",
    inputs="input: string, pos: T, len: T",
    outputs="output: string",
    attrs=["T: {int32, int64}", "unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'"],
    shape=_part,
    gradient=NOT_DIFFERENTIABLE,
    doc="Parts of strings; a negative position counts from the end.",
)

define_op(
    "StringLength",
    inputs="input: string",
    outputs="output: int32",
    attrs=["unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'"],
    shape=unchanged,
    gradient=NOT_DIFFERENTIABLE,
    doc="The lengths of strings in bytes or characters.",
)

for _op, _attrs, _doc in (
    ("StringStrip", [], "Strings without white space at their ends."),
    ("StringLower", ["encoding: string = ''"], "Strings in lower case; ASCII letters, or UTF-8."),
    ("StringUpper", ["encoding: string = ''"], "Strings in upper case; ASCII letters, or UTF-8."),
    ("EncodeBase64", ["pad: bool = false"], "Web-safe base64 of strings."),
    ("DecodeBase64", [], "What web-safe base64 stands for, with or without padding."),
):
    define_op(
        _op,
        inputs="input: string",
        outputs="output: string",
        attrs=_attrs,
        shape=unchanged,
        gradient=NOT_DIFFERENTIABLE,
        doc=_doc,
    )


@unary
def substr(input: Any, pos: Any, len: Any, name: str | None = None, unit: str = "BYTE") -> Tensor:
    """Parts of strings, which begin at `pos`; what lies beyond the end is left out.

    Args:
      input: Strings.
      pos: Where they begin; negative: so far from the end. Broadcast with `input`.
      len: How long they are, of the shape of `pos`.
      name: Name of the operation.
      unit: What `pos` and `len` count, "BYTE" or "UTF8_CHAR".

    Raises:
      InvalidArgumentError: At run time: a position outside its string.
    """
    return single("Substr", input, pos, len, unit=unit, name=name)


@unary
def string_length(input: Any, name: str | None = None, unit: str = "BYTE") -> Tensor:
    """The lengths of strings.

    Args:
      input: Strings.
      name: Name of the operation.
      unit: What to count, "BYTE" or "UTF8_CHAR".
    """
    return single("StringLength", input, unit=unit, name=name)


@unary
def string_strip(input: Any, name: str | None = None) -> Tensor:
    """Strings without the white space at their ends."""
    return single("StringStrip", input, name=name)


@unary
def string_lower(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """Strings in lower case: ASCII letters, or all with `encoding` "utf-8"."""
    return single("StringLower", input, encoding=encoding, name=name)


@unary
def string_upper(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """Strings in upper case: ASCII letters, or all with `encoding` "utf-8"."""
    return single("StringUpper", input, encoding=encoding, name=name)


@unary
def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Tensor:
    """Web-safe base64 (RFC 4648, with - and _) of strings, padded with = if `pad`."""
    return single("EncodeBase64", input, pad=pad, name=name)


@unary
def decode_base64(input: Any, name: str | None = None) -> Tensor:
    """What web-safe base64 stands for, padded or not."""
    return single("DecodeBase64", input, name=name)
