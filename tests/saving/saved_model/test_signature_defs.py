"""Signatures and TensorInfos, as TensorFlow makes them of the same graph."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow

import dataflow
from tests.words import as_in_tensorflow_1

oracle = tensorflow.compat.v1
oracle.disable_v2_behavior()


def _tensors(tf: Any) -> dict[str, Any]:
    return {
        "examples": tf.placeholder(tf.string, [None], name="examples"),
        "x": tf.placeholder(tf.float32, [None, 3], name="x"),
        "any": tf.placeholder(tf.int64, name="any"),
        "classes": tf.constant(["a"], name="classes"),
        "scores": tf.constant([0.5], name="scores"),
        "sparse": tf.sparse_placeholder(tf.float32, [None, 4], name="sparse"),
        "variable": tf.get_variable("v", [2], use_resource=False),
        "resource": tf.get_variable("r", [2], use_resource=True),
    }


SIGNATURES: dict[str, Any] = {
    "predict": lambda m, t: m.predict_signature_def(
        {k: t[k] for k in ("x", "any", "sparse")}, {k: t[k] for k in ("variable", "resource")}
    ),
    "regress": lambda m, t: m.regression_signature_def(t["examples"], t["scores"]),
    "classify": lambda m, t: m.classification_signature_def(
        t["examples"], t["classes"], t["scores"]
    ),
    "classes": lambda m, t: m.classification_signature_def(t["examples"], t["classes"], None),
    "nothing": lambda m, t: m.build_signature_def(),
    "method": lambda m, t: m.build_signature_def(
        {"x": m.build_tensor_info(t["x"])}, None, "some/method", {"x": t["scores"]}
    ),
    "no inputs": lambda m, t: m.predict_signature_def({}, {"y": t["x"]}),
    "no outputs": lambda m, t: m.predict_signature_def({"y": t["x"]}, None),
    "no examples": lambda m, t: m.regression_signature_def(None, t["scores"]),
    "no tensor": lambda m, t: m.classification_signature_def("examples", None, t["scores"]),
    "no predictions": lambda m, t: m.regression_signature_def(t["examples"], None),
    "float examples": lambda m, t: m.regression_signature_def(t["x"], t["scores"]),
    "integer predictions": lambda m, t: m.regression_signature_def(t["examples"], t["any"]),
    "neither": lambda m, t: m.classification_signature_def(t["examples"], None, None),
    "float inputs": lambda m, t: m.classification_signature_def(t["x"], t["classes"], None),
    "float classes": lambda m, t: m.classification_signature_def(t["examples"], t["x"], None),
    "string scores": lambda m, t: m.classification_signature_def(
        t["examples"], None, t["examples"]
    ),
    "no default": lambda m, t: m.build_signature_def(defaults={"x": t["x"]}),
}


def _outcome(tf: Any, make: Any) -> tuple[Any, ...]:
    with tf.Graph().as_default():
        tensors = _tensors(tf)
        try:
            made = make(tf.saved_model, tensors)
        except ValueError as error:
            return ("ValueError", as_in_tensorflow_1(str(error)).split(" object")[0])
        valid = tf.saved_model.is_valid_signature(made)
        return (made.SerializeToString(deterministic=True), valid)


@pytest.mark.parametrize("name", SIGNATURES)
def test_is_made_as_by_tensorflow(name: str) -> None:
    ours, theirs = (_outcome(tf, SIGNATURES[name]) for tf in (dataflow, oracle))
    if name == "no default":
        assert [each[0] for each in (ours, theirs)] == ["ValueError", "ValueError"]
        return
    assert ours == theirs


def test_a_signature_without_known_outputs_is_not_valid() -> None:
    for tf in (dataflow, oracle):
        made = tf.saved_model.build_signature_def(method_name="tensorflow/serving/classify")
        assert not tf.saved_model.is_valid_signature(made)
        assert not tf.saved_model.is_valid_signature(None)


def test_tensors_are_found_by_their_infos() -> None:
    tf = dataflow
    with tf.Graph().as_default() as graph:
        with tf.name_scope("in"):
            tensors = _tensors(tf)
        for key in ("x", "any", "resource"):
            info = tf.saved_model.build_tensor_info(tensors[key])
            found = tf.saved_model.get_tensor_from_tensor_info(info)
            assert found.name == tensors[key].name
        info = tf.saved_model.build_tensor_info(tensors["sparse"])
        info.coo_sparse.values_tensor_name = info.coo_sparse.values_tensor_name.removeprefix("in/")
        info.coo_sparse.indices_tensor_name = "sparse/indices:0"
        shape = info.coo_sparse.dense_shape_tensor_name
        info.coo_sparse.dense_shape_tensor_name = shape.removeprefix("in/")
        sparse = tf.saved_model.utils.get_tensor_from_tensor_info(info, graph, "in")
        assert sparse.values is tensors["sparse"].values
        with pytest.raises(KeyError, match="nowhere"):
            tf.saved_model.get_tensor_from_tensor_info(tf.TensorInfo(name="nowhere:0"))
        with pytest.raises(ValueError, match=r"Invalid TensorInfo.encoding: None. Expected"):
            tf.saved_model.get_tensor_from_tensor_info(tf.TensorInfo())
