"""The REST interface: values are TensorFlow's, and mistakes are told as TensorFlow Serving does."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.serving.models import CLASSES, asked_of_tensorflow, oracle
from tests.serving.running import Client

A = [[1.0, -2.5], [0.1, 3e7]]


def test_rows_of_named_tensors(client: Client, zoo: Path) -> None:
    rows = [{"a": A[0], "n": 5}, {"a": A[1], "n": -(2**40)}]
    reply = client.predict({"instances": rows}, "zoo")
    wanted = asked_of_tensorflow(zoo / "7", "serving_default", {"a": A, "n": [5, -(2**40)]})
    assert reply.status == 200
    found = reply.json["predictions"]
    sums = np.array([each["sum"] for each in found], np.float32)
    np.testing.assert_array_equal(sums, wanted["sum"])
    assert [each["twice"] for each in found] == wanted["twice"].tolist()


def test_columns_of_named_tensors(client: Client, zoo: Path) -> None:
    reply = client.predict({"inputs": {"a": A, "n": [1]}}, "zoo")
    wanted = asked_of_tensorflow(zoo / "7", "serving_default", {"a": A, "n": [1]})
    outputs = reply.json["outputs"]
    np.testing.assert_array_equal(np.array(outputs["sum"], np.float32), wanted["sum"])
    assert outputs["twice"] == [2]


@pytest.mark.parametrize("rest", ["", "/versions/3"])
def test_single_tensors_have_no_name(client: Client, rest: str) -> None:
    assert client.predict({"instances": A}, rest=rest).json == {
        "predictions": [[3.0, -7.5], [0.3, 90000000.0]]
    }
    assert client.predict({"inputs": A}, rest=rest).json == {
        "outputs": [[3.0, -7.5], [0.3, 90000000.0]]
    }


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("int32", [[1, -(2**31)], [2**31 - 1, 0]]),
        ("uint8", [0, 255]),
        ("int64", 2**63 - 1),
        ("bool", [[True], [False]]),
        ("double", [0.1, 1e300, 1 / 3]),
        ("half", [0.1, 65504.0]),
        ("bfloat16", [0.5, -2.0]),
        ("string", [["a", "é"], ["", "{}"]]),
        ("int32", []),
        ("string", "alone"),
    ],
)
def test_each_type_comes_back(client: Client, kind: str, value: Any) -> None:
    reply = client.predict({"signature_name": kind, "inputs": value}, "zoo")
    assert reply.status == 200, reply.body
    dtype = getattr(oracle, kind).as_numpy_dtype
    found = reply.json["outputs"]
    np.testing.assert_array_equal(np.array(found, dtype), np.array(value, dtype))


def test_floats_are_as_short_as_they_can_be(client: Client) -> None:
    numbers = np.random.default_rng(3).standard_normal(400).astype(np.float32)
    spread = numbers * np.float32(10) ** np.repeat(np.arange(-20, 20), 10).astype(np.float32)
    values = np.concatenate([spread, np.float32([0, -0.0, 1e-45, 1.1e38, 16777216])])
    rows = values.reshape(-1, 1).repeat(2, 1)
    reply = client.predict({"instances": rows.tolist()}, rest="/versions/3")
    wanted = rows * np.float32(3)
    found = np.array(reply.json["predictions"])
    np.testing.assert_array_equal(found.astype(np.float32), wanted)
    finite = wanted[(np.abs(wanted) < 1e15) & (np.abs(wanted) > 1e-12)]
    written = found[(np.abs(wanted) < 1e15) & (np.abs(wanted) > 1e-12)]
    assert written.tolist() == [float(str(each)) for each in finite]


def test_infinities_and_nans_are_written_and_read(client: Client) -> None:
    body = b'{"instances": [[Infinity, -Infinity], [NaN, 1.0]]}'
    reply = client.predict(body)
    assert b"NaN" in reply.body and b"-Infinity" in reply.body
    np.testing.assert_array_equal(
        np.array(reply.json["predictions"]), [[np.inf, -np.inf], [np.nan, 3.0]]
    )


def test_bytes_are_base64_by_the_name_of_the_output(client: Client) -> None:
    raw = bytes(range(256))
    rows = [{"b64": base64.b64encode(raw).decode()}, "text"]
    reply = client.predict({"signature_name": "binary", "instances": rows}, "zoo")
    assert reply.json == {"predictions": [{"b64": "AAE="}, {"b64": "dGU="}]}
    reply = client.predict({"signature_name": "text", "inputs": {"text": ["é", "x"]}}, "zoo")
    assert reply.json["outputs"]["out"] == ["é", "x"]
    assert reply.json["outputs"]["out_bytes"] == [{"b64": "w6k="}, {"b64": "eA=="}]
    unpadded = {"signature_name": "text", "inputs": [{"b64": "w6k"}]}
    assert client.predict(unpadded, "zoo").json["outputs"]["out"] == ["é"]


EXAMPLES: list[dict[str, Any]] = [
    {"age": 2.5, "count": 4, "kind": "abc"},
    {"age": [-1.0], "kind": {"b64": "AAE="}},
]


def _serialized(examples: list[dict[str, Any]]) -> list[bytes]:
    found = []
    for each in examples:
        example = oracle.train.Example()
        features = example.features.feature
        features["age"].float_list.value.append(np.ravel(each["age"])[0])
        if "count" in each:
            features["count"].int64_list.value.append(each["count"])
        kind = each["kind"]
        raw = b"\0\1" if isinstance(kind, dict) else kind.encode()
        features["kind"].bytes_list.value.append(raw)
        found.append(example.SerializeToString())
    return found


def test_classes(client: Client, zoo: Path) -> None:
    body = {"signature_name": "classify", "examples": EXAMPLES}
    reply = client.ask("POST", "/v1/models/zoo:classify", body)
    wanted = asked_of_tensorflow(zoo / "7", "classify", {"inputs": _serialized(EXAMPLES)})
    found = reply.json["results"]
    assert [[label for label, _ in each] for each in found] == [[c.decode() for c in CLASSES]] * 2
    scores = np.array([[score for _, score in each] for each in found], np.float32)
    np.testing.assert_allclose(scores, wanted["scores"], rtol=1e-6)
    reply = client.ask("POST", "/v1/models/zoo:classify", {**body, "signature_name": "scores"})
    assert [[label for label, _ in each] for each in reply.json["results"]] == [[""] * 3] * 2


def test_values_of_examples_with_a_context(client: Client, zoo: Path) -> None:
    body = {
        "signature_name": "regress",
        "context": {"count": 11},
        "examples": [{"age": each["age"], "kind": each["kind"]} for each in EXAMPLES],
    }
    reply = client.ask("POST", "/v1/models/zoo/versions/7:regress", body)
    full = [{**each, "count": 11} for each in EXAMPLES]
    wanted = asked_of_tensorflow(zoo / "7", "regress", {"inputs": _serialized(full)})
    assert reply.json["results"] == wanted["outputs"][:, 0].tolist()


def test_states_and_signatures(client: Client, zoo: Path) -> None:
    state = {"state": "AVAILABLE", "status": {"error_code": "OK", "error_message": ""}}
    wanted = {"model_version_status": [{"version": "7", **state}]}
    for path in ("/v1/models/zoo", "/v1/models/zoo/versions/7", "/V1/MODELS/zoo"):
        assert client.get(path).json == wanted
    found = client.get("/v1/models/zoo/metadata").json
    assert found["model_spec"] == {"name": "zoo", "version": "7", "signature_name": ""}
    told = found["metadata"]["signature_def"]["signature_def"]
    assert told["regress"]["method_name"] == "tensorflow/serving/regress"
    assert told["serving_default"]["inputs"]["n"]["dtype"] == "DT_INT64"
    dims = told["serving_default"]["inputs"]["a"]["tensor_shape"]["dim"]
    assert [dim["size"] for dim in dims] == ["-1", "2"]


NOT_FOUND = "Servable not found for request: "
MISTAKES = [
    ("m", b"", 400, "JSON Parse error: The document is empty"),
    ("m", b"{", 400, "JSON Parse error: Missing a name for object member. at offset: 1"),
    ("m", b'{"instances": [[1, 2]', 400, "JSON Parse error: Missing a comma or ]"),
    ("m", b'{"instances": x}', 400, "JSON Parse error: Invalid value. at offset: 14"),
    ("m", b'{"instances": ["\xff"]}', 400, "JSON Parse error: Invalid encoding"),
    ("m", b"[" * 100_000, 400, "JSON Parse error: "),
    ("m", b"[1]", 400, "JSON Value: [1] Is not object"),
    ("m", b"{}", 400, "Missing 'inputs' or 'instances' key"),
    ("m", {"instances": [], "inputs": []}, 400, "expecting only one of 'inputs' or 'instances'"),
    ("m", {"instances": 1}, 400, "Excepting 'instances' to be an list/array"),
    ("m", {"instances": []}, 400, "No values in 'instances' array"),
    ("m", {"signature_name": 1, "instances": [1]}, 400, "key must be a string value."),
    ("m", {"signature_name": "s", "inputs": 1}, 400, '"s" not found in signature def'),
    ("m", {"instances": [["a", 1]]}, 400, "Type: String is not of expected type: float"),
    ("m", {"instances": [[True, 1]]}, 400, "Type: True is not of expected type: float"),
    ("m", {"instances": [[None, 1]]}, 400, "Type: Null is not of expected type: float"),
    ("m", {"instances": [[1e39, 1]]}, 400, "to float without loss of precision."),
    ("m", {"instances": [[16777217, 1]]}, 400, "to float without loss of precision."),
    ("m", {"instances": [[1, 2], [1]]}, 400, "Failed to process element: 1 of 'instances' list"),
    ("m", {"instances": [[1, 2], [1]]}, 400, "Expecting tensor size: 2 but got: 1"),
    ("m", {"instances": [[[1, 2]], [[1], [2]]]}, 400, "Expecting shape [1,2] but got: [2,1]"),
    ("m", {"instances": [[1, [2]]]}, 400, "Encountered list at unexpected level: 1 expected < 1"),
    ("m", {"instances": [[[1], 2]]}, 400, "found at incorrect level: 2 in the JSON DOM."),
    ("m", {"inputs": [[1, 2], [3]]}, 400, "unexpected size: 1 at level: 1 expected size: 2"),
    ("m", {"instances": [[1, 2, 3]]}, 400, "has shape [1,3], but the signature expects [?,2]"),
    ("m", {"inputs": {"y": [[1, 2]]}}, 400, "Missing named input: x in 'inputs' object."),
    ("m", {"instances": [{"b64": "AA"}]}, 400, "Type: Object is not of expected type: float"),
    ("zoo", {"instances": [1]}, 400, "instances is a plain list, but expecting list of objects"),
    ("zoo", {"inputs": [1]}, 400, "inputs is a plain value/list, but expecting an object"),
    ("zoo", {"instances": [{"a": [1, 2]}]}, 400, "keys must be equal to: a,n"),
    ("zoo", {"instances": [{"a": [1, 2], "n": 1}, [1]]}, 400, "got list at item 1 of input list"),
    ("zoo", {"instances": [{"a": [1, 2], "n": 1, "q": 1}]}, 400, "not have named input: q"),
    ("zoo", {"instances": [{"a": [1, 2], "n": 0.5}]}, 400, "not of expected type: int64"),
    ("zoo", {"signature_name": "uint8", "inputs": [256]}, 400, "not of expected type: uint8"),
    ("zoo", {"signature_name": "text", "inputs": [{"b64": "?"}]}, 400, "Unable to base64 decode"),
    ("zoo", {"signature_name": "text", "inputs": [{"x": 1}]}, 400, "correctly for base64 data"),
    ("zoo", {"signature_name": "text", "inputs": [1]}, 400, "not of expected type: string"),
    ("m", {"signature_name": "total", "instances": A}, 400, "total has no shape information"),
    (
        "m",
        {"signature_name": "numbers", "inputs": ["q"]},
        400,
        "not correctly convert string: q",
    ),
    ("q", {"instances": [1]}, 404, f"{NOT_FOUND}Latest(q)"),
    ("m/versions/9", {"instances": [1]}, 404, f"{NOT_FOUND}Specific(m, 9)"),
    ("m/labels/old", {"instances": [1]}, 400, "Unrecognized servable version label: old"),
    ("m/versions/" + "9" * 30, b"{}", 400, "Failed to convert version: "),
    ("m", b'{"instances": [[' + b"1" * 5000 + b",1]]}", 400, ""),
]


@pytest.mark.parametrize(("model", "body", "status", "text"), MISTAKES)
def test_mistakes_are_told(client: Client, model: str, body: Any, status: int, text: str) -> None:
    reply = client.predict(body, model)
    assert (reply.status, text in reply.error) == (status, True), reply.error
    assert list(reply.json) == ["error"]


@pytest.mark.parametrize(
    ("api", "body", "text"),
    [
        ("classify", {}, "key 'examples' is expected and was not found"),
        ("classify", {"examples": {}}, "'examples' value to be an list/array"),
        ("classify", {"examples": []}, "'examples' value is an empty array"),
        ("regress", {"examples": [1]}, "Example must be JSON object but got JSON Number"),
        ("regress", {"examples": [{"a": None}]}, "unexpected JSON type: Null"),
        ("regress", {"examples": [{"a": [[1]]}]}, "unexpected JSON type: Array"),
        ("regress", {"examples": [{"a": [1, 0.5]}]}, "Unexpected element type in feature: a"),
        ("regress", {"examples": [{"a": 2**63}]}, "uint64 element. Only int64 is supported."),
        ("regress", {"examples": [{"age": 1.0}]}, "method_name to be tensorflow/serving/regress"),
        (
            "regress",
            {"signature_name": "regress", "examples": [{"age": 1}]},
            "Data types don't match",
        ),
    ],
)
def test_mistakes_in_examples_are_told(client: Client, api: str, body: Any, text: str) -> None:
    reply = client.ask("POST", f"/v1/models/zoo:{api}", body)
    assert reply.status == 400
    assert text in reply.error


@pytest.mark.parametrize(
    ("method", "path", "status", "text"),
    [
        ("GET", "/v1/models", 400, "Missing model name in request."),
        ("GET", "/v1/models/m:predict", 400, "Malformed request: GET /v1/models/m:predict"),
        ("POST", "/v1/models/m:guess", 400, "Malformed request: POST /v1/models/m:guess"),
        ("PUT", "/v1/models/m", 400, "Malformed request: PUT /v1/models/m"),
        ("GET", "/v1/models/none", 404, "Could not find any versions of model none"),
        ("GET", "/v1/models/m/versions/9", 404, "Could not find version 9 of model m"),
        ("GET", "/v1/models/none/metadata", 404, f"{NOT_FOUND}Latest(none)"),
        ("GET", "/elsewhere", 404, "Not Found"),
    ],
)
def test_paths_that_are_none(
    client: Client, method: str, path: str, status: int, text: str
) -> None:
    reply = client.ask(method, path)
    assert reply.status == status
    assert text in reply.error


GZIP = {"Content-Encoding": "gzip"}


def test_bodies_may_be_compressed(client: Client) -> None:
    body = gzip.compress(b'{"instances": [[1, 2]]}')
    path = "/v1/models/m:predict"
    assert client.ask("POST", path, body, GZIP).json == {"predictions": [[3.0, 6.0]]}
    for bad in (b"no gzip", body[:-9], b""):
        reply = client.ask("POST", path, bad, GZIP)
        assert (reply.status, "not in the form of gzip" in reply.error) == (400, True)
    assert client.ask("POST", path, body, {"Content-Encoding": "br"}).status == 415


def test_a_body_that_is_too_large_is_refused(client: Client) -> None:
    large = json.dumps({"instances": [[0.0] * 2] * 200_000}).encode()
    for body, headers in ((large, {}), (gzip.compress(large), GZIP)):
        reply = client.ask("POST", "/v1/models/m:predict", body, headers)
        assert reply.status == 413
        assert reply.error == "The request is larger than 1048576 bytes"
    small = json.dumps({"instances": [[1, 2]]}).encode()
    for spaces, status in ((0, 200), (1, 413)):
        body = small.ljust((1 << 20) + spaces)
        assert client.ask("POST", "/v1/models/m:predict", body).status == status
        assert (
            client.ask("POST", "/v1/models/m:predict", gzip.compress(body), GZIP).status == status
        )
    assert client.predict({"instances": [[1, 2]]}).status == 200
