"""tf.scalar_summary and the other functions of the first TensorFlow 1 programs.

Their first argument is the tag itself, whatever scopes are open; the name is another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.library.summaries.tags import collect
from dataflow.ops.basic.single import single
from dataflow.values import dtypes


def scalar_summary(
    tags: Any, values: Any, collections: Sequence[Any] | None = None, name: str | None = None
) -> Tensor:
    """A summary of a number for each tag; see `tf.summary.scalar`."""
    return _added("ScalarSummary", name, collections, (tags, values))


def histogram_summary(
    tag: Any, values: Any, collections: Sequence[Any] | None = None, name: str | None = None
) -> Tensor:
    """The summary of how values are distributed; see `tf.summary.histogram`."""
    return _added("HistogramSummary", name, collections, (tag, values))


def image_summary(
    tag: Any,
    tensor: Any,
    max_images: int = 3,
    collections: Sequence[Any] | None = None,
    name: str | None = None,
) -> Tensor:
    """The summary of images; see `tf.summary.image`."""
    return _added("ImageSummary", name, collections, (tag, tensor), max_images=max_images)


def audio_summary(
    tag: Any,
    tensor: Any,
    sample_rate: Any,
    max_outputs: int = 3,
    collections: Sequence[Any] | None = None,
    name: str | None = None,
) -> Tensor:
    """The summary of sounds; see `tf.summary.audio`."""
    rate = convert_to_tensor(sample_rate, dtypes.float32, name="sample_rate")
    values = (tag, tensor, rate)
    return _added("AudioSummaryV2", name, collections, values, max_outputs=max_outputs)


def _added(
    op_type: str,
    name: str | None,
    collections: Sequence[Any] | None,
    values: tuple[Any, ...],
    **attrs: Any,
) -> Tensor:
    with scopes.name_scope(name, op_type.removesuffix("V2"), values) as scope:
        summary = single(op_type, *values, name=scope, **attrs)
        collect(summary, collections, (GraphKeys.SUMMARIES,))
    return summary
