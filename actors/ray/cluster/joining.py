"""Which Ray this process joins, or that it starts one of its own; no wait for it is without end."""

from __future__ import annotations

import logging
import os
import queue
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import ray
from ray import exceptions
from ray._private import services, worker
from ray._private.authentication import authentication_token_setup
from ray._raylet import (  # type: ignore[attr-defined]
    AuthenticationTokenLoader,
    GcsClient,
)

from dataflow.actors.ray.cluster.head_watch import ended
from dataflow.actors.ray.cluster.waiting import awaited
from dataflow.actors.ray.links.head import Head
from dataflow.errors import InvalidArgumentError, NotFoundError, UnavailableError

_LOGGER = logging.getLogger("dataflow")

_JOIN_SECONDS: Final = 20.0
"""How long a Ray that is named may take to answer: it may be just starting."""
_TRY_SECONDS: Final = 5.0
_AGAIN_SECONDS: Final = 2.0

_VARIABLE: Final = "RAY_ADDRESS"
_AUTH_MODE: Final = "RAY_AUTH_MODE"
_OWN: Final = ("", "local")
_CLIENT: Final = "ray://"

_START: Final = {
    # By default Ray lets the program that waits go before the actors it waits for.
    "RAY_worker_niceness": "0",
}
_JOIN: Final = {
    **_START,
    # Else it asks one that does not answer twenty times, 40 seconds each.
    "RAY_gcs_server_port_wait_time_s": "1",
}


def start_or_join() -> None:
    """Joins the Ray that the environment names, or else starts one on this machine.

    Raises:
      InvalidArgumentError: The environment names no address.
      UnavailableError: That Ray does not answer or does not let this process in, or none can be
        started.
    """
    named = os.environ.get(_VARIABLE, "").strip()
    if named in _OWN:
        start_own()
    else:
        _join(named)


def join() -> None:
    """Joins the Ray that the environment names; raises as `start_or_join` does, and:

    Raises:
      NotFoundError: It names none.
    """
    named = os.environ.get(_VARIABLE, "").strip()
    if named in _OWN:
        raise NotFoundError(
            None,
            None,
            "The actors of a server are on the Ray that it runs on, and this process has joined "
            f"none: call ray.init(address=...) before, or set {_VARIABLE} to that Ray's host:port.",
        )
    _join(named)


def check() -> None:
    """Sees that the Ray that this process has joined still answers.

    If it does not, Ray ends this process a minute after anything is asked of it.

    Raises:
      UnavailableError: It does not, not even after a while.
    """
    address = ray.get_runtime_context().gcs_address
    with awaited(f"the Ray that this process has joined, '{address}', to answer", _JOIN_SECONDS):
        fault = _fault(address)
    if fault:
        raise UnavailableError(
            None,
            None,
            f"This process has joined the Ray at '{address}', and that has not answered within "
            f"{_JOIN_SECONDS:.0f} s: {fault}. Call ray.shutdown() and join one that runs.",
        )
    error = ended(address, Head().state())
    if error is not None:
        raise error


def names_a_ray() -> bool:
    """True if the environment says which Ray, if only that it is to be an own one."""
    return bool(os.environ.get(_VARIABLE, "").strip())


def start_own() -> None:
    """Starts a Ray on this machine.

    Raises:
      UnavailableError: None can be started.
    """
    try:
        with awaited("an own Ray to start on this machine"):
            _init(_START, address="local", include_dashboard=False)
        _LOGGER.info(
            "Started an own Ray on this machine with %g CPUs; the last session to close stops it. "
            "Call ray.init(num_cpus=...) before for fewer, or set %s to join one that runs.",
            ray.cluster_resources().get("CPU", 0),
            _VARIABLE,
        )
    except Exception as error:
        raise UnavailableError(
            None, None, f"Ray cannot be started on this machine: {_reason(error)}"
        ) from error


def join_at(address: str) -> None:
    """Joins the Ray at an address that its cluster has told.

    Raises:
      UnavailableError: It does not answer or does not let this process in, or it has no node on
        this machine.
    """
    try:
        with awaited(f"the Ray of the cluster, '{address}', to let this process in"):
            _show_token()
            _init(_JOIN, address=address)
    except Exception as error:
        raise UnavailableError(
            None,
            None,
            f"The Ray of the cluster, '{address}', cannot be joined: {_reason(error)} A machine "
            f"needs a node of it: ray start --address={address}.",
        ) from error


