"""Summaries of each kind that write themselves; their step is the global one if none is given."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity, no_op
from dataflow.ops.math.compare import equal
from dataflow.recording.default_writer import DEFAULTS, record_if
from dataflow.recording.resource_writer import CPU, write_graph
from dataflow.recording.written import as_step, serialized, summary_writer_function
from dataflow.training.global_step import get_or_create_global_step
from dataflow.values import dtypes


def record_summaries_every_n_global_steps(
    n: Any, global_step: Any = None
) -> AbstractContextManager[None]:
    """What is built inside writes in steps that `n` divides.

    Args:
      n: A number or an integer scalar.
      global_step: The step; the graph's global one if None.
    """
    if global_step is None:
        global_step = get_or_create_global_step()
    with scopes.device(CPU):
        return record_if(equal(global_step % n, 0))


def generic(
    name: str, tensor: Any, metadata: Any = None, family: str | None = None, step: Any = None
) -> Any:
    """A tensor as it is.

    Args:
      name: Name of the operation; with the scopes around it, it is the tag.
      tensor: A tensor of any type and shape.
      metadata: A SummaryMetadata, or a string tensor of a serialized one.
      family: Stands before the tag, and groups what is shown.
      step: An int64 scalar; the global step if None.

    Returns:
      A boolean scalar: whether it was written; an operation that does nothing without a writer.
    """

    def add(tag: str, scope: str) -> Operation:
        data = serialized(metadata)
        data = constant(data) if isinstance(data, bytes) else data
        return _written("WriteSummary", scope, step, identity(tensor), tag, data)

    return summary_writer_function(name, tensor, add, family)


def scalar(name: str, tensor: Any, family: str | None = None, step: Any = None) -> Any:
    """A number; see `generic`.

    Args:
      name: Name of the operation; with the scopes around it, it is the tag.
      tensor: A scalar of a real type.
      family: Stands before the tag, and groups what is shown.
      step: An int64 scalar; the global step if None.
    """

    def add(tag: str, scope: str) -> Operation:
        return _written("WriteScalarSummary", scope, step, tag, identity(tensor))

    return summary_writer_function(name, tensor, add, family)


def histogram(name: str, tensor: Any, family: str | None = None, step: Any = None) -> Any:
    """How the elements of a tensor are distributed; see `generic`.

    Args:
      name: Name of the operation; with the scopes around it, it is the tag.
      tensor: Numbers of any shape; a step fails if one of them is infinite or no number.
      family: Stands before the tag, and groups what is shown.
      step: An int64 scalar; the global step if None.
    """

    def add(tag: str, scope: str) -> Operation:
        return _written("WriteHistogramSummary", scope, step, tag, identity(tensor))

    return summary_writer_function(name, tensor, add, family)


def image(
    name: str,
    tensor: Any,
    bad_color: Any = None,
    max_images: int = 3,
    family: str | None = None,
    step: Any = None,
) -> Any:
    """Images; see `tf.summary.image` for what they are, and `generic`.

    Args:
      name: Name of the operation; with the scopes around it, it is the beginning of the tag.
      tensor: Shape (images, height, width, channels), bytes or floats.
      bad_color: uint8 of shape (channels,), in place of floats that are no numbers; red if None.
      max_images: Most images to write.
      family: Stands before the tag, and groups what is shown.
      step: An int64 scalar; the global step if None.
    """

    def add(tag: str, scope: str) -> Operation:
        color = constant([255, 0, 0, 255], dtypes.uint8) if bad_color is None else bad_color
        inputs = tag, identity(tensor), color
        return _written("WriteImageSummary", scope, step, *inputs, max_images=max_images)

    return summary_writer_function(name, tensor, add, family)


def audio(
    name: str,
    tensor: Any,
    sample_rate: Any,
    max_outputs: int,
    family: str | None = None,
    step: Any = None,
) -> Any:
    """Sounds; see `tf.summary.audio` for what they are, and `generic`.

    Args:
      name: Name of the operation; with the scopes around it, it is the beginning of the tag.
      tensor: float32 of shape (clips, frames) or (clips, frames, channels).
      sample_rate: Frames a second, a float32 scalar.
      max_outputs: Most clips to write.
      family: Stands before the tag, and groups what is shown.
      step: An int64 scalar; the global step if None.
    """

    def add(tag: str, scope: str) -> Operation:
        inputs = tag, identity(tensor), sample_rate
        return _written("WriteAudioSummary", scope, step, *inputs, max_outputs=max_outputs)

    return summary_writer_function(name, tensor, add, family)


def graph(param: Any, step: Any = None, name: str | None = None) -> Operation:
    """An operation that writes a graph to the default writer, if there is one.

    It writes whatever `record_if` says.

    Args:
      param: A string scalar: a serialized GraphDef, fed as a rule.
      step: An int64 scalar; the global step if None.
      name: Name of the operation.

    Raises:
      TypeError: This is no tensor.
    """
    if not isinstance(param, Tensor):
        raise TypeError(
            "graph() needs a argument `param` to be tf.Tensor (e.g. tf.placeholder) in graph "
            f"mode, but received param={param} of type {type(param).__name__}."
        )
    return no_op() if DEFAULTS.writer is None else write_graph(param, _chosen(step), name)


def _written(op_type: str, scope: str, step: Any, *inputs: Any, **attrs: Any) -> Operation:
    written: Operation = apply_op(
        op_type, DEFAULTS.writer._resource, _chosen(step), *inputs, name=scope, **attrs
    )
    return written


def _chosen(step: Any) -> Any:
    return get_or_create_global_step() if step is None else as_step(step)
