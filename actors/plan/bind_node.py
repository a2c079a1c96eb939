"""Binds a node of a partition to its kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from dataflow.actors.nodes.binding import Adapter, Binding, CallKind
from dataflow.actors.plan.sources import Source, checker, passes_cells, referred, value_adapter
from dataflow.errors import (
    InternalError,
    InvalidArgumentError,
    NotFoundError,
    OpError,
    UnimplementedError,
)
from dataflow.kernels.contract import registry
from dataflow.kernels.contract.python_functions import PythonFunctions
from dataflow.kernels.contract.resources import ResourceManager
from dataflow.kernels.contract.session_tensors import SessionTensors
from dataflow.schema import arguments as op_schema
from dataflow.schema.node_validation import type_mismatch
from dataflow.values import dtypes
from dataflow.values.dtypes import NO_NUMPY_TYPE, DType

if TYPE_CHECKING:
    from dataflow.actors.devices.device_type import DeviceType
    from dataflow.actors.plan.device_view import DeviceView
    from dataflow.actors.plan.functions import FunctionFinder, NodeFunction
    from dataflow.actors.step.step import Step
    from dataflow.passes.graphs.node_graph import Node

_HANDLES: Final = frozenset({dtypes.resource, dtypes.variant})
_NEVER_ON_DEVICE: Final = _HANDLES | {dtypes.string}


class NodeView:
    """The node as its kernel's bind function sees it; keeps nothing else of the graph alive."""

    __slots__ = (
        "_attrs",
        "_functions",
        "_op_def",
        "device",
        "input_dtypes",
        "input_names",
        "name",
        "op",
        "output_dtypes",
        "python_functions",
        "resources",
        "session_tensors",
    )

    def __init__(
        self,
        node: Node,
        device: str,
        resources: ResourceManager,
        session_tensors: SessionTensors,
        python_functions: PythonFunctions,
        functions: FunctionFinder | None = None,
    ) -> None:
        self._attrs = node.attrs
        self._op_def = node.op_def
        self.name = node.name
        self.op = node.op
        self.device = device
        self.resources = resources
        self.session_tensors = session_tensors
        self.python_functions = python_functions
        self.input_dtypes: Sequence[DType] = node.input_types
        self.output_dtypes: Sequence[DType] = node.output_types
        self.input_names: Sequence[str] = [
            f"{edge.src.name}:{edge.src_output}" if edge.src_output else edge.src.name
            for edge in node.data_edges()
        ]
        self._functions = functions

    def attr(self, name: str) -> Any:
        """Decoded attr value; defaults are filled in.

        Raises:
          KeyError: The node has no such attr.
        """
        try:
            return self._attrs[name]
        except KeyError:
            definition = self._op_def.attr_by_name.get(name)
            if definition is not None and definition.has_default:
                return definition.default
            raise KeyError(f"Node '{self.name}' ({self.op}) has no attr '{name}'.") from None

    def function(self, name: str) -> NodeFunction:
        """The function that a `func` attr names.

        Raises:
          UnimplementedError: The node is looked at outside of a graph.
        """
        if self._functions is None:
            raise UnimplementedError(None, None, f"Op '{self.op}' calls functions of its graph.")
        return self._functions.find(self.attr(name))


