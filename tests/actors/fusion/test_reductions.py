"""Reductions of what clusters make: the bits of the nodes one by one, and no array in between."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.actors.fusion.large.clusters import FusedNode
from tests.actors.fusion.merged import RUNS, session_config, watch

Reduce = Callable[[Any], Any]


@pytest.fixture
def fused(monkeypatch: pytest.MonkeyPatch) -> list[FusedNode]:
    """The clusters that are made while a test runs."""
    return watch(monkeypatch, "fuse", FusedNode)


def ops_of(nodes: list[FusedNode]) -> list[list[str]]:
    """The types of the nodes of each cluster."""
    return [[node.op for node in cluster.nodes] for cluster in nodes]


def run_both(fetches: Any, feeds: list[dict[Any, Any]], fused: list[FusedNode]) -> list[Any]:
    """What each of some steps gives, which is the same with clusters and without."""
    found = []
    for merges in (False, True):
        assert not fused
        with tf.Session(config=session_config(merges)) as session:
            session.run(tf.global_variables_initializer())
            found.append([session.run(fetches, feed) for feed in feeds])
    for apart, together in zip(*found, strict=True):
        for left, right in zip(apart, together, strict=True):
            assert type(left) is type(right) and left.dtype == right.dtype
            np.testing.assert_array_equal(left, right)
    return found[1]


def numbers(*shape: int, dtype: Any = np.float32, seed: int = 0) -> Any:
    return (np.random.default_rng(seed).standard_normal(shape) * 9).astype(dtype)


ALL: dict[str, tuple[tuple[int, ...], Reduce]] = {
    "all": ((700, 300), tf.reduce_sum),
    "all of one block": ((100, 700), tf.reduce_mean),
    "rows": ((700, 300), lambda x: tf.reduce_mean(x, 1)),
    "kept": ((700, 300), lambda x: tf.reduce_sum(x, -1, keepdims=True)),
    "short rows": ((90_000, 5), lambda x: tf.reduce_sum(x, 1)),
    "columns": ((2000, 300), lambda x: tf.reduce_sum(x, 0)),
    "columns of one block": ((100, 784), lambda x: tf.reduce_mean(x, 0)),
    "planes": ((16, 30, 30, 16), lambda x: tf.reduce_mean(x, [1, 2])),
    "channels": ((16, 30, 30, 16), lambda x: tf.reduce_mean(x, [0, 1, 2])),
    "greatest": ((700, 300), lambda x: tf.reduce_max(x, 1)),
    "least": ((700, 300), lambda x: tf.reduce_min(x, [0, 1], keepdims=True)),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ALL)
def test_a_reduction_goes_with_its_cluster(kind: str, dtype: Any, fused: list[FusedNode]) -> None:
    shape, reduce = ALL[kind]
    with tf.Graph().as_default():
        x, y = tf.placeholder(dtype, shape), tf.placeholder(dtype, shape)
        fetches = [reduce(tf.math.squared_difference(x, y))]
        feeds = [
            {x: numbers(*shape, dtype=dtype, seed=i), y: numbers(*shape, dtype=dtype, seed=99 + i)}
            for i in range(RUNS)
        ]
        run_both(fetches, feeds, fused)
    (ops,) = ops_of(fused)
    assert ops[:-1] == ["SquaredDifference"] and ops[-1] in ("Sum", "Mean", "Max", "Min")


def test_a_result_may_be_read_whole_and_reduced_several_times(fused: list[FusedNode]) -> None:
    with tf.Graph().as_default():
        x, row = tf.placeholder(tf.float32, [1000, 256]), tf.placeholder(tf.float32, [256])
        column = tf.placeholder(tf.float32, [1000, 1])
        z = tf.tanh(x + row) * column
        fetches = [tf.reduce_sum(z), z, tf.reduce_max(z, 1), tf.reduce_mean(tf.exp(z), [0, 1])]
        feeds = [{x: numbers(1000, 256), row: numbers(256), column: numbers(1000, 1)}] * RUNS
        total, whole, rows, _ = run_both(fetches, feeds, fused)[-1]
    (ops,) = ops_of(fused)
    assert sorted(ops) == ["AddV2", "Exp", "Max", "Mean", "Mul", "Sum", "Tanh"]
    np.testing.assert_array_equal(rows, whole.max(1))
    np.testing.assert_allclose(total, whole.sum(dtype=np.float64), atol=1e-6 * np.abs(whole).sum())


def test_a_total_may_be_known_before_other_results(fused: list[FusedNode]) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [1000, 256])
        z = tf.square(x) - 3.0
        total = tf.reduce_sum(z, 1)
        fetches = [total, tf.tanh(z), z]
        found = run_both(fetches, [{x: numbers(1000, 256)}] * RUNS, fused)[-1]
    assert ops_of(fused) == [["Square", "Sub", "Sum", "Tanh"]]
    np.testing.assert_allclose(found[0], found[2].sum(1, dtype=np.float64), rtol=1e-4, atol=1e-3)


def test_columns_are_added_up_where_a_row_is_repeated(fused: list[FusedNode]) -> None:
    """Rows that lie side by side would not end where the parts of the sums do."""
    with tf.Graph().as_default():
        x, row = tf.placeholder(tf.float32, [2000, 300]), tf.placeholder(tf.float32, [300])
        fetches = [tf.reduce_sum(tf.square(x - row) + 1.0, 0)]
        feeds = [{x: numbers(2000, 300, seed=i), row: numbers(300)} for i in range(RUNS)]
        run_both(fetches, feeds, fused)
    (ops,) = ops_of(fused)
    assert ops[-1] == "Sum"


def test_a_layer_norm_is_two_clusters(fused: list[FusedNode]) -> None:
    """Differences are made again for the product, not written and read."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [1000, 256])
        mean, variance = tf.nn.moments(x, [1], keepdims=True)
        normed = (x - mean) * tf.math.rsqrt(variance + 1e-5)
        feeds = [{x: numbers(1000, 256, seed=i)} for i in range(RUNS)]
        found = run_both([normed, tf.reduce_sum(normed, 0)], feeds, fused)[0][0]
    assert ops_of(fused) == [["SquaredDifference", "Mean"], ["Sub", "Mul", "Sum"]]
    wide = feeds[0][x].astype(np.float64)
    expected = wide - wide.mean(1, keepdims=True)
    expected /= np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("dtype", [tf.int32, tf.bfloat16, tf.complex64])
