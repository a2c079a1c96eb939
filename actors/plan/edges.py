"""Binds Send and Recv: an edge's key, its transport, and the way between host and device memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dataflow.actors.nodes.binding import Adapter, Binding, CallKind
from dataflow.actors.plan.device_view import DeviceView
from dataflow.actors.plan.sources import Source, value_adapter
from dataflow.actors.step.dead import DEAD
from dataflow.actors.step.rendezvous import OUTSIDE, rendezvous_key
from dataflow.errors import OpError
from dataflow.values.devices import parse

if TYPE_CHECKING:
    from dataflow.actors.step.step import Step
    from dataflow.passes.graphs.node_graph import Node, NodeGraph


def bind_edge(node: Node, sources: Sequence[Source], device: DeviceView) -> Binding:
    """Binds a `_Send` or `_Recv` node.

    Both calls take as a further argument the "<frame id>:<iteration>" they run in. That of a send
    then also takes whether the tensor is dead; that of a receive gives `DEAD` if it is.
    """
    return _BIND[node.op](node, sources, device)


def leaves_process(node: Node, device: DeviceView) -> bool:
    """True if what an edge takes goes to another process from here."""
    if _BIND[node.op] is not _bind_send:
        return False
    return not device.transport(node.attrs["recv_device"].decode()).shares_memory


def senders(graph: NodeGraph) -> frozenset[str]:
    """The devices, by full name, whose values a partition takes."""
    return frozenset(
        node.attrs["send_device"].decode()
        for node in graph.nodes()
        if _BIND.get(node.op) is _bind_recv
    )


def is_edge(node: Node) -> bool:
    """True for the nodes that `bind_edge` binds."""
    return node.op in _BIND


def _key(node: Node) -> str:
    """The rendezvous key without the frame at its end."""
    return rendezvous_key(
        node.attrs["send_device"].decode(),
        node.attrs["send_device_incarnation"],
        node.attrs["recv_device"].decode(),
        node.attrs["tensor_name"].decode(),
        "",
    )


def _bind_send(node: Node, sources: Sequence[Source], device: DeviceView) -> Binding:
    (source,) = sources
    key = _key(node)
    peer = node.attrs["recv_device"].decode()
    transport = device.transport(peer)
    transport.open()
    send, send_in_loop = transport.send, transport.send_in_loop
    device_type = device.device_type
    as_host_array = (
        not transport.shares_memory
        or parse(peer).device_type != device_type.name
        or device_type.keeps_in_host_memory(node.attrs["T"])
    )
    prepare = None if as_host_array else _transfer(device, peer)
    adapter = value_adapter(source, as_host_array, device)

    outside = f"{key}{OUTSIDE}"

    def send_value(step: Step, value: Any, frame: str = OUTSIDE, dead: bool = False) -> None:
        if prepare is not None and not dead:
            value = prepare(value)
        if frame == OUTSIDE:
            send(step.step_id, outside, value, dead)
        else:
            send_in_loop(step, key, frame, value, dead)

    return Binding(send_value, CallKind.STEP, (adapter,))


def _transfer(device: DeviceView, peer: str) -> Adapter | None:
    """The copy from this device to another of its type; None where arrays need none."""
    transfer = device.device_type.transfer
    if transfer is None:
        return None
    move, source, destination = transfer, device.index, parse(peer).device_index or 0
    return lambda value: move(value, source, destination)


def _bind_recv(node: Node, sources: Sequence[Source], device: DeviceView) -> Binding:
    key = _key(node)
    sender = node.attrs["send_device"].decode()
    device_type, index = device.device_type, device.index
    in_host = device_type.keeps_in_host_memory(node.attrs["tensor_type"])
    # Otherwise the sender has made it an array of this device, see `_bind_send`.
    from_host = parse(sender).device_type != device_type.name or not (
        device.transport(sender).shares_memory
    )
    to_device = device_type.to_device if from_host and not in_host else None

    outside = f"{key}{OUTSIDE}"

    def receive(step: Step, done: Callable[..., None], frame: str = OUTSIDE) -> None:
        def arrived(value: Any, dead: bool, error: OpError | None) -> None:
            if error is not None:
                done(error=error)
            elif dead:
                done(DEAD)
            elif to_device is not None:
                done(to_device(value, index))
            else:
                done(value)

        step.rendezvous.recv(outside if frame == OUTSIDE else f"{key}{frame}", arrived)

    return Binding(receive, CallKind.BLOCKING, (), (in_host,))


_BIND: Mapping[str, Callable[[Any, Sequence[Source], DeviceView], Binding]] = {
    "_Send": _bind_send,
    "_Recv": _bind_recv,
    "_HostSend": _bind_send,
    "_HostRecv": _bind_recv,
}
