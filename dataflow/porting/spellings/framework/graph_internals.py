"""tensorflow.python.framework.ops: what TensorFlow's own tests look at in graphs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any

from dataflow.differentiation.registry import gradient_function as get_gradient_function
from dataflow.errors import InvalidArgumentError
from dataflow.graph import default_stacks, scopes
from dataflow.graph.collection_protos import proto_functions
from dataflow.graph.convert import convert_n_to_tensor as internal_convert_n_to_tensor
from dataflow.graph.convert import convert_to_tensor as internal_convert_to_tensor
from dataflow.graph.indexed_slices import (
    convert_n_to_tensor_or_indexed_slices,
    convert_to_tensor_or_indexed_slices,
)
from dataflow.graph.operation import Operation
from dataflow.graph.parts import function_def
from dataflow.graph.tensor import Tensor
from dataflow.porting.spellings.framework.registries import GradientRegistry
from dataflow.proto.attr_value_pb2 import AttrValue
from dataflow.proto.function_pb2 import FunctionDef
from dataflow.proto.node_def_pb2 import NodeDef

__all__ = [
    "convert_n_to_tensor_or_indexed_slices",
    "get_gradient_function",
    "internal_convert_n_to_tensor",
    "internal_convert_to_tensor",
]

gradient_registry = GradientRegistry()
_gradient_registry = gradient_registry
convert_to_tensor_or_composite = convert_to_tensor_or_indexed_slices
convert_n_to_tensor_or_composite = convert_n_to_tensor_or_indexed_slices
internal_convert_to_tensor_or_composite = convert_to_tensor_or_indexed_slices
internal_convert_n_to_tensor_or_composite = convert_n_to_tensor_or_indexed_slices
internal_convert_to_tensor_or_indexed_slices = convert_to_tensor_or_indexed_slices
internal_convert_n_to_tensor_or_indexed_slices = convert_n_to_tensor_or_indexed_slices


class _Stack:
    """A thread's stack of defaults, by TensorFlow's names."""

    def __init__(self, stack: Any, get_default: Callable[[], Any]) -> None:
        self._stack = stack
        self.get_default = get_default

    @property
    def stack(self) -> list[Any]:
        """The defaults, the innermost last."""
        entries: list[Any] = self._stack.stack
        return entries

    def reset(self) -> None:
        """Empties it."""
        self._stack.reset()

    def is_cleared(self) -> bool:
        """Whether it is empty."""
        return not self.stack

    def get_controller(self, default: Any) -> AbstractContextManager[Any]:
        """A context with another default."""
        entered: AbstractContextManager[Any] = self._stack.entered(default)
        return entered


_default_session_stack = _Stack(default_stacks.sessions, default_stacks.sessions.top)
_default_graph_stack = _Stack(default_stacks.graphs, scopes.get_default_graph)


_DefaultStack = default_stacks.DefaultStack
peek_default_graph = scopes.get_default_graph


def tensor_id(tensor: Any) -> int:
    """Tells a tensor from the others that there are."""
    return id(tensor)


def _eval_using_default_session(
    tensors: Any, feed_dict: Any, graph: Any, session: Any = None
) -> Any:
    """The value of tensors in a session, or the default one."""
    return default_stacks.evaluate(tensors, feed_dict, graph, session, "evaluate tensor", "eval")


def _run_using_default_session(
    operation: Any, feed_dict: Any, graph: Any, session: Any = None
) -> None:
    """Runs an operation in a session, or the default one."""
    default_stacks.evaluate(operation, feed_dict, graph, session, "execute operation", "run")


def has_default_graph() -> bool:
    """Whether a context has made a graph the default."""
    return bool(default_stacks.graphs.stack)


def inside_function() -> bool:
    """Whether the default graph is the body of a function."""
    return bool(scopes.get_default_graph()._building_function)


def get_name_scope() -> str:
    """The name scope of the default graph."""
    return scopes.get_default_graph().get_name_scope()


def name_from_scope_name(name: str) -> str:
    """A scope's name without the slash at its end."""
    return name.removesuffix("/")


