"""What a test puts in place of a name in TensorFlow's inner modules, this library uses."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import dataflow as tf
from dataflow.porting.modules import TensorflowModule
from dataflow.values import logging


def test_a_double_is_used_until_it_is_taken_back() -> None:
    module: Any = TensorflowModule("tensorflow.python.platform.tf_logging")
    before, heard = logging.warning, list[str]()
    module.warning = lambda text, *values: heard.append(text % values)
    logging.warning("from %s", "within")
    module.warning = before
    assert heard == ["from within"] and logging.warning is before is module.warning
    module.warning = heard.append
    del module.warning
    assert logging.warning is before is module.warning


def test_a_module_that_ours_imports_has_a_double() -> None:
    module: Any = TensorflowModule("tensorflow.python.training.saver")

    class Clock:
        time = staticmethod(lambda: 12345.0)

    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.get_variable("v", initializer=1.0)
        session.run(variable.initializer)
        module.time = Clock
        try:
            saver = tf.train.Saver()
            saver.set_last_checkpoints_with_time([])
            assert saver._next_kept == 12345.0 + 10000 * 3600
        finally:
            del module.time


def test_a_double_of_what_another_module_shows() -> None:
    module: Any = TensorflowModule("tensorflow.python.ops.random_ops")
    before = tf.random_normal
    with tf.Graph().as_default():
        module.random_normal = lambda shape, *rest, **named: tf.fill(shape, 3.0)
        try:
            made = tf.random_normal_initializer()([2])
            assert made.op.type == "Fill" and tf.random_normal is before
        finally:
            del module.random_normal
        assert tf.random_normal_initializer()([2]).op.type == "AddV2"
    assert module.random_normal is before


def test_a_private_class_has_a_double() -> None:
    module: Any = TensorflowModule("tensorflow.python.training.device_setter")
    before = module._RoundRobinStrategy
    assert before(2)(None) == 0

    class Last:
        def __init__(self, num_tasks: int) -> None:
            self.task = num_tasks - 1

        def __call__(self, op: Any) -> int:
            return self.task

    module._RoundRobinStrategy = Last
    try:
        with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(3)):
            assert tf.Variable(1.0).device == "/job:ps/task:2"
    finally:
        module._RoundRobinStrategy = before
    with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(3)):
        assert tf.Variable(1.0).device == "/job:ps/task:0"


def test_what_an_import_binds_is_no_double(monkeypatch: pytest.MonkeyPatch) -> None:
    package: Any = TensorflowModule("tensorflow.python.data")
    inner = TensorflowModule("tensorflow.python.data.experimental")
    monkeypatch.setitem(sys.modules, inner.__name__, inner)
    package.experimental = inner
    assert package.experimental is inner
    assert tf.data.experimental.group_by_window.__name__ == "group_by_window"


def test_public_modules_keep_it_to_themselves(tmp_path: Path) -> None:
    module: Any = TensorflowModule("tensorflow.train")
    module.latest_checkpoint = lambda folder: "double"
    assert module.latest_checkpoint(tmp_path) == "double"
    assert tf.train.latest_checkpoint(tmp_path) is None


def test_options_of_calls_stand_beside_those_of_sessions() -> None:
    module: Any = TensorflowModule("tensorflow.core.protobuf.config_pb2")
    config = module.ConfigProto(rpc_options=module.RPCOptions(compression_level=3))
    assert isinstance(config, tf.ConfigProto) and config.rpc_options.compression_level == 3


def test_an_estimator_asks_the_double_where_its_variables_are(tmp_path: Path) -> None:
    module: Any = TensorflowModule("tensorflow.python.estimator.estimator")
    config = tf.estimator.RunConfig(model_dir=str(tmp_path))
    before, asked = module._get_replica_device_setter, list[Any]()
    module._get_replica_device_setter = lambda given: asked.append(given)
    try:
        tf.estimator.LinearRegressor([tf.feature_column.numeric_column("x")], config=config)
    finally:
        module._get_replica_device_setter = before
    assert len(asked) == 1 and asked[0].model_dir == str(tmp_path)
