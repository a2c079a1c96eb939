"""Where summaries that write themselves go: a thread's writer, its condition and its step."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

from dataflow.graph import constant_value, scopes
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.ops.math.compare import logical_and


class _Defaults(threading.local):
    def __init__(self) -> None:
        super().__init__()
        self.writer: Any = None
        self.condition: Any = None
        self.step: Any = None


DEFAULTS: Final = _Defaults()
"""This thread's writer, its condition and its step: each is None where nobody has said one."""


def has_default_writer() -> bool:
    """Whether this thread has a default writer."""
    return DEFAULTS.writer is not None


def get_step() -> Any:
    """This thread's default step, or None."""
    return DEFAULTS.step


def set_step(step: Any) -> None:
    """Sets the step of this thread's summaries that are given none.

    Args:
      step: A number, a variable or a tensor, which becomes an int64 scalar; None for no step.
    """
    DEFAULTS.step = step


@contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """Says whether what is built inside writes.

    Args:
      condition: A bool, a boolean scalar, or a function that gives either.
    """
    outer, DEFAULTS.condition = DEFAULTS.condition, condition
    try:
        yield
    finally:
        DEFAULTS.condition = outer


def always_record_summaries() -> AbstractContextManager[None]:
    """What is built inside writes in each step."""
    return record_if(True)


def never_record_summaries() -> AbstractContextManager[None]:
    """What is built inside never writes."""
    return record_if(False)


def should_record_summaries() -> Tensor:
    """A boolean scalar: whether summaries write, which they do not unless one says so."""
    return should_record(unless_said=False)


def should_record(unless_said: bool) -> Tensor:
    """A boolean scalar: whether summaries write; False without a default writer.

    Args:
      unless_said: What holds outside of `record_if` and its kind.
    """
    condition = DEFAULTS.condition
    if DEFAULTS.writer is None or _is_surely_false(condition):
        return constant(False)
    if callable(condition):
        condition = condition()
    return logical_and(True, unless_said if condition is None else condition)


def _is_surely_false(condition: Any) -> bool:
    if isinstance(condition, Tensor):
        known = constant_value.written_value(condition)
        return known is not None and not known
    return condition is not None and not condition


def all_v2_summary_ops() -> list[Any]:
    """The summaries of the default graph that write themselves to a default writer.

    Those of `tf.contrib.summary.graph` and `import_event` are not among them.
    """
    return scopes.get_collection(GraphKeys._SUMMARY_COLLECTION)
