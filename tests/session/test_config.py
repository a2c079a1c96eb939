"""tf.config: devices and the options of sessions that get none, against TensorFlow's."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.session import local_devices
from dataflow.session.defaults import DEFAULTS


@pytest.fixture(autouse=True)
def _options_as_they_were() -> Iterator[None]:
    yield
    DEFAULTS.Clear()
    for known in (local_devices._visible, local_devices._grows, local_devices._logical):
        known.clear()
    tf.config.run_functions_eagerly(False)
    oracle.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})


def read(library: Any) -> list[Any]:
    """What is there before anything is set."""
    config = library.config
    (cpu,) = config.list_physical_devices("CPU")
    return [
        cpu,
        config.list_logical_devices("CPU"),
        config.get_visible_devices("CPU"),
        config.get_logical_device_configuration(cpu),
        config.get_soft_device_placement(),
        library.debugging.get_log_device_placement(),
        config.experimental.get_device_policy(),
        config.experimental.get_synchronous_execution(),
        config.threading.get_inter_op_parallelism_threads(),
        config.threading.get_intra_op_parallelism_threads(),
        config.optimizer.get_jit(),
        config.optimizer.get_experimental_options(),
        config.functions_run_eagerly(),
        config.experimental.tensor_float_32_execution_enabled(),
        config.experimental.enable_mlir_bridge(),
        config.experimental.disable_mlir_bridge(),
        config.LogicalDeviceConfiguration(),
    ]


def test_what_is_there() -> None:
    # The tests of this run have it on (`tests/conftest.py`).
    oracle.config.optimizer.set_experimental_options({"disable_meta_optimizer": False})
    with oracle.Graph().as_default():
        assert list(map(repr, read(tf))) == list(map(repr, read(oracle)))


def refused(library: Any) -> list[str]:
    """The errors of what cannot be set."""
    config = library.config
    (cpu,) = config.list_physical_devices("CPU")
    limited = config.LogicalDeviceConfiguration(memory_limit=3)
    first = config.LogicalDeviceConfiguration(experimental_priority=1)
    calls = (
        lambda: config.experimental.set_device_policy("loud"),
        lambda: config.set_visible_devices(["x"], "CPU"),
        lambda: config.set_visible_devices(cpu, "GPU"),
        lambda: config.experimental.set_memory_growth(cpu, True),
        lambda: config.experimental.set_memory_growth("x", True),
        lambda: config.set_logical_device_configuration("x", []),
        lambda: config.set_logical_device_configuration(cpu, [limited]),
        lambda: config.set_logical_device_configuration(cpu, [first]),
    )
    found = []
    for call in calls:
        with pytest.raises(ValueError) as caught:
            call()
        found.append(str(caught.value))
    return found


def test_refusals() -> None:
    assert refused(tf) == refused(oracle)


def test_modes_of_threads() -> None:
    config = tf.config.experimental
    for policy in ("silent", "silent_for_int32", "warn", "explicit"):
        config.set_device_policy(policy)
        assert config.get_device_policy() == policy
    config.set_synchronous_execution(False)
    assert not config.get_synchronous_execution()
    found: list[Any] = []

    def elsewhere() -> None:
        found.extend((config.get_device_policy(), config.get_synchronous_execution()))

    other = threading.Thread(target=elsewhere)
    other.start()
    other.join()
    assert found == ["silent", True]
    config.set_device_policy(None)
    config.set_synchronous_execution(None)
    assert (config.get_device_policy(), config.get_synchronous_execution()) == ("silent", True)


@pytest.mark.parametrize("library", [tf, oracle])
def test_tensor_float_32_is_a_switch(library: Any) -> None:
    config = library.config.experimental
    try:
        for value, means in ((0, False), (np.bool_(True), True), (None, False), (2, True)):
            config.enable_tensor_float_32_execution(value)
            assert config.tensor_float_32_execution_enabled() is means
        with pytest.raises(TypeError):
            config.enable_tensor_float_32_execution("no")
        assert config.tensor_float_32_execution_enabled()
    finally:
        config.enable_tensor_float_32_execution(True)


def test_names_of_devices() -> None:
    names = tf.config.experimental_list_devices()
    with tf.Session(graph=tf.Graph()) as session:
        assert names == [each.name for each in session.list_devices()]


def test_sessions_without_options_have_what_is_set() -> None:
    config = tf.config
    config.set_soft_device_placement(True)
    tf.debugging.set_log_device_placement(True)
    config.threading.set_inter_op_parallelism_threads(3)
    config.threading.set_intra_op_parallelism_threads(2)
    config.optimizer.set_jit(True)
    config.optimizer.set_experimental_options(
        {"constant_folding": False, "disable_meta_optimizer": True, "min_graph_nodes": 5}
    )
    (cpu,) = config.get_visible_devices("CPU")
    one = config.LogicalDeviceConfiguration()
    config.experimental.set_virtual_device_configuration(cpu, [one, one])
    with tf.Graph().as_default(), tf.Session() as session:
        options = session._config
        with tf.device("/gpu:7"):
            assert session.run(tf.constant(3)) == 3
        assert len(session.list_devices()) == 2
    assert options.log_device_placement
    assert options.inter_op_parallelism_threads == 3
    assert options.intra_op_parallelism_threads == 2
    assert config.optimizer.get_jit() == "autoclustering"
    assert config.optimizer.get_experimental_options() == {
        "constant_folding": False,
        "disable_model_pruning": False,
        "disable_meta_optimizer": True,
        "min_graph_nodes": 5,
    }
    assert config.get_logical_device_configuration(cpu) == [one, one]
    assert [each.name for each in config.list_logical_devices("CPU")] == [
        "/device:CPU:0",
        "/device:CPU:1",
    ]
    with tf.Session(config=tf.ConfigProto()) as session:
        assert not session._config.allow_soft_placement


def test_visible_devices_are_those_that_are_chosen() -> None:
    cpus = tf.config.list_physical_devices("CPU")
    tf.config.set_visible_devices([], "GPU")
    assert tf.config.get_visible_devices() == cpus
    assert DEFAULTS.device_count["GPU"] == 0
    tf.config.set_visible_devices(cpus[0], "CPU")
    assert tf.config.get_visible_devices("CPU") == cpus


@pytest.mark.parametrize("library", [tf, oracle])
def test_functions_that_run_directly(library: Any) -> None:
    seen: list[Any] = []

    @library.function
    def doubled(x: Any) -> Any:
        seen.append(library.get_default_graph())
        return x * 2

    with library.Graph().as_default() as graph, library.Session() as session:
        library.config.run_functions_eagerly(True)
        try:
            np.testing.assert_array_equal(session.run(doubled(library.constant([1, 2]))), [2, 4])
        finally:
            library.config.run_functions_eagerly(False)
        assert seen == [graph]
        doubled(library.constant([1, 2]))
        assert seen[-1] is not graph
