"""The body of a function as a FunctionDef: the graph between its inputs and its outputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dataflow.errors import InvalidArgumentError
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.proto.function_pb2 import FunctionDef
from dataflow.schema.arguments import arg_types
from dataflow.values import attrs as attr_codec
from dataflow.values import dtypes


class _Names:
    """Names within one function: arguments are lower case, and no two things share one."""

    def __init__(self) -> None:
        self._used: dict[str, int] = {}
        self.of_nodes: dict[str, str] = {}

    def argument(self, name: str) -> str:
        """A free name for an argument, made of a node's: letters, digits and underscores."""
        plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in name.lower())
        start = next((i for i, c in enumerate(plain) if c.isalpha()), None)
        return self.unique("unknown" if start is None else plain[start:])

    def take(self, name: str) -> None:
        """Reserves a name."""
        self._used[name] = 0

    def unique(self, name: str) -> str:
        """The name, or with the first number that makes it free."""
        if name not in self._used:
            self._used[name] = 0
            return name
        while True:
            candidate = f"{name}_{self._used[name]}"
            self._used[name] += 1
            if candidate not in self._used:
                self._used[candidate] = 0
                return candidate


class _OwnNames(_Names):
    """The names that operations have in their graph."""

    def argument(self, name: str) -> str:
        return name

    def unique(self, name: str) -> str:
        return name


def graph_to_function_def(
    name: str,
    operations: Iterable[Operation],
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    *,
    output_names: Sequence[str] = (),
    control_outputs: Sequence[Operation] = (),
    description: str = "",
    keeps_names: bool = False,
) -> FunctionDef:
    """Writes operations as a function; it is stateful if one of them is.

    Args:
      name: The function's name.
      operations: The body; those of the inputs are left out.
      inputs: Placeholders that stand for the arguments.
      outputs: What is returned; of the body, or inputs.
      output_names: Names of the results; made of the names of their operations if empty.
      control_outputs: Operations that run whenever the function does.
      description: What the function computes.
      keeps_names: Whether nodes and arguments have the names that they have in the graph, not ones
        that differ from those of results.

    Raises:
      InvalidArgumentError: Two results have one name, or a node depends on one that is not of the
        body.
    """
    function = FunctionDef()
    signature = function.signature
    signature.name = name
    if description:
        signature.description = description
    names = _Names()
    if len({*output_names}) != len(output_names):
        repeated = next(n for i, n in enumerate(output_names) if n in output_names[:i])
        raise _invalid(
            "Cannot have duplicate output names. Name "
            f"'{repeated}' appears more than once in 'output_names' array."
        )
    for index, tensor in enumerate(outputs):
        arg = signature.output_arg.add(type=tensor.dtype.as_datatype_enum)
        if output_names:
            arg.name = output_names[index]
            names.take(arg.name)
        else:
            arg.name = names.argument(tensor.op.name)
    if keeps_names:
        names = _OwnNames()
    places: dict[Tensor, str] = {}
    for index, tensor in enumerate(inputs):
        places[tensor] = _add_input(function, index, tensor, names)
    input_ops = {tensor.op for tensor in inputs}
    body = [op for op in operations if op not in input_ops]
    for op in body:
        node_name = names.of_nodes[op.name] = names.unique(op.name)
        for tensor, place in zip(op.outputs, _nested_names(op), strict=True):
            places.setdefault(tensor, f"{node_name}:{place}")
    for op in body:
        _add_node(function, op, places, names.of_nodes)
    for arg, tensor in zip(signature.output_arg, outputs, strict=True):
        if tensor not in places:
            raise _invalid(
                f"Output '{tensor.name}' of function '{name}' is neither computed by its body nor "
                "one of its inputs."
            )
        function.ret[arg.name] = places[tensor]
    _add_control_outputs(function, control_outputs, names.of_nodes)
    return function


def _add_input(function: FunctionDef, index: int, tensor: Tensor, names: _Names) -> str:
    op = tensor.op
    name = names.of_nodes[op.name] = names.argument(op.name)
    function.signature.input_arg.add(name=name, type=tensor.dtype.as_datatype_enum)
    kept = function.arg_attr[index].attr if _has_arg_attrs(tensor) else None
    if kept is None:
        return name
    for key, value in op.attrs.items():
        if key.startswith("_"):
            attr_codec.encode_inferred(value, kept[key])
    if "shape" in op.attrs and tensor.dtype is not dtypes.resource:
        kept["_output_shapes"].list.shape.add().CopyFrom(op.attrs["shape"].as_proto())
    return name


def _has_arg_attrs(tensor: Tensor) -> bool:
    attrs = tensor.op.attrs
    has_shape = "shape" in attrs and tensor.dtype is not dtypes.resource
    return has_shape or any(key.startswith("_") for key in attrs)


def _nested_names(op: Operation) -> list[str]:
    """`arg:index` of each output, as nodes of a function name what they take."""
    return [
        f"{arg.name}:{i}" for arg in op.op_def.outputs for i in range(len(arg_types(arg, op.attrs)))
    ]


def _add_node(
    function: FunctionDef, op: Operation, places: Mapping[Tensor, str], names: Mapping[str, str]
) -> None:
    node = function.node_def.add()
    op.fill_node_def(node)
    node.name = names[op.name]
    del node.input[:]
    for index, tensor in enumerate(op.inputs):
        if tensor not in places:
            raise _invalid(
                f"Input {index}, '{tensor.name}', of node '{op.name}' in function "
                f"'{function.signature.name}' is not available. You might need to include it in "
                "inputs or include its source node in the body"
            )
        node.input.append(places[tensor])
    for source in sorted(each.name for each in op.control_inputs):
        if source not in names:
            raise _invalid(
                f"The source '{source}' of a control edge to '{op.name}' is not in the body. "
                f"Encountered while creating function '{function.signature.name}'"
            )
        node.input.append("^" + names[source])
    if op.op_def.is_stateful:
        function.signature.is_stateful = True


def _add_control_outputs(
    function: FunctionDef, operations: Sequence[Operation], names: Mapping[str, str]
) -> None:
    for op in operations:
        if op.name not in names:
            raise _invalid(
                f"Control output '{op.name}' is not in the body of function "
                f"'{function.signature.name}'."
            )
        function.signature.control_output.append(op.name)
        function.control_ret[op.name] = names[op.name]


def _invalid(text: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, text)
