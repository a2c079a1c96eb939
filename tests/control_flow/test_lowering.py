"""Loops and branches as Python code: the same values, errors and counts as TensorFlow's."""

from __future__ import annotations

import gc
import threading
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow import errors
from dataflow.actors.nodes.loop_node import LoopNode
from dataflow.actors.plan.plan import Plan
from dataflow.library.defun import Defun
from tests.control_flow.conftest import ControlFlowPath
from tests.control_flow.placed.devices import plans_of
from tests.oracle import open_session
from tests.ray.actors import eventually
from tests.session.both import core_text

oracle.disable_v2_behavior()
oracle.disable_control_flow_v2()
oracle.disable_resource_variables()

Build = Callable[[Any], tuple[Any, list[Any]]]
"""`f(library)`: builds and returns what is fetched, and what is fed."""


def _runs(library: Any, session: Any, build: Build, feeds: list[tuple[Any, ...]]) -> list[Any]:
    """What each run gives; each is done more often than runs are measured."""
    fetches, fed = build(library)
    session.run(library.global_variables_initializer())
    results = []
    for values in feeds:
        for _ in range(3):
            try:
                results.append(session.run(fetches, dict(zip(fed, values, strict=True))))
            except (errors.OpError, oracle.errors.OpError) as error:
                results.append((error.op.name, type(error).__name__, core_text(error.message)))
    return results


def _assert_same(build: Build, feeds: list[tuple[Any, ...]], path: ControlFlowPath) -> list[Any]:
    with oracle.Graph().as_default() as graph, open_session(oracle, graph) as session:
        wanted = _runs(oracle, session, build, feeds)
    with tf.Graph().as_default() as ours, path.session(ours) as session:
        made = _runs(tf, session, build, feeds)
        assert {plan.tagged for plan in _plans(session)} == {path.name == "general"}
    for have, want in zip(made, wanted, strict=True):
        if isinstance(want, tuple):
            assert have == want
        else:
            for one, other in zip(tf.nest.flatten(have), tf.nest.flatten(want), strict=True):
                assert np.asarray(one).dtype == np.asarray(other).dtype
                np.testing.assert_allclose(one, other, rtol=1e-5)
    return made


def _plans(session: tf.Session) -> list[Plan]:
    """The plans of a session that have control flow."""
    return [
        plan
        for plan in plans_of(session)
        if plan.tagged or any(isinstance(n, LoopNode) or n.guard for n in plan.nodes)
    ]


def test_a_loop_runs_head_and_body_as_often_as_it_should(
    control_flow_path: ControlFlowPath,
) -> None:
    def build(lib: Any) -> Any:
        heads, bodies, sides = (lib.Variable(0, name=name) for name in ("h", "b", "s"))
        limit = lib.placeholder(lib.int32, [])

        def goes_on(i: Any) -> Any:
            with lib.control_dependencies([lib.assign_add(heads, 1)]):
                return lib.less(i, limit)

        def body(i: Any) -> Any:
            side = lib.cond(
                lib.equal(i % 3, 0), lambda: lib.assign_add(sides, i), lambda: lib.identity(sides)
            )
            with lib.control_dependencies([lib.assign_add(bodies, 1), side]):
                return i + 1

        over = lib.while_loop(goes_on, body, [0], parallel_iterations=1)
        with lib.control_dependencies([over]):
            read = [lib.identity(v.read_value()) for v in (heads, bodies, sides)]
        return [over, *read], [limit]

    made = _assert_same(build, [(0,), (1,), (7,), (100,)], control_flow_path)
    heads, bodies = zip(*[run[1:3] for run in made], strict=True)
    limits = np.repeat([0, 1, 7, 100], 3)
    np.testing.assert_array_equal(heads, np.cumsum(limits + 1))
    np.testing.assert_array_equal(bodies, np.cumsum(limits))


def test_swapped_variables_take_their_values_at_once(control_flow_path: ControlFlowPath) -> None:
    def build(lib: Any) -> Any:
        limit = lib.placeholder(lib.int32, [])
        loop = lib.while_loop(
            lambda i, a, b, c: i < limit,
            lambda i, a, b, c: (i + 1, b, c, a),
            [0, 1.0, 2.0, 3.0],
        )
        return loop, [limit]

    _assert_same(build, [(0,), (1,), (50,), (100,)], control_flow_path)


