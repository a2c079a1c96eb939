"""How far iterators have come, saved and restored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dataflow as tf
from tests.conftest import SessionFactory


def _shuffled() -> Any:
    source = tf.data.Dataset.range(50).shuffle(20).repeat(3)
    pairs = source.map(lambda x: (x, x * x), num_parallel_calls=2).filter(lambda x, _: x % 5 > 0)
    return pairs.batch(3).prefetch(2)


def _built(seed: int) -> tuple[tf.Graph, Any, Any, Any]:
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(seed)
        iterator = tf.data.make_initializable_iterator(_shuffled())
        saveable = tf.data.experimental.make_saveable_from_iterator(iterator)
        tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, saveable)
        counted = tf.Variable(3)
        saver = tf.train.Saver()
        return graph, iterator, saver, counted


def _rest(session: Any, following: Any) -> list[list[int]]:
    rows = []
    while True:
        try:
            rows.append(session.run(following)[0].tolist())
        except tf.errors.OutOfRangeError:
            return rows


def test_an_iterator_goes_on_in_another_session(
    session_factory: SessionFactory, tmp_path: Path
) -> None:
    """The order of the shuffled elements is that of the saved one, whatever the seed is now."""
    graph, iterator, saver, counted = _built(1)
    with graph.as_default():
        following, begin = iterator.get_next(), tf.global_variables_initializer()
    session = session_factory(graph)
    session.run([iterator.initializer, begin])
    for _ in range(13):
        session.run(following)
    path = saver.save(session, str(tmp_path / "input"))
    rest = _rest(session, following)
    assert len(rest) == 27
    session.run(iterator.initializer)
    saver.restore(session, path)
    assert _rest(session, following) == rest

    graph, iterator, saver, counted = _built(2)
    with graph.as_default():
        following = iterator.get_next()
    other = session_factory(graph)
    other.run(iterator.initializer)
    other.run(following)
    saver.restore(other, path)
    assert other.run(counted) == 3
    assert _rest(other, following) == rest


def test_what_is_no_state_is_refused(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(3))
        shuffled = tf.data.make_initializable_iterator(tf.data.Dataset.range(3).shuffle(2))
        raw = tf.raw_ops
        states = [
            raw.SerializeIterator(resource_handle=each._iterator_resource)
            for each in (iterator, shuffled)
        ]
        for state in states:
            with pytest.raises(tf.errors.FailedPreconditionError) as refused:
                session.run(state.op)
            assert "the iterator has not been initialized" in refused.value.message
        session.run([iterator.initializer, shuffled.initializer])

        def restore(state: Any) -> Any:
            handle = iterator._iterator_resource
            return raw.DeserializeIterator(resource_handle=handle, serialized=state)

        nothing = tf.data.experimental.Optional.from_value(tf.constant(1))._variant_tensor
        for state, text in (
            (states[1], "The state is that of a dataset of another form."),
            (nothing, "is not the state of an iterator"),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError) as wrong:
                session.run(restore(state))
            assert text in wrong.value.message
        queue = tf.FIFOQueue(1, tf.int32).queue_ref
        with pytest.raises(tf.errors.InvalidArgumentError) as other:
            session.run(raw.SerializeIterator(resource_handle=queue).op)
        assert "using the wrong type" in other.value.message


def test_an_estimator_goes_on_in_its_data(tmp_path: Path) -> None:
    seen: list[int] = []

    def record(value: Any) -> Any:
        seen.append(int(value))
        return value

    def model(features: Any, labels: Any, mode: Any) -> Any:
        value = tf.py_func(record, [features], tf.int64)
        with tf.control_dependencies([value]):
            step = tf.assign_add(tf.train.get_global_step(), 1)
        loss = tf.to_float(value)
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)

    config = tf.estimator.RunConfig(save_checkpoints_steps=2)
    estimator = tf.estimator.Estimator(model, str(tmp_path), config)
    for steps in (3, 4):
        hook = tf.data.experimental.CheckpointInputPipelineHook(estimator)
        estimator.train(
            lambda: tf.data.Dataset.range(10).map(lambda x: (x, x)), hooks=[hook], steps=steps
        )
    assert seen == list(range(7))
    assert sorted(p.name for p in tmp_path.glob("checkpoint*")) == [
        "checkpoint",
        "checkpoint_input",
    ]
