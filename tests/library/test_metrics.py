"""tf.metrics: nodes, collections and streamed values as in TensorFlow, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.differentiation.both import assert_same_graph, assert_same_refusal
from tests.library.metrics import AT_K, AT_THRESHOLDS, ELEMENTWISE, OF_CLASSES, Make
from tests.oracle import open_session, oracle

BATCHES = 3


def streamed(library: Any, build: Any, feeds: list[dict[str, Any]]) -> list[Any]:
    """Value, update and value again of a metric, for one batch after the other."""
    with library.Graph().as_default() as graph, open_session(library, graph) as session:
        value, update = build(library)
        session.run(library.local_variables_initializer())
        found = [session.run(value)]
        for batch in feeds:
            found.append(session.run(update, {f"{name}:0": each for name, each in batch.items()}))
            found.append(session.run(value))
        return found


def assert_same_stream(build: Any, feeds: list[dict[str, Any]]) -> None:
    ours, theirs = streamed(tf, build, feeds), streamed(oracle, build, feeds)
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.dtype == other.dtype
        np.testing.assert_allclose(mine, other, rtol=2e-6, atol=1e-7)


def elementwise_batches(columns: int) -> list[dict[str, Any]]:
    """Labels, predictions and weights; `columns` is the size of the weights' last axis."""
    random = np.random.default_rng(5)
    return [
        {
            "y": random.integers(0, 2, [rows, 3]).astype(np.float32),
            "p": random.uniform(0, 1, [rows, 3]).astype(np.float32),
            "w": random.uniform(0, 2, [rows, columns]).astype(np.float32),
        }
        for rows in (2, 5, 1)[:BATCHES]
    ]


def class_batches() -> list[dict[str, Any]]:
    random = np.random.default_rng(6)
    return [
        {
            "i": random.integers(0, 3, [rows]),
            "j": random.integers(0, 4, [rows]),
            "v": random.uniform(0, 2, [rows]).astype(np.float32),
        }
        for rows in (4, 1, 6)
    ]


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_same_graph(name: str) -> None:
    make = ELEMENTWISE[name]

    def program(tf: Any) -> Any:
        labels = tf.placeholder(tf.float32, [None, 3], name="y")
        predictions = tf.placeholder(tf.float32, [None, 3], name="p")
        whole = tf.constant([[1, 0, 1], [0, 0, 1]])
        shares = tf.constant([[0.2, 0.7, 0.1], [0.9, 0.5, 0.3]])
        made = [make(tf, labels, predictions, None)]
        made.append(make(tf, labels, predictions, tf.placeholder(tf.float32, [None, 1])))
        if name != "mean_cosine_distance":
            made.append(make(tf, tf.cast(whole, tf.float32), shares, [0.5, 2.0]))
        return made

    assert_same_graph(program, values=False)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_same_graph_of_unknown_shapes(name: str) -> None:
    def program(tf: Any) -> Any:
        unknown = [tf.placeholder(tf.float32, name=each) for each in "ypw"]
        return ELEMENTWISE[name](tf, *unknown)

    assert_same_graph(program, values=False)


@pytest.mark.parametrize("name", OF_CLASSES)
def test_same_graph_of_classes(name: str) -> None:
    def program(tf: Any) -> Any:
        labels = tf.placeholder(tf.int64, [None], name="i")
        predictions = tf.placeholder(tf.int32, [None], name="j")
        table = tf.placeholder(tf.int32, [2, None], name="t")
        make = OF_CLASSES[name]
        return [
            make(tf, labels, predictions, None),
            make(tf, labels, predictions, tf.placeholder(tf.float32, [None])),
            make(tf, table, table, tf.placeholder(tf.float32, [2, None])),
        ]

    assert_same_graph(program, values=False)


def test_same_graph_of_whole_numbers_and_of_each_element() -> None:
    def program(tf: Any) -> Any:
        numbers = tf.placeholder(tf.int64, [2, 3], name="n")
        with tf.control_dependencies([numbers.op]), tf.variable_scope("outer"):
            return [
                tf.metrics.mean(numbers),
                tf.metrics.mean(numbers, 2, name="mine"),
                tf.metrics.mean_tensor(numbers),
                tf.metrics.mean_tensor(numbers, [[1], [0]], name="each"),
                tf.metrics.precision(numbers, numbers),
                tf.metrics.accuracy(numbers, tf.placeholder(tf.int32, [2, 3, 1])),
            ]

    assert_same_graph(program, values=False)


def _weighted() -> Iterator[Any]:
    """Each metric with a weight for each row, and one in three with one for each element.

    How weights are spread is one function for all of them.
    """
    for number, name in enumerate(ELEMENTWISE):
        yield pytest.param(name, 1)
        yield pytest.param(name, 3, marks=[pytest.mark.long] * bool(number % 3))


@pytest.mark.parametrize(("name", "columns"), [*_weighted()])
def test_same_stream(name: str, columns: int) -> None:
    def build(tf: Any) -> Any:
        inputs = [tf.placeholder(tf.float32, [None, 3], name=each) for each in "yp"]
        width = 1 if name == "mean_cosine_distance" else columns
        weights = tf.placeholder(tf.float32, [None, columns], name="w")
        return ELEMENTWISE[name](tf, *inputs, weights[:, :width])

    assert_same_stream(build, elementwise_batches(columns))


