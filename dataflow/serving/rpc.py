"""Listens for gRPC: TensorFlow Serving's services, by the names that its clients call."""

from __future__ import annotations

import time
from typing import Any

from dataflow import errors
from dataflow.serving.backend import Backend
from dataflow.serving.extras import SERVE, load
from dataflow.serving.metrics import Metrics
from dataflow.serving.options import Limits

SERVICES = {
    "tensorflow.serving.PredictionService": (
        *("Predict", "Classify", "Regress", "MultiInference"),
        "GetModelMetadata",
    ),
    "tensorflow.serving.ModelService": ("GetModelStatus", "HandleReloadConfigRequest"),
}
_MEASURED = frozenset({"Predict", "Classify", "Regress", "MultiInference"})


class RpcListener:
    """A port.

    Args:
      backend: Who answers.
      metrics: Are told.
      limits: How large a request may be, and how long the end may take.
    """

    def __init__(self, backend: Backend, metrics: Metrics, limits: Limits) -> None:
        self._grpc = load("grpc", SERVE, "Listening for gRPC")
        self._aio = load("grpc.aio", SERVE, "Listening for gRPC")
        self._backend = backend
        self._metrics = metrics
        self._limits = limits
        self._codes = {code.value[0]: code for code in self._grpc.StatusCode}
        self._server: Any = None

    async def start(self, host: str, port: int) -> int:
        """Listens, and returns the port.

        Raises:
          OSError: Somebody else does.
        """
        self._server = self._aio.server(
            options=[
                ("grpc.max_receive_message_length", self._limits.request_bytes),
                ("grpc.max_send_message_length", -1),
                ("grpc.so_reuseport", 0),
            ]
        )
        for service, methods in SERVICES.items():
            handlers = {
                name: self._grpc.unary_unary_rpc_method_handler(self._handler(service, name))
                for name in methods
            }
            self._server.add_generic_rpc_handlers(
                (self._grpc.method_handlers_generic_handler(service, handlers),)
            )
        where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        try:
            found: int = self._server.add_insecure_port(where)
        except RuntimeError as error:
            raise OSError(f"cannot listen on {where}: {error}") from None
        if not found:
            raise OSError(f"cannot listen on {where}")
        await self._server.start()
        return found

    async def stop(self) -> None:
        """Takes no new calls, and ends when those that were taken are answered."""
        if self._server is not None:
            await self._server.stop(self._limits.grace_seconds)

    def _handler(self, service: str, name: str) -> Any:
        path = f"/{service}/{name}"

        async def handle(data: bytes, context: Any) -> bytes:
            begin = time.perf_counter()
            reply = await self._backend.rpc(path, data)
            if name in _MEASURED:
                spent = 1e6 * (time.perf_counter() - begin)
                code = self._codes.get(reply.code, self._grpc.StatusCode.UNKNOWN)
                self._metrics.requests.add(reply.model, code.name)
                if reply.code == errors.OK:
                    self._metrics.latency.add(spent, reply.model, name, "GRPC")
            if reply.code != errors.OK:
                code = self._codes.get(reply.code, self._grpc.StatusCode.UNKNOWN)
                await context.abort(code, reply.message)
            return reply.data

        return handle
