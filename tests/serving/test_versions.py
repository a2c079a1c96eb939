"""Versions come and go while requests are answered: policies, labels, configs, warm-up."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import grpc
import numpy as np
import pytest
import tensorflow
from tensorflow_serving.apis import model_management_pb2, predict_pb2, prediction_log_pb2

from dataflow.errors import InvalidArgumentError, NotFoundError
from dataflow.proto.serving_get_model_status_pb2 import ModelVersionStatus
from dataflow.serving.config import read_models
from dataflow.serving.manager import Manager
from dataflow.serving.options import Limits, Loading, ModelSource, Policy, ServerOptions
from tests.serving.models import PROGRAM, write_factor
from tests.serving.running import QUICK, Client, serving, until


def options(*models: ModelSource, **others: Any) -> ServerOptions:
    others = {"loading": QUICK, **others}
    return ServerOptions(models, rest_port=0, grpc_port=0, **others)


def states(client: Client, model: str = "m") -> dict[str, str]:
    told = client.get(f"/v1/models/{model}").json.get("model_version_status", ())
    return {each["version"]: each["state"] for each in told}


def copy(factors: Path, version: int, folder: Path) -> None:
    """Adds a version as one should: whole, at once."""
    folder.mkdir(exist_ok=True)
    shutil.copytree(factors / str(version), folder.parent / f"new-{version}")
    (folder.parent / f"new-{version}").rename(folder / str(version))


def test_versions_change_under_load_and_no_answer_is_lost(factors: Path, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    copy(factors, 1, folder)
    with serving(options(ModelSource("m", str(folder)))) as client:
        ended = threading.Event()
        answers: list[list[tuple[int, Any]]] = [[], [], []]

        def ask(found: list[tuple[int, Any]]) -> None:
            while not ended.is_set():
                reply = client.predict({"instances": [[1.0, 2.0]]})
                found.append((reply.status, reply.json.get("predictions")))

        def ask_by_rpc(found: list[tuple[int, Any]]) -> None:
            request = predict_pb2.PredictRequest()
            request.model_spec.name = "m"
            request.inputs["x"].CopyFrom(tensorflow.make_tensor_proto([[1.0, 2.0]]))
            with client.stubs() as (prediction, _):
                while not ended.is_set():
                    response = prediction.Predict(request, timeout=30)
                    found.append((200, [list(response.outputs["y"].float_val)]))

        threads = [
            threading.Thread(target=how, args=(each,))
            for how, each in zip((ask, ask, ask_by_rpc), answers, strict=True)
        ]
        for thread in threads:
            thread.start()
        try:
            for version in (2, 3):
                until(lambda: all(len(each) > 3 for each in answers))
                copy(factors, version, folder)
                new = version
                until(lambda: states(client).get(str(new)) == "AVAILABLE")  # noqa: B023
                for each in answers:
                    seen = len(each)
                    until(lambda: len(each) > seen + 3)  # noqa: B023
            shutil.rmtree(folder / "3")
            until(lambda: states(client) == {"1": "END", "2": "AVAILABLE", "3": "END"})
        finally:
            ended.set()
            for thread in threads:
                thread.join()
    for each in answers:
        factors_seen = [answer[0][0] for _, answer in each]
        assert {(status, str(answer)) for status, answer in each} <= {
            (200, str([[float(v), 2.0 * v]])) for v in (1, 2, 3)
        }
        assert factors_seen[0] == 1.0
        assert {1.0, 2.0, 3.0} == set(factors_seen)


def test_policies_choose_versions(factors: Path) -> None:
    models = (
        ModelSource("latest", str(factors), Policy(latest=2)),
        ModelSource("all", str(factors), Policy(all=True)),
        ModelSource("some", str(factors), Policy(specific=(1, 9))),
    )
    with serving(options(*models)) as client:
        assert set(states(client, "latest")) == {"2", "3"}
        assert set(states(client, "all")) == {"1", "2", "3"}
        assert set(states(client, "some")) == {"1"}
        body = {"instances": [[1, 1]]}
        assert client.predict(body, "all").json == {"predictions": [[3.0, 3.0]]}
        assert client.predict(body, "all", "/versions/2").json == {"predictions": [[2.0, 2.0]]}
        assert client.predict(body, "some").json == {"predictions": [[1.0, 1.0]]}


CONFIG = """
model_config_list {{
  config {{
    name: "m" base_path: "{folder}" model_platform: "tensorflow"
    model_version_policy {{ specific {{ versions: 1 versions: {second} }} }}
    version_labels {{ key: "stable" value: 1 }}
    version_labels {{ key: "new" value: {second} }}
  }}
}}
"""


def labelled(client: Client, label: str) -> float:
    reply = client.predict({"instances": [[1, 1]]}, rest=f"/labels/{label}")
    found: float = reply.json["predictions"][0][0]
    return found


def test_configs_are_read_again_and_labels_move(factors: Path, tmp_path: Path) -> None:
    path = tmp_path / "models.config"
    path.write_text(CONFIG.format(folder=factors, second=2))
    with serving(options(config_file=str(path), config_poll_seconds=0.02)) as client:
        assert (labelled(client, "stable"), labelled(client, "new")) == (1.0, 2.0)
        (state,) = client.get("/v1/models/m/labels/new").json["model_version_status"]
        assert state["version"] == "2"
        # What is no config leaves the former one, and is read again.
        path.write_text("nonsense")
        path.write_text(CONFIG.format(folder=factors, second=2).replace("value: 2", "value: 1"))
        until(lambda: labelled(client, "new") == 1.0)


def test_configs_come_by_rpc(factors: Path) -> None:
    request = model_management_pb2.ReloadConfigRequest()
    config = request.config.model_config_list.config.add(
        name="m", base_path=str(factors), model_platform="tensorflow"
    )
    config.version_labels["new"] = 3
    config.model_version_policy.specific.versions.extend([1, 2, 3])
    source = ModelSource("m", str(factors), Policy(specific=(1,)))
    with serving(options(source)) as client, client.stubs() as (_, models):
        # A label may only name what is loaded; until then the former config holds.
        with pytest.raises(grpc.RpcError) as info:
            models.HandleReloadConfigRequest(request, timeout=30)
        assert "not currently available for inference" in str(info.value)
        assert states(client) == {"1": "AVAILABLE"}
        config.version_labels.clear()
        assert models.HandleReloadConfigRequest(request, timeout=30).status.error_code == 0
        assert states(client) == {"1": "AVAILABLE", "2": "AVAILABLE", "3": "AVAILABLE"}
        config.version_labels["new"] = 2
        models.HandleReloadConfigRequest(request, timeout=30)
        assert labelled(client, "new") == 2.0
        config.name = "other"
        config.version_labels.clear()
        models.HandleReloadConfigRequest(request, timeout=30)
        assert client.predict({"instances": [[1, 1]]}).status == 404
        assert client.predict({"instances": [[1, 1]]}, "other").status == 200


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("model_config_list { config { name: 'a' } }", "must have a base_path"),
        ("model_config_list { config { base_path: '/' } }", "must have a name"),
        ("custom_model_config { }", "must have a model_config_list"),
        ("nonsense", "is no ModelServerConfig in text form"),
        (
            "model_config_list { config { name: 'a' base_path: 'b' }"
            " config { name: 'a' base_path: 'c' } }",
            "multiple times",
        ),
        (
            "model_config_list { config { name: 'a' base_path: 'b' model_platform: 'caffe' } }",
            "only tensorflow is served",
        ),
    ],
)
def test_configs_that_are_none_are_refused(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "models.config"
    path.write_text(text)
    with pytest.raises(InvalidArgumentError) as info:
        read_models(str(path))
    assert told in info.value.message


def write_warm_up(folder: Path, *values: Any) -> None:
    """What is asked when the version is loaded, as TensorFlow Serving's own logs have it."""
    extra = folder / "assets.extra"
    extra.mkdir()
    with tensorflow.io.TFRecordWriter(str(extra / "tf_serving_warmup_requests")) as writer:
        for value in values:
            log = prediction_log_pb2.PredictionLog()
            request = log.predict_log.request
            request.model_spec.name = "m"
            request.inputs["x"].CopyFrom(tensorflow.make_tensor_proto(value))
            writer.write(log.SerializeToString())


