"""A server in this process, asked over the network."""

from __future__ import annotations

import asyncio
import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import grpc
from tensorflow_serving.apis import model_service_pb2_grpc, prediction_service_pb2_grpc

from dataflow.serving.options import Loading, ServerOptions
from dataflow.serving.server import Server

QUICK = Loading(poll_seconds=0.02, retry_seconds=0.05)


@dataclass
class Reply:
    """An answer of HTTP."""

    status: int
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        told: str = self.json["error"]
        return told


class Client:
    """Asks one server."""

    def __init__(self, rest_port: int, grpc_port: int) -> None:
        self.rest_port = rest_port
        self.grpc_port = grpc_port

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> Reply:
        """Asks over HTTP."""
        connection = http.client.HTTPConnection("127.0.0.1", self.rest_port, timeout=60)
        try:
            data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
            connection.request(method, path, data, headers or {})
            answer = connection.getresponse()
            return Reply(answer.status, answer.read())
        finally:
            connection.close()

    def predict(self, body: Any, model: str = "m", rest: str = "") -> Reply:
        return self.ask("POST", f"/v1/models/{model}{rest}:predict", body)

    def get(self, path: str) -> Reply:
        return self.ask("GET", path)

    @contextmanager
    def stubs(self) -> Iterator[tuple[Any, Any]]:
        """The public clients' PredictionService and ModelService."""
        with grpc.insecure_channel(f"127.0.0.1:{self.grpc_port}") as channel:
            yield (
                prediction_service_pb2_grpc.PredictionServiceStub(channel),
                model_service_pb2_grpc.ModelServiceStub(channel),
            )


@contextmanager
def serving(options: ServerOptions) -> Iterator[Client]:
    """A server that has loaded its models; it ends at the end."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:

        async def start() -> Server:
            server = Server(options)
            await server.start()
            return server

        server = asyncio.run_coroutine_threadsafe(start(), loop).result(60)
        try:
            yield Client(server.rest_port or 0, server.grpc_port or 0)
        finally:
            asyncio.run_coroutine_threadsafe(server.stop(), loop).result(60)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def until(condition: Callable[[], bool]) -> None:
    """Waits until something holds; fails after a minute."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)
