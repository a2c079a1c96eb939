"""Requests to actors as messages, and what can go wrong with them as errors of this library."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

import ray
from google.protobuf.message import DecodeError
from ray import exceptions

from dataflow.actors.wire.codec import decode, encode
from dataflow.actors.wire.messages import AskLane, Done, Message, NextFetch, RunStep
from dataflow.errors import (
    AbortedError,
    CancelledError,
    DeadlineExceededError,
    ErrorReport,
    FailedPreconditionError,
    InternalError,
    InvalidArgumentError,
    NotFoundError,
    OpError,
    ResourceExhaustedError,
    UnavailableError,
)
from dataflow.proto.graph_pb2 import GraphDef

M = TypeVar("M")
Reference = Any
"""A `ray.ObjectRef`."""

_LOGGER = logging.getLogger("dataflow")

NAMESPACE: Final = "dataflow"
"""Ray namespace of all actors."""
_GROUPS: Final[dict[type[Any], str]] = {RunStep: "step", NextFetch: "step", AskLane: "signal"}
"""Concurrency groups of what is asked; all else is in "control"."""
_METHOD_GROUPS: Final = {
    "take": "signal",
    "push": "recv",
    "watch": "watch",
    "stay": "watch",
    "ready": "signal",
    "unwatch": "signal",
    "attend": "control",
    "keep_functions": "control",
}
"""Those of the methods that answer no message."""
Handlers = Mapping[type[Any], "Callable[[Any], Message | None]"]
"""What an actor does, by the type of the message that asks for it; None is answered by `Done`."""


def worker_name(cluster: str, task: str) -> str:
    """Name of a task's worker actor."""
    return f"{cluster}{task}"


def device_name(cluster: str, device: str) -> str:
    """Name of a device's actor."""
    return f"{cluster}{device}"


def master_name(cluster: str, task: str) -> str:
    """Name of the master actor of a task."""
    return f"{cluster}{task}/master"


def target_of(cluster: str, task: str) -> str:
    """The target of sessions that attach to the master of a task."""
    return f"ray:{cluster}{task}"


def split_target(target: str) -> tuple[str, str]:
    """Cluster and task of a server's target, "ray:<cluster>/job:...".

    Raises:
      NotFoundError: It is no such target.
    """
    cluster, slash, rest = target.removeprefix("ray:").partition("/job:")
    if not target.startswith("ray:") or not cluster or not rest:
        raise NotFoundError(
            None,
            None,
            "No session factory registered for the given session options: "
            f'{{target: "{target}"}} A target on Ray is "ray" or the `target` of a Server.',
        )
    return cluster, slash + rest


def find_actor(name: str) -> Any:
    """The handle of an actor.

    Raises:
      UnavailableError: There is no such actor, or no Ray.
    """
    if not ray.is_initialized():
        raise ray_is_gone(name)
    try:
        return ray.get_actor(name, namespace=NAMESPACE)
    except ValueError:
        raise UnavailableError(None, None, f"There is no actor '{name}' on Ray.") from None
    except exceptions.RayError as error:
        raise as_op_error(error, name) from error


class RayLink:
    """This process's connection to Ray, as it is when this is made.

    Ray's functions would quietly start another Ray where there is none any more; what runs on a
    thread of its own asks first.
    """

    def __init__(self) -> None:
        self._ids = self._read()

    @property
    def holds(self) -> bool:
        """False if Ray was shut down since, even if it was started again."""
        return ray.is_initialized() and self._read() == self._ids

    @staticmethod
    def _read() -> tuple[str, str]:
        context = ray.get_runtime_context()
        return context.get_job_id(), context.get_node_id()


