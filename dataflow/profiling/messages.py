"""A profile as the messages that programs read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from dataflow.profiling.nodes import COSTS, Costs, NodeInfo
from dataflow.profiling.views import Entry
from dataflow.proto.tfprof_output_pb2 import GraphNodeProto, MultiGraphNodeProto

if TYPE_CHECKING:
    from google.protobuf.message import Message

_OF_ONE: Final = tuple(name for name in COSTS if name != "definition_count")


def graph_node(entry: Entry) -> GraphNodeProto:
    """A tree of single nodes."""
    made = GraphNodeProto()
    ahead = [(entry, made)]
    while ahead:
        each, proto = ahead.pop()
        _fill_node(proto, each.info, each.own)
        _fill(proto, each.total, "total_", COSTS)
        ahead.extend((child, proto.children.add()) for child in each.children)
    return made


def multi_node(entry: Entry, step: int) -> MultiGraphNodeProto:
    """A tree of groups of nodes."""
    made = MultiGraphNodeProto()
    ahead = [(entry, made)]
    while ahead:
        each, proto = ahead.pop()
        proto.name = each.name
        names = [name for name in _OF_ONE if name != "run_count"]
        _fill(proto, each.own, "", names)
        _fill(proto, each.total, "total_", names)
        for member in each.members:
            node, costs = proto.graph_nodes.add(), member.costs(step)
            _fill_node(node, member, costs)
            _fill(node, costs, "total_", COSTS)
        ahead.extend((child, proto.children.add()) for child in each.children)
    return made


def _fill_node(proto: GraphNodeProto, info: NodeInfo, own: Costs) -> None:
    proto.name = info.name
    _fill(proto, own, "", _OF_ONE)
    proto.devices.extend(info.devices)
    for index, lengths in info.input_shapes.items():
        shape = proto.input_shapes[index]
        for length in lengths:
            shape.dim.add(size=length)


def _fill(proto: Message, costs: Costs, prefix: str, names: Sequence[str]) -> None:
    for name in names:
        setattr(proto, prefix + name, getattr(costs, name))
