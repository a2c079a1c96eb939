"""What programs ask of summary_op_util, in both places, and of summary_ops_v2 by path."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from dataflow.graph.constant_value import constant_value as _constant_value
from dataflow.graph.tensor import Tensor as _Tensor
from dataflow.library.distribution.context import get_replica_context as _get_replica_context
from dataflow.library.summaries import tags as _tags
from dataflow.library.summaries.tags import clean_tag as clean_tag
from dataflow.library.summaries.tags import collect as collect
from dataflow.values import logging


def summary_scope(
    name: str,
    family: str | None = None,
    default_name: str | None = None,
    values: Sequence[Any] | None = None,
) -> AbstractContextManager[tuple[str, str]]:
    """Opens the name scope of a summary, and gives its tag and the scope."""
    return _tags.summary_scope(name, family, values or (), default_name)


def skip_summary() -> bool:
    """Whether a summary belongs to another replica than the first, which is the one that writes."""
    context = _get_replica_context()
    if context is None:
        return False
    replica = context.replica_id_in_sync_group
    if isinstance(replica, _Tensor):
        replica = _constant_value(replica)
    return bool(replica)


def trace_on(graph: bool = True, profiler: bool = False) -> None:
    """Does nothing but warn, as in TensorFlow's graphs: it begins a trace of eager execution."""
    logging.warning("Must enable trace in eager mode.")


def trace_export(name: str, step: Any = None, profiler_outdir: Any = None) -> None:
    """Does nothing but warn, as in TensorFlow's graphs."""
    logging.warning("Can only export trace while executing eagerly.")


def trace_off() -> None:
    """Does nothing: no trace has begun."""
