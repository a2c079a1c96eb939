"""tf.compat.v2.summary where it is not tf.summary: summaries that write themselves."""

from __future__ import annotations

from typing import Any

from dataflow.graph.tensor import Tensor as _Tensor
from dataflow.library.check_types import assert_scalar as _assert_scalar
from dataflow.library.check_types import assert_type as _assert_type
from dataflow.ops.basic.cast import cast as _cast
from dataflow.proto.summary_pb2 import SummaryMetadata as _Metadata
from dataflow.recording.default_writer import record_if as record_if
from dataflow.recording.default_writer import should_record as _should_record
from dataflow.recording.resource_writer import SummaryWriter as SummaryWriter
from dataflow.recording.resource_writer import create_file_writer_v2 as _create_file_writer
from dataflow.recording.resource_writer import create_noop_writer as create_noop_writer
from dataflow.recording.resource_writer import flush as flush
from dataflow.recording.written import summary_scope as _summary_scope
from dataflow.recording.written import write as write
from dataflow.values import dtypes as _dtypes

create_file_writer = _create_file_writer


def should_record_summaries() -> _Tensor:
    """A boolean scalar: whether summaries write, which they do unless `record_if` says no."""
    return _should_record(unless_said=True)


def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Writes a number, as a float32 tensor.

    Args:
      name: With the scopes around it, it is the tag.
      data: A real scalar.
      step: An int64 scalar; the default step if None.
      description: What it is, in Markdown.

    Returns:
      A boolean scalar: whether it was written, which it is not without a writer.

    Raises:
      ValueError: This is no scalar, or there is no step.
    """
    with _summary_scope(name, "scalar_summary", [data, step]) as (tag, _):
        _assert_scalar(data)
        return write(tag, _cast(data, _dtypes.float32), step, _metadata("scalars", description))


def text(name: str, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Writes strings; one or two dimensions are shown as a table.

    Args:
      name: With the scopes around it, it is the tag.
      data: Strings.
      step: An int64 scalar; the default step if None.
      description: What it is, in Markdown.

    Returns:
      A boolean scalar: whether it was written, which it is not without a writer.

    Raises:
      TypeError: These are no strings.
      ValueError: There is no step.
    """
    with _summary_scope(name, "text_summary", [data, step]) as (tag, _):
        _assert_type(data, _dtypes.string)
        return write(tag, data, step, _metadata("text", description))


def _metadata(plugin: str, description: str | None) -> _Metadata:
    shown_by = _Metadata.PluginData(plugin_name=plugin)
    return _Metadata(summary_description=description or "", plugin_data=shown_by)
