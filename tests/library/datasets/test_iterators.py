"""What iterators do over many steps: fed ones, ones that begin anew, and ends of sessions."""

from __future__ import annotations

import gc
import threading
import time
from typing import Any

import numpy as np
import pytest

import dataflow
from tests.library.datasets.pipelines import (
    generated,
    mapped_in_parallel,
    prefetched,
    shuffled_and_repeated,
)
from tests.library.datasets.streams import open_session, stream
from tests.oracle import oracle

LIBRARIES = pytest.mark.parametrize("tf", [oracle, dataflow], ids=["tensorflow", "ours"])


def _dataset_threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name.startswith("dataset")}


_OTHERS: set[threading.Thread] = set()
"""Those of iterators that other tests have left to the collector, which skips what is frozen."""


@pytest.fixture(autouse=True, scope="module")
def _others() -> None:
    _OTHERS.update(_dataset_threads())


def _threads() -> int:
    return len(_dataset_threads() - _OTHERS)


def _wait_for_threads_to_end() -> None:
    end = time.monotonic() + 60
    while _threads() and time.monotonic() < end:
        gc.collect()
        time.sleep(0.01)
    assert not _threads()


@LIBRARIES
def test_an_iterator_is_fed_by_its_string(tf: Any) -> None:
    with tf.Graph().as_default() as graph:
        first = tf.data.make_initializable_iterator(tf.data.Dataset.range(3))
        second = tf.data.make_one_shot_iterator(tf.data.Dataset.range(10, 20))
        handle = tf.placeholder(tf.string, [])
        fed = tf.data.Iterator.from_string_handle(handle, tf.int64, [])
        following = fed.get_next()
        with open_session(tf, graph, "") as session:
            session.run(first.initializer)
            a, b = session.run([first.string_handle(), second.string_handle()])
            found = [session.run(following, {handle: each}) for each in (a, b, b, a, a, b)]
            assert found == [0, 10, 11, 1, 2, 12]
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(following, {handle: a})
            assert session.run(following, {handle: b}) == 13


@LIBRARIES
def test_an_iterator_takes_datasets_in_turn(tf: Any) -> None:
    with tf.Graph().as_default() as graph:
        count = tf.placeholder(tf.int64, [])
        iterator = tf.data.Iterator.from_structure(tf.int64, [])
        begin = [
            iterator.make_initializer(tf.data.Dataset.range(count)),
            iterator.make_initializer(tf.data.Dataset.range(100).map(lambda x: x * count)),
        ]
        following = iterator.get_next()
        with open_session(tf, graph, "") as session:
            session.run(begin[0], {count: 2})
            assert [session.run(following) for _ in range(2)] == [0, 1]
            with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
                session.run(following)
            session.run(begin[1], {count: 7})
            assert [session.run(following) for _ in range(3)] == [0, 7, 14]
            session.run(begin[0], {count: 5})
            assert session.run(following) == 0


@LIBRARIES
def test_structures_that_do_not_fit_are_refused(tf: Any) -> None:
    with tf.Graph().as_default():
        iterator = tf.data.Iterator.from_structure((tf.int64, tf.float32), ([], [2]))
        with pytest.raises(ValueError, match="same nested structure"):
            iterator.make_initializer(tf.data.Dataset.range(3))
        floats = tf.data.Dataset.from_tensors((np.float32(1), np.zeros(2, np.float32)))
        with pytest.raises(TypeError, match="types"):
            iterator.make_initializer(floats)
        wrong = tf.data.Dataset.from_tensors((np.int64(1), np.zeros(3, np.float32)))
        with pytest.raises(TypeError, match="shapes"):
            iterator.make_initializer(wrong)
        with pytest.raises(ValueError, match="does not have an initializer"):
            _ = iterator.initializer


@LIBRARIES
def test_one_shot_iterators_take_no_state(tf: Any) -> None:
    with tf.Graph().as_default():
        variable = tf.get_variable("v", [], tf.int64, use_resource=True)
        dataset = tf.data.Dataset.range(3).map(lambda x: x + variable)
        with pytest.raises(ValueError, match="Cannot capture a stateful node"):
            tf.data.make_one_shot_iterator(dataset)
        placeholder = tf.placeholder(tf.int64, [])
        with pytest.raises(ValueError, match="Cannot capture a placeholder"):
            tf.data.make_one_shot_iterator(tf.data.Dataset.range(placeholder))


