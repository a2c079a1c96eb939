"""The command: what it says, how it ends, and what it refuses to take on."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from prometheus_client.parser import text_string_to_metric_families

from dataflow.command.main import main
from dataflow.errors import DeadlineExceededError, FailedPreconditionError, ResourceExhaustedError
from dataflow.serving.extras import load
from dataflow.serving.loaded import LoadedModel
from dataflow.serving.manager import Manager
from dataflow.serving.metrics import Metrics
from dataflow.serving.options import Limits, Loading, ModelSource, ServerOptions
from dataflow.serving.replicas import Replica
from dataflow.serving.service import Service
from tests.examples.running import ROOT
from tests.serving.running import Client, serving, until


@contextmanager
def started(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], Client, dict[str, Any]]]:
    """The command in a process of its own, once its models are loaded."""
    command = [sys.executable, "-m", "dataflow", "serve", *arguments, "--json"]
    process = subprocess.Popen(
        [*command, "--rest-api-port", "0", "--port", "0"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline() or "{}")
        assert told, process.communicate()[1]
        yield process, Client(told["rest"], told["grpc"]), told
    finally:
        process.kill()
        process.communicate()


def _read_until(connection: socket.socket, end: bytes) -> bytes:
    data = b""
    while end not in data:
        more = connection.recv(1 << 16)
        assert more, data
        data += more
    return data


def _refuses(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 5).close()
    except ConnectionRefusedError:
        return True
    return False


def test_what_has_begun_is_answered_after_sigterm(factors: Path) -> None:
    with started(str(factors), "--model-name", "m", "--versions", "2") as (process, client, told):
        assert told["host"] == "127.0.0.1"
        assert client.get("/healthz").status == 200
        assert client.predict({"instances": [[1, 2]]}).json == {"predictions": [[2.0, 4.0]]}
        with socket.create_connection(("127.0.0.1", client.rest_port), 60) as connection:
            body = b'{"instances": [[3, 4]]}'
            connection.sendall(
                b"POST /v1/models/m:predict HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
                b"Content-Length: %d\r\n\r\n" % len(body)
            )
            assert b"100 Continue" in _read_until(connection, b"\r\n\r\n")
            process.send_signal(signal.SIGTERM)
            until(lambda: _refuses(client.rest_port))
            until(lambda: _refuses(client.grpc_port))
            connection.sendall(body)
            answer = _read_until(connection, b"]]}")
            assert b" 200 OK" in answer and b"[[6.0, 8.0]]" in answer
        assert process.wait(60) == 0
        assert process.communicate()[1] == ""


def test_metrics_are_what_prometheus_reads(client: Client) -> None:
    assert client.predict({"instances": [[1, 2]]}).status == 200
    assert client.predict({"instances": [[1]]}).status == 400
    assert client.predict({"instances": [[1]]}, "never-there").status == 404
    text = client.get("/monitoring/prometheus/metrics").body.decode()
    families = {each.name: each for each in text_string_to_metric_families(text)}
    requests = {
        (each.labels["model_name"], each.labels["status"]): each.value
        for each in families[":tensorflow:serving:request_count"].samples
    }
    assert requests["m", "OK"] >= 1
    assert requests["m", "INVALID_ARGUMENT"] >= 1
    assert requests["", "NOT_FOUND"] >= 1
    assert "never-there" not in text
    latency = families[":tensorflow:serving:request_latency"]
    counts = [each.value for each in latency.samples if each.name.endswith("_bucket")]
    assert latency.type == "histogram"
    assert max(counts) >= 1


def test_requests_beyond_the_limit_and_late_answers_are_refused() -> None:
    async def scene() -> None:
        limits = Limits(concurrent_requests=1, timeout_seconds=0.01)
        service = Service(Manager([], Loading()), limits, None, Metrics())
        service.opened()
        with service.taking():
            with pytest.raises(ResourceExhaustedError), service.taking():
                pass
            assert service.taken == 1
        with service.taking():
            pass

        async def never() -> None:
            await asyncio.Event().wait()

        with pytest.raises(DeadlineExceededError):
            await service.within(never)
        service.close()

    asyncio.run(scene())


def test_an_error_of_the_servers_own_is_told_and_logged(
    factors: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A result that is not what its signature says, for instance."""

    def broken(self: Any, *arguments: Any) -> Any:
        raise KeyError("y")

    source = ModelSource("m", str(factors))
    with serving(ServerOptions((source,), rest_port=0, grpc_port=0)) as client:
        monkeypatch.setattr(LoadedModel, "run", broken)
        with caplog.at_level(logging.ERROR, "dataflow"):
            reply = client.predict({"instances": [[1, 1]]})
    assert (reply.status, reply.error) == (500, "KeyError: 'y'")
    assert "in broken" in caplog.text


def test_what_is_not_installed_is_named() -> None:
    with pytest.raises(FailedPreconditionError) as info:
        load("no_such_listener", "dataflow-ray[serve]", "Listening for HTTP")
    assert "pip install 'dataflow-ray[serve]'" in info.value.message


def test_ray_serve_is_named_if_it_is_not_there(
    factors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray.serve", None)
    result = CliRunner().invoke(main, ["serve", str(factors), "--target", "ray"])
    assert result.exit_code == 1
    assert "pip install 'ray[serve]'" in result.output


def test_a_replica_answers_with_what_crosses_processes(factors: Path) -> None:
    async def scene() -> None:
        replica = Replica(ServerOptions((ModelSource("m", str(factors)),)))
        body = b'{"instances": [[1, 2]]}'
        told = await asyncio.gather(
            *(replica.rest("POST", "/v1/models/m:predict", body) for _ in range(3)),
            replica.rest("POST", "/v1/models/q:predict", body),
        )
        assert [each["status"] for each in told] == [200, 200, 200, 404]
        assert json.loads(told[2]["body"]) == {"predictions": [[3.0, 6.0]]}
        failed = await replica.rpc("/tensorflow.serving.PredictionService/Predict", b"\xff")
        assert (failed["code"], failed["data"]) == (3, b"")
        assert await replica.is_ready()
        await replica.stop()

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "give MODEL or --model-config-file"),
        (("/nowhere",), "Could not find base path /nowhere"),
        (("/", "--versions", "newest"), "it is latest, latest:N, all, or numbers"),
        (("/", "--batching-parameters-file", "x"), "needs --enable-batching"),
        (("--model-config-file", "/nowhere"), "No such file"),
    ],
)
def test_mistakes_in_options_are_told(arguments: tuple[str, ...], told: str) -> None:
    result = CliRunner().invoke(main, ["serve", *arguments])
    assert result.exit_code != 0
    assert told in result.output
