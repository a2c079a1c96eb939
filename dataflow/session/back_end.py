"""The one seam to the back end: finds the runtime of a target, and the back end of a server."""

from __future__ import annotations

from dataflow.errors import NotFoundError
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.proto.tensorflow_server_pb2 import ServerDef
from dataflow.runtime.protocol import Runtime, ServerBackend


def connect(target: str, config: ConfigProto) -> Runtime:
    """The runtime behind a session target.

    Args:
      target: "" for this process, "ray" for Ray, or a `Server.target`.
      config: The session's options.

    Raises:
      NotFoundError: No runtime serves such a target.
    """
    if target == "":
        from dataflow.actors.direct import DirectRuntime

        return DirectRuntime(config)
    if target == "ray" or target.startswith("ray:"):
        from dataflow.actors.ray.session.runtime import connect_ray

        return connect_ray(target, config)
    raise NotFoundError(
        None,
        None,
        "No session factory registered for the given session options: "
        f'{{target: "{target}"}} Registered targets are {{"", "ray", a Server.target}}.',
    )


def serve(server_def: ServerDef, max_restarts: int = 0) -> ServerBackend:
    """A server that has not started, for the task it names or, without a job name, for all.

    Args:
      server_def: The cluster and the task.
      max_restarts: How often a task is started again after a death.
    """
    from dataflow.actors.ray.cluster.server import RayServer

    return RayServer(server_def, max_restarts)
