"""tf.compat.v2.Variable: always behind a handle, and without collections to choose."""

from __future__ import annotations

import inspect
from typing import Any, Final

from dataflow.values.variable_policy import VariableAggregation, VariableSynchronization
from dataflow.variables.base import BaseVariable
from dataflow.variables.variable import Variable as _Variable1


class _VariableType(type(_Variable1)):  # type: ignore[misc]
    """Makes resource variables where `Variable` is called; all of ours count as Variables."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is not Variable:
            return super().__call__(*args, **kwargs)
        bound = _SIGNATURE.bind(None, *args, **kwargs)
        bound.apply_defaults()
        _, *given = bound.arguments.items()
        return _Variable1(**dict(given), use_resource=True)

    def __instancecheck__(cls, instance: Any) -> bool:
        counts = isinstance(instance, BaseVariable)
        return counts if cls is Variable else super().__instancecheck__(instance)

    def __subclasscheck__(cls, subclass: type) -> bool:
        counts = issubclass(subclass, BaseVariable)
        return counts if cls is Variable else super().__subclasscheck__(subclass)


class Variable(_Variable1, metaclass=_VariableType):
    """A value that is kept from step to step; see `tf.Variable`."""

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


_SIGNATURE: Final = inspect.signature(Variable.__init__)
