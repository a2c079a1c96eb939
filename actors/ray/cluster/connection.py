"""What the sessions of this process share of one cluster: its actors, and the watch over them."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
import weakref
from collections.abc import Callable, Hashable
from typing import Any, Final, Protocol, TypeVar
from uuid import uuid4

from dataflow.actors.ray.actors.own_master import OwnMaster
from dataflow.actors.ray.cluster.head_watch import HeadWatch
from dataflow.actors.ray.cluster.launch import ActorSet, Launch
from dataflow.actors.ray.cluster.machines import machines, place_one_a_machine, ray_use
from dataflow.actors.ray.cluster.tasks import MASTER, NEW_SESSION, START_AGAIN, Tasks
from dataflow.actors.ray.cluster.waiting import awaited
from dataflow.actors.ray.links.calls import (
    RayLink,
    RemoteActor,
    device_name,
    master_name,
    split_target,
    worker_name,
)
from dataflow.actors.ray.links.lanes import encryption_for, uses_lanes
from dataflow.actors.ray.links.session_lanes import SessionLanes
from dataflow.actors.transfers.lanes.tls import Encryption, tls_files
from dataflow.actors.transfers.weak_methods import weakly
from dataflow.actors.wire.codec import encode
from dataflow.actors.wire.messages import (
    Attend,
    CloseSession,
    CreateSession,
    Done,
    Message,
    SessionCreated,
)
from dataflow.errors import (
    DeadlineExceededError,
    NotFoundError,
    ResourceExhaustedError,
    UnavailableError,
)
from dataflow.passes.placement.split import task_of
from dataflow.proto.config_pb2 import ConfigProto

_LOGGER = logging.getLogger("dataflow")

LONE_TARGET: Final = "ray"
"""The target of sessions whose devices end with them."""
_START_SECONDS: Final = 120.0
_CLUSTER_SECONDS: Final = 600.0
_LEAST_SECONDS: Final = 10.0
"""Starting processes takes seconds, whatever is allowed for a step."""
_SLACK: Final = 5.0
"""Seconds more than the master waits for tasks, for its answer to arrive."""
_ASK_AGAIN: Final = 0.1
"""Seconds until the master is asked anew for tasks that it did not know to be gone."""


M = TypeVar("M")


class Mourner(Protocol):
    """Who wants to know of deaths."""

    def task_died(self, task: str) -> None:
        """Fails what needs a task that has lost an actor."""


class Master(Protocol):
    """Who prepares the steps of sessions: an actor of a server's, or an object of this process."""

    @property
    def whom(self) -> str:
        """What messages call it."""

    def ask(self, message: Message, kind: type[M], timeout: float | None = None) -> M:
        """Asks for something and waits for the answer, so many seconds."""


