"""The models of a process, as options say: loaded, watched, and changed by their config."""

from __future__ import annotations

import asyncio
import os

from dataflow.errors import InvalidArgumentError, OpError
from dataflow.serving.config import read_models
from dataflow.serving.loaded import versions_in
from dataflow.serving.manager import Manager, Opener
from dataflow.serving.metrics import Metrics
from dataflow.serving.options import ModelSource, ServerOptions
from dataflow.serving.service import Service
from dataflow.values import logging


class Models:
    """The models of a process and who answers for them, as options say.

    Args:
      options: All about them.
      metrics: Are told.
      opener: Loads a version; see `Manager`.

    Raises:
      InvalidArgumentError: There is no model.
      NotFoundError: The folder of one is not there.
      OSError: The config cannot be read.
    """

    def __init__(
        self, options: ServerOptions, metrics: Metrics, opener: Opener | None = None
    ) -> None:
        self._options = options
        sources = sources_of(options)
        self.manager = Manager(sources, options.loading, opener)
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
