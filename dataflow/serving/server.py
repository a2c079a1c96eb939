"""A server: its models, its listeners, and the signals that end it."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable

from dataflow.errors import InvalidArgumentError, OpError
from dataflow.serving.backend import Backend, LocalBackend
from dataflow.serving.config import read_models
from dataflow.serving.http import HttpListener
from dataflow.serving.loaded import versions_in
from dataflow.serving.manager import Manager
from dataflow.serving.metrics import Metrics
from dataflow.serving.options import ModelSource, ServerOptions
from dataflow.serving.rpc import RpcListener
from dataflow.serving.service import Service
from dataflow.values import logging

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
        self._models: Models | None = None
        if backend is None:
            self._models = Models(options, self.metrics)
            backend = LocalBackend(self._models.service)
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
        if self._models is not None:
            await self._models.start()

    async def stop(self) -> None:
        """Takes on no more, ends when what was asked is answered, and frees the models."""
        listeners = [each for each in (self._http, self._rpc) if each is not None]
        await asyncio.gather(*(each.stop() for each in listeners))
        if self._models is not None:
            await self._models.stop()


class Models:
    """The models of a process and who answers for them, as options say.

    Args:
      options: All about them.
      metrics: Are told.
    """

    def __init__(self, options: ServerOptions, metrics: Metrics) -> None:
        self._options = options
        sources = sources_of(options)
        self.manager = Manager(sources, options.loading)
        self.service = Service(self.manager, options.limits, options.batching, metrics)
        self._config_task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Loads them, and begins to watch the folders and the config."""
        await self.service.on_thread(self.manager.start)
        self.service.opened()
        if self._options.config_file and self._options.config_poll_seconds > 0:
            self._config_task = asyncio.get_running_loop().create_task(self._watch_config())

    async def stop(self) -> None:
        """Ends them."""
        if self._config_task is not None:
            self._config_task.cancel()
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, self.manager.stop)
        await loop.run_in_executor(None, self.service.close)

    async def _watch_config(self) -> None:
        seen, fault = _stamp(self._options.config_file), ""
        while True:
            await asyncio.sleep(self._options.config_poll_seconds)
            stamp = _stamp(self._options.config_file)
            if stamp == seen:
                continue
            try:
                sources = read_models(self._options.config_file)
                await self.service.on_thread(self.manager.reload, sources)
            except (OpError, OSError) as error:
                # Tried again: a label may name a version that is still being loaded.
                told = str(error)
                if told != fault:
                    logging.error("The config is not taken over: %s", told)
                fault = told
            else:
                seen, fault = stamp, ""


def sources_of(options: ServerOptions) -> tuple[ModelSource, ...]:
    """The models that options name.

    Raises:
      InvalidArgumentError: There are none.
      NotFoundError: The folder of one is not there.
      OSError: The config cannot be read.
    """
    sources = options.models
    if options.config_file:
        sources = read_models(options.config_file)
    if not sources:
        raise InvalidArgumentError(None, None, "There is no model to serve")
    for each in sources:
        versions_in(each.base_path)
    return sources


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


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
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    starting = loop.create_task(server.start())
    waiting = loop.create_task(ended.wait())
    await asyncio.wait({starting, waiting}, return_when=asyncio.FIRST_COMPLETED)
    try:
        if starting.done():
            starting.result()
            opened(server)
        await ended.wait()
    finally:
        waiting.cancel()
        if not starting.done():
            starting.cancel()
        await server.stop()
