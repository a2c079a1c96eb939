"""HParams: hyperparameters by name, each of one type, parsed from text and JSON."""

from __future__ import annotations

import json
import numbers
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from dataflow.contrib.training.hparam_messages import field_name, read, written
from dataflow.graph.collection_protos import register_proto_function
from dataflow.proto.hparam_pb2 import HParamDef

_ITEM: Final = re.compile(
    r"(?P<name>[a-zA-Z][\w.]*)(?:\[\s*(?P<index>\d+)\s*\])?\s*=\s*"
    r"(?:(?P<value>[^,\[]*)|\[(?P<values>[^\]]*)\])(?:$|,\s*)"
)
_TRUTHS: Final = {"true": True, "True": True, "false": False, "False": False}


def parse_values(
    values: str, type_map: Mapping[str, type], ignore_unknown: bool = False
) -> dict[str, Any]:
    """Hyperparameters from text such as "rate=0.1,sizes=[3,4],sizes[1]=5".

    Args:
      values: The text.
      type_map: The type of each, or of the elements of a list.
      ignore_unknown: Whether names that have no type are left out.

    Returns:
      By name a value, a list, or a dictionary of the elements that were given by their index.

    Raises:
      ValueError: If the text is malformed, a name is not known or given twice, or a value is not
        of its type.
    """
    found: dict[str, Any] = {}
    position = 0
    while position < len(values):
        match = _ITEM.match(values, position)
        if match is None:
            raise ValueError(f"Malformed hyperparameter value: {values[position:]}")
        position = match.end()
        name, index, text = match["name"], match["index"], match["value"]
        if name not in type_map:
            if ignore_unknown:
                continue
            raise ValueError(f"Unknown hyperparameter type for {name}")
        kind = type_map[name]
        if match["values"] is not None:
            if index is not None:
                raise ValueError("Assignment of a list to a list index.")
            parts = match["values"].replace(",", " ").split(" ")
            _once(found, name, values)
            found[name] = [_parsed(name, kind, part, values) for part in parts if part]
        elif index is not None:
            value = _parsed(name, kind, text, values)
            elements = found.setdefault(name, {})
            if not isinstance(elements, dict):
                raise ValueError(f"Multiple assignments to variable '{name}' in {values}")
            if int(index) in elements:
                raise ValueError(f"Multiple assignments to variable '{name}[{index}]' in {values}")
            elements[int(index)] = value
        else:
            _once(found, name, values)
            found[name] = _parsed(name, kind, text, values)
    return found


def _once(found: Mapping[str, Any], name: str, values: str) -> None:
    if name in found:
        raise ValueError(f"Multiple assignments to variable '{name}' in {values}")


def _parsed(name: str, kind: type, text: str, values: str) -> Any:
    try:
        if kind is bool:
            return _TRUTHS[text] if text in _TRUTHS else bool(int(text))
        return kind(text)
    except ValueError:
        raise ValueError(
            f"Could not parse hparam '{name}' of type '{kind.__name__}' with value '{text}' "
            f"in {values}"
        ) from None


def _cast(name: str, kind: type, value: Any) -> Any:
    """A value as a type, where nothing is lost.

    Raises:
      ValueError: If it is of another kind.
    """
    if kind is type(None) or type(value) is kind:
        return value
    fails = (
        (issubclass(kind, str | bytes) and not isinstance(value, str | bytes))
        or issubclass(kind, bool) != isinstance(value, bool)
        or (issubclass(kind, numbers.Integral) and not isinstance(value, numbers.Integral))
        or (issubclass(kind, numbers.Number) and not isinstance(value, numbers.Number))
    )
    if fails:
        raise ValueError(f"Could not cast hparam '{name}' of type '{kind}' from value {value!r}")
    make: Callable[[Any], Any] = kind
    return make(value)


