"""Summaries of values, streams of them, and quantiles, against sorted values."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.kernels.boosted_trees.streams import Stream
from dataflow.kernels.boosted_trees.summaries import Summary
from dataflow.library.boosted_trees.quantiles import QuantileAccumulator
from tests.kernels.boosted_trees.graphs import hidden, refusal, run


def _values(kind: str, count: int = 3000) -> tuple[Any, Any]:
    random = np.random.default_rng(len(kind))
    weights = np.ones(count, np.float32)
    values = random.normal(size=count)
    if kind == "sorted":
        values.sort()
    if kind == "repeated":
        values = random.integers(0, 40, count).astype(np.float64)
    if kind == "weighted":
        weights = (random.integers(0, 5, count) / 4).astype(np.float32)
    if kind == "heavy":
        weights[::100] = 500
    return values.astype(np.float32), weights


KINDS = ["plain", "sorted", "repeated", "weighted", "heavy"]


def _assert_bounds_hold(summary: Summary, values: Any, weights: Any, error: float) -> None:
    """A value's rank, the weight of all that are less, is within bounds, which are near enough."""
    order = np.argsort(values, kind="stable")
    before = np.concatenate([[0], np.cumsum(weights[order], dtype=np.float64)])
    total = before[-1]
    assert np.all(np.diff(summary.values) > 0)
    assert summary.values[0] == values[weights > 0].min()
    assert summary.values[-1] == values[weights > 0].max()
    assert summary.total_weight == pytest.approx(total)
    ranks = before[np.searchsorted(values[order], summary.values)]
    slack = 1e-5 * total
    assert np.all(summary.min_ranks <= ranks + slack)
    upper = before[np.searchsorted(values[order], summary.values, side="right")]
    assert np.all(summary.max_ranks >= upper - slack)
    assert summary.error <= error


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("error", [0.003, 0.05, 0.4])
def test_bounds_of_a_stream(kind: str, error: float) -> None:
    values, weights = _values(kind)
    stream = Stream(error, len(values) + 1)
    stream.push(values, weights)
    summary = stream.summary()
    _assert_bounds_hold(summary, values, weights, error)
    if error > 0.01:
        assert len(summary) < len(values) / 2


def _compressed(summary: Summary, size: int, error: float) -> list[int]:
    """The places that stay, value by value."""
    count, kept, at, saved = len(summary), [0], 0, 0
    allowed = summary.total_weight * max(1 / size, error)
    while at + 1 < count:
        following = at + 1
        while following < count and saved < count:
            if summary.ranks_before[following] - summary.ranks_behind[at] > np.float64(allowed):
                break
            saved, following = saved + size, following + 1
        at = max(following - 1, at + 1)
        kept.append(at)
        saved -= count
    return kept if kept[-1] == count - 1 else [*kept, count - 1]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", [0.01, 0.1, 0.4, 0.7, 0.99])
def test_compression_keeps_what_is_needed(kind: str, part: float) -> None:
    values, weights = _values(kind, 300)
    counts = weights > 0
    exact = Summary.of_values(values[counts], weights[counts])
    for summary in (exact, exact.compressed(20, 0.9)):
        assert summary.compressed(len(summary), 0.5) is summary
        size = max(2, int(part * len(summary)))
        for error in (0.0, 0.01, 0.3):
            places = _compressed(summary, size, error)
            found = summary.compressed(size, error)
            assert found.values.tolist() == summary.values[places].tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_bounds_of_merged_streams(kind: str) -> None:
    values, weights = _values(kind)
    whole = Stream(0.02, 1 << 40)
    for part in range(7):
        stream = Stream(0.02, len(values))
        stream.push(values[part::7], weights[part::7])
        whole.push_summary(stream.summary())
    _assert_bounds_hold(whole.summary(), values, weights, 0.04)


def test_a_stream_that_keeps_all_is_exact() -> None:
    values, weights = _values("weighted", 300)
    stream = Stream(1e-20, 301)
    stream.push(values, weights)
    summary = stream.summary()
    _assert_bounds_hold(summary, values, weights, 0)
    assert len(summary) == np.unique(values[weights > 0]).size


