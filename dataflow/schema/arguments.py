"""The text form of op arguments and attrs, and what follows from it: types, lengths, defaults."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape


class _NoDefault:
    """Type of `NO_DEFAULT`; None is a possible default of no attr kind, but reads ambiguously."""

    def __repr__(self) -> str:
        return "NO_DEFAULT"


NO_DEFAULT: Final = _NoDefault()

_FLOATS = "half bfloat16 float32 float64"
_REAL = "float32 float64 int32 uint8 int16 int8 int64 bfloat16 uint16 half uint32 uint64"
TYPE_SETS: Final[Mapping[str, str]] = {
    "floattype": _FLOATS,
    "realnumbertype": _REAL,
    "numbertype": (
        "float32 float64 int32 uint8 int16 int8 complex64 int64 qint8 quint8 qint32 bfloat16 "
        "qint16 quint16 uint16 complex128 half uint32 uint64"
    ),
    "quantizedtype": "qint8 quint8 qint32 qint16 quint16",
}
"""Named sets of element types, for attrs: "T: numbertype"."""


@dataclass(frozen=True, slots=True)
class ArgDef:
    """One input or output argument: a tensor, N tensors of one type, or a list of any types."""

    name: str
    dtype: DType | None
    """The type, where the schema fixes it."""
    type_attr: str
    number_attr: str
    type_list_attr: str
    is_ref: bool

    @property
    def is_list(self) -> bool:
        """True if the argument stands for several tensors."""
        return bool(self.number_attr or self.type_list_attr)


@dataclass(frozen=True, slots=True)
class AttrDef:
    """One attr: its kind ("int", "list(type)", ...), default, and the values it may take."""

    name: str
    kind: str
    default: Any = NO_DEFAULT
    allowed: frozenset[Any] | None = None
    minimum: int | None = None
    """Least value of an int, or least length of a list."""
    allowed_in_order: tuple[Any, ...] = ()
    """The values it may take, in the schema's order: how errors list them."""

    @property
    def has_default(self) -> bool:
        """True if a node may leave the attr out."""
        return self.default is not NO_DEFAULT


_ATTR = re.compile(
    r"^\s*(?P<name>\w+)\s*:\s*(?P<kind>list\(\{[^}]*\}\)|\{[^}]*\}|list\(\w+\)|\w+)"
    r"\s*(?:>=\s*(?P<minimum>-?\d+))?\s*(?:=\s*(?P<default>.+?))?\s*$",
    re.DOTALL,
)
_ARG = re.compile(
    r"^\s*(?P<name>\w+)\s*:\s*(?:(?P<number>\w+)\s*\*\s*)?(?:Ref\(\s*(?P<ref>\w+)\s*\)|(?P<type>\w+))\s*$"
)
_PLAIN_KINDS = {"int", "float", "bool", "string", "type", "shape", "tensor", "func"}


def parse_attr(text: str, op: str) -> AttrDef:
    """Parses "name: kind >= minimum = default".

    Raises:
      ValueError: The text is not of that form.
    """
    try:
        return _parse_attr(text)
    except ValueError as error:
        raise ValueError(f"Op '{op}': {error}") from None


@functools.cache
def _parse_attr(text: str) -> AttrDef:
    """The same; the attrs of a thousand ops are a few hundred texts, and parsing is what takes
    most of the time in defining an op."""
    match = _ATTR.match(text)
    if match is None:
        raise ValueError(f"cannot parse attr '{text}'.")
    kind = match["kind"]
    is_list = kind.startswith("list(")
    element = kind[5:-1] if is_list else kind
    allowed: tuple[Any, ...] = ()
    if element.startswith("{"):
        element, allowed = _parse_set(element[1:-1])
    elif element in TYPE_SETS:
        element, allowed = "type", tuple(map(dtypes.as_dtype, TYPE_SETS[element].split()))
    if element not in _PLAIN_KINDS:
        raise ValueError(f"attr '{text}' has unknown kind '{element}'.")
    default: Any = NO_DEFAULT
    if match["default"] is not None:
        default = _parse_default(match["default"].strip(), element, is_list)
    return AttrDef(
        name=match["name"],
        kind=f"list({element})" if is_list else element,
        default=default,
        allowed=frozenset(allowed) if allowed else None,
        minimum=int(match["minimum"]) if match["minimum"] is not None else None,
        allowed_in_order=allowed,
    )