class HParams:
    """Hyperparameters as attributes; each keeps the type of its first value."""

    def __init__(
        self, hparam_def: HParamDef | None = None, model_structure: Any = None, **kwargs: Any
    ) -> None:
        """Takes hyperparameters by name, or from a message.

        Args:
          hparam_def: The message.
          model_structure: What the model is made of; it is kept.
          **kwargs: Names and values: numbers, strings, truths, or lists of one type.

        Raises:
          ValueError: If a name is one of this class's own, a list is empty, or there are both a
            message and names.
          TypeError: If `hparam_def` is no HParamDef.
        """
        self._model_structure = model_structure
        self._hparam_types: dict[str, tuple[type, bool]] = {}
        if hparam_def:
            for name, value in read(hparam_def):
                self.add_hparam(name, value)
            if kwargs:
                raise ValueError("hparam_def and initialization values are mutually exclusive")
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Adds one.

        Raises:
          ValueError: If the name is taken, or a list is empty.
        """
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        if isinstance(value, list | tuple):
            if not value:
                raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
            self._hparam_types[name] = (type(value[0]), True)
        else:
            self._hparam_types[name] = (type(value), False)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Gives one another value of its type.

        Raises:
          KeyError: If there is none of that name.
          ValueError: If the value is of another type, or a list where there was none.
        """
        kind, is_list = self._hparam_types[name]
        if isinstance(value, list):
            if not is_list:
                raise ValueError(f"Must not pass a list for single-valued parameter: {name}")
            setattr(self, name, [_cast(name, kind, each) for each in value])
        else:
            if is_list:
                raise ValueError(f"Must pass a list for multi-valued parameter: {name}.")
            setattr(self, name, _cast(name, kind, value))

    def del_hparam(self, name: str) -> None:
        """Takes one out; nothing if there is none."""
        if name in self._hparam_types:
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values: str) -> HParams:
        """Sets those that a text names, as "rate=0.1,sizes=[3,4],sizes[1]=5"; returns this.

        Raises:
          ValueError: See `parse_values`.
        """
        kinds = {name: kind for name, (kind, _) in self._hparam_types.items()}
        return self.override_from_dict(parse_values(values, kinds))

    def override_from_dict(self, values_dict: Mapping[str, Any]) -> HParams:
        """Sets those of a dictionary; returns this.

        Raises:
          KeyError: If there is none of a name.
          ValueError: If a value is of another type.
        """
        for name, value in values_dict.items():
            if isinstance(value, dict) and self._hparam_types[name][1]:
                elements = list(getattr(self, name))
                for index, element in value.items():
                    if index >= len(elements):
                        raise ValueError(
                            f"There is no element {index} of {name}, which has {len(elements)}."
                        )
                    elements[index] = element
                value = elements
            self.set_hparam(name, value)
        return self

    set_from_map = override_from_dict

    def set_model_structure(self, model_structure: Any) -> None:
        """Keeps what the model is made of."""
        self._model_structure = model_structure

    def get_model_structure(self) -> Any:
        """What was kept."""
        return self._model_structure

    def to_json(self, indent: Any = None, separators: Any = None, sort_keys: bool = False) -> str:
        """All as JSON.

        Raises:
          TypeError: If JSON has no such value, as a function.
        """
        return json.dumps(self.values(), indent=indent, separators=separators, sort_keys=sort_keys)

    def parse_json(self, values_json: str) -> HParams:
        """Sets those of a JSON object; returns this.

        Raises:
          KeyError: If there is none of a name.
          ValueError: If the text is no JSON, or a value is of another type.
        """
        return self.override_from_dict(json.loads(values_json))

    def values(self) -> dict[str, Any]:
        """All by name."""
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a name, or a default.

        Raises:
          ValueError: If the default is of another type.
        """
        if key not in self._hparam_types:
            return default
        if default is not None:
            kind, is_list = self._hparam_types[key]
            shown = f"list<{kind}>" if is_list else f"{kind}"
            fault = f"Hparam '{key}' of type '{shown}' is incompatible with default={default}"
            if is_list != isinstance(default, list):
                raise ValueError(fault)
            try:
                for each in default if is_list else [default]:
                    _cast(key, kind, each)
            except ValueError as error:
                raise ValueError(f"{fault}. {error}") from None
        return getattr(self, key)

    @staticmethod
    def _get_kind_name(param_type: type, is_list: bool) -> str:
        return field_name(param_type, is_list)

    def to_proto(self, export_scope: str | None = None) -> HParamDef:
        """All as a message.

        Args:
          export_scope: Not used.

        Raises:
          ValueError: If a value is no number, truth or string.
        """
        return written(self.values(), self._hparam_types)

    @staticmethod
    def from_proto(hparam_def: HParamDef, import_scope: str | None = None) -> HParams:
        """Those of a message; the scope is not used."""
        return HParams(hparam_def=hparam_def)

    def __contains__(self, key: object) -> bool:
        return key in self._hparam_types

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.values().items())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({sorted(self.values().items())})"


register_proto_function("hparams", HParamDef, HParams.to_proto, HParams.from_proto)
