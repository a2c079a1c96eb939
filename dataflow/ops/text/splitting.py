"""Strings cut into pieces, as sparse matrices of them."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


def _pieces(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(0), 1)
    with_rank(c.input(1), 0)
    return [TensorShape.of((None, 2)), TensorShape.of((None,)), TensorShape.of((2,))]


for _op, _separator, _attr, _doc in (
    ("StringSplit", "delimiter", "skip_empty: bool = true", "at any byte of `delimiter`"),
    ("StringSplitV2", "sep", "maxsplit: int = -1", "at `sep`, or at white space if it is empty"),
):
    define_op(
        _op,
        inputs=f"input: string, {_separator}: string",
        outputs="indices: int64, values: string, shape: int64",
        attrs=[_attr],
        shape=_pieces,
        gradient=NOT_DIFFERENTIABLE,
        doc=f"Cuts each string of a vector {_doc}.",
    )


def string_split(
    source: Any,
    sep: Any = None,
    skip_empty: bool = True,
    delimiter: Any = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> SparseTensor:
    """Cuts each string of a vector at any byte of `sep`: a sparse matrix with a row for each.

    Args:
      source: A vector of strings.
      sep: The bytes at which to cut, " " by default; "" cuts everywhere.
      skip_empty: Whether to leave out empty pieces.
      delimiter: `sep` under its former name.
      result_type: "SparseTensor".
      name: Name of the operation.

    Raises:
      ValueError: Both `sep` and `delimiter` are given, or the result is to be of another type.
    """
    if sep is not None and delimiter is not None:
        raise ValueError("Cannot specify both 'sep' and 'delimiter'")
    _check_result_type(result_type)
    given = delimiter if sep is None else sep
    separator = convert_to_tensor(" " if given is None else given, dtype=dtypes.string)
    strings = convert_to_tensor(source, dtype=dtypes.string)
    pieces = apply_op("StringSplit", strings, separator, skip_empty=skip_empty, name=name)
    return SparseTensor(*pieces)


def split(
    input: Any = None,
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> SparseTensor:
    """Cuts each string of a vector as Python's `split` does: a sparse matrix with a row for each.

    Args:
      input: A vector of strings.
      sep: What stands between pieces; white space if it is None or empty.
      maxsplit: How often to cut at most; negative for always.
      result_type: "SparseTensor".
      source: `input` under its former name.
      name: Name of the operation.

    Raises:
      ValueError: Both or none of `input` and `source` are given, or the result is to be of
        another type.
    """
    if (input is None) == (source is None):
        raise ValueError("Exactly one of 'input' and its former name 'source' is needed.")
    _check_result_type(result_type)
    strings = convert_to_tensor(source if input is None else input, dtype=dtypes.string)
    separator = convert_to_tensor("" if sep is None else sep, dtype=dtypes.string)
    pieces = apply_op("StringSplitV2", strings, separator, maxsplit=maxsplit, name=name)
    return SparseTensor(*pieces)


def _check_result_type(result_type: str) -> None:
    if result_type != "SparseTensor":
        raise ValueError(f"result_type must be 'SparseTensor', not {result_type!r}.")
