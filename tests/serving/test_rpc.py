"""The gRPC services, asked by the public clients of TensorFlow Serving."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import grpc
import numpy as np
import pytest
import tensorflow
from tensorflow_serving.apis import (
    classification_pb2,
    get_model_metadata_pb2,
    get_model_status_pb2,
    inference_pb2,
    predict_pb2,
    regression_pb2,
)

from tests.serving.models import CLASSES, asked_of_tensorflow
from tests.serving.running import Client

A = np.array([[1.0, -2.5], [0.1, 3e7]], np.float32)
N = np.array([5, -(2**40)], np.int64)


def predict_request(model: str = "zoo", signature: str = "", **inputs: Any) -> Any:
    request = predict_pb2.PredictRequest()
    request.model_spec.name = model
    request.model_spec.signature_name = signature
    for key, value in inputs.items():
        request.inputs[key].CopyFrom(tensorflow.make_tensor_proto(value))
    return request


def code_and_text(call: Any, request: Any) -> tuple[str, str]:
    with pytest.raises(grpc.RpcError) as info:
        call(request, timeout=30)
    error: Any = info.value
    return error.code().name, error.details()


def test_predictions_are_tensorflows(client: Client, zoo: Path) -> None:
    with client.stubs() as (prediction, _):
        response = prediction.Predict(predict_request(a=A, n=N), timeout=30)
        request = predict_request(a=A, n=N)
        request.output_filter.append("twice")
        filtered = prediction.Predict(request, timeout=30)
    wanted = asked_of_tensorflow(zoo / "7", "serving_default", {"a": A, "n": N})
    assert set(response.outputs) == set(wanted)
    for key, value in wanted.items():
        np.testing.assert_array_equal(tensorflow.make_ndarray(response.outputs[key]), value)
    assert list(response.outputs["sum"].float_val) == wanted["sum"].ravel().tolist()
    spec = response.model_spec
    assert (spec.name, spec.version.value, spec.signature_name) == ("zoo", 7, "serving_default")
    assert list(filtered.outputs) == ["twice"]


@pytest.mark.parametrize(
    "value",
    [
        np.array([[b"a", b"\xff"]], object),
        np.float16([0.1, 65504]),
        np.array([True]),
        np.uint8(7),
        np.zeros([0, 3], np.int32),
        np.float64(0.1),
    ],
    ids=lambda value: str(value.dtype),
)
def test_each_type_comes_back(client: Client, value: Any) -> None:
    names = {"O": "string", "float16": "half", "float64": "double", "object": "string"}
    name = names.get(str(value.dtype), str(value.dtype))
    with client.stubs() as (prediction, _):
        response = prediction.Predict(predict_request("zoo", name, v=value), timeout=30)
    np.testing.assert_array_equal(tensorflow.make_ndarray(response.outputs["r"]), value)


def _fill(request: Any, signature: str, context: bool) -> list[bytes]:
    """Adds examples to a request, and gives what TensorFlow is to be fed."""
    request.model_spec.name = "zoo"
    request.model_spec.signature_name = signature
    held = request.input.example_list
    before = b""
    if context:
        held = request.input.example_list_with_context
        held.context.features.feature["count"].int64_list.value.append(9)
        before = held.context.SerializeToString()
    for age in (1.5, -4.0, 0.25):
        held.examples.add().features.feature["age"].float_list.value.append(age)
    return [before + each.SerializeToString() for each in held.examples]


@pytest.mark.parametrize("context", [False, True])
def test_classes_and_values_are_tensorflows(client: Client, zoo: Path, context: bool) -> None:
    classify = classification_pb2.ClassificationRequest()
    fed = _fill(classify, "classify", context)
    regress = regression_pb2.RegressionRequest()
    _fill(regress, "regress", context)
    multi = inference_pb2.MultiInferenceRequest(input=regress.input)
    for request, method in ((regress, "regress"), (classify, "classify")):
        multi.tasks.add(model_spec=request.model_spec, method_name=f"tensorflow/serving/{method}")
    with client.stubs() as (prediction, _):
        classified = prediction.Classify(classify, timeout=30)
        regressed = prediction.Regress(regress, timeout=30)
        both = prediction.MultiInference(multi, timeout=30)
    scores = asked_of_tensorflow(zoo / "7", "classify", {"inputs": fed})["scores"]
    values = asked_of_tensorflow(zoo / "7", "regress", {"inputs": fed})["outputs"]
    for each, row in zip(classified.result.classifications, scores, strict=True):
        assert [one.label.encode() for one in each.classes] == CLASSES
        np.testing.assert_allclose([one.score for one in each.classes], row, rtol=1e-6)
    assert [each.value for each in regressed.result.regressions] == values[:, 0].tolist()
    assert both.results[0].regression_result == regressed.result
    assert both.results[1].classification_result == classified.result
    assert both.results[1].model_spec == classified.model_spec


def test_states_and_signatures(client: Client) -> None:
    asked = get_model_metadata_pb2.GetModelMetadataRequest(metadata_field=["signature_def"])
    asked.model_spec.name = "zoo"
    status = get_model_status_pb2.GetModelStatusRequest(model_spec=asked.model_spec)
    with client.stubs() as (prediction, models):
        metadata = prediction.GetModelMetadata(asked, timeout=30)
        states = models.GetModelStatus(status, timeout=30)
    told = get_model_metadata_pb2.SignatureDefMap()
    assert metadata.metadata["signature_def"].Unpack(told)
    assert told.signature_def["regress"].method_name == "tensorflow/serving/regress"
    assert metadata.model_spec.version.value == 7
    (state,) = states.model_version_status
    assert (state.version, state.state, state.status.error_code) == (7, state.AVAILABLE, 0)


def test_mistakes_are_told(client: Client) -> None:
    with client.stubs() as (prediction, models):

        def of(*arguments: Any, **inputs: Any) -> tuple[str, str]:
            return code_and_text(prediction.Predict, predict_request(*arguments, **inputs))

        assert of("q") == ("NOT_FOUND", "Servable not found for request: Latest(q)")
        assert of("") == ("INVALID_ARGUMENT", "ModelSpec has no name specified.")
        assert of("m", "s") == ("FAILED_PRECONDITION", 'Serving signature key "s" not found.')
        assert of("zoo", a=A) == (
            "INVALID_ARGUMENT",
            "input size does not match signature: 1!=2 len({a}) != len({a,n}). Sent extra: {}. "
            "Missing but required: {n}.",
        )
        assert of("zoo", a=A, n=A) == (
            "INVALID_ARGUMENT",
            "Expects arg[1] to be int64 but float is provided",
        )
        code, text = of("zoo", a=A, q=N)
        assert code == "INVALID_ARGUMENT"
        assert text.startswith("input tensor alias not found in signature: q. Inputs expected")
        assert of("m", x=np.zeros([2, 3], np.float32))[1].startswith("input 'x' has shape [2,3]")
        request = predict_request("zoo", a=A, n=N)
        request.output_filter.extend(["sum", "none"])
        code, text = code_and_text(prediction.Predict, request)
        assert (code, text) == (
            "INVALID_ARGUMENT",
            "output tensor alias not found in signature: none Outputs expected to be in the set "
            "{sum,twice}.",
        )
        huge = predict_request("zoo", "double")
        huge.inputs["v"].dtype = 2
        huge.inputs["v"].double_val.append(1.0)
        huge.inputs["v"].tensor_shape.dim.add(size=10**12)
        assert code_and_text(prediction.Predict, huge)[0] == "INVALID_ARGUMENT"
        short = predict_request("zoo", "double", v=np.zeros(3))
        short.inputs["v"].tensor_content = b"123"
        assert code_and_text(prediction.Predict, short)[0] == "INVALID_ARGUMENT"
        large = predict_request("zoo", "double", v=np.zeros(200_000))
        assert code_and_text(prediction.Predict, large)[0] == "RESOURCE_EXHAUSTED"
        multi = inference_pb2.MultiInferenceRequest()
        assert code_and_text(prediction.MultiInference, multi)[0] == "INVALID_ARGUMENT"
        status = get_model_status_pb2.GetModelStatusRequest()
        assert code_and_text(models.GetModelStatus, status)[1] == "Missing ModelSpec"
        classify = classification_pb2.ClassificationRequest()
        classify.model_spec.name = "zoo"
        classify.model_spec.signature_name = "classify"
        assert code_and_text(prediction.Classify, classify)[1] == "Input is empty."
        classify.model_spec.signature_name = "regress"
        assert "method_name" in code_and_text(prediction.Classify, classify)[1]


def test_bytes_that_are_no_message_are_refused(client: Client) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{client.grpc_port}") as channel:
        call = channel.unary_unary("/tensorflow.serving.PredictionService/Predict")
        code, text = code_and_text(call, b"\xff\xff\xff")
        assert (code, "PredictRequest" in text) == ("INVALID_ARGUMENT", True)
        unknown = channel.unary_unary("/tensorflow.serving.PredictionService/Guess")
        assert code_and_text(unknown, b"")[0] == "UNIMPLEMENTED"