def bind_node(
    node: Node,
    sources: Sequence[Source],
    device: DeviceView,
    session: int,
    functions: FunctionFinder | None = None,
) -> Binding:
    """Binds a node.

    Args:
      node: The node.
      sources: Where its inputs come from.
      device: The device it runs on.
      session: The session whose stateful kernels it shares.
      functions: Finds those that the node names.

    Raises:
      NotFoundError: The device has no kernel for the node.
      OpError: The kernel refuses the node's attrs.
    """
    if node.op == "NoOp":
        return Binding(_nothing, CallKind.NOTHING)
    variable = referred(sources[0]) if passes_cells(node) else None
    if variable is not None and node.op != "Switch":
        return Binding(pass_on, CallKind.PLAIN, (checker(*variable),), (sources[0].in_host,))
    device_type = device.device_type
    entry = registry.find(node.op, device_type.name, node.attrs)
    if entry is None and node.op == "Identity":
        # A transfer of order alone ends in an Identity, on devices of any type.
        return Binding(pass_on, CallKind.PLAIN, (None,), (sources[0].in_host,))
    if entry is None:
        lines = "\n  ".join(registry.describe(node.op)) or "<no registered kernels>"
        raise NotFoundError(
            None,
            None,
            f"No registered '{node.op}' OpKernel for {device_type.name} devices compatible with "
            f"node {{{{node {node.name}}}}}.\n\t.  Registered:  {lines}\n",
        )
    _check_references(node, sources)
    resources, session_tensors = device.resources_of(session), device.session_tensors(session)
    state = resources, session_tensors, device.python_functions(session)
    view = NodeView(node, device.name, *state, functions)
    if variable is not None:
        predicate = _adapter(node, sources[1], view.input_dtypes[1], True, device)
        adapters, in_host = (checker(*variable), predicate), (sources[0].in_host,) * 2
        return Binding(entry.bound(view, np), CallKind.PLAIN, adapters, in_host)
    if device_type.is_host:
        declared = (True,) * len(node.input_types)
        host_outputs, on_host = (True,) * len(node.output_types), True
    else:
        declared, host_outputs, on_host = _memory(entry, node, device_type)
    call = _bound(entry, node, view, np if on_host else device_type.array_module(), device, session)
    kind = CallKind.STEP if entry.needs_step else CallKind.PLAIN
    plain = _plain_outputs(node, host_outputs, None if on_host else device_type)
    if entry.blocking:
        kind = CallKind.BLOCKING
        if plain is not None and not on_host:
            call = _done_with(call, plain)
    elif plain is not None:
        call = _followed_by(call, plain)
    return Binding(
        call=call,
        kind=kind,
        adapters=tuple(
            _adapter(node, source, wanted, on_host or host, device)
            for source, wanted, host in zip(sources, view.input_dtypes, declared, strict=True)
        ),
        host_outputs=host_outputs,
        cost=entry.cost,
        elementwise=entry.elementwise and kind is CallKind.PLAIN and device_type.is_host,
        broadcasts=entry.broadcasts,
        takes_out=entry.takes_out,
    )


def _memory(
    entry: registry.Kernel, node: Node, device_type: DeviceType
) -> tuple[tuple[bool, ...], tuple[bool, ...], bool]:
    """Which inputs the kernel wants in host memory, which outputs are there, and whether it
    computes there itself."""
    declared = tuple(_declared(node.op_def.inputs, entry.host_inputs, node))
    if entry.device == registry.ANY_DEVICE and not entry.passes and _is_for_host(node, declared):
        return (True,) * len(node.input_types), (True,) * len(node.output_types), True
    if entry.passes:
        stays = map(device_type.keeps_in_host_memory, node.input_types)
        declared = tuple(host or stay for host, stay in zip(declared, stays, strict=True))
    host_outputs = tuple(
        host or device_type.keeps_in_host_memory(dtype)
        for host, dtype in zip(
            _declared(node.op_def.outputs, entry.host_outputs, node),
            node.output_types,
            strict=True,
        )
    )
    # A node whose tensors are all in host memory computes there, whatever the device.
    on_host = all(host_outputs) and all(
        host or device_type.keeps_in_host_memory(dtype)
        for host, dtype in zip(declared, node.input_types, strict=True)
    )
    return declared, host_outputs, on_host


def _is_for_host(node: Node, declared: Sequence[bool]) -> bool:
    """Whether the host computes a node of a device, and its outputs stay there until they are used.

    It does if only numpy knows the elements, or if all that is calculated with is there already,
    as conditions and sizes are: TensorFlow's GPU kernels of int32 do the same.
    """
    types = (*node.input_types, *node.output_types)
    if any(dtype.base_dtype is dtypes.string or dtype.is_quantized for dtype in types):
        return True
    if not _HANDLES.isdisjoint(types):
        return False
    data = [dtype for dtype, host in zip(node.input_types, declared, strict=True) if not host]
    return bool(data) and all(dtype is dtypes.int32 for dtype in data)


