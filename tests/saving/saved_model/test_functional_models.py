"""SavedModels of TensorFlow 2 and Keras 3: functions, resources and tables with files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import dataflow as tf
from dataflow.saving.saved_model.loader import SavedModelLoader
from tests.conftest import SessionFactory
from tests.saving.saved_model import tensorflow_2


def _answers(session: Any, signature: Any, **inputs: Any) -> dict[str, np.ndarray]:
    feeds = {signature.inputs[key].name: value for key, value in inputs.items()}
    answers = session.run({key: out.name for key, out in signature.outputs.items()}, feeds)
    assert isinstance(answers, dict)
    return answers


def test_a_module_with_a_table_answers_as_in_tensorflow(
    models: Path, session_factory: SessionFactory
) -> None:
    expected = np.load(models / "module.npz")
    session = session_factory(tf.Graph())
    loaded = tf.saved_model.loader.load(session, ["serve"], str(models / "module"))
    signature = loaded.signature_def["serving_default"]
    inputs = {"x": tensorflow_2.X, "words": tensorflow_2.WORDS}
    answers = _answers(session, signature, **inputs)
    assert sorted(answers) == sorted(expected.files)
    for key, answer in answers.items():
        np.testing.assert_allclose(answer, expected[key], rtol=1e-6)
        assert answer.dtype == expected[key].dtype
    # The call counts itself.
    assert _answers(session, signature, **inputs)["n"] == 2


def test_a_net_of_keras_answers_as_in_keras(models: Path) -> None:
    expected = np.load(models / "net.npz")
    with tf.Session(graph=tf.Graph()) as session:
        loaded = tf.saved_model.load(session, ["serve"], str(models / "net"), import_scope="in")
        signature = loaded.signature_def["serving_default"]
        (given,), (made,) = signature.inputs.values(), signature.outputs.values()
        answer = session.run(f"in/{made.name}", {f"in/{given.name}": expected["images"]})
    np.testing.assert_allclose(answer, expected["answer"], rtol=1e-5)


def test_a_changed_variable_is_saved_and_comes_back(models: Path, tmp_path: Path) -> None:
    with tf.Session(graph=tf.Graph()) as session:
        loader = SavedModelLoader(models / "module")
        saver, elements = loader.load_graph(session.graph, ["serve"], return_elements=["w"])
        assert elements is not None and saver is not None
        loader.restore_variables(session, saver)
        (handle,) = elements[0].outputs
        read = tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)
        before = session.run(read)
        change = tf.raw_ops.AssignAddVariableOp(resource=handle, value=np.ones((2, 3), np.float32))
        session.run(change)
        path = saver.save(session, str(tmp_path / "changed"), write_meta_graph=False)
        assert path is not None
        session.run(change)
        saver.restore(session, path)
        np.testing.assert_array_equal(session.run(read), before + 1)
    reader = tf.train.load_checkpoint(path)
    np.testing.assert_array_equal(reader.get_tensor("w/.ATTRIBUTES/VARIABLE_VALUE"), before + 1)