def test_a_variable_that_is_its_own_condition(control_flow_path: ControlFlowPath) -> None:
    def build(lib: Any) -> Any:
        go, limit = lib.placeholder(lib.bool, []), lib.placeholder(lib.int32, [])
        loop = lib.while_loop(lambda g, i: g, lambda g, i: (i < limit, i + 1), [go, 0])
        return loop, [go, limit]

    _assert_same(build, [(True, 3), (False, 3), (True, 90)], control_flow_path)


@pytest.mark.parametrize("size", [30, 210])
def test_bodies_longer_than_a_function(size: int, control_flow_path: ControlFlowPath) -> None:
    def build(lib: Any) -> Any:
        x, p = lib.placeholder(lib.float32, [3]), lib.placeholder(lib.bool, [])

        def long(value: Any) -> Any:
            for _ in range(size):
                value = lib.sin(value) + 0.25
            return value

        def body(i: Any, a: Any) -> Any:
            inner = lib.while_loop(
                lambda j, b: j < 2, lambda j, b: (j + 1, long(b)), [0, a], name="inner"
            )
            chosen = lib.cond(p, lambda: long(inner[1]), lambda: inner[1] * 2.0)
            return i + 1, lib.cond(lib.equal(i, 1), lambda: long(chosen), lambda: chosen + x)

        loop = lib.while_loop(lambda i, a: i < 36, body, [0, x])
        return [loop, lib.cond(p, lambda: long(x), lambda: x)], [x, p]

    x = np.array([1, 2, 3], np.float32)
    _assert_same(build, [(x, True), (x, False)], control_flow_path)


def test_nests_deeper_than_python_can_indent(control_flow_path: ControlFlowPath) -> None:
    def build(lib: Any) -> Any:
        x, p = lib.placeholder(lib.float32, []), lib.placeholder(lib.float32, [])

        def nest(depth: int, value: Any) -> Any:
            if not depth:
                return value
            return lib.cond(
                p > float(depth), lambda: nest(depth - 1, value + 1.0), lambda: value * 2.0
            )

        return nest(90, x), [x, p]

    _assert_same(build, [(1.0, 100.0), (1.0, 60.0), (1.0, 89.5), (1.0, 0.0)], control_flow_path)


def test_loops_in_loops(control_flow_path: ControlFlowPath) -> None:
    def build(lib: Any) -> Any:
        x, limit = lib.placeholder(lib.float32, [2]), lib.placeholder(lib.int32, [])

        def nest(depth: int, value: Any) -> Any:
            if not depth:
                return lib.sin(value) * x
            return lib.while_loop(
                lambda i, a: i < limit, lambda i, a: (i + 1, nest(depth - 1, a)), [0, value]
            )[1]

        value = nest(6, x)
        return [value, lib.gradients(nest(2, x), x)], [x, limit]

    x = np.array([1, 2], np.float32)
    _assert_same(build, [(x, 2), (x, 0), (x, 1)], control_flow_path)


@pytest.mark.parametrize(
    "dtype",
    ["float16", "bfloat16", "float32", "float64", "int8", "int32", "int64", "uint8", "complex64"],
)
def test_scalars_of_each_type_compute_as_arrays_do(
    dtype: str, control_flow_path: ControlFlowPath
) -> None:
    def build(lib: Any) -> Any:
        kind = getattr(lib, dtype)
        x, y = lib.placeholder(kind, []), lib.placeholder(kind, [])
        calm = dtype in ("complex64",)

        def body(i: Any, a: Any) -> Any:
            product = (a + x) * y
            return i + 1, product - x if calm else lib.where(product > x, product - x, a)

        return lib.while_loop(lambda i, a: i < 60, body, [0, x])[1], [x, y]

    name = "float32" if dtype == "bfloat16" else dtype
    cast = np.dtype(name).type
    if dtype == "bfloat16":
        cast = tf.bfloat16.as_numpy_dtype
    _assert_same(build, [(cast(3), cast(1)), (cast(100), cast(2))], control_flow_path)


