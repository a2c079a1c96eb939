"""tensorflow.python.data.experimental.ops.map_defun: a function for each row of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.values.attrs import NameAttrList
from dataflow.values.shapes import as_shape

__all__ = ["map_defun"]


def map_defun(
    fn: Any,
    elems: Sequence[Any],
    output_dtypes: Sequence[Any],
    output_shapes: Sequence[Any],
    max_intra_op_parallelism: int = 1,
) -> list[Tensor]:
    """What a function with a signature makes of each row, stacked.

    Args:
      fn: Made by `defun` or `tf.function`.
      elems: A list of tensors with as many rows.
      output_dtypes: Types of the results, a list.
      output_shapes: Shapes of the results of one row, a list.
      max_intra_op_parallelism: Is written into the graph only.

    Raises:
      ValueError: No lists, or tensors whose rows differ in number.
    """
    for name, value, what in (
        ("elems", elems, "tensors"),
        ("output_dtypes", output_dtypes, "`tf.DType` objects"),
        ("output_shapes", output_shapes, "`tf.TensorShape` objects"),
    ):
        if not isinstance(value, list):
            raise ValueError(f"`{name}` must be a list of {what}.")
    concrete = fn.get_concrete_function()
    concrete.add_to_graph()
    made = apply_op(
        "MapDefun",
        [convert_to_tensor(each) for each in elems],
        list(concrete.captured_inputs),
        output_types=output_dtypes,
        output_shapes=[as_shape(shape) for shape in output_shapes],
        f=NameAttrList(concrete.name),
        max_intra_op_parallelism=max_intra_op_parallelism,
    )
    return list(made) if isinstance(made, (list, tuple)) else [made]
