"""Internal modules of TensorFlow's that libraries for reinforcement learning and hubs use."""

from __future__ import annotations

import io
from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.framework import tensor_spec
from tensorflow.python.ops import resources as their_resources
from tensorflow.python.saved_model import nested_structure_coder

import dataflow as tf
from dataflow.library.concrete.bounds import BoundedTensorSpec
from dataflow.library.layers.untracked import (
    NoDependency,
    no_automatic_dependency_tracking,
    no_automatic_dependency_tracking_scope,
)
from dataflow.porting.spellings import monitoring, structure_messages, trackables
from dataflow.variables import resources

Pair = namedtuple("Pair", ["first", "second"])


def structure(tf: Any, bounded: Any) -> Any:
    return {
        "pair": Pair(tf.TensorSpec([2, None], tf.float32, "x"), (1, 2.5, True, None, "text")),
        "shapes": [tf.TensorShape([3]), tf.int64],
        "bounded": bounded([2], tf.float32, -1.0, 1.0, "b"),
        "sparse": tf.SparseTensorSpec([None, 2], tf.float32),
        "ragged": tf.RaggedTensorSpec([None, None], tf.int32, 1, tf.int64),
    }


def test_structures_as_messages() -> None:
    value = structure(tf, BoundedTensorSpec)
    coder = structure_messages.StructureCoder()
    message = coder.encode_structure(value)
    theirs = nested_structure_coder.encode_structure(
        structure(oracle, tensor_spec.BoundedTensorSpec)
    )
    assert message.SerializeToString(deterministic=True) == theirs.SerializeToString(
        deterministic=True
    )
    again = coder.decode_proto(message)
    assert again["bounded"] == value["bounded"] and again["sparse"] == value["sparse"]
    assert again["ragged"] == value["ragged"] and again["pair"][1] == value["pair"][1]
    assert coder.can_encode([1]) and not coder.can_encode([object()])
    with pytest.raises(structure_messages.NotEncodableError):
        coder.encode_structure(object())
    with pytest.raises(structure_messages.NotEncodableError):
        coder.decode_proto(type(message)())


def test_numbers_that_programs_count() -> None:
    counter = monitoring.Counter("/a", "about", "method")
    counter.get_cell("x").increase_by(2)
    counter.get_cell("x").increase_by(3)
    assert (counter.get_cell("x").value(), counter.get_cell("y").value()) == (5, 0)
    gauge = monitoring.BoolGauge("/b", "about")
    gauge.get_cell().set(1)
    assert gauge.get_cell().value() is True
    sampler = monitoring.Sampler("/c", monitoring.ExponentialBuckets(1.0, 2.0, 3), "about")
    for value in (0.5, 1.0, 3.0, 9.0):
        sampler.get_cell().add(value)
    assert sampler.get_cell().value() == [1, 1, 1, 1]
    with pytest.raises(ValueError, match="expects taking 1 labels"):
        counter.get_cell()


def test_resources_are_initialised_by_a_scaffold() -> None:
    def program(tf: Any, module: Any) -> Any:
        with tf.Graph().as_default():
            for name, shared in (("shared", True), ("own", False)):
                variable = tf.get_variable(name, [], use_resource=True, collections=[])
                state = (variable.handle, variable.initializer, variable.is_initialized())
                module.register_resource(*state, is_shared=shared)
            everything = module.report_uninitialized_resources()
            scaffold = tf.train.Scaffold().finalize()
            with tf.Session() as session:
                before = session.run([everything, scaffold.ready_for_local_init_op])
                session.run(scaffold.init_op)
                between = session.run([everything, scaffold.ready_for_local_init_op])
                session.run(scaffold.local_init_op)
                found = (*before, *between, session.run(scaffold.ready_op))
        return [each.tolist() for each in found]

    ours = program(tf, resources)
    assert ours == program(oracle, their_resources)
    assert ours == [[b"shared:0", b"own:0"], [b"shared:0"], [b"own:0"], [], []]


class Kept(tf.train.experimental.PythonState):
    def __init__(self, array: Any) -> None:
        self.array = array

    def serialize(self) -> bytes:
        file = io.BytesIO()
        np.save(file, self.array, allow_pickle=False)
        return file.getvalue()

    def deserialize(self, string_value: bytes) -> None:
        self.array = np.load(io.BytesIO(string_value), allow_pickle=False)


def test_states_of_python_in_checkpoints(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        root = tf.train.Checkpoint(kept=Kept(np.array([1.0])), number=tf.Variable(3.0))
        session.run(tf.global_variables_initializer())
        manager = tf.train.CheckpointManager(root, str(tmp_path), max_to_keep=2)
        first = manager.save(checkpoint_number=np.int64(7))
        root.kept.array = np.array([2.0])
        second = root.save(bytes(tmp_path / "more"))
        assert first == str(tmp_path / "ckpt-7")
        assert ("kept/.ATTRIBUTES/py_state", []) in tf.train.list_variables(first)
        for path, value in ((first, 1.0), (second, 2.0)):
            root.restore(path).assert_consumed().run_restore_ops()
            assert root.kept.array.tolist() == [value]


def test_trackables(tmp_path: Path) -> None:
    class Owner(trackables.AutoTrackable):
        pass

    class Layer(tf.keras.layers.Layer):
        @no_automatic_dependency_tracking
        def hold(self, value: Any) -> None:
            self.held = value

    class Model(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self._layers.append(tf.keras.layers.Dense(2))

        def call(self, inputs: Any) -> Any:
            return self._layers[0](inputs)

    with tf.Graph().as_default():
        owner = Owner()
        owner.value = tf.Variable(1.0)
        owner.other = trackables.NoDependency(tf.Variable(2.0))
        assert [each.name for each in owner._checkpoint_dependencies] == ["value"]
        del owner.value
        assert owner._lookup_dependency("value") is None
        with pytest.raises(TypeError, match="not a Trackable"):
            owner._track_trackable(3, "three")
        owner._track_trackable(owner.other, "three")
        with pytest.raises(ValueError, match="already declared as a dependency"):
            owner._track_trackable(tf.Variable(3.0), "three")
        layer, inner = Layer(), tf.keras.layers.Dense(1)
        layer.hold(inner)
        layer.wrapped = NoDependency([inner])
        with no_automatic_dependency_tracking_scope(layer):
            layer.inside = tf.Variable(4.0)
        assert layer.submodules == () and layer.weights == [] and layer.wrapped == [inner]
        layer.inside = layer.inside
        assert len(layer.weights) == 1
        model = Model()
        model(tf.zeros([1, 3]))
        assert [weight.shape.as_list() for weight in model.weights] == [[3, 2], [2]]


def test_paths_in_bytes(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("v", [], initializer=tf.ones_initializer())
        session.run(tf.global_variables_initializer())
        saver = tf.train.Saver()
        path = saver.save(session, bytes(tmp_path / "model"), global_step=3)
        assert path == str(tmp_path / "model-3")
        saver.restore(session, path.encode())
        assert tf.train.checkpoint_exists(path.encode())
        assert tf.train.load_checkpoint(path.encode()).get_tensor("v") == 1.0
        assert tf.train.latest_checkpoint(bytes(tmp_path)) == path
