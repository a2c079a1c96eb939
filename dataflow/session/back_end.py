"""The one seam to the back end: finds the runtime of a target, the back end of servers, and Ray."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from dataflow.errors import NotFoundError
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.proto.tensorflow_server_pb2 import ServerDef
from dataflow.runtime.protocol import Runtime, ServerBackend
from dataflow.schema.opdef import OpDef


def connect(target: str, config: ConfigProto) -> Runtime:
    """The runtime behind a session target.

    Args:
      target: "" for this process, "ray" for Ray, or a `Server.target`.
      config: The session's options.

    Raises:
      NotFoundError: No runtime serves such a target.
      ImportError: Ray is not installed.
    """
    if target == "":
        from dataflow.actors.direct import DirectRuntime

        return DirectRuntime(config)
    if target == "ray" or target.startswith("ray:"):
        with _ray_needed(f"tf.Session({target!r})"):
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

    Raises:
      ImportError: Ray is not installed.
    """
    with _ray_needed("tf.train.Server"):
        from dataflow.actors.ray.cluster.server import RayServer

    return RayServer(server_def, max_restarts)


@contextmanager
def ray_for(what: str) -> Iterator[None]:
    """Ray, as long as the body runs: the one that this process has joined, or that the environment
    names, or one that is started here and ends with its last user.

    Args:
      what: What needs it, for errors.

    Raises:
      ImportError: Ray is not installed.
      UnavailableError: It does not answer, or cannot be joined or started.
    """
    with _ray_needed(what):
        from dataflow.actors.ray.cluster.machines import ray_use

    ray_use.acquire()
    try:
        yield
    finally:
        ray_use.release()


def evaluate(op_def: OpDef, attrs: Mapping[str, Any], inputs: Sequence[Any]) -> Sequence[Any]:
    """The outputs of an op for values of its inputs, by this process's CPU.

    Raises:
      UnimplementedError: It has no kernel that can run alone.
      Exception: Whatever the kernel raises.
    """
    from dataflow.actors.plan.evaluate import evaluate_op

    return evaluate_op(op_def, attrs, inputs)


def device_types_of(op: str) -> tuple[str, ...]:
    """The types of devices that have a kernel of an op; none for what no device runs as a node."""
    from dataflow.actors.devices.registry import kernel_device_types

    return kernel_device_types(op)


@contextmanager
def _ray_needed(what: str) -> Iterator[None]:
    """Says what to install if Ray is not there."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise ImportError(
            f"{what} needs Ray, which is not installed: pip install 'ray>=2.50'. tf.Session() runs "
            "in this process without it.",
            name="ray",
        ) from None
