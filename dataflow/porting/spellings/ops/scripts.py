"""tensorflow.python.ops.script_ops: Python functions that graphs of this process call."""

from __future__ import annotations

from dataflow.values.python import functions


class _Functions:
    """The functions that are kept since a graph may call them."""

    def size(self) -> int:
        """How many there are."""
        return functions.count()


__all__ = ["_py_funcs", "eager_py_func"]

_py_funcs = _Functions()