def _after_one_shot_iterators(tf: Any) -> tuple[list[Any], list[list[Any]]]:
    with tf.Graph().as_default():
        tf.set_random_seed(3)
        tf.data.make_one_shot_iterator(tf.data.Dataset.range(3)).get_next()
        drawn = tf.random_uniform([2])
        shuffled = tf.data.Dataset.range(30).shuffle(5)
        drawing = shuffled.map(lambda x: x + tf.random_uniform([], 0, 100, tf.int64))
        elements = [tf.data.make_one_shot_iterator(d).get_next() for d in (shuffled, drawing)]
        last = tf.random_uniform([2])
        with tf.Session() as session:
            values = [session.run(elements) for _ in range(5)]
        return [t.op.get_attr("seed2") for t in (drawn, last)], np.array(values).tolist()


@pytest.mark.filterwarnings("ignore:Seed 3 from outer graph")
def test_one_shot_iterators_take_a_seed_of_the_graph() -> None:
    assert _after_one_shot_iterators(dataflow) == _after_one_shot_iterators(oracle)


def test_functions_see_variables_as_they_are() -> None:
    tf = dataflow
    with tf.Graph().as_default() as graph:
        variable = tf.get_variable("v", [], tf.int64, tf.zeros_initializer(), use_resource=True)
        iterator = tf.data.make_initializable_iterator(
            tf.data.Dataset.range(9).map(lambda x: x + variable)
        )
        following = iterator.get_next()
        up = variable.assign_add(100)
        with open_session(tf, graph, "") as session:
            session.run([variable.initializer])
            session.run(iterator.initializer)
            found = []
            for _ in range(3):
                found.append(session.run(following))
                session.run(up)
            assert found == [0, 101, 202]


def test_a_line_is_a_tensor(tmp_path: Any) -> None:
    (tmp_path / "lines").write_bytes(b"a\nb")
    lines = dataflow.data.TextLineDataset(str(tmp_path / "lines"))
    line = lines.make_one_shot_iterator().get_next()
    wanted = [dataflow.stack([line, line]), dataflow.reshape(line, [1])]
    with dataflow.Session() as session:
        assert [each.tolist() for each in session.run(wanted)] == [[b"a", b"a"], [b"a"]]


@LIBRARIES
def test_several_nodes_take_an_element_each(tf: Any) -> None:
    with tf.Graph().as_default() as graph:
        iterator = tf.data.make_one_shot_iterator(tf.data.Dataset.range(8).prefetch(2))
        nodes = [iterator.get_next() for _ in range(4)]
        with open_session(tf, graph, "") as session:
            assert sorted(session.run(nodes)) == [0, 1, 2, 3]
            assert sorted(session.run(nodes)) == [4, 5, 6, 7]


def _stuck(tf: Any) -> Any:
    """Elements that wait for a queue that nobody fills."""
    queue = tf.FIFOQueue(1, [tf.int64], [[]])
    return tf.data.Dataset.range(9).map(lambda x: x + queue.dequeue(), num_parallel_calls=2)


@pytest.mark.parametrize("ahead", [False, True])
def test_a_step_that_waits_for_an_element_ends_with_its_time(ahead: bool) -> None:
    tf = dataflow
    with tf.Graph().as_default() as graph:
        dataset = _stuck(tf).prefetch(2) if ahead else _stuck(tf)
        iterator = tf.data.make_initializable_iterator(dataset)
        following = iterator.get_next()
        with tf.Session(graph=graph) as session:
            session.run(iterator.initializer)
            with pytest.raises(tf.errors.DeadlineExceededError):
                session.run(following, options=tf.RunOptions(timeout_in_ms=100))
    _wait_for_threads_to_end()


@pytest.mark.parametrize("ahead", [False, True])
def test_closing_ends_what_waits(ahead: bool) -> None:
    tf = dataflow
    with tf.Graph().as_default() as graph:
        dataset = _stuck(tf).prefetch(2) if ahead else _stuck(tf)
        iterator = tf.data.make_initializable_iterator(dataset)
        following = iterator.get_next()
        runs = threading.Event()
        note = tf.py_func(runs.set, [], [])
        session = tf.Session(graph=graph)
        session.run(iterator.initializer)
        errors: list[BaseException] = []

        def wait() -> None:
            try:
                session.run([following, note])
            except tf.errors.OpError as error:
                errors.append(error)

        waiting = threading.Thread(target=wait)
        waiting.start()
        assert runs.wait(60)
        session.close()
        waiting.join(60)
        assert isinstance(errors[0], tf.errors.CancelledError)
    _wait_for_threads_to_end()


