"""tf.strings.unicode_decode and its kin: strings as rows of characters, and back."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.tensor import Tensor
from dataflow.library.ragged.tensor import RaggedTensor, as_ragged_or_tensor
from dataflow.ops.array.concat import stack
from dataflow.ops.array.fill import ones_like
from dataflow.ops.basic.single import single
from dataflow.values import dtypes

_REPLACEMENT = 65533


def unicode_encode(
    input: Any,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    name: str | None = None,
) -> Any:
    """Strings of rows of code points.

    Args:
      input: int32: a tensor of rank 1 at least, or a ragged one.
      output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: What becomes of numbers that are no characters: "strict" refuses them, "replace"
        puts another one in their place, "ignore" leaves them out.
      replacement_char: The other one.
      name: Prefix of the operations' names.

    Returns:
      Strings, with a dimension less.

    Raises:
      ValueError: The rank is 0 or not known.
      InvalidArgumentError: At run time: there is no such character.
    """
    options = {
        "output_encoding": output_encoding,
        "errors": errors,
        "replacement_char": replacement_char,
    }
    with scopes.name_scope(name, "UnicodeEncode", [input]):
        x = as_ragged_or_tensor(input)
        if x.shape.rank is None:
            raise ValueError("Rank of input_tensor must be statically known.")
        return _encoded(x, options)


def _encoded(x: Any, options: dict[str, Any]) -> Any:
    if isinstance(x, RaggedTensor):
        if x.flat_values.shape.rank is not None and x.flat_values.shape.rank > 1:
            # What stands in rows are rows themselves.
            return x.with_values(_encoded(x.values, options))
        if x.ragged_rank > 1:
            return x.with_values(_encoded(x.values, options))
        return single("UnicodeEncode", x.values, x.row_splits, **options)
    rank = x.shape.rank
    if rank == 0:
        raise ValueError("input_tensor's rank must be at least 1.")
    if rank == 2:
        return _encoded(RaggedTensor.from_tensor(x), options)
    sizes: Any = array_shape.shape(x)
    if rank > 2:
        flat = array_shape.reshape(x, stack([-1, sizes[rank - 1]]))
        return array_shape.reshape(_encoded(flat, options), sizes[:-1])
    row = RaggedTensor.from_row_splits(x, stack([0, sizes[0]]), validate=False)
    return array_shape.reshape(_encoded(row, options), [])


def unicode_decode(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """The code points of strings.

    Args:
      input: Strings: a tensor of known rank, or a ragged one.
      input_encoding: Their encoding, as "UTF-8", "UTF-16-BE" or "ISO-8859-1".
      errors: What becomes of bytes that stand for no character: "strict" refuses them, "replace"
        puts another character in their place, "ignore" leaves them out.
      replacement_char: The other character's code point.
      replace_control_characters: Whether that happens to the first 32 characters, too.
      name: Prefix of the operations' names.

    Returns:
      int32, with a dimension more: a tensor for a scalar, else a ragged one.

    Raises:
      ValueError: The rank is not known.
      InvalidArgumentError: At run time: there is no such encoding, or there are bytes that stand
        for no character.
    """
    with scopes.name_scope(name, "UnicodeDecode", [input]):
        points, _ = _decoded(
            input, input_encoding, errors, replacement_char, replace_control_characters
        )
        return points


def unicode_decode_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The code points of strings, and at which byte of its string each begins.

    See `unicode_decode`; the second result is int64, in the shape of the first one.
    """
    with scopes.name_scope(name, "UnicodeDecodeWithOffsets", [input]):
        return _decoded(
            input, input_encoding, errors, replacement_char, replace_control_characters, True
        )


def unicode_split(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    name: str | None = None,
) -> Any:
    """The characters of strings, as strings; see `unicode_decode`."""
    with scopes.name_scope(name, "UnicodeSplit", [input]):
        points, _ = _decoded(input, input_encoding, errors, replacement_char, False)
        return _characters(points, input_encoding, errors, replacement_char)


def unicode_split_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The characters of strings, as strings, and at which byte each begins."""
    with scopes.name_scope(name, "UnicodeSplitWithOffsets", [input]):
        points, starts = _decoded(input, input_encoding, errors, replacement_char, False, True)
        return _characters(points, input_encoding, errors, replacement_char), starts


def _characters(points: Any, encoding: str, errors: str, replacement_char: int) -> Any:
    """Strings of one code point each."""

    def encode(flat: Tensor) -> Any:
        alone = RaggedTensor.from_row_lengths(flat, ones_like(flat), validate=False)
        return unicode_encode(alone, encoding, errors, replacement_char)

    if isinstance(points, RaggedTensor):
        return points.with_flat_values(encode(points.flat_values))
    return encode(points)


def _decoded(
    input: Any,
    encoding: str,
    errors: str,
    replacement_char: int,
    replaces_controls: bool,
    with_offsets: bool = False,
) -> tuple[Any, Any]:
    x = as_ragged_or_tensor(input, name="input")
    rank = x.shape.rank
    if rank is None:
        raise ValueError("Rank of `input` must be statically known.")
    if rank > 1:
        if not isinstance(x, RaggedTensor):
            x = RaggedTensor.from_tensor(x, ragged_rank=rank - 1)
        elif x.ragged_rank < rank - 1:
            inner = RaggedTensor.from_tensor(
                x.flat_values,
                ragged_rank=rank - 1 - x.ragged_rank,
                row_splits_dtype=x.row_splits.dtype,
            )
            x = x.with_flat_values(inner)
        kind = x.row_splits.dtype
        flat = x.flat_values
    else:
        kind = dtypes.int64
        flat = array_shape.reshape(x, [-1]) if rank == 0 else x
    op_type = "UnicodeDecodeWithOffsets" if with_offsets else "UnicodeDecode"
    made: Any = apply_op(
        op_type,
        flat,
        input_encoding=encoding,
        errors=errors,
        replacement_char=replacement_char,
        replace_control_characters=replaces_controls,
        Tsplits=kind,
    )
    splits, points = made[0], made[1]
    starts = made[2] if with_offsets else None

    def shaped(values: Any) -> Any:
        if rank == 0:
            return values
        rows = RaggedTensor.from_row_splits(values, splits, validate=False)
        return rows if rank == 1 else x.with_flat_values(rows)

    return shaped(points), None if starts is None else shaped(starts)
