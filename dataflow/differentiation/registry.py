"""Which function differentiates an operation: by op type, by override, or its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.schema import opdef
from dataflow.schema.opdef import GradientFunction
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

F = TypeVar("F", bound=Callable[..., Any])

_TRAINABLE = frozenset(
    (
        dtypes.float16,
        dtypes.bfloat16,
        dtypes.float32,
        dtypes.float64,
        dtypes.complex64,
        dtypes.complex128,
        dtypes.resource,
        dtypes.variant,
    )
)

# Functions that belong to one operation live as long as its graph does; copies of the operation,
# as `import_graph_def` makes them, still find them by the name in attr `_gradient_op_type`.
_OWNED: WeakValueDictionary[str, GradientFunction] = WeakValueDictionary()


class RegisterGradient:
    """Decorator that makes a function the gradient of an op type, or a target of overrides.

    The function takes the operation and the gradients of its outputs and returns the gradients of
    its inputs: `@tf.RegisterGradient("CustomSquare") def _grad(op, grad): ...`.

    Raises:
      TypeError: `op_type` is no string.
      KeyError: When called: the type has a gradient already.
    """

    __slots__ = ("_op_type",)

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f: F) -> F:
        """Registers the function and returns it."""
        opdef.register_gradient(self._op_type, f)
        return f


def no_gradient(op_type: str) -> None:
    """Says that an op type is not differentiable: gradients stop there.

    Raises:
      TypeError: `op_type` is no string.
      KeyError: The type has a gradient already.
    """
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    opdef.register_gradient(op_type, None)


NoGradient = no_gradient
NotDifferentiable = no_gradient


def own_gradient(op: Operation, name: str, function: GradientFunction) -> None:
    """Gives one operation a gradient function that is forgotten with its graph.

    Args:
      op: An operation made under `gradient_override_map` with `name`.
      name: The name in its attr `_gradient_op_type`.
      function: Its gradient.
    """
    op._gradient_function = function
    _OWNED[name] = function


def gradient_function(op: Operation) -> GradientFunction | None:
    """The function that differentiates an operation, or None where gradients stop.

    Raises:
      LookupError: Nothing is registered for its type or override.
    """
    if not op.inputs:
        return None
    if op._gradient_function is not None:
        return op._gradient_function
    override = op.attrs.get("_gradient_op_type")
    name = op.type if override is None else override.decode()
    return _OWNED.get(name) or opdef.find_gradient(name)


def has_gradient(op_type: str) -> bool:
    """True if gradients pass through ops of this type."""
    try:
        return opdef.find_gradient(op_type) is not None
    except LookupError:
        return False


def is_trainable(tensor: Tensor) -> bool:
    """True if a tensor can change by infinitesimal amounts, so that it may have a gradient."""
    dtype = tensor.dtype.base_dtype
    if dtype is dtypes.variant and tensor.handle_data:
        held = {element for element, _ in tensor.handle_data}
        if len(held) == 1:
            dtype = held.pop().base_dtype
    return is_trainable_type(dtype)


def is_trainable_type(dtype: DType) -> bool:
    """True if tensors of an element type can have gradients."""
    return dtype.base_dtype in _TRAINABLE
