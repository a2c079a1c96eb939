"""Iterators whose elements go to several devices in turn."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.library.datasets.multi_device import MultiDeviceIterator

DEVICES = ["/cpu:1", "/cpu:2"]
CONFIG = tf.ConfigProto(device_count={"CPU": 3})


def _ends(session: Any, fetch: Any) -> None:
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        session.run(fetch)


@pytest.mark.parametrize("ahead", [0, 1, 2])
def test_elements_go_to_devices_in_turn(ahead: int) -> None:
    with tf.Graph().as_default(), tf.Session(config=CONFIG) as session:
        dataset = tf.data.Dataset.range(5).map(lambda x: {"a": x, "b": tf.as_string(x)})
        iterator = MultiDeviceIterator(dataset, DEVICES, prefetch_buffer_size=ahead)
        first, second = iterator.get_next()
        assert [first["a"].device, second["b"].device] == ["/device:CPU:1", "/device:CPU:2"]
        for _ in range(2):
            session.run(iterator.initializer)
            for number in (0, 2):
                found = session.run([first, second])
                text = b"%d", b"%d"
                assert found == [{"a": number + i, "b": text[i] % (number + i)} for i in range(2)]
            assert session.run(iterator.get_next("/cpu:1"))["a"] == 4
            _ends(session, first)
            _ends(session, second)
        session.run(iterator.initializer)
        optionals = iterator.get_next_as_optional()
        assert session.run([each.has_value() for each in optionals]) == [True, True]
        assert iterator.element_spec == dataset.element_spec
        with pytest.raises(ValueError, match="not in list"):
            iterator.get_next("/cpu:7")


def test_a_device_that_wants_nothing_holds_up_the_others() -> None:
    with tf.Graph().as_default(), tf.Session(config=CONFIG) as session:
        iterator = MultiDeviceIterator(
            tf.data.Dataset.range(9), DEVICES, max_buffer_size=2, prefetch_buffer_size=0
        )
        first, second = iterator.get_next()
        session.run(iterator.initializer)
        assert [session.run(first) for _ in range(3)] == [0, 2, 4]
        found: list[Any] = []
        waits = threading.Thread(target=lambda: found.append(session.run(first)))
        waits.start()
        waits.join(0.05)
        assert waits.is_alive()
        assert session.run(second) == 1
        waits.join(60)
        assert found == [6]


def test_an_error_stands_in_the_place_of_an_element() -> None:
    with tf.Graph().as_default(), tf.Session(config=CONFIG) as session:
        dataset = tf.data.Dataset.from_tensor_slices(np.array([1, 2, 0, 4], np.int32))
        iterator = MultiDeviceIterator(dataset.map(lambda x: 8 // x), DEVICES)
        first, second = iterator.get_next()
        session.run(iterator.initializer)
        assert session.run([first, second]) == [8, 4]
        with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
            session.run(first)
        assert session.run(second) == 2
        _ends(session, first)
