"""tf.losses: nodes and values as in TensorFlow, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.differentiation.both import assert_same_graph
from tests.library.losses import LABELS, PREDICTIONS, REGRESSION, WEIGHTS
from tests.oracle import open_session, oracle

REDUCTIONS = ("NONE", "SUM", "MEAN", "SUM_OVER_BATCH_SIZE", "SUM_BY_NONZERO_WEIGHTS")


def results(library: Any, make: Callable[[Any], Any], feeds: dict[str, Any]) -> Any:
    """What the tensors that `make` gives are worth, with feeds by the placeholders' names."""
    with library.Graph().as_default() as graph, open_session(library, graph) as session:
        made = make(library)
        return session.run(made, {f"{name}:0": value for name, value in feeds.items()})


def assert_same_values(make: Callable[[Any], Any], **feeds: Any) -> None:
    """Values as in TensorFlow, to the last few bits of a float32."""
    ours, theirs = results(tf, make, feeds), results(oracle, make, feeds)
    for mine, other in zip(np.atleast_1d(ours), np.atleast_1d(theirs), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", REGRESSION)
def test_same_graph(name: str) -> None:
    def program(tf: Any) -> Any:
        labels = tf.placeholder(tf.float32, [None, 3], name="y")
        predictions = tf.placeholder(tf.float32, [2, 3], name="p")
        loss = REGRESSION[name]
        made = [loss(tf, LABELS, PREDICTIONS)]
        weights = tf.placeholder(tf.float32, [1, 3] if name == "cosine_distance" else [2, 1])
        made.append(loss(tf, labels, predictions, weights=weights))
        made.append(loss(tf, labels, labels, weights=2, scope="mine", loss_collection="others"))
        return [made, tf.losses.get_losses(), tf.get_collection("others")]

    assert_same_graph(program, values=False)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_same_graph_of_a_reduction(reduction: str) -> None:
    def program(tf: Any) -> Any:
        kind = getattr(tf.losses.Reduction, reduction)
        losses = tf.placeholder(tf.float64, [2, None], name="l")
        unknown = tf.placeholder(tf.float32, name="u")
        weights = tf.placeholder(tf.float32, name="w")
        return [
            tf.losses.compute_weighted_loss(losses, weights, reduction=kind),
            tf.losses.compute_weighted_loss(losses, [[1.0, 2.0]], "s", None, kind),
            tf.losses.compute_weighted_loss(unknown, 3.0, reduction=kind),
        ]

    assert_same_graph(program, values=False)


def test_same_graph_of_classes() -> None:
    def program(tf: Any) -> Any:
        logits = tf.placeholder(tf.float32, [None, 3], name="z")
        unknown = tf.placeholder(tf.float32, name="u")
        places = tf.placeholder(tf.int32, name="i")
        rows = tf.placeholder(tf.float32, [2, 1], name="r")
        sparse = tf.losses.sparse_softmax_cross_entropy
        dense = tf.losses.softmax_cross_entropy
        return [
            dense(LABELS, PREDICTIONS),
            dense(logits, logits, weights=[1.0, 2.0], label_smoothing=0.2, scope="smooth"),
            sparse([1, 2], logits),
            sparse([[1], [2]], logits, weights=rows),
            sparse(places, unknown, weights=unknown),
            sparse(places, logits, weights=rows),
            tf.losses.get_total_loss(),
        ]

    assert_same_graph(program, values=False)


def test_same_graph_of_collections() -> None:
    def program(tf: Any) -> Any:
        with tf.name_scope("a"):
            tf.losses.add_loss(tf.constant(1.0))
        with tf.name_scope("b"):
            tf.losses.add_loss(tf.constant(2.0))
            tf.losses.add_loss(tf.constant(3.0), None)
        none = tf.losses.get_regularization_loss()
        tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, tf.constant(4.0))
        return [
            none,
            tf.losses.get_losses("b"),
            tf.losses.get_regularization_losses(),
            tf.losses.get_regularization_loss(name="r"),
            tf.losses.get_total_loss(),
            tf.losses.get_total_loss(False, name="t"),
            tf.losses.get_total_loss(scope="a"),
        ]

    assert_same_graph(program, values=False)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", REGRESSION)
