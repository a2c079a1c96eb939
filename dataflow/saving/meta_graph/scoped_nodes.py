"""The nodes below a name scope, without it in their names, and without Savers that are not used."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.proto.saver_pb2 import SaverDef
from dataflow.values.scope_names import strip_name_scope

_UNBOUND = "$unbound_inputs_"
_SAVING_OPS = frozenset(
    {
        *("SaveV2", "Save", "SaveSlice", "LegacySave", "LegacySaveSlice"),
        *("RestoreV2", "Restore", "RestoreSlice", "LegacyRestore", "LegacyRestoreSlice"),
    }
)


def is_below(item: Any, export_scope: str | None, left_out: Collection[str]) -> bool:
    """Whether an item, or what has that name, is written; what has no name is."""
    name = item if isinstance(item, str) else getattr(item, "name", None)
    if not isinstance(name, str):
        return True
    if name in left_out:
        return False
    return not export_scope or name.startswith((export_scope, _UNBOUND))


def nodes_below(
    graph_def: GraphDef, export_scope: str | None, left_out: Collection[str], clear_devices: bool
) -> tuple[GraphDef, list[str]]:
    """The nodes below a scope, as a graph of their own.

    Args:
      graph_def: The nodes.
      export_scope: The name scope; None for all nodes.
      left_out: Names of nodes to leave out.
      clear_devices: Whether to take their devices off.

    Returns:
      The graph, and its inputs from outside of the scope, with a mark in front.
    """
    result = GraphDef(versions=graph_def.versions, library=graph_def.library)
    unbound: list[str] = []
    for node in graph_def.node:
        if is_below(node.name, export_scope, left_out):
            made = result.node.add()
            made.CopyFrom(node)
            if export_scope:
                _take_scope_off(made, export_scope, unbound)
            if clear_devices:
                made.device = ""
    return result, unbound


def _take_scope_off(node: NodeDef, export_scope: str, unbound: list[str]) -> None:
    node.name = strip_name_scope(node.name, export_scope)
    for index, text in enumerate(node.input):
        if text.lstrip("^").startswith(export_scope):
            node.input[index] = strip_name_scope(text, export_scope)
        else:
            mark = "^" if text.startswith("^") else ""
            node.input[index] = f"{mark}{_UNBOUND}{text.removeprefix('^')}"
            unbound.append(node.input[index])
    if "_class" in node.attr:
        groups = node.attr["_class"].list.s
        kept = [
            strip_name_scope(group.decode(), export_scope).encode()
            for group in groups
            if group.decode().partition("@")[2].startswith(export_scope)
        ]
        del groups[:]
        groups.extend(kept)
    if node.op in ("Enter", "RefEnter"):
        frame = node.attr["frame_name"].s.decode()
        node.attr["frame_name"].s = strip_name_scope(frame, export_scope).encode()


def nodes_of_other_savers(graph_def: GraphDef, saver_def: SaverDef | None) -> set[str]:
    """The names of nodes that only Savers other than this one need.

    Each Saver has its nodes in a name scope of its own.
    """
    kept = set()
    if saver_def is not None:
        kept = {_scope(saver_def.save_tensor_name), _scope(saver_def.restore_op_name)}
    saving = {node.name for node in graph_def.node if node.op in _SAVING_OPS}
    scopes = tuple({_scope(name) for name in saving} - kept)
    return {node.name for node in graph_def.node if node.name.startswith(scopes)}


def _scope(name: str) -> str:
    """What is in front of the last part of a name, with the slash at its end."""
    return f"{name.removeprefix('^').rpartition('/')[0]}/"
