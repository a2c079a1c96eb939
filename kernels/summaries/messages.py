"""Summaries of values: what the ops that make them and those that write them have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError, Message

from dataflow.errors import DataLossError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.summaries.histogram import histogram
from dataflow.kernels.summaries.pixels import as_bytes
from dataflow.kernels.summaries.png import encode_png
from dataflow.kernels.summaries.wav import encode_wav
from dataflow.kernels.threads.stopping import look
from dataflow.proto.summary_pb2 import Summary, SummaryMetadata
from dataflow.proto.tensor_pb2 import TensorProto
from dataflow.values.tensor_proto import encode_tensor


def scalar_text(value: Any, refusal: str) -> bytes:
    """The bytes of a string tensor that must be a scalar.

    Raises:
      InvalidArgumentError: With the text of `refusal`: it is none.
    """
    if np.ndim(value):
        raise invalid(refusal)
    return bytes(np.asarray(value, object).item())


def printed(tag: bytes) -> str:
    """A tag as a message holds it: text."""
    return tag.decode(errors="replace")


def of_number(tag: bytes, value: Any) -> Summary:
    """The summary of one number."""
    with np.errstate(over="ignore"):
        number = float(np.float32(value))
    return Summary(value=[Summary.Value(tag=printed(tag), simple_value=number)])


def of_histogram(tag: bytes, values: Any, owner: str) -> Summary:
    """The summary of how values are distributed; `owner` is named if they cannot be sorted."""
    return Summary(value=[Summary.Value(tag=printed(tag), histo=histogram(values, owner))])


def of_images(tag: bytes, batch: Any, limit: int, bad_color: Any) -> Summary:
    """The summary of the first images of a batch.

    Args:
      tag: The tag; the images' numbers follow it where there may be several.
      batch: Bytes or floats, of shape (images, height, width, channels).
      limit: How many may be shown.
      bad_color: Bytes; as many as there are channels are used.

    Raises:
      InvalidArgumentError: These are no images, or the color has too few channels.
    """
    images = np.asarray(batch)
    if images.ndim != 4 or images.shape[3] not in (1, 3, 4):
        raise invalid(
            f"Tensor must be 4-D with last dim 1, 3, or 4, not {shape_text(images.shape)}"
        )
    _, height, width, depth = images.shape
    if not height * width:
        sizes = ", ".join(map(str, images.shape))
        raise invalid(f"input tensor must have non-zero dims. Found: [{sizes}].")
    if images.dtype != np.uint8 and len(bad_color) < depth:
        raise invalid(
            f"expected depth <= bad_color.size, got depth = {depth}, bad_color.size = "
            f"{len(bad_color)}"
        )
    summary = Summary()
    for name, image in _numbered(f"{printed(tag)}/image", images, limit):
        pixels = image if image.dtype == np.uint8 else as_bytes(image, bad_color)
        shown = Summary.Image(
            height=height, width=width, colorspace=depth, encoded_image_string=encode_png(pixels)
        )
        summary.value.add(tag=name, image=shown)
    return summary


def checked_color(color: np.ndarray) -> np.ndarray:
    """The color of bad pixels, a vector of any length.

    Raises:
      InvalidArgumentError: It is none.
    """
    if color.ndim != 1:
        raise invalid(f"bad_color must be a vector, got shape {shape_text(color.shape)}")
    return color


def of_audio(tag: bytes, batch: Any, rate: Any, limit: int) -> Summary:
    """The summary of the first clips of a batch.

    Args:
      tag: The tag; the clips' numbers follow it where there may be several.
      batch: Floats of shape (clips, frames) or (clips, frames, channels).
      rate: Frames a second, a tensor of one element.
      limit: How many may be shown.

    Raises:
      InvalidArgumentError: These are no clips, or there is no such rate.
    """
    clips: Any = np.asarray(batch)
    if clips.ndim not in (2, 3):
        raise invalid(f"Tensor must be 3-D or 2-D, got: {shape_text(clips.shape)}")
    if np.size(rate) != 1:
        raise invalid("sample_rate must be rank-0 or contain a single value")
    frames_a_second = float(np.reshape(rate, ()))
    if not frames_a_second > 0:
        raise invalid("sample_rate must be > 0")
    clips = clips.reshape(clips.shape if clips.ndim == 3 else (*clips.shape, 1))
    _, frames, channels = clips.shape
    summary = Summary()
    for name, clip in _numbered(f"{printed(tag)}/audio", clips, limit):
        heard = Summary.Audio(
            sample_rate=frames_a_second,
            num_channels=channels,
            length_frames=frames,
            encoded_audio_string=encode_wav(clip, frames_a_second),
            content_type="audio/wav",
        )
        summary.value.add(tag=name, audio=heard)
    return summary


def of_tensor(tag: bytes, tensor: Any, metadata: bytes) -> Summary:
    """The summary of a tensor, with a serialized SummaryMetadata; a wrong one is left out."""
    summary = Summary(value=[Summary.Value(tag=printed(tag), tensor=as_message(tensor))])
    try:
        summary.value[0].metadata.ParseFromString(metadata)
    except DecodeError:
        summary.value[0].metadata.CopyFrom(SummaryMetadata())
    return summary


def as_message(tensor: Any) -> TensorProto:
    """A tensor as a message, with its elements as they lie in memory where they are numbers."""
    array, message = np.asarray(tensor), TensorProto()
    if array.dtype == object:
        try:
            encode_tensor(array, message)
        except TypeError:
            raise invalid("A summary holds numbers or strings, not what a handle is for") from None
    else:
        encode_tensor(array[:0] if array.ndim else array.reshape(1)[:0], message)
        del message.tensor_shape.dim[:]
        for size in array.shape:
            message.tensor_shape.dim.add(size=size)
        message.tensor_content = array.tobytes()
    return message


def parsed(message: Callable[[], Message], data: Any, name: str) -> Any:
    """A message that was serialized.

    Raises:
      DataLossError: It was not, or is damaged.
    """
    result = message()
    try:
        result.ParseFromString(bytes(data))
    except DecodeError:
        raise DataLossError(None, None, f"Bad {name} binary proto tensor string") from None
    return result


def _numbered(tag: str, batch: np.ndarray, limit: int) -> Any:
    """The first elements of a batch, each with its tag."""
    for number, element in enumerate(batch[:limit]):
        look()
        yield tag if limit == 1 else f"{tag}/{number}", element