class RemoteActor:
    """An actor that is asked by messages; looked up by name when it is first needed."""

    def __init__(self, name: str, whom: str) -> None:
        """Names the actor.

        Args:
          name: Its name on Ray.
          whom: What messages call it.
        """
        self.whom = whom
        self.name = name
        self._handle: Any = None
        self._methods: dict[tuple[str, str], Callable[..., Reference]] = {}

    @property
    def handle(self) -> Any:
        """Ray's handle.

        Raises:
          UnavailableError: There is no such actor.
        """
        if self._handle is None:
            self._handle = find_actor(self.name)
        return self._handle

    def forget(self) -> None:
        """Has the actor looked up again: another one may have taken its name."""
        self._methods = {}
        self._handle = None

    def fresh(self) -> RemoteActor:
        """The actor that has the name now; this one may stand for an earlier one."""
        return RemoteActor(self.name, self.whom)

    def confirm(self, timeout: float) -> None:
        """Waits until the actor has started.

        Raises:
          UnavailableError: It is gone.
          DeadlineExceededError: It has not started in time, or cannot be reached.
        """
        try:
            ray.get(self.call("ready"), timeout=timeout)
        except (exceptions.GetTimeoutError, exceptions.ActorUnavailableError) as error:
            message = f"{self.whom} has not answered within {timeout:.1f} s: {_reason(error)}"
            raise DeadlineExceededError(None, None, message) from error
        except exceptions.RayError as error:
            raise as_op_error(error, self.whom) from error

    def call(self, method: str, *arguments: Any) -> Reference:
        """Calls a method that answers no message; does not wait for it.

        Raises:
          UnavailableError: The actor or Ray is gone.
        """
        return self._call(method, _METHOD_GROUPS[method], *arguments)

    def _call(self, name: str, group: str, *arguments: Any) -> Reference:
        if not ray.is_initialized():
            raise ray_is_gone(self.whom)
        method = self._methods.get((name, group))
        try:
            if method is None:
                # Without the group Ray may queue the call behind others whose arguments arrive.
                method = getattr(self.handle, name).options(concurrency_group=group).remote
                self._methods[name, group] = method
            return method(*arguments)
        except exceptions.RayError as error:
            raise as_op_error(error, self.whom) from error
        except OpError:
            raise
        except Exception as error:
            # What Ray raises for an actor of a cluster that was shut down is no RayError.
            message = f"{self.whom} cannot be called: {_reason(error)}"
            raise UnavailableError(None, None, message) from error

    def send(self, message: Message) -> Reference:
        """Asks for something; does not wait for the answer.

        Raises:
          InvalidArgumentError: The message holds a value that cannot be sent.
          UnavailableError: The actor or Ray is gone.
        """
        return self._call("answer", _GROUPS.get(type(message), "control"), encode(message))

    def tell(self, message: Message) -> None:
        """Says what is not answered; raises as `send` does."""
        self.call("take", encode(message))

    def receive(self, reference: Reference, kind: type[M], timeout: float | None = None) -> M:
        """Waits for the answer to a call.

        Raises:
          OpError: What the actor answered; UnavailableError if it is gone, DeadlineExceededError
            after `timeout` seconds.
        """
        if not ray.is_initialized():
            raise ray_is_gone(self.whom)
        try:
            data: Any = ray.get(reference, timeout=timeout)
        except exceptions.GetTimeoutError as error:
            message = f"{self.whom} has not answered within {timeout:.1f} s."
            raise DeadlineExceededError(None, None, message) from error
        except exceptions.RayError as error:
            raise as_op_error(error, self.whom) from error
        except SystemExit:
            # So Ray ends the waits of other threads when it is shut down.
            if ray.is_initialized():
                raise
            raise ray_is_gone(self.whom) from None
        found = decode(data)
        if isinstance(found, ErrorReport):
            raise found.to_exception()
        return expect(found, kind)

    def ask(self, message: Message, kind: type[M], timeout: float | None = None) -> M:
        """Asks for something and waits for the answer; raises as `send` and `receive` do."""
        return self.receive(self.send(message), kind, timeout)

    def free(self, message: Message, timeout: float | None = None) -> None:
        """Has something freed, and waits until it is; what is gone has nothing to free."""
        try:
            self.ask(message, Done, timeout)
        except (UnavailableError, DeadlineExceededError) as error:
            _LOGGER.debug("%s was not told to free something: %s", self.whom, error)


def answer(handlers: Handlers, data: bytes) -> bytes:
    """Serves a request in an actor: decodes it, and encodes the answer or the error."""
    try:
        message = decode(data)
        handle = handlers.get(type(message))
        if handle is None:
            why = f"Nobody is asked for a {type(message).__name__} here."
            raise InvalidArgumentError(None, None, why)
        return encode(handle(message) or Done())
    except Exception as error:
        return encode(ErrorReport.from_exception(error))


def parse_graph(data: bytes) -> GraphDef:
    """Reads a GraphDef.

    Raises:
      InvalidArgumentError: The bytes are none.
    """
    try:
        return GraphDef.FromString(data)
    except DecodeError as error:
        raise InvalidArgumentError(None, None, f"Malformed GraphDef: {error}") from error


def expect(message: Any, kind: type[M]) -> M:
    """The message, if it is of that kind.

    Raises:
      InvalidArgumentError: It is of another.
    """
    if type(message) is not kind:
        raise InvalidArgumentError(
            None, None, f"A {kind.__name__} was expected, not a {type(message).__name__}."
        )
    return message


def ray_is_gone(whom: str) -> UnavailableError:
    """The error of everything after Ray was shut down."""
    return UnavailableError(None, None, f"{whom} is gone: Ray was shut down in this process.")


_ERRORS: Final[tuple[tuple[type[BaseException], type[OpError], str], ...]] = (
    (exceptions.OutOfMemoryError, ResourceExhaustedError, "was killed for want of memory"),
    (exceptions.ActorUnschedulableError, ResourceExhaustedError, "cannot be placed"),
    (exceptions.ActorDiedError, UnavailableError, "died"),
    (exceptions.ActorUnavailableError, UnavailableError, "cannot be reached"),
    (exceptions.RayActorError, UnavailableError, "is gone"),
    (exceptions.TaskCancelledError, CancelledError, "was cancelled"),
    (exceptions.ObjectStoreFullError, ResourceExhaustedError, "ran out of object store"),
    (exceptions.OutOfDiskError, ResourceExhaustedError, "ran out of disk"),
    (exceptions.PendingCallsLimitExceeded, ResourceExhaustedError, "has too many calls waiting"),
    (exceptions.ObjectLostError, AbortedError, "lost a value"),
    (exceptions.RuntimeEnvSetupError, FailedPreconditionError, "has no runtime environment"),
    (exceptions.LocalRayletDiedError, UnavailableError, "lost its Ray node"),
)


_ENDED: Final = "killed by `ray.kill`"
"""In what Ray says of an actor that whoever started it has ended."""


def as_op_error(error: BaseException, whom: str) -> OpError:
    """An exception of Ray as an error of this library that says who it is about."""
    for kind, cls, what in _ERRORS:
        if isinstance(error, kind):
            return cls(None, None, f"{whom} {what}: {_reason(error)}")  # type: ignore[call-arg]
    return InternalError(None, None, f"{whom} failed: {type(error).__name__}: {_reason(error)}")


def _reason(error: BaseException) -> str:
    """The last line of Ray's text, which tells why; the ones before tell ids."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if isinstance(error, exceptions.OutOfMemoryError):
        # How much there was comes first, advice on how to configure Ray last.
        lines = lines[:1]
    reason = lines[-1] if lines else type(error).__name__
    if _ENDED in reason:
        return "It was ended, since its server was stopped or another actor of its task had died."
    return reason.split(" Some common causes include")[0]
