"""An op's schema, shape function and gradient, declared in one block with `define_op`."""

from __future__ import annotations

import functools
import threading
from collections import namedtuple
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np

from dataflow.schema import arguments as op_schema
from dataflow.schema import op_def_proto
from dataflow.schema.arguments import ArgDef, AttrDef
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape


class InferenceContext(Protocol):
    """What a shape function may look at."""

    @property
    def num_inputs(self) -> int:
        """Number of input tensors, lists flattened."""

    @property
    def num_outputs(self) -> int:
        """Number of output tensors, lists flattened."""

    def input(self, index: int) -> TensorShape:
        """Static shape of an input tensor."""

    def input_dtype(self, index: int) -> DType:
        """Element type of an input tensor (never a ref type)."""

    def attr(self, name: str) -> Any:
        """Decoded value of an attr; defaults are filled in."""

    def constant(self, index: int) -> np.ndarray | None:
        """Value of an input tensor if it is known while building, else None."""

    def constant_as_shape(self, index: int) -> TensorShape:
        """An input tensor read as a shape, with unknown entries where it is not known."""

    def input_handle(self, index: int) -> Any:
        """(dtype, shape) pairs of what an input of dtype resource points to, or None."""

    def set_output_handle(self, index: int, data: Any) -> None:
        """Says what an output of dtype resource points to; None says nothing."""


ShapeFunction = Callable[[InferenceContext], "TensorShape | Sequence[TensorShape]"]
GradientFunction = Callable[..., Any]


class _NotDifferentiable:
    """Type of `NOT_DIFFERENTIABLE`: says "has no gradient", where None would say "forgotten"."""

    def __repr__(self) -> str:
        return "NOT_DIFFERENTIABLE"


NOT_DIFFERENTIABLE: Final = _NotDifferentiable()


class _MissingGradient:
    """Type of `MISSING_GRADIENT`: gradients through the op are refused until one is registered."""

    def __repr__(self) -> str:
        return "MISSING_GRADIENT"


MISSING_GRADIENT: Final = _MissingGradient()
"""For ops that could have a gradient but for which TensorFlow defines none."""
Gradient = GradientFunction | _NotDifferentiable | _MissingGradient
"""What a definition may say of an op's gradient."""


@dataclass(frozen=True, slots=True, eq=False)
class OpDef:
    """The schema of an op type; `is_*` and `allows_*` mean what they mean in TensorFlow's OpDef."""

    name: str
    inputs: tuple[ArgDef, ...]
    outputs: tuple[ArgDef, ...]
    attrs: tuple[AttrDef, ...]
    shape_function: ShapeFunction
    is_stateful: bool = False
    is_commutative: bool = False
    is_aggregate: bool = False
    allows_uninitialized_input: bool = False
    doc: str = ""
    attr_by_name: Mapping[str, AttrDef] = field(default_factory=dict)
    inferred_attrs: frozenset[str] = frozenset()
    """Attrs that follow from the inputs: element types and list lengths."""

    def input_types(self, attrs: Mapping[str, Any]) -> list[DType]:
        """Element types of the input tensors under these attr values, lists flattened."""
        return op_schema.flat_types(self.inputs, attrs)

    def output_types(self, attrs: Mapping[str, Any]) -> list[DType]:
        """Element types of the output tensors under these attr values, lists flattened."""
        return op_schema.flat_types(self.outputs, attrs)

    @property
    def input_arg(self) -> Any:
        """The input arguments as TensorFlow's OpDef message has them."""
        return op_def_proto.to_proto(self).input_arg

    @property
    def output_arg(self) -> Any:
        """The output arguments as TensorFlow's OpDef message has them."""
        return op_def_proto.to_proto(self).output_arg

    @property
    def attr(self) -> Any:
        """The attrs as TensorFlow's OpDef message has them."""
        return op_def_proto.to_proto(self).attr


class _Rest:
    """The ops that nobody has needed yet: what defines them is called once, by whom asks first."""

    def __init__(self) -> None:
        self._define: Callable[[], None] | None = None
        self._is_awaited = False
        self._lock = threading.RLock()

    def expect(self, define: Callable[[], None]) -> None:
        self._define, self._is_awaited = define, True

    def come(self) -> None:
        """Returns when they are defined."""
        if not self._is_awaited:
            return
        with self._lock:
            define, self._define = self._define, None
            if define is None:
                return
            try:
                define()
            except BaseException:
                # Whoever asks next tries again: this may have been an interrupt.
                self._define = define
                raise
            self._is_awaited = False


