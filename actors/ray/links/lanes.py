"""Opens lanes to device actors: they are asked over Ray where, and by which secret."""

from __future__ import annotations

import logging
from collections.abc import Callable
from socket import socket
from typing import Any, Final

import ray

from dataflow.actors.ray.links.calls import RemoteActor
from dataflow.actors.transfers.lanes.door import connect
from dataflow.actors.transfers.lanes.lane import Lane
from dataflow.actors.wire.messages import AskLane, LaneOffer
from dataflow.errors import UnavailableError
from dataflow.kernels.memory import shared_memory
from dataflow.proto.config_pb2 import ConfigProto

_LOGGER = logging.getLogger("dataflow")

_ASK_SECONDS: Final = 10.0


def uses_lanes(config: ConfigProto) -> bool:
    """Whether lanes are to be opened.

    `rpc_options.use_rpc_for_inprocess_master` asks for remote calls where something quicker would
    do: as in TensorFlow, to be used when that is suspected or cannot work.
    """
    return shared_memory.IS_AVAILABLE and not config.rpc_options.use_rpc_for_inprocess_master


def node_id() -> str:
    """Ray's id of this machine."""
    context: Any = ray.get_runtime_context()
    return str(context.get_node_id())


def machine_address() -> str:
    """Where other machines reach this one."""
    return str(ray.util.get_node_ip_address())


def open_lane(
    actor: RemoteActor, own_name: str, add: Callable[[socket, str], Lane]
) -> tuple[Lane | None, int]:
    """Opens a lane to a device, near if it is on this machine, else far.

    Args:
      actor: The device.
      own_name: What it calls this end.
      add: Takes the connected socket.

    Returns:
      The lane; None if none can be opened, which is logged. And the device's incarnation.

    Raises:
      OpError: The device is gone, or has not answered.
    """
    reason, incarnation = "it takes no connections", 0
    for node in (node_id(), ""):
        offer = actor.ask(AskLane(node), LaneOffer, _ASK_SECONDS)
        incarnation = offer.incarnation
        if not offer.way:
            continue
        try:
            return add(connect(offer, own_name, actor.whom), actor.whom), incarnation
        except UnavailableError as error:
            reason = error.message
    _LOGGER.info("%s is reached through Ray's object store: %s", actor.whom, reason)
    return None, incarnation
