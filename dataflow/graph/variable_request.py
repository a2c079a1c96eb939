"""VariableRequest: what `get_variable` is asked for, handed on as one value."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from dataflow.values import dtypes


@dataclass(frozen=True, slots=True)
class VariableRequest:
    """The arguments of `tf.get_variable`, which says what they mean, and `reuse`.

    The fields stand in the order in which a custom getter may pass them to the original getter.
    """

    name: str
    shape: Any = None
    dtype: Any = dtypes.float32
    initializer: Any = None
    regularizer: Any = None
    reuse: Any = None
    trainable: bool | None = None
    collections: Any = None
    caching_device: Any = None
    partitioner: Any = None
    validate_shape: bool = True
    use_resource: bool | None = None
    constraint: Any = None
    synchronization: Any = None
    aggregation: Any = None

    def arguments(self) -> dict[str, Any]:
        """The fields as keyword arguments."""
        return {field.name: getattr(self, field.name) for field in fields(self)}