def test_versions_are_warmed_up_and_one_that_fails_leaves_the_others(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    write_factor(folder, 1, 5.0)
    write_warm_up(folder / "1", [[1.0, 2.0]], [[3.0, 4.0]])
    source = ModelSource("m", str(folder), Policy(latest=3))
    loading = Loading(poll_seconds=0.02, retry_seconds=0.02, max_retries=10**6)
    with serving(options(source, loading=loading)) as client:
        assert client.get("/readyz").status == 200
        write_factor(tmp_path, 2, 6.0)
        write_warm_up(tmp_path / "2", ["text"])
        (tmp_path / "2").rename(folder / "2")
        (folder / "3").mkdir()
        until(lambda: states(client) == {"1": "AVAILABLE", "2": "END", "3": "END"})
        assert client.predict({"instances": [[1, 1]]}).json == {"predictions": [[5.0, 5.0]]}
        told = client.get("/v1/models/m/versions/3").json["model_version_status"][0]["status"]
        assert "SavedModel" in told["error_message"]
        shutil.rmtree(folder / "3")
        shutil.rmtree(folder / "2" / "assets.extra")
        # A version that could not be loaded is tried again.
        until(lambda: states(client).get("2") == "AVAILABLE")
        assert client.predict({"instances": [[1, 1]]}).json == {"predictions": [[6.0, 6.0]]}


def test_a_version_is_tried_as_often_as_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "m" / "1").mkdir(parents=True)
    loading = Loading(retry_seconds=0.0, max_retries=2)
    manager = Manager([ModelSource("m", str(tmp_path / "m"))], loading)
    tries: list[int] = []
    opened = manager._open

    def note(name: str, number: int, path: str) -> Any:
        tries.append(number)
        return opened(name, number, path)

    monkeypatch.setattr(manager, "_open", note)
    for _ in range(8):
        manager.refresh()
    assert tries == [1, 1, 1]
    manager.stop()


