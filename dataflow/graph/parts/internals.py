"""What programs ask of a graph's insides by the names that TensorFlow 1 has for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from dataflow.graph.parts.names import GraphNames
from dataflow.graph.parts.open_scopes import ControlScope, GraphScopes, merged_over
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.op_def_pb2 import OpDef
from dataflow.schema import opdef
from dataflow.schema.op_def_proto import to_proto

if TYPE_CHECKING:
    from dataflow.graph.operation import Operation
    from dataflow.graph.tensor import Tensor


class GraphInternals:
    """The names; what they stand for is the graph's own."""

    _names: GraphNames
    _scopes: GraphScopes
    _operations: list[Operation]
    as_graph_def: Callable[..., GraphDef]
    create_op: Callable[..., Operation]

    @property
    def _nodes_by_id(self) -> Mapping[int, Operation]:
        """The operations by their numbers, which begin at 1."""
        return {op._id: op for op in list(self._operations)}

    @property
    def _last_id(self) -> int:
        """The number of the operation that was made last; 0 before the first."""
        return len(self._operations)

    @property
    def _names_in_use(self) -> dict[str, int]:
        """The names that are taken, in lower case, and how often each was asked for."""
        return self._names.in_use

    @property
    def _device_functions_outer_to_inner(self) -> list[Any]:
        """The open device scopes as functions of an operation; None where outer ones end."""
        return [_device_function(scope.what) for scope in self._scopes.device_stack]

    @property
    def _gradient_override_map(self) -> dict[str, str]:
        """Op types whose gradients are others' where operations are made now, and the others."""
        return self._scopes.gradient_overrides

    @property
    def _op_to_kernel_label_map(self) -> dict[str, str]:
        """Op types of which a certain kernel is meant where operations are made now."""
        return self._scopes.kernel_labels

    @property
    def _control_dependencies_stack(self) -> list[ControlScope]:
        """The open control scopes, the innermost last."""
        return self._scopes.control_stack

    def _current_control_dependencies(self) -> set[Operation]:
        """What an operation waits for that is made now."""
        return {op for scope in self._scopes.control_stack for op in scope.control_inputs}

    def _create_op_internal(
        self,
        op_type: str,
        inputs: Sequence[Tensor],
        dtypes: Any = None,
        input_types: Any = None,
        name: str | bytes | None = None,
        attrs: dict[str, Any] | None = None,
        op_def: Any = None,
        compute_device: bool = True,
    ) -> Operation:
        """Adds an operation, as `create_op` does."""
        return self.create_op(op_type, inputs, name=name, attrs=attrs)

    def _as_graph_def(
        self, from_version: int | None = None, add_shapes: bool = False
    ) -> tuple[GraphDef, int]:
        """The GraphDef and the version that the graph has."""
        version = self._last_id
        return self.as_graph_def(from_version, add_shapes), version

    def _get_op_def(self, type: str) -> OpDef:
        """The description of an op type.

        Raises:
          KeyError: There is none.
        """
        definition = opdef.find(type)
        if definition is None:
            raise KeyError(type)
        return to_proto(definition)

    def _kernel_label_map(self, op_to_kernel_label_map: Any) -> AbstractContextManager[None]:
        """Notes for op types which of several kernels is meant: the attr `_kernel`.

        Each op type has one kernel here, which runs whatever the label.

        Raises:
          TypeError: `op_to_kernel_label_map` is not a dictionary from strings to strings.
        """
        if not isinstance(op_to_kernel_label_map, dict) or not all(
            isinstance(item, str) for pair in op_to_kernel_label_map.items() for item in pair
        ):
            raise TypeError(
                "op_to_kernel_label_map must be a dictionary mapping strings to strings"
            )
        labels = {**self._scopes.kernel_labels, **op_to_kernel_label_map}
        return self._scopes.swapped(kernel_labels=labels)


def _device_function(device: Any) -> Any:
    if device is None or callable(device):
        return device
    return lambda op: merged_over(device, op.device)
