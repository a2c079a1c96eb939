"""What a back end does for sessions and servers: the `Runtime` and `ServerBackend` protocols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeGuard

if TYPE_CHECKING:
    from dataflow.proto.config_pb2 import ConfigProto, RunMetadata, RunOptions
    from dataflow.proto.device_attributes_pb2 import DeviceAttributes
    from dataflow.proto.graph_pb2 import GraphDef
    from dataflow.runtime.signature import StepSignature


class StepCallable(Protocol):
    """A prepared step."""

    def __call__(
        self,
        feeds: Sequence[Any],
        options: RunOptions | None = None,
        metadata: RunMetadata | None = None,
    ) -> list[Any]:
        """Runs a step.

        Args:
          feeds: Arrays of the right dtype, in the order of the signature's feeds.
          options: Time-out, trace level.
          metadata: Filled in with what the options ask for.

        Returns:
          The fetched values, in the order of the signature's fetches: arrays the caller owns and
          may write to, numpy scalars (bytes for strings) for shape [].

        Raises:
          OpError: The first error of the step.
        """


class Runtime(Protocol):
    """The verbs of TensorFlow's MasterService; sessions are named by opaque handles."""

    def create_session(self, config: ConfigProto) -> str:
        """Opens a session and returns its handle."""

    def extend_session(self, handle: str, graph_def: GraphDef) -> None:
        """Adds nodes to a session's graph; only new nodes travel."""

    def make_callable(self, handle: str, signature: StepSignature) -> StepCallable:
        """Prepares a step: prunes, places, splits, registers; the same signature is shared."""

    def release_callable(self, handle: str, signature: StepSignature) -> None:
        """Frees the plan of a step that is not needed any more."""

    def partial_run_setup(self, handle: str, signature: StepSignature) -> str:
        """Starts a step that is fed and fetched piecewise; returns its handle."""

    def partial_run(
        self, handle: str, run: str, feeds: Sequence[tuple[str, Any]], fetches: Sequence[str]
    ) -> list[Any]:
        """Feeds some and fetches some of a piecewise step.

        Whoever is interrupted in here calls `partial_run_stop`.
        """

    def partial_run_stop(self, handle: str, run: str) -> None:
        """Stops a piecewise step if it is not over; a second call does nothing."""

    def list_devices(self, handle: str) -> list[DeviceAttributes]:
        """The devices the session can use."""

    def reset(self, containers: Sequence[str]) -> None:
        """Clears resource containers (all if empty) and closes all sessions."""

    def close_session(self, handle: str) -> None:
        """Cancels the session's steps and frees what it holds; a second call does nothing."""


class LocalRuntime(Runtime, Protocol):
    """A runtime in this process: attrs of nodes need not become bytes on the way to it."""

    TAKES_ATTRS: ClassVar[bool]

    def extend_session(
        self,
        handle: str,
        graph_def: GraphDef,
        attrs: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        """Adds nodes to a session's graph.

        Args:
          handle: The session.
          graph_def: The new nodes.
          attrs: Decoded attrs of each node; the GraphDef has none then.
        """


def takes_attrs(runtime: Runtime) -> TypeGuard[LocalRuntime]:
    """True for a `LocalRuntime`."""
    return bool(getattr(type(runtime), "TAKES_ATTRS", False))


class ServerBackend(Protocol):
    """A server as the front end drives it."""

    @property
    def target(self) -> str:
        """The target for sessions."""

    def start(self) -> None:
        """Starts the tasks; does nothing if they run."""

    def join(self) -> None:
        """Waits until the server stops."""

    def stop(self) -> None:
        """Stops the tasks; a second call does nothing."""
