"""Python functions that nodes call by a token: who has a graph keeps its functions alive."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any, Final

PYTHON_CALLS: Final = frozenset({"PyFunc", "PyFuncStateless", "EagerPyFunc"})
"""Op types whose nodes call Python functions."""


class PythonFunction:
    """A function of the program's, by the token that its nodes have as an attr.

    What a node has is the token, which is only text: reading a graph runs nothing, and a token
    that nobody has been given a function for is an error of the step.
    """

    __slots__ = ("__weakref__", "backward", "call", "token")

    def __init__(
        self,
        call: Callable[..., Any],
        token: str,
        backward: Callable[..., Any] | None = None,
    ) -> None:
        """Wraps a function.

        Args:
          call: Takes arrays, or numpy scalars and bytes for shape [].
          token: Its token.
          backward: Gives the gradients of its last call, for those of the results; None if it is
            not differentiable.
        """
        self.call = call
        self.token = token
        self.backward = backward

    def __reduce__(self) -> tuple[Any, ...]:
        return PythonFunction, (self.call, self.token, self.backward)


_NUMBERS: Final = itertools.count()
_functions: Final[weakref.WeakValueDictionary[str, PythonFunction]] = weakref.WeakValueDictionary()


def register(
    call: Callable[..., Any], backward: Callable[..., Any] | None = None
) -> PythonFunction:
    """Gives a function a token, which is good as long as the result is held."""
    token = f"pyfunc_{next(_NUMBERS)}"
    function = _functions[token] = PythonFunction(call, token, backward)
    return function


def count() -> int:
    """How many functions there are."""
    return len(_functions)


def find(token: str) -> PythonFunction | None:
    """The function of a token, or None."""
    return _functions.get(token)
