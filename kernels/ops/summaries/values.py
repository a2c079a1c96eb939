"""Kernels whose result is a serialized Summary."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.summaries import messages
from dataflow.kernels.summaries.messages import scalar_text
from dataflow.proto.summary_pb2 import Summary
from dataflow.values.dtypes import as_dtype


def _serialized(summary: Summary) -> Any:
    result = np.empty((), object)
    result[()] = summary.SerializeToString()
    return result


@kernel("ScalarSummary", device="CPU")
def scalar_summary(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(tags: Any, values: Any) -> Any:
        names, numbers = np.asarray(tags, object), np.asarray(values)
        if names.shape != numbers.shape:
            single = f" (tag '{messages.printed(names.item())}')" if names.size == 1 else ""
            raise invalid(
                f"tags and values are not the same shape: {shape_text(names.shape)} != "
                f"{shape_text(numbers.shape)}{single}"
            )
        summary = Summary()
        for name, number in zip(names.flat, numbers.flat, strict=True):
            summary.MergeFrom(messages.of_number(name, number))
        return _serialized(summary)

    return run


@kernel("HistogramSummary", device="CPU")
def histogram_summary(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda tag, values: _serialized(
        messages.of_histogram(scalar_text(tag, "tags must be scalar"), values, node.name)
    )


@kernel("ImageSummary", device="CPU")
def image_summary(node: KernelNode, xp: Any) -> Callable[..., Any]:
    color, limit = np.asarray(node.attr("bad_color")), node.attr("max_images")
    if color.dtype != np.uint8:
        raise invalid(f"bad_color must be uint8, got {type_name(as_dtype(color.dtype))}")
    messages.checked_color(color)
    return lambda tag, images: _serialized(
        messages.of_images(scalar_text(tag, "Tags must be a scalar"), images, limit, color)
    )


@kernel("AudioSummary", device="CPU")
def early_audio_summary(node: KernelNode, xp: Any) -> Callable[..., Any]:
    rate, compute = np.float32(node.attr("sample_rate")), audio_summary(node, xp)
    return lambda tag, clips: compute(tag, clips, rate)


@kernel("AudioSummaryV2", device="CPU")
def audio_summary(node: KernelNode, xp: Any) -> Callable[..., Any]:
    limit = node.attr("max_outputs")
    return lambda tag, clips, rate: _serialized(
        messages.of_audio(scalar_text(tag, "Tag must be a scalar"), clips, rate, limit)
    )


@kernel("TensorSummary", device="CPU")
def tensor_summary(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(tensor: Any) -> Any:
        value = Summary.Value(node_name=node.name, tensor=messages.as_message(tensor))
        return _serialized(Summary(value=[value]))

    return run


@kernel("TensorSummaryV2", device="CPU")
def tensor_summary_v2(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(tag: Any, tensor: Any, metadata: Any) -> Any:
        name = scalar_text(tag, "tag must be scalar")
        data = scalar_text(metadata, "serialized_summary_metadata must be scalar")
        return _serialized(messages.of_tensor(name, tensor, data))

    return run


@kernel("MergeSummary", device="CPU")
def merge_summary(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(*inputs: Any) -> Any:
        merged, tags = Summary(), set[str]()
        for data in (item for array in inputs for item in np.asarray(array, object).flat):
            try:
                merged.MergeFromString(bytes(data))
            except DecodeError:
                raise invalid("Could not parse one of the summary inputs") from None
        # The values of TensorSummary have names of nodes in place of tags.
        for value in merged.value:
            if value.tag and value.tag in tags:
                raise invalid(f"Duplicate tag {value.tag} found in summary inputs ")
            tags.add(value.tag)
        return _serialized(merged)

    return run
