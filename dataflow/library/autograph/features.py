"""What conversion does besides `if`, `while` and `for`, where a program asks for it."""

from __future__ import annotations

from enum import Enum
from typing import Any

from malt.core import converter


class Feature(Enum):
    """What else becomes operations: `assert` on tensors, `==` of tensors, what is done to lists."""

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """All of them."""
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude: Any) -> tuple[Feature, ...]:
        """All but one, or but some."""
        left_out = exclude if isinstance(exclude, (list, tuple, set)) else (exclude,)
        return tuple(each for each in cls if each not in left_out and each is not cls.ALL)


_OFFERED = (Feature.ASSERT_STATEMENTS, Feature.EQUALITY_OPERATORS)


def conversion_options(features: Any, recursive: bool = True) -> Any:
    """How a function is converted that a program names.

    Args:
      features: None, a `Feature`, or several.
      recursive: Whether the functions that it calls are converted, too.
    """
    wanted = (features,) if isinstance(features, Feature) else tuple(features or ())
    chosen = _OFFERED if Feature.ALL in wanted else [each for each in wanted if each in _OFFERED]
    return converter.ConversionOptions(
        recursive=recursive,
        user_requested=True,
        optional_features=tuple(converter.Feature[each.name] for each in chosen),
    )
