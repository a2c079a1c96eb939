"""Whether a NodeDef keeps to its op's schema: the checks that both importers of GraphDef share.

Each failure is an InvalidArgumentError that names the node and what is wrong with it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from dataflow.errors import InvalidArgumentError
from dataflow.proto.attr_value_pb2 import AttrValue
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.proto.versions_pb2 import VersionDef
from dataflow.schema import arguments as op_schema
from dataflow.schema import opdef
from dataflow.schema.arguments import NO_DEFAULT, AttrDef
from dataflow.schema.opdef import OpDef
from dataflow.schema.summaries import attr_text, op_text, type_name, type_names
from dataflow.values import attrs as attr_codec
from dataflow.values import devices, dtypes
from dataflow.values.dtypes import DType
from dataflow.values.versions import GRAPH_DEF_VERSION, GRAPH_DEF_VERSION_MIN_PRODUCER, VERSION

CONTROL_SLOT: Final = -1
"""Output index that stands for a control input."""
SYSTEM_OPS: Final = frozenset({"_Arg", "_Retval", "_Send", "_Recv", "_HostSend", "_HostRecv"})
"""Ops of nodes that only the system makes: feeds, fetches and transfers."""
MAX_LIST_LENGTH: Final = 1 << 20
"""Most tensors a list argument may stand for: a number in a file must not fill the memory."""

Types = tuple[tuple[DType, ...], tuple[DType, ...]]
"""Element types of a node's inputs and outputs."""

_NODE_NAME: Final = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>\-]*")
_INTERNAL_NAME: Final = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.\\/>\-]*")
_SLOT: Final = re.compile(r"(.+):([0-9]{1,9})", re.DOTALL)
_KIND_OF_FIELD: Final = {
    "s": "string",
    "i": "int",
    "f": "float",
    "b": "bool",
    "type": "type",
    "shape": "shape",
    "tensor": "tensor",
    "func": "func",
}


class _Fault(Exception):
    """What is wrong with an attr; its caller knows the node and which attr it is."""


class _ValueFault(_Fault):
    """The same, in words that name the attr already."""


def check_versions(versions: VersionDef) -> None:
    """Whether this library may read a graph of these versions.

    Raises:
        InvalidArgumentError: It is too old or too new.
    """
    if versions.producer < GRAPH_DEF_VERSION_MIN_PRODUCER:
        reason = (
            f"GraphDef producer version {versions.producer} below min producer "
            f"{GRAPH_DEF_VERSION_MIN_PRODUCER} supported by TensorFlow {VERSION}.  "
            "Please regenerate your graph."
        )
    elif versions.min_consumer > GRAPH_DEF_VERSION:
        reason = (
            f"GraphDef min consumer version {versions.min_consumer} above current version "
            f"{GRAPH_DEF_VERSION} for TensorFlow {VERSION}.  Please upgrade TensorFlow."
        )
    elif GRAPH_DEF_VERSION in versions.bad_consumers:
        reason = (
            f"GraphDef disallows consumer version {GRAPH_DEF_VERSION}.  Please upgrade dataflow: "
            "this version is likely buggy."
        )
    else:
        return
    raise InvalidArgumentError(None, None, reason)


def check_node_name(name: str, internal: bool = False) -> None:
    """Whether a node may have this name.

    Args:
        name: The name.
        internal: Whether it may start with `_`, as the system's own nodes do.

    Raises:
        InvalidArgumentError: It may not.
    """
    if not (_INTERNAL_NAME if internal else _NODE_NAME).fullmatch(name):
        raise InvalidArgumentError(
            None, None, f"Node '{name}': Node name contains invalid characters"
        )


def check_device(node: NodeDef) -> None:
    """Whether the device a node asks for can be read.

    Raises:
        InvalidArgumentError: It cannot.
    """
    try:
        devices.parse(node.device)
    except ValueError as error:
        raise InvalidArgumentError(
            node,
            None,
            f"Malformed device specification '{node.device}' in node: {{{{node {node.name}}}}}: "
            f"{error}",
        ) from None


def parse_input(text: str) -> tuple[str, int]:
    """An entry of `NodeDef.input` or a tensor name, as node name and output index.

    A control input has the index -1. A text that names no output is all name, with index 0.
    """
    if text.startswith("^"):
        return text[1:], CONTROL_SLOT
    match = _SLOT.fullmatch(text)
    return (match[1], int(match[2])) if match else (text, 0)


def check_not_system_op(node: NodeDef) -> None:
    """Whether a user's graph may have a node of this op type.

    Raises:
        InvalidArgumentError: It may not: a `_Recv` that nobody sends to would wait for ever.
    """
    if node.op in SYSTEM_OPS or node.op == "_DebugIdentity":
        raise InvalidArgumentError(
            node,
            None,
            f"Node '{node.name}': op type '{node.op}' is for the nodes that a session adds; a "
            "graph cannot bring its own.",
        )


