"""Random graphs, made of the schemas of the ops."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any, Final

import dataflow as tf
from dataflow.schema.arguments import ArgDef, AttrDef
from dataflow.schema.opdef import OpDef, registered_ops
from dataflow.values.attrs import NameAttrList, encode
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape
from tests.fuzz import values
from tests.fuzz.values import Recipe

_DEPTH: Final = 3
_LETTERS: Final = (
    b"",
    b"NHWC",
    b"NCHW",
    b"SAME",
    b"VALID",
    b"EXPLICIT",
    b"ij,jk->ik",
    b"a,b->",
    b"\xff",
)
TYPES: Final = (*values.NUMBERS, tf.string, tf.resource, tf.variant, tf.qint8, tf.quint8)


@cache
def public_ops() -> Sequence[OpDef]:
    """The ops that a graph may have, by name."""
    tf.raw_ops  # noqa: B018 (loads all of them)
    ops = registered_ops()
    return tuple(ops[name] for name in sorted(ops) if name[0] != "_")


@cache
def _sources(ops: Sequence[OpDef]) -> Sequence[OpDef]:
    """Those that make something of little."""
    return tuple(op for op in ops if op.outputs and len(op.inputs) < 3)


class Draft:
    """A graph that grows node by node."""

    def __init__(self, rng: Random, ops: Sequence[OpDef], fed: float = 0.5) -> None:
        """Starts an empty graph.

        Args:
          rng: Decides.
          ops: What may make handles.
          fed: Part of the sources that are fed, not constants.
        """
        self.rng = rng
        self._fed = fed
        self.graph_def = tf.GraphDef()
        self.graph_def.versions.producer = 1
        self.tensors: list[tuple[str, DType]] = []
        self.feeds: dict[str, Recipe] = {}
        self.functions: list[str] = []
        self._ops = ops
        self._sources = _sources(tuple(ops))

    def name(self) -> str:
        """A new name."""
        return f"n{len(self.graph_def.node)}"

    def add(
        self, op: OpDef, depth: int = 0, inputs: dict[str, Any] | None = None, **given: Any
    ) -> str:
        """Adds a node of an op with whatever it takes before it.

        Args:
          op: The op.
          depth: How many nodes wait for it to be made.
          inputs: Recipe or tensor for arguments that are not to be drawn.
          **given: Attrs that are not to be drawn.
        """
        attrs = {**self._attrs(op), **given}
        texts = []
        for arg in op.inputs:
            wanted = (inputs or {}).get(arg.name)
            for dtype in self._types(arg, attrs):
                if isinstance(wanted, Recipe):
                    texts.append(self.source(dtype, Recipe(dtype.name, *_rest(wanted))))
                else:
                    texts.append(wanted or self.tensor(dtype, depth, _is_small(arg)))
        name = self.name()
        node = self.graph_def.node.add(name=name, op=op.name)
        node.input.extend(texts)
        for attr in op.attrs:
            if attr.name in attrs:
                encode(attrs[attr.name], attr.kind, node.attr[attr.name])
        number = 0
        for arg in op.outputs:
            for dtype in self._types(arg, attrs):
                self.tensors.append((f"{name}:{number}" if number else name, dtype))
                number += 1
        return name

    def tensor(self, dtype: DType, depth: int, small: bool = False) -> str:
        """The name of a tensor of a type: one that is there, or a new one."""
        rng = self.rng
        fitting = [name for name, has in self.tensors if has.base_dtype is dtype.base_dtype]
        if dtype._is_ref_dtype:
            fitting = [name for name, has in self.tensors if has is dtype]
        if fitting and rng.random() < 0.5:
            return rng.choice(fitting)
        base = dtype.base_dtype
        if dtype._is_ref_dtype:
            maker = rng.choice(("VariableV2", "VariableV2", "TemporaryVariable"))
            return self.add(registered_ops()[maker], depth + 1, dtype=base)
        if base in (tf.resource, tf.variant):
            makers = [
                op
                for op in self._sources
                if op.outputs[0].dtype is base and (depth < _DEPTH or not op.inputs)
            ]
            return self.add(rng.choice(makers), depth + 1)
        if not base.is_numpy_compatible or base.is_quantized:
            return self.add(registered_ops()["Placeholder"], depth + 1, dtype=base)
        if small and rng.random() < 0.8 and base.is_integer:
            return self.source(base, values.sizes_recipe(rng, base))
        return self.source(base, values.recipe(rng, base))

    def source(self, dtype: DType, recipe: Recipe) -> str:
        """A constant or something fed."""
        name = self.name()
        if not dtype.is_numpy_compatible or dtype.is_quantized:
            return self.tensor(dtype, _DEPTH)
        if self.rng.random() >= self._fed:
            node = self.graph_def.node.add(name=name, op="Const")
            node.attr["dtype"].type = dtype.as_datatype_enum
            array = recipe.array()
            array = array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
            node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(array, dtype))
        else:
            node = self.graph_def.node.add(name=name, op="Placeholder")
            node.attr["dtype"].type = dtype.as_datatype_enum
            node.attr["shape"].shape.unknown_rank = True
            self.feeds[f"{name}:0"] = recipe
        self.tensors.append((name, dtype))
        return name

    def _types(self, arg: ArgDef, attrs: dict[str, Any]) -> list[DType]:
        if arg.type_list_attr:
            return list(attrs.get(arg.type_list_attr, ()))
        dtype: DType = arg.dtype or attrs[arg.type_attr]
        if arg.is_ref:
            dtype = dtype._as_ref
        return [dtype] * (min(attrs[arg.number_attr], 5) if arg.number_attr else 1)

    def _attrs(self, op: OpDef) -> dict[str, Any]:
        lengths = {arg.number_attr for arg in op.inputs}
        drawn = {}
        for attr in op.attrs:
            if attr.has_default and self.rng.random() < 0.7:
                drawn[attr.name] = attr.default
            elif attr.name in lengths:
                drawn[attr.name] = self.rng.randrange(max(attr.minimum or 0, 0), 4)
            else:
                drawn[attr.name] = self._attr(attr)
        return drawn

    def _attr(self, attr: AttrDef) -> Any:
        element = attr.kind.removeprefix("list(").removesuffix(")")
        if element == attr.kind:
            return self._element(attr, element)
        least = max(attr.minimum or 0, 0)
        count = self.rng.choice((least, least, 1, 2, 4, 4, 5))
        return tuple(self._element(attr, element) for _ in range(count))

    def _element(self, attr: AttrDef, kind: str) -> Any:
        rng = self.rng
        if attr.allowed_in_order and rng.random() < 0.98:
            liked = [t for t in values.FREQUENT if t in attr.allowed_in_order]
            return rng.choice(liked if liked and rng.random() < 0.6 else attr.allowed_in_order)
        match kind:
            case "type":
                return rng.choice(values.FREQUENT if rng.random() < 0.8 else TYPES)
            case "int":
                return values.number(rng)
            case "float":
                return rng.choice((0.0, 1.0, -1.0, 1e-5, float("nan"), float("inf")))
            case "bool":
                return rng.random() < 0.5
            case "string":
                return rng.choice(_LETTERS)
            case "shape":
                return self._shape()
            case "tensor":
                return values.recipe(rng, rng.choice(values.NUMBERS)).array()
        return NameAttrList(rng.choice([*self.functions, "missing"]))

    def _shape(self) -> TensorShape:
        rng = self.rng
        if rng.random() < 0.2:
            return TensorShape(None)
        if rng.random() < 0.05:
            return TensorShape([1] * rng.choice(values.MANY))
        sizes: list[int | None] = list(values.shape(rng))
        return TensorShape([None if rng.random() < 0.2 else size for size in sizes])


def _rest(recipe: Recipe) -> tuple[Any, ...]:
    return recipe.shape, recipe.fill, recipe.layout, recipe.seed, recipe.values


def _is_small(arg: ArgDef) -> bool:
    """Whether an argument is likely to be a shape, axes, sizes or indices."""
    if arg.dtype is not None:
        return arg.dtype in (tf.int32, tf.int64)
    return arg.type_attr.startswith("T") and arg.type_attr != "T"
