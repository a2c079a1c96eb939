"""Strings to numbers and back, and strings to numbers of buckets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.dispatch import unary
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import unchanged
from dataflow.values import dtypes

define_op(
    "StringToNumber",
    inputs="string_tensor: string",
    outputs="output: out_type",
    attrs=["out_type: {float32, float64, int32, int64, uint32, uint64} = float32"],
    shape=unchanged,
    gradient=NOT_DIFFERENTIABLE,
    doc="The numbers that strings stand for.",
)

define_op(
    "AsString",
    inputs="input: T",
    outputs="output: string",
    attrs=[
        "T: {float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32,"
        " uint64, complex64, complex128, bool, variant, string}",
        "precision: int = -1",
        "scientific: bool = false",
        "shortest: bool = false",
        "width: int = -1",
        "fill: string = ''",
    ],
    shape=unchanged,
    gradient=NOT_DIFFERENTIABLE,
    doc="Numbers as text, formatted as C's printf does.",
)

for _op, _input, _attrs, _doc in (
    ("StringToHashBucket", "string_tensor", [], "a hash that is no part of TensorFlow's promises"),
    ("StringToHashBucketFast", "input", [], "FarmHash's Fingerprint64"),
    ("StringToHashBucketStrong", "input", ["key: list(int)"], "SipHash-2-4 with a key"),
):
    define_op(
        _op,
        inputs=f"{_input}: string",
        outputs="output: int64",
        attrs=["num_buckets: int >= 1", *_attrs],
        shape=unchanged,
        gradient=NOT_DIFFERENTIABLE,
        doc=f"The numbers of strings' buckets by {_doc}.",
    )


@unary
def string_to_number(
    string_tensor: Any = None,
    out_type: Any = dtypes.float32,
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """The numbers that strings stand for.

    Args:
      string_tensor: `input` under its former name.
      out_type: Their type.
      name: Name of the operation.
      input: Strings.

    Raises:
      InvalidArgumentError: At run time: a string stands for no number of this type.
    """
    return single("StringToNumber", _one_of(string_tensor, input), out_type=out_type, name=name)


@unary
def as_string(
    input: Any,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Numbers as text.

    Args:
      input: Numbers.
      precision: How many digits come after the point, for floating types.
      scientific: Whether to write an exponent.
      shortest: Whether to write one where that is shorter.
      width: How many characters to fill at least.
      fill: The character to fill with; a space if empty.
      name: Name of the operation.
    """
    return single(
        "AsString",
        input,
        precision=precision,
        scientific=scientific,
        shortest=shortest,
        width=width,
        fill=fill,
        name=name,
    )


@unary
def string_to_hash_bucket(
    string_tensor: Any = None, num_buckets: Any = None, name: str | None = None, input: Any = None
) -> Tensor:
    """The numbers of strings' buckets, by a hash that other versions may not share.

    Args:
      string_tensor: `input` under its former name.
      num_buckets: How many buckets there are.
      name: Name of the operation.
      input: Strings.
    """
    strings = _one_of(string_tensor, input)
    return single("StringToHashBucket", strings, num_buckets=num_buckets, name=name)


@unary
def string_to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Tensor:
    """The numbers of strings' buckets, by a hash that never changes but that can be attacked."""
    return single("StringToHashBucketFast", input, num_buckets=num_buckets, name=name)


@unary
def string_to_hash_bucket_strong(
    input: Any, num_buckets: int, key: Sequence[int], name: str | None = None
) -> Tensor:
    """The numbers of strings' buckets, by a hash with a key of two numbers that guards it."""
    return single("StringToHashBucketStrong", input, num_buckets=num_buckets, key=key, name=name)


def _one_of(former: Any, value: Any) -> Any:
    if former is not None and value is not None:
        raise ValueError("Cannot specify both 'input' and 'string_tensor'")
    return former if value is None else value