_OPS: dict[str, OpDef] = {}
_GRADIENTS: dict[str, GradientFunction | None] = {}
_rest: Final = _Rest()


def load_on_demand(define: Callable[[], None]) -> None:
    """Has a function called that defines further ops, when an op is asked for that is not there."""
    _rest.expect(define)


def define_op(
    name: str,
    inputs: str = "",
    outputs: str = "",
    attrs: Sequence[str] = (),
    *,
    shape: ShapeFunction,
    gradient: Gradient,
    doc: str,
    stateful: bool = False,
    commutative: bool = False,
    aggregate: bool = False,
    allows_uninitialized_input: bool = False,
) -> OpDef:
    """Declares an op type: its schema, its shape function and its gradient.

    Args:
      name: The op type, as in GraphDef ("MatMul").
      inputs: Input arguments, "a: T, b: T"; a list is "values: N * T" or the name of a list(type)
        attr; a ref is "ref: Ref(T)".
      outputs: Output arguments, in the same form.
      attrs: One string an attr: "T: {float32, float64}", "N: int >= 1", "axis: int = 0".
      shape: Gives the static shapes of the outputs; raises ValueError for inputs that cannot fit.
      gradient: `f(op, *output_gradients)` giving a gradient (or None) for each input,
        `NOT_DIFFERENTIABLE` or `MISSING_GRADIENT`.
      doc: What the op computes.
      stateful: The op has a state or a side effect: it is never folded or merged.
      commutative: Inputs may be swapped.
      aggregate: The op is associative over its list input.
      allows_uninitialized_input: Ref inputs need not hold a value.

    Returns:
      The registered definition.

    Raises:
      ValueError: The op is defined already or the schema cannot be parsed.
    """
    if name in _OPS:
        raise ValueError(f"Op '{name}' is defined twice.")
    attr_defs = tuple(op_schema.parse_attr(text, name) for text in attrs)
    input_args = op_schema.parse_args(inputs, attr_defs, name)
    op_def = OpDef(
        name=name,
        inputs=input_args,
        outputs=op_schema.parse_args(outputs, attr_defs, name),
        attrs=attr_defs,
        shape_function=shape,
        is_stateful=stateful,
        is_commutative=commutative,
        is_aggregate=aggregate,
        allows_uninitialized_input=allows_uninitialized_input,
        doc=doc,
        attr_by_name={a.name: a for a in attr_defs},
        inferred_attrs=op_schema.inferred_attrs(input_args),
    )
    _OPS[name] = op_def
    if isinstance(gradient, _NotDifferentiable):
        _GRADIENTS[name] = None
    elif not isinstance(gradient, _MissingGradient):
        _GRADIENTS[name] = gradient
    return op_def


def find(name: str) -> OpDef | None:
    """The definition of an op type, or None."""
    found = _OPS.get(name)
    if found is None:
        _rest.come()
        found = _OPS.get(name)
    return found


def registered_ops() -> Mapping[str, OpDef]:
    """All op types, by name."""
    _rest.come()
    return _OPS


def registered_gradients() -> MutableMapping[str, GradientFunction | None]:
    """The gradients by the names they are registered under; what is taken out is forgotten."""
    _rest.come()
    return _GRADIENTS


def find_gradient(name: str) -> GradientFunction | None:
    """The gradient function of an op type, or None where it is not differentiable.

    Raises:
      LookupError: Nothing was said about this op type's gradient.
    """
    if name not in _GRADIENTS:
        _rest.come()
    try:
        return _GRADIENTS[name]
    except KeyError:
        raise LookupError(f"gradient registry has no entry for: {name}") from None


def register_gradient(name: str, function: GradientFunction | None) -> None:
    """Registers a gradient under a name; None says "not differentiable".

    Raises:
      KeyError: The name has a gradient already.
    """
    if name in _GRADIENTS:
        raise KeyError(
            f"Registering two gradient with name '{name}'! "
            f"(Previous registration was in {_origin(name)})"
        )
    _GRADIENTS[name] = function


@functools.cache
def output_tuple_type(op_def: OpDef) -> type[tuple[Any, ...]]:
    """The named tuple that carries the outputs of an op with several output arguments."""
    return namedtuple(op_def.name, [arg.name for arg in op_def.outputs])


def _origin(name: str) -> str:
    function = _GRADIENTS[name]
    code = getattr(function, "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else "this op's declaration"
