"""Spreads a server over a cluster: Ray Serve's replicas answer, this process listens.

Each replica has all models, and watches their folders itself, so that these must be there on each
machine. A new config goes to all of them by its file only: a call reaches one. What a replica was
asked when it died is asked of another: whatever the models had changed died with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import os
from typing import Any, Final

from dataflow import errors
from dataflow.serving.backend import LocalBackend, RpcReply
from dataflow.serving.extras import RAY_SERVE, load
from dataflow.serving.metrics import Metrics
from dataflow.serving.models import Models
from dataflow.serving.options import ServerOptions
from dataflow.serving.rest import HTTP_STATUS, RestReply
from dataflow.serving.rest_messages import error_json
from dataflow.session import back_end

_RELOAD: Final = "/tensorflow.serving.ModelService/HandleReloadConfigRequest"
_READY_SECONDS: Final = 1.0
"""How long a replica may take to say whether it is ready."""
_DEATHS: Final = 5
"""How many replicas may die of one request before it fails."""
_PAUSE_SECONDS: Final = 0.05
"""Until another one is asked: whoever chooses them may not know of the death yet."""


class Replica:
    """Has the models of a server in a process of its own.

    Args:
      options: The server's.
    """

    def __init__(self, options: ServerOptions) -> None:
        self._backend = LocalBackend(Models(options, Metrics()))
        self._started: asyncio.Future[None] | None = None

    async def start(self) -> None:
        """Returns when the models are loaded."""
        if self._started is None:
            self._started = asyncio.ensure_future(self._backend.start())
        await asyncio.shield(self._started)

    async def rest(self, method: str, path: str, body: bytes) -> dict[str, Any]:
        """Answers an HTTP request."""
        await self.start()
        return dataclasses.asdict(await self._backend.rest(method, path, body))

    async def rpc(self, method: str, data: bytes) -> dict[str, Any]:
        """Answers a message."""
        await self.start()
        return dataclasses.asdict(await self._backend.rpc(method, data))

    async def is_ready(self) -> bool:
        """Whether the models can be asked."""
        await self.start()
        return await self._backend.is_ready()

    async def stop(self) -> None:
        """Frees the models."""
        await self._backend.stop()


class ReplicaBackend:
    """Asks replicas, of which Ray Serve chooses the less busy ones.

    Args:
      options: The server's.
      replicas: How many.

    Raises:
      FailedPreconditionError: Ray Serve is not installed; the error names what to install.
    """

    def __init__(self, options: ServerOptions, replicas: int) -> None:
        self._serve = load("ray.serve", RAY_SERVE, "Serving with replicas")
        self._name = f"dataflow-serving-{os.getpid()}"
        self._options = options
        self._replicas = replicas
        self._handle: Any = None
        self._uses = contextlib.ExitStack()
        self._died = load("ray.exceptions", RAY_SERVE, "Serving with replicas").RayActorError

    async def start(self) -> None:
        """Starts the replicas, and returns when they have loaded the models."""
        await asyncio.get_running_loop().run_in_executor(None, self._deploy)
        await self._handle.is_ready.remote()

    def _deploy(self) -> None:
        limits = self._options.limits
        deployment = self._serve.deployment(
            name="replica",
            num_replicas=self._replicas,
            max_ongoing_requests=limits.concurrent_requests,
            graceful_shutdown_timeout_s=limits.grace_seconds,
            logging_config={"enable_access_log": False},
        )(Replica)
        # Ray Serve by itself joins whatever Ray ran last on this machine.
        self._uses.enter_context(back_end.ray_for("Serving with replicas"))
        # No proxy of Ray Serve's: this process listens.
        self._serve.start(proxy_location="Disabled")
        self._handle = self._serve.run(
            deployment.bind(self._options), name=self._name, route_prefix=None
        )

    async def stop(self) -> None:
        """Ends the replicas."""
        await asyncio.get_running_loop().run_in_executor(None, self._delete)

    def _delete(self) -> None:
        with self._uses:
            if self._handle is not None:
                self._serve.delete(self._name)

    async def rest(self, method: str, path: str, body: bytes) -> RestReply:
        """Answers an HTTP request."""
        try:
            return RestReply(**await self._asked("rest", method, path, body))
        except Exception as error:
            code, message = _lost(error)
            return RestReply(HTTP_STATUS[code], error_json(message), code=code)

    async def rpc(self, method: str, data: bytes) -> RpcReply:
        """Answers a message of a service's method."""
        if method == _RELOAD:
            told = "with replicas, models change by --model-config-file, which each of them reads"
            return RpcReply(code=errors.UNIMPLEMENTED, message=told)
        try:
            return RpcReply(**await self._asked("rpc", method, data))
        except Exception as error:
            code, message = _lost(error)
            return RpcReply(code=code, message=message)

    async def _asked(self, call: str, *arguments: Any) -> dict[str, Any]:
        """A replica's answer, or another one's if it dies meanwhile."""
        for _ in range(_DEATHS):
            with contextlib.suppress(self._died):
                return await self._answer(call, *arguments)
            await asyncio.sleep(_PAUSE_SECONDS)
        return await self._answer(call, *arguments)

    async def _answer(self, call: str, *arguments: Any) -> dict[str, Any]:
        answer: dict[str, Any] = await getattr(self._handle, call).remote(*arguments)
        return answer

    async def is_ready(self) -> bool:
        """Whether each model can be asked."""
        with contextlib.suppress(Exception):
            ready: bool = await asyncio.wait_for(self._ask_ready(), _READY_SECONDS)
            return ready
        return False

    async def _ask_ready(self) -> bool:
        ready: bool = await self._handle.is_ready.remote()
        return ready


def _lost(error: Exception) -> tuple[int, str]:
    """The code and the text for a replica that did not answer."""
    return errors.UNAVAILABLE, f"A replica did not answer: {type(error).__name__}: {error}"