class Connection:
    """The actors of a cluster as this process reaches them."""

    def __init__(
        self,
        cluster: str,
        master: RemoteActor | OwnMaster,
        actors: ActorSet | None,
        encryption: Encryption | None,
    ) -> None:
        """Makes a connection that is not watched yet.

        Args:
          cluster: First part of the actors' names.
          master: The master; one of this process if the actors end with the connection.
          actors: The actors, if they end with the connection.
          encryption: Of lanes to other machines, if they are to be encrypted.
        """
        self.master: Master = master
        self.is_owner = actors is not None
        self._remote = master if isinstance(master, RemoteActor) else None
        self.client = f"client-{uuid4().hex[:12]}"
        """What the master calls this end."""
        self.tasks = Tasks(cluster, self._remote, weakly(self._died), weakly(self._forget))
        self._ray = RayLink()
        self._cluster = cluster
        self._actors = actors
        self._devices: dict[str, RemoteActor] = {}
        self._life: Any = None
        """A call that ends with this connection, or with this process."""
        self._attended = -1
        """Which start of the master knows of this process."""
        self._mourners: weakref.WeakSet[Mourner] = weakref.WeakSet()
        self._lock = threading.RLock()
        self.lanes = SessionLanes(weakly(self.device), encryption)
        self._head = HeadWatch(self.tasks.end)

    @property
    def is_usable(self) -> bool:
        """False if an actor has died, or Ray was shut down: new sessions need another one."""
        return self.tasks.all_live and self._ray.holds

    def device(self, name: str) -> RemoteActor:
        """A device, by full name."""
        with self._lock:
            found = self._devices.get(name)
            if found is None:
                found = RemoteActor(device_name(self._cluster, name), name)
                self._devices[name] = found
            return found

    def create_session(self, config: ConfigProto, number: int = 0) -> SessionCreated:
        """Opens a session at the master.

        Args:
          config: Its options.
          number: The number it had at a master that has died; 0 for a new session.

        Raises:
          DeadlineExceededError: Tasks have not started in time; says which.
          UnavailableError: The master or a task is gone and does not come back.
          OpError: The master refuses the options.
        """
        try:
            return self._create_session(config, number)
        except UnavailableError as error:
            if self.tasks.returns(MASTER):
                raise
            advice = NEW_SESSION if self.is_owner else START_AGAIN
            raise _not_created(error, advice) from error

    def _create_session(self, config: ConfigProto, number: int) -> SessionCreated:
        # Who starts the other programs of a cluster may take a while.
        timeout = start_seconds(config, _START_SECONDS if self.is_owner else _CLUSTER_SECONDS)
        with awaited(f"{self.master.whom} to open a session on all tasks", timeout):
            return self._ask_for_session(config, number, timeout)

    def _ask_for_session(self, config: ConfigProto, number: int, timeout: float) -> SessionCreated:
        self._attend()
        message = CreateSession(config.SerializeToString(), timeout, self.client, number)
        end = time.monotonic() + timeout
        while True:
            created = self.master.ask(message, SessionCreated, timeout + _SLACK)
            try:
                self.tasks.watch(created)
                return created
            except UnavailableError:
                self.close_session(created.session)
                # Who has just died may be about to be started again.
                if not created.returns or time.monotonic() >= end:
                    raise
            except BaseException:
                self.close_session(created.session)
                raise
            time.sleep(_ASK_AGAIN)

    def close_session(self, session: int) -> None:
        """Has a session's steps cancelled and what it has freed, if need be without the master."""
        if self.tasks.is_over:
            return
        message = CloseSession(session)
        try:
            self.master.ask(message, Done, _SLACK)
        except DeadlineExceededError as error:
            _LOGGER.debug("Closing a session goes on without this process: %s", error)
        except (UnavailableError, ResourceExhaustedError):
            # The master has died, perhaps for want of memory.
            for task in dict.fromkeys(map(task_of, self.tasks.devices)):
                worker = RemoteActor(worker_name(self._cluster, task), task)
                worker.free(message, _SLACK)

    def join(self, mourner: Mourner) -> None:
        """Tells of deaths from now on."""
        self._mourners.add(mourner)

    def close(self) -> None:
        """Ends the watch, and the actors if they are this connection's."""
        self._head.stop()
        self.lanes.close()
        if self._actors is not None:
            self.tasks.let_go()
            self._actors.kill()
        self.tasks.stop()
        if self._remote is not None and self._life is not None and self._ray.holds:
            with contextlib.suppress(UnavailableError):
                self._remote.call("unwatch", self.client)
        ray_use.release()

    def _attend(self) -> None:
        """Has the master close the sessions of this process if it dies."""
        start = self.tasks.starts(MASTER)
        with self._lock:
            if self._remote is None or self._attended == start:
                return
            self._attended = start
            self._life = self._remote.call("stay", self.client)
            self._remote.call("attend", encode(Attend(self.client)), [self._life])

    def _forget(self, device: str) -> None:
        with self._lock:
            if device in self._devices:
                self._devices[device].forget()
        self.lanes.forget(device)

    def _died(self, task: str) -> None:
        for mourner in list(self._mourners):
            mourner.task_died(task)
        # It may live on nevertheless: nobody is to wait for it, nor to give it anything to do.
        for device in tuple(self.tasks.devices):
            if task_of(device) == task:
                self._forget(device)