def test_same_values(name: str, weights: str) -> None:
    def make(tf: Any) -> Any:
        columns = 1 if name == "cosine_distance" else 0
        given: Any = WEIGHTS[weights]
        if columns and np.ndim(given):
            given = np.asarray(given)[:1]
        if name == "mean_pairwise_squared_error" and np.ndim(given):
            given = np.asarray(given)[:, :1]
        labels = tf.placeholder(tf.float32, name="y")
        predictions = tf.placeholder(tf.float32, name="p")
        fed = REGRESSION[name](tf, labels, predictions, weights=tf.constant(given))
        return [REGRESSION[name](tf, LABELS, PREDICTIONS, weights=given), fed]

    assert_same_values(make, y=LABELS, p=PREDICTIONS)


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_same_values_of_a_reduction(reduction: str, weights: str) -> None:
    def make(tf: Any) -> Any:
        kind = getattr(tf.losses.Reduction, reduction)
        given = tf.placeholder(tf.float32, name="w")
        loss = tf.losses.compute_weighted_loss(PREDICTIONS, given, reduction=kind)
        return [tf.reduce_sum(loss * 3.0), tf.reduce_max(loss)]

    assert_same_values(make, w=WEIGHTS[weights])


@pytest.mark.parametrize("shape", [(2,), (2, 1)])
def test_same_values_of_classes(shape: tuple[int, ...]) -> None:
    def make(tf: Any) -> Any:
        labels = tf.placeholder(tf.int64, name="i")
        logits = tf.placeholder(tf.float32, name="z")
        weights = tf.placeholder(tf.float32, name="w")
        sparse = tf.losses.sparse_softmax_cross_entropy(labels, logits, weights)
        onehot = tf.one_hot(tf.reshape(labels, [2]), 3)
        dense = tf.losses.softmax_cross_entropy(onehot, PREDICTIONS, [1.0, 3.0], 0.1)
        return [sparse, dense, *tf.gradients([sparse, dense], [logits])]

    given = np.reshape([2, 1], shape)
    with_values = {"i": given, "z": PREDICTIONS, "w": np.reshape([0.5, 2.0], shape)}
    ours, theirs = results(tf, make, with_values), results(oracle, make, with_values)
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-6)


@pytest.mark.parametrize("name", REGRESSION)
def test_what_is_refused(name: str) -> None:
    loss = REGRESSION[name]
    with pytest.raises(ValueError, match="must not be None"):
        loss(tf, None, PREDICTIONS)
    with pytest.raises(ValueError, match=r"Shapes \(.*\) and \(.*\) are incompatible"):
        loss(tf, LABELS, [[1.0, 2.0]])
    with pytest.raises(ValueError, match="weights can not be broadcast to values"):
        loss(tf, LABELS, PREDICTIONS, weights=[1.0, 2.0])
    with pytest.raises(ValueError, match="Mismatch at dim 0"):
        loss(tf, LABELS, PREDICTIONS, weights=[[1.0], [1.0], [1.0]])


def test_arguments_that_are_refused() -> None:
    with pytest.raises(ValueError, match=r"Invalid Reduction Key mean. Key should be one of"):
        tf.losses.compute_weighted_loss([1.0], reduction="mean")
    with pytest.raises(ValueError, match="You must specify argument `axis`"):
        tf.losses.cosine_distance(LABELS, PREDICTIONS)
    with pytest.raises(ValueError, match="Cannot specify both 'dim' and 'axis'"):
        tf.losses.cosine_distance(LABELS, PREDICTIONS, axis=0, dim=0)


def test_weights_that_do_not_fit_when_it_runs(session_factory: Any) -> None:
    """A step fails whose weights have another rank or size than the losses."""
    losses = tf.placeholder(tf.float32)
    weights = tf.placeholder(tf.float32)
    loss = tf.losses.compute_weighted_loss(losses, weights)
    session = session_factory()
    for wrong in ([1.0, 2.0], [[1.0], [1.0], [1.0]]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="weights can not be broadcast"):
            session.run(loss, {losses: LABELS, weights: wrong})
    assert session.run(loss, {losses: LABELS, weights: 2.0}) == np.float32(5 / 6)