def test_other_types(dtype: Any, fused: list[FusedNode]) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [400, 300])
        z = tf.cast(tf.cast(x, dtype) * tf.cast(2.0, dtype), dtype)
        feeds = [{x: numbers(400, 300)}] * RUNS
        run_both([tf.reduce_sum(z, 1), tf.reduce_sum(z)], feeds, fused)


def test_reductions_whose_parts_do_not_agree_stay_apart(fused: list[FusedNode]) -> None:
    """Blocks of a cluster are whole rows, or as many as sums of columns are made of."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [1500, 1001])
        z = tf.square(x) + 1.0
        fetches = [tf.reduce_sum(z), tf.reduce_sum(z, 1)]
        run_both(fetches, [{x: numbers(1500, 1001)}] * RUNS, fused)
    (ops,) = ops_of(fused)
    assert ops.count("Sum") == 1


def test_axes_that_are_fed_are_none_to_cut_by(fused: list[FusedNode]) -> None:
    with tf.Graph().as_default():
        x, axis = tf.placeholder(tf.float32, [500, 400]), tf.placeholder(tf.int32, [])
        fetches = [tf.reduce_sum(tf.square(x) + 1.0, axis)]
        feeds = [{x: numbers(500, 400), axis: i % 2} for i in range(RUNS)]
        run_both(fetches, feeds, fused)
    (ops,) = ops_of(fused)
    assert "Sum" not in ops


def test_a_reduction_that_waits_for_what_follows_the_cluster_stays_apart(
    fused: list[FusedNode],
) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [500, 400])
        seen = tf.Variable(0.0)
        z = tf.square(x) + 1.0
        after = seen.assign_add(tf.reduce_max(tf.sort(z, 0)))
        with tf.control_dependencies([after]):
            total = tf.reduce_sum(z)
        feeds = [{x: numbers(500, 400, seed=i)} for i in range(RUNS)]
        run_both([total, after], feeds, fused)
    assert all("Sum" not in ops for ops in ops_of(fused))


def test_a_reduction_that_waits_for_what_follows_the_first_node(fused: list[FusedNode]) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [500, 400])
        doubled = x * 2.0
        z = doubled + 1.0
        after = tf.Variable(0.0).assign_add(tf.gather(tf.cumsum(doubled), 499)[0])
        with tf.control_dependencies([after]):
            total = tf.reduce_sum(z)
        run_both([total, after], [{x: numbers(500, 400)}] * RUNS, fused)
    assert ops_of(fused) == [["Mul", "AddV2"]]


def test_what_is_made_outside_of_a_branch_and_reduced_inside(fused: list[FusedNode]) -> None:
    with tf.Graph().as_default():
        x, wanted = tf.placeholder(tf.float32, [500, 400]), tf.placeholder(tf.bool, [])
        z = tf.square(x) + 1.0
        total = tf.cond(wanted, lambda: tf.reduce_sum(z), lambda: -1.0)
        feeds = [{x: numbers(500, 400), wanted: i % 3 > 0} for i in range(RUNS + 2)]
        found = run_both([total, z], feeds, fused)
    assert [float(step[0]) == -1.0 for step in found] == [i % 3 == 0 for i in range(RUNS + 2)]


def test_a_reduction_that_only_waits_for_a_branch(fused: list[FusedNode]) -> None:
    """The cluster is needed whether the branch is taken or not."""
    with tf.Graph().as_default():
        x, wanted = tf.placeholder(tf.float32, [500, 400]), tf.placeholder(tf.bool, [])
        z = tf.square(x) + 1.0
        off, on = tf.raw_ops.Switch(data=wanted, pred=wanted)
        with tf.control_dependencies([tf.identity(on)]):
            total = tf.reduce_sum(z)
        with tf.control_dependencies([tf.identity(off)]):
            other = tf.constant(-1.0)
        merged, _ = tf.raw_ops.Merge(inputs=[total, other])
        feeds = [{x: numbers(500, 400), wanted: i % 3 > 0} for i in range(RUNS + 2)]
        found = run_both([merged, z], feeds, fused)
    assert fused
    for i, step in enumerate(found):
        np.testing.assert_array_equal(step[1], np.square(feeds[i][x]) + 1)
        assert (float(step[0]) == -1.0) == (i % 3 == 0)


def test_reductions_that_wait_for_each_others_clusters(fused: list[FusedNode]) -> None:
    """Each could go with its own cluster, but not both."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [500, 400])
        squares = [tf.square(x - number) * 2.0 for number in (2.0, 3.0)]
        after = [tf.Variable(0.0).assign_add(tf.sort(square, 0)[0, 0]) for square in squares]
        totals = []
        for square, other in zip(squares, reversed(after), strict=True):
            with tf.control_dependencies([other]):
                totals.append(tf.reduce_sum(square))
        run_both([*totals, *after], [{x: numbers(500, 400)}] * RUNS, fused)
    assert all("Sum" not in ops for ops in ops_of(fused))