@pytest.mark.parametrize("fails_at", [0, 3, 70])
def test_an_error_names_the_node_in_the_loop(
    fails_at: int, control_flow_path: ControlFlowPath
) -> None:
    def build(lib: Any) -> Any:
        at = lib.placeholder(lib.int32, [])

        def body(i: Any, a: Any) -> Any:
            inner = lib.cond(i >= 0, lambda: lib.floordiv(100, i - at, name="culprit"), lambda: i)
            return i + 1, a + inner

        return lib.while_loop(lambda i, a: i < 100, body, [0, 0]), [at]

    made = _assert_same(build, [(1000,), (fails_at,), (1000,)], control_flow_path)
    assert made[3][0] == "while/cond/culprit"


def test_a_case_of_one_branch(control_flow_path: ControlFlowPath) -> None:
    with tf.Graph().as_default() as graph, control_flow_path.session(graph) as session:
        x, n = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.int32, [])

        @Defun(tf.float32)
        def doubled(value: Any) -> Any:
            return value * 2.0

        only = tf.raw_ops.Case(
            branch_index=n, input=[x], branches=[doubled], Tout=[tf.float32], output_shapes=[[2]]
        )
        for index in (0, 1, -1) * 2:
            (got,) = session.run(only, {x: [1.0, 3.0], n: index})
            assert got.tolist() == [2.0, 6.0]


def test_an_error_in_a_long_body_names_the_node(control_flow_path: ControlFlowPath) -> None:
    def build(lib: Any) -> Any:
        at = lib.placeholder(lib.int32, [])

        def body(i: Any) -> Any:
            value = i
            for _ in range(205):
                value = value + 1 - 1
            return i + 1 + 0 * lib.floordiv(100, value - at, name="culprit")

        return lib.while_loop(lambda i: i < 80, body, [0]), [at]

    made = _assert_same(build, [(1000,), (60,), (1000,)], control_flow_path)
    assert made[3][0] == "while/culprit"


@pytest.mark.parametrize("shape", [[1], [2], [0]])
def test_a_predicate_that_is_no_scalar_is_refused(
    shape: list[int], control_flow_path: ControlFlowPath
) -> None:
    def build(lib: Any) -> Any:
        p = lib.placeholder(lib.bool)
        return lib.cond(p, lambda: lib.constant(1.0), lambda: lib.constant(2.0)), [p]

    made = _assert_same(build, [(np.ones(shape, bool),), (True,)], control_flow_path)
    assert "must be a scalar" in made[0][2]
    assert made[3] == 1.0


def test_an_endless_loop_can_be_stopped(control_flow_path: ControlFlowPath) -> None:
    with tf.Graph().as_default() as graph, control_flow_path.session(graph) as session:
        endless = tf.while_loop(lambda i: i >= 0, lambda i: tf.maximum(i - 1, 0), [5])
        for _ in range(3):
            with pytest.raises(errors.DeadlineExceededError):
                session.run(endless, options=tf.RunOptions(timeout_in_ms=100))
        assert session.run(tf.constant(3)) == 3


def test_closing_the_session_ends_its_loops(control_flow_path: ControlFlowPath) -> None:
    with tf.Graph().as_default() as graph:
        started = tf.Variable(0)
        with tf.control_dependencies([tf.assign(started, 1)]):
            first = tf.constant(5)
        endless = tf.while_loop(lambda i: i >= 0, lambda i: tf.maximum(i - 1, 0), [first])
        session = control_flow_path.session(graph)
        session.run(started.initializer)
        ends: list[BaseException] = []

        def run() -> None:
            try:
                session.run(endless)
            except BaseException as error:
                ends.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        while not session.run(started):
            pass
        session.close()
        thread.join(30)
        assert not thread.is_alive()
    assert [type(end) for end in ends] == [errors.CancelledError]


def test_a_trace_lists_each_iteration(control_flow_path: ControlFlowPath) -> None:
    with tf.Graph().as_default() as graph, control_flow_path.session(graph) as session:
        x = tf.placeholder(tf.float32, [2])
        loop = tf.while_loop(lambda i, a: i < 40, lambda i, a: (i + 1, tf.sin(a)), [0, x])
        both = tf.cond(loop[0] > 3, lambda: tf.cos(loop[1]), lambda: tf.tan(loop[1]))
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        for _ in range(4):
            metadata = tf.RunMetadata()
            session.run(both, {x: [1, 2]}, options=options, run_metadata=metadata)
            (device,) = metadata.step_stats.dev_stats
            names = [stats.node_name for stats in device.node_stats]
            assert names.count("while/Sin") == 40
            assert names.count("while/Less") == 41
            assert names.count("cond/Cos") == 1
            assert "cond/Tan" not in names