def find_op(node: NodeDef, functions: Mapping[str, OpDef]) -> OpDef:
    """The schema of a node's op type.

    Args:
        node: The node.
        functions: Schemas of the functions in the graph's library.

    Raises:
        InvalidArgumentError: The node names none, or one that is not registered.
    """
    if not node.op:
        raise InvalidArgumentError(node, None, f"Node '{node.name}' does not specify an operation")
    found = opdef.find(node.op) or functions.get(node.op)
    if found is None:
        raise InvalidArgumentError(
            node,
            None,
            f"Op type not registered '{node.op}' in node '{node.name}'. dataflow has no op of "
            "this type: if a module of your own defines it, import that before the graph is used.",
        )
    return found


def decode_attrs(op_def: OpDef, node: NodeDef) -> dict[str, Any]:
    """The attrs of a node, decoded, checked against the schema, and completed by its defaults.

    Attrs that the schema does not know are kept.

    Raises:
        InvalidArgumentError: An attr is missing, malformed, of another kind, or not allowed.
    """
    definitions = op_def.attr_by_name
    attrs: dict[str, Any] = {}
    name = ""
    try:
        given = node.attr
        for name in given:
            proto = given[name]
            definition = definitions.get(name)
            if definition is None:
                attrs[name] = attr_codec.decode(proto)
            elif definition.kind == "type" and proto.WhichOneof("value") == "type":
                dtype = _dtype_of(proto.type)
                if definition.allowed is not None and dtype not in definition.allowed:
                    _refuse(definition, dtype)
                attrs[name] = dtype
            else:
                attrs[name] = _decode_known(definition, proto)
        if len(attrs) < len(definitions) or not definitions.keys() <= attrs.keys():
            name = ""
            _add_defaults(op_def, node, attrs)
        if op_def.name == "Const":
            name = "value"
            _check_constant(attrs)
    except (_Fault, InvalidArgumentError, ValueError) as error:
        if not name:
            raise
        reason = error.message if isinstance(error, InvalidArgumentError) else str(error)
        which = "" if isinstance(error, _ValueFault) else f"\n\t for attr '{name}'"
        raise InvalidArgumentError(
            node,
            None,
            f"{reason}{which}\n\t; NodeDef: {{{{node {node.name}}}}}; {op_text(op_def)}",
        ) from None
    return attrs


def _add_defaults(op_def: OpDef, node: NodeDef, attrs: dict[str, Any]) -> None:
    for definition in op_def.attrs:
        if definition.name not in attrs:
            if definition.default is NO_DEFAULT:
                raise InvalidArgumentError(
                    node,
                    None,
                    f"NodeDef missing attr '{definition.name}' from {op_text(op_def)}; NodeDef: "
                    f"{{{{node {node.name}}}}}",
                )
            attrs[definition.name] = definition.default


def _decode_known(definition: AttrDef, proto: AttrValue) -> Any:
    """The value of a small attr that many nodes have is read once; values are immutable."""
    if proto.ByteSize() > _SMALL_ATTR:
        return _decode(definition, proto)
    key = id(definition), proto.SerializeToString()
    known = _decoded.get(key)
    # A definition that is gone may have left its number to another one.
    if known is not None and known[0] is definition:
        return known[1]
    value = _decode(definition, proto)
    if len(_decoded) >= _MAX_DECODED:
        _decoded.clear()
    _decoded[key] = definition, value
    return value


_SMALL_ATTR: Final = 64
"""Bytes of an attr whose value is remembered."""
_MAX_DECODED: Final = 4096
_decoded: dict[tuple[int, bytes], tuple[AttrDef, Any]] = {}


def _decode(definition: AttrDef, proto: AttrValue) -> Any:
    _check_kind(definition.kind, proto)
    value = attr_codec.decode(proto)
    if definition.kind.endswith(("type", "type)")):
        for dtype in value if isinstance(value, tuple) else (value,):
            _dtype_of(dtype.as_datatype_enum)
    if definition.allowed is not None:
        for item in value if isinstance(value, tuple) else (value,):
            if item not in definition.allowed:
                _refuse(definition, item)
    if definition.minimum is not None:
        if isinstance(value, tuple):
            if len(value) < definition.minimum:
                raise _ValueFault(
                    f"Length for attr '{definition.name}' of {len(value)} must be at least minimum "
                    f"{definition.minimum}"
                )
        elif value < definition.minimum:
            raise _ValueFault(
                f"Value for attr '{definition.name}' of {value} must be at least minimum "
                f"{definition.minimum}"
            )
    return value


