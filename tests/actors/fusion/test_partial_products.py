"""Slices of products that are computed alone: the values of the whole product's slice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.actors.code.one_by_one import OneByOne
from dataflow.actors.fusion.merged_nodes import Arrangement
from dataflow.actors.fusion.pairs.partial_products import PartialProduct, take_parts
from dataflow.actors.nodes.binding import Binding, CallKind
from dataflow.actors.nodes.plan_node import Condition, PlanNode
from dataflow.kernels.products.matrix_product import MatrixProduct
from tests.actors.fusion.merged import RUNS, numbers, run, session_config, watch


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[PartialProduct]:
    """The nodes that are put together while a test runs."""
    return watch(monkeypatch, "take_parts", PartialProduct)


@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_values(
    made: list[PartialProduct],
    monkeypatch: pytest.MonkeyPatch,
    dtype: Any,
    transpose_a: bool,
    transpose_b: bool,
) -> None:
    monkeypatch.delattr(OneByOne, "__call__")
    left, right = numbers(0, 40, 30, dtype=dtype), numbers(1, 30, 50, dtype=dtype)
    parts = [((0, 20), (-1, -1)), ((3, 0), (7, -1)), ((5, 6), (1, 44)), ((40, 0), (0, 50))]
    for begin, size in parts:
        with tf.Graph().as_default():
            a, b = (tf.placeholder(dtype, [None, None]) for _ in range(2))
            product = tf.matmul(a, b, transpose_a=transpose_a, transpose_b=transpose_b)
            feeds = {a: left.T if transpose_a else left, b: right.T if transpose_b else right}
            found = run(tf.slice(product, begin, size) * 2, feeds)
        ends = [None if n == -1 else first + n for first, n in zip(begin, size, strict=True)]
        whole = left.astype(np.float64) @ right.astype(np.float64)
        expected = 2 * whole[begin[0] : ends[0], begin[1] : ends[1]]
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-2)
        assert found.dtype == dtype
    assert len(made) == len(parts)


@pytest.mark.parametrize("is_fed", [False, True])
def test_other_matrices_and_other_slices_follow(
    made: list[PartialProduct], monkeypatch: pytest.MonkeyPatch, is_fed: bool
) -> None:
    monkeypatch.delattr(OneByOne, "__call__")
    b = numbers(1, 30, 50)
    first, count = np.array([1, 2], np.int32), np.array([-1, 5], np.int32)
    with tf.Graph().as_default(), tf.Session(config=session_config(True)) as session:
        a = tf.placeholder(tf.float32, [None, 30])
        begin, size = (
            tf.placeholder(tf.int32, [2]) if is_fed else tf.constant(x) for x in (first, count)
        )
        part = tf.slice(tf.matmul(a, b), begin, size)
        for step in range(RUNS):
            left = numbers(step, 40 + step // 2, 30)
            found = session.run(part, {a: left, **({begin: first, size: count} if is_fed else {})})
            expected = (left.astype(np.float64) @ b)[first[0] :, first[1] : first[1] + count[1]]
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-2)
            if is_fed:
                first += 1
                count[1] += 3
    assert len(made) == 1


def recurrent(in_loop: bool) -> list[Any]:
    """The loss of a net that joins its input to its state, and the gradients of what it learns."""
    x = tf.constant(numbers(0, 6, 4, 8) / 9)
    kernel = tf.Variable(numbers(1, 24, 16) / 50)
    state = tf.zeros([4, 16])
    if in_loop:
        _, state = tf.while_loop(
            lambda i, _: i < 6,
            lambda i, state: (i + 1, tf.tanh(tf.matmul(tf.concat([x[i], state], 1), kernel))),
            (0, state),
        )
    else:
        for step in tf.unstack(x):
            state = tf.tanh(tf.matmul(tf.concat([step, state], 1), kernel))
    loss = tf.reduce_mean(tf.square(state))
    return [loss, *tf.gradients(loss, [kernel])]


@pytest.mark.parametrize("in_loop", [False, True])
def test_a_recurrent_net_whose_input_needs_no_gradient(
    made: list[PartialProduct], in_loop: bool
) -> None:
    with tf.Graph().as_default():
        fetches = recurrent(in_loop)
        expected = run(fetches, {}, merges=False)
        assert not made
        found = run(fetches, {})
    assert len(made) == (1 if in_loop else 5)
    for have, want in zip(found, expected, strict=True):
        np.testing.assert_allclose(have, want, rtol=1e-5, atol=1e-6)


def test_an_update_that_waits_for_the_product(made: list[PartialProduct]) -> None:
    """The variable is read before it is written, though only its slice's rows are."""
    with tf.Graph().as_default():
        weights = tf.Variable(np.full((3, 4), 2.0, np.float32), use_resource=False)
        x = tf.placeholder(tf.float32, [2, 4])
        product = tf.matmul(x, weights, transpose_b=True)
        part = tf.slice(product, [0, 1], [-1, 2])
        with tf.control_dependencies([part]):
            update = weights.assign_add(tf.ones([3, 4])).op
        with tf.Session(config=session_config(True)) as session:
            session.run(tf.global_variables_initializer())
            for step in range(RUNS):
                found, _ = session.run([part, update], {x: np.ones((2, 4), np.float32)})
                np.testing.assert_array_equal(found, np.full((2, 2), 4.0 * (2 + step)))
    assert len(made) == 1


