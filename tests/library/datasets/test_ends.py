"""How pipelines end within functions, in which order elements come, and states as strings."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import dataflow
from tests.library.datasets.streams import open_session
from tests.oracle import oracle

LIBRARIES = pytest.mark.parametrize("tf", [oracle, dataflow], ids=["tensorflow", "ours"])


@LIBRARIES
@pytest.mark.parametrize("calls", [None, 1])
def test_a_map_ends_with_what_its_function_takes_from(tf: Any, calls: int | None) -> None:
    with tf.Graph().as_default() as graph:
        queue = tf.FIFOQueue(9, tf.int64, shapes=[])
        filled, closed = queue.enqueue_many([[1, 2, 3]]), queue.close()
        source = tf.data.Dataset.range(9).map(lambda _: queue.dequeue(), calls).batch(2)
        iterator = tf.data.make_initializable_iterator(source.repeat(2))
        following = iterator.get_next()
        with open_session(tf, graph, "") as session:
            for each in (filled, closed, iterator.initializer):
                session.run(each)
            assert [session.run(following).tolist() for _ in range(2)] == [[1, 2], [3]]
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(following)


def test_results_that_are_there_go_first_where_order_does_not_count() -> None:
    tf = dataflow
    gates = [threading.Event() for _ in range(4)]

    def wait(number: Any) -> Any:
        gates[number].wait(60)
        return number

    options = tf.data.Options()
    options.experimental_deterministic = False
    with tf.Graph().as_default() as graph:
        source = tf.data.Dataset.range(4).map(lambda n: tf.py_func(wait, [n], n.dtype), 4)
        following = tf.data.make_one_shot_iterator(source.with_options(options)).get_next()
        with open_session(tf, graph, "") as session:
            for number in (2, 0, 3, 1):
                gates[number].set()
                assert session.run(following) == number


def test_options_are_also_set_by_their_old_names() -> None:
    options = dataflow.data.Options()
    options.experimental_deterministic = False
    options.experimental_threading.private_threadpool_size = 3
    options.experimental_optimization.map_vectorization.enabled = True
    assert options.deterministic is False and options.experimental_deterministic is False
    assert options.threading.private_threadpool_size == 3


@LIBRARIES
def test_options_take_values_of_their_kinds(tf: Any) -> None:
    options = tf.data.Options()
    wrong = [
        (options, "deterministic", 1, bool),
        (options.threading, "private_threadpool_size", "3", int),
        (options.autotune, "enabled", None, bool),
    ]
    for of, name, value, kind in wrong:
        with pytest.raises(TypeError) as refusal:
            setattr(of, name, value)
        given = f"got: {value} (type: {type(value)})"
        assert str(refusal.value) == f'Property "{name}" must be of type {kind}, {given}'
    # What was only looked at is no difference.
    assert options == tf.data.Options()
    options.deterministic = False
    assert options != tf.data.Options()
    with pytest.raises(AttributeError):
        options.determinism = True


def test_states_of_iterators_are_strings_of_bytes() -> None:
    tf = dataflow

    def kept(dataset: Any) -> tuple[Any, Any, Any]:
        iterator = tf.data.make_initializable_iterator(dataset)
        state = tf.raw_ops.SerializeIterator(resource_handle=iterator._iterator_resource)
        text = tf.placeholder(tf.string, [])
        restored = tf.raw_ops.DeserializeIterator(
            resource_handle=iterator._iterator_resource,
            serialized=tf.io.parse_tensor(text, tf.variant),
        )
        return iterator, tf.io.serialize_tensor(state), (restored, text)

    with tf.Graph().as_default(), tf.Session() as session:
        iterator, state, (restored, text) = kept(tf.data.Dataset.range(9))
        following = iterator.get_next()
        session.run(iterator.initializer)
        session.run(following)
        bytes_of_state = session.run(state)
        assert [session.run(following) for _ in range(2)] == [1, 2]
        session.run(restored, {text: bytes_of_state})
        assert session.run(state) == bytes_of_state, "nothing was taken since"
        assert session.run(following) == 1
        for wrong in (bytes_of_state[:-1], b"x"):
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(restored, {text: wrong})
        other, _, (restored, text) = kept(tf.data.Dataset.range(9).batch(2))
        session.run(other.initializer)
        with pytest.raises(tf.errors.InvalidArgumentError) as raised:
            session.run(restored, {text: bytes_of_state})
        assert "of another form" in raised.value.message


@LIBRARIES
def test_a_list_is_no_structure(tf: Any) -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match="input must also be a sequence"):
        tf.data.Iterator.from_structure((tf.int64, tf.float64), [None])


def test_a_one_shot_iterator_may_check_numbers() -> None:
    tf = dataflow
    with tf.Graph().as_default(), tf.Session() as session:
        checked = tf.check_numerics(tf.constant(1.0) / tf.constant(0.0), "oops")
        following = tf.data.make_one_shot_iterator(tf.data.Dataset.from_tensors(checked)).get_next()
        for _ in range(2):
            with pytest.raises(tf.errors.InvalidArgumentError) as raised:
                session.run(following)
            assert "oops" in raised.value.message


@LIBRARIES
def test_calls_at_a_time_may_be_a_tensor_of_either_kind(tf: Any) -> None:
    kinds = [tf.int64] if tf is oracle else [tf.int32, tf.int64]
    for kind in kinds:
        with tf.Graph().as_default() as graph:
            source = tf.data.Dataset.range(3).map(lambda n: n + 1, tf.constant(2, kind))
            following = tf.data.make_one_shot_iterator(source).get_next()
            with open_session(tf, graph, "") as session:
                assert [session.run(following) for _ in range(3)] == [1, 2, 3]


@LIBRARIES
def test_a_dataset_as_a_graph_that_is_written(tf: Any) -> None:
    with tf.Graph().as_default() as graph:
        written = tf.data.Dataset.range(10).map(lambda n: n + 1)._as_serialized_graph()
        with open_session(tf, graph, "") as session:
            made = tf.GraphDef.FromString(session.run(written))
    kinds = [node.op for node in made.node]
    assert "RangeDataset" in kinds
    assert "MapDataset" in kinds
    assert len(made.library.function) == 1


@LIBRARIES
def test_the_structure_that_a_generator_was_to_follow_is_named(tf: Any) -> None:
    with tf.Graph().as_default() as graph:
        source = tf.data.Dataset.from_generator(
            lambda: iter([(1, 2), 3]), output_types=(tf.int64, tf.int64)
        )
        following = tf.data.make_one_shot_iterator(source).get_next()
        with open_session(tf, graph, "") as session:
            assert session.run(following) == (1, 2)
            expected = r"expected structure was \(tf.int64, tf.int64\), but the yielded element"
            with pytest.raises(tf.errors.InvalidArgumentError, match=expected):
                session.run(following)


@LIBRARIES
def test_elements_may_be_too_long_for_all_buckets(tf: Any) -> None:
    with tf.Graph().as_default() as graph:
        lengths = tf.data.Dataset.from_tensor_slices([1, 2, 5])
        grouped = tf.data.experimental.bucket_by_sequence_length(
            lambda row: tf.shape(row)[0], [3, 5], [2, 2, 1], pad_to_bucket_boundary=True
        )
        made = lengths.map(lambda n: tf.fill([n], n)).apply(grouped)
        following = tf.data.make_one_shot_iterator(made).get_next()
        with open_session(tf, graph, "") as session:
            assert session.run(following).tolist() == [[1, 0], [2, 2]]
            with pytest.raises(tf.errors.OpError) as raised:
                session.run(following)
    assert "elements must have length < max(bucket_boundaries)" in raised.value.message
