"""`tf.saved_model.save`: TensorFlow loads what is written, and answers alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow

import dataflow as tf
from tests.oracle import open_session
from tests.saving.saved_model.tensorflow_2 import WORDS, X

oracle = tensorflow.compat.v1
oracle.disable_v2_behavior()


class Parts(tf.Module):
    """Variables, also in a list and a dictionary, and functions of them."""

    def __init__(self) -> None:
        super().__init__()
        w = np.arange(6, dtype=np.float32).reshape(2, 3)
        self.w = tf.Variable(w, use_resource=True, name="w", trainable=False)
        self.parts = [tf.Variable([1.0, 2.0, 3.0], use_resource=True), {"old": tf.Variable(4.0)}]
        scale = tf.constant([1.0, 10.0, 100.0])
        x = tf.TensorSpec([None, 2], tf.float32, "x")
        self.layer = tf.wrap_function(
            lambda x, shift: {"y": tf.matmul(x, self.w) * scale + shift, "none": None}, [x, 0.5]
        )
        self.sum = tf.wrap_function(lambda x: [x @ self.w + self.parts[0], tf.shape(x)], [x])


def test_a_module(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        module = Parts()
        session.run(tf.global_variables_initializer())
        session.run(module.parts[0].assign([5, 6, 7]))
        tf.saved_model.save(module, tmp_path, {"sum": module.sum})
        want = session.run([module.layer(X)["y"], *module.sum(X)])
    np.testing.assert_array_equal(want[1], X @ np.arange(6).reshape(2, 3) + [5, 6, 7])
    for library in (oracle, tf):
        with library.Graph().as_default() as graph, open_session(library, graph) as session:
            loaded = library.saved_model.load_v2(str(tmp_path))
            x = library.constant(X)
            called = loaded.signatures["sum"](x=x)
            fetches = [loaded.layer(x)["y"], *loaded.sum(x), called["output_0"]]
            session.run(library.global_variables_initializer())
            *have, again = session.run(fetches)
            np.testing.assert_array_equal(again, want[1])
            for left, right in zip(have, want, strict=True):
                np.testing.assert_array_equal(left, right)
            assert session.run(loaded.parts[1]["old"]) == 4.0
            assert [loaded.w.trainable, loaded.parts[0].trainable] == [False, True]


def _served(library: Any, folder: Path) -> dict[str, Any]:
    with library.Graph().as_default() as graph, open_session(library, graph) as session:
        found = library.saved_model.loader.load(session, ["serve"], str(folder))
        signature = found.signature_def["serving_default"]
        feeds = {signature.inputs["x"].name: X, signature.inputs["words"].name: WORDS}
        fetches = {key: each.name for key, each in signature.outputs.items()}
        answers: dict[str, Any] = session.run(fetches, feeds)
        return answers


def test_a_model_of_tensorflows_is_changed_and_saved(models: Path, tmp_path: Path) -> None:
    expected = np.load(models / "module.npz")
    first, second = tmp_path / "first", tmp_path / "second"
    with tf.Graph().as_default(), tf.Session() as session:
        module = tf.saved_model.load_v2(models / "module")
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        session.run(module.w.assign_add(np.ones((2, 3))))
        tf.saved_model.save(module, first, module.signatures)
    with tf.Graph().as_default(), tf.Session() as session:
        module = tf.saved_model.load_v2(first)
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        # Its one function of tensors becomes the signature, as `grow` is told apart by name.
        options = tf.saved_model.SaveOptions(extra_tags=["more"])
        tf.saved_model.save(module, second, {"serving_default": module.answer}, options)
        with pytest.raises(RuntimeError, match="could not be found in SavedModel"):
            tf.saved_model.loader.load(session, ["serve"], str(second))
    grown = expected["y"] + np.sum(X, 1, keepdims=True) * 1.5**3
    for library in (oracle, tf):
        answers = _served(library, first)
        np.testing.assert_allclose(answers["y"], grown, rtol=1e-6)
        np.testing.assert_array_equal(answers["ids"], expected["ids"])
    with oracle.Graph().as_default() as graph, open_session(oracle, graph) as session:
        loaded = oracle.saved_model.load_v2(str(second))
        answer = loaded.answer(oracle.constant(X), oracle.constant(WORDS))
        session.run([oracle.global_variables_initializer(), oracle.tables_initializer()])
        np.testing.assert_allclose(session.run(answer["y"]), grown, rtol=1e-6)


def test_checkpoints_hold_modules(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        module = Parts()
        session.run(tf.global_variables_initializer())
        path = tf.train.Checkpoint(module=module).save(str(tmp_path / "c"))
        keys = set(tf.train.load_checkpoint(path).get_variable_to_shape_map())
    end = "/.ATTRIBUTES/VARIABLE_VALUE"
    assert {f"module/w{end}", f"module/parts/0{end}", f"module/parts/1/old{end}"} <= keys


def test_what_cannot_be_saved(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        module = Parts()
        with pytest.raises(ValueError, match="session"):
            tf.saved_model.save(module, tmp_path)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            with pytest.raises(ValueError, match="Expected an object of type `Trackable`"):
                tf.saved_model.save(3, tmp_path)
            with pytest.raises(ValueError, match="Expected a TensorFlow function"):
                tf.saved_model.save(module, tmp_path, {"a": lambda x: x})
            with pytest.raises(ValueError, match="non-Tensor value None"):
                tf.saved_model.save(module, tmp_path, module.layer)
            other = tf.Variable(1.0, use_resource=True)
            module.other = tf.wrap_function(lambda: other + 1.0, [])
            with pytest.raises(AssertionError, match="references an 'untracked' resource"):
                tf.saved_model.save(module, tmp_path)
            fed = tf.placeholder(tf.float32, [])
            module.other = tf.wrap_function(lambda: fed + 1.0, [])
            with pytest.raises(ValueError, match="that is not a simple constant"):
                tf.saved_model.save(module, tmp_path)
