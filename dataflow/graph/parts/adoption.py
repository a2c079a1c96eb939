"""Operations made outside of a graph: taken up all at once, when the last of them is known good.

A half imported GraphDef would leave a graph that nobody asked for, so an import makes all its
operations first. The scopes that are open apply to them as they do in TensorFlow's importer.
"""

from __future__ import annotations

from collections.abc import Sequence

from dataflow.graph.contexts import check_input_from_valid_context
from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.values import devices

_GROUP_PREFIX = b"loc:@"


def adopt(graph: Graph, ops: Sequence[Operation]) -> None:
    """Adds finished operations to the graph they were made for; the caller holds its lock.

    Args:
      graph: The graph.
      ops: Operations with outputs, producers first, and the device each asks for.
    """
    scopes = graph._scopes
    for op in ops:
        key = op.name.lower()
        graph._names.reserve(key)
        scopes.apply(op, with_device=False)
        if scopes.control_stack:
            scopes.note_made(op)
            found = scopes.control_inputs_for(())
            op._control_inputs += [c for c in found if c not in op._control_inputs]
        graph._link(op)
    _assign_devices(graph, ops)
    context = graph._get_control_flow_context()
    for op in ops:
        for tensor in op.inputs:
            check_input_from_valid_context(op, tensor.op)
        if context is not None:
            context.AddOp(op)


def _assign_devices(graph: Graph, ops: Sequence[Operation]) -> None:
    """Merges devices with the open scopes; an operation put together with another follows it."""
    colocated: list[tuple[Operation, list[str]]] = []
    scopes = graph._scopes
    merged: dict[str, str] = {}
    for op in ops:
        groups = _colocated_with(op) if "_class" in op.attrs else []
        if groups:
            colocated.append((op, groups))
            op._set_device_from_string("")
            continue
        asked = op.device
        if not asked and scopes.merged_device == "":
            continue
        if asked in merged:
            op._set_device_from_string(merged[asked])
            continue
        op._set_device_from_string("")
        if asked:
            with scopes.device(asked):
                scopes.apply_device(op)
        else:
            scopes.apply_device(op)
        if scopes.merged_device is not None:
            merged[asked] = op.device
    for op, groups in colocated:
        for name in groups:
            device = graph._by_name[name].device
            if device:
                op._set_device_from_string(devices.DeviceSpec.from_string(device).to_string())
                break


def _colocated_with(op: Operation) -> list[str]:
    names = [group[len(_GROUP_PREFIX) :].decode() for group in op.colocation_groups()]
    return [name for name in names if name != op.name]
