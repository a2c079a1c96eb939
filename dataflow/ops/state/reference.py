"""Reference variables: the ops that hold a value over steps, and those that assign to it."""

from __future__ import annotations

from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.graph.tracebacks import shortened
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, merged_inputs, scalar, unchanged, with_rank
from dataflow.values.shapes import TensorShape

_NUMBERS = (
    "{float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
    "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}"
)


def _declared_shape(c: InferenceContext) -> TensorShape:
    shape: TensorShape = c.attr("shape")
    return shape


def _legacy_shape(c: InferenceContext) -> TensorShape:
    # Old graphs say [] both for a scalar and for "not known".
    shape: TensorShape = c.attr("shape")
    return shape if shape.rank else UNKNOWN


def _assigned_shape(c: InferenceContext) -> TensorShape:
    return merged_inputs(c) if c.attr("validate_shape") else c.input(1)


def _counter_shape(c: InferenceContext) -> TensorShape:
    return with_rank(c.input(0), 0)


for _name, _shape, _doc in (
    ("VariableV2", _declared_shape, "A reference to a value that is kept from step to step."),
    ("Variable", _legacy_shape, "Like VariableV2; found in old graphs."),
):
    define_op(
        _name,
        outputs="ref: Ref(dtype)",
        attrs=[
            "shape: shape",
            "dtype: type",
            "container: string = ''",
            "shared_name: string = ''",
        ],
        shape=_shape,
        gradient=NOT_DIFFERENTIABLE,
        doc=_doc,
        stateful=True,
    )

define_op(
    "TemporaryVariable",
    outputs="ref: Ref(dtype)",
    attrs=["shape: shape", "dtype: type", "var_name: string = ''"],
    shape=_declared_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="A reference to a value that is kept until DestroyTemporaryVariable, or the step's end.",
    stateful=True,
)

define_op(
    "DestroyTemporaryVariable",
    inputs="ref: Ref(T)",
    outputs="value: T",
    attrs=["T: type", "var_name: string"],
    shape=unchanged,
    gradient=MISSING_GRADIENT,
    doc="The last value of a temporary variable, which is no more.",
)

define_op(
    "IsVariableInitialized",
    inputs="ref: Ref(dtype)",
    outputs="is_initialized: bool",
    attrs=["dtype: type"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="Whether a variable holds a value.",
    allows_uninitialized_input=True,
)

define_op(
    "Assign",
    inputs="ref: Ref(T), value: T",
    outputs="output_ref: Ref(T)",
    attrs=["T: type", "validate_shape: bool = true", "use_locking: bool = true"],
    shape=_assigned_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Gives a variable a value.",
    allows_uninitialized_input=True,
)

for _name, _doc in (
    ("AssignAdd", "Adds a value to a variable."),
    ("AssignSub", "Subtracts a value from a variable."),
):
    define_op(
        _name,
        inputs="ref: Ref(T), value: T",
        outputs="output_ref: Ref(T)",
        attrs=[f"T: {_NUMBERS}", "use_locking: bool = false"],
        shape=merged_inputs,
        gradient=NOT_DIFFERENTIABLE,
        doc=_doc,
    )

define_op(
    "CountUpTo",
    inputs="ref: Ref(T)",
    outputs="output: T",
    attrs=["limit: int", "T: {int32, int64}"],
    shape=_counter_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="The value of a counter, which is then one higher; an error once the limit is reached.",
)


def variable_op(
    shape: Any, dtype: Any, name: str = "Variable", container: str = "", shared_name: str = ""
) -> Tensor:
    """A VariableV2 node: a reference to a value that is kept from step to step.

    Args:
      shape: Shape of the value, as far as it is fixed.
      dtype: Element type of the value.
      name: Name of the operation; the value is found under it if `shared_name` is empty.
      container: Resource container that keeps the value.
      shared_name: Name of the value within the container.
    """
    return single(
        "VariableV2",
        shape=shape,
        dtype=dtype,
        container=container,
        shared_name=shared_name,
        name=name,
    )


def is_variable_initialized(ref: Any, name: str | None = None) -> Tensor:
    """Whether a variable holds a value: a scalar bool tensor.

    Args:
      ref: A variable, or a reference to one.
      name: Name of the operation.
    """
    if is_ref(ref):
        return single("IsVariableInitialized", ref, name=name)
    result: Tensor = ref.is_initialized(name=name)
    return result


@shortened
def assign(
    ref: Any,
    value: Any,
    validate_shape: bool | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Any:
    """Gives a variable a value.

    Args:
      ref: A variable, or a reference to one.
      value: The new value, of the variable's dtype.
      validate_shape: Whether the value must have the variable's shape; True if None.
      use_locking: Whether the assignment excludes others; True if None.
      name: Name of the operation.

    Returns:
      Something that has the new value once the assignment is done.

    Raises:
      ValueError: The value's shape is known not to fit.
    """
    if is_ref(ref):
        return single(
            "Assign", ref, value, use_locking=use_locking, name=name, validate_shape=validate_shape
        )
    return ref.assign(value, name=name)


def assign_add(
    ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """Adds a value to a variable.

    Args:
      ref: A variable, or a reference to one.
      value: What to add, of the variable's dtype and shape.
      use_locking: Whether the update excludes others; False if None.
      name: Name of the operation.

    Returns:
      Something that has the new value once the update is done.

    Raises:
      ValueError: The value's shape is known not to fit.
    """
    if is_ref(ref):
        return single("AssignAdd", ref, value, use_locking=use_locking, name=name)
    return ref.assign_add(value)


def assign_sub(
    ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """Subtracts a value from a variable; see `assign_add`."""
    if is_ref(ref):
        return single("AssignSub", ref, value, use_locking=use_locking, name=name)
    return ref.assign_sub(value)


def count_up_to(ref: Any, limit: int, name: str | None = None) -> Tensor:
    """The value of a counter, which is then one higher.

    A step in which the counter has reached `limit` fails with `errors.OutOfRangeError`.

    Args:
      ref: A scalar int32 or int64 variable.
      limit: Where counting ends.
      name: Name of the operation.

    Raises:
      TypeError: The variable is of another type.
      ValueError: The variable is no scalar.
    """
    if is_ref(ref):
        return single("CountUpTo", ref, limit=limit, name=name)
    return single("ResourceCountUpTo", ref.handle, limit=limit, T=ref.dtype, name=name)


def is_ref(variable: Any) -> bool:
    """True for references and variables made of one, False for those behind a handle."""
    answer: bool = variable.dtype._is_ref_dtype
    return answer
