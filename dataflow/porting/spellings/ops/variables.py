"""tensorflow.python.ops.variables and variable_scope: the class of variables by other names."""

from __future__ import annotations

import inspect
from typing import Any

import dataflow.variables.ref_variable as _ref_variable
import dataflow.variables.variable as _variable
from dataflow.values.variable_policy import VariableAggregation, VariableSynchronization
from dataflow.variables.guard import (
    guarded_initial_value as _try_guard_against_uninitialized_dependencies,
)

__all__ = ["_try_guard_against_uninitialized_dependencies"]

RefVariable = _ref_variable.RefVariable
VariableV1 = _variable.Variable
variable = _variable.Variable


class _Version2(type(_variable.Variable)):  # type: ignore[misc]
    """Lets a call make a resource variable, and counts every variable as one of the class."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is not Variable:
            return super().__call__(*args, **kwargs)
        bound = inspect.signature(Variable.__init__).bind(None, *args, **kwargs)
        bound.arguments.pop("self")
        return VariableV1(use_resource=True, **bound.arguments)

    def __instancecheck__(cls, instance: Any) -> bool:
        return (
            isinstance(instance, VariableV1)
            if cls is Variable
            else super().__instancecheck__(instance)
        )

    def __subclasscheck__(cls, subclass: type) -> bool:
        return (
            issubclass(subclass, VariableV1)
            if cls is Variable
            else super().__subclasscheck__(subclass)
        )


class Variable(_variable.Variable, metaclass=_Version2):
    """A resource variable: the class that `tf.Variable` is in TensorFlow 2; see there."""

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: str | None = None,
        constraint: Any = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
        shape: Any = None,
    ) -> None:
        """Says what the arguments are; a call makes a variable of another class."""
