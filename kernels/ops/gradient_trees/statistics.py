"""Kernels that add gradients and hessians up, by node, bucket and dimension of a feature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.boosted_trees.created import Created
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.gradient_trees.stamped import check_next, check_stamp
from dataflow.kernels.gradient_trees.statistics import (
    Accumulator,
    Rows,
    ScalarStatistics,
    TensorStatistics,
    summed,
)
from dataflow.kernels.ops.gradient_trees.arguments import all_of, number

_WHAT = "the accumulator of statistics"


@kernel("CreateStatsAccumulatorScalar", device="CPU", handle=ScalarStatistics)
@kernel("CreateStatsAccumulatorTensor", device="CPU", handle=TensorStatistics)
def create(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(resource: Created[Accumulator], stamp: Any, *shapes: Any) -> None:
        gradient, hessian = (_shape(shape) for shape in shapes) if shapes else ((), ())
        if shapes and not (gradient and hessian):
            raise invalid("The shapes of a gradient and of a hessian must have a dimension.")
        resource.create(Accumulator(number(stamp, "stamp_token"), gradient, hessian))

    return run


def _shape(value: Any) -> tuple[int, ...]:
    if np.ndim(value) != 1 or (np.asarray(value) < 0).any():
        raise invalid(f"The shape of a gradient or hessian must be a vector, got {value}")
    return tuple(np.asarray(value).tolist())


@kernel("StatsAccumulatorScalarAdd", device="CPU")
@kernel("StatsAccumulatorTensorAdd", device="CPU")
def add(node: KernelNode, xp: Any) -> Callable[..., None]:
    count = node.attr("num_resource_handles")
    kind = ScalarStatistics if "Scalar" in node.op else TensorStatistics

    def run(*inputs: Any) -> None:
        handles, token = all_of(inputs[:count], kind), number(inputs[count], "stamp_token")
        columns = inputs[count + 1 :]
        for place, resource in enumerate(handles):
            with resource.change() as accumulator:
                # Who saw an earlier ensemble is too late.
                if accumulator.stamp == token:
                    accumulator.add(Rows(*columns[place::count]))

    return run


@kernel("StatsAccumulatorScalarFlush", device="CPU", handle=ScalarStatistics)
@kernel("StatsAccumulatorTensorFlush", device="CPU", handle=TensorStatistics)
def flush(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(resource: Created[Accumulator], stamp: Any, following: Any) -> Any:
        token, later = number(stamp, "stamp_token"), number(following, "next_stamp_token")
        with resource.change() as accumulator:
            check_stamp(accumulator.stamp, token, _WHAT)
            check_next(token, later)
            found, updates = accumulator.sums(), accumulator.updates
            accumulator.clear(later)
        return np.int64(updates), *_columns(found)

    return run


@kernel("StatsAccumulatorScalarSerialize", device="CPU", handle=ScalarStatistics)
@kernel("StatsAccumulatorTensorSerialize", device="CPU", handle=TensorStatistics)
def serialize(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(resource: Created[Accumulator]) -> Any:
        with resource.change() as accumulator:
            stamp, updates = accumulator.stamp, accumulator.updates
            found = accumulator.sums()
        return np.int64(stamp), np.int64(updates), *_columns(found)

    return run


@kernel("StatsAccumulatorScalarDeserialize", device="CPU", handle=ScalarStatistics)
@kernel("StatsAccumulatorTensorDeserialize", device="CPU", handle=TensorStatistics)
def deserialize(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(resource: Created[Accumulator], stamp: Any, updates: Any, *columns: Any) -> None:
        with resource.change() as accumulator:
            accumulator.replace(
                number(stamp, "stamp_token"), number(updates, "num_updates"), Rows(*columns)
            )

    return run


@kernel("StatsAccumulatorScalarMakeSummary", device="CPU")
@kernel("StatsAccumulatorTensorMakeSummary", device="CPU")
def make_summary(node: KernelNode, xp: Any) -> Callable[..., Any]:
    shapes = ((), ()) if "Scalar" in node.op else None

    def run(*columns: Any) -> Any:
        rows = Rows(*columns)
        rows.check(shapes)
        return _columns(summed(rows))

    return run


def _columns(rows: Rows) -> tuple[Any, ...]:
    return rows.partitions, rows.features, rows.gradients, rows.hessians
