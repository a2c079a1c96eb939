"""tensorflow.python.ops.variable_scope: a scope without a name scope, and stores to open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from dataflow.graph.scopes import get_collection_ref
from dataflow.graph.variable_scope_object import VariableScopeStore
from dataflow.graph.variable_scope_object import (
    get_variable_scope_store as get_variable_scope_store,
)
from dataflow.values import dtypes
from dataflow.values.partition_info import PartitionInfo as PartitionInfo
from dataflow.variables import variable as _variable
from dataflow.variables.resource_variable import ResourceVariable
from dataflow.variables.scope import variable_scope
from dataflow.variables.store import STORE_KEY, VariableStore, get_variable_store


def _pure_variable_scope(
    name_or_scope: Any,
    reuse: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    old_name_scope: Any = None,
    dtype: Any = dtypes.float32,
    use_resource: bool | None = None,
    constraint: Any = None,
) -> Any:
    """`tf.variable_scope` without a name scope; `old_name_scope` is not looked at."""
    return variable_scope(
        name_or_scope,
        reuse=reuse,
        initializer=initializer,
        regularizer=regularizer,
        caching_device=caching_device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        dtype=dtype,
        use_resource=use_resource,
        constraint=constraint,
        auxiliary_name_scope=False,
    )


default_variable_creator = _variable.default_variable_creator
_PartitionInfo = PartitionInfo
_VARSTORE_KEY = STORE_KEY
_VariableScopeStore = VariableScopeStore
_VariableStore = VariableStore
_get_default_variable_store = get_variable_store


def __getattr__(name: str) -> Any:
    if name == "_DEFAULT_USE_RESOURCE":
        return _variable.resource_variables_enabled()
    raise AttributeError(name)


@contextmanager
def with_variable_store(store: VariableStore) -> Iterator[None]:
    """Makes variables that `tf.get_variable` finds or makes inside those of a store."""
    kept = get_collection_ref(STORE_KEY)
    outer = list(kept)
    kept[:] = [store]
    try:
        yield
    finally:
        kept[:] = outer


class EagerVariableStore:
    """A store that a program opens where it wants its variables; here, in a graph.

    Args:
      store: The store of another one, to share its variables.
    """

    def __init__(self, store: VariableStore | None = None) -> None:
        self._store = VariableStore() if store is None else store

    def as_default(self) -> AbstractContextManager[None]:
        """Makes this the store of `tf.get_variable`."""
        return with_variable_store(self._store)

    def variables(self) -> list[Any]:
        """All variables, in the order of their names."""
        return sorted(self._store._vars.values(), key=lambda variable: variable.name)

    def trainable_variables(self) -> list[Any]:
        """Those that are trained."""
        return [variable for variable in self.variables() if variable.trainable]

    def non_trainable_variables(self) -> list[Any]:
        """Those that are not trained."""
        return [variable for variable in self.variables() if not variable.trainable]

    def copy(self) -> EagerVariableStore:
        """A store with variables of the same names that start with these variables' values."""
        made = EagerVariableStore()
        for name, variable in self._store._vars.items():
            made._store._vars[name] = ResourceVariable(
                variable.read_value(),
                name=variable.name.partition(":")[0],
                trainable=variable.trainable,
            )
        return made
