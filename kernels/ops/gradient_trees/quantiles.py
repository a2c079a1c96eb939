"""Kernels of streams of values: summaries, quantiles, and the buckets between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from dataflow.kernels.boosted_trees.streams import Stream
from dataflow.kernels.boosted_trees.summaries import Summary
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.gradient_trees.stamped import check_next, check_stamp
from dataflow.kernels.gradient_trees.streams import (
    StampedStream,
    StampedStreamResource,
    different,
    summary_message,
    summary_of,
)
from dataflow.kernels.ops.gradient_trees.arguments import all_of, element, message, number
from dataflow.proto.quantiles_pb2 import QuantileConfig

_WHAT = "the quantile accumulator"


@kernel("CreateQuantileAccumulator", device="CPU", handle=StampedStreamResource)
def create(node: KernelNode, xp: Any) -> Callable[..., None]:
    settings = [
        node.attr(name)
        for name in ("epsilon", "max_elements", "num_quantiles", "generate_quantiles")
    ]

    def run(resource: StampedStreamResource, stamp: Any) -> None:
        resource.create(StampedStream(number(stamp, "stamp_token"), *settings))

    return run


@kernel("QuantileAccumulatorAddSummaries", device="CPU")
def add_summaries(node: KernelNode, xp: Any) -> Callable[..., None]:
    count = node.attr("num_resource_handles")

    def run(*inputs: Any) -> None:
        handles = all_of(inputs[:count], StampedStreamResource)
        token, summaries = number(inputs[count], "stamp_token"), inputs[count + 1 :]
        for resource, serialized in zip(handles, summaries, strict=True):
            with resource.change() as held:
                # Who saw an earlier ensemble is too late.
                if held.stamp == token:
                    held.push(summary_of(message(serialized, "Each of summaries")))

    return run


@kernel("QuantileAccumulatorGetBuckets", device="CPU")
def get_buckets(node: KernelNode, xp: Any) -> Callable[..., Any]:
    count = node.attr("num_resource_handles")

    def run(*inputs: Any) -> Any:
        token = number(inputs[count], "stamp_token")
        ready, buckets = [], []
        for resource in all_of(inputs[:count], StampedStreamResource):
            with resource.read() as held:
                is_ready = held.stamp == token and held.are_buckets_ready
                ready.append(np.bool_(is_ready))
                buckets.append(np.array(held.boundaries if is_ready else [], np.float32))
        return *ready, *buckets

    return run


@kernel("QuantileAccumulatorFlush", device="CPU", handle=StampedStreamResource)
def flush(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(resource: StampedStreamResource, stamp: Any, following: Any) -> None:
        token, later = number(stamp, "stamp_token"), number(following, "next_stamp_token")
        with resource.change() as held:
            check_stamp(held.stamp, token, _WHAT)
            held.flush(later)

    return run


@kernel("QuantileAccumulatorFlushSummary", device="CPU", handle=StampedStreamResource)
def flush_summary(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(resource: StampedStreamResource, stamp: Any, following: Any) -> Any:
        token, later = number(stamp, "stamp_token"), number(following, "next_stamp_token")
        with resource.change() as held:
            check_stamp(held.stamp, token, _WHAT)
            check_next(token, later)
            found = held.stream.summary()
            held.begin(later)
        return np.array(summary_message(found).SerializeToString(), object)

    return run


@kernel("QuantileAccumulatorSerialize", device="CPU", handle=StampedStreamResource)
def serialize(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(resource: StampedStreamResource) -> Any:
        with resource.read() as held:
            boundaries = held.boundaries if held.are_buckets_ready else []
            return (
                np.int64(held.stamp),
                np.array(held.state(), object),
                np.bool_(held.are_buckets_ready),
                np.array(boundaries, np.float32),
            )

    return run


@kernel("QuantileAccumulatorDeserialize", device="CPU", handle=StampedStreamResource)
def deserialize(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(
        resource: StampedStreamResource, stamp: Any, state: Any, ready: Any, buckets: Any
    ) -> None:
        if np.ndim(buckets) != 1:
            raise invalid(f"buckets must be a vector, got shape {shape_text(np.shape(buckets))}")
        with resource.change() as held:
            held.restore(
                number(stamp, "stamp_token"),
                message(state, "stream_state"),
                bool(element(ready, "are_buckets_ready")),
                buckets,
            )

    return run


def _counts(node: KernelNode) -> tuple[int, int]:
    """How many features there are whose values all examples have, and how many sparse ones."""
    dense, sparse = node.attr("num_dense_features"), node.attr("num_sparse_features")
    if not dense + sparse:
        raise invalid("Please provide at least sparse or dense features.")
    return dense, sparse


def _weighted(node: KernelNode, inputs: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """Values and weights of each feature, the sparse ones last."""
    dense, sparse = _counts(node)
    weights = np.ravel(inputs[-1])
    examples = len(weights)
    for column in inputs[:dense]:
        values = np.ravel(column)
        if len(values) < examples:
            raise invalid(f"A feature has {len(values)} values, and there are {examples} weights")
        yield values[:examples], weights
    for place in range(dense, dense + sparse):
        indices, values, shape = (inputs[place + part * sparse] for part in range(3))
        if not np.size(shape) or int(np.ravel(shape)[0]) != examples:
            raise invalid("Sparse column shape doesn't match the batch size.")
        if np.ndim(indices) != 2 or len(indices) != np.size(values) or not indices.shape[1]:
            raise invalid("Sparse column indices must be a matrix with a row for each value.")
        rows = indices[:, 0]
        if rows.size and (rows.min() < 0 or rows.max() >= examples):
            raise invalid(f"Sparse column indices name examples out of [0, {examples})")
        yield np.ravel(values), weights[rows]


@kernel("MakeQuantileSummaries", device="CPU")
def make_summaries(node: KernelNode, xp: Any) -> Callable[..., Any]:
    _counts(node)
    error = node.attr("epsilon")

    def run(*inputs: Any) -> Any:
        most = np.size(inputs[-1]) + 1
        return tuple(
            np.array(
                summary_message(_summary(values, weights, error, most)).SerializeToString(), object
            )
            for values, weights in _weighted(node, inputs)
        )

    return run


def _summary(values: Any, weights: Any, error: float, most: int) -> Summary:
    stream = Stream(error, most)
    stream.push(values, weights)
    return stream.summary()


@kernel("QuantileBuckets", device="CPU")
def quantile_buckets(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dense, sparse = _counts(node)
    configs: list[QuantileConfig] = []
    for kind, count in (("dense", dense), ("sparse", sparse)):
        given = node.attr(f"{kind}_config")
        if len(given) != count:
            raise invalid(f"Mismatch in number of {kind} quantile configs.")
        try:
            configs += [QuantileConfig.FromString(each) for each in given]
        except DecodeError:
            raise invalid("Malformed QuantileConfig passed in.") from None

    def run(*inputs: Any) -> Any:
        most = max(np.size(inputs[-1]), 1)
        return tuple(
            different(_summary(values, weights, config.eps, most).boundaries(config.num_quantiles))
            for config, (values, weights) in zip(configs, _weighted(node, inputs), strict=True)
        )

    return run


@kernel("Quantiles", device="CPU")
def quantiles(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dense, sparse = _counts(node)

    def run(*inputs: Any) -> Any:
        values, boundaries = inputs[: dense + sparse], inputs[dense + sparse : 2 * (dense + sparse)]
        dimensions = [None] * dense + [_dimension(each) for each in inputs[2 * (dense + sparse) :]]
        for place, each in enumerate(boundaries):
            if np.ndim(each) != 1:
                kind = "Dense" if place < dense else "Sparse"
                raise invalid(f"{kind} buckets should be flat vectors")
        return tuple(map(_quantized, values, boundaries, dimensions))

    return run


def _dimension(indices: Any) -> Any:
    if np.ndim(indices) != 2 or indices.shape[1] < 2:
        raise invalid(
            "Sparse indices must be a matrix of two columns, got shape "
            f"{shape_text(np.shape(indices))}"
        )
    return indices[:, 1]


def _quantized(values: Any, boundaries: Any, dimensions: Any) -> Any:
    """Buckets and dimensions of values, a row for each."""
    if np.ndim(values) < 1:
        raise invalid("Values to quantize must have a dimension.")
    count = len(values)
    if not len(boundaries) and count:
        raise invalid("There are no buckets to quantize values by.")
    # A matrix counts as a vector of its first elements, as long as there are rows.
    flat = np.ravel(values)[:count]
    found = np.zeros((count, 2), np.int32)
    buckets = np.minimum(np.searchsorted(boundaries, flat), max(len(boundaries) - 1, 0))
    # A NaN is less than nothing and nothing is less than it: the first bucket is its.
    found[:, 0] = np.where(np.isnan(flat), 0, buckets)
    if dimensions is not None:
        if len(dimensions) != count:
            raise invalid(f"There are {count} sparse values and {len(dimensions)} indices")
        found[:, 1] = dimensions
    return found


@kernel("BucketizeWithInputBoundaries", device="CPU")
def bucketize(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(values: Any, boundaries: Any) -> Any:
        values = np.asarray(values)
        limits = np.ravel(boundaries).astype(values.dtype)
        if (limits[1:] < limits[:-1]).any():
            raise invalid("Expected sorted boundaries")
        found = np.searchsorted(limits, np.ravel(values), side="right")
        return found.reshape(values.shape).astype(np.int32)

    return run
