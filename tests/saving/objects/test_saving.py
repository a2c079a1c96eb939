"""`tf.saved_model.save`: TensorFlow loads what is written, and answers alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow

import dataflow as tf
from dataflow.proto.saved_model_pb2 import SavedModel
from dataflow.saving.checkpoint import sessions
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
        self.none = tf.function(lambda x: {}).get_concrete_function(x)
        self.sum = tf.wrap_function(lambda x: [x @ self.w + self.parts[0], tf.shape(x)], [x])


def test_a_module(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        module = Parts()
        session.run(tf.global_variables_initializer())
        session.run(module.parts[0].assign([5, 6, 7]))
        tf.saved_model.save(module, tmp_path, {"sum": module.sum, "none": module.none})
        want = session.run([module.layer(X)["y"], *module.sum(X)])
    np.testing.assert_array_equal(want[1], X @ np.arange(6).reshape(2, 3) + [5, 6, 7])
    for library in (oracle, tf):
        with library.Graph().as_default() as graph, open_session(library, graph) as session:
            loaded = library.saved_model.load_v2(str(tmp_path))
            x = library.constant(X)
            called = loaded.signatures["sum"](x=x)
            assert loaded.signatures["none"](x=x) == {}
            fetches = [loaded.layer(x)["y"], *loaded.sum(x), called["output_0"]]
            session.run(library.global_variables_initializer())
            *have, again = session.run(fetches)
            np.testing.assert_array_equal(again, want[1])
            for left, right in zip(have, want, strict=True):
                np.testing.assert_array_equal(left, right)
            assert session.run(loaded.parts[1]["old"]) == 4.0
            assert [loaded.w.trainable, loaded.parts[0].trainable] == [False, True]


class Pair(tf.saved_model.experimental.TrackableResource):
    """A resource of a program's own: two numbers."""

    def _create_resource(self) -> tf.Tensor:
        return tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[2], shared_name="pair")

    def _initialize(self) -> None:
        tf.raw_ops.AssignVariableOp(resource=self.resource_handle, value=tf.constant([7.0, 8.0]))

    def read(self) -> tf.Tensor:
        return tf.raw_ops.ReadVariableOp(resource=self.resource_handle, dtype=tf.float32)


class Tables(tf.Module):
    """Tables of each kind, and functions that are traced when they are called."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        lookup, index = tf.lookup, tf.lookup.TextFileIndex
        lines = (str(file), tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER)
        self.lines = lookup.StaticVocabularyTable(lookup.TextFileInitializer(*lines), 2)
        self.words = tf.contrib.lookup.index_table_from_tensor(["x", "z"], num_oov_buckets=1)
        self.counts = lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
        self.dense = lookup.experimental.DenseHashTable(
            tf.string, tf.float32, 0.5, empty_key="", deleted_key="-", initial_num_buckets=8
        )
        self.pair = Pair()
        self.scaled = tf.function(lambda a, by=2, *, more=None: a * by)
        self.untraced = tf.function(lambda a: a)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def look(self, words: tf.Tensor) -> dict[str, tf.Tensor]:
        tables = {"lines": self.lines, "words": self.words, "n": self.counts, "d": self.dense}
        return {key: table.lookup(words) for key, table in tables.items()} | {
            "pair": self.pair.read()
        }


def test_a_module_with_tables(tmp_path: Path) -> None:
    file, first, second = (tmp_path / name for name in ("lines.txt", "first", "second"))
    file.write_text("c\nz\n")
    asked = [*WORDS, "x", "other"]
    with tf.Graph().as_default(), tf.Session() as session:
        module = Tables(file)
        module.scaled(tf.constant(1.0))
        module.scaled(tf.constant(1), 5)
        session.run(tf.tables_initializer())
        numbers = tf.constant([5, 6], tf.int64)
        session.run([module.counts.insert(["c", "x"], numbers), module.dense.insert(["z"], [1.5])])
        tf.saved_model.save(module, first)
        with pytest.raises(ValueError, match="functions` with an input signature"):
            tf.saved_model.save(module, tmp_path / "never", module.scaled)
    file.unlink()
    with tf.Graph().as_default(), tf.Session() as session:
        module = tf.saved_model.load_v2(first)
        session.run(tf.tables_initializer())
        tf.saved_model.save(module, second, module.signatures)
        path = tf.train.Checkpoint(module=module).save(tmp_path / "c")
        assert {"module/counts/.ATTRIBUTES/table-keys"} < {*dict(tf.train.list_variables(path))}
    want = {
        "lines": [0, 1, 2, 2],
        "words": [2, 1, 0, 2],
        "n": [5, -1, 6, -1],
        "d": [0.5, 1.5, 0.5, 0.5],
        "pair": [7, 8],
    }
    for library in (oracle, tf):
        for folder in (first, second):
            answers = _served(library, folder, words=asked)
            with library.Graph().as_default() as graph, open_session(library, graph) as session:
                module = library.saved_model.load_v2(str(folder))
                found = module.look(library.constant(asked))
                scaled = [module.scaled(library.constant(3.0)), module.scaled(3, by=5)]
                session.run(library.tables_initializer())
                found, scaled = session.run([found, scaled])
            assert scaled == [6, 15]
            for key, numbers in want.items():
                assert answers[key].tolist() == found[key].tolist() == numbers, (key, library)


def _served(library: Any, folder: Path, **given: Any) -> dict[str, Any]:
    with library.Graph().as_default() as graph, open_session(library, graph) as session:
        found = library.saved_model.loader.load(session, ["serve"], str(folder))
        signature = found.signature_def["serving_default"]
        feeds = {signature.inputs[name].name: value for name, value in given.items()}
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
        answers = _served(library, first, x=X, words=WORDS)
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


def test_options(tmp_path: Path) -> None:
    options = tf.saved_model.SaveOptions(
        experimental_variable_policy="save_variable_devices", experimental_skip_saver=True
    )
    policies = tf.saved_model.experimental.VariablePolicy
    assert options.experimental_variable_policy is policies.SAVE_VARIABLE_DEVICES
    with pytest.raises(ValueError, match="invalid VariablePolicy value: half"):
        tf.saved_model.SaveOptions(experimental_variable_policy="half")
    with tf.Graph().as_default(), tf.Session() as session:
        module = tf.Module()
        with tf.device("/cpu:0"):
            module.v = tf.Variable(1.0, use_resource=True)
        session.run(module.v.initializer)
        tf.saved_model.save(module, tmp_path, options=options)
    (graph,) = SavedModel.FromString((tmp_path / "saved_model.pb").read_bytes()).meta_graphs
    assert not graph.HasField("saver_def")
    assert graph.object_graph_def.nodes[1].variable.device == "/device:CPU:0"


def test_what_cannot_be_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with tf.Graph().as_default():
        module = Parts()
        with monkeypatch.context() as patch:
            # Where a program has used tf.keras, there is its session.
            patch.setattr(sessions, "_PROVIDERS", [])
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
