"""Segments of sequences: TensorFlow 2 has none, so that what they promise is looked at."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib.training import SequenceQueueingStateSaver, batch_sequences_with_states

LENGTHS = [3, 7, 4, 1]
UNROLL = 3


def _example() -> tuple[Any, Any]:
    """The number of an example, and its steps: 10 * number + 0, 1, ..."""
    number = tf.train.range_input_producer(len(LENGTHS), num_epochs=1, shuffle=False).dequeue()
    length = tf.gather(LENGTHS, number)
    return number, 10 * number + tf.range(length)


def _all(session: Any, fetches: Any) -> list[Any]:
    session.run(tf.local_variables_initializer())
    coordinator, found = tf.train.Coordinator(), []
    threads = tf.train.start_queue_runners(session, coord=coordinator)
    try:
        while True:
            found.append(session.run(fetches))
    except tf.errors.OutOfRangeError:
        coordinator.request_stop()
    coordinator.join(threads)
    return found


def test_states_go_on_from_segment_to_segment() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        number, steps = _example()
        batch = batch_sequences_with_states(
            tf.as_string(number),
            {"x": tf.stack([steps, -steps], 1)},
            {"twice": 2 * number},
            None,
            {"sum": tf.constant([1, -1])},
            UNROLL,
            2,
        )
        assert batch.sequences["x"].shape.as_list() == [None, UNROLL, 2]
        state = batch.state("sum") + tf.reduce_sum(batch.sequences["x"], 1)
        fetches = {
            "key": batch.key,
            "next": batch.next_key,
            "length": batch.length,
            "total": batch.total_length,
            "twice": batch.context["twice"],
            "which": (batch.sequence, batch.sequence_count),
            "index": batch.insertion_index,
            "size": batch.batch_size,
            "state": state,
        }
        with tf.control_dependencies([batch.save_state("sum", state)]):
            fetches = tf.nest.map_structure(tf.identity, fetches)
        with pytest.raises(KeyError, match="state was not declared: other"):
            batch.save_state("other", state)
        batches = _all(session, fetches)
    seen: dict[int, list[int]] = {}
    for each in batches:
        assert each["size"] == len(each["key"]) <= 2
        for row, (key, following) in enumerate(zip(each["key"], each["next"], strict=True)):
            place, count = each["which"][0][row], each["which"][1][row]
            number = int(key.split(b":")[1])
            assert key == b"%05d_of_%05d:%d" % (place, count, number)
            is_last = place + 1 == count
            after = b"STOP:%d" % number
            if not is_last:
                after = b"%05d_of_%05d:%d" % (place + 1, count, number)
            assert following == after and count == -(-LENGTHS[number] // UNROLL)
            assert each["length"][row] == min(UNROLL, LENGTHS[number] - UNROLL * place)
            assert each["total"][row] == LENGTHS[number] and each["twice"][row] == 2 * number
            steps_so_far = 10 * number + np.arange(min(LENGTHS[number], UNROLL * (place + 1)))
            np.testing.assert_array_equal(
                each["state"][row], [1 + steps_so_far.sum(), -1 - steps_so_far.sum()]
            )
            assert each["index"][row] >= -(2**63)
            seen.setdefault(number, []).append(int(place))
    assert seen == {0: [0], 1: [0, 1, 2], 2: [0, 1], 3: [0]}


def test_sparse_sequences_and_contexts() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        number, steps = _example()
        places = tf.range(tf.size(steps, out_type=tf.int64))
        indices = tf.stack([places, places % 2], 1)
        sequence = tf.SparseTensor(indices, steps, [tf.size(steps, out_type=tf.int64), 2])
        context = tf.SparseTensor([[0], [2]], tf.stack([number, -number]), [4])
        batch = batch_sequences_with_states(
            tf.as_string(number), {"s": sequence}, {"c": context}, None, {"n": 0}, UNROLL, 2
        )
        dense = tf.sparse_tensor_to_dense(batch.sequences["s"])
        once = tf.sparse_tensor_to_dense(batch.context["c"])
        with tf.control_dependencies([batch.save_state("n", batch.state("n"))]):
            fetches = [tf.identity(each) for each in (batch.key, dense, once)]
        assert graph.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
        batches = _all(session, fetches)
    count = 0
    for keys, rows, contexts in batches:
        for key, row, one in zip(keys, rows, contexts, strict=False):
            place, number = int(key[:5]), int(key.split(b":")[1])
            expected = np.zeros((UNROLL, 2), int)
            for step in range(min(UNROLL, LENGTHS[number] - UNROLL * place)):
                at = UNROLL * place + step
                expected[step, at % 2] = 10 * number + at
            np.testing.assert_array_equal(row, expected)
            np.testing.assert_array_equal(one, [number, 0, -number, 0])
            count += 1
    assert count == 7


def test_a_recurrent_net_goes_on() -> None:
    """A net that runs by segments ends as one that runs over the whole sequence."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(6, 2)
        cell = tf.nn.rnn_cell.BasicLSTMCell(2, state_is_tuple=False)
        with tf.variable_scope("net", initializer=tf.ones_initializer()):
            saver = SequenceQueueingStateSaver(
                1, UNROLL, 6, "a", {"x": x}, {}, {"h": tf.zeros([4])}, capacity=1
            )
            inputs = tf.unstack(saver.next_batch.sequences["x"], axis=1)
            outputs, _ = tf.nn.static_state_saving_rnn(cell, inputs, saver.next_batch, "h")
        with tf.variable_scope("net", reuse=True):
            whole, _ = tf.nn.static_rnn(cell, tf.unstack(x[:, None]), dtype=tf.float32)
        session.run(tf.global_variables_initializer())
        session.run(saver.prefetch_op)
        found = [session.run(outputs) for _ in range(2)]
        np.testing.assert_allclose(found[0] + found[1], session.run(whole), rtol=1e-6)
        session.run(saver.close())
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(outputs)