def parse_args(text: str, attrs: Iterable[AttrDef], op: str) -> tuple[ArgDef, ...]:
    """Parses "a: T, values: N * T, ref: Ref(T), n: int32".

    Raises:
      ValueError: The text is not of that form or names a type that is neither attr nor dtype.
    """
    kinds = {attr.name: attr.kind for attr in attrs}
    found = []
    for part in text.split(","):
        if not part.strip():
            continue
        written = _written_arg(part)
        if written is None:
            raise ValueError(f"Op '{op}': cannot parse argument '{part}'.")
        kind = kinds.get(written.type)
        if kind not in (None, "type", "list(type)"):
            raise ValueError(
                f"Op '{op}': argument '{part}' has attr '{written.type}' of kind {kind} as type."
            )
        found.append(_arg(written, kind))
    return tuple(found)


class _WrittenArg(NamedTuple):
    """What stands in an argument's text."""

    name: str
    number: str
    type: str
    """A type, or an attr."""
    is_ref: bool


@functools.cache
def _written_arg(text: str) -> _WrittenArg | None:
    match = _ARG.match(text)
    if match is None:
        return None
    type_name = match["ref"] or match["type"]
    return _WrittenArg(match["name"], match["number"] or "", type_name, match["ref"] is not None)


@functools.cache
def _arg(written: _WrittenArg, kind: str | None) -> ArgDef:
    """The argument, whose type is an attr of a kind, or a type itself."""
    return ArgDef(
        name=written.name,
        dtype=dtypes.as_dtype(written.type) if kind is None else None,
        type_attr=written.type if kind == "type" else "",
        number_attr=written.number,
        type_list_attr=written.type if kind == "list(type)" else "",
        is_ref=written.is_ref,
    )


def _parse_set(text: str) -> tuple[str, tuple[Any, ...]]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if parts[0][0] in "'\"":
        return "string", tuple(part[1:-1].encode() for part in parts)
    return "type", tuple(map(dtypes.as_dtype, parts))


def _parse_default(text: str, element: str, is_list: bool) -> Any:
    if is_list:
        inner = text.strip()[1:-1].strip()
        parts = re.split(r"\s*,\s*", inner) if inner else []
        return tuple(_parse_default(part, element, False) for part in parts)
    if element == "type":
        return dtypes.as_dtype(text)
    if element == "shape":
        return TensorShape(None if text == "unknown" else ast.literal_eval(text))
    if element == "bool":
        return {"true": True, "false": False}[text]
    if element == "float":
        return float(text)
    if element == "string":
        return str(ast.literal_eval(text)).encode()
    if element == "tensor":
        dtype, _, values = text.partition("[")
        return np.array(ast.literal_eval(f"[{values}"), dtypes.as_dtype(dtype).as_numpy_dtype)
    return ast.literal_eval(text)


def inferred_attrs(args: Iterable[ArgDef]) -> frozenset[str]:
    """Names of the attrs that the inputs of a node decide."""
    names: set[str] = set()
    for arg in args:
        names.update(filter(None, (arg.type_attr, arg.number_attr, arg.type_list_attr)))
    return frozenset(names)


def arg_types(arg: ArgDef, attrs: Mapping[str, Any]) -> list[DType]:
    """Element types of the tensors one argument stands for."""
    if arg.type_list_attr:
        return list(attrs[arg.type_list_attr])
    dtype: DType = arg.dtype if arg.dtype is not None else attrs[arg.type_attr]
    if arg.is_ref:
        dtype = dtype._as_ref
    return [dtype] * attrs[arg.number_attr] if arg.number_attr else [dtype]


def flat_types(args: Iterable[ArgDef], attrs: Mapping[str, Any]) -> list[DType]:
    """Element types of the tensors several arguments stand for."""
    types: list[DType] = []
    for arg in args:
        types += arg_types(arg, attrs)
    return types


def add_types_of_inputs(
    args: Iterable[ArgDef], inputs: Iterable[Any], attrs: dict[str, Any]
) -> None:
    """Adds the type attrs that a node leaves out, of inputs up to the first list of them."""
    for arg, tensor in zip(args, inputs, strict=False):
        if arg.is_list:
            return
        if arg.type_attr:
            attrs.setdefault(arg.type_attr, tensor.dtype.base_dtype)


def check_input_types(name: str, given: list[DType], expected: list[DType]) -> None:
    """Raises TypeError if tensors of these types cannot be the inputs of node `name`."""
    fits = len(given) == len(expected) and all(
        want.base_dtype == have.base_dtype and (have._is_ref_dtype or not want._is_ref_dtype)
        for have, want in zip(given, expected, strict=True)
    )
    if not fits:
        raise TypeError(
            f"In op '{name}', input types ({given}) are not compatible with expected types "
            f"({expected})"
        )
