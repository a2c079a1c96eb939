"""Variables in sessions: what is kept, when a write is seen, and what a step refuses.

Among the ops: TemporaryVariable DestroyTemporaryVariable DestroyResourceOp StridedSliceAssign
ResourceStridedSliceAssign.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.conftest import SessionFactory
from tests.session.both import assert_same, oracle

oracle.disable_resource_variables()
oracle.logging.set_verbosity(oracle.logging.ERROR)

Build = Callable[[Any], Any]


def added_then_read(lib: Any) -> Any:
    x = lib.Variable(0.0)
    with lib.control_dependencies([lib.assign_add(x, 1)]):
        return lib.identity(x)


def assigned_then_read(lib: Any) -> Any:
    x = lib.Variable(0.0)
    with lib.control_dependencies([lib.assign(x, x + 1)]):
        return lib.identity(x)


def added_then_used(lib: Any) -> Any:
    x = lib.Variable([0.0, 1.0])
    with lib.control_dependencies([lib.assign_add(x, [1.0, 1.0])]):
        return x + 0.5


def changed_in_a_branch_then_used(lib: Any) -> Any:
    x, yes = lib.Variable(2.0), lib.placeholder_with_default(True, [])

    def changed() -> Any:
        with lib.control_dependencies([lib.assign_sub(x, 0.5)]):
            return x * 10.0

    return lib.cond(yes, changed, lambda: x)


def changed_in_branches_of_a_loop(lib: Any) -> Any:
    """Its other branch is on another device, if there is one."""
    x = lib.Variable(2.0)

    def changed(i: Any) -> Any:
        with lib.control_dependencies([lib.assign_sub(x, 0.125)]):
            return i + x * 10.0

    def other(i: Any) -> Any:
        with lib.device("/cpu:1"):
            return i + 1.0

    def body(i: Any) -> Any:
        return lib.cond(i < 40.0, lambda: changed(i), lambda: other(i))

    return lib.while_loop(lambda i: i < 60.0, body, [0.0], parallel_iterations=1)


def fetched_with_its_update(lib: Any) -> Any:
    x = lib.Variable(0.0)
    return [x, lib.assign_add(x, 1)]


def value_fetched_with_its_update(lib: Any) -> Any:
    x = lib.Variable(0.0)
    return [x.value(), lib.assign_add(x, 1)]


def fed_value_assigned(lib: Any) -> Any:
    x, given = lib.Variable(0.0), lib.placeholder_with_default(3.0, [])
    with lib.control_dependencies([lib.assign(x, given)]):
        return lib.identity(x)


def constant_assigned(lib: Any) -> Any:
    x = lib.Variable([0.0])
    with lib.control_dependencies([lib.assign(x, [3.0])]):
        return x * 2.0


def used_before_the_update(lib: Any) -> Any:
    x = lib.Variable([0.0, 1.0])
    before = x + 0
    with lib.control_dependencies([before]):
        return [before, lib.assign_add(x, [1.0, 1.0])]


def updates_in_turn(lib: Any) -> Any:
    x = lib.Variable(0.0)
    first = lib.assign_add(x, 1)
    with lib.control_dependencies([first]):
        return [lib.assign_add(x, 10), lib.assign_sub(first, 3)]


def copy_of_an_update(lib: Any) -> Any:
    x = lib.Variable(0.0)
    first = lib.assign_add(x, 1) + 0
    with lib.control_dependencies([first]):
        second = lib.assign_add(x, 10)
    return [first, second, x]


def rows_then_read(lib: Any) -> Any:
    x = lib.Variable(np.zeros([3, 2], np.float32))
    with lib.control_dependencies([lib.scatter_add(x, [0, 2, 0], np.ones([3, 2], np.float32))]):
        return lib.reduce_sum(x, 1)


def slice_then_read(lib: Any) -> Any:
    x = lib.Variable([1.0, 2.0, 3.0])
    with lib.control_dependencies([x[1:].assign([5.0, 6.0])]):
        return lib.identity(x)


def resource_added_then_read(lib: Any) -> Any:
    x = lib.Variable([0.0], use_resource=True)
    before = x + 0.0
    with lib.control_dependencies([before]):
        added = x.assign_add([1.0])
    with lib.control_dependencies([added]):
        return [before, x.read_value(), added]


def resource_slice_then_read(lib: Any) -> Any:
    x = lib.Variable([1.0, 2.0, 3.0], use_resource=True)
    part = x[1:].assign([5.0, 6.0])
    with lib.control_dependencies([part]):
        return x[0].assign(7.0)


def counter(lib: Any) -> Any:
    x, y = lib.Variable(0), lib.Variable(0, use_resource=True)
    return [x.count_up_to(2), y.count_up_to(4)]


def temporary(lib: Any) -> Any:
    raw = lib.raw_ops
    cell = raw.TemporaryVariable(shape=[2], dtype=lib.float32, var_name="t")
    held = lib.assign(cell, [4.0, 5.0])
    held = lib.assign_add(held, [1.0, 1.0])
    return raw.DestroyTemporaryVariable(ref=held, var_name="t")


def one_name_two_nodes(lib: Any) -> Any:
    raw = lib.raw_ops
    x = raw.VariableV2(shape=[2], dtype=lib.float32, shared_name="shared")
    y = raw.VariableV2(shape=[2], dtype=lib.float32, shared_name="shared")
    z = raw.VariableV2(shape=[2], dtype=lib.float32, shared_name="shared", container="other")
    with lib.control_dependencies([lib.assign(x, [4.0, 5.0]), lib.assign(z, [1.0, 1.0])]):
        return [lib.identity(y), lib.identity(z)]


def handles_by_name(lib: Any) -> Any:
    raw = lib.raw_ops
    x = lib.Variable([1.0, 2.0], name="x", use_resource=True)
    same = raw.VarHandleOp(shape=[2], dtype=lib.float32, shared_name="x")
    with lib.control_dependencies([x.assign_add([1.0, 1.0])]):
        read = raw.ReadVariableOp(resource=same, dtype=lib.float32)
    return [read, raw.VariableShape(input=same), raw.VariableShape(input=same, out_type=lib.int64)]


def legacy_variable(lib: Any) -> Any:
    x = lib.raw_ops.Variable(shape=[], dtype=lib.float32)
    assert x.shape.rank is None
    return lib.assign(x, [4.0, 5.0], validate_shape=False)


def changes_shape(lib: Any) -> Any:
    x = lib.Variable([1.0], validate_shape=False)
    with lib.control_dependencies([lib.assign(x, [1.0, 2.0], validate_shape=False)]):
        return lib.shape(x.read_value())


def strings(lib: Any) -> Any:
    x = lib.Variable([b"a", b"b"])
    y = lib.Variable("c", use_resource=True)
    return [lib.scatter_update(x, [1], [b"z"]), y.assign("longer"), x[0].assign(b"q")]


RUNS = [
    added_then_read,
    assigned_then_read,
    added_then_used,
    changed_in_a_branch_then_used,
    fetched_with_its_update,
    value_fetched_with_its_update,
    fed_value_assigned,
    constant_assigned,
    used_before_the_update,
    updates_in_turn,
    copy_of_an_update,
    rows_then_read,
    slice_then_read,
    resource_added_then_read,
    resource_slice_then_read,
    counter,
    temporary,
    one_name_two_nodes,
    handles_by_name,
    legacy_variable,
    changes_shape,
    strings,
]


@pytest.mark.parametrize("build", RUNS, ids=lambda build: build.__name__)
def test_three_runs(build: Build, session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        fetches = build(lib)
        session.run(lib.global_variables_initializer())
        return [session.run(fetches) for _ in range(3)]

    assert_same(program, session_factory)


def test_a_loop_over_devices(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        fetches = changed_in_branches_of_a_loop(lib)
        session.run(lib.global_variables_initializer())
        return [session.run(fetches) for _ in range(3)]

    assert_same(program, session_factory, cpus=2)


def _unknown(lib: Any, value: Any) -> Any:
    """A value of which building knows no shape."""
    return lib.placeholder_with_default(value, None)


def _both_kinds(body: Callable[[Any, Any], Any]) -> list[Build]:
    def on_ref(lib: Any) -> Any:
        return body(lib, lib.Variable([1.0, 2.0], name="W"))

    def on_resource(lib: Any) -> Any:
        return body(lib, lib.Variable([1.0, 2.0], name="W", use_resource=True))

    return [on_ref, on_resource]


UNINITIALIZED: dict[str, Callable[[Any, Any], Any]] = {
    "fetched": lambda lib, w: w,
    "read": lambda lib, w: w.read_value(),
    "used": lambda lib, w: w * 2.0,
    "added": lambda lib, w: w.assign_add([1.0, 1.0]),
    "scattered": lambda lib, w: lib.scatter_add(w, [0], [1.0]),
    "scattered slices": lambda lib, w: lib.scatter_nd_add(w, [[0]], [1.0]),
    "sliced": lambda lib, w: w[0].assign(1.0),
    "initialized": lambda lib, w: lib.is_variable_initialized(w),
    "assigned": lambda lib, w: w.assign([5.0, 6.0]),
    "reported": lambda lib, w: lib.report_uninitialized_variables(),
}


@pytest.mark.parametrize("body", UNINITIALIZED.values(), ids=UNINITIALIZED.keys())
def test_uninitialized(body: Callable[[Any, Any], Any], session_factory: SessionFactory) -> None:
    for build in _both_kinds(body):
        assert_same(lambda lib, session, b=build: session.run(b(lib)), session_factory)


def test_asserting_initialization(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        w, v = lib.Variable([1.0], name="w"), lib.Variable([1.0], name="v")
        check = lib.assert_variables_initialized()
        session.run(w.initializer)
        with pytest.raises(lib.errors.FailedPreconditionError, match="uninitialized value v"):
            session.run(check)
        session.run(v.initializer)
        return session.run(check)

    assert_same(program, session_factory)


def test_uninitialized_variable_is_named(session_factory: SessionFactory) -> None:
    w = tf.Variable([1.0], name="weights")
    doubled = tf.multiply(w, 2.0, name="doubled")
    with pytest.raises(tf.errors.FailedPreconditionError) as caught:
        session_factory().run(doubled)
    assert "Attempting to use uninitialized value weights" in str(caught.value)
    assert caught.value.op is w.value().op
    assert __file__ in str(caught.value)


RESOURCE_ONLY: dict[str, Callable[[Any, Any], Any]] = {
    "gathered": lambda lib, w: w.sparse_read([0]),
    "gathered slices": lambda lib, w: w.gather_nd([[0]]),
    "shape": lambda lib, w: lib.raw_ops.VariableShape(input=w.handle),
    "destroyed": lambda lib, w: lib.raw_ops.DestroyResourceOp(resource=w.handle),
}


@pytest.mark.parametrize("body", RESOURCE_ONLY.values(), ids=RESOURCE_ONLY.keys())
def test_uninitialized_resource(
    body: Callable[[Any, Any], Any], session_factory: SessionFactory
) -> None:
    build = _both_kinds(body)[1]
    assert_same(lambda lib, session: session.run(build(lib)), session_factory)


def test_destroyed_variable_is_gone(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        w = lib.Variable([1.0], use_resource=True)
        destroy = lib.raw_ops.DestroyResourceOp(resource=w.handle, ignore_lookup_error=False)
        read, held = w.read_value(), w.is_initialized()
        session.run(w.initializer)
        before = session.run(held)
        session.run(destroy)
        after = session.run(held)
        for fetch, error in ((destroy, "NotFoundError"), (read, "FailedPreconditionError")):
            with pytest.raises(getattr(lib.errors, error)):
                session.run(fetch)
        session.run(w.initializer)
        return [before, after, session.run(read)]

    assert_same(program, session_factory)


REFUSED: dict[str, Callable[[Any, Any], Any]] = {
    "assigned shape": lambda lib, w: w.assign(_unknown(lib, [1.0, 2.0, 3.0])),
    "added shape": lambda lib, w: w.assign_add(_unknown(lib, [1.0, 2.0, 3.0])),
    "added scalar": lambda lib, w: w.assign_add(_unknown(lib, 1.0)),
    "subtracted shape": lambda lib, w: w.assign_sub(_unknown(lib, [1.0])),
    "row beyond": lambda lib, w: lib.scatter_add(w, [7], [1.0]),
    "row below": lambda lib, w: lib.scatter_update(w, [-1], [1.0]),
    "row in a matrix": lambda lib, w: lib.scatter_sub(
        w, [[0, 1], [1, 3]], [[1.0, 2.0], [3.0, 4.0]]
    ),
    "row alone": lambda lib, w: lib.scatter_mul(w, 9, 2.0),
    "divided row": lambda lib, w: lib.scatter_div(w, [5], [2.0]),
    "slice beyond": lambda lib, w: lib.scatter_nd_add(w, [[7]], [1.0]),
    "slice below": lambda lib, w: lib.scatter_nd_update(w, [[0], [-1]], [1.0, 2.0]),
    "slices": lambda lib, w: lib.scatter_nd_sub(w, _unknown(lib, [[0], [1]]), _unknown(lib, [1.0])),
    "deep slices": lambda lib, w: lib.scatter_nd_add(
        w, _unknown(lib, [[0, 0]]), _unknown(lib, [1.0])
    ),
    "slices of nothing": lambda lib, w: lib.scatter_nd_add(
        w, np.zeros([1, 0], np.int32), [[1.0, 2.0]]
    ),
    "strided slice": lambda lib, w: w[1:].assign(_unknown(lib, [1.0, 2.0, 3.0])),
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED.keys())
def test_refused_when_run(body: Callable[[Any, Any], Any], session_factory: SessionFactory) -> None:
    for build in _both_kinds(body):

        def program(lib: Any, session: Any, build: Build = build) -> Any:
            fetch = build(lib)
            session.run(lib.global_variables_initializer())
            return session.run(fetch)

        assert assert_same(program, session_factory)[0] == "error"


def test_counter_ends(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        step = lib.Variable(3, name="step").count_up_to(3)
        session.run(lib.global_variables_initializer())
        return session.run(step)

    assert assert_same(program, session_factory)[1] == "OutOfRangeError"


def test_division_by_zero(session_factory: SessionFactory) -> None:
    # TensorFlow's process dies of it.
    for use_resource in (False, True):
        w = tf.Variable([1, 2], use_resource=use_resource)
        divided = tf.scatter_div(w, [0, 1], [1, 0])
        session = session_factory()
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
            session.run(divided)
        assert session.run(w).tolist() == [1, 2]


def test_failed_update_changes_nothing(session_factory: SessionFactory) -> None:
    w = tf.Variable([1.0, 2.0, 3.0])
    rows = tf.placeholder(tf.int32, [None])
    update = tf.scatter_add(w, rows, tf.ones_like(rows, tf.float32))
    session = session_factory()
    session.run(tf.global_variables_initializer())
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"indices\[2\] = 3 is not in \[0, 3\)"
    ):
        session.run(update.op, {rows: [0, 1, 3]})
    assert session.run(w).tolist() == [1.0, 2.0, 3.0]
    assert session.run(update, {rows: [0, 1]}).tolist() == [2.0, 3.0, 3.0]
