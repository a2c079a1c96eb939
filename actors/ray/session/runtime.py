"""The runtime of the targets on Ray: "ray", and those of servers."""

from __future__ import annotations

import atexit
import itertools
import weakref
from collections.abc import Sequence
from functools import partial
from typing import Any

from dataflow.actors.ray.cluster.connection import LONE_TARGET, open_connection, start_seconds
from dataflow.actors.ray.links.calls import split_target
from dataflow.actors.ray.session.partial import RayPartialRun
from dataflow.actors.ray.session.session import RaySession
from dataflow.actors.ray.session.step import RayStep
from dataflow.actors.wire.messages import Done, ResetContainers
from dataflow.errors import CancelledError, InvalidArgumentError
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.proto.device_attributes_pb2 import DeviceAttributes
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.runtime.signature import StepSignature
from dataflow.values.interrupts import sheltered

_runtimes: weakref.WeakSet[RayRuntime] = weakref.WeakSet()
_handles = itertools.count(1)


def connect_ray(target: str, config: ConfigProto) -> RayRuntime:
    """The runtime of a target on Ray.

    Raises:
      NotFoundError: It is no such target.
    """
    if target != LONE_TARGET:
        split_target(target)
    return RayRuntime(target, config)


class RayRuntime:
    """Sessions on one target."""

    def __init__(self, target: str, config: ConfigProto) -> None:
        self._target = target
        self._config = config
        self._sessions: dict[str, RaySession] = {}
        self._partial_runs: dict[tuple[str, str], tuple[RayPartialRun, StepSignature]] = {}
        _runtimes.add(self)

    def create_session(self, config: ConfigProto) -> str:
        """Opens a session and returns its handle.

        Raises:
          NotFoundError: There is no such server.
          OpError: The devices cannot be started or reached.
        """
        session = RaySession(open_connection(self._target, config), config)
        handle = f"ray_{next(_handles)}"
        self._sessions[handle] = session
        return handle

    def extend_session(self, handle: str, graph_def: GraphDef) -> None:
        """Adds nodes to a session's graph."""
        self._session(handle).extend(graph_def)

    def make_callable(self, handle: str, signature: StepSignature) -> RayStep:
        """Prepares a step; the same signature shares its plans."""
        session = self._session(handle)
        return RayStep(session, signature)

    def release_callable(self, handle: str, signature: StepSignature) -> None:
        """Frees the plans of a signature once every `make_callable` of it was released."""
        session = self._sessions.get(handle)
        if session is not None:
            session.release(signature)

    def partial_run_setup(self, handle: str, signature: StepSignature) -> str:
        """Starts a step that is fed and fetched piecewise; returns its handle."""
        session = self._session(handle)
        plan = session.prepare(signature, piecewise=True).plan
        run = RayPartialRun(session, signature, plan)
        run.start()
        name = f"partial_run_{run.step_id}"
        self._partial_runs[handle, name] = (run, signature)
        return name

    def partial_run(
        self, handle: str, run: str, feeds: Sequence[tuple[str, Any]], fetches: Sequence[str]
    ) -> list[Any]:
        """Feeds some and fetches some of a piecewise step."""
        self._session(handle)
        found, _ = self._partial_runs.get((handle, run), (None, None))
        if found is None:
            raise InvalidArgumentError(
                None, None, "Must run 'setup' before performing partial runs!"
            )
        try:
            return found.run(feeds, fetches)
        finally:
            if found.is_over:
                sheltered(partial(self.partial_run_stop, handle, run))

    def partial_run_stop(self, handle: str, run: str) -> None:
        """Stops a piecewise step if it is not over; a second call does nothing."""
        session = self._sessions.get(handle)
        found, signature = self._partial_runs.pop((handle, run), (None, None))
        if session is not None and found is not None and signature is not None:
            found.fail(CancelledError(None, None, "The partial run was stopped."))
            session.end(found.step_id)
            session.release(signature, piecewise=True)

    def list_devices(self, handle: str) -> list[DeviceAttributes]:
        """The session's devices."""
        return [
            DeviceAttributes(
                name=device.name,
                device_type=device.device_type,
                memory_limit=device.memory_limit,
                incarnation=device.incarnation,
            )
            for device in self._session(handle).devices
        ]

    def reset(self, containers: Sequence[str]) -> None:
        """Clears containers of a server and closes its sessions.

        Without a server, closes the sessions of this process, and with them all they hold.
        """
        if self._target == LONE_TARGET:
            for runtime in list(_runtimes):
                if runtime._target == LONE_TARGET:
                    runtime.close_all()
            return
        lease = open_connection(self._target, self._config)
        try:
            message = ResetContainers(tuple(containers))
            lease.connection.master.ask(message, Done, start_seconds(self._config))
        finally:
            lease.end()

    def close_session(self, handle: str) -> None:
        """Cancels the session's steps and frees its plans, state and actors."""
        session = self._sessions.pop(handle, None)
        if session is None:
            return
        for key in [key for key in tuple(self._partial_runs) if key[0] == handle]:
            run, _ = self._partial_runs.pop(key)
            run.fail(CancelledError(None, None, "Session was closed."))
            session.end(run.step_id)
        session.close()

    def close_all(self) -> None:
        """Closes all sessions."""
        for handle in list(self._sessions):
            self.close_session(handle)

    def _session(self, handle: str) -> RaySession:
        session = self._sessions.get(handle)
        if session is None:
            raise CancelledError(None, None, "Session has been closed.")
        return session


@atexit.register
def _close_everything() -> None:
    """Before Ray's own hook, which was registered earlier and would leave actors to time out."""
    for runtime in list(_runtimes):
        runtime.close_all()