def _nothing() -> None:
    """The work of a node that only orders others."""


def pass_on(value: Any) -> Any:
    """What Identity does."""
    return value


def _check_references(node: Node, sources: Sequence[Source]) -> None:
    """Refuses a fed value where the node needs a variable to write to."""
    for index, wanted in enumerate(node.input_types):
        if not wanted._is_ref_dtype:
            continue
        source = sources[index]
        given = source.node.output_types[source.output]
        if not given._is_ref_dtype:
            raise type_mismatch(index, node.name, given, source.node.name, source.output, wanted)


def _declared(args: Sequence[op_schema.ArgDef], host_args: Sequence[str], node: Node) -> list[bool]:
    """For each tensor of these arguments whether the kernel itself wants it in host memory."""
    return [
        arg.name in host_args or dtype.base_dtype in _NEVER_ON_DEVICE
        for arg in args
        for dtype in op_schema.arg_types(arg, node.attrs)
    ]


def _bound(
    entry: registry.Kernel, node: Node, view: NodeView, xp: Any, device: DeviceView, session: int
) -> Callable[..., Any]:
    """The kernel's callable; that of a stateful node is kept over the plans of a session."""
    if node.op_def.is_stateful:
        kept = device.stateful_kernels.find(session, node.name)
        if kept is not None:
            return kept
    try:
        call = entry.bound(view, xp)
    except OpError:
        raise
    except Exception as error:
        if isinstance(error, KeyError) and NO_NUMPY_TYPE in str(error):
            raise InvalidArgumentError(
                None, None, f"No OpKernel was registered to support Op '{node.op}': {error.args[0]}"
            ) from None
        raise InternalError(
            None,
            None,
            f"Kernel '{node.op}' cannot be bound: {type(error).__name__}: {error}",
        ) from error
    if node.op_def.is_stateful:
        # Two plans may be built at the same time: the first callable stays.
        call = device.stateful_kernels.keep(session, node.name, call)
    return call


def _plain_outputs(
    node: Node, host_outputs: Sequence[bool], device_type: DeviceType | None
) -> Callable[[Any], Any] | None:
    """Takes a lone output out of its list, and brings outputs to host memory that belong there."""
    to_host = device_type.to_host if device_type is not None else None
    moved = to_host is not None and any(host_outputs)
    lone_list = len(host_outputs) == 1 and any(arg.is_list for arg in node.op_def.outputs)
    if not moved and not lone_list:
        return None

    def plain(result: Any) -> Any:
        if lone_list and isinstance(result, (tuple, list)):
            result = result[0]
        if not moved or to_host is None:
            return result
        if len(host_outputs) == 1:
            return to_host(result)
        return tuple(
            to_host(value) if host else value
            for value, host in zip(result, host_outputs, strict=True)
        )

    return plain


def _followed_by(call: Callable[..., Any], plain: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda *inputs: plain(call(*inputs))


def _done_with(call: Callable[..., Any], plain: Callable[[Any], Any]) -> Callable[..., Any]:
    """A blocking kernel whose outputs are where they belong."""

    def run(step: Step, done: Callable[..., None], *inputs: Any) -> None:
        def finished(result: Any = None, *, error: BaseException | None = None) -> None:
            if error is None:
                try:
                    result = plain(result)
                except Exception as wrong:
                    # Nobody but who is told here waits for the kernel.
                    error = wrong
            if error is None:
                done(result)
            else:
                done(error=error)

        call(step, finished, *inputs)

    return run


def _adapter(
    node: Node, source: Source, wanted: DType, to_host: bool, device: DeviceView
) -> Adapter | None:
    if not wanted._is_ref_dtype:
        return value_adapter(source, to_host, device)
    if node.op_def.allows_uninitialized_input:
        return None
    return checker(source.node, source.output)
