"""Whether calls of `tf.function`s run the Python functions themselves."""

from __future__ import annotations

_direct = False


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Has calls of `tf.function`s run the Python functions, whose operations join the graph.

    Args:
      run_eagerly: Whether they do, from here on.
    """
    global _direct
    _direct = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """Whether calls of `tf.function`s run the Python functions."""
    return _direct
