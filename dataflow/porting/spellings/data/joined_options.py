"""tensorflow.python.data.util.options: options of one's own, and several put together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.library.datasets.settings.options import OptionsBase


def create_option(
    name: str,
    ty: Any,
    docstring: str,
    default_factory: Callable[[], Any] = lambda: None,
) -> Any:
    """A property of a class of options.

    Args:
      name: Its name.
      ty: The type of its values, or several.
      docstring: What it says of itself.
      default_factory: Makes the value that it has before one is set.
    """

    def get(options: OptionsBase) -> Any:
        if name not in options._values:
            options._values[name] = default_factory()
        return options._values[name]

    def put(options: OptionsBase, value: Any) -> None:
        if not isinstance(value, ty):
            raise TypeError(
                f'Property "{name}" must be of type {ty}, got: {value!r} (type: {type(value)!r})'
            )
        options._values[name] = value

    return property(get, put, None, docstring)


def merge_options(*options_list: Any) -> Any:
    """Options that have what each of some have been told.

    Raises:
      TypeError: They are not of one kind.
      ValueError: There are none, or two say different things.
    """
    if not options_list:
        raise ValueError("At least one options should be provided")
    kind = type(options_list[0])
    for options in options_list:
        if not isinstance(options, kind):
            raise TypeError(
                f"Could not merge incompatible options of type {type(options)} and {kind}."
            )
    if not issubclass(kind, OptionsBase):
        raise TypeError("All options to be merged should inherit from `OptionsBase`.")
    untold, merged = kind(), kind()
    for options in options_list:
        for name in list(options._values):
            said, told = getattr(options, name), getattr(merged, name)
            if said == getattr(untold, name):
                continue
            if told == getattr(untold, name):
                setattr(merged, name, said)
            elif isinstance(told, OptionsBase):
                setattr(merged, name, merge_options(told, said))
            elif told != said:
                raise ValueError(
                    f"Cannot merge incompatible values of option: {name} ({told!r} and {said!r})"
                )
    return merged
