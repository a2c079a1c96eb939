"""Rows of different lengths as a dense or a sparse tensor."""

from __future__ import annotations

from typing import Any, Final

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.gather as array_gather
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.slice as array_slice
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.ops.array.reduction import reduction
from dataflow.ops.array.select import where_v2
from dataflow.ops.basic.range import range as number_range
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, with_rank, with_rank_at_least
from dataflow.values.shapes import TensorShape

KINDS: Final = ("FIRST_DIM_SIZE", "VALUE_ROWIDS", "ROW_SPLITS")


def _ragged_rank(kinds: list[str]) -> int:
    """How many dimensions the partitions add to those of the values.

    Raises:
      ValueError: A kind of partition is not known, or cannot stand there.
    """
    for kind in kinds:
        if kind not in KINDS:
            raise ValueError(f"Unknown string for partition info type: {kind}")
    return len(kinds) - (kinds[:1] == ["FIRST_DIM_SIZE"])


def _shown(dims: tuple[int | None, ...]) -> str:
    return "[" + ",".join("?" if dim is None else str(dim) for dim in dims) + "]"


def _dense_shape(c: InferenceContext) -> TensorShape:
    kinds = [
        kind.decode() if isinstance(kind, bytes) else kind for kind in c.attr("row_partition_types")
    ]
    rank = _ragged_rank(kinds)
    wanted = _wanted(c)
    values, default = c.input(1).dims_tuple, c.input(2).dims_tuple
    if values is None:
        return UNKNOWN if wanted is None else TensorShape.of(wanted)
    whole = (None,) * (rank + 1) + values[1:]
    if wanted is not None:
        if len(wanted) != len(whole):
            raise ValueError(
                f"rt_input.shape and shape={_shown(wanted)} are incompatible: rt_input.rank = "
                f"{len(whole)} but shape.rank = {len(wanted)}"
            )
        for axis in range(rank + 1, len(whole)):
            if None not in (whole[axis], wanted[axis]) and whole[axis] != wanted[axis]:
                raise ValueError(
                    f"rt_input.shape and shape={_shown(wanted)} are incompatible: "
                    f"rt_input.shape[{axis}] = {whole[axis]} but shape[{axis}] = {wanted[axis]}"
                )
        pairs = zip(wanted, whole, strict=True)
        whole = tuple(a if b is None else b for a, b in pairs)
    if default is not None:
        check_default(default, values)
    return TensorShape.of(whole)


def _wanted(c: InferenceContext) -> tuple[int | None, ...] | None:
    rank = c.input(0).rank
    known = c.constant(0)
    if rank is not None and rank > 1:
        raise ValueError(f"Shape must be at most rank 1 but is rank {rank}")
    if known is not None and not known.ndim:
        if int(known) != -1:
            raise ValueError(
                "The only valid scalar shape tensor is the fully unknown shape specified as -1."
            )
        return None
    return c.constant_as_shape(0).dims_tuple if rank == 1 else None


def check_default(default: tuple[int | None, ...], values: tuple[int | None, ...]) -> None:
    """Refuses a default whose shape does not broadcast to that of one of the values.

    Raises:
      ValueError: It does not.
    """
    text = (
        f"default_value.shape={_shown(default)} and rt_input.flat_values.shape={_shown(values)} "
        "are incompatible: "
    )
    if len(default) >= len(values):
        raise ValueError(
            f"{text}default_value.rank = {len(default)}  must be less than "
            f"rt_input.flat_values.rank = {len(values)}"
        )
    for place in range(1, len(default) + 1):
        have, need = default[-place], values[-place]
        if None not in (have, need) and have not in (1, need):
            raise ValueError(
                f"{text}default_value.shape[-{place}] = {have} but "
                f"rt_input.flat_values.shape[-{place}] = {need}"
            )


def _dense_gradient(op: Operation, grad: Any) -> list[Any]:
    """To a value goes what came to its place; to the default what came to all others."""
    _, values, default, *partitions = op.inputs
    sizes: Any = array_shape.shape(values)
    ranks: Any = array_shape.rank(values)
    begin = array_shape.expand_dims(array_shape.rank(grad) - ranks + 1, 0)
    outer = array_slice.slice(array_shape.shape(grad), [0], begin)
    owners: Any = single(
        "RaggedTensorToTensor",
        outer,
        number_range(sizes[0]),
        -1,
        partitions,
        row_partition_types=op.get_attr("row_partition_types"),
    )
    flat = array_shape.reshape(owners, [-1])
    rows = array_shape.reshape(grad, array_concat.concat([[-1], sizes[1:]], 0))
    is_value = single("GreaterEqual", flat, 0)
    used = array_shape.reshape(where_v2(is_value), [-1])
    of_values = single(
        "UnsortedSegmentSum",
        array_gather.gather(rows, used),
        array_gather.gather(flat, used),
        sizes[0],
    )
    unused = array_shape.reshape(where_v2(single("LogicalNot", is_value)), [-1])
    rest = array_gather.gather(rows, unused)
    _, axes = apply_op("BroadcastGradientArgs", array_shape.shape(rest), array_shape.shape(default))
    of_default = array_shape.reshape(reduction("Sum", rest, axes), array_shape.shape(default))
    return [None, of_values, of_default, *[None] * len(partitions)]


def _sparse_shapes(c: InferenceContext) -> list[TensorShape]:
    count = c.num_inputs - 1
    for place in range(count):
        with_rank(c.input(place), 1)
    values = with_rank_at_least(c.input(count), 1)
    rank = None if values.rank is None else values.rank + count
    size = values.num_elements()
    return [TensorShape.of((size, rank)), TensorShape.of((size,)), TensorShape.of((rank,))]


def _sparse_gradient(op: Operation, _: Any, grad: Any, __: Any) -> list[Any]:
    count: int = op.get_attr("RAGGED_RANK")
    shape = array_shape.shape(op.inputs[count])
    return [*[None] * count, array_shape.reshape(grad, shape)]


define_op(
    "RaggedTensorToTensor",
    inputs=(
        "shape: Tshape, values: T, default_value: T, "
        "row_partition_tensors: num_row_partition_tensors * Tindex"
    ),
    outputs="result: T",
    attrs=[
        "T: type",
        "Tindex: {int64, int32}",
        "Tshape: {int64, int32}",
        "num_row_partition_tensors: int >= 1",
        "row_partition_types: list(string)",
    ],
    shape=_dense_shape,
    gradient=_dense_gradient,
    doc="Rows of different lengths as a tensor, filled up with a default.",
)

define_op(
    "RaggedTensorToSparse",
    inputs="rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: T",
    outputs="sparse_indices: int64, sparse_values: T, sparse_dense_shape: int64",
    attrs=["RAGGED_RANK: int >= 1", "T: type", "Tsplits: {int32, int64} = int64"],
    shape=_sparse_shapes,
    gradient=_sparse_gradient,
    doc="Rows of different lengths as a sparse tensor.",
)
