"""Loops and conditionals over several CPU devices of one process: values, errors, nothing left."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from hypothesis import given
from hypothesis import strategies as st

import dataflow as tf
from dataflow import errors
from dataflow.session.session import Session
from tests.control_flow.conftest import PATHS, ControlFlowPath
from tests.control_flow.gradients.test_nests import differences
from tests.control_flow.placed.devices import devices_of
from tests.control_flow.placed.two_workers import DEVICES, TwoWorkers
from tests.control_flow.programs.device_programs import (
    ARRAYS,
    CONDITIONALS,
    CPUS,
    GRADIENTS,
    LOOPS,
    Program,
    Setting,
    conditional_in_loop,
    nested_over_devices,
    variable_in_body,
    variable_in_branches,
)
from tests.control_flow.random_graphs import nests, placed_nests
from tests.oracle import unoptimized
from tests.rounds import rounds

oracle.disable_v2_behavior()

X = [1.0, 2.0, -3.0]
RUNS = [{"n": n, "x": X, "p": p} for n in (0, 1, 2, 5, 13) for p in (True, False)]
REFERENCES = (variable_in_body, variable_in_branches)
FOUR: dict[str, Any] = {"device_count": {"CPU": 4}}


def _values(library: Any, program: Program, config: Any) -> list[Any]:
    """What a program gives in one session for different trip counts and conditions."""
    with library.Graph().as_default():
        at = Setting(library)
        fetches = program(at)
        with library.Session(config=config) as session:
            session.run(library.global_variables_initializer())
            return [
                session.run(fetches, {at.inputs[name]: run[name] for name in at.inputs})
                for run in RUNS
            ]


def _assert_same(found: Any, wanted: Any) -> None:
    assert len(found) == len(wanted)
    for ours, theirs in zip(found, wanted, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            assert np.asarray(one).dtype == np.asarray(other).dtype
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "program",
    [*LOOPS, *CONDITIONALS, *ARRAYS, *GRADIENTS],
    ids=lambda program: program.__name__,
)
def test_values_are_tensorflows(program: Program, control_flow_path: ControlFlowPath) -> None:
    wanted = _values(oracle, program, unoptimized(**FOUR))
    _assert_same(_values(tf, program, control_flow_path.config(**FOUR)), wanted)


@pytest.fixture
def _functional_forms() -> Iterator[None]:
    """Has both libraries build functional control flow, as TensorFlow 2 does."""
    for library in (oracle, tf):
        library.enable_control_flow_v2()
    yield
    for library in (oracle, tf):
        library.disable_control_flow_v2()


@pytest.mark.usefixtures("_functional_forms")
@pytest.mark.parametrize(
    "program",
    # References cannot go into functions.
    [p for p in (*LOOPS, *CONDITIONALS, *ARRAYS, *GRADIENTS) if p not in REFERENCES],
    ids=lambda program: program.__name__,
)
def test_values_of_functional_forms_are_tensorflows(program: Program) -> None:
    wanted = _values(oracle, program, unoptimized(**FOUR))
    _assert_same(_values(tf, program, tf.ConfigProto(**FOUR)), wanted)


@pytest.mark.parametrize("path", PATHS)
@rounds(60)
@given(nest=nests.NESTS, places=placed_nests.PLACES)
def test_random_nests_on_random_devices(path: str, nest: nests.Block, places: list[int]) -> None:
    starts = np.random.default_rng(len(places)).uniform(-1, 1, (2, 2, 2))
    with tf.Graph().as_default() as graph:
        xs = [tf.placeholder(tf.float64, [2, 2]) for _ in starts]
        fetches = placed_nests.build(tf, nest, places, CPUS, xs)
        with ControlFlowPath(path).session(graph=graph, **FOUR) as session:
            found = session.run(fetches, dict(zip(xs, starts, strict=True)))
    wanted = nests.evaluate(nests.Plain(), nest, list(starts))[-2:]
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


@rounds(60)
@given(nest=nests.NESTS, places=placed_nests.PLACES)
def test_random_nests_on_two_workers(nest: nests.Block, places: list[int]) -> None:
    starts = np.random.default_rng(len(places)).uniform(-1, 1, (2, 2, 2))
    with tf.Graph().as_default() as graph:
        xs = [tf.placeholder(tf.float64, [2, 2]) for _ in starts]
        found = placed_nests.build(tf, nest, places, DEVICES, xs)
        # The master refuses to fetch what is fed.
        fetches = [tf.identity(tensor) for tensor in found]
    cluster = TwoWorkers(graph.as_graph_def())
    found = cluster.run(fetches, dict(zip(xs, starts, strict=True)))
    wanted = nests.evaluate(nests.Plain(), nest, list(starts))[-2:]
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)
    for device in cluster.devices.values():
        assert device.steps_in_flight == 0 and len(device.rendezvous) == 0


@pytest.mark.parametrize("path", PATHS)
@rounds(40)
@given(nest=nests.NESTS, places=placed_nests.PLACES, colocate=st.booleans())
def test_gradients_of_random_nests_on_random_devices(
    path: str, nest: nests.Block, places: list[int], colocate: bool
) -> None:
    starts = np.random.default_rng(len(places)).uniform(-1, 1, (2, 2, 2))
    with tf.Graph().as_default() as graph:
        xs = [tf.placeholder(tf.float64, [2, 2]) for _ in starts]
        last, before = reversed(placed_nests.build(tf, nest, places, CPUS, xs))
        loss = tf.reduce_sum(tf.sin(last)) + tf.reduce_sum(before * before)
        grads = tf.gradients(
            loss, xs, unconnected_gradients="zero", colocate_gradients_with_ops=colocate
        )
        dense = [tf.convert_to_tensor(grad) for grad in grads]
        # A gradient that is put together with two nodes can have them on two devices.
        with ControlFlowPath(path).session(
            graph=graph, allow_soft_placement=colocate, **FOUR
        ) as session:
            found = session.run(dense, dict(zip(xs, starts, strict=True)))
    np.testing.assert_allclose(found, differences(nest, starts), rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("parallel_iterations", [1, 2, 10])
def test_many_iterations_with_few_at_a_time(parallel_iterations: int) -> None:
    with tf.Graph().as_default():
        n = tf.placeholder(tf.int32, [])

        def body(i: Any, v: Any) -> Any:
            with tf.device("/cpu:1"):
                w = v + tf.cast(i, tf.float64)
            with tf.device("/cpu:2"):
                return i + 1, w - 1.0

        _, v = tf.while_loop(
            lambda i, _: i < n,
            body,
            [0, tf.constant(0.0, tf.float64)],
            parallel_iterations=parallel_iterations,
        )
        with _session() as session:
            for trips in (1000, 0, 3):
                assert session.run(v, {n: trips}) == trips * (trips - 1) / 2 - trips
            _assert_nothing_left(session)


@contextmanager
def _session(**fields: Any) -> Iterator[Session]:
    with Session(config=tf.ConfigProto(**FOUR, **fields)) as session:
        yield session


def _assert_nothing_left(session: Session) -> None:
    """Fails if a device holds values or steps between steps."""
    for device in devices_of(session):
        assert device.steps_in_flight == 0
        assert len(device.rendezvous) == 0


def test_many_steps_at_the_same_time() -> None:
    with tf.Graph().as_default():
        at = Setting(tf)
        fetches = nested_over_devices(at)
        n, x = at.inputs["n"], at.inputs["x"]
        with _session() as session:
            wanted = {trips: session.run(fetches, {n: trips, x: X}) for trips in range(8)}
            found: dict[int, list[Any]] = {trips: [] for trips in wanted}

            def work(trips: int) -> None:
                for _ in range(10):
                    found[trips].append(session.run(fetches, {n: trips, x: X}))

            threads = [threading.Thread(target=work, args=(trips,)) for trips in wanted]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(120)
            for trips, values in found.items():
                assert len(values) == 10
                _assert_same(values, [wanted[trips]] * 10)
            _assert_nothing_left(session)


def test_an_error_in_the_middle_and_the_run_after_it(control_flow_path: ControlFlowPath) -> None:
    with tf.Graph().as_default():
        n = tf.placeholder(tf.int32, [])
        with tf.device("/cpu:3"):
            table = tf.constant([1.0, 2.0, 3.0, 4.0])

        def body(i: Any, v: Any) -> Any:
            with tf.device("/cpu:1"):
                w = tf.gather(table, i, name="look_up")
            with tf.device("/cpu:2"):
                return i + 1, v + w

        _, v = tf.while_loop(lambda i, _: i < n, body, [0, 0.0])
        with Session(config=control_flow_path.config(**FOUR)) as session:
            assert session.run(v, {n: 4}) == 10.0
            for trips in (7, 500):
                with pytest.raises(errors.InvalidArgumentError) as caught:
                    session.run(v, {n: trips})
                message = caught.value.message
                assert "indices = 4 is not in [0, 4)" in message
                assert "while/look_up" in message and "device:CPU:1" in message
                assert session.run(v, {n: 3}) == 6.0
            _assert_nothing_left(session)


def endless() -> Any:
    """A loop over two devices that does not end."""

    def body(i: Any) -> Any:
        with tf.device("/cpu:1"):
            return i + 1

    return tf.while_loop(lambda i: i >= 0, body, [tf.constant(0, tf.int64)])


def test_an_endless_loop_ends_with_its_time() -> None:
    with tf.Graph().as_default():
        loop, simple = endless(), tf.constant(1) + 1
        with _session() as session:
            for _ in range(2):
                with pytest.raises(errors.DeadlineExceededError):
                    session.run(loop, options=tf.RunOptions(timeout_in_ms=200))
            assert session.run(simple) == 2
            _assert_nothing_left(session)


def test_closing_the_session_ends_an_endless_loop() -> None:
    with tf.Graph().as_default():
        loop = endless()
        session = Session(config=tf.ConfigProto(**FOUR))
        outcome: list[Any] = []

        def work() -> None:
            try:
                outcome.append(session.run(loop))
            except errors.OpError as error:
                outcome.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        devices = devices_of(session)
        while not all(device.steps_in_flight for device in devices[:2]):
            thread.join(0.01)
        session.close()
        thread.join(60)
        assert not thread.is_alive()
        assert isinstance(outcome[0], errors.CancelledError)


@pytest.mark.parametrize("library", [oracle, tf], ids=["TensorFlow", "dataflow"])
def test_a_dead_value_from_another_device_cannot_be_fetched(library: Any) -> None:
    with library.Graph().as_default():
        p = library.placeholder(library.bool, [])
        with library.device("/cpu:1"):
            taken = library.raw_ops.Switch(data=library.constant(1.0), pred=p).output_true
            doubled = taken * 2.0
        with library.device("/cpu:2"):
            fetched = doubled + 1.0
        with library.Session(config=library.ConfigProto(**FOUR)) as session:
            assert session.run(fetched, {p: True}) == 3.0
            with pytest.raises(library.errors.InvalidArgumentError) as caught:
                session.run(fetched, {p: False})
            assert "Retval[0] does not have value" in caught.value.message
            assert session.run(fetched, {p: True}) == 3.0


@pytest.mark.parametrize("library", [oracle, tf], ids=["TensorFlow", "dataflow"])
def test_what_waits_for_a_dead_node_on_another_device_does_not_run(library: Any) -> None:
    with library.Graph().as_default():
        p = library.placeholder(library.bool, [])
        with library.device("/cpu:1"):
            count = library.Variable(0, use_resource=True)
            taken = library.raw_ops.Switch(data=p, pred=p).output_true
        with library.device("/cpu:2"), library.control_dependencies([library.identity(taken)]):
            waits = library.no_op()
        with library.device("/cpu:1"), library.control_dependencies([waits]):
            add = count.assign_add(1, read_value=False)
        with library.Session(config=library.ConfigProto(**FOUR)) as session:
            session.run(count.initializer)
            for value in (True, False, True, False, False):
                session.run(add, {p: value})
            assert session.run(count) == 2


def _traced(program: Callable[[Setting], list[Any]], **inputs: Any) -> dict[str, list[str]]:
    """By device, the nodes that ran."""
    with tf.Graph().as_default():
        at = Setting(tf)
        fetches = program(at)
        metadata = tf.RunMetadata()
        with _session() as session:
            session.run(
                fetches,
                {at.inputs[name]: inputs[name] for name in at.inputs},
                tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE),
                metadata,
            )
    return {
        stats.device[-5:]: [node.node_name for node in stats.node_stats]
        for stats in metadata.step_stats.dev_stats
    }


def test_only_what_is_alive_runs() -> None:
    ran = _traced(conditional_in_loop, n=5, x=X)
    assert ran["CPU:1"].count("while/cond/mul") == 3
    assert ran["CPU:2"].count("while/cond/sub") == 2


def test_a_device_that_only_sends_invariants() -> None:
    # TensorFlow would wait for ever: `used` runs in the first iteration only.
    with tf.Graph().as_default() as graph:
        n, x = tf.placeholder(tf.int32, []), tf.placeholder(tf.float32, [])
        raw = tf.raw_ops

        def enter(value: Any, constant: bool = False) -> Any:
            return raw.Enter(data=value, frame_name="loop", is_constant=constant)

        with tf.device("/cpu:0"):
            limit, one, i = enter(n, True), enter(1, True), enter(0)
            i_merge = raw.Merge(inputs=[i, i])[0]
            go_on = raw.LoopCond(input=i_merge < limit)
            i_switch = raw.Switch(data=i_merge, pred=go_on)
            v_merge = raw.Merge(inputs=[(v := enter(0.0)), v])[0]
            v_switch = raw.Switch(data=v_merge, pred=go_on)
        with tf.device("/cpu:1"):
            used = tf.negative(enter(x, True))
        with tf.device("/cpu:0"):
            again = raw.NextIteration(data=i_switch.output_true + one)
            i_merge.op._update_input(1, again)
            v_merge.op._update_input(1, raw.NextIteration(data=v_switch.output_true + used))
            result = raw.Exit(data=v_switch.output_false)
        with Session(graph=graph, config=tf.ConfigProto(**FOUR)) as session:
            for trips in (3, 0, 1):
                feeds = {n: trips, x: -2.0}
                options = tf.RunOptions(timeout_in_ms=60_000)
                assert session.run(result, feeds, options) == trips * 2.0
