"""Ops of servers that put requests of several steps together."""

from __future__ import annotations

from dataflow.ops.basic.shape_parts import unknown_of_rank
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import SCALAR, unknown, with_rank
from dataflow.values.shapes import TensorShape

_NAMES = ("container: string = ''", "shared_name: string = ''")
_INDEX = TensorShape.of((None, 3))


def _batched(c: InferenceContext) -> list[TensorShape]:
    tensors = []
    for place in range(c.num_inputs):
        dims = c.input(place).dims_tuple
        if dims == ():
            raise ValueError("Out of range dim_index 0 for shape with 0 dimensions")
        tensors.append(TensorShape(None) if dims is None else TensorShape.of((None, *dims[1:])))
    return [*tensors, _INDEX, SCALAR]


def _unbatched(c: InferenceContext) -> TensorShape:
    with_rank(c.input(1), 2)
    with_rank(c.input(2), 0)
    dims = c.input(0).dims_tuple
    return TensorShape(None) if dims is None else TensorShape.of((None, *dims[1:]))


def _gradient(c: InferenceContext) -> TensorShape:
    with_rank(c.input(1), 2)
    with_rank(c.input(3), 0)
    return unknown_of_rank(c.input(2).rank)


define_op(
    "BatchFunction",
    inputs="in_tensors: Tin, captured_tensors: Tcaptured",
    outputs="out_tensors: Tout",
    attrs=[
        "f: func",
        "num_batch_threads: int",
        "max_batch_size: int",
        "batch_timeout_micros: int",
        "max_enqueued_batches: int = 10",
        "allowed_batch_sizes: list(int) = []",
        *_NAMES,
        "batching_queue: string = ''",
        "low_priority_max_batch_size: int = 0",
        "low_priority_batch_timeout_micros: int = 0",
        "low_priority_allowed_batch_sizes: list(int) = []",
        "low_priority_max_enqueued_batches: int = 0",
        "mixed_priority_policy: {'low_priority_padding_with_max_batch_size',"
        " 'low_priority_padding_with_next_allowed_batch_size', 'priority_isolation',"
        " 'priority_merge'} = 'low_priority_padding_with_max_batch_size'",
        "batch_padding_policy: {'PAD_UP', 'BATCH_DOWN', 'MINIMIZE_TPU_COST_PER_REQUEST'} ="
        " 'PAD_UP'",
        "Tin: list(type) >= 1",
        "Tcaptured: list(type) >= 0",
        "Tout: list(type) >= 1",
        "enable_large_batch_splitting: bool = false",
    ],
    shape=unknown,
    gradient=MISSING_GRADIENT,
    doc="What a function makes of a batch; the function decides on each row by itself.",
)
define_op(
    "Batch",
    inputs="in_tensors: T",
    outputs="batched_tensors: T, batch_index: int64, id: int64",
    attrs=[
        "num_batch_threads: int",
        "max_batch_size: int",
        "max_enqueued_batches: int = 10",
        "batch_timeout_micros: int",
        "allowed_batch_sizes: list(int) = []",
        "grad_timeout_micros: int",
        *_NAMES,
        "batching_queue: string = ''",
        "T: list(type) >= 1",
    ],
    shape=_batched,
    gradient=MISSING_GRADIENT,
    doc="A batch, which rows are whose, and this request's number; one step has all rows.",
)
define_op(
    "Unbatch",
    inputs="batched_tensor: T, batch_index: int64, id: int64",
    outputs="unbatched_tensor: T",
    attrs=["timeout_micros: int", *_NAMES, "T: type"],
    shape=_unbatched,
    gradient=MISSING_GRADIENT,
    doc="The rows of a batch that are a request's.",
)
define_op(
    "UnbatchGrad",
    inputs="original_input: T, batch_index: int64, grad: T, id: int64",
    outputs="batched_grad: T",
    attrs=[*_NAMES, "T: type"],
    shape=_gradient,
    gradient=MISSING_GRADIENT,
    doc="The gradient of a batch, of the gradients of the rows of requests.",
)
