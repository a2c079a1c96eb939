"""tensorflow.python.ops.summary_op_util: with the arguments in TensorFlow's order."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from dataflow.library.summaries import tags as _tags
from dataflow.library.summaries.tags import clean_tag as clean_tag
from dataflow.library.summaries.tags import collect as collect


def summary_scope(
    name: str,
    family: str | None = None,
    default_name: str | None = None,
    values: Sequence[Any] | None = None,
) -> AbstractContextManager[tuple[str, str]]:
    """Opens the name scope of a summary, and gives its tag and the scope."""
    return _tags.summary_scope(name, family, values or (), default_name)
