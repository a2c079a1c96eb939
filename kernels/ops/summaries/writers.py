"""Kernels of writers of event files."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.errors import DataLossError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.resources import DEFAULT_CONTAINER
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.summaries import messages
from dataflow.kernels.summaries.messages import scalar_text
from dataflow.kernels.summaries.writer import SummaryWriter
from dataflow.proto.event_pb2 import Event
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.summary_pb2 import Summary

_SLOW = 1.0
"""Seconds: what a kernel that waits for a disk may take, for those who choose threads."""
_TAG = "tag must be scalar"


@kernel("SummaryWriter", device="CPU")
def summary_writer(node: KernelNode, xp: Any) -> Callable[[], SummaryWriter]:
    container, name = (os.fsdecode(node.attr(attr)) for attr in ("container", "shared_name"))
    path = f"{container or DEFAULT_CONTAINER}/{name}"
    find = node.resources.lookup_or_create
    return lambda: find(container, name, SummaryWriter, lambda: SummaryWriter(path))


@kernel("CreateSummaryFileWriter", device="CPU", handle=SummaryWriter, cost=_SLOW)
def create_file_writer(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(writer: SummaryWriter, logdir: Any, queue: Any, millis: Any, suffix: Any) -> None:
        writer.create(
            os.fsdecode(scalar_text(logdir, "logdir must be a scalar")),
            _number(queue, "max_queue"),
            _number(millis, "flush_millis"),
            os.fsdecode(scalar_text(suffix, "filename_suffix must be a scalar")),
        )

    return run


@kernel("FlushSummaryWriter", device="CPU", handle=SummaryWriter, cost=_SLOW)
def flush_writer(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(writer: SummaryWriter) -> None:
        writer.flush()

    return run


@kernel("CloseSummaryWriter", device="CPU", handle=SummaryWriter, cost=_SLOW)
def close_writer(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(writer: SummaryWriter) -> None:
        writer.close()

    return run


@kernel("ImportEvent", device="CPU", handle=SummaryWriter)
def import_event(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(writer: SummaryWriter, event: Any) -> None:
        data = scalar_text(event, "event must be a scalar")
        writer.write_event(messages.parsed(Event, data, "tf.Event"))

    return run


@kernel("WriteSummary", device="CPU", handle=SummaryWriter)
def write_tensor(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(writer: SummaryWriter, step: Any, tensor: Any, tag: Any, metadata: Any) -> None:
        data = scalar_text(metadata, "metadata must be scalar")
        summary = messages.of_tensor(scalar_text(tag, _TAG), tensor, data)
        if not data:
            summary.value[0].ClearField("metadata")
        _write(writer, step, summary)

    return run


@kernel("WriteRawProtoSummary", device="CPU", handle=SummaryWriter)
def write_raw(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(writer: SummaryWriter, step: Any, tensor: Any) -> None:
        summary = Summary()
        for index, data in enumerate(np.asarray(tensor, object).flat):
            try:
                summary.MergeFrom(messages.parsed(Summary, data, "tf.compat.v1.Summary"))
            except DataLossError as error:
                raise DataLossError(None, None, f"{error.message} at index {index}") from None
        _write(writer, step, summary)

    return run


@kernel("WriteScalarSummary", device="CPU", handle=SummaryWriter)
def write_scalar(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(writer: SummaryWriter, step: Any, tag: Any, value: Any) -> None:
        if not np.size(value):
            raise invalid(f"value must have an element, got shape {shape_text(np.shape(value))}")
        number = np.asarray(value).flat[0]
        _write(writer, step, messages.of_number(scalar_text(tag, _TAG), number))

    return run


@kernel("WriteHistogramSummary", device="CPU", handle=SummaryWriter)
def write_histogram(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(writer: SummaryWriter, step: Any, tag: Any, values: Any) -> None:
        name = scalar_text(tag, _TAG)
        _write(writer, step, messages.of_histogram(name, values, messages.printed(name)))

    return run


@kernel("WriteImageSummary", device="CPU", handle=SummaryWriter)
def write_images(node: KernelNode, xp: Any) -> Callable[..., None]:
    limit = node.attr("max_images")

    def run(writer: SummaryWriter, step: Any, tag: Any, images: Any, color: Any) -> None:
        bad_color = messages.checked_color(np.asarray(color))
        name = scalar_text(tag, _TAG)
        _write(writer, step, messages.of_images(name, images, limit, bad_color))

    return run


@kernel("WriteAudioSummary", device="CPU", handle=SummaryWriter)
def write_audio(node: KernelNode, xp: Any) -> Callable[..., None]:
    limit = node.attr("max_outputs")

    def run(writer: SummaryWriter, step: Any, tag: Any, clips: Any, rate: Any) -> None:
        _write(writer, step, messages.of_audio(scalar_text(tag, _TAG), clips, rate, limit))

    return run


@kernel("WriteGraphSummary", device="CPU", handle=SummaryWriter)
def write_graph(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(writer: SummaryWriter, step: Any, tensor: Any) -> None:
        data = scalar_text(tensor, "tensor must be a scalar")
        messages.parsed(GraphDef, data, "tf.GraphDef")
        writer.write_event(Event(wall_time=time.time(), step=_number(step, "step"), graph_def=data))

    return run


def _write(writer: SummaryWriter, step: Any, summary: Summary) -> None:
    writer.write_event(Event(wall_time=time.time(), step=_number(step, "step"), summary=summary))


def _number(value: Any, name: str) -> int:
    if np.ndim(value):
        raise invalid(f"{name} must be a scalar, got shape {shape_text(np.shape(value))}")
    return int(value)
