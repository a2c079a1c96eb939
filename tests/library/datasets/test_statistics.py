"""Statistics of pipelines: what stages tell an aggregator, and under which names."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

import dataflow as tf
from dataflow.library.datasets.experimental import statistics
from dataflow.library.datasets.settings import aggregators

experimental = tf.data.experimental


Observe = Callable[..., tuple[Any, Any]]


@pytest.fixture
def observed() -> Iterator[Observe]:
    """Makes of a dataset what takes an element, and what its stages have told."""
    with ExitStack() as stack:
        stack.enter_context(tf.Graph().as_default())
        yield lambda dataset, **stats: _observed(stack, dataset, stats)


def _observed(stack: ExitStack, dataset: Any, stats: dict[str, Any]) -> tuple[Any, Any]:
    aggregator = experimental.StatsAggregator()
    options = tf.data.Options()
    options.experimental_stats.aggregator = aggregator
    for name, value in stats.items():
        setattr(options.experimental_stats, name, value)
    iterator = dataset.with_options(options).make_initializable_iterator()
    following = iterator.get_next()
    summary = aggregator.get_summary()
    session = stack.enter_context(tf.Session())
    session.run(iterator.initializer)

    def told() -> dict[str, Any]:
        found = tf.Summary.FromString(session.run(summary)).value
        return {v.tag: v.histo if v.HasField("histo") else v.simple_value for v in found}

    return lambda: session.run(following), told


def _drain(take: Any) -> int:
    count = 0
    while True:
        try:
            take()
        except tf.errors.OutOfRangeError:
            return count
        count += 1


def _numbers(count: int) -> Any:
    return tf.data.Dataset.range(count)


def test_bytes_and_latencies_are_histograms_under_their_tags(observed: Observe) -> None:
    dataset = _numbers(5).map(lambda n: tf.fill([n], n))
    dataset = dataset.apply(experimental.bytes_produced_stats("bytes"))
    dataset = dataset.apply(experimental.latency_stats("latency"))
    take, told = observed(dataset, prefix="all")
    for number in range(5):
        take()
        found = told()
        assert found["all::bytes"].num == found["all::latency"].num == number + 1
        assert found["all::bytes"].sum == 8 * sum(range(number + 1))
    assert _drain(take) == 0
    assert told()["all::bytes"].num == 5


def test_nobody_is_told_without_an_aggregator_or_behind_it() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        alone = _numbers(3).apply(experimental.latency_stats("latency"))
        following = alone.make_one_shot_iterator().get_next()
        assert [session.run(following) for _ in range(3)] == [0, 1, 2]
        aggregator = experimental.StatsAggregator()
        inner = _numbers(3).apply(statistics.set_stats_aggregator(aggregator))
        iterator = inner.apply(experimental.latency_stats("behind")).make_initializable_iterator()
        session.run(iterator.initializer)
        session.run(iterator.get_next())
        assert session.run(aggregator.get_summary()) == b""


def test_prefetches_tell_how_full_they_are_by_the_names_of_their_nodes(observed: Observe) -> None:
    dataset = _numbers(10).prefetch(2).filter(lambda n: tf.equal(n % 2, 0)).prefetch(1)
    take, told = observed(dataset)
    assert _drain(take) == 5
    found = told()
    assert found["PrefetchDataset/_5::buffer_capacity"] == 2
    assert found["PrefetchDataset/_8::buffer_capacity"] == 1
    assert found["PrefetchDataset/_5::buffer_utilization"].num == 10
    outer = found["PrefetchDataset/_8::buffer_utilization"]
    assert outer.num == 5 and outer.min == outer.max == 1
    assert found["FilterDataset/_6::filtered_elements"] == 5
    assert found["FilterDataset/_6::dropped_elements"] == 5
    (timed,) = [tag for tag in found if tag.endswith("::execution_time")]
    assert timed.startswith("Filter::") and found[timed].num == 10


def test_a_prefetch_of_nothing_says_so(observed: Observe) -> None:
    take, told = observed(_numbers(2).prefetch(0))
    assert _drain(take) == 2
    assert told() == {
        "PrefetchDataset/_5::buffer_size": 0,
        "PrefetchDataset/_5::buffer_capacity": 0,
    }


@pytest.mark.parametrize(
    ("build", "name", "calls"),
    [
        (lambda d: d.map(lambda n: n + 1, 4), "ParallelMapDataset/_5", "ParallelMap::"),
        (
            lambda d: d.apply(experimental.map_and_batch(lambda n: n + 1, 4)),
            "MapAndBatchDataset/_7",
            "ParallelMap::",
        ),
        (
            lambda d: d.interleave(lambda n: _numbers(2).prefetch(1), 2, num_parallel_calls=2),
            "ParallelInterleaveDatasetV2/_7",
            "ParallelInterleave::",
        ),
    ],
)
def test_parallel_calls_tell_how_many_go_on(
    observed: Observe, build: Any, name: str, calls: str
) -> None:
    take, told = observed(build(_numbers(6)))
    assert _drain(take)
    found = told()
    assert 0 <= found[f"{name}::thread_utilization"] <= 1
    (timed,) = [tag for tag in found if tag.endswith("::execution_time")]
    assert timed.startswith(calls) and found[timed].num == 6


def test_a_dataset_that_a_function_makes_tells_by_its_kind(observed: Observe) -> None:
    dataset = _numbers(3).flat_map(lambda n: _numbers(4).filter(lambda m: m > 1))
    take, told = observed(dataset)
    assert _drain(take) == 6
    found = told()
    assert found["FilterDataset::filtered_elements"] == 2


def test_examples_tell_how_many_features_they_have(observed: Observe) -> None:
    def example(**features: Any) -> bytes:
        made = {
            key: tf.train.Feature(int64_list=tf.train.Int64List(value=value))
            for key, value in features.items()
        }
        return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString()

    texts = [example(a=[1, 2, 3], z=[5]), example(b=[7, 7])]
    asked = {
        "a": tf.FixedLenFeature([3], tf.int64, [0, 0, 0]),
        "b": tf.VarLenFeature(tf.int64),
    }
    dataset = tf.data.Dataset.from_tensors(texts)
    take, told = observed(dataset.apply(experimental.parse_example_dataset(asked)))
    take()
    found = told()
    features = found["ParseExampleDataset/_4::features_count"]
    assert (features.num, features.sum) == (2, 3)
    values = found["ParseExampleDataset/_4::feature_values_count"]
    assert (values.num, values.sum, values.min) == (2, 5, 2)


def test_all_edges_tell_how_long_an_element_takes(observed: Observe) -> None:
    dataset = tf.data.Dataset.from_tensors(3).map(lambda n: n * n).prefetch(1)
    take, told = observed(dataset, latency_all_edges=True)
    assert take() == 9
    assert _drain(take) == 0
    found = {tag: v.num for tag, v in told().items() if tag.startswith("record_latency")}
    assert found == {
        "record_latency::TensorDataset/_1": 1,
        "record_latency::MapDataset/_2": 1,
        "record_latency::PrefetchDataset/_4": 1,
    }
    batched = _numbers(4).apply(experimental.map_and_batch(lambda n: n, 2))
    take, told = observed(batched, latency_all_edges=True)
    assert _drain(take) == 2
    found = {tag: v.num for tag, v in told().items() if tag.startswith("record_latency")}
    assert found == {
        "record_latency::RangeDataset/_3": 4,
        "record_latency::MapAndBatchDataset/_7": 2,
    }


def test_iterators_that_are_begun_again_and_others_add_to_the_same() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        aggregator = experimental.StatsAggregator()
        dataset = _numbers(4).apply(experimental.latency_stats("latency"))
        options = tf.data.Options()
        options.experimental_stats.aggregator = aggregator
        dataset = dataset.with_options(options)
        with pytest.raises(ValueError, match="stateful"):
            dataset.make_one_shot_iterator()
        iterators = [dataset.make_initializable_iterator() for _ in range(2)]
        following = [iterator.get_next() for iterator in iterators]
        summary = aggregator.get_summary()
        for _ in range(2):
            session.run([iterator.initializer for iterator in iterators])
            assert session.run(following) == [0, 0]
        (value,) = tf.Summary.FromString(session.run(summary)).value
        assert (value.tag, value.histo.num) == ("latency", 4)


def test_events_are_written_as_they_come() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        aggregator = aggregators.StatsAggregatorV2()
        session.run(aggregator.initializer)
        dataset = _numbers(3).filter(lambda n: n > 0)
        dataset = dataset.apply(experimental.latency_stats("latency"))
        dataset = dataset.apply(statistics.set_stats_aggregator(aggregator))
        iterator = dataset.make_initializable_iterator()
        following = iterator.get_next()
        session.run(iterator.initializer)
        assert [session.run(following) for _ in range(2)] == [1, 2]
        writer = tf.get_default_graph().get_operation_by_name("SummaryWriter").outputs[0]
        session.run(tf.raw_ops.CloseSummaryWriter(writer=writer))
        (path,) = glob.glob(f"{aggregator._logdir}/*")
        events = [event for event in tf.train.summary_iterator(path) if event.summary.value]
        told = [(event.step, event.summary.value[0].tag) for event in events]
        assert [each for each in told if "execution" not in each[1]] == [
            (0, "FilterDataset/_4::dropped_elements"),
            (0, "FilterDataset/_4::filtered_elements"),
            (0, "latency"),
            (1, "FilterDataset/_4::filtered_elements"),
            (1, "latency"),
        ]
        counts = [v.histo.num for e in events for v in e.summary.value if v.tag == "latency"]
        assert counts == [1, 2]
