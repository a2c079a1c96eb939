"""Kernels of summaries of features' values, of quantiles, and of the buckets between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.boosted_trees.streams import QuantileStreamResource, QuantileStreams, Stream
from dataflow.kernels.boosted_trees.summaries import Summary
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.boosted_trees.arguments import scalar, vector


@kernel("BoostedTreesMakeQuantileSummaries", device="CPU")
def make_summaries(node: KernelNode, xp: Any) -> Callable[..., Any]:
    count = node.attr("num_features")

    def run(*inputs: Any) -> Any:
        features, weights, epsilon = inputs[:count], np.ravel(inputs[count]), inputs[count + 1]
        examples = np.size(features[0]) if features else 0
        if features and len(weights) not in (1, examples):
            raise invalid("Weights should be a single value or same size as features.")
        error = float(scalar(epsilon, "epsilon"))
        weights = np.broadcast_to(weights, (examples,)) if features else weights
        return tuple(_summary(feature, weights, error) for feature in features)

    return run


def _summary(values: Any, weights: Any, error: float) -> Any:
    if np.size(values) != len(weights):
        raise invalid(
            f"All features must have the same number of values, got {len(weights)} and "
            f"{np.size(values)}"
        )
    stream = Stream(error, len(weights) + 1)
    stream.push(np.ravel(values), weights)
    return stream.summary().rows


@kernel("BoostedTreesFlushQuantileSummaries", device="CPU", handle=QuantileStreamResource)
def flush_summaries(node: KernelNode, xp: Any) -> Callable[..., Any]:
    count = node.attr("num_features")

    def run(resource: QuantileStreamResource) -> Any:
        with resource.change() as held:
            _check_count(held, count)
            found = tuple(stream.summary().rows for stream in held.streams)
            held.begin()
        return found

    return run


@kernel(
    "BoostedTreesQuantileStreamResourceAddSummaries", device="CPU", handle=QuantileStreamResource
)
def add_summaries(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(resource: QuantileStreamResource, *summaries: Any) -> None:
        for place, rows in enumerate(summaries):
            if np.ndim(rows) != 2 or np.shape(rows)[1] != 4:
                raise invalid(
                    "Each summary must be a matrix of 4 columns, received shape "
                    f"{shape_text(np.shape(rows))} at index {place}"
                )
        with resource.change() as held:
            _check_count(held, len(summaries))
            for stream, rows in zip(held.streams, summaries, strict=True):
                stream.push_summary(Summary.of_rows(rows))

    return run


@kernel(
    "BoostedTreesQuantileStreamResourceDeserialize", device="CPU", handle=QuantileStreamResource
)
def deserialize(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(resource: QuantileStreamResource, *boundaries: Any) -> None:
        for place, values in enumerate(boundaries):
            vector(values, "Each bucket_boundaries must be", place)
        with resource.change() as held:
            _check_count(held, len(boundaries))
            held.boundaries[:] = [np.array(values, np.float32) for values in boundaries]

    return run


@kernel("BoostedTreesQuantileStreamResourceFlush", device="CPU", handle=QuantileStreamResource)
def flush(node: KernelNode, xp: Any) -> Callable[..., None]:
    is_exact = node.attr("generate_quantiles")
    least = 3 if is_exact else 1

    def run(resource: QuantileStreamResource, num_buckets: Any) -> None:
        count = int(scalar(num_buckets, "num_buckets"))
        if count < least:
            raise invalid(f"num_buckets must be at least {least}, got {count}")
        with resource.change() as held:
            found = [_boundaries(stream.summary(), count, is_exact) for stream in held.streams]
            held.boundaries[:] = found
            held.begin()

    return run


def _boundaries(summary: Summary, count: int, is_exact: bool) -> Any:
    if is_exact:
        return summary.quantiles(count - 1)
    values = summary.boundaries(count)
    return values[np.concatenate([[True], values[1:] != values[:-1]])] if len(values) else values


@kernel(
    "BoostedTreesQuantileStreamResourceGetBucketBoundaries",
    device="CPU",
    handle=QuantileStreamResource,
)
def bucket_boundaries(node: KernelNode, xp: Any) -> Callable[..., Any]:
    count = node.attr("num_features")

    def run(resource: QuantileStreamResource) -> Any:
        with resource.read() as held:
            _check_count(held, count)
            return tuple(np.array(values) for values in held.boundaries)

    return run


def _check_count(held: QuantileStreams, count: int) -> None:
    if len(held.streams) != count:
        raise invalid(f"There are {len(held.streams)} streams, and {count} features")


@kernel("BoostedTreesBucketize", device="CPU")
def bucketize(node: KernelNode, xp: Any) -> Callable[..., Any]:
    count = node.attr("num_features")

    def run(*inputs: Any) -> Any:
        features, boundaries = inputs[:count], inputs[count:]
        if any(np.ndim(values) != 1 for values in boundaries):
            raise invalid("Buckets should be flat vectors.")
        return tuple(map(_buckets, features, boundaries))

    return run


def _buckets(values: Any, boundaries: Any) -> Any:
    last = max(len(boundaries) - 1, 0)
    found = np.searchsorted(boundaries, vector(values, "Each feature must be"))
    # A NaN is less than nothing and nothing is less than it: the first bucket is its.
    return np.where(np.isnan(values), 0, np.minimum(found, last)).astype(np.int32)
