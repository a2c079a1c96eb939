"""Listens for HTTP with aiohttp: the REST paths, health, readiness and metrics."""

from __future__ import annotations

import asyncio
import contextlib
import time
import zlib
from typing import Any

from dataflow import errors
from dataflow.serving.backend import Backend
from dataflow.serving.extras import SERVE, load
from dataflow.serving.metrics import Metrics
from dataflow.serving.options import Limits
from dataflow.serving.rest import RestReply
from dataflow.serving.rest_messages import error_json

METRICS_PATH = "/monitoring/prometheus/metrics"
_LAST_SECONDS = 1.0
"""For answers that are written to sockets at the end."""
_NAMES = {
    getattr(errors, name): name
    for name in dir(errors)
    if name.isupper() and isinstance(getattr(errors, name), int)
}


class HttpListener:
    """A port.

    Args:
      backend: Who answers.
      metrics: Are told, and shown.
      limits: How large a request may be, and how long the end may take.
    """

    def __init__(self, backend: Backend, metrics: Metrics, limits: Limits) -> None:
        self._web = load("aiohttp.web", SERVE, "Listening for HTTP")
        self._backend = backend
        self._metrics = metrics
        self._limits = limits
        self._runner: Any = None
        self._site: Any = None
        self.stopping = False
        self._taken = 0
        """Requests whose first line has come, and whose answer has not gone."""
        self._idle = asyncio.Event()
        self._idle.set()

    async def start(self, host: str, port: int) -> int:
        """Listens, and returns the port.

        Raises:
          OSError: Somebody else does.
        """
        web = self._web
        app = web.Application(client_max_size=self._limits.request_bytes)
        app.router.add_get("/healthz", self._health)
        app.router.add_get("/readyz", self._readiness)
        app.router.add_get(METRICS_PATH, self._show_metrics)
        app.router.add_route("*", "/{path:.*}", self._rest)
        self._runner = web.AppRunner(
            app, access_log=None, auto_decompress=False, shutdown_timeout=_LAST_SECONDS
        )
        await self._runner.setup()
        self._site = web.TCPSite(self._runner, host, port)
        await self._site.start()
        found: int = self._runner.addresses[0][1]
        return found

    async def stop(self) -> None:
        """Takes no new connections, and ends when what was asked is answered."""
        self.stopping = True
        if self._site is not None:
            await self._site.stop()
            # Cleaning up drops what is still being sent, so requests are waited for before.
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._idle.wait(), self._limits.grace_seconds)
        if self._runner is not None:
            await self._runner.cleanup()

    async def _health(self, request: Any) -> Any:
        return self._web.Response(text="ok\n")

    async def _readiness(self, request: Any) -> Any:
        ready = not self.stopping and await self._backend.is_ready()
        text = "ok\n" if ready else "not ready\n"
        return self._web.Response(text=text, status=200 if ready else 503)

    async def _show_metrics(self, request: Any) -> Any:
        return self._web.Response(text=self._metrics.text(), content_type="text/plain")

    async def _rest(self, request: Any) -> Any:
        self._taken += 1
        self._idle.clear()
        try:
            return await self._reply(request)
        finally:
            self._taken -= 1
            if not self._taken:
                self._idle.set()

    async def _reply(self, request: Any) -> Any:
        begin = time.perf_counter()
        path = request.rel_url.raw_path
        if not path.lower().startswith("/v1/"):
            reply = RestReply(404, error_json(f"Not Found: {path}"), code=errors.NOT_FOUND)
        else:
            reply = await self._answer(request, path)
        spent = 1e6 * (time.perf_counter() - begin)
        if reply.api in ("predict", "classify", "regress"):
            # A name that nobody serves makes no series of its own: names come from outside.
            model = reply.model if reply.code != errors.NOT_FOUND else ""
            self._metrics.requests.add(model, _NAMES.get(reply.code, "UNKNOWN"))
            if reply.status == 200:
                self._metrics.latency.add(spent, model, reply.api.capitalize(), "REST")
        response = self._web.Response(
            body=reply.body, status=reply.status, content_type="application/json"
        )
        if self.stopping:
            response.force_close()
        return response

    async def _answer(self, request: Any, path: str) -> RestReply:
        if self._taken > self._limits.concurrent_requests:
            told = error_json(
                f"{self._taken} requests are being answered, and no more are taken on"
            )
            return RestReply(429, told, code=errors.RESOURCE_EXHAUSTED)
        try:
            body = await asyncio.wait_for(request.read(), self._limits.timeout_seconds or None)
        except asyncio.TimeoutError:
            told = error_json(f"No whole request within {self._limits.timeout_seconds:g} s")
            return RestReply(504, told, code=errors.DEADLINE_EXCEEDED)
        except self._web.HTTPRequestEntityTooLarge:
            return self._too_large()
        except (self._web.HTTPException, self._web.RequestPayloadError) as error:
            return RestReply(400, error_json(str(error)), code=errors.INVALID_ARGUMENT)
        encoding = request.headers.get("Content-Encoding", "identity").lower()
        if encoding == "gzip":
            try:
                body = _inflated(body, self._limits.request_bytes + 1)
            except (zlib.error, EOFError) as error:
                told = error_json(f"The body is not in the form of gzip: {error}")
                return RestReply(400, told, code=errors.INVALID_ARGUMENT)
            if len(body) > self._limits.request_bytes:
                return self._too_large()
        elif encoding != "identity":
            told = error_json(f"Bodies are sent plain or as gzip, not as {encoding}")
            return RestReply(415, told, code=errors.INVALID_ARGUMENT)
        return await self._backend.rest(request.method, path, body)

    def _too_large(self) -> RestReply:
        told = error_json(f"The request is larger than {self._limits.request_bytes} bytes")
        return RestReply(413, told, code=errors.RESOURCE_EXHAUSTED)


def _inflated(body: bytes, most: int) -> bytes:
    """What a body in the form of gzip holds, or its first bytes.

    Raises:
      zlib.error: It is malformed.
      EOFError: Its end is missing.
    """
    inflater = zlib.decompressobj(31)
    found = inflater.decompress(body, most)
    if len(found) < most and not inflater.eof:
        raise EOFError("its end is missing")
    return found
