"""Sums of what one kernel gives for several inputs, computed at once: the values of the nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.actors.fusion.pairs.joined_sums import JoinedSum
from tests.actors.fusion.merged import RUNS, session_config, watch


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[JoinedSum]:
    """The nodes that are put together while a test runs."""
    return watch(monkeypatch, "join_sums", JoinedSum)


def numbers(seed: int, *shape: int, dtype: Any = np.float32) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def placeholders(count: int, dtype: Any = tf.float32) -> list[Any]:
    return [tf.placeholder(dtype, [None, None]) for _ in range(count)]


def run(fetches: Any, feeds: dict[Any, Any], merges: bool = True, repeats: int = RUNS) -> Any:
    with tf.Session(config=session_config(merges)) as session:
        for _ in range(repeats):
            found = session.run(fetches, feeds)
        return found


def exact(values: Sequence[Any]) -> Any:
    return np.sum(np.array(values, np.float64), axis=0)


@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_products(made: list[JoinedSum], dtype: Any, transpose_a: bool, transpose_b: bool) -> None:
    """Of matrices whose sums have different lengths, as those of batches."""
    lengths = (7, 1, 12, 30)
    with tf.Graph().as_default():
        a, b = placeholders(4, dtype), placeholders(4, dtype)
        terms = [
            tf.matmul(x, y, transpose_a=transpose_a, transpose_b=transpose_b)
            for x, y in zip(a, b, strict=True)
        ]
        left = [numbers(i, 20, k) * 9 for i, k in enumerate(lengths)]
        right = [numbers(i + 9, k, 25) * 9 for i, k in enumerate(lengths)]
        left, right = [x.astype(dtype) for x in left], [y.astype(dtype) for y in right]
        feeds = {p: x.T if transpose_a else x for p, x in zip(a, left, strict=True)}
        feeds |= {p: y.T if transpose_b else y for p, y in zip(b, right, strict=True)}
        found = run(tf.add_n(terms), feeds)
    expected = exact([x.astype(np.float64) @ y for x, y in zip(left, right, strict=True)])
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-3)
    assert found.dtype == dtype
    (node,) = made
    assert [one.op for one in node.nodes] == ["MatMul"] * 4 + ["AddN"]


def test_a_recurrent_net(made: list[JoinedSum]) -> None:
    """Gradients of all that its steps share are those that the nodes give one by one."""

    def build() -> list[Any]:
        state = tf.zeros([4, 16])
        x = tf.constant(numbers(0, 6, 4, 8))
        kernel = tf.Variable(numbers(1, 24, 16) * 0.2)
        bias = tf.Variable(numbers(2, 16) * 0.2)
        for step in tf.unstack(x):
            product = tf.matmul(tf.concat([step, state], 1), kernel)
            state = tf.tanh(tf.nn.bias_add(product, bias))
        loss = tf.reduce_mean(tf.square(state)) + 0.1 * tf.nn.l2_loss(kernel)
        return [loss, *tf.gradients(loss, [kernel, bias])]

    def train(merges: bool) -> Any:
        with tf.Graph().as_default(), tf.Session(config=session_config(merges)) as session:
            fetches = build()
            session.run(tf.global_variables_initializer())
            return [session.run(fetches) for _ in range(RUNS)]

    expected, found = train(False), train(True)
    ops = {node.nodes[0].op: len(node.nodes) for node in made}
    assert ops == {"MatMul": 7, "BiasAddGrad": 7}
    for one, other in zip(expected, found, strict=True):
        for want, have in zip(one, other, strict=True):
            np.testing.assert_allclose(have, want, rtol=1e-5, atol=1e-6)


def test_what_else_is_added(made: list[JoinedSum]) -> None:
    with tf.Graph().as_default():
        a, b = placeholders(3), placeholders(3)
        other = tf.placeholder(tf.float32, [None, None])
        terms = [tf.matmul(x, y) for x, y in zip(a, b, strict=True)]
        total = tf.add_n([terms[0], other, *terms[1:], other])
        feeds = {p: numbers(i, 5, 4) for i, p in enumerate(a)}
        feeds |= {p: numbers(i, 4, 6) for i, p in enumerate(b)}
        feeds[other] = numbers(7, 5, 6)
        found = run(total, feeds)
    products = [feeds[x].astype(np.float64) @ feeds[y] for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(found, exact([*products, feeds[other], feeds[other]]), rtol=1e-4)
    assert len(made) == 1


def test_a_term_that_is_added_twice(made: list[JoinedSum]) -> None:
    with tf.Graph().as_default():
        a, b = placeholders(4), placeholders(4)
        terms = [tf.matmul(x, y) for x, y in zip(a, b, strict=True)]
        feeds = {p: numbers(i, 5, 4) for i, p in enumerate(a)}
        feeds |= {p: numbers(i, 4, 6) for i, p in enumerate(b)}
        found = run(tf.add_n([*terms, terms[0]]), feeds)
    products = [feeds[x].astype(np.float64) @ feeds[y] for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(found, exact([*products, products[0]]), rtol=1e-4)
    (node,) = made
    assert len(node.nodes) == 4


@pytest.mark.parametrize(
    "shapes", [((5, 4), (2, 3, 4), (2, 5, 4)), ((2, 3, 4), (2, 5, 4), (6, 3, 4))]
)
def test_inputs_that_cannot_be_joined(
    made: list[JoinedSum], shapes: Sequence[tuple[int, ...]]
) -> None:
    """Gradients of a bias that is added to rows and to images of other sizes."""
    with tf.Graph().as_default():
        bias = tf.Variable(np.zeros(4, np.float32))
        given = [tf.placeholder(tf.float32, [None] * len(shape)) for shape in shapes]
        (gradient,) = tf.gradients([tf.nn.bias_add(x, bias) for x in given], bias, grad_ys=given)
        feeds = {p: numbers(i, *s) for i, (p, s) in enumerate(zip(given, shapes, strict=True))}
        found = run(gradient, feeds)
    rows = [value.reshape(-1, 4).astype(np.float64) for value in feeds.values()]
    np.testing.assert_allclose(found, np.concatenate(rows).sum(axis=0), rtol=1e-5)
    assert len(made) == 1


APART: dict[str, Callable[[list[Any], list[Any]], tuple[Any, Any]]] = {
    "two terms": lambda a, b: (tf.add_n([tf.matmul(a[0], b[0]), tf.matmul(a[1], b[1])]), ()),
    "terms that others read": lambda a, b: (
        lambda t: (tf.add_n(t), [tf.exp(-one) for one in t[1:]])
    )([tf.matmul(x, y) for x, y in zip(a, b, strict=True)]),
    "terms that are fetched": lambda a, b: (lambda t: (tf.add_n(t), t[1:]))(
        [tf.matmul(x, y) for x, y in zip(a, b, strict=True)]
    ),
    "one term again and again": lambda a, b: (lambda t: (tf.add_n([t, t, t]), ()))(
        tf.matmul(a[0], b[0])
    ),
    "read in different ways": lambda a, b: (
        tf.add_n(
            [
                tf.matmul(a[0], b[0]),
                tf.matmul(a[1], b[1]),
                tf.matmul(tf.transpose(a[2]) * 1.5, b[2], transpose_a=True),
            ]
        ),
        (),
    ),
}


@pytest.mark.parametrize("name", APART)
def test_what_stays_apart(made: list[JoinedSum], name: str) -> None:
    with tf.Graph().as_default():
        a, b = placeholders(3), placeholders(3)
        feeds = {p: numbers(i, 5, 4) for i, p in enumerate(a)}
        feeds |= {p: numbers(i, 4, 6) for i, p in enumerate(b)}
        fetches = APART[name](a, b)
        found, expected = run(fetches, feeds), run(fetches, feeds, merges=False)
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-4, atol=1e-5)
        for have, want in zip(found[1], expected[1], strict=True):
            np.testing.assert_allclose(have, want, rtol=1e-4, atol=1e-5)
    assert not made


def test_long_inputs_of_small_results_stay_apart(made: list[JoinedSum]) -> None:
    """Copying them would take longer than adding the results."""
    with tf.Graph().as_default():
        a, b = placeholders(3), placeholders(3)
        total = tf.add_n([tf.matmul(x, y) for x, y in zip(a, b, strict=True)])
        feeds = {p: numbers(i, 8, 3000) for i, p in enumerate(a)}
        feeds |= {p: numbers(i, 3000, 8) for i, p in enumerate(b)}
        found = run(total, feeds)
        np.testing.assert_array_equal(found, run(total, feeds, repeats=1))
        np.testing.assert_array_equal(found, run(total, feeds, merges=False))
    # The first run of each session has tried it.
    assert [node.pays for node in made] == [False, False]


def test_where_merging_is_switched_off(made: list[JoinedSum]) -> None:
    with tf.Graph().as_default():
        a = placeholders(3)
        feeds = {p: numbers(i, 5, 5) for i, p in enumerate(a)}
        run(tf.add_n([tf.matmul(x, x) for x in a]), feeds, merges=False)
    assert not made


def test_shapes_may_change_and_be_wrong(made: list[JoinedSum]) -> None:
    with tf.Graph().as_default(), tf.Session(config=session_config(True)) as session:
        a, b = ([tf.placeholder(tf.float32) for _ in range(3)] for _ in range(2))
        terms = [
            tf.raw_ops.MatMul(a=x, b=y, name=f"term{i}")
            for i, (x, y) in enumerate(zip(a, b, strict=True))
        ]
        total = tf.add_n(terms, name="total")

        def step(left: Sequence[tuple[int, int]], right: Sequence[tuple[int, int]]) -> Any:
            feeds = {p: numbers(1, *s) for p, s in zip(a, left, strict=True)}
            feeds |= {p: numbers(2, *s) for p, s in zip(b, right, strict=True)}
            expected = lambda: exact([feeds[x] @ feeds[y] for x, y in zip(a, b, strict=True)])  # noqa: E731
            return session.run(total, feeds), expected

        for _ in range(RUNS):
            step([(5, 4)] * 3, [(4, 6)] * 3)
        assert len(made) == 1
        for k in (1, 0, 9):
            found, expected = step([(3, k), (3, 2), (3, 7)], [(k, 2), (2, 2), (7, 2)])
            np.testing.assert_allclose(found, expected(), rtol=1e-4, atol=1e-5)
        # The lengths add up to the same, but do not fit.
        with pytest.raises(tf.errors.InvalidArgumentError, match="Matrix size-incompatible") as e:
            step([(5, 4), (5, 3), (5, 5)], [(4, 6), (5, 6), (3, 6)])
        assert e.value.op.name == "term1"
        with pytest.raises(tf.errors.InvalidArgumentError, match="ndims must be >= 2") as e:
            session.run(total, dict.fromkeys([*a, *b], numbers(1, 5)))
        assert e.value.op.name == "term0"
        with pytest.raises(tf.errors.InvalidArgumentError, match="must have the same size") as e:
            step([(5, 4), (5, 4), (4, 4)], [(4, 6)] * 3)
        assert e.value.op.name == "total"
        found, expected = step([(5, 4)] * 3, [(4, 6)] * 3)
        np.testing.assert_allclose(found, expected(), rtol=1e-4, atol=1e-5)


def test_what_is_not_finite(made: list[JoinedSum]) -> None:
    with tf.Graph().as_default():
        a = placeholders(3)
        values = [numbers(i, 6, 6) for i in range(3)]
        values[1][2, 3] = np.nan
        feeds = dict(zip(a, values, strict=True))
        total = tf.add_n([tf.matmul(x, np.eye(6, dtype=np.float32)) for x in a])
        found = run(total, feeds)
    assert len(made) == 1
    assert np.isnan(found[2]).all() and np.isfinite(np.delete(found, 2, axis=0)).all()


@pytest.mark.parametrize("branch", [True, False])
def test_in_a_branch(made: list[JoinedSum], branch: bool) -> None:
    with tf.Graph().as_default():
        a, which = placeholders(3), tf.placeholder(tf.bool, [])
        total = tf.cond(which, lambda: tf.add_n([tf.matmul(x, x) for x in a]), lambda: a[0] - 1.0)
        feeds: dict[Any, Any] = {p: numbers(i, 5, 5) for i, p in enumerate(a)}
        found = run(total, {**feeds, which: branch})
        expected = exact([feeds[x] @ feeds[x] for x in a]) if branch else feeds[a[0]] - 1
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert [node.pays for node in made] == [True if branch else None]