@pytest.mark.parametrize("name", OF_CLASSES)
def test_same_stream_of_classes(name: str) -> None:
    def build(tf: Any) -> Any:
        classes = [tf.placeholder(tf.int64, [None], name=each) for each in "ij"]
        return OF_CLASSES[name](tf, *classes, tf.placeholder(tf.float32, [None], name="v"))

    assert_same_stream(build, class_batches())


@pytest.mark.parametrize("name", AT_K)
def test_same_graph_of_the_best(name: str) -> None:
    def program(tf: Any) -> Any:
        logits = tf.placeholder(tf.float32, [None, 4], name="p")
        weights = tf.placeholder(tf.float32, [None], name="v")
        several = tf.placeholder(tf.int64, [None, 2], name="c")
        one = tf.placeholder(tf.int64, [None], name="i")
        return [AT_K[name](tf, several, logits, weights), AT_K[name](tf, one, logits, None)]

    assert_same_graph(program, values=False)


@pytest.mark.parametrize("kind", ["several", "one", "sparse", "sparse one"])
@pytest.mark.parametrize("name", AT_K)
def test_same_stream_of_the_best(name: str, kind: str) -> None:
    shape = [3] if kind.endswith("one") else [3, 2]

    def build(tf: Any) -> Any:
        logits = tf.placeholder(tf.float32, [3, 4], name="p")
        weights = tf.placeholder(tf.float32, [3], name="v")
        labels = tf.placeholder(tf.int64, shape, name="c")
        if kind.startswith("sparse"):
            places = tf.where(labels >= 0)
            values = tf.gather_nd(labels, places)
            labels = tf.SparseTensor(places, values, tf.constant(shape, tf.int64))
        return AT_K[name](tf, labels, logits, weights)

    random = np.random.default_rng(7)
    feeds = [
        {
            "c": random.integers(-1 if "sparse" in kind else 0, 4, shape),
            "p": random.normal(size=[3, 4]),
            "v": random.uniform(0, 2, [3]),
        }
        for _ in range(BATCHES)
    ]
    assert_same_stream(build, feeds)


def test_same_stream_of_each_element() -> None:
    def build(tf: Any) -> Any:
        values = tf.placeholder(tf.float32, [2, 3], name="p")
        return tf.metrics.mean_tensor(values, tf.placeholder(tf.float32, [2, 1], name="w"))

    weights = [[[1.0], [0.0]], [[0.5], [0.0]], [[2.0], [3.0]]]
    feeds = [{"p": np.full([2, 3], i + 0.5), "w": each} for i, each in enumerate(weights)]
    assert_same_stream(build, feeds)


@pytest.mark.parametrize("make", [*AT_THRESHOLDS.values()], ids=[*AT_THRESHOLDS])
def test_predictions_outside_are_refused(make: Make, session_factory: Any) -> None:
    predictions = tf.placeholder(tf.float32, [2, 3])
    _, update = make(tf, tf.ones([2, 3]), predictions, None)
    session = session_factory()
    session.run(tf.local_variables_initializer())
    for wrong in (-0.5, 1.5):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"predictions must be in \[0, 1"):
            session.run(update, {predictions: np.full([2, 3], wrong)})


def test_mean_over_many_steps(session_factory: Any) -> None:
    """A sum of numbers of which float32 holds each: the mean is exact, and a reset starts anew."""
    values = tf.placeholder(tf.float32, [None])
    mean, update = tf.metrics.mean(values)
    session = session_factory()
    for count in (30, 7):
        session.run(tf.local_variables_initializer())
        for step in range(count):
            assert session.run(update, {values: [step, step + 1]}) == step / 2 + 0.5
        assert session.run(mean) == count / 2


def test_collections_and_variables() -> None:
    with tf.Graph().as_default() as graph:
        value, update = tf.metrics.auc(
            [0, 1], [0.3, 0.6], metrics_collections=["m", "n"], updates_collections=["u"]
        )
        assert graph.get_collection("m") == graph.get_collection("n") == [value]
        assert graph.get_collection("u") == [update]
        variables = tf.local_variables()
        assert graph.get_collection(tf.GraphKeys.METRIC_VARIABLES) == variables
        assert [each.op.name for each in variables] == [
            f"auc/{name}"
            for name in ("true_positives", "false_negatives", "true_negatives", "false_positives")
        ]
        assert not tf.global_variables() and not any(each.trainable for each in variables)


REFUSED: dict[str, Any] = {
    "curve": lambda tf, p: tf.metrics.auc(p, p, curve="x"),
    "method": lambda tf, p: tf.metrics.auc(p, p, summation_method="x"),
    "specificity": lambda tf, p: tf.metrics.sensitivity_at_specificity(p, p, -1),
    "sensitivity": lambda tf, p: tf.metrics.specificity_at_sensitivity(p, p, 1.5),
    "normalizer": lambda tf, p: tf.metrics.mean_relative_error(p, p, tf.ones([4])),
    "labels": lambda tf, p: tf.metrics.accuracy(p, tf.ones([3, 3])),
    "rank of weights": lambda tf, p: tf.metrics.true_positives(p, p, tf.ones([2, 2, 2, 2])),
    "labels at k": lambda tf, p: tf.metrics.recall_at_k(tf.ones([2, 2, 2, 2], tf.int64), p, 2),
    "unknown shape": lambda tf, p: tf.metrics.mean_tensor(tf.placeholder(tf.float32, [None])),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    assert_same_refusal(lambda tf: REFUSED[name](tf, tf.placeholder(tf.float32, [2, 3])))


def test_weights_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="weights can not be broadcast to values"):
        tf.metrics.mean(tf.ones([2, 3]), tf.ones([3, 3]))
