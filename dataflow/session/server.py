"""Server: a task of a cluster, or all of them, that sessions attach to by its target."""

from __future__ import annotations

import re
import weakref
from typing import Any, Final

from dataflow.errors import InvalidArgumentError, NotFoundError
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.proto.tensorflow_server_pb2 import ServerDef
from dataflow.session.back_end import serve
from dataflow.values.cluster_spec import ClusterSpec

_PROTOCOLS = ("grpc", "ray")
_FORM: Final = " An address is host:port."


class Server:
    """Devices and a session target, on Ray: `Session(server.target)` attaches to them.

    Sessions on one server share the variables of its devices. A server of a task runs that task
    alone, as in TensorFlow: programs that make the servers of one cluster, each for its task, meet
    on the Ray they all use, or, if they have joined none, at the address of the cluster's first
    task. Without a job and a task, a server runs all tasks of its cluster.

    Args:
      server_or_cluster_def: The cluster as a `ClusterSpec`, `ClusterDef` or what makes one; or a
        `ServerDef`, whose fields the other arguments override.
      job_name: Job of the server's task; may be left out if the cluster has one job.
      task_index: Index of the task; may be left out if the job has one task.
      protocol: "grpc" (the default) or "ray"; both are served by Ray.
      config: Options of the server's devices, such as `device_count` of each task.
      start: Starts the server at once.
      max_restarts: How often each task is started again after a death, by default never. The
        variables of a task that was started again hold nothing until the program initializes or
        restores them; sessions go on, and the other tasks keep what they have. A step that a death
        has stopped is not run again by itself.

    Raises:
      TypeError: `server_or_cluster_def` is no cluster.
      ValueError: The task is not told, or is none of the cluster's; `max_restarts` is negative.
      InvalidArgumentError: An address has no port.
      OpError: The server cannot be started.
    """

    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: ConfigProto | None = None,
        start: bool = True,
        *,
        max_restarts: int = 0,
    ) -> None:
        if max_restarts < 0:
            raise ValueError(f"max_restarts must be 0 or more, not {max_restarts}.")
        self._server_def = _server_def(
            server_or_cluster_def, job_name, task_index, protocol, config
        )
        self._backend = serve(self._server_def, max_restarts)
        self._finalizer = weakref.finalize(self, self._backend.stop)
        if start:
            self.start()

    def start(self) -> None:
        """Starts the server; does nothing if it has started.

        Raises:
          AlreadyExistsError: The task has a server already.
          OpError: The server cannot be started.
        """
        self._backend.start()

    def join(self) -> None:
        """Waits until the server stops.

        Raises:
          UnavailableError: A task of it died, and has used up its restarts.
        """
        self._backend.join()

    def stop(self) -> None:
        """Stops the server's tasks; their variables are lost. A second call does nothing."""
        self._finalizer()

    @property
    def server_def(self) -> ServerDef:
        """What the server was made for."""
        return self._server_def

    @property
    def target(self) -> str:
        """The target for sessions."""
        return self._backend.target

    @staticmethod
    def create_local_server(config: ConfigProto | None = None, start: bool = True) -> Server:
        """A server of one task, `/job:local/task:0`, in a cluster of its own.

        Args:
          config: Options of its devices.
          start: Starts it at once.
        """
        return Server({"local": ["localhost:0"]}, protocol="grpc", config=config, start=start)


def _server_def(
    given: Any,
    job_name: str | None,
    task_index: int | None,
    protocol: str | None,
    config: ConfigProto | None,
) -> ServerDef:
    server_def = ServerDef()
    if isinstance(given, ServerDef):
        server_def.CopyFrom(given)
    else:
        try:
            cluster = ClusterSpec(given)
        except TypeError as error:
            raise TypeError(
                "Could not convert `server_or_cluster_def` to a `tf.train.ServerDef` or "
                f"`tf.train.ClusterSpec`: {error}"
            ) from error
        server_def.cluster.CopyFrom(cluster.as_cluster_def())
        job_name, task_index = _task(cluster, job_name, task_index)
    if job_name is not None:
        server_def.job_name = job_name
    if task_index is not None:
        server_def.task_index = task_index
    server_def.protocol = protocol or server_def.protocol or "grpc"
    if config is not None:
        server_def.default_session_config.MergeFrom(config)
    _check(server_def)
    return server_def


def _task(
    cluster: ClusterSpec, job_name: str | None, task_index: int | None
) -> tuple[str | None, int | None]:
    """The server's task; no job stands for all tasks."""
    if job_name is None and task_index is None:
        if sum(map(cluster.num_tasks, cluster.jobs)) != 1:
            return None, None
        (job_name,) = (job for job in cluster.jobs if cluster.num_tasks(job))
    if job_name is None:
        if len(cluster.jobs) != 1:
            raise ValueError("Must specify an explicit `job_name`.")
        (job_name,) = cluster.jobs
    if task_index is None:
        indices = cluster.task_indices(job_name)
        if len(indices) != 1:
            raise ValueError("Must specify an explicit `task_index`.")
        (task_index,) = indices
    return job_name, task_index


def _check(server_def: ServerDef) -> None:
    if server_def.protocol not in _PROTOCOLS:
        raise NotFoundError(
            None,
            None,
            f"No server factory registered for the protocol '{server_def.protocol}'; "
            f"there are: {', '.join(_PROTOCOLS)}.",
        )
    cluster = ClusterSpec(server_def.cluster)
    if not server_def.job_name:
        if not any(map(cluster.num_tasks, cluster.jobs)):
            raise ValueError("The cluster has no tasks.")
        return
    try:
        own = cluster.task_address(server_def.job_name, server_def.task_index)
    except ValueError as error:
        raise ValueError(f"The server's task is none of its cluster's: {error}.") from None
    if not _has_port(own):
        text = f'Could not parse port for local server from "{own}".'
        raise InvalidArgumentError(None, None, text + _FORM)
    for job in cluster.jobs:
        for task in cluster.task_indices(job):
            address = cluster.task_address(job, task)
            if not _has_port(address):
                text = f'Could not interpret "{address}" as a host-port pair.'
                raise InvalidArgumentError(None, None, text + _FORM)


def _has_port(address: str) -> bool:
    """Whether an address ends with a port; one that is empty leaves all to Ray."""
    return not address or re.fullmatch(r".*:\s*\+?\d+\s*", address, re.ASCII) is not None
