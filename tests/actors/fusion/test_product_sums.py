"""Products that are added up by one product of all their rows: the values of the products apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.actors.code.one_by_one import OneByOne
from dataflow.actors.fusion.pairs.product_sums import GatheredProduct, ProductSum
from tests.actors.fusion.first_runs import first_difference
from tests.actors.fusion.merged import RUNS, numbers, run, session_config, watch


@pytest.fixture
def sums(monkeypatch: pytest.MonkeyPatch) -> list[ProductSum]:
    """The sums that are put together while a test runs."""
    return watch(monkeypatch, "join_products", ProductSum)


@pytest.fixture
def gathered(monkeypatch: pytest.MonkeyPatch) -> list[GatheredProduct]:
    """The products that loops gather while a test runs."""
    return watch(monkeypatch, "join_products", GatheredProduct)


def wide(lefts: Any, rights: Any) -> Any:
    """The sum of the products in float64."""
    pairs = zip(lefts, rights, strict=True)
    return sum(a.astype(np.float64).T @ b.astype(np.float64) for a, b in pairs)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize(
    ("rows", "joins"), [((1, 1), True), ((3, 64, 5), True), ((64,) * 17, True), ((3, 65), False)]
)
def test_values(
    sums: list[ProductSum],
    monkeypatch: pytest.MonkeyPatch,
    rows: tuple[int, ...],
    joins: bool,
    dtype: Any,
) -> None:
    if joins:
        monkeypatch.delattr(OneByOne, "__call__")
    lefts = [numbers(i, count, 6, dtype=dtype) for i, count in enumerate(rows)]
    rights = [numbers(99 + i, count, 4, dtype=dtype) for i, count in enumerate(rows)]
    with tf.Graph().as_default():
        a, b = ([tf.placeholder(dtype, [None, None]) for _ in rows] for _ in range(2))
        x = tf.placeholder(dtype, [6, 4])
        products = [tf.matmul(p, q, transpose_a=True) for p, q in zip(a, b, strict=True)]
        total = tf.add_n([products[0], x, *products[1:], x + 1])
        feeds = dict(zip((*a, *b, x), (*lefts, *rights, np.full((6, 4), 3, dtype)), strict=True))
        found = run(total * 2, feeds)
    np.testing.assert_allclose(found, 2 * (wide(lefts, rights) + 7), rtol=1e-5, atol=1e-2)
    assert found.dtype == dtype
    assert len(sums) == 1


Build = Callable[[Any, Any, Any, Any], list[Any]]
APART: dict[str, Build] = {
    "one product": lambda p, q, a, b: [tf.add_n([p, b])],
    "a product that is fetched": lambda p, q, a, b: [tf.add_n([p, q]), p],
    "a product that another reads": lambda p, q, a, b: [tf.add_n([p, q]), tf.exp(-p)],
    "a product that is added twice": lambda p, q, a, b: [tf.add_n([p, p, q])],
    "a product in a branch": lambda p, q, a, b: [
        tf.add_n([tf.cond(a[0, 0] > 99, lambda: tf.matmul(b, b, transpose_a=True), lambda: b), p])
    ],
    "a sum in a branch": lambda p, q, a, b: [
        tf.cond(a[0, 0] < 99, lambda: tf.add_n([p, q]), lambda: b)
    ],
    "sums along other axes": lambda p, q, a, b: [tf.add_n([tf.matmul(a, b), tf.matmul(b, a)])],
}


@pytest.mark.parametrize("name", APART)
def test_what_stays_apart(sums: list[ProductSum], name: str) -> None:
    with tf.Graph().as_default():
        a, b = (tf.placeholder(tf.float32, [4, 4]) for _ in range(2))
        p, q = (tf.matmul(x, y, transpose_a=True) for x, y in ((a, b), (b, a)))
        fetches = APART[name](p, q, a, b)
        feeds = {a: numbers(0, 4, 4) / 9, b: numbers(1, 4, 4) / 9}
        found, expected = run(fetches, feeds), run(fetches, feeds, merges=False)
    for have, want in zip(found, expected, strict=True):
        np.testing.assert_allclose(have, want, rtol=1e-5)
    assert not sums


def test_what_waits_for_a_product_does_not_wait_for_the_sum(sums: list[ProductSum]) -> None:
    """What a product is followed by may be what a later one is made of."""
    with tf.Graph().as_default():
        a, b = (tf.placeholder(tf.float32, [3, 4]) for _ in range(2))
        first = tf.matmul(a, b, transpose_a=True)
        with tf.control_dependencies([first]):
            later = tf.exp(a / 9)
        total = tf.add_n([first, tf.matmul(later, b, transpose_a=True)])
        left, right = numbers(0, 3, 4), numbers(1, 3, 4)
        found = run(total, {a: left, b: right})
    np.testing.assert_allclose(found, wide([left, np.exp(left / 9)], [right] * 2), rtol=1e-4)
    assert len(sums) == 1


@pytest.mark.parametrize("is_resource", [False, True])
def test_a_variable_is_read_before_it_changes(sums: list[ProductSum], is_resource: bool) -> None:
    """Reference variables are read by who uses them, so their products stay apart."""
    with tf.Graph().as_default():
        weights = tf.Variable(np.full((3, 4), 2.0, np.float32), use_resource=is_resource)
        x = tf.placeholder(tf.float32, [3, 2])
        products = [tf.matmul(x * n, weights, transpose_a=True) for n in (1.0, 2.0)]
        with tf.control_dependencies(products):
            update = weights.assign_add(tf.ones([3, 4]))
        with tf.control_dependencies([update]):
            late = tf.zeros([2, 4]) + x[0, 0] - 1.0
        total = tf.add_n([*products, late])
        with tf.Session(config=session_config(True)) as session:
            session.run(tf.global_variables_initializer())
            for step in range(RUNS):
                found = session.run(total, {x: np.ones((3, 2), np.float32)})
                np.testing.assert_array_equal(found, np.full((2, 4), 9.0 * (2 + step)))
    assert len(sums) == is_resource


def test_what_does_not_fit_names_its_node(sums: list[ProductSum]) -> None:
    with tf.Graph().as_default(), tf.Session(config=session_config(True)) as session:
        a, b, c, d, x = (tf.placeholder(tf.float32) for _ in range(5))
        products = [
            tf.raw_ops.MatMul(a=one, b=other, transpose_a=True, name=name)
            for name, one, other in (("first", a, b), ("second", c, d))
        ]
        total = tf.add_n([*products, x], name="total")
        right = {a: np.ones((3, 2)), b: np.ones((3, 4)), c: np.ones((5, 2)), d: np.ones((5, 4))}
        for _ in range(RUNS):
            np.testing.assert_array_equal(
                session.run(total, {**right, x: np.ones((2, 4))}), np.full((2, 4), 9.0)
            )
        wrong = (
            ("first", r"Matrix size-incompatible: In\[0\]: \[3,2\], In\[1\]: \[4,4\]", {b: (4, 4)}),
            ("second", "ndims must be >= 2", {c: (5,)}),
            ("total", "Inputs to operation total of type AddN must have the same", {d: (5, 3)}),
            ("total", "Inputs to operation total of type AddN must have the same", {x: (4,)}),
        )
        for name, message, shapes in wrong:
            others = {place: np.ones(shape) for place, shape in shapes.items()}
            with pytest.raises(tf.errors.InvalidArgumentError, match=message) as error:
                session.run(total, {**right, x: np.ones((2, 4)), **others})
            assert error.value.op.name == name
    assert len(sums) == 1


def loop(a: Any, b: Any, start: Any, count: Any) -> Any:
    """The sum of the products of the first matrices, gathered by a variable of a loop."""

    def body(i: Any, held: Any) -> Any:
        return i + 1, held + tf.matmul(a[i], b[i], transpose_a=True)

    return tf.while_loop(lambda i, _: i < count, body, (0, start))[1]


@pytest.mark.parametrize(("rows", "joins"), [(1, True), (64, True), (65, False)])
@pytest.mark.parametrize("count", [0, 1, 17])
def test_loops(
    gathered: list[GatheredProduct],
    monkeypatch: pytest.MonkeyPatch,
    count: int,
    rows: int,
    joins: bool,
) -> None:
    if joins:
        monkeypatch.delattr(OneByOne, "__call__")
    lefts, rights = numbers(0, 17, rows, 6), numbers(1, 17, rows, 4)
    with tf.Graph().as_default():
        a, b = (tf.placeholder(tf.float32, [17, None, None]) for _ in range(2))
        n = tf.placeholder(tf.int32, [])
        total = loop(a, b, tf.fill([6, 4], 3.0), n)
        found = run(total, {a: lefts, b: rights, n: count})
    expected = wide(lefts[:count], rights[:count]) + np.full((6, 4), 3.0)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-2)
    assert len(gathered) == 1


def test_rows_and_starts_that_change_within_a_loop(gathered: list[GatheredProduct]) -> None:
    """Iterations of many rows, and a first value that is broadcast, are added as they are."""
    lefts, rights = numbers(0, 200, 6), numbers(1, 200, 4)
    with tf.Graph().as_default():
        ends = tf.constant([2, 3, 80, 81, 180, 181, 200])
        a, b = (tf.placeholder(tf.float32, [None, None]) for _ in range(2))

        def body(i: Any, held: Any) -> Any:
            part = slice(ends[i - 1], ends[i])
            return i + 1, held + tf.matmul(a[part], b[part], transpose_a=True)

        shape = tf.TensorShape([None, None])
        total = tf.while_loop(
            lambda i, _: i < 7, body, (1, tf.ones([1, 4])), (tf.TensorShape([]), shape)
        )[1]
        found = run(total, {a: lefts, b: rights})
    np.testing.assert_allclose(found, wide([lefts[2:]], [rights[2:]]) + 1, rtol=1e-4, atol=1e-2)
    assert len(gathered) == 1


def held_by_others(name: str, a: Any, b: Any) -> Any:
    """A loop whose sum others read as well, or whose product."""

    def body(i: Any, held: Any, other: Any) -> Any:
        product = tf.matmul(a[i], b[i], transpose_a=True)
        following = held + product
        if name == "the variable":
            other += held
        elif name == "its next value":
            other += following
        elif name == "the product":
            other += product
        elif name == "the wrong variable":
            return i + 1, following, held + tf.matmul(b[i], a[i])
        elif name == "another variable moves it on":
            return i + 1, following, held
        return i + 1, following, other

    zeros = tf.zeros([4, 4])
    return tf.while_loop(lambda i, *_: i < 5, body, (0, zeros, zeros))[1:]


@pytest.mark.parametrize(
    "name",
    [
        "the variable",
        "its next value",
        "the product",
        "the wrong variable",
        "another variable moves it on",
    ],
)
def test_loops_that_stay_apart(gathered: list[GatheredProduct], name: str) -> None:
    with tf.Graph().as_default():
        a, b = (tf.constant(numbers(seed, 5, 4, 4) / 9) for seed in (0, 1))
        fetches = held_by_others(name, a, b)
        found, expected = run(fetches, {}), run(fetches, {}, merges=False)
    for have, want in zip(found, expected, strict=True):
        np.testing.assert_allclose(have, want, rtol=1e-4, atol=1e-5)
    assert not gathered


def test_a_product_of_a_loop_that_does_not_fit_names_its_node(
    gathered: list[GatheredProduct],
) -> None:
    with tf.Graph().as_default(), tf.Session(config=session_config(True)) as session:
        a, b, start = (tf.placeholder(tf.float32) for _ in range(3))
        total = tf.while_loop(
            lambda i, _: i < 3,
            lambda i, held: (
                i + 1,
                tf.add(
                    held, tf.raw_ops.MatMul(a=a + 0, b=b + 0, transpose_a=True, name="p"), name="t"
                ),
            ),
            (0, start),
            (tf.TensorShape([]), tf.TensorShape(None)),
        )[1]
        feeds = {a: np.ones((5, 2)), b: np.ones((5, 4)), start: np.ones((2, 4))}
        for _ in range(RUNS):
            np.testing.assert_array_equal(session.run(total, feeds), np.full((2, 4), 16.0))
        for name, message, wrong in (
            ("while/p", "Matrix size-incompatible", {b: np.ones((4, 4))}),
            ("while/t", "Incompatible shapes", {start: np.ones((3, 4))}),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match=message) as error:
                session.run(total, {**feeds, **wrong})
            assert error.value.op.name == name
    assert len(gathered) == 1


@pytest.mark.parametrize("is_dynamic", [False, True])
def test_recurrent_nets(
    sums: list[ProductSum], gathered: list[GatheredProduct], is_dynamic: bool
) -> None:
    """Gradients of a net's weights, on two cells' widths, and all runs' bits."""
    values = [numbers(2, 5, 6, 8) / 9, np.array([6, 3, 1, 5, 6], np.int32)]

    def build(x: Any, lengths: Any) -> list[Any]:
        draw = tf.constant_initializer(numbers(3, 14, 24) / 50)
        with tf.variable_scope("net", initializer=draw, reuse=tf.AUTO_REUSE):
            cell = tf.nn.rnn_cell.BasicLSTMCell(6)
            if is_dynamic:
                found = tf.nn.dynamic_rnn(cell, x, lengths, dtype=tf.float32)[0]
            else:
                steps = tf.unstack(x, axis=1)
                found = tf.stack(tf.nn.static_rnn(cell, steps, dtype=tf.float32)[0], 1)
        asked = [*tf.trainable_variables(), x]
        # As optimizers ask for them: each gradient waits for the others of its operation.
        return list(tf.gradients(tf.reduce_mean(found**2), asked, gate_gradients=True))

    with tf.Graph().as_default():
        places = [tf.placeholder(value.dtype, value.shape) for value in values]
        fetches, feeds = build(*places), dict(zip(places, values, strict=True))
        expected = run(fetches, feeds, merges=False)
        assert not sums + gathered
        found = run(fetches, feeds)
    for have, want in zip(found, expected, strict=True):
        np.testing.assert_allclose(have, want, rtol=1e-4, atol=1e-7)
    assert len(gathered if is_dynamic else sums) == 1
    assert not first_difference(build, values, 8)