def _check_kind(kind: str, proto: AttrValue) -> None:
    field = proto.WhichOneof("value")
    if field is None:
        raise _Fault(f"AttrValue missing value with expected type '{kind}'")
    if field == "placeholder":
        raise _Fault("AttrValue had value with unexpected type 'placeholder'")
    if field != "list":
        given = [_KIND_OF_FIELD[field]]
    else:
        filled = [descriptor.name for descriptor, _ in proto.list.ListFields()]
        # An empty list is of every list kind.
        given = [f"list({_KIND_OF_FIELD[name]})" for name in filled] or (
            [] if kind.startswith("list(") else ["list"]
        )
    for wrong in given:
        if wrong != kind:
            raise _Fault(f"AttrValue had value with type '{wrong}' when '{kind}' expected")


@functools.lru_cache(maxsize=1024)
def _dtype_of(number: int) -> DType:
    if number == 0:
        raise _Fault("AttrValue has invalid DataType")
    try:
        dtype = DType(number)
    except TypeError:
        raise _Fault(f"AttrValue has invalid DataType enum: {number}") from None
    if dtype._is_ref_dtype:
        raise _Fault(f"AttrValue must not have reference type value of {type_name(dtype)}")
    return dtype


def _refuse(definition: AttrDef, value: Any) -> None:
    def show(item: Any) -> str:
        return type_name(item) if isinstance(item, DType) else attr_text(item)

    allowed = ", ".join(map(show, definition.allowed_in_order))
    raise _ValueFault(
        f"Value for attr '{definition.name}' of {show(value)} is not in the list of allowed "
        f"values: {allowed}"
    )


def _check_constant(attrs: Mapping[str, Any]) -> None:
    given = dtypes.as_dtype(attrs["value"].dtype)
    if given is not attrs["dtype"]:
        raise _Fault(
            f"Type mismatch between value ({type_name(given)}) and dtype "
            f"({type_name(attrs['dtype'])})"
        )


def node_types(op_def: OpDef, attrs: Mapping[str, Any], node: NodeDef) -> Types:
    """Element types of a node's inputs and outputs, lists flattened.

    Raises:
        InvalidArgumentError: A list argument would stand for less than no or too many tensors.
    """
    names = _deciding_attrs(op_def)
    values = tuple([attrs[name] for name in names])
    for place, value in enumerate(values):
        if type(value) is int and not 0 <= value <= MAX_LIST_LENGTH:
            name = names[place]
            raise InvalidArgumentError(
                node,
                None,
                f"Value for attr '{name}' of {value} must be from 0 to {MAX_LIST_LENGTH}\n\t; "
                f"NodeDef: {{{{node {node.name}}}}}; {op_text(op_def)}",
            )
    return _types(op_def, values)


@functools.lru_cache(maxsize=4096)
def _deciding_attrs(op_def: OpDef) -> tuple[str, ...]:
    return tuple(sorted(op_schema.inferred_attrs((*op_def.inputs, *op_def.outputs))))


@functools.lru_cache(maxsize=4096)
def _types(op_def: OpDef, values: tuple[Any, ...]) -> Types:
    attrs = dict(zip(_deciding_attrs(op_def), values, strict=True))
    return tuple(op_def.input_types(attrs)), tuple(op_def.output_types(attrs))


def check_num_inputs(op_def: OpDef, expected: Sequence[DType], given: int, node: NodeDef) -> None:
    """Whether a node has as many data inputs as its schema asks for.

    Raises:
        InvalidArgumentError: It has not.
    """
    if len(expected) != given:
        shown = type_names(expected[:16]) + (", ..." if len(expected) > 16 else "")
        raise InvalidArgumentError(
            node,
            None,
            f"NodeDef expected inputs '{shown}' do not match {given} inputs specified; "
            f"{op_text(op_def)}; NodeDef: {{{{node {node.name}}}}}",
        )


def accepts(expected: DType, given: DType) -> bool:
    """Whether a tensor of type `given` may be an input of type `expected`.

    A reference serves as the value it refers to, not the other way round.
    """
    return given is expected or given.base_dtype is expected


def type_mismatch(
    index: int, name: str, given: DType, producer: str, output: int, expected: DType
) -> InvalidArgumentError:
    """The error for an input that `accepts` refuses."""
    return InvalidArgumentError(
        NodeDef(name=name),
        None,
        f"Input {index} of node {name} was passed {type_name(given)} from {producer}:{output} "
        f"incompatible with expected {type_name(expected)}.",
    )


def invalid_output(
    name: str, producer: str, output: int, num_outputs: int, advice: str = ""
) -> InvalidArgumentError:
    """The error for an input that its producer does not have."""
    return InvalidArgumentError(
        None,
        None,
        f"Node '{name}': Connecting to invalid output {output} of source node {producer} which "
        f"has {num_outputs} outputs.{advice}",
    )


def unknown_input(name: str, text: str) -> InvalidArgumentError:
    """The error for an input whose producer does not exist."""
    return InvalidArgumentError(None, None, f"Node '{name}': Unknown input node '{text}'")


def late_data_input(name: str) -> InvalidArgumentError:
    """The error for a data input that comes after a control input."""
    return InvalidArgumentError(
        None, None, f"Node '{name}': Control dependencies must come after regular dependencies"
    )