def test_keys_that_come_again() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        for is_unique in (True, False):
            batch = batch_sequences_with_states(
                "k", {"x": [1, 2, 3]}, {}, None, {"s": 0}, 2, 2, make_keys_unique=is_unique
            )
            runner = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)[-1]
            assert len(runner.enqueue_ops) == 3
            session.run(runner.enqueue_ops[0])
            if not is_unique:
                with pytest.raises(tf.errors.InvalidArgumentError):
                    session.run(runner.enqueue_ops[0])
                continue
            session.run(runner.enqueue_ops[0])
            keys, _ = session.run([batch.key, batch.save_state("s", batch.state("s"))])
            assert len({*keys}) == 2 and all(key.startswith(b"00000_of_00002:k") for key in keys)


def _saver(**given: Any) -> Any:
    arguments: dict[str, Any] = {
        "batch_size": 2,
        "num_unroll": 2,
        "input_length": 4,
        "input_key": "k",
        "input_sequences": {"x": tf.zeros([4, 2])},
        "input_context": {},
        "initial_states": {"s": 0.0},
    }
    return SequenceQueueingStateSaver(**{**arguments, **given})


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"capacity": 1}, ValueError, "capacity 1 needs to be >= batch_size 2"),
        ({"initial_states": []}, TypeError, "initial_states must be a dictionary"),
        ({"initial_states": {}}, ValueError, "initial_states may not be empty"),
        ({"initial_states": {"a:b": 1}}, ValueError, "state name may not have a colon: 'a:b'"),
        ({"initial_states": {1: 1}}, TypeError, "state name must be a string: 1"),
        ({"input_sequences": {}}, ValueError, "must have at least one sequence tensor"),
        ({"input_sequences": [1]}, TypeError, "sequences must be a dict"),
        ({"input_context": {"a:b": 1}}, ValueError, "context key may not have a colon: 'a:b'"),
        ({"input_length": 1.0}, TypeError, "length dtype must be int32, but received"),
        ({"input_key": 1}, TypeError, "key dtype must be string, but received"),
        ({"input_length": [1]}, ValueError, "Rank check failed for"),
    ],
)
def test_mistakes(given: dict[str, Any], error: type[Exception], text: str) -> None:
    with tf.Graph().as_default(), pytest.raises(error, match=text):
        _saver(**given)


def test_mistakes_that_steps_find() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        shape = tf.placeholder(tf.int32, [2])
        x = tf.placeholder_with_default(np.zeros([3, 2], np.float32), [None, 2])
        savers: dict[str, dict[str, Any]] = {
            "should be a multiple of: 2, but saw value: 3. Consider setting pad=True.": {
                "input_sequences": {"x": x}
            },
            "Input length should be <= than length from sequences:": {"input_length": 5},
            "Dimension 0 of tensor labeled sorted_sequences_y should be: 4": {
                "input_sequences": {"x": tf.zeros([4, 2]), "y": x}
            },
        }
        for text, given in savers.items():
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                session.run(_saver(**given).prefetch_op)
            assert text in caught.value.message
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            nothing = _saver(input_sequences={"x": x}, input_length=0)
            session.run(nothing.prefetch_op, {x: np.zeros([0, 2])})
        assert "but saw value: 0." in caught.value.message
        with pytest.raises(ValueError, match="Shape for context c is not fully defined"):
            _saver(input_context={"c": tf.zeros(shape)})
        with pytest.raises(ValueError, match="Shape check failed for"):
            _saver().next_batch.save_state("s", [1.0, 2.0, 3.0])
        with pytest.raises(ValueError, match="Unsupported num_unroll expected int, got"):
            batch_sequences_with_states("k", {"x": [1]}, {}, 1, {"s": 0.0}, 1.5, 1)  # type: ignore[arg-type]
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            batch_sequences_with_states("k", {"x": x}, {}, 1, {"s": 0.0}, 2, 1, pad=False)
            runner = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)[-1]
            session.run(runner.enqueue_ops[0])
        assert "Tensor x first dimension should be a multiple of: 2" in caught.value.message
