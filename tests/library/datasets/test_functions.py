"""Functions and datasets: as arguments, on a device that a step names, and what they warn of."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import dataflow
from tests.library.datasets.streams import open_session
from tests.oracle import oracle

oracle.disable_v2_behavior()

LIBRARIES = pytest.mark.parametrize("tf", [oracle, dataflow], ids=["tensorflow", "ours"])


@LIBRARIES
def test_functions_take_datasets_and_optionals(tf: Any) -> None:
    D, traces = tf.data.Dataset, []

    def added(source: Any) -> Any:
        traces.append(source.element_spec)
        return source.reduce(np.int64(0), lambda x, y: x + y)

    def more(optional: Any) -> Any:
        traces.append(optional.element_spec)
        return optional.get_value() + 1.0

    total, held = tf.function(added), tf.function(more)
    with tf.Graph().as_default() as graph:
        some = tf.data.experimental.Optional.from_value
        made = [total(D.range(4)), total(D.range(5)), held(some(1.0)), held(some(2.0))]
        made.append(total(tf.cond(made[0] > 5, lambda: D.range(2), lambda: D.range(3))))
        with open_session(tf, graph, "") as session:
            assert session.run(made) == [6, 10, 2.0, 3.0, 1]
    assert len(traces) == 2


@LIBRARIES
def test_what_makes_a_dataset_fails_before_its_variant_is_refused(tf: Any) -> None:
    with tf.Graph().as_default() as graph, open_session(tf, graph, "") as session:
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(tf.data.Dataset.range(3).window(0)._variant_tensor)
        with pytest.raises(tf.errors.InternalError):
            session.run(tf.data.Dataset.range(3)._variant_tensor)


def test_a_function_is_called_on_the_device_that_a_step_names(target: str) -> None:
    """Where its iterator is; what a name leaves out is said by the call's own device."""
    tf = dataflow
    config = tf.ConfigProto(device_count={"CPU": 2})
    with tf.Graph().as_default(), tf.Session(target, config=config) as session:
        with tf.device("/cpu:1"):
            iterator = tf.data.make_one_shot_iterator(tf.data.Dataset.range(5))

        @tf.Defun(tf.string)
        def following(handle: Any) -> Any:
            return tf.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()

        name = tf.placeholder(tf.string, [])
        with tf.device("/cpu:0"):
            (called,) = tf.raw_ops.RemoteCall(
                target=name, args=[iterator.string_handle()], Tout=[tf.int64], f=following
            )
        whole = called.device or "/job:localhost/replica:0/task:0/device:CPU:0"
        assert session.run(called, {name: "/cpu:1"}) == 0
        for wrong in ("/cpu:0", "/cpu:7", "nonsense", whole):
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(called, {name: wrong})
        assert session.run([called, iterator.get_next()], {name: "/device:CPU:1"})[0] in (1, 2)


@LIBRARIES
@pytest.mark.parametrize("seed", [None, 3])
def test_a_seed_from_outside_is_warned_of(tf: Any, seed: int | None) -> None:
    with tf.Graph().as_default(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tf.set_random_seed(10)
        tf.data.Dataset.range(3).map(lambda x: tf.random_shuffle([x, x], seed=seed))
    about = [str(each.message) for each in caught if "Seed 10 from outer" in str(each.message)]
    assert len(about) == (seed is None)


def test_a_table_made_in_a_function_is_warned_of() -> None:
    tf = dataflow

    def look_up(word: Any) -> Any:
        entries = tf.lookup.KeyValueTensorInitializer(["a"], [1])
        return tf.lookup.StaticHashTable(entries, -1).lookup(word)

    with pytest.warns(UserWarning, match="resources inside a function passed to Dataset.map()"):
        tf.data.Dataset.from_tensors("a").map(look_up)


def test_a_generator_of_functions() -> None:
    """What finishes it is called when the iteration has ended."""
    from dataflow.porting.spellings.data.datasets import _GeneratorDataset

    tf = dataflow
    ended: list[int] = []

    def end(number: Any) -> Any:
        ended.append(int(number))
        return np.int64(0)

    def note(state: Any) -> Any:
        return tf.py_func(end, [state], tf.int64)

    with tf.Graph().as_default(), tf.Session() as session:
        source = _GeneratorDataset(tf.constant(37), lambda x: x + 1, lambda x: x * 2, note)
        following = tf.data.make_one_shot_iterator(source.take(2)).get_next()
        assert [session.run(following) for _ in range(2)] == [76, 76]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(following)
        assert ended == [38]
        assert len(source._functions()) == 3


@LIBRARIES
def test_legacy_functions_leave_branches_that_are_not_taken(tf: Any) -> None:
    """Their results wait for no assertion in such a branch."""

    def chosen(x: Any) -> Any:
        def checked(value: Any, added: int) -> Any:
            with tf.control_dependencies([tf.Assert(value > 0, [value])]):
                return tf.cond(value > 100, lambda: value, lambda: value + added)

        switches = tf.raw_ops.Switch(data=x, pred=x > 0)
        made = [checked(value, place) for place, value in enumerate(switches)]
        return tf.raw_ops.Merge(inputs=made)[0]

    with tf.Graph().as_default() as graph:
        seven = tf.data.Dataset.from_tensors(7)
        legacy = [
            seven.map_with_legacy_function(chosen),
            seven.filter_with_legacy_function(lambda x: chosen(x) > 7),
            seven.apply(tf.data.experimental.map_and_batch_with_legacy_function(chosen, 1)),
        ]
        following = [tf.data.make_one_shot_iterator(each).get_next() for each in legacy]
        bodies = graph.as_graph_def().library.function
        kinds = {node.op for body in bodies for node in body.node_def}
        assert "Merge" in kinds and not kinds & {"If", "StatelessIf"}
        with open_session(tf, graph, "") as session:
            first, second, third = session.run(following)
            assert (first, second, third.tolist()) == (8, 7, [8])


def test_legacy_functions_read_variables_outside() -> None:
    """As in TensorFlow 1.15: their values are those of when the iterator began."""
    tf = dataflow
    found = []

    def added(x: Any) -> Any:
        with tf.variable_scope("inner", reuse=tf.AUTO_REUSE):
            count = tf.get_variable("count", [], tf.int32, use_resource=True)
            plain = tf.get_variable("plain", [], tf.int32)
        found.append((type(count), type(plain).__name__))
        return x + count

    with tf.Graph().as_default() as graph:
        with tf.variable_scope("outer"):
            numbers = tf.data.Dataset.from_tensors(1).repeat(3)
            legacy = numbers.map_with_legacy_function(added).filter_with_legacy_function(
                lambda x: added(x) >= 0
            )
            tf.constant(1, name="last")
        assert found == [(tf.Tensor, "RefVariable")] * 2
        count, plain = tf.global_variables()
        assert [count.op.name, plain.op.name] == ["outer/inner/count", "outer/inner/plain"]
        assert graph.get_operations()[-1].name == "outer/last"
        iterator = tf.data.make_initializable_iterator(legacy)
        element = iterator.get_next()
        with tf.Session() as session:
            session.run([count.initializer, plain.initializer])
            session.run(iterator.initializer)
            ran = [session.run(element)]
            session.run(count.assign_add(5))
            ran.append(session.run(element))
            session.run(iterator.initializer)
            assert [*ran, session.run(element)] == [1, 1, 6]