class name_scope_v2:
    """A name scope that may be entered while it is entered.

    Args:
      name: Its name.

    Raises:
      ValueError: The name is no text.
    """

    def __init__(self, name: Any) -> None:
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        self._name = name
        self._exits: list[ExitStack] = []

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    def __enter__(self) -> Any:
        entered = ExitStack()
        scope = entered.enter_context(scopes.name_scope(self._name))
        self._exits.append(entered)
        return scope

    def __exit__(self, *error: Any) -> None:
        self._exits.pop().__exit__(*error)


def get_all_collection_keys() -> list[Any]:
    """The names of the default graph's collections."""
    return scopes.get_default_graph().get_all_collection_keys()


def get_collection_proto_type(collection_name: Hashable) -> Any:
    """The class of a collection's messages, or None."""
    return proto_functions(collection_name).message


def get_to_proto_function(collection_name: Hashable) -> Any:
    """What makes messages of a collection's items, or None."""
    return proto_functions(collection_name).to_proto


def get_from_proto_function(collection_name: Hashable) -> Any:
    """What makes a collection's items of messages, or None."""
    return proto_functions(collection_name).from_proto


def _NodeDef(
    op_type: str, name: str, device: Any = None, attrs: Mapping[str, AttrValue] | None = None
) -> NodeDef:
    """A node.

    Args:
      op_type: Its type.
      name: Its name.
      device: Its device, or a function of the node that says it.
      attrs: Its attrs.
    """
    node = NodeDef(op=op_type, name=name)
    for key, value in (attrs or {}).items():
        node.attr[key].CopyFrom(value)
    if device is not None:
        named = device(node) if callable(device) else device
        node.device = named if isinstance(named, str) else named.to_string()
    return node


def _create_c_op(
    graph: Any, node_def: NodeDef, inputs: Sequence[Any], control_inputs: Sequence[Operation]
) -> Operation:
    """Adds a node to a graph.

    Args:
      graph: The graph.
      node_def: The node's type, name, attrs and device.
      inputs: Its inputs, those of a list in a list.
      control_inputs: The operations that it waits for.

    Raises:
      ValueError: There is no such type, or the node is none of that type.
    """
    flat = [each for given in inputs for each in (given if isinstance(given, list) else [given])]
    return Operation(node_def, graph, inputs=flat, control_inputs=list(control_inputs))


def _set_call_cpp_shape_fn(call_cpp_shape_fn: Any) -> None:
    """Nothing: shapes come from the definitions of ops."""


def dismantle_graph(graph: Any) -> None:
    """Nothing: a graph goes when nothing refers to it."""


def graph_to_function_def(
    graph: Any,
    operations: Iterable[Operation],
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    out_names: Sequence[str] | None = None,
) -> FunctionDef:
    """Writes operations of a graph as a function named "_".

    Raises:
      InvalidArgumentError: There are more or fewer names than outputs, or a node depends on one
        that is not of the body.
      ValueError: Two results have one name.
    """
    if out_names is not None and len(out_names) != len(outputs):
        raise InvalidArgumentError(
            None,
            None,
            "output names must be either empty or equal in size to outputs. output names size = "
            f"{len(out_names)} outputs size = {len(outputs)}",
        )
    if out_names is not None and len({*out_names}) != len(out_names):
        raise ValueError(f"Must not have duplicates in out_names: {', '.join(out_names)}")
    return function_def.graph_to_function_def(
        "_",
        operations,
        inputs,
        outputs,
        output_names=_result_names(outputs) if out_names is None else out_names,
        keeps_names=True,
    )


def _result_names(outputs: Sequence[Tensor]) -> list[str]:
    """Names of results, made of those of tensors."""
    found: dict[str, None] = {}
    for tensor in outputs:
        plain = tensor.name.removesuffix(":0").replace(":", "_o")
        name = plain
        for number in itertools.count():
            if name not in found:
                break
            name = f"{plain}_U{number}"
        found[name] = None
    return [*found]
