"""Summaries that write themselves to the default writer, as each kind of them is made."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from dataflow.control_flow.smart_cond import smart_cond
from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.library.summaries import tags
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity, no_op
from dataflow.recording.default_writer import DEFAULTS, should_record
from dataflow.recording.resource_writer import CPU
from dataflow.values import dtypes

_INVALID_SCOPE_CHARACTERS: Final = re.compile(r"[^-_/.A-Za-z0-9]")


def summary_writer_function(
    name: str, tensor: Any, function: Callable[[str, str], Any], family: str | None = None
) -> Any:
    """A summary that `function` writes, where `record_if` or its kind says so.

    Args:
      name: Name of the operation; with the scopes around it, it is the tag.
      tensor: What it is of.
      function: Takes the tag and the scope, and adds the operation that writes.
      family: Stands before the tag, and groups what is shown.

    Returns:
      A boolean scalar: whether it was written; an operation that does nothing without a writer.
    """
    outer = scopes.get_default_graph().get_name_scope()

    def record() -> Tensor:
        with (
            scopes.name_scope(outer and f"{outer}/"),
            tags.summary_scope(name, family, [tensor]) as (tag, scope),
        ):
            return _true_after(function(tag, scope))

    if DEFAULTS.writer is None:
        return no_op()
    with scopes.device(CPU):
        return _collected(smart_cond(should_record(False), record, _nothing, name=""))


@contextmanager
def summary_scope(
    name: str | None, default_name: str = "summary", values: Any = None
) -> Iterator[tuple[str, str]]:
    """Opens the name scope of a summary; two of one name have one tag.

    Args:
      name: Its name, which may hold what names of scopes cannot.
      default_name: Its name if it has none.
      values: What it is made of.

    Yields:
      Its tag and the scope.
    """
    outer, name = scopes.get_default_graph().get_name_scope(), name or default_name
    with scopes.name_scope(
        _INVALID_SCOPE_CHARACTERS.sub("", name) or None, default_name, values
    ) as scope:
        yield f"{outer}/{name}" if outer else name, scope


def write(
    tag: Any, tensor: Any, step: Any = None, metadata: Any = None, name: str | None = None
) -> Any:
    """Writes a tensor as it is, unless `record_if` says no.

    Args:
      tag: Its tag, a string.
      tensor: The tensor, or a function that makes it if it is to be written.
      step: An int64 scalar; the default step if None.
      metadata: A SummaryMetadata, serialized or not.
      name: Name of the operation.

    Returns:
      A boolean scalar: whether it was written, which it is not without a writer.

    Raises:
      ValueError: There is no step, or it is no scalar.
    """
    with scopes.name_scope(name, "write_summary") as scope:
        data = serialized(metadata)

        def add(at: Any) -> Any:
            value = tensor() if callable(tensor) else identity(tensor)
            return apply_op(
                "WriteSummary", DEFAULTS.writer._resource, at, value, tag, data, name=scope
            )

        return _unless_said(step, add, device="")


def write_raw_pb(tensor: Any, step: Any = None, name: str | None = None) -> Any:
    """Writes serialized Summaries, unless `record_if` says no.

    Args:
      tensor: Strings, a serialized Summary each.
      step: An int64 scalar; the default step if None.
      name: Name of the operation.

    Returns:
      A boolean scalar: whether they were written, which they are not without a writer.

    Raises:
      ValueError: There is no step, or it is no scalar.
    """
    with scopes.name_scope(name, "write_raw_pb") as scope:

        def add(at: Any) -> Any:
            return apply_op(
                "WriteRawProtoSummary",
                DEFAULTS.writer._resource,
                at,
                identity(tensor),
                name=scope,
            )

        return _unless_said(step, add, device=CPU)


def serialized(metadata: Any) -> Any:
    """A SummaryMetadata as bytes, if it is none already; no bytes for None."""
    if metadata is None:
        return b""
    return metadata.SerializeToString() if hasattr(metadata, "SerializeToString") else metadata


def as_step(step: Any) -> Tensor:
    """A step as a tensor.

    Raises:
      ValueError: It is no scalar.
    """
    found = convert_to_tensor(step, dtypes.int64)
    if found.shape.num_elements() != 1:
        raise ValueError(
            f"Argument `step` must be a scalar. Received step with shape {found.shape}."
        )
    return found


def _unless_said(step: Any, add: Callable[[Any], Any], device: str) -> Any:
    if DEFAULTS.writer is None:
        return _nothing()
    chosen = DEFAULTS.step if step is None else step

    def record() -> Tensor:
        if chosen is None:
            raise ValueError(
                "No step set. Please specify one either through the `step` argument or through "
                "tf.summary.experimental.set_step()"
            )
        with scopes.device(CPU):
            return _true_after(add(chosen))

    with scopes.device(device):
        written = smart_cond(should_record(True), record, _nothing, name="summary_cond")
    return _collected(written)


def _true_after(written: Any) -> Tensor:
    with scopes.control_dependencies([written]):
        return constant(True)


def _nothing() -> Tensor:
    return constant(False)


def _collected(summary: Any) -> Any:
    scopes.add_to_collection(GraphKeys._SUMMARY_COLLECTION, summary)
    return summary
