"""Conversion of functions that turn out to need it: those that branch or loop by tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.errors import OperatorNotAllowedInGraphError


def called_by_need(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls a function as it is, and converted if it takes a tensor for a Python value.

    Most functions need no conversion, which takes longer than they do. What a function had added
    to the graph before it failed stays there; nothing uses it.
    """
    try:
        return function(*args, **kwargs)
    except OperatorNotAllowedInGraphError as error:
        from dataflow.library.autograph.conversion import converted
        from dataflow.library.autograph.marks import is_marked

        if is_marked(function):
            raise
        try:
            return converted(function)(*args, **kwargs)
        except OperatorNotAllowedInGraphError:
            # Conversion has no part in it: the first error has the program's own lines.
            raise error from None
