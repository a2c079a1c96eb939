"""Who answers behind the listeners: this process, or replicas on a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from dataflow import errors
from dataflow.errors import OpError
from dataflow.serving.models import Models
from dataflow.serving.rest import RestReply, answer
from dataflow.serving.service import model_of, unexpected


@dataclass(frozen=True)
class RpcReply:
    """An answer to a message."""

    data: bytes = b""
    code: int = errors.OK
    message: str = ""
    model: str = ""


class Backend(Protocol):
    """What listeners ask. The calls return errors rather than raise them."""

    async def start(self) -> None:
        """Returns when the models are loaded."""
        ...

    async def stop(self) -> None:
        """Frees the models, when all requests are answered."""
        ...

    async def rest(self, method: str, path: str, body: bytes) -> RestReply:
        """Answers an HTTP request."""
        ...

    async def rpc(self, method: str, data: bytes) -> RpcReply:
        """Answers a message of a service's method."""
        ...

    async def is_ready(self) -> bool:
        """Whether each model can be asked."""
        ...


class LocalBackend:
    """Answers in this process.

    Args:
      models: The models, and the service that answers for them.
    """

    def __init__(self, models: Models) -> None:
        self._models = models
        self._service = models.service

    async def start(self) -> None:
        """Returns when the models are loaded."""
        await self._models.start()

    async def stop(self) -> None:
        """Frees the models, when all requests are answered."""
        await self._models.stop()

    async def rest(self, method: str, path: str, body: bytes) -> RestReply:
        """Answers an HTTP request."""
        return await answer(self._service, method, path, body)

    async def rpc(self, method: str, data: bytes) -> RpcReply:
        """Answers a message of a service's method."""
        model = ""
        try:
            request = self._service.parse(method, data)
            model = model_of(request)
            return RpcReply(await self._service.call(method, request), model=model)
        except OpError as error:
            code, message = error.error_code or errors.UNKNOWN, error.message
        except Exception as error:
            code, message = unexpected(error)
        # A name that nobody serves makes no series of metrics: names come from outside.
        return RpcReply(b"", code, message, "" if code == errors.NOT_FOUND else model)

    async def is_ready(self) -> bool:
        """Whether each model can be asked."""
        return self._service.ready
