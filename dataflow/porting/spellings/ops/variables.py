"""tensorflow.python.ops.variables and variable_scope: the class of variables by other names."""

from __future__ import annotations

from typing import Any

import dataflow.porting.v2.variable as _version_2
import dataflow.variables.ref_variable as _ref_variable
import dataflow.variables.variable as _variable
from dataflow.variables.base import BaseVariable
from dataflow.variables.guard import (
    guarded_initial_value as _try_guard_against_uninitialized_dependencies,
)

__all__ = ["_try_guard_against_uninitialized_dependencies"]

RefVariable = _ref_variable.RefVariable
VariableV1 = _variable.Variable
variable = _variable.Variable


class _VariableType(type(_version_2.Variable)):  # type: ignore[misc]
    """Makes variables of TensorFlow 1 where arguments say so that 2 does not take."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is not Variable:
            return super().__call__(*args, **kwargs)
        is_first = "collections" in kwargs or "expected_shape" in kwargs
        return (VariableV1 if is_first else _version_2.Variable)(*args, **kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:
        counts = isinstance(instance, BaseVariable)
        return counts if cls is Variable else super().__instancecheck__(instance)

    def __subclasscheck__(cls, subclass: type) -> bool:
        counts = issubclass(subclass, BaseVariable)
        return counts if cls is Variable else super().__subclasscheck__(subclass)


class Variable(_version_2.Variable, metaclass=_VariableType):
    """TensorFlow 2's class since 1.11, and 1's before: what a program means its arguments tell."""
