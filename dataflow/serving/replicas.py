"""Spreads a server over a cluster: Ray Serve's replicas answer, this process listens."""

from __future__ import annotations

import dataclasses
from typing import Any

from dataflow.serving.backend import LocalBackend
from dataflow.serving.metrics import Metrics
from dataflow.serving.options import ServerOptions

_NAME = "dataflow-serving"


class Replica:
    """Has the models of a server in a process of its own, and watches their folders itself.

    Args:
      options: The server's.
    """

    def __init__(self, options: ServerOptions) -> None:
        from dataflow.serving.server import Models

        self._models = Models(options, Metrics())
        self._backend = LocalBackend(self._models.service)
        self._started: Any = None

    async def _start(self) -> None:
        import asyncio

        if self._started is None:
            loop = asyncio.get_running_loop()
            self._started = loop.create_task(self._models.start())
        await asyncio.shield(self._started)

    async def rest(self, method: str, path: str, body: bytes) -> dict[str, Any]:
        """Answers an HTTP request."""
        await self._start()
        return dataclasses.asdict(await self._backend.rest(method, path, body))

    async def rpc(self, method: str, data: bytes) -> dict[str, Any]:
        """Answers a message."""
        await self._start()
        return dataclasses.asdict(await self._backend.rpc(method, data))

    async def is_ready(self) -> bool:
        """Whether its models can be asked."""
        await self._start()
        return await self._backend.is_ready()
