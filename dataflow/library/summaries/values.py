"""tf.summary.scalar, histogram, image, audio, text and tensor_summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.library.summaries.tags import collect, summary_scope
from dataflow.ops.basic.single import single
from dataflow.proto.summary_pb2 import SummaryMetadata
from dataflow.values import dtypes

_DEFAULT: Final = (GraphKeys.SUMMARIES,)


def scalar(
    name: str,
    tensor: Any,
    collections: Sequence[Any] | None = None,
    family: str | None = None,
) -> Tensor:
    """A number's summary.

    Args:
      name: Name of the operation; with the scopes around it, it is the tag.
      tensor: A scalar of a real type.
      collections: Keys of the collections that it is added to; GraphKeys.SUMMARIES if None.
      family: Stands before the tag, and groups what is shown.

    Returns:
      A scalar string: a serialized Summary.
    """
    with summary_scope(name, family, [tensor]) as (tag, scope):
        summary = single("ScalarSummary", tag, tensor, name=scope)
        collect(summary, collections, _DEFAULT)
    return summary


def histogram(
    name: str,
    values: Any,
    collections: Sequence[Any] | None = None,
    family: str | None = None,
) -> Tensor:
    """The summary of how the elements of a tensor are distributed.

    Args:
      name: Name of the operation; with the scopes around it, it is the tag.
      values: Numbers of any shape; a step fails if one of them is infinite or no number.
      collections: Keys of the collections that it is added to; GraphKeys.SUMMARIES if None.
      family: Stands before the tag, and groups what is shown.

    Returns:
      A scalar string: a serialized Summary.
    """
    with summary_scope(name, family, [values], "HistogramSummary") as (tag, scope):
        summary = single("HistogramSummary", tag, values, name=scope)
        collect(summary, collections, _DEFAULT)
    return summary


def image(
    name: str,
    tensor: Any,
    max_outputs: int = 3,
    collections: Sequence[Any] | None = None,
    family: str | None = None,
) -> Tensor:
    """The summary of images.

    Args:
      name: Name of the operation. With the scopes around it and `/image` it is the tag, and
        `/0`, `/1` ... follow unless `max_outputs` is 1.
      tensor: Shape (images, height, width, channels) with 1, 3 or 4 channels; bytes, which are
        shown as they are, or floats, which are scaled image by image: to 0 to 255, or around 128
        if some are negative.
      max_outputs: Most images to show.
      collections: Keys of the collections that it is added to; GraphKeys.SUMMARIES if None.
      family: Stands before the tag, and groups what is shown.

    Returns:
      A scalar string: a serialized Summary.
    """
    with summary_scope(name, family, [tensor]) as (tag, scope):
        summary = single("ImageSummary", tag, tensor, max_images=max_outputs, name=scope)
        collect(summary, collections, _DEFAULT)
    return summary


def audio(
    name: str,
    tensor: Any,
    sample_rate: Any,
    max_outputs: int = 3,
    collections: Sequence[Any] | None = None,
    family: str | None = None,
) -> Tensor:
    """The summary of sounds.

    Args:
      name: Name of the operation. With the scopes around it and `/audio` it is the tag, and
        `/0`, `/1` ... follow unless `max_outputs` is 1.
      tensor: float32 between -1 and 1, of shape (clips, frames) or (clips, frames, channels).
      sample_rate: Frames a second, a float32 scalar.
      max_outputs: Most clips to show.
      collections: Keys of the collections that it is added to; GraphKeys.SUMMARIES if None.
      family: Stands before the tag, and groups what is shown.

    Returns:
      A scalar string: a serialized Summary.
    """
    with summary_scope(name, family, [tensor]) as (tag, scope):
        rate = convert_to_tensor(sample_rate, dtypes.float32, name="sample_rate")
        summary = single("AudioSummaryV2", tag, tensor, rate, max_outputs=max_outputs, name=scope)
        collect(summary, collections, _DEFAULT)
    return summary


def text(name: str, tensor: Any, collections: Sequence[Any] | None = None) -> Tensor:
    """The summary of text, which may be Markdown; one or two dimensions are shown as a table.

    Args:
      name: Name of the operation; with the scopes around it, it is the tag.
      tensor: Strings.
      collections: Keys of the collections that it is added to; GraphKeys.SUMMARIES if None.

    Returns:
      A scalar string: a serialized Summary.

    Raises:
      ValueError: These are no strings.
    """
    if tensor.dtype != dtypes.string:
        raise ValueError(f"Expected tensor {tensor.name} to have dtype string, got {tensor.dtype}")
    metadata = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="text"))
    return tensor_summary(name, tensor, summary_metadata=metadata, collections=collections)


def tensor_summary(
    name: str,
    tensor: Any,
    summary_description: str | None = None,
    collections: Sequence[Any] | None = None,
    summary_metadata: SummaryMetadata | None = None,
    family: str | None = None,
    display_name: str | None = None,
) -> Tensor:
    """The summary of a tensor as it is.

    Args:
      name: Name of the operation; with the scopes around it, it is the tag.
      tensor: A tensor of any type and shape.
      summary_description: What it is, in Markdown; goes into the metadata.
      collections: Keys of the collections that it is added to; GraphKeys.SUMMARIES if None.
      summary_metadata: Says which plugins show it.
      family: Stands before the tag, and groups what is shown.
      display_name: What it is called where it is shown; goes into the metadata.

    Returns:
      A scalar string: a serialized Summary.
    """
    metadata = SummaryMetadata() if summary_metadata is None else summary_metadata
    if summary_description is not None:
        metadata.summary_description = summary_description
    if display_name is not None:
        metadata.display_name = display_name
    data = metadata.SerializeToString()
    with summary_scope(name, family, [tensor]) as (tag, scope):
        summary = single("TensorSummaryV2", tag, tensor, data, name=scope)
        collect(summary, collections, _DEFAULT)
    return summary
