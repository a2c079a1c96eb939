"""Columns told as dictionaries of plain values, and made again of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from dataflow.library.public_modules import public_module
from dataflow.values import dtypes

_COLUMNS = ("source_column", "categorical_column")


class Configured:
    """What is made of its fields, and tells them."""

    name: Any

    def _get_config(self) -> dict[str, Any]:
        """Its fields, columns among them as their classes and fields."""
        told = {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]
        keras = public_module("keras")
        for name, value in told.items():
            if name in _COLUMNS:
                told[name] = serialize_feature_column(value)
            elif name == "keys":
                told[name] = tuple(serialize_feature_column(each) for each in value)
            elif name == "dtype":
                told[name] = value.name
            elif name == "initializer":
                told[name] = keras.initializers.serialize(value)
            elif name == "normalizer_fn":
                told[name] = keras.utils.serialize_keras_object(value)
        return told

    @classmethod
    def _from_config(
        cls,
        config: Mapping[str, Any],
        custom_objects: Mapping[str, Any] | None = None,
        columns_by_name: dict[str, Any] | None = None,
    ) -> Any:
        """What `_get_config` told of.

        Raises:
          ValueError: A field is missing, or there is another.
        """
        names = tuple(each.name for each in fields(cls))  # type: ignore[arg-type]
        if set(config) != set(names):
            raise ValueError(f"Invalid config: {config}, expected keys: {names}")
        keras = public_module("keras")
        made = {
            key: tuple(each) if isinstance(each, list) else each for key, each in config.items()
        }
        for name, value in made.items():
            if name in _COLUMNS:
                made[name] = deserialize_feature_column(value, custom_objects, columns_by_name)
            elif name == "keys":
                made[name] = tuple(
                    deserialize_feature_column(each, custom_objects, columns_by_name)
                    for each in value
                )
            elif name == "dtype":
                made[name] = dtypes.as_dtype(value)
            elif name == "initializer":
                made[name] = keras.initializers.deserialize(value, custom_objects)
            elif name == "normalizer_fn":
                made[name] = keras.utils.deserialize_keras_object(
                    value, custom_objects=custom_objects
                )
        return cls(**made)


def _kinds(base: Any = Configured) -> Iterator[Any]:
    """The classes of columns that are here."""
    for each in base.__subclasses__():
        if each.__module__.startswith(__name__.rpartition(".")[0]):
            yield each
            yield from _kinds(each)


def serialize_feature_column(fc: Any) -> Any:
    """The class and the fields of a column; the name of a feature as it is.

    Raises:
      ValueError: It is neither.
    """
    if isinstance(fc, str):
        return fc
    if not isinstance(fc, Configured):
        raise ValueError(f"Instance: {fc} is not a FeatureColumn")
    return {"class_name": type(fc).__name__, "config": fc._get_config()}


def deserialize_feature_column(
    config: Any,
    custom_objects: Mapping[str, Any] | None = None,
    columns_by_name: dict[str, Any] | None = None,
) -> Any:
    """The column that `serialize_feature_column` told of.

    Args:
      config: Its class and fields, or the name of a feature.
      custom_objects: Name -> class or function of a program's own.
      columns_by_name: Columns that are there; one that is told of again is not made again.

    Raises:
      ValueError: There is no such class, or a field is missing.
    """
    if isinstance(config, str):
        return config
    known = {} if columns_by_name is None else columns_by_name
    if not isinstance(config, Mapping) or not {"class_name", "config"} <= set(config):
        raise ValueError(f"Improper config format: {config}")
    kinds: dict[str, Any] = {each.__name__: each for each in _kinds()} | dict(custom_objects or {})
    kind = kinds.get(config["class_name"])
    if kind is None:
        raise ValueError(f"Unknown feature_column_v2: {config['class_name']}")
    if not (isinstance(kind, type) and issubclass(kind, Configured)):
        raise ValueError(f"Expected FeatureColumn class, instead found: {kind}")
    column = kind._from_config(
        config["config"], custom_objects=custom_objects, columns_by_name=known
    )
    return known.setdefault(column_key(column), column)


def column_key(column: Any) -> str:
    """The class and the name of a column."""
    return f"{type(column).__name__}:{column.name}"


def serialize_feature_columns(feature_columns: Any) -> list[Any]:
    """Columns as `serialize_feature_column` tells each of them."""
    return [serialize_feature_column(each) for each in feature_columns]


def deserialize_feature_columns(
    configs: Any, custom_objects: Mapping[str, Any] | None = None
) -> list[Any]:
    """The columns that `serialize_feature_columns` told of; equal ones are one."""
    known: dict[str, Any] = {}
    return [deserialize_feature_column(each, custom_objects, known) for each in configs]
