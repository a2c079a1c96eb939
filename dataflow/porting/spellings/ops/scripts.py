"""tensorflow.python.ops.script_ops: Python functions that graphs of this process call."""

from __future__ import annotations

from dataflow.values.python import functions


class _Functions:
    """The functions that are kept since a graph may call them."""

    def size(self) -> int:
        """How many there are."""
        return functions.count()


_py_funcs = _Functions()
