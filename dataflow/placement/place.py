"""place: gives the nodes of a loaded graph devices, by patterns, by memory or by cost."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from dataflow.errors import InvalidArgumentError, ResourceExhaustedError
from dataflow.placement.cuts import cut
from dataflow.placement.groups import Graph, groups_of
from dataflow.placement.inlining import inlined
from dataflow.placement.measures import tensor_bytes, weight_bytes
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.meta_graph_pb2 import MetaGraphDef
from dataflow.saving.saved_model.loader import SavedModelLoader
from dataflow.schema.node_validation import parse_input
from dataflow.values.devices import parse

_WEIGHTS: Final = frozenset(
    {"Const", "Identity", "ReadVariableOp", "VarHandleOp", "Variable", "VariableV2"}
)

Patterns = Sequence[tuple[str, str]]
Devices = Sequence[str] | Mapping[str, float]

WAYS: Final = ("pattern", "memory", "cost")
_NO_OUTPUTS: Final = frozenset(
    {"Assert", "Assign", "AssignVariableOp", "NoOp", "Print", "PrintV2", "RestoreV2", "SaveV2"}
)


def place(
    graph: Any,
    by: str = "memory",
    devices: Devices = (),
    *,
    patterns: Patterns = (),
    costs: Mapping[str, float] | None = None,
    outputs: Iterable[str] | None = None,
) -> GraphDef:
    """Cuts a graph over devices, in stages that follow each other.

    What must share a device does: colocated nodes, variables with what reads and initializes them,
    loops. By memory or by cost, the stages are as even as can be, and of such cuts that is taken
    where the fewest bytes cross.

    Args:
      graph: A GraphDef, a MetaGraphDef, or the folder of a SavedModel, of which the graph with the
        tag "serve" is taken. Signatures say what the outputs are. Calls of functions are
        replaced by what they do; what a branch or a loop made of functions does stays with it.
      by: "memory": the bytes of variables and constants. "cost": `costs`. "pattern": `patterns`.
      devices: In the order of the stages, by name. As a mapping, what each can take: bytes by
        memory, a share of the work by cost.
      patterns: Regular expressions and the devices of the nodes whose names they are found in; the
        first that is found counts. Nodes without one go with what they are bound to, and else keep
        the device that they have.
      costs: Of nodes, by name: `measured_costs` of a session that runs the graph.
      outputs: Names of nodes or tensors that will be fetched; without them those of the
        signatures, or the nodes that nothing takes.

    Returns:
      The graph with devices.

    Raises:
      InvalidArgumentError: An argument is missing or malformed, a node is unknown, or patterns part
        what must stay together.
      OSError: The folder is no SavedModel.
      ResourceExhaustedError: The weights of a stage do not fit a device's bytes.
    """
    if not isinstance(graph, GraphDef | MetaGraphDef):
        graph = SavedModelLoader(graph).get_meta_graph_def_from_tags(["serve"])
    graph_def = inlined(graph.graph_def if isinstance(graph, MetaGraphDef) else graph)
    if by not in WAYS:
        raise _invalid(f"by is '{by}'; it must be one of {', '.join(WAYS)}")
    seen = Graph(graph_def)
    groups = groups_of(seen)
    if by == "pattern":
        chosen = _by_pattern(seen, groups, patterns)
    else:
        if by == "cost" and costs is None:
            raise _invalid("by cost needs costs: measured_costs(session, fetches, feed_dict)")
        ends = _outputs(graph, seen) if outputs is None else outputs
        loads = _loads(seen, None if by == "memory" else costs)
        chosen = _by_stages(seen, groups, _sizes(devices), loads, ends, graph_def)
        if by == "memory" and isinstance(devices, Mapping):
            _check_fits(seen, chosen, devices, loads)
    placed = GraphDef()
    placed.CopyFrom(graph_def)
    for node, device in zip(placed.node, chosen, strict=True):
        if device is not None:
            node.device = device
    return placed


def _sizes(devices: Devices) -> dict[str, float]:
    if isinstance(devices, str) or not devices:
        raise _invalid("devices must name at least one device")
    sizes = dict(devices) if isinstance(devices, Mapping) else dict.fromkeys(devices, 1.0)
    for name, size in sizes.items():
        _check_device(name)
        if not size > 0:
            raise _invalid(f"device {name} must take more than {size}")
    return sizes


def _check_device(name: str) -> None:
    try:
        parse(name)
    except ValueError as error:
        raise _invalid(f"'{name}' is no device: {error}") from None


def _outputs(graph: GraphDef | MetaGraphDef, seen: Graph) -> list[str]:
    if isinstance(graph, MetaGraphDef):
        found = [
            info.name
            for key, signature in graph.signature_def.items()
            if not key.startswith("__")
            for info in signature.outputs.values()
            if info.name
        ]
        if found:
            return found
    ends = [
        node.name
        for index, node in enumerate(seen.nodes)
        if node.op not in _NO_OUTPUTS and not seen.outputs[index]
    ]
    return ends or [node.name for node in seen.nodes]


def _loads(seen: Graph, costs: Mapping[str, float] | None) -> list[float]:
    if costs is None:
        return [float(weight_bytes(node)) for node in seen.nodes]
    return [max(float(costs.get(node.name, 0.0)), 0.0) for node in seen.nodes]


def _by_pattern(seen: Graph, groups: list[int], patterns: Patterns) -> list[str | None]:
    compiled = []
    for text, device in patterns:
        _check_device(device)
        try:
            compiled.append((re.compile(text), device))
        except re.error as error:
            raise _invalid(f"'{text}' is no regular expression: {error}") from None
    if not compiled:
        raise _invalid("by pattern needs patterns: pairs of a regular expression and a device")
    by_group: dict[int, tuple[str, str]] = {}
    for node, group in zip(seen.nodes, groups, strict=True):
        found = next((where for each, where in compiled if each.search(node.name)), None)
        if found is None:
            continue
        first, there = by_group.setdefault(group, (node.name, found))
        if there != found:
            raise _invalid(
                f"'{first}' and '{node.name}' must share a device, but the patterns put them on "
                f"{there} and {found}"
            )
    return [by_group[group][1] if group in by_group else None for group in groups]


def _by_stages(
    seen: Graph,
    groups: list[int],
    sizes: Mapping[str, float],
    loads: Sequence[float],
    outputs: Iterable[str],
    graph_def: GraphDef,
) -> list[str | None]:
    needed = seen.needed(outputs)
    merged = _with_weights(seen, _without_circles(seen, groups, needed), needed)
    order = _order(seen, merged, needed, outputs)
    position = {group: index for index, group in enumerate(order)}
    load = [0.0] * len(order)
    for index, group in enumerate(merged):
        # What initializes a variable is bound to it, and counts with it.
        if group in position:
            load[position[group]] += loads[index]
    crossing = _crossing(seen, merged, position, needed, graph_def)
    stages = cut(load, crossing, list(sizes.values()))
    names = list(sizes)
    stage_of = {group: names[stages[index]] for group, index in position.items()}
    chosen: list[str | None] = [stage_of.get(group) for group in merged]
    _follow(seen, merged, chosen, names[0])
    return chosen


def _without_circles(seen: Graph, groups: list[int], needed: set[int]) -> list[int]:
    """Groups that need each other's values become one (Tarjan's components, without recursion)."""
    edges: dict[int, set[int]] = {groups[index]: set() for index in needed}
    for index in needed:
        for source, _ in seen.inputs[index]:
            if groups[source] != groups[index]:
                edges[groups[index]].add(groups[source])
    numbers: dict[int, int] = {}
    lowest: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    component: dict[int, int] = {}
    for start in edges:
        if start in numbers:
            continue
        calls = [(start, iter(sorted(edges[start])))]
        numbers[start] = lowest[start] = len(numbers)
        stack.append(start)
        on_stack.add(start)
        while calls:
            group, following = calls[-1]
            for other in following:
                if other not in numbers:
                    numbers[other] = lowest[other] = len(numbers)
                    stack.append(other)
                    on_stack.add(other)
                    calls.append((other, iter(sorted(edges[other]))))
                    break
                if other in on_stack:
                    lowest[group] = min(lowest[group], numbers[other])
            else:
                calls.pop()
                if calls:
                    below = calls[-1][0]
                    lowest[below] = min(lowest[below], lowest[group])
                if lowest[group] == numbers[group]:
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        component[member] = group
                        if member == group:
                            break
    return [component.get(group, group) for group in groups]


def _with_weights(seen: Graph, groups: list[int], needed: set[int]) -> list[int]:
    """Weights that one group takes become part of it: else a step might send them to it."""
    users: dict[int, set[int]] = {}
    plain: dict[int, bool] = {}
    for index in needed:
        group = groups[index]
        plain[group] = plain.get(group, True) and seen.nodes[index].op in _WEIGHTS
        for source, _ in seen.inputs[index]:
            if groups[source] != group:
                users.setdefault(groups[source], set()).add(group)
    joins = {g: min(users[g]) for g, only in plain.items() if only and len(users.get(g, ())) == 1}

    def last(group: int) -> int:
        while group in joins:
            group = joins[group]
        return group

    return [last(group) for group in groups]


def _order(seen: Graph, groups: list[int], needed: set[int], outputs: Iterable[str]) -> list[int]:
    """The groups in an order of computation, with each weight just before what takes it first."""
    inputs: dict[int, dict[int, None]] = {}
    for index in sorted(needed):
        into = inputs.setdefault(groups[index], {})
        for source, _ in seen.inputs[index]:
            if groups[source] != groups[index]:
                into[groups[source]] = None
    found: dict[int, None] = {}
    for name in outputs:
        start = groups[seen.number[parse_input(name)[0]]]
        calls = [(start, iter(inputs[start]))]
        entered = {start}
        while calls:
            group, following = calls[-1]
            for other in following:
                if other not in found and other not in entered:
                    entered.add(other)
                    calls.append((other, iter(inputs[other])))
                    break
            else:
                calls.pop()
                found[group] = None
    return list(found)


def _crossing(
    seen: Graph,
    groups: list[int],
    position: Mapping[int, int],
    needed: set[int],
    graph_def: GraphDef,
) -> list[float]:
    """The bytes that cross a cut before each group: each tensor once, however many take it."""
    last: dict[tuple[int, int], int] = {}
    for index in needed:
        here = position[groups[index]]
        for source, slot in seen.inputs[index]:
            last[source, slot] = max(last.get((source, slot), -1), here)
    try:
        sizes = tensor_bytes(graph_def)
    except (ValueError, TypeError):
        sizes = {}
    changes = np.zeros(len(position) + 1)
    for (source, slot), end in last.items():
        begin = position[groups[source]]
        if end > begin:
            size = sizes.get((seen.nodes[source].name, slot), 1) if slot >= 0 else 1
            changes[begin + 1] += size
            changes[min(end + 1, len(position))] -= size
    found: list[float] = np.cumsum(changes)[: len(position)].tolist()
    return found


def _follow(seen: Graph, groups: list[int], chosen: list[str | None], first: str) -> None:
    """Gives what no output needs the device of what takes it, or of what it takes."""
    known = {group: where for group, where in zip(groups, chosen, strict=True) if where}
    # From placed nodes back to what they take, then forward to what takes them.
    taken = [[source for source, _ in each] for each in seen.inputs]
    for links in (taken, seen.outputs):
        pending = [index for index, where in enumerate(chosen) if where is not None]
        while pending:
            index = pending.pop()
            for other in links[index]:
                if chosen[other] is None:
                    chosen[other] = known.setdefault(groups[other], chosen[index] or first)
                    pending.append(other)
    for index, group in enumerate(groups):
        if chosen[index] is None:
            chosen[index] = known.get(group, first)


def _check_fits(
    seen: Graph,
    chosen: Sequence[str | None],
    devices: Mapping[str, float],
    loads: Sequence[float],
) -> None:
    held = dict.fromkeys(devices, 0.0)
    for device, load in zip(chosen, loads, strict=True):
        if device in held:
            held[device] += load
    for device, size in devices.items():
        if held[device] > size:
            raise ResourceExhaustedError(
                None,
                None,
                f"The weights of a stage take {held[device]:.0f} bytes, but device {device} has "
                f"only {size:.0f}",
            )


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, message)
