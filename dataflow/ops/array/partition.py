"""Ops that sort the entries of a tensor into several, and put them together again."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.gather as array_gather
import dataflow.ops.array.shape as array_shape
import dataflow.ops.basic.range as range_ops
from dataflow.graph.apply_op import apply_op
from dataflow.graph.dispatch import dispatched
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.reduction import reduction
from dataflow.ops.basic.shape_parts import merge_prefix, subshape, vector
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, merge
from dataflow.values.shapes import TensorShape


def _stitch_shape(c: InferenceContext) -> TensorShape:
    count: int = c.attr("N")
    greatest = -1
    all_known = True
    extra = UNKNOWN
    for i in range(count):
        known = c.constant(i)
        if known is None:
            all_known = False
        elif known.size:
            greatest = max(greatest, int(known.max()))
        indices, data = c.input(i), c.input(i + count)
        if indices.rank is None:
            continue
        merge_prefix(data, indices)
        extra = merge(extra, subshape(data, indices.rank))
    return vector(greatest + 1 if all_known else None).concatenate(extra)


def _partition_shape(c: InferenceContext) -> list[TensorShape]:
    data, partitions = c.input(0), c.input(1)
    if partitions.rank is None:
        return [UNKNOWN] * c.num_outputs
    merge_prefix(data, partitions)
    return [vector(None).concatenate(subshape(data, partitions.rank))] * c.num_outputs


def _stitch_gradient(op: Operation, grad: Any) -> Any:
    count = len(op.inputs) // 2
    if isinstance(grad, IndexedSlices):
        shape: Any = array_shape.shape(op.outputs[0])
        grad = single("UnsortedSegmentSum", grad.values, grad.indices, shape[0])
    return [None] * count + [array_gather.gather(grad, op.inputs[i]) for i in range(count)]


def _partition_gradient(op: Operation, *grads: Any) -> Any:
    data, partitions = op.inputs
    shape = array_shape.shape(partitions)
    numbers = range_ops.range(reduction("Prod", shape))
    places = dynamic_partition(
        array_shape.reshape(numbers, shape), partitions, op.attrs["num_partitions"]
    )
    together = parallel_dynamic_stitch(places, grads)
    return [array_shape.reshape(together, array_shape.shape(data)), None]


for _name, _doc in (
    ("DynamicStitch", "Entries of several tensors, each at its index; later ones win."),
    ("ParallelDynamicStitch", "Like DynamicStitch, in any order."),
):
    define_op(
        _name,
        inputs="indices: N * int32, data: N * T",
        outputs="merged: T",
        attrs=["N: int >= 1", "T: type"],
        shape=_stitch_shape,
        gradient=_stitch_gradient,
        doc=_doc,
    )

define_op(
    "DynamicPartition",
    inputs="data: T, partitions: int32",
    outputs="outputs: num_partitions * T",
    attrs=["num_partitions: int >= 1", "T: type"],
    shape=_partition_shape,
    gradient=_partition_gradient,
    doc="The entries of a tensor, sorted into several by their partition number.",
)


@dispatched
def dynamic_partition(
    data: Any, partitions: Any, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """Sorts the entries of a tensor into several.

    Args:
      data: Any tensor.
      partitions: Integers in [0, num_partitions), in the shape of the first dimensions of `data`.
      num_partitions: How many tensors there are to be.
      name: Name of the operation.

    Raises:
      ValueError: The shapes are known not to fit.
    """
    parts: list[Tensor] = apply_op(
        "DynamicPartition", data, partitions, num_partitions=num_partitions, name=name
    )
    return parts


def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """Puts entries of several tensors into one: `result[indices[m][i]] = data[m][i]`.

    Args:
      indices: List of integer tensors.
      data: List of tensors, each with the shape of its indices as its first dimensions.
      name: Name of the operation.

    Raises:
      ValueError: The shapes are known not to fit.
    """
    return single("DynamicStitch", indices, list(data), name=name)


def parallel_dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """Like `dynamic_stitch`; which of two entries with the same index wins is not said."""
    return single("ParallelDynamicStitch", indices, list(data), name=name)
