"""Who owns a variable's value: sessions, callers and threads never see others' arrays change."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.conftest import SessionFactory
from tests.session.both import assert_same, oracle

oracle.disable_resource_variables()


def test_sessions_do_not_share(session_factory: SessionFactory) -> None:
    w = tf.Variable(1.0)
    add = w.assign_add(1.0)
    one, other = session_factory(), session_factory()
    one.run(w.initializer)
    with pytest.raises(tf.errors.FailedPreconditionError):
        other.run(w)
    other.run(w.initializer)
    one.run([add, add.op])
    assert (one.run(w), other.run(w)) == (2.0, 1.0)


def test_value_outlives_growth_of_the_graph(session_factory: SessionFactory) -> None:
    w = tf.Variable([1.0, 2.0])
    session = session_factory()
    session.run(w.initializer)
    session.run(w.assign_add([1.0, 1.0]).op)
    v = tf.Variable([10.0, 10.0])
    session.run(v.initializer)
    assert session.run(w + v).tolist() == [12.0, 13.0]


def test_load_and_eval(session_factory: SessionFactory) -> None:
    for use_resource in (False, True):
        w = tf.Variable([1.0, 2.0], use_resource=use_resource)
        session = session_factory()
        version = tf.get_default_graph().version
        w.load([5.0, 6.0], session)
        assert w.eval(session).tolist() == [5.0, 6.0]
        with session.as_default():
            w.load(np.array([7.0, 8.0], np.float32))
            assert w.eval().tolist() == [7.0, 8.0]
        assert tf.get_default_graph().version == version
    with pytest.raises(ValueError, match="Either session argument should be provided"):
        w.load([1.0, 1.0])


def test_feeding_a_read(session_factory: SessionFactory) -> None:
    w = tf.Variable([1.0, 2.0], name="W")
    doubled = w * 2.0
    session = session_factory()
    assert session.run(doubled, {w.value(): [3.0, 4.0]}).tolist() == [6.0, 8.0]
    assert session.run(doubled, {"W/read:0": [5.0, 6.0]}).tolist() == [10.0, 12.0]
    r = tf.Variable([1.0, 2.0], use_resource=True)
    value = r.value()
    assert session.run(value + 1.0, {value: [3.0, 4.0]}).tolist() == [4.0, 5.0]


def test_writing_to_a_fed_variable_is_refused(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        w = lib.Variable([1.0, 2.0], name="W")
        added = w.assign_add([1.0, 1.0])
        with pytest.raises(lib.errors.InvalidArgumentError, match="incompatible with expected flo"):
            session.run(added, {w: [3.0, 4.0]})
        return session.run([w, w * 2.0], {w: [3.0, 4.0]})

    assert_same(program, session_factory)


def test_variables_on_two_devices(session_factory: SessionFactory) -> None:
    with tf.device("/cpu:1"):
        w = tf.Variable([1.0, 2.0], name="w")
        r = tf.Variable([1.0, 2.0], name="r", use_resource=True)
        with tf.control_dependencies([w.assign_add([1.0, 1.0]), r.assign([7.0, 7.0])]):
            reads = [tf.identity(w), r.read_value()]
    with tf.device("/cpu:0"):
        total = tf.add_n(reads)
    assert w.initializer.device == r.initializer.device == "/device:CPU:1"
    session = session_factory(config=tf.ConfigProto(device_count={"CPU": 2}))
    session.run(tf.global_variables_initializer())
    assert session.run(total).tolist() == [9.0, 10.0]
    assert session.run(total).tolist() == [10.0, 11.0]
    assert session.run([w, r])[0].tolist() == [3.0, 4.0]


def test_fetched_value_is_the_callers(session_factory: SessionFactory) -> None:
    for use_resource in (False, True):
        w = tf.Variable([1.0, 2.0], use_resource=use_resource)
        session = session_factory()
        session.run(w.initializer)
        for fetch in (w, w.value(), w.read_value(), w.assign_add([0.0, 0.0])):
            first, second = session.run([fetch, tf.identity(fetch)])
            first[:] = 99.0
            second[0] = 88.0
            assert session.run(w).tolist() == [1.0, 2.0]


def test_assigned_arrays_stay_the_callers(session_factory: SessionFactory) -> None:
    for use_resource in (False, True):
        w = tf.Variable(np.zeros(4, np.float32), use_resource=use_resource)
        given = tf.placeholder(tf.float32, [4])
        assign = w.assign(given)
        session = session_factory()
        array = np.arange(4, dtype=np.float32)
        session.run(assign.op, {given: array})
        array[:] = 77.0
        assert session.run(w).tolist() == [0.0, 1.0, 2.0, 3.0]
        session.run(w.assign_add(np.ones(4, np.float32)).op)
        assert array.tolist() == [77.0] * 4
        frozen = np.arange(4, dtype=np.float32)
        frozen.flags.writeable = False
        session.run(assign.op, {given: frozen})
        session.run(w.assign_add(np.ones(4, np.float32)).op)
        assert frozen.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_assigned_results_stay_what_they_were(session_factory: SessionFactory) -> None:
    for use_resource in (False, True):
        start = np.zeros(1000, np.float32)
        first, second = (tf.Variable(start, use_resource=use_resource) for _ in range(2))
        given = tf.placeholder(tf.float32, [1000])
        result = given * 2.0
        # Two variables get it, one is changed in place then, and who reads it later comes last.
        with tf.control_dependencies([first.assign(result)]):
            added = first.assign_add(np.ones(1000, np.float32))
        with tf.control_dependencies([added, second.assign(result)]):
            later = result + 0.0
        lone = first.assign(tf.reverse(given, [0]) * 3.0).op
        session = session_factory()
        session.run(tf.global_variables_initializer())
        for count in range(1, 6):
            array = np.full(1000, count, np.float32)
            seen, seen_later = session.run([result, later], {given: array})
            seen[:] = seen_later[1:] = array[:] = 77.0
            assert seen_later[0] == 2.0 * count
            kept = session.run(first)
            assert (kept == 2 * count + 1).all()
            assert (session.run(second) == 2 * count).all()
            session.run(lone, {given: np.full(1000, count, np.float32)})
            session.run(first.assign_add(np.ones(1000, np.float32)).op)
            assert (session.run(first) == 3 * count + 1).all()
            assert (kept == 2 * count + 1).all()


def test_update_in_place_leaves_what_was_read(session_factory: SessionFactory) -> None:
    w = tf.Variable(np.zeros(1000, np.float32), use_resource=True)
    before = w.value()
    with tf.control_dependencies([before]):
        added = tf.scatter_add(w, [1, 2], [1.0, 1.0])
    with tf.control_dependencies([added]):
        later = tf.identity(before)
    session = session_factory()
    session.run(w.initializer)
    for count in range(3):
        seen, seen_later, now = session.run([before, later, added])
        assert seen[1] == seen_later[1] == count
        assert now[1] == count + 1


def test_concurrent_updates_all_count(session_factory: SessionFactory) -> None:
    w = tf.Variable(np.zeros(50, np.float64))
    r = tf.Variable(np.zeros(50, np.float64), use_resource=True)
    ones = np.ones(50)
    updates = tf.group(
        tf.assign_add(w, ones, use_locking=True),
        tf.scatter_add(w, [3, 3], [1.0, 1.0], use_locking=True),
        r.assign_add(ones),
        tf.scatter_nd_add(r, [[3]], [2.0]),
    )
    session = session_factory()
    session.run(tf.global_variables_initializer())
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(40):
                session.run(updates)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    expected = np.full(50, 320.0)
    expected[3] = 960.0
    for value in session.run([w, r]):
        np.testing.assert_array_equal(value, expected)


def test_reads_never_tear(session_factory: SessionFactory) -> None:
    size = 20000
    w = tf.Variable(np.zeros(size, np.int64), use_resource=True)
    everything = np.arange(size, dtype=np.int32)
    add = tf.scatter_add(w, everything, np.ones(size, np.int64)).op
    ends = [tf.reduce_min(w), tf.reduce_max(w)]
    read = w.read_value()
    session = session_factory()
    session.run(w.initializer)
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            session.run(add)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(60):
            value = session.run(read)
            assert value.min() == value.max()
            session.run(ends)
    finally:
        stop.set()
        writer.join()


def test_initial_values_that_depend_on_variables(session_factory: SessionFactory) -> None:
    w = tf.Variable([1.0, 2.0], name="w")
    twice = tf.Variable(w * 2.0, name="twice")
    again = tf.Variable(w.initialized_value() + twice.initialized_value(), name="again")
    session = session_factory()
    session.run(tf.global_variables_initializer())
    assert session.run(again).tolist() == [3.0, 6.0]
    session = session_factory()
    session.run(w.assign([10.0, 20.0]).op)
    session.run(again.initializer)
    assert session.run(again).tolist() == [30.0, 60.0]
    r = tf.Variable([3.0], use_resource=True)
    session.run(r.assign([5.0]).op)
    copy = tf.Variable(r.initialized_value())
    session.run(copy.initializer)
    assert session.run(copy).tolist() == [5.0]