def _flushed(values: Any, weights: Any, error: float, count: int, **options: Any) -> Any:
    """Boundaries of two features, the second of which has all values twice as large."""

    def build() -> Any:
        streams = QuantileAccumulator(error, 2, count)
        halves = []
        for part in (slice(None, len(values) // 2), slice(len(values) // 2, None)):
            with tf.control_dependencies([streams.initializer, *halves]):
                given = [values[part], 2 * values[part]]
                halves = [streams.add_summaries(given, weights[part])]
        with tf.control_dependencies(halves):
            flush = tf.raw_ops.BoostedTreesQuantileStreamResourceFlush(
                quantile_stream_resource_handle=streams.resource_handle,
                num_buckets=np.int64(count),
                **options,
            )
        with tf.control_dependencies([flush]):
            return streams.get_bucket_boundaries()

    return run(build)


@pytest.mark.parametrize("kind", KINDS)
def test_quantiles_are_near_those_of_all_values(kind: str) -> None:
    values, weights = _values(kind)
    first, second = _flushed(values, weights, 0.01, 10, generate_quantiles=True)
    assert len(first) == 10
    assert np.array_equal(second, 2 * first)
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(weights[order], dtype=np.float64)
    for place, value in enumerate(first.tolist()):
        wanted = place / 9 * ends[-1]
        least = ends[np.searchsorted(values[order], value)] - weights[order].max()
        most = ends[np.searchsorted(values[order], value, side="right") - 1]
        assert least - 0.03 * ends[-1] <= wanted <= most + 0.03 * ends[-1]


def test_boundaries_have_about_the_same_weight_between_them() -> None:
    values, weights = _values("plain")
    first, second = _flushed(values, weights, 0.001, 10)
    assert np.array_equal(second, 2 * first)
    counts = np.histogram(values, first)[0]
    assert 10 <= len(first) <= 12
    assert counts[:-1].max() <= 1.3 * len(values) / 10


def test_few_values_are_their_own_boundaries() -> None:
    first, _ = _flushed(np.float32([3, 1, 2, 3]), np.ones(4, np.float32), 0.01, 10)
    assert first.tolist() == [1, 2, 3]


def test_values_of_tensorflow() -> None:
    """What TensorFlow 1.15 gave."""
    summaries = run(
        lambda: tf.raw_ops.BoostedTreesMakeQuantileSummaries(
            float_values=[np.float32([3, 1, 2, 3, 9, 1, 5])],
            example_weights=np.float32([1, 0.5, 2, 1, 0, 0.5, 4]),
            epsilon=0.25,
        )
    )
    assert summaries[0].tolist() == [[1, 1, 0, 1], [2, 2, 1, 3], [3, 2, 3, 5], [5, 4, 5, 9]]
    numbers = np.arange(1000, dtype=np.float32)
    first, _ = _flushed(np.roll(numbers, 300), np.ones(1000, np.float32), 0.02, 7)
    assert first.tolist() == [0, 137, 193, 338, 486, 634, 782, 930, 999]
    first, _ = _flushed(
        np.roll(numbers, 300), np.ones(1000, np.float32), 0.02, 7, generate_quantiles=True
    )
    assert first.tolist() == [0, 166, 334, 498, 666, 832, 999]


@pytest.mark.parametrize(
    ("epsilon", "digest"), [(0.01, "f150563186013283"), (0.1, "bffb737d3c0ba470")]
)
def test_summaries_of_tensorflow(epsilon: float, digest: str) -> None:
    """To the bit what TensorFlow 1.15 gave for 5000 values, which go through several levels."""
    numbers = np.arange(5000)
    (rows,) = run(
        lambda: tf.raw_ops.BoostedTreesMakeQuantileSummaries(
            float_values=[(numbers * 7919 % 5003 / 4).astype(np.float32)],
            example_weights=(numbers % 5 / 4).astype(np.float32),
            epsilon=epsilon,
        )
    )
    assert hashlib.sha256(np.ascontiguousarray(rows)).hexdigest()[:16] == digest


def test_buckets() -> None:
    """The first boundary that is not below; what is above all belongs to the last."""
    values = np.float32([-9, 0, 0.5, 1, 1.5, 2, 3, 99, np.inf, -np.inf, np.nan])
    boundaries = np.float32([0, 1, 2, 3])
    found = run(
        lambda: tf.raw_ops.BoostedTreesBucketize(
            float_values=[values, values], bucket_boundaries=[boundaries, boundaries[:0]]
        )
    )
    assert found[0].tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 3, 0, 0]
    assert found[1].tolist() == [0] * len(values)
    assert found[0].dtype == np.int32


def _raw(name: str, **options: Any) -> Callable[[], Any]:
    """An op on streams of two features, which are created before."""

    def build() -> Any:
        streams = QuantileAccumulator(0.1, 2, 3)
        with tf.control_dependencies([streams.initializer]):
            given = {key: value() for key, value in options.items()}
            return getattr(tf.raw_ops, f"BoostedTreesQuantileStreamResource{name}")(
                quantile_stream_resource_handle=streams.resource_handle, **given
            )

    return build


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (
            _raw("AddSummaries", summaries=lambda: [hidden(np.ones((2, 3)), np.float32)] * 2),
            "Each summary must be a matrix of 4 columns, received shape [2,3] at index 0",
        ),
        (
            _raw("AddSummaries", summaries=lambda: [hidden(np.ones((2, 4)), np.float32)]),
            "There are 2 streams, and 1 features",
        ),
        (
            _raw(
                "Deserialize", bucket_boundaries=lambda: [hidden(np.ones((2, 4)), np.float32)] * 2
            ),
            "Each bucket_boundaries must be a vector, received shape [2,4] at index 0",
        ),
        (
            _raw("GetBucketBoundaries", num_features=lambda: 3),
            "There are 2 streams, and 3 features",
        ),
        (_raw("Flush", num_buckets=lambda: np.int64(0)), "num_buckets must be at least 1, got 0"),
        (
            _raw("Flush", num_buckets=lambda: np.int64(2), generate_quantiles=lambda: True),
            "num_buckets must be at least 3, got 2",
        ),
    ],
)
def test_streams_refuse(build: Callable[[], Any], text: str) -> None:
    assert refusal(build) == text


