"""Kernels as the compiler sees them: can a device type run a node, and what does a node give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from dataflow.actors.devices.registry import find_device_type
from dataflow.actors.plan.bind_node import NodeView
from dataflow.actors.step.values import guard_feed
from dataflow.errors import UnimplementedError
from dataflow.kernels.contract import registry
from dataflow.kernels.contract.python_functions import PythonFunctions
from dataflow.kernels.contract.resources import ResourceManager
from dataflow.kernels.contract.session_tensors import SessionTensors
from dataflow.passes.graphs.import_graph import taken
from dataflow.passes.graphs.node_graph import Node
from dataflow.passes.graphs.system_ops import CALLS, CONTROL_FLOW, PLACEHOLDERS, PLUMBING

if TYPE_CHECKING:
    from dataflow.schema.opdef import OpDef

_EVERYWHERE: Final = PLUMBING | CALLS | {"NoOp"}


def supports(op: str, device_type: str, attrs: Mapping[str, Any]) -> bool:
    """True if devices of that type run the op under these attrs."""
    return op in _EVERYWHERE or registry.supports(op, device_type, attrs)


def evaluate_node(node: Node, inputs: Sequence[Any]) -> Sequence[Any]:
    """Runs a stateless node on host values.

    Raises:
      UnimplementedError: There is no CPU kernel that could run it alone.
      Exception: Whatever the kernel raises.
    """
    find_device_type("CPU")
    entry = registry.find(node.op, "CPU", node.attrs)
    if entry is None or entry.needs_step or entry.blocking:
        raise UnimplementedError(None, None, f"Op '{node.op}' cannot be evaluated alone.")
    state = ResourceManager(), SessionTensors(), PythonFunctions()
    call = entry.bound(NodeView(node, "", *state), np)
    with np.errstate(all="ignore"):
        result = call(*map(guard_feed, inputs))
    count = len(node.output_types)
    if count == 1 and not (
        isinstance(result, (tuple, list)) and any(arg.is_list for arg in node.op_def.outputs)
    ):
        return [result]
    return list(result)


def evaluate_op(op_def: OpDef, attrs: Mapping[str, Any], inputs: Sequence[Any]) -> Sequence[Any]:
    """Runs a stateless op on host values, which must be those of every step.

    Raises:
      UnimplementedError: There is no CPU kernel that could run it alone.
      Exception: Whatever the kernel raises.
    """
    if op_def.name in CONTROL_FLOW | PLACEHOLDERS:
        raise UnimplementedError(None, None, f"What '{op_def.name}' gives depends on the step.")
    types = tuple(op_def.input_types(attrs)), tuple(op_def.output_types(attrs))
    return evaluate_node(Node(0, op_def.name, op_def, taken(attrs), *types, "", ""), inputs)