def test_values_of_an_iteration_are_dropped(control_flow_path: ControlFlowPath) -> None:
    with tf.Graph().as_default() as graph, control_flow_path.session(graph) as session:
        x = tf.placeholder(tf.float32, [1 << 18])

        def body(i: Any, a: Any) -> Any:
            for _ in range(20):
                a = tf.sin(a)
            return i + 1, tf.cond(i > 3, lambda: tf.cos(a), lambda: tf.tan(a))

        loop = tf.while_loop(lambda i, a: i < 50, body, [0, x], parallel_iterations=1)
        result = tf.reduce_sum(tf.sin(loop[1]))
        value = np.ones(1 << 18, np.float32)
        for _ in range(4):
            tracemalloc.start()
            session.run(result, {x: value})
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert peak < 6 * value.nbytes


def test_a_closed_session_leaves_no_code(control_flow_path: ControlFlowPath) -> None:
    gc.collect()
    before = _loop_nodes()
    with tf.Graph().as_default() as graph, control_flow_path.session(graph) as session:
        loop = tf.while_loop(lambda i: i < 40, lambda i: i + 1, [0])
        for _ in range(4):
            session.run(loop)
    del session, graph, loop
    gc.collect()
    assert eventually(lambda: _loop_nodes() <= before)


def _loop_nodes() -> set[int]:
    return {id(found) for found in gc.get_objects() if isinstance(found, LoopNode)}


def test_costly_branches_overlap_and_stay_apart(control_flow_path: ControlFlowPath) -> None:
    def build(lib: Any) -> Any:
        x, p = lib.placeholder(lib.float32, [300, 300]), lib.placeholder(lib.bool, [])

        def side(value: Any) -> Any:
            parts = [lib.matmul(value + float(i), value) for i in range(4)]
            return [lib.reduce_sum(part) for part in parts]

        first = lib.cond(p, lambda: side(x), lambda: side(x * 2.0))
        second = lib.cond(first[0] > 0.0, lambda: side(x + 1.0), lambda: side(x - 1.0))
        return [first, second, lib.reduce_sum(lib.matmul(x, x))], [x, p]

    x = np.random.default_rng(0).uniform(0.1, 1, (300, 300)).astype(np.float32)
    for _ in range(2):
        _assert_same(build, [(x, True), (x, False), (-x, True)], control_flow_path)


def test_random_numbers_in_a_loop_do_not_depend_on_the_way() -> None:
    drawn = []
    for name in ("lowered", "general"):
        with tf.Graph().as_default() as graph:
            step = lambda i, a: (i + 1, a + tf.random_uniform([3], seed=7))  # noqa: E731
            loop = tf.while_loop(
                lambda i, a: i < 50, step, [0, tf.zeros([3])], parallel_iterations=1
            )
            with ControlFlowPath(name).session(graph) as session:
                drawn.append([session.run(loop[1]) for _ in range(4)])
    np.testing.assert_array_equal(drawn[0], drawn[1])


def test_what_is_fetched_is_the_users_own(control_flow_path: ControlFlowPath) -> None:
    with tf.Graph().as_default() as graph, control_flow_path.session(graph) as session:
        p, x = tf.placeholder(tf.bool, []), tf.placeholder(tf.float32, [3])
        kept = tf.Variable(np.zeros(3, np.float32))
        chosen = tf.cond(p, lambda: x, lambda: tf.sin(x))
        stored = tf.assign(kept, chosen)
        session.run(kept.initializer)
        value = np.ones(3, np.float32)
        for side in (True, False) * 3:
            first, _ = session.run([chosen, stored.op], {p: side, x: value})
            wanted = value if side else np.sin(value)
            first[:] = 77
            np.testing.assert_array_equal(value, 1)
            np.testing.assert_allclose(session.run(kept), wanted, rtol=1e-6)
