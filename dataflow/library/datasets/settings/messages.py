"""Messages of options: TensorFlow's fields and the attributes that they are of."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, Final

from dataflow.library.datasets.settings.policies import (
    AutoShardPolicy,
    AutotuneAlgorithm,
    ExternalStatePolicy,
)
from dataflow.proto import dataset_options_pb2

_FIELDS: Final = {
    "autotune": "autotune_options",
    "experimental_distribute": "distribute_options",
    "experimental_external_state_policy": "external_state_policy",
    "experimental_optimization": "optimization_options",
    "experimental_service": "service_options",
    "experimental_slack": "slack",
    "experimental_symbolic_checkpoint": "symbolic_checkpoint",
    "experimental_warm_start": "warm_start",
    "threading": "threading_options",
}
"""The fields of options that are called otherwise."""
_ATTRIBUTES: Final = {field: name for name, field in _FIELDS.items()}
_POLICIES: Final[Mapping[str, type[enum.Enum]]] = {
    "auto_shard_policy": AutoShardPolicy,
    "autotune_algorithm": AutotuneAlgorithm,
    "external_state_policy": ExternalStatePolicy,
}


def of_kind(name: str) -> Any:
    """An empty message of the class of options of a name.

    Raises:
      AttributeError: There is none.
    """
    return getattr(dataset_options_pb2, name)()


def fill(message: Any, values: Mapping[str, Any]) -> None:
    """Says in a message what attributes say; those that it has no field for are left out."""
    fields = message.DESCRIPTOR.fields_by_name
    for name, value in values.items():
        field = _FIELDS.get(name, name)
        if value is None or field not in fields:
            continue
        if fields[field].message_type is not None:
            getattr(message, field).CopyFrom(value._to_proto())
        elif isinstance(value, list):
            getattr(message, field).extend(value)
        else:
            setattr(message, field, getattr(value, "value", value))


def told(message: Any) -> dict[str, Any]:
    """What a message says, by attribute."""
    found = {}
    for name, field in message.DESCRIPTOR.fields_by_name.items():
        value = getattr(message, name)
        if not value if field.is_repeated else field.has_presence and not message.HasField(name):
            continue
        if name in _POLICIES:
            value = _POLICIES[name](value)
        found[_ATTRIBUTES.get(name, name)] = list(value) if field.is_repeated else value
    return found