@pytest.mark.parametrize(
    ("epsilon", "weights", "text"),
    [
        (0.0, [1.0], "An epsilon value of zero is not allowed."),
        (-1.0, [1.0], "An epsilon value of zero is not allowed."),
        (np.nan, [1.0], "An epsilon value of zero is not allowed."),
        (1.0, [1.0], "epsilon must be less than 1, got 1"),
        (0.1, [1.0, 1.0], "Weights should be a single value or same size as features."),
    ],
)
def test_summaries_refuse(epsilon: float, weights: list[float], text: str) -> None:
    def build() -> Any:
        return tf.raw_ops.BoostedTreesMakeQuantileSummaries(
            float_values=[np.ones(3, np.float32)], example_weights=weights, epsilon=epsilon
        )

    assert refusal(build) == text


@pytest.mark.parametrize(
    ("epsilon", "count", "most", "text"),
    [
        (0.0, 1, 10, "An epsilon value of zero is not allowed."),
        (0.1, -1, 10, "Num_streams input cannot be a negative integer"),
        (0.1, 1, 0, "max_elements must be greater than 0, got 0"),
        (0.1, 1 << 40, 10, "num_streams must be at most"),
    ],
)
def test_streams_that_cannot_be(epsilon: float, count: int, most: int, text: str) -> None:
    def build() -> Any:
        return tf.raw_ops.BoostedTreesCreateQuantileStreamResource(
            quantile_stream_resource_handle=(
                tf.raw_ops.BoostedTreesQuantileStreamResourceHandleOp(shared_name="streams")
            ),
            epsilon=epsilon,
            num_streams=np.int64(count),
            max_elements=most,
        )

    assert refusal(build).startswith(text)


def test_streams_that_were_not_created() -> None:
    def build() -> Any:
        handle = tf.raw_ops.BoostedTreesQuantileStreamResourceHandleOp(shared_name="none")
        return tf.raw_ops.BoostedTreesFlushQuantileSummaries(
            quantile_stream_resource_handle=handle, num_features=1
        )

    text = refusal(build, tf.errors.NotFoundError)
    kind = "N10tensorflow34BoostedTreesQuantileStreamResourceE"
    assert text == f"Resource localhost/none/{kind} does not exist."
