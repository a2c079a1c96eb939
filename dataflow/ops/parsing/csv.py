"""Comma-separated values."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.tensor import Tensor
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank_at_most
from dataflow.values.shapes import TensorShape


def _shapes(c: InferenceContext) -> list[TensorShape]:
    for index in range(1, c.num_inputs):
        dims = with_rank_at_most(c.input(index), 1).dims_tuple
        if dims and (dims[0] or 0) > 1:
            raise ValueError(
                "Shape of a default must be a length-0 or length-1 vector, or a scalar."
            )
    return [c.input(0)] * c.num_outputs


define_op(
    "DecodeCSV",
    inputs="records: string, record_defaults: OUT_TYPE",
    outputs="output: OUT_TYPE",
    attrs=[
        "OUT_TYPE: list({float32, float64, int32, int64, string}) >= 1",
        "field_delim: string = ','",
        "use_quote_delim: bool = true",
        "na_value: string = ''",
        "select_cols: list(int) = []",
    ],
    shape=_shapes,
    gradient=MISSING_GRADIENT,
    doc="A tensor for each column of records whose fields stand between delimiters.",
)


def decode_csv(
    records: Any,
    record_defaults: Sequence[Any],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: str | None = None,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
) -> list[Tensor]:
    """A tensor of the records' shape for each column.

    Args:
      records: Strings, a record each, as RFC 4180 describes them; numbers may have spaces around.
      record_defaults: What stands for empty fields of each column, and its type; an empty vector
        if the field must be there.
      field_delim: The character between fields.
      use_quote_delim: Whether double quotes around a field are none of its characters.
      name: Name of the operation.
      na_value: What stands for an empty field, too.
      select_cols: Which columns count, in increasing order; all if None.

    Raises:
      ValueError: `select_cols` does not increase, is negative, or does not fit the defaults.
      InvalidArgumentError: At run time: a record has another number of fields, or one that is no
        number.
    """
    if select_cols is not None:
        if any(a >= b for a, b in itertools.pairwise(select_cols)):
            raise ValueError("select_cols is not strictly increasing.")
        if select_cols[0] < 0:
            raise ValueError("select_cols contains negative values.")
        if len(select_cols) != len(record_defaults):
            raise ValueError("Length of select_cols and record_defaults do not match.")
    columns = apply_op(
        "DecodeCSV",
        records,
        record_defaults,
        field_delim=field_delim,
        use_quote_delim=use_quote_delim,
        na_value=na_value,
        select_cols=[] if select_cols is None else list(select_cols),
        name=name,
    )
    return list(columns)
