"""tf.CriticalSection: executions in turns, with TensorFlow's graphs and refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import dataflow
from tests.oracle import oracle
from tests.words import as_in_tensorflow_1


def _counting(tf: Any, sections: int = 4) -> tuple[Any, Any, list[Any]]:
    total = tf.get_variable("total", initializer=0.0, use_resource=True)
    section = tf.CriticalSection(name="section", shared_name="shared")

    def count() -> Any:
        value = total.read_value()
        with tf.control_dependencies([value]), tf.control_dependencies([total.assign_add(1.0)]):
            return tf.identity(value)

    return total, section, [section.execute(count) for _ in range(sections)]


def test_graph_is_tensorflows() -> None:
    graphs = []
    for tf in (oracle, dataflow):
        with tf.Graph().as_default() as graph:
            _, section, _ = _counting(tf, 2)
            assert section.name == "section"
            graphs.append({op.name: _described(op) for op in graph.get_operations()})
    assert graphs[1] == graphs[0]


def _described(op: Any) -> tuple[Any, ...]:
    inputs = [tensor.name for tensor in op.inputs]
    return op.type, inputs, sorted(other.name for other in op.control_inputs)


def test_executions_take_turns(target: str) -> None:
    tf = dataflow
    with tf.Graph().as_default(), tf.Session(target) as session:
        total, _, counts = _counting(tf)
        session.run(total.initializer)
        assert sorted(session.run(counts)) == [0.0, 1.0, 2.0, 3.0]
        assert sorted(session.run(counts)) == [4.0, 5.0, 6.0, 7.0]


def test_an_error_gives_the_lock_back() -> None:
    tf = dataflow
    with tf.Graph().as_default(), tf.Session() as session:
        section = tf.CriticalSection()
        bad = section.execute(lambda: tf.check_numerics(tf.constant(1.0) / 0.0, "not finite"))
        good = section.execute(lambda: tf.constant(2.0) * 3.0)
        for _ in range(2):
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(bad)
            assert session.run(good) == 6.0


def test_no_lock() -> None:
    tf = dataflow
    with tf.Graph().as_default(), tf.Session() as session:
        empty = tf.raw_ops.ConsumeMutexLock(
            mutex_lock=tf.raw_ops.EmptyTensorList(
                element_shape=[2], max_num_elements=0, element_dtype=tf.float32
            )
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match="to be a mutex lock"):
            session.run(empty)


def _nested(tf: Any) -> Any:
    section = tf.CriticalSection()
    return section.execute(lambda: section.execute(lambda: tf.constant(1.0)))


def _nested_by_name(tf: Any) -> Any:
    first, second = (tf.CriticalSection(shared_name="same") for _ in range(2))
    return first.execute(lambda: second.execute(lambda: tf.constant(1.0)))


def _sharing(tf: Any) -> Any:
    _counting(tf)
    other = tf.CriticalSection()
    with tf.variable_scope("", reuse=True):
        total = tf.get_variable("total", use_resource=True, shape=[])
    return other.execute(lambda: total.assign_add(1.0))


REFUSED: list[Callable[[Any], Any]] = [
    _nested,
    _nested_by_name,
    _sharing,
    lambda tf: tf.CriticalSection(critical_section_def=3),
    lambda tf: tf.CriticalSection(name="a", critical_section_def=3),
]


@pytest.mark.parametrize("build", REFUSED)
def test_refused(build: Callable[[Any], Any]) -> None:
    texts = []
    for tf in (oracle, dataflow):
        with tf.Graph().as_default(), pytest.raises(ValueError) as caught:
            build(tf)
        texts.append(as_in_tensorflow_1(str(caught.value))[:40])
    assert texts[0] == texts[1]
