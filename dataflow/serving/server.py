"""A server: its models, its listeners, and the signals that end it."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

from dataflow.serving.backend import Backend, LocalBackend
from dataflow.serving.http import HttpListener
from dataflow.serving.metrics import Metrics
from dataflow.serving.models import Models
from dataflow.serving.options import ServerOptions
from dataflow.serving.rpc import RpcListener

Opened = Callable[["Server"], None]


class Server:
    """Serves models; lives on one event loop.

    Args:
      options: All about it.
      backend: Who answers, if not this process.

    Raises:
      InvalidArgumentError: There is no model.
      OpError: A config is malformed, or a library is not installed.
      OSError: A config cannot be read.
    """

    def __init__(self, options: ServerOptions, backend: Backend | None = None) -> None:
        self._options = options
        self.metrics = Metrics()
        if backend is None:
            backend = LocalBackend(Models(options, self.metrics))
        self._backend = backend
        limits = options.limits
        self._http = self._rpc = None
        if options.rest_port is not None:
            self._http = HttpListener(backend, self.metrics, limits)
        if options.grpc_port is not None:
            self._rpc = RpcListener(backend, self.metrics, limits)
        self.rest_port: int | None = None
        self.grpc_port: int | None = None

    async def start(self) -> None:
        """Listens, and loads the models; what is asked meanwhile waits for them.

        Raises:
          OSError: A port is taken.
        """
        host = self._options.host
        if self._http is not None and self._options.rest_port is not None:
            self.rest_port = await self._http.start(host, self._options.rest_port)
        if self._rpc is not None and self._options.grpc_port is not None:
            self.grpc_port = await self._rpc.start(host, self._options.grpc_port)
        await self._backend.start()

    async def stop(self) -> None:
        """Takes on no more, ends when what was asked is answered, and frees the models."""
        listeners = [each for each in (self._http, self._rpc) if each is not None]
        await asyncio.gather(*(each.stop() for each in listeners))
        await self._backend.stop()


def serve(
    options: ServerOptions,
    opened: Opened = lambda server: None,
    backend: Callable[[], Backend] | None = None,
) -> None:
    """Serves until SIGTERM or SIGINT, and then ends in order.

    Args:
      options: All about the server.
      opened: Is called when the models are loaded.
      backend: Makes who answers, if not this process.

    Raises:
      OpError: The options are wrong, or a library is not installed.
      OSError: A port is taken.
    """
    asyncio.run(_serve(options, opened, backend))


async def _serve(
    options: ServerOptions, opened: Opened, backend: Callable[[], Backend] | None
) -> None:
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    server = Server(options, backend() if backend is not None else None)

    def watch_signals() -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, ended.set)

    watch_signals()
    starting = loop.create_task(server.start())
    waiting = loop.create_task(ended.wait())
    await asyncio.wait({starting, waiting}, return_when=asyncio.FIRST_COMPLETED)
    try:
        if starting.done():
            starting.result()
            # Ray, which replicas start, has put its own in their place: it aborts after 3 s.
            watch_signals()
            opened(server)
        await ended.wait()
    finally:
        waiting.cancel()
        if not starting.done():
            starting.cancel()
        await server.stop()
