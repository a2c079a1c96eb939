"""What masters read in the requests of sessions: signatures, and which devices they may see."""

from __future__ import annotations

from collections.abc import Sequence

from dataflow.actors.wire.messages import PartitionGraphs, PrepareStep, ReleaseStep
from dataflow.errors import InvalidArgumentError
from dataflow.runtime.signature import StepSignature
from dataflow.values.devices import parse


def signature_of(message: PrepareStep | ReleaseStep | PartitionGraphs) -> StepSignature:
    """The signature that a request is about."""
    return StepSignature(message.feeds, message.fetches, message.targets)


def is_visible(name: str, home: str, filters: Sequence[str]) -> bool:
    """Whether a session may use a task or device.

    Args:
      name: Its full name.
      home: The master's task, which is always seen.
      filters: `ConfigProto.device_filters`. One fits where every field that both name is the same.

    Raises:
      InvalidArgumentError: A filter is malformed.
    """
    if not filters or name == home or name.startswith(f"{home}/"):
        return True
    fields = parse(name)
    try:
        wanted = [parse(text) for text in filters]
    except ValueError as error:
        raise InvalidArgumentError(None, None, f"Malformed device filter: {error}") from error
    return any(
        all(a is None or b is None or a == b for a, b in zip(fields, other, strict=True))
        for other in wanted
    )
