"""TransformGraph: passes over a GraphDef, named in text with their parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from dataflow.errors import InvalidArgumentError, OpError
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.transforms import node_passes, value_passes
from dataflow.transforms.batch_norms import fold_channel_factors, fold_norms
from dataflow.transforms.context import Context
from dataflow.transforms.fold_constants import fold_constants
from dataflow.transforms.views import copy_of, ensure_graph_is_valid

TRANSFORMS: Final[Mapping[str, Callable[[GraphDef, Context], GraphDef]]] = {
    "add_default_attributes": node_passes.add_default_attributes,
    "fold_batch_norms": lambda graph, context: fold_channel_factors(graph, context.outputs),
    "fold_constants": fold_constants,
    "fold_old_batch_norms": lambda graph, context: fold_norms(graph, context.outputs),
    "merge_duplicate_nodes": node_passes.merge_duplicate_nodes,
    "quantize_weights": value_passes.quantize_weights,
    "remove_attribute": node_passes.remove_attribute,
    "remove_control_dependencies": node_passes.remove_control_dependencies,
    "remove_device": node_passes.remove_device,
    "remove_nodes": node_passes.remove_nodes,
    "rename_attribute": node_passes.rename_attribute,
    "rename_op": node_passes.rename_op,
    "round_weights": value_passes.round_weights,
    "set_device": node_passes.set_device,
    "sort_by_execution_order": node_passes.sort_by_execution_order,
    "strip_unused_nodes": node_passes.strip_unused_nodes,
}
"""Name -> the pass: a function of a graph, which it leaves as it is."""

_NAME = re.compile(r"\s*([A-Za-z_]\w*)")
_PARAMETER = re.compile(r'\s*,?\s*([A-Za-z_]\w*)\s*=\s*(?:"([^"]*)"|([^\s,()"]+))')


def TransformGraph(
    input_graph_def: Any, inputs: Sequence[str], outputs: Sequence[str], transforms: Sequence[str]
) -> GraphDef:
    """A graph after some passes, one after the other.

    Args:
      input_graph_def: The graph.
      inputs: Names of nodes that are fed.
      outputs: Names of nodes that are fetched.
      transforms: Names of passes, with parameters as in "remove_nodes(op=Identity)".

    Raises:
      InvalidArgumentError: A pass is not known, or lacks a parameter.
      ValueError: The graph is malformed.
    """
    graph_def = GraphDef.FromString(input_graph_def.SerializeToString())
    for name, parameters in parse_transforms(" ".join(transforms)):
        if name not in TRANSFORMS:
            raise InvalidArgumentError(None, None, f"Transform '{name}' not recognized.")
        context = Context(tuple(inputs), tuple(outputs), parameters)
        before = copy_of(graph_def)
        try:
            graph_def = TRANSFORMS[name](graph_def, context)
        except (OpError, ValueError):
            if parameters.get("ignore_errors", ["false"])[0] != "true":
                raise
            graph_def = before
        ensure_graph_is_valid(graph_def)
    return graph_def


def parse_transforms(text: str) -> list[tuple[str, dict[str, list[str]]]]:
    """Passes with the values of each parameter, which may be given several times.

    Raises:
      InvalidArgumentError: The text is malformed.
    """
    found: list[tuple[str, dict[str, list[str]]]] = []
    place = 0
    while text[place:].strip(" \t\r\n,"):
        name = _NAME.match(text, place)
        if name is None:
            raise _malformed(text, place)
        place = name.end()
        parameters: dict[str, list[str]] = {}
        if text[place : place + 1] == "(":
            place += 1
            while parameter := _PARAMETER.match(text, place):
                key, quoted, plain = parameter.groups()
                parameters.setdefault(key, []).append(plain if quoted is None else quoted)
                place = parameter.end()
            end = re.compile(r"\s*\)").match(text, place)
            if end is None:
                raise _malformed(text, place)
            place = end.end()
        found.append((name.group(1), parameters))
    return found


def _malformed(text: str, place: int) -> InvalidArgumentError:
    return InvalidArgumentError(
        None, None, f"Looking for a transform or its parameters, but found '{text[place:]}'"
    )