def leave() -> None:
    """Leaves the Ray that this process has joined, or ends the one that it has started."""
    node: Any = worker._global_node
    if node is not None:
        # The monitor of an own one scales nothing, and without the rest does not end when asked:
        # Ray would wait for a second, then do this.
        node.kill_monitor(check_alive=False)
    ray.shutdown()


def _join(named: str) -> None:
    whose = f"the Ray that {_VARIABLE} names, '{named}'"
    with awaited(f"{whose}, to answer", _JOIN_SECONDS):
        fault = _fault(named)
    if fault:
        raise UnavailableError(
            None,
            None,
            f"{_VARIABLE} is '{named}', and no Ray has answered there within {_JOIN_SECONDS:.0f} s:"
            f" {fault}. Start that Ray, or set {_VARIABLE} to the host:port of one that runs; "
            "without it an own Ray is started here.",
        )
    try:
        with awaited(f"{whose}, to let this process in"):
            _show_token()
            _init(_JOIN, address=named)
        _LOGGER.info("Joined the Ray that %s names, '%s'.", _VARIABLE, named)
    except Exception as error:
        raise UnavailableError(
            None,
            None,
            f"{_VARIABLE} is '{named}', and that Ray cannot be joined: {_reason(error)}",
        ) from error


def _show_token() -> None:
    """Lets this process show Ray's token, if the user has one and says nothing else.

    A Ray that is started where there is a token asks for it; who joins has to be told to show it.
    """
    loader = AuthenticationTokenLoader.instance()
    if _AUTH_MODE not in os.environ and loader.has_token(ignore_auth_mode=True):
        authentication_token_setup._enable_token_auth()


def _init(variables: dict[str, str], **options: Any) -> None:
    with _environment(variables):
        try:
            ray.init(logging_level=logging.WARNING, **options)
        except BaseException:
            # What has begun would be in the way of the next attempt.
            ray.shutdown()
            raise


@contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    """Variables that are set for the body, unless the user has set them."""
    added = {name: value for name, value in variables.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


def _fault(named: str) -> str:
    """What keeps a Ray from answering, after a while; "" as soon as it does."""
    deadline = time.monotonic() + _JOIN_SECONDS
    while True:
        try:
            fault = _fault_now(named, deadline)
        except OSError as error:
            fault = str(error)
        if not fault or time.monotonic() + _AGAIN_SECONDS >= deadline:
            return fault
        time.sleep(_AGAIN_SECONDS)


def _fault_now(named: str, deadline: float) -> str:
    is_client = named.startswith(_CLIENT)
    address = named.removeprefix(_CLIENT) if is_client else _looked_up(named)
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise _no_address(named)
    left = max(0.1, deadline - time.monotonic())
    try:
        socket.create_connection((host.strip("[]"), int(port)), min(left, _TRY_SECONDS)).close()
    except OSError as error:
        return f"{address}: {error}"
    # Ray's client is served by another process, which has no other way to be asked.
    return "" if is_client else _silence(address, deadline)


def _looked_up(named: str) -> str:
    """The address as Ray has it: that of "auto", and this machine's for "localhost"."""
    try:
        return str(services.canonicalize_bootstrap_address(named))
    except ValueError as error:
        raise _no_address(named) from error


def _no_address(named: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        None,
        None,
        f"{_VARIABLE} is '{named}', which is no address of a Ray: that is 'host:port', 'auto' for "
        "one that runs on this machine, or 'local' for an own one.",
    )


def _silence(address: str, deadline: float) -> str:
    """What is wrong if something listens at the address that does not answer as Ray does."""
    answers: queue.SimpleQueue[str] = queue.SimpleQueue()

    def ask() -> None:
        try:
            GcsClient(address=address)
            answers.put("")
        except exceptions.AuthenticationError:
            answers.put("")  # Whether it lets this process in is seen when that asks for it.
        except Exception as error:
            answers.put(f"{address}: {error}")

    # It cannot be told to give up earlier than after 40 seconds.
    threading.Thread(target=ask, name="dataflow-ask-ray", daemon=True).start()
    try:
        return answers.get(timeout=max(0.1, deadline - time.monotonic()))
    except queue.Empty:
        return f"{address}: something listens there that does not answer as Ray does"


def _reason(error: BaseException) -> str:
    """The error and what has led to it, each in one line."""
    lines = []
    at: BaseException | None = error
    while at is not None:
        text = str(at).strip()
        lines.append(text.splitlines()[-1] if text else type(at).__name__)
        at = at.__cause__
    return " ".join(dict.fromkeys(lines))
