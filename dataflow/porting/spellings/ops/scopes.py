"""tensorflow.python.ops.variable_scope: a variable scope that opens no name scope."""

from __future__ import annotations

from typing import Any

from dataflow.values import dtypes
from dataflow.variables.scope import variable_scope
from dataflow.variables.store import VariableStore, get_variable_store


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


_VariableStore = VariableStore
_get_default_variable_store = get_variable_store
