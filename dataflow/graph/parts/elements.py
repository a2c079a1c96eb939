"""What an object or a name stands for in a graph: a tensor, an operation, or a clear error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor

if TYPE_CHECKING:
    from dataflow.graph.graph import Graph


def as_graph_element(
    graph: Graph,
    by_name: Mapping[str, Operation],
    obj: Any,
    allow_tensor: bool,
    allow_operation: bool,
) -> Tensor | Operation:
    """Resolves `obj`; see `Graph.as_graph_element`."""
    if allow_tensor and allow_operation:
        wanted = "Tensor or Operation"
    elif allow_tensor:
        wanted = "Tensor"
    elif allow_operation:
        wanted = "Operation"
    else:
        raise ValueError("allow_tensor and allow_operation can't both be False.")
    convert = getattr(obj, "_as_graph_element", None)
    if convert is not None:
        obj = convert()
    if isinstance(obj, bytes):
        obj = obj.decode()
    if isinstance(obj, str):
        return _by_name(by_name, obj, allow_tensor, allow_operation, wanted)
    if isinstance(obj, Tensor) and allow_tensor:
        if obj.graph is not graph:
            raise ValueError(f"Tensor {obj} is not an element of this graph.")
        return obj
    if isinstance(obj, Operation) and allow_operation:
        if obj.graph is not graph:
            raise ValueError(f"Operation {obj} is not an element of this graph.")
        return obj
    raise TypeError(f"Can not convert a {type(obj).__name__} into a {wanted}.")


def _by_name(
    by_name: Mapping[str, Operation],
    name: str,
    allow_tensor: bool,
    allow_operation: bool,
    wanted: str,
) -> Tensor | Operation:
    if ":" in name:
        if not allow_tensor:
            raise ValueError(f"Name {name!r} appears to refer to a Tensor, not a {wanted}.")
        return _tensor_by_name(by_name, name)
    if allow_operation:
        if name not in by_name:
            raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
        return by_name[name]
    if name in by_name:
        raise ValueError(
            f"The name {name!r} refers to an Operation, not a {wanted}. "
            'Tensor names must be of the form "<op_name>:<output_index>".'
        )
    raise ValueError(
        f"The name {name!r} looks like an (invalid) Operation name, not a {wanted}. "
        'Tensor names must be of the form "<op_name>:<output_index>".'
    )


def _tensor_by_name(by_name: Mapping[str, Operation], name: str) -> Tensor:
    op_name, _, index_text = name.partition(":")
    if not index_text.lstrip("-").isdigit():
        raise ValueError(
            f"The name {name!r} looks a like a Tensor name, but is not a valid one. "
            'Tensor names must be of the form "<op_name>:<output_index>".'
        )
    op = by_name.get(op_name)
    if op is None:
        raise KeyError(
            f"The name {name!r} refers to a Tensor which does not exist. The operation, "
            f"{op_name!r}, does not exist in the graph."
        )
    if not 0 <= int(index_text) < len(op.outputs):
        raise KeyError(
            f"The name {name!r} refers to a Tensor which does not exist. The operation, "
            f"{op_name!r}, exists but only has {len(op.outputs)} outputs."
        )
    return op.outputs[int(index_text)]
