"""tf.compat.v2.summary where it is not tf.summary: summaries that write themselves."""

from __future__ import annotations

from typing import Any

from dataflow.graph.tensor import Tensor as _Tensor
from dataflow.library.check_types import assert_scalar as _assert_scalar
from dataflow.library.check_types import assert_type as _assert_type
from dataflow.library.summaries.buckets import buckets_of as _buckets_of
from dataflow.library.summaries.encoded import clips as _clips
from dataflow.library.summaries.encoded import pictures as _pictures
from dataflow.ops.basic.cast import cast as _cast
from dataflow.ops.basic.identity import stop_gradient as _stop_gradient
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
_WAV = b"\x10\x0b"
"""The field `encoding` of what is said of sounds: the format is WAV."""


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


def histogram(
    name: str, data: Any, step: Any = None, buckets: Any = None, description: str | None = None
) -> Any:
    """Writes how the elements of a tensor are distributed, in buckets of one width.

    Args:
      name: With the scopes around it, it is the tag.
      data: Numbers of any shape.
      step: An int64 scalar; the default step if None.
      buckets: How many buckets; 30 if None.
      description: What it is, in Markdown.

    Returns:
      A boolean scalar: whether it was written, which it is not without a writer.

    Raises:
      ValueError: There is no step.
    """
    data = _stop_gradient(data)
    with _summary_scope(name, "histogram_summary", [data, buckets, step]) as (tag, _):
        metadata = _metadata("histograms", description)
        return write(tag, lambda: _buckets_of(data, buckets), step, metadata)


def image(
    name: str, data: Any, step: Any = None, max_outputs: Any = 3, description: str | None = None
) -> Any:
    """Writes images, as PNG.

    Args:
      name: With the scopes around it, it is the tag.
      data: Shape (images, height, width, channels) with 1 to 4 channels; floats from 0 to 1, or
        integers, which are scaled to bytes.
      step: An int64 scalar; the default step if None.
      max_outputs: Most images to write.
      description: What it is, in Markdown.

    Returns:
      A boolean scalar: whether it was written, which it is not without a writer.

    Raises:
      ValueError: There is no step, or these are no images.
    """
    with _summary_scope(name, "image_summary", [data, max_outputs, step]) as (tag, _):
        metadata = _metadata("images", description)
        return write(tag, lambda: _pictures(data, max_outputs), step, metadata)


def audio(
    name: str,
    data: Any,
    sample_rate: Any,
    step: Any = None,
    max_outputs: Any = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Any:
    """Writes sounds.

    Args:
      name: With the scopes around it, it is the tag.
      data: float32 between -1 and 1, of the shape (clips, frames, channels).
      sample_rate: Frames a second, an int32 scalar.
      step: An int64 scalar; the default step if None.
      max_outputs: Most sounds to write.
      encoding: "wav" or None.
      description: What it is, in Markdown.

    Returns:
      A boolean scalar: whether it was written, which it is not without a writer.

    Raises:
      ValueError: There is no step, these are no sounds, or the encoding is another.
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}")
    with _summary_scope(name, "audio_summary", [data, sample_rate, max_outputs, step]) as (tag, _):
        metadata = _metadata("audio", description, _WAV)
        return write(tag, lambda: _clips(data, sample_rate, max_outputs), step, metadata)


def _metadata(plugin: str, description: str | None, content: bytes = b"") -> _Metadata:
    shown_by = _Metadata.PluginData(plugin_name=plugin, content=content)
    return _Metadata(summary_description=description or "", plugin_data=shown_by)