def test_beginning_anew_ends_what_waits() -> None:
    tf = dataflow
    with tf.Graph().as_default() as graph:
        iterator = tf.data.Iterator.from_structure(tf.int64, [])
        stuck = iterator.make_initializer(_stuck(tf))
        other = iterator.make_initializer(tf.data.Dataset.range(5, 9))
        following = iterator.get_next()
        errors: list[BaseException] = []
        with tf.Session(graph=graph) as session:
            session.run(stuck)

            def wait() -> None:
                try:
                    session.run(following)
                except tf.errors.OpError as error:
                    errors.append(error)

            waiting = threading.Thread(target=wait)
            waiting.start()
            time.sleep(0.05)
            session.run(other)
            waiting.join(60)
            # It may have come late, and found the new elements.
            found = session.run(following)
        assert (found == 5 and isinstance(errors[0], tf.errors.CancelledError)) or found == 6


def test_no_thread_stays_behind() -> None:
    tf = dataflow
    with tf.Graph().as_default() as graph:
        D = tf.data.Dataset
        dataset = (
            D.range(10**9)
            .interleave(lambda x: D.range(x, x + 5).prefetch(2), 3, num_parallel_calls=2)
            .prefetch(4)
        )
        iterator = tf.data.make_initializable_iterator(dataset)
        following = iterator.get_next()
        with tf.Session(graph=graph) as session:
            for _ in range(3):
                session.run(iterator.initializer)
                for _ in range(7):
                    session.run(following)
            assert _threads() < 20
    _wait_for_threads_to_end()


def test_prefetch_makes_no_more_than_it_was_asked_for() -> None:
    tf = dataflow
    with tf.Graph().as_default() as graph:
        made: list[int] = []

        def note(x: Any) -> Any:
            made.append(int(x))
            return x

        dataset = tf.data.Dataset.range(100).map(lambda x: tf.py_func(note, [x], tf.int64))
        iterator = tf.data.make_initializable_iterator(dataset.prefetch(3))
        following = iterator.get_next()
        with tf.Session(graph=graph) as session:
            session.run(iterator.initializer)
            session.run(following)
            time.sleep(0.1)
            assert 1 <= len(made) <= 5
    _wait_for_threads_to_end()


@LIBRARIES
def test_a_file_keeps_elements(tf: Any, tmp_path: Any) -> None:
    prefix = str(tmp_path / "cache")
    wanted = [(i, str(i).encode()) for i in range(4)]
    assert _kept(tf, prefix, 4) == wanted
    assert _kept(tf, prefix, 9) == wanted
    assert not list(tmp_path.glob("*lockfile"))


def _kept(tf: Any, prefix: str, limit: int) -> list[Any]:
    with tf.Graph().as_default() as graph:
        dataset = tf.data.Dataset.range(limit).map(lambda x: (x, tf.as_string(x)))
        following = tf.data.make_one_shot_iterator(dataset.cache(prefix)).get_next()
        with open_session(tf, graph, "") as session:
            found = []
            with pytest.raises(tf.errors.OutOfRangeError):
                while True:
                    found.append(session.run(following))
    return found


def test_either_library_reads_what_the_other_has_kept(tmp_path: Any) -> None:
    wanted = [(i, str(i).encode()) for i in range(4)]
    for writer, reader in ((oracle, dataflow), (dataflow, oracle)):
        prefix = str(tmp_path / writer.__name__)
        assert _kept(writer, prefix, 4) == wanted
        assert _kept(reader, prefix, 9) == wanted


def test_on_any_target(target: str) -> None:
    """The iterator is on the device, whichever process that is in."""
    for pipeline in (mapped_in_parallel, shuffled_and_repeated, generated, prefetched):
        wanted = stream(oracle, pipeline)
        assert stream(dataflow, pipeline, target) == wanted
        assert stream(dataflow, pipeline, target, one_shot=True) == wanted