def test_one_request_at_a_time_may_be_the_limit(factors: Path) -> None:
    limits = Limits(concurrent_requests=1)
    with serving(options(ModelSource("m", str(factors)), limits=limits)) as client:
        assert client.predict({"instances": [[1, 1]]}).status == 200


def test_a_version_serves_until_its_successor_does(factors: Path, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    copy(factors, 1, folder)
    manager = Manager([ModelSource("m", str(folder))], Loading())
    manager.refresh()
    (folder / "2").mkdir()
    manager.refresh()
    manager.refresh()
    assert manager.states("m")[2][0] == ModelVersionStatus.END
    assert manager.lease("m").model.version == 1
    copy(factors, 3, folder)
    manager.refresh()
    assert manager.lease("m").model.version == 3
    with pytest.raises(NotFoundError):
        manager.lease("m", 1)
    manager.stop()


def test_a_lease_keeps_its_version(factors: Path, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    copy(factors, 1, folder)
    manager = Manager([ModelSource("m", str(folder))], Loading())
    manager.refresh()
    lease = manager.lease("m")
    copy(factors, 2, folder)
    manager.refresh()
    assert manager.states("m")[2][0] == ModelVersionStatus.AVAILABLE
    assert manager.states("m")[1][0] == ModelVersionStatus.UNLOADING
    assert manager.lease("m").model.version == 2
    with pytest.raises(NotFoundError):
        manager.lease("m", 1)
    (found,) = lease.model.run({"x:0": np.ones([1, 2], np.float32)}, ["y:0"])
    assert found.tolist() == [[1.0, 1.0]]
    manager.refresh()
    assert manager.states("m")[1][0] == ModelVersionStatus.UNLOADING
    lease.release()
    lease.release()
    until(lambda: manager.states("m")[1][0] == ModelVersionStatus.END)
    with pytest.raises(RuntimeError, match="closed"):
        lease.model.run({"x:0": np.ones([1, 2], np.float32)}, ["y:0"])
    with pytest.raises(NotFoundError):
        manager.reload([ModelSource("m", str(tmp_path / "nowhere"))])
    assert manager.lease("m").model.version == 2
    manager.stop()


def test_models_of_tensorflow_2_are_served(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "net")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    with serving(options(ModelSource("net", str(tmp_path / "net")))) as client:
        reply = client.predict({"instances": [{"x": [1.0, 0.5], "key": "b"}]}, "net")
        (wanted,) = json.loads(done.stdout)
        assert reply.json == {"predictions": [{"y": wanted, "id": 6}]}
