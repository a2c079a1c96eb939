"""The arguments of import_graph_def, checked and brought into the form the import needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.schema import opdef
from dataflow.schema.node_validation import CONTROL_SLOT

_NO_INPUT_MAP: Final = "input_map must be a dictionary mapping strings to Tensor objects."


def as_graph_def(graph_def: Any) -> GraphDef:
    """A GraphDef of ours; one of TensorFlow's own class is converted.

    Raises:
      TypeError: The argument is no GraphDef.
    """
    if isinstance(graph_def, GraphDef):
        return graph_def
    descriptor = getattr(graph_def, "DESCRIPTOR", None)
    if descriptor is None or descriptor.name != "GraphDef":
        raise TypeError("graph_def must be a GraphDef proto.")
    return GraphDef.FromString(graph_def.SerializeToString())


def checked_input_map(input_map: Any) -> dict[str, Any]:
    """The input map with its keys as strings.

    Raises:
      TypeError: It is not a dictionary with strings as keys.
    """
    if input_map is None:
        return {}
    if not isinstance(input_map, Mapping):
        raise TypeError(_NO_INPUT_MAP)
    if not all(isinstance(key, (str, bytes)) for key in input_map):
        raise TypeError(_NO_INPUT_MAP)
    return {_text(key): value for key, value in input_map.items()}


def checked_return_elements(return_elements: Any) -> list[str] | None:
    """The names to return as strings.

    Raises:
      TypeError: They are not strings.
    """
    if return_elements is None:
        return None
    if not all(isinstance(element, (str, bytes)) for element in return_elements):
        raise TypeError("return_elements must be a list of strings.")
    return [_text(element) for element in return_elements]


def as_tensors(input_map: Mapping[str, Any], name: str | None) -> dict[tuple[str, int], Tensor]:
    """The input map by endpoint, its values converted to tensors inside the import's scope.

    Raises:
      ValueError: A value is no tensor and there is no scope to convert it in, or a key is not a
        tensor name.
    """
    if not all(isinstance(value, Tensor) for value in input_map.values()):
        if name == "":
            raise ValueError(
                "tf.import_graph_def() requires a non-empty `name` if `input_map` contains "
                "non-Tensor values. Try calling tf.convert_to_tensor() on `input_map` values "
                "before calling tf.import_graph_def()."
            )
        with scopes.name_scope("_inputs"):
            input_map = {key: convert_to_tensor(value) for key, value in input_map.items()}
    return {_endpoint(key, value): value for key, value in input_map.items()}


def _endpoint(key: str, value: Tensor) -> tuple[str, int]:
    if key.startswith("^"):
        return key[1:], CONTROL_SLOT
    node, index = parse_tensor_name(key)
    if index < 0:
        raise ValueError(
            f"input_map entry ^{node}->{value.name} between control edge and non-control edge"
        )
    return node, index


def parse_tensor_name(name: str) -> tuple[str, int]:
    """Node name and output index of "a:1"; "a" means "a:0".

    Raises:
      ValueError: The name has no such form.
    """
    node, colon, index = name.partition(":")
    if not colon:
        return name, 0
    if ":" in index:
        raise ValueError(
            f"Cannot convert '{name}' to a tensor name. Tensor names should not contain more than "
            f"1 `:`. Obtained {name.count(':')}"
        )
    try:
        return node, int(index)
    except ValueError:
        raise ValueError(
            f"Cannot convert {name!r} to a tensor name. Second component of the name following "
            f"the `:` should be an int. Got {index}."
        ) from None


def without_producer_defaults(graph_def: GraphDef, producer_op_list: Any) -> GraphDef:
    """A copy without the attrs that are unknown here and have their default at the producer."""
    producer = {op.name: {attr.name: attr for attr in op.attr} for op in producer_op_list.op}
    result = GraphDef()
    result.CopyFrom(graph_def)
    for node in result.node:
        known = opdef.find(node.op)
        theirs = producer.get(node.op)
        if known is None or theirs is None:
            continue
        for key in set(node.attr) - set(known.attr_by_name):
            definition = theirs.get(key)
            if definition is not None and definition.HasField("default_value"):
                default = definition.default_value.SerializeToString(deterministic=True)
                if node.attr[key].SerializeToString(deterministic=True) == default:
                    del node.attr[key]
    return result


def _text(name: Sequence[Any]) -> str:
    return name.decode() if isinstance(name, bytes) else str(name)
