"""Kernels of accumulators of gradients; a handle is the accumulator itself."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.lists.partial_shapes import Dims
from dataflow.kernels.queues.accumulators import Accumulator, DenseAccumulator, SparseAccumulator
from dataflow.kernels.queues.waiting import Done, Waiter
from dataflow.values import dtypes

_NUMBERS: Final = itertools.count()
_TYPES: Final = {"dtype": (dtypes.float16, dtypes.float32, dtypes.float64)}


@kernel(
    "ConditionalAccumulator",
    "ResourceConditionalAccumulator",
    "SparseConditionalAccumulator",
    device="CPU",
    dtypes=_TYPES,
)
def accumulator(node: KernelNode, xp: Any) -> Callable[[], Accumulator]:
    """The accumulator of the name that nodes share, or one of the node's own."""
    kind = SparseAccumulator if node.op.startswith("Sparse") else DenseAccumulator
    shape = node.attr("shape")
    dims: Dims | None = None if shape.rank is None else tuple(shape.as_list())
    dtype, takes_mean = node.attr("dtype"), node.attr("reduction_type") == b"MEAN"
    name = node.attr("shared_name").decode(errors="backslashreplace")
    if not name:
        own = kind(f"_{next(_NUMBERS)}_{node.name}", dtype, dims, takes_mean)
        return lambda: own
    container = node.attr("container").decode(errors="backslashreplace")
    find = node.resources.lookup_or_create
    return lambda: find(container, name, kind, lambda: kind(name, dtype, dims, takes_mean))


@kernel("AccumulatorNumAccumulated", "ResourceAccumulatorNumAccumulated", device="CPU")
def num_accumulated(node: KernelNode, xp: Any) -> Callable[[Accumulator], Any]:
    return lambda accumulator: np.int32(accumulator.count)


@kernel("AccumulatorSetGlobalStep", "ResourceAccumulatorSetGlobalStep", device="CPU")
def set_global_step(node: KernelNode, xp: Any) -> Callable[[Accumulator, Any], None]:
    def run(accumulator: Accumulator, step: Any) -> None:
        accumulator.set_step(_number("new_global_step", step))

    return run


@kernel(
    "AccumulatorApplyGradient",
    "ResourceAccumulatorApplyGradient",
    device="CPU",
    dtypes=_TYPES,
)
def apply_gradient(node: KernelNode, xp: Any) -> Callable[..., None]:
    check = _signature(node)

    def run(accumulator: DenseAccumulator, local_step: Any, gradient: Any) -> None:
        check(accumulator)
        accumulator.apply(_number("local_step", local_step), gradient)

    return run


@kernel("SparseAccumulatorApplyGradient", device="CPU", dtypes=_TYPES)
def sparse_apply_gradient(node: KernelNode, xp: Any) -> Callable[..., None]:
    check, has_shape = _signature(node), node.attr("has_known_shape")

    def run(
        accumulator: SparseAccumulator, local_step: Any, indices: Any, values: Any, shape: Any
    ) -> None:
        check(accumulator)
        step = _number("local_step", local_step)
        accumulator.apply(step, indices, values, shape if has_shape else None)

    return run


@kernel(
    "AccumulatorTakeGradient",
    "ResourceAccumulatorTakeGradient",
    "SparseAccumulatorTakeGradient",
    device="CPU",
    dtypes=_TYPES,
    blocking=True,
)
def take_gradient(node: KernelNode, xp: Any) -> Callable[..., None]:
    check = _signature(node)

    def run(step: Waiter, done: Done, accumulator: Accumulator, num_required: Any) -> None:
        check(accumulator)
        required = _number("num_required", num_required)
        if required <= 0:
            raise invalid(f"Argument num_required must be positive, but was {required}")
        accumulator.take(step, done, required)

    return run


def _number(argument: str, value: Any) -> int:
    if np.ndim(value):
        raise invalid(
            f"Argument {argument} must be scalar, but had bad shape {shape_text(np.shape(value))}"
        )
    return int(value)


def _signature(node: KernelNode) -> Callable[[Accumulator], None]:
    """Checks that the gradients of a node are of its accumulator's kind and type."""
    dtype, is_sparse = node.attr("dtype"), node.op.startswith("Sparse")
    kind: type[Accumulator] = SparseAccumulator if is_sparse else DenseAccumulator

    def check(accumulator: Accumulator) -> None:
        if not isinstance(accumulator, kind):
            raise invalid(
                f"{node.op} does not work with what its handle refers to, a "
                f"{type(accumulator).__name__}."
            )
        if accumulator.dtype != dtype:
            raise invalid(
                f"Signature mismatch: gradients are {type_name(dtype)}, and accumulator "
                f"'{accumulator.name}' holds {type_name(accumulator.dtype)}"
            )

    return check