def planned(op: str, inputs: tuple[int, ...], output: int, kind: CallKind) -> PlanNode:
    """A node that fills a slot; a product if it has two inputs."""
    call: Any = MatrixProduct(len, (1, 0)) if op == "MatMul" else len
    node = PlanNode(output, op.lower(), op, Binding(call, kind, (None,) * len(inputs)), inputs)
    node.outputs = (output,)
    return node


def arranged(*nodes: tuple[PlanNode, tuple[int, ...]]) -> Arrangement:
    """Nodes with the positions of those that each follows."""
    return Arrangement([n for n, _ in nodes], [before for _, before in nodes], frozenset(), {})


class TestOrder:
    """A product that is computed where its slice stood must not keep others from running."""

    PRODUCT = planned("MatMul", (0, 1), 9, CallKind.PLAIN)
    PART = planned("Slice", (9, 2, 3), 10, CallKind.PLAIN)
    WAITS = planned("NoOp", (), -1, CallKind.NOTHING)
    OTHER = planned("Neg", (0,), 11, CallKind.PLAIN)
    RECEIVES = planned("_Recv", (), 2, CallKind.BLOCKING)

    def left(self, *nodes: tuple[PlanNode, tuple[int, ...]]) -> list[str]:
        found = take_parts(arranged(*nodes))
        for position, before in enumerate(found.predecessors):
            assert all(earlier < position for earlier in before)
        return [node.op for node in found.nodes]

    def test_what_only_waits_goes(self) -> None:
        waits = ((self.WAITS, (0,)), (self.WAITS, (0, 1)), (self.WAITS, (0,)))
        assert self.left((self.PRODUCT, ()), *waits, (self.PART, (0, 2))) == ["Slice"]

    def test_what_comes_between_keeps_them_apart(self) -> None:
        nodes = ((self.PRODUCT, ()), (self.WAITS, (0,)), (self.OTHER, (1,)), (self.PART, (0,)))
        assert self.left(*nodes) == ["MatMul", "NoOp", "Neg", "Slice"]

    def test_what_comes_later_waits_for_the_slice(self) -> None:
        nodes = ((self.PRODUCT, ()), (self.WAITS, (0,)), (self.PART, (0,)), (self.OTHER, (1,)))
        assert self.left(*nodes) == ["Slice", "Neg"]

    def test_not_where_the_slice_may_wait_for_what_comes_later(self) -> None:
        """Another device may be asked for where to cut, after the product."""
        receives = (self.RECEIVES, ())
        nodes = (receives, (self.PRODUCT, ()), (self.PART, (0, 1)), (self.OTHER, (1,)))
        assert self.left(*nodes) == ["_Recv", "MatMul", "Slice", "Neg"]
        assert self.left(*nodes[:3]) == ["_Recv", "Slice"]

    def test_a_slot_that_is_filled_in_two_places(self) -> None:
        moves = planned("Merge", (0,), 9, CallKind.MOVE)
        nodes = ((self.PRODUCT, ()), (moves, ()), (self.PART, (0, 1)))
        assert self.left(*nodes) == ["MatMul", "Merge", "Slice"]

    def test_a_slice_under_another_condition(self) -> None:
        part = planned("Slice", (9, 2, 3), 10, CallKind.PLAIN)
        part.guard = (Condition(4, 1, 2, False, self.OTHER),)
        assert self.left((self.PRODUCT, ()), (part, (0,))) == ["MatMul", "Slice"]


