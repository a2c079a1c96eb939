"""Where an input of a node comes from, and what makes of that the value a kernel is called with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dataflow.actors.nodes.binding import Adapter
from dataflow.errors import FailedPreconditionError

if TYPE_CHECKING:
    from dataflow.actors.plan.device_view import DeviceView
    from dataflow.passes.graphs.node_graph import Node


class Source(NamedTuple):
    """Where an input of a node comes from."""

    node: Node
    output: int
    in_host: bool
    """The value is in host memory."""


def value_adapter(source: Source, to_host: bool, device: DeviceView) -> Adapter | None:
    """What makes a plain value out of what a source produces, in host memory or on the device."""
    variable = referred(source)
    if variable is None and device.device_type.is_host:
        return None
    read = None if variable is None else reader(*variable)
    move = _mover(source, to_host or device.device_type.is_host, device)
    if read is None or move is None:
        return read or move
    first, second = read, move
    return lambda cell: second(first(cell))


def referred(source: Source) -> tuple[Node, int] | None:
    """The output that refers to the variable whose cell the source gives; None if it gives none.

    An Identity passes the cell on, and so do a Switch and an Enter that gives all iterations of a
    loop the same: like TensorFlow's, which share the variable's memory, they let their consumers
    see the value at their own time.
    """
    node, output = source.node, source.output
    while passes_cells(node) and not node.output_types[0]._is_ref_dtype:
        edge = node.data_edges()[0]
        node, output = edge.src, edge.src_output
    return (node, output) if node.output_types[output]._is_ref_dtype else None


def passes_cells(node: Node) -> bool:
    """True if a node whose first input is a variable passes it on as a value that is read later."""
    return node.op in ("Identity", "Switch") or (
        node.op == "Enter" and bool(node.attrs.get("is_constant"))
    )


def reader(producer: Node, output: int) -> Adapter:
    """Takes the value out of the cell a ref output carries."""
    shown = f"{producer.name}:{output}" if output else producer.name

    def read(cell: Any) -> Any:
        value = cell.value
        if value is None:
            raise FailedPreconditionError(
                None, None, f"Attempting to use uninitialized value {shown}"
            )
        return value

    return read


def checker(producer: Node, output: int) -> Adapter:
    """Passes on the cell a ref output carries if there is a value in it."""
    read = reader(producer, output)

    def initialized(cell: Any) -> Any:
        read(cell)
        return cell

    return initialized


def _mover(source: Source, to_host: bool, device: DeviceView) -> Adapter | None:
    """Brings a value to the memory it is wanted in, if it is not there already."""
    to_device, index = device.device_type.to_device, device.index
    if to_device is None or to_host == source.in_host:
        return None
    if to_host:
        return device.device_type.to_host
    return lambda value: to_device(value, index)