class _Slot:
    """A connection that is made by its first user, for all."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.connection: Connection | None = None
        self.users = 0


class Lease:
    """One use of a connection."""

    def __init__(self, key: Hashable, slot: _Slot, connection: Connection) -> None:
        self.connection = connection
        self._key = key
        self._slot: _Slot | None = slot

    @property
    def ends_actors(self) -> bool:
        """True if the actors end with this lease, whatever they hold."""
        return self.connection.is_owner and self._slot is not None and self._slot.users == 1

    def end(self) -> None:
        """Gives the connection back; its last user closes it. A second call does nothing."""
        slot, self._slot = self._slot, None
        if slot is not None:
            _leave(self._key, slot)


_slots: dict[Hashable, _Slot] = {}
_slots_lock = threading.RLock()


def open_connection(target: str, config: ConfigProto) -> Lease:
    """A connection for a new session, shared with the others that can use the same.

    Args:
      target: "ray", or "ray:" with the cluster and task of a server.
      config: The session's options.

    Raises:
      NotFoundError: There is no such server.
      OpError: The actors cannot be started or reached.
    """
    filters = tuple(config.device_filters)
    tls = tls_files(config)
    key: Hashable = (target, filters, tls)
    make: Callable[[], Connection]
    if target == LONE_TARGET:
        counts = tuple(sorted(config.device_count.items()))
        threads = (config.intra_op_parallelism_threads, config.inter_op_parallelism_threads)
        key = (target, filters, tls, counts, threads, uses_lanes(config))

        def make() -> Connection:
            return _launch(config, encryption_for(config))
    else:

        def make() -> Connection:
            return _attach(target, encryption_for(config))

    with _slots_lock:
        slot = _slots.get(key)
        if slot is None or (slot.connection is not None and not slot.connection.is_usable):
            slot = _slots[key] = _Slot()
        slot.users += 1
    try:
        with slot.lock:
            if slot.connection is None:
                slot.connection = make()
            return Lease(key, slot, slot.connection)
    except BaseException:
        _leave(key, slot)
        raise


def start_seconds(config: ConfigProto, usual: float = _START_SECONDS) -> float:
    """Seconds that opening a session, or starting a server, may take.

    Args:
      config: Its time-out counts.
      usual: What holds if it has none.
    """
    asked = config.operation_timeout_in_ms / 1000
    return max(asked, _LEAST_SECONDS) if asked > 0 else usual


def _leave(key: Hashable, slot: _Slot) -> None:
    with _slots_lock:
        slot.users -= 1
        if slot.users:
            return
        if _slots.get(key) is slot:
            del _slots[key]
    if slot.connection is not None:
        slot.connection.close()


def _launch(config: ConfigProto, encryption: Encryption | None) -> Connection:
    """Starts the actors of a session without a server."""
    ray_use.acquire()
    try:
        placements = place_one_a_machine(machines(), config)
        cluster = f"session-{uuid4().hex[:12]}"
        actors = ActorSet(Launch(cluster, config))
        actors.start(placements)
        master = OwnMaster(cluster, {p.task: p.devices for p in placements})
        actors.wait(start_seconds(config))
        devices = [device for placement in placements for device in placement.devices]
        _LOGGER.info("Opened '%s' on Ray: %s.", cluster, ", ".join(devices))
    except UnavailableError as error:
        ray_use.release()
        raise _not_created(error, NEW_SESSION) from error
    except BaseException:
        ray_use.release()
        raise
    return Connection(cluster, master, actors, encryption)


def _not_created(error: UnavailableError, advice: str) -> UnavailableError:
    message = f"The session cannot be created: {error.message} {advice}"
    return UnavailableError(None, None, message)


def _attach(target: str, encryption: Encryption | None) -> Connection:
    """Finds the actors of a server."""
    cluster, home = split_target(target)
    ray_use.acquire(must_run=True)
    master = RemoteActor(master_name(cluster, home), f"The master of {home}")
    try:
        _ = master.handle
    except UnavailableError as error:
        ray_use.release()
        raise NotFoundError(
            None,
            None,
            f"No server with target '{target}' runs on this Ray: it was stopped, or runs on "
            f"another one. {error.message}",
        ) from error
    return Connection(cluster, master, None, encryption)
