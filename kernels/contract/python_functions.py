"""The Python functions that the nodes of one session may call on one device."""

from __future__ import annotations

from collections.abc import Iterable

from dataflow.values.python import functions as python_functions
from dataflow.values.python.functions import PythonFunction


class PythonFunctions:
    """Those that the session has sent; where it is in this process, those that it has."""

    def __init__(self) -> None:
        self._sent: dict[str, PythonFunction] = {}

    def keep(self, functions: Iterable[PythonFunction]) -> None:
        """Takes functions that the session has sent; the first one of a token stays."""
        for function in functions:
            self._sent.setdefault(function.token, function)

    def find(self, token: str) -> PythonFunction | None:
        """The function of a token, or None."""
        return self._sent.get(token) or python_functions.find(token)