def test_shapes_may_change_after_the_cluster_was_made(fused: list[FusedNode]) -> None:
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        fetches = [tf.reduce_mean(tf.square(x - y), 0)]
        shapes = [((600, 200), (600, 200))] * 3
        shapes += [((3, 2), (3, 2)), ((4, 300_000), (4, 300_000)), ((0, 5), (5,)), ((9,), ())]
        shapes += [((600, 200), (200,)), ((600, 1), (1, 200)), ((7, 8, 9), (8, 1))]
        feeds = [{x: numbers(*a), y: numbers(*b, seed=1)} for a, b in shapes]
        feeds += [{x: numbers(200, 600).T, y: numbers(600, 200)}]
        with np.errstate(all="ignore"):
            run_both(fetches, feeds, fused)
    (ops,) = ops_of(fused)
    assert ops[-1] == "Mean"


def test_in_a_loop_and_a_branch(fused: list[FusedNode]) -> None:
    with tf.Graph().as_default():
        x, wanted = tf.placeholder(tf.float32, [300, 400]), tf.placeholder(tf.bool, [])

        def body(i: Any, total: Any) -> Any:
            return i + 1, total + tf.reduce_sum(tf.square(x - tf.cast(i, tf.float32)), 1)

        looped = tf.while_loop(lambda i, _: i < 20, body, [0, tf.zeros([300])])[1]
        chosen = tf.cond(wanted, lambda: tf.reduce_sum(tf.square(x) + 1.0), lambda: 0.0)
        feeds = [{x: numbers(300, 400), wanted: i != 4} for i in range(RUNS + 1)]
        results = run_both([looped, chosen], feeds, fused)
    assert sum("Sum" in ops for ops in ops_of(fused)) == 2
    wide = feeds[0][x].astype(np.float64)
    expected = sum(np.square(wide - i).sum(1) for i in range(20))
    np.testing.assert_allclose(results[0][0], expected, rtol=1e-5)
    assert results[4][1] == 0


def test_an_error_names_the_node(fused: list[FusedNode]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.placeholder(tf.int32, [300_000]), tf.placeholder(tf.int32, [300_000])
        total = tf.reduce_sum(tf.floordiv(x + 1, y, name="quotient"))
        ones = np.ones(300_000, np.int32)
        for _ in range(RUNS):
            assert session.run(total, {x: ones, y: ones}) == 600_000
        assert ops_of(fused) == [["AddV2", "FloorDiv", "Sum"]]
        with pytest.raises(tf.errors.InvalidArgumentError, match="node quotient"):
            session.run(total, {x: ones, y: ones - ones})
        assert session.run(total, {x: ones, y: ones}) == 600_000


def test_what_is_reduced_takes_no_memory(fused: list[FusedNode]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2000, 1000])
        step = session.make_callable(tf.reduce_mean(tf.square(x - 1.0)), feed_list=[x])
        a = np.full((2000, 1000), 3, np.float32)
        for _ in range(RUNS):
            step(a)
        assert fused
        tracemalloc.start()
        try:
            assert step(a) == 4
            assert tracemalloc.get_traced_memory()[1] < a.nbytes / 4
        finally:
            tracemalloc.stop()


def test_an_axis_that_a_later_shape_lacks(fused: list[FusedNode]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32)
        z = tf.square(x) + 1.0
        fetches = [tf.reduce_max(z, 1, name="the_extreme"), tf.tanh(z, name="the_last")]
        for _ in range(RUNS):
            session.run(fetches, {x: numbers(600, 200)})
        assert ops_of(fused) == [["Square", "AddV2", "Max", "Tanh"]]
        message = r"Invalid reduction dimension \(1 for input with 1 dimension\(s\)"
        with pytest.raises(tf.errors.InvalidArgumentError, match=message) as caught:
            session.run(fetches, {x: numbers(120_000)})
        assert "[[node the_extreme" in str(caught.value)
