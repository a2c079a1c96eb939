"""Strings cut into rows of pieces, n-grams, and strings of ragged tensors joined and shown."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.text.joining as joining
import dataflow.ops.text.numbers as text_numbers
import dataflow.ops.text.patterns as patterns
import dataflow.ops.text.printing as printing
from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import dispatched
from dataflow.graph.tensor import Tensor
from dataflow.library.ragged import segments
from dataflow.library.ragged.elementwise import map_flat_values
from dataflow.library.ragged.reductions import reduce_aggregate
from dataflow.library.ragged.tensor import RaggedTensor, as_ragged_or_tensor, is_ragged
from dataflow.ops.array.concat import concat
from dataflow.ops.array.gather import gather
from dataflow.ops.array.index import boolean_mask
from dataflow.ops.array.select import where_v2
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.single import single
from dataflow.ops.text.segments import unsorted_segment_join
from dataflow.ops.text.splitting import split as sparse_split
from dataflow.ops.text.splitting import string_split as sparse_string_split
from dataflow.values import dtypes


def bytes_split(input: Any, name: str | None = None) -> Any:
    """The bytes of strings, each as a string.

    Args:
      input: Strings: a tensor of known rank, or a ragged one.
      name: Prefix of the operations' names.

    Returns:
      A dimension more: a tensor for a scalar, else a ragged one.

    Raises:
      ValueError: The rank is not known.
    """
    with scopes.name_scope(name, "StringsByteSplit", [input]):
        x = as_ragged_or_tensor(input, name="input")
        return _bytes_split(x)


def _bytes_split(x: Any) -> Any:
    if isinstance(x, RaggedTensor):
        return x.with_flat_values(_bytes_split(x.flat_values))
    rank = x.shape.rank
    if rank is None:
        raise ValueError("input must have a statically-known rank.")
    if rank == 0:
        return _bytes_split(array_shape.expand_dims(x, 0)).values
    if rank == 1:
        indices, values, shape = apply_op("StringSplit", x, constant(""), skip_empty=False)
        # An empty string has one empty piece, but no bytes.
        kept = single("NotEqual", values, constant(""))
        rows: Any = boolean_mask(indices, kept)
        made = RaggedTensor.from_value_rowids(
            boolean_mask(values, kept), rows[:, 0], nrows=shape[0], validate=False
        )
        made._set_shape([x.shape.dims_tuple[0] if x.shape.dims_tuple else None, None])
        return made
    return _bytes_split(RaggedTensor.from_tensor(x, ragged_rank=rank - 1))


@dispatched
def string_split(
    source: Any,
    sep: Any = None,
    skip_empty: bool = True,
    delimiter: Any = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> Any:
    """Cuts each string of a vector at any byte of `sep`: a row of pieces for each.

    Args:
      source: A vector of strings.
      sep: The bytes at which to cut, " " by default; "" cuts everywhere.
      skip_empty: Whether to leave out empty pieces.
      delimiter: `sep` under its former name.
      result_type: "SparseTensor" or "RaggedTensor".
      name: Name of the operation.

    Raises:
      ValueError: Both `sep` and `delimiter` are given, or the result is to be of another type.
    """
    if result_type not in ("SparseTensor", "RaggedTensor"):
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")
    with scopes.name_scope(name, "StringSplit", [source]):
        sparse = sparse_string_split(source, sep, skip_empty, delimiter)
        return sparse if result_type == "SparseTensor" else _rows(sparse, convert_to_tensor(source))


@dispatched
def split(
    input: Any = None,
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> Any:
    """Cuts each string as Python's `split` does: a row of pieces for each.

    Args:
      input: Strings: for a sparse result a vector.
      sep: What stands between pieces; white space if it is None or empty.
      maxsplit: How often to cut at most; negative for always.
      result_type: "SparseTensor" or "RaggedTensor".
      source: `input` under its former name.
      name: Name of the operation.

    Raises:
      ValueError: Both or none of `input` and `source` are given, or the result is to be of
        another type.
    """
    if (input is None) == (source is None):
        raise ValueError("Exactly one of 'input' and its former name 'source' is needed.")
    given = source if input is None else input
    with scopes.name_scope(name, "StringSplit", [given]):
        x = as_ragged_or_tensor(given, dtypes.string, name="input")
        if result_type == "SparseTensor" and x.shape.rank == 1:
            return sparse_split(x, sep, maxsplit)
        if result_type == "SparseTensor":
            return _pieces(x, sep, maxsplit).to_sparse()
        if result_type == "RaggedTensor":
            return _pieces(x, sep, maxsplit)
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")


def _pieces(x: Any, sep: Any, maxsplit: int) -> Any:
    if isinstance(x, RaggedTensor):
        return x.with_flat_values(_pieces(x.flat_values, sep, maxsplit))
    rank = x.shape.rank
    if rank == 0:
        return _pieces(array_shape.expand_dims(x, 0), sep, maxsplit)
    if rank in (None, 1):
        return _rows(sparse_split(x, sep, maxsplit), x)
    return _pieces(RaggedTensor.from_tensor(x, ragged_rank=rank - 1), sep, maxsplit)


def _rows(sparse: Any, strings: Any) -> RaggedTensor:
    """The pieces of strings as rows."""
    indices: Any = sparse.indices
    shape: Any = sparse.dense_shape
    made = RaggedTensor.from_value_rowids(
        sparse.values, indices[:, 0], nrows=shape[0], validate=False
    )
    made._set_shape([strings.shape.dims_tuple[0] if strings.shape.rank else None, None])
    return made


def ngrams(
    data: Any,
    ngram_width: Any,
    separator: str = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """Strings that follow each other in a row, joined.

    Args:
      data: Strings: a tensor of rank 1 at least, or a ragged one.
      ngram_width: How many are joined: an integer, or a list of them, one after the other.
      separator: What stands between them.
      pad_values: What stands before and behind rows: a string, or a pair of them.
      padding_width: How often; one less than `ngram_width` by default, and at most.
      preserve_short_sequences: Whether a row that is too short is joined as a whole.
      name: Prefix of the operations' names.

    Raises:
      TypeError: `pad_values` is something else.
      ValueError: A width is less than 1, the rank is 0 or not known, or there is a
        `padding_width` without `pad_values`.
    """
    with scopes.name_scope(name, "StringNGrams", [data]):
        left, right = _pads(pad_values)
        if padding_width is not None and padding_width < 1:
            raise ValueError("padding_width must be greater than 0.")
        if padding_width is not None and pad_values is None:
            raise ValueError("pad_values must be provided if padding_width is set.")
        x = as_ragged_or_tensor(data, dtypes.string, name="data")
        if not isinstance(x, RaggedTensor):
            if x.shape.rank is None:
                raise ValueError("Rank of data must be known.")
            if x.shape.rank == 0:
                raise ValueError("Data must have rank>0")
        widths = list(ngram_width) if isinstance(ngram_width, (list, tuple)) else [ngram_width]
        if any(width < 1 for width in widths):
            raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
        if pad_values is None:
            padding = 0
        else:
            padding = -1 if padding_width is None else padding_width
        options = {
            "separator": separator,
            "ngram_widths": widths,
            "left_pad": left,
            "right_pad": right,
            "pad_width": padding,
            "preserve_short_sequences": preserve_short_sequences,
        }
        return _ngrams(x, options)


def _pads(pad_values: Any) -> tuple[Any, Any]:
    if pad_values is None:
        return "", ""
    pair = pad_values if isinstance(pad_values, (list, tuple)) else (pad_values, pad_values)
    if not all(isinstance(pad, (str, bytes)) for pad in pair[:2]):
        raise TypeError("pad_values must be a string, tuple of strings, or None.")
    return pair[0], pair[1]


def _ngrams(x: Any, options: dict[str, Any]) -> Any:
    if isinstance(x, RaggedTensor):
        flat = x.flat_values
        if x.ragged_rank > 1 or (flat.shape.rank or 1) > 1:
            return x.with_values(_ngrams(x.values, options))
        values, splits = apply_op("StringNGrams", flat, x.row_splits, **options)
        return RaggedTensor.from_row_splits(values, splits, validate=False)
    rank = x.shape.rank
    if rank == 1:
        row = RaggedTensor.from_row_splits(
            x, concat([[0], array_shape.shape(x, out_type=dtypes.int64)], 0), validate=False
        )
        return _ngrams(row, options).values
    sizes: Any = array_shape.shape(x)
    made = _ngrams(RaggedTensor.from_tensor(x, ragged_rank=rank - 1), options)
    return array_shape.reshape(made.flat_values, concat([sizes[:-1], [-1]], 0))


def reduce_join(
    inputs: Any,
    axis: Any = None,
    keep_dims: Any = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: Any = None,
    keepdims: Any = None,
) -> Any:
    """The strings of a ragged tensor joined along dimensions."""

    def of_tensor(x: Any, axis: Any, keepdims: bool = False, name: str | None = None) -> Any:
        return joining.reduce_join(x, axis, separator=separator, name=name, keepdims=keepdims)

    def of_segments(data: Any, ids: Any, count: Any) -> Any:
        return unsorted_segment_join(data, ids, count, separator)

    axis = reduction_indices if axis is None else axis
    keep = bool(keep_dims if keepdims is None else keepdims)
    return reduce_aggregate(of_tensor, of_segments, inputs, axis, keep, name or "RaggedSegmentJoin")


def string_join(inputs: Any, separator: str = "", name: str | None = None) -> Any:
    """The strings of ragged tensors joined element by element."""
    with scopes.name_scope(name, "RaggedStringJoin", inputs):
        return map_flat_values(joining.string_join, inputs, separator)


def string_format(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """A text in which tensors and ragged ones stand in the place of placeholders.

    Raises:
      ValueError: There are not as many of them as placeholders.
    """
    if is_ragged(inputs) or isinstance(inputs, Tensor):
        inputs = [inputs]
    texts = template.split(placeholder)
    if len(inputs) != len(texts) - 1:
        raise ValueError(
            "num placeholders in template and num inputs must match: "
            f"{len(texts) - 1} vs {len(inputs)}"
        )
    with scopes.name_scope(name, "StringFormat", [inputs]):
        pieces: list[Any] = [constant(texts[0])]
        for value, text in zip(inputs, texts[1:], strict=True):
            if is_ragged(value):
                pieces.append(shown(value, summarize))
            else:
                pieces.append(printing.string_format("{}", [value], summarize=summarize))
            pieces.append(constant(text))
        return joining.string_join(pieces)


def shown(x: Any, summarize: Any = None) -> Tensor:
    """A ragged tensor as text, in brackets.

    Args:
      x: The ragged tensor, of known rank.
      summarize: How many entries at both ends of each row are shown; all if None or -1.

    Raises:
      ValueError: `summarize` is no positive integer.
    """
    if summarize not in (None, -1) and not (isinstance(summarize, int) and summarize > 0):
        raise ValueError(f"Expected summarize to be -1 or a positive int, got {summarize!r}")
    with scopes.name_scope(None, "AsString", [x]):
        x = as_ragged_or_tensor(x)
        if x.shape.rank is None:
            raise ValueError("RaggedTensor to_string requires that rt.shape.rank is not None.")
        flat = x.flat_values
        if flat.dtype is dtypes.string:
            escaped = patterns.regex_replace(flat, r"(['\\])", r"\\\1")
            texts = joining.string_join(["'", escaped, "'"])
        else:
            texts = text_numbers.as_string(flat)
        values: Any = texts
        inner = (flat.shape.rank or 1) - 1
        if inner:
            nested = RaggedTensor.from_tensor(texts, ragged_rank=inner)
            for partition in reversed(nested._nested_row_partitions):
                values = nested.flat_values if values is texts else values
                values = _bracketed(values, partition, summarize)
        for partition in reversed(x._nested_row_partitions):
            values = _bracketed(values, partition, summarize)
        whole = RaggedTensor.from_row_splits(
            values, concat([[0], array_shape.shape(values)], 0), validate=False
        )
        text: Any = _bracketed(values, whole._row_partition, summarize)
        return array_shape.reshape(text, [])


def _bracketed(values: Any, partition: Any, summarize: int | None) -> Any:
    """The texts of each row as one text."""
    rows = partition.value_rowids()
    if summarize not in (None, -1):
        kind = partition.dtype
        lengths: Any = gather(partition.row_lengths(), rows)
        starts = gather(partition.row_starts(), rows)
        places: Any = segments.numbers(partition.nvals(), kind) - starts
        limit = constant(summarize, kind)
        is_long = single("Greater", lengths, limit + limit)
        is_gap = single("LogicalAnd", is_long, single("Equal", places, limit))
        is_end = single(
            "LogicalOr",
            single("Less", places, limit),
            single("GreaterEqual", places, lengths - limit),
        )
        kept = single(
            "LogicalOr", is_gap, single("LogicalOr", single("LogicalNot", is_long), is_end)
        )
        values = boolean_mask(where_v2(is_gap, constant("..."), values), kept)
        rows = boolean_mask(rows, kept)
    joined = unsorted_segment_join(values, rows, cast(partition.nrows(), rows.dtype), ", ")
    return joining.string_join(["[", joined, "]"])
