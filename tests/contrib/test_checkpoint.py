"""tf.contrib.checkpoint: what objects hold is in checkpoints, and TensorFlow finds it there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.proto.trackable_object_graph_pb2 import TrackableObjectGraph

checkpoint: Any = tf.contrib.checkpoint


def _variable(value: float) -> Any:
    return tf.Variable(value, use_resource=True)


def test_containers_have_the_weights_of_what_is_in_them() -> None:
    with tf.Graph().as_default():
        first, second = tf.layers.Dense(2), tf.layers.Dense(3)
        own, fixed = _variable(1.0), tf.Variable(2.0, trainable=False, use_resource=True)
        held = checkpoint.List([first])
        held.append(own)
        held += [fixed, first]
        named = checkpoint.Mapping(b=second, a=held)
        for layer in (first, second):
            layer(tf.zeros([1, 4]))
        assert list(held) == [first, own, fixed, first] and len(held[1:]) == 3
        assert held.layers == [first, first] and held.trainable_weights == [own, *first.weights]
        assert held.non_trainable_weights == [fixed] and held.weights == held.variables
        assert named.layers == [held, second]
        assert named.trainable_variables == [*held.trainable_weights, *second.weights]
        held.trainable = False
        assert held.trainable_weights == [] and len(held.non_trainable_variables) == 4
        more = [own]
        doubled = 2 * (held + more)
        assert isinstance(doubled, checkpoint.List) and len(doubled) == 10
        held *= 2
        assert len(held) == 8
        assert dict(named) == {"b": second, "a": held} and named == named != {"b": second}


def test_refusals_of_containers() -> None:
    with tf.Graph().as_default():
        one, other = _variable(1.0), _variable(2.0)
        held, named = checkpoint.List([one]), checkpoint.Mapping(a=one)
        tracker = checkpoint.UniqueNameTracker()
        with pytest.raises(ValueError, match=r"Only trackable objects .* Got 3,"):
            held.append(3)
        with pytest.raises(ValueError, match="multiplying in place by 0 removes"):
            held *= 0
        with pytest.raises(TypeError, match="only string keys, but got a key 1"):
            named[1] = one
        with pytest.raises(ValueError, match=r"append-only .* 'a'"):
            named["a"] = other
        with pytest.raises(ValueError, match="Expected a trackable value, got x"):
            tracker.track("x", "x")
        assert list(held) == [one] and dict(named) == {"a": one} and not tracker.weights


def test_names_that_are_taken_get_numbers(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        tracker = checkpoint.UniqueNameTracker()
        for value, name in ((3.0, "x"), (4.0, "y"), (5.0, "x"), (6.0, "x_1")):
            assert tracker.track(_variable(value), name).initial_value is not None
        session.run(tf.global_variables_initializer())
        path = tf.train.Checkpoint(slots=tracker).save(str(tmp_path / "c"), session)
        assert len(tracker.trainable_weights) == 4
    found = {
        name: oracle.train.load_variable(path, f"slots/{name}/.ATTRIBUTES/VARIABLE_VALUE")
        for name in ("x", "y", "x_1", "x_1_1")
    }
    assert found == {"x": 3.0, "y": 4.0, "x_1": 5.0, "x_1_1": 6.0}


def test_arrays_are_made_again(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session():
        arrays = checkpoint.NumpyState()
        saved = tf.train.Checkpoint(arrays=arrays)
        arrays.x = np.zeros([3, 4])
        arrays.words = np.array(["a", "bc"])
        path = saved.save(str(tmp_path / "c"))
        arrays.x[1, 1] = 4.0
        arrays.y = np.float32(2.0)
        saved.restore(path)
        assert not arrays.x.any() and arrays.y == 2.0
        other = tf.train.Checkpoint(arrays=checkpoint.NumpyState())
        other.restore(path)
        assert other.arrays.x.shape == (3, 4) and other.arrays.words.tolist() == ["a", "bc"]
        with pytest.raises(AttributeError, match="no attribute 'y'"):
            _ = other.arrays.y
        with pytest.raises(NotImplementedError, match="Assigned 3 to the z property"):
            other.arrays.z = 3
        with pytest.raises(tf.errors.DataLossError, match="none of numpy's"):
            arrays._lookup_dependency("x").deserialize(b"\x93NUMPY\x01\x00")


def test_parts_are_saved_and_restored_together(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        whole = tf.Variable([1.0, 2.0], use_resource=True)

        def split(buffer: dict[str, Any]) -> None:
            buffer["a"], buffer["b"] = tf.unstack(whole.read_value())

        def join(buffer: dict[str, Any]) -> Any:
            return whole.assign(tf.stack([buffer["a"], buffer["b"]]))

        types = [tf.float32, tf.float32]
        parts = checkpoint.split_dependency(["a", "b"], types, split, join, device="/cpu:0")
        saved = tf.train.Checkpoint(**parts)
        session.run(whole.initializer)
        path = saved.save(str(tmp_path / "c"), session)
        session.run(whole.assign([7.0, 8.0]))
        saved.restore(path).run_restore_ops(session)
        assert session.run(whole).tolist() == [1.0, 2.0]
        key = "b/.ATTRIBUTES/VARIABLE_VALUE"
        assert oracle.train.load_variable(path, key) == 2.0
        with pytest.raises(AssertionError, match=r"a unsynchronized.* must be saved together"):
            alone = checkpoint.split_dependency(["a", "b"], types, split, join, device="")
            tf.train.Checkpoint(x=alone["a"], y=parts["b"]).save(str(tmp_path / "d"), session)
            tf.train.Checkpoint(x=alone["a"]).save(str(tmp_path / "e"), session)


def test_what_a_checkpoint_holds(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        weight = tf.Variable(3.0, use_resource=True, name="w")
        optimizer = tf.train.AdamOptimizer()
        optimizer.minimize(tf.square(weight), var_list=[weight])
        root = tf.train.Checkpoint(weight=weight, optimizer=optimizer)
        session.run(tf.global_variables_initializer())
        path = root.save(str(tmp_path / "c"), session)
        objects = checkpoint.list_objects(root)
        assert root in objects and optimizer.get_slot(weight, "m") in objects
        found = checkpoint.object_metadata(path)
        assert isinstance(found, TrackableObjectGraph) and len(found.nodes) == len(objects)
        dot = checkpoint.dot_graph_from_checkpoint(path)
        assert dot.startswith("digraph {\n") and dot.endswith("}\n")
        assert len(re.findall(r"color=orange width=.25 tooltip=\"Slot variable w/Adam", dot)) == 2
        assert 'color=blue width=.25 tooltip="Variable w shape=[] float32"' in dot
        assert '[label="m" style=dotted]' in dot and 'color=red,tooltip="Optimizer"' in dot
        named = tf.train.Saver([weight]).save(session, str(tmp_path / "named"))
        with pytest.raises(ValueError, match="does not appear to be object-based"):
            checkpoint.object_metadata(named)