Pair = tuple[Any, Any]
APART: dict[str, Callable[[Any, Any], Pair]] = {
    "two slices": lambda t, _: (tf.slice(t, [0, 0], [-1, 2]), tf.slice(t, [0, 2], [-1, 2])),
    "a product that another reads": lambda t, _: (tf.slice(t, [0, 0], [-1, 2]), tf.exp(-t)),
    "a product that is fetched": lambda t, _: (tf.slice(t, [0, 0], [-1, 2]), t),
    "a slice in a branch": lambda t, x: (
        tf.cond(x[0, 0] < 100, lambda: tf.slice(t, [0, 0], [-1, 2]), lambda: t * 2),
        x,
    ),
}


@pytest.mark.parametrize("name", APART)
def test_what_stays_apart(made: list[PartialProduct], name: str) -> None:
    with tf.Graph().as_default():
        a, b = (tf.placeholder(tf.float32, [None, None]) for _ in range(2))
        fetches = APART[name](tf.matmul(a, b), a)
        feeds = {a: numbers(0, 5, 4) / 9, b: numbers(1, 4, 6) / 9}
        found, expected = run(fetches, feeds), run(fetches, feeds, merges=False)
    for have, want in zip(found, expected, strict=True):
        np.testing.assert_allclose(have, want, rtol=1e-5)
    assert not made


def test_what_does_not_fit_names_its_node(made: list[PartialProduct]) -> None:
    with tf.Graph().as_default(), tf.Session(config=session_config(True)) as session:
        a, b, first, count = (tf.placeholder(t) for t in [tf.float32] * 2 + [tf.int32] * 2)
        product = tf.raw_ops.MatMul(a=a, b=b, name="product")
        part = tf.slice(product, first, count, name="part")

        def step(left: Any, right: Any, begin: Any = (0, 1), size: Any = (-1, 2)) -> Any:
            return session.run(part, {a: left, b: right, first: begin, count: size})

        left, right = numbers(0, 5, 4), numbers(1, 4, 6)
        for _ in range(RUNS):
            step(left, right)
        assert len(made) == 1
        found = step(left[:3], right, (1, 0), (2, 6))
        np.testing.assert_allclose(found, left[1:3] @ right, rtol=1e-5)
        wrong = (
            ("product", r"Matrix size-incompatible: In\[0\]: \[5,4\], In\[1\]: \[5,4\]", left),
            ("product", "ndims must be >= 2", left[0]),
        )
        for name, message, other in wrong:
            with pytest.raises(tf.errors.InvalidArgumentError, match=message) as error:
                step(left, other)
            assert error.value.op.name == name
        bounds: tuple[tuple[Any, Any, str], ...] = (
            ((0, 7), (-1, -1), r"Expected begin\[1\] in \[0, 6\], but got 7"),
            ((0, -1), (-1, 1), r"Expected begin\[1\] in \[0, 6\], but got -1"),
            ((0, 3), (-1, 4), r"Expected size\[1\] in \[0, 3\], but got 4"),
            ((2, 0), (-2, 1), r"Expected size\[0\] in \[0, 3\], but got -2"),
            ((0,), (-1,), "1-D tensors of size 2"),
        )
        for begin, size, message in bounds:
            with pytest.raises(tf.errors.InvalidArgumentError, match=message) as error:
                step(left, right, begin, size)
            assert error.value.op.name == "part"
