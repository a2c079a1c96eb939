"""Kernels that read and write files of images, on the host."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from dataflow.errors import InternalError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.images import jpeg, kinds, png_writing, webp
from dataflow.kernels.images.jpeg import Reading, Writing
from dataflow.kernels.images.kinds import Request
from dataflow.kernels.threads.stopping import look

_METHODS = (b"", b"INTEGER_FAST", b"INTEGER_ACCURATE")
_CONTENTS: dict[str, Any] = {"host_inputs": ("contents",), "host_outputs": ("image",)}


def _request(node: KernelNode) -> Request:
    channels = 0 if node.op == "DecodeGif" else node.attr("channels")
    if channels not in (0, 1, 3, 4):
        raise invalid(f"`channels` must be 0, 1, 3 or 4 but got {channels}")
    is_animated = node.op == "DecodeImage" and bool(node.attr("expand_animations"))
    dtype = node.output_dtypes[0].as_numpy_dtype
    # A file of frames has three channels, and so have images that are read as one.
    way = Reading(3 if node.op == "DecodeGif" else channels)
    if node.op in ("DecodeJpeg", "DecodeAndCropJpeg"):
        way = _reading(node, way)
    return Request(node.op, 3 if node.op == "DecodeGif" else channels, dtype, is_animated, way)


def _reading(node: KernelNode, way: Reading) -> Reading:
    ratio, method = node.attr("ratio"), node.attr("dct_method")
    if ratio not in (1, 2, 4, 8):
        raise invalid(f"ratio must be 1, 2, 4, or 8, got {ratio}")
    if method not in _METHODS:
        raise invalid("dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}")
    return replace(
        way,
        ratio=ratio,
        smooth=bool(node.attr("fancy_upscaling")),
        exact=method == b"INTEGER_ACCURATE",
        recovers=bool(node.attr("try_recover_truncated")),
    )


@kernel("DecodeJpeg", "DecodePng", "DecodeGif", "DecodeBmp", "DecodeImage", **_CONTENTS)
def decode(node: KernelNode, xp: Any) -> Callable[..., Any]:
    request = _request(node)
    return lambda contents: kinds.read(_file(contents), request)


@kernel("DecodeWebP", **_CONTENTS)
def decode_webp(node: KernelNode, xp: Any) -> Callable[..., Any]:
    channels = node.attr("channels")
    if channels not in (0, 3, 4):
        raise invalid("WebP only supports 3 or 4 channels")

    def run(contents: Any) -> Any:
        data = _file(contents)
        if not data:
            raise invalid("Input is empty.")
        if not webp.is_webp(data):
            raise invalid(
                "Unknown image file format. One of JPEG, JPEG XL, PNG, GIF, BMP, WebP required."
            )
        return webp.read(data, channels)

    return run


@kernel("DecodeAndCropJpeg", host_inputs=("contents", "crop_window"), host_outputs=("image",))
def decode_and_crop(node: KernelNode, xp: Any) -> Callable[..., Any]:
    request = _request(node)

    def run(contents: Any, window: Any) -> Any:
        data = _file(contents)
        if np.ndim(window) != 1:
            raise invalid(f"crop_window must be 1-D, got shape {shape_text(np.shape(window))}")
        if len(window) != 4:
            raise invalid(f"crop_size must have four elements {shape_text(np.shape(window))}")
        image = kinds.read(data, request)
        y, x, height, width = (int(each) for each in window)
        inside = y >= 0 and x >= 0 and height > 0 and width > 0
        if not inside or y + height > image.shape[0] or x + width > image.shape[1]:
            raise invalid("jpeg::Uncompress failed. Invalid JPEG data or crop window.")
        return np.ascontiguousarray(image[y : y + height, x : x + width])

    return run


def _file(contents: Any) -> bytes:
    if np.ndim(contents):
        raise invalid(f"`contents` must be scalar but got shape{shape_text(np.shape(contents))}")
    return bytes(np.asarray(contents, object).item())


@kernel("ExtractJpegShape", host_inputs=("contents",), host_outputs=("image_shape",))
def extract_shape(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0].as_numpy_dtype

    def run(contents: Any) -> Any:
        if np.ndim(contents):
            raise invalid(f"contents must be scalar, got shape {shape_text(np.shape(contents))}")
        return np.array(jpeg.size_of(bytes(np.asarray(contents, object).item())), dtype)

    return run


@kernel("EncodeJpeg", host_inputs=("image",), host_outputs=("contents",))
def encode_jpeg(node: KernelNode, xp: Any) -> Callable[..., Any]:
    way = Writing(
        quality=node.attr("quality"),
        progressive=bool(node.attr("progressive")),
        optimizes=bool(node.attr("optimize_size")),
        downsamples=bool(node.attr("chroma_downsampling")),
        per_inch=node.attr("density_unit") == b"in",
        density=(node.attr("x_density"), node.attr("y_density")),
        metadata=bytes(node.attr("xmp_metadata")),
    )
    _check_quality(way.quality)
    form = node.attr("format").decode()
    wanted = {"": 0, "grayscale": 1, "rgb": 3}[form]

    def run(image: Any) -> Any:
        _check_image(image)
        if wanted and image.shape[2] != wanted:
            raise invalid(f"format {form} expects {wanted} channels, got {shape_text(image.shape)}")
        _check_channels(image)
        return _scalar(jpeg.write(image, way))

    return run


@kernel("EncodeJpegVariableQuality", host_inputs=("images", "quality"), host_outputs=("contents",))
def encode_jpeg_variable(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(image: Any, quality: Any) -> Any:
        _check_image(image)
        if np.ndim(quality):
            raise invalid(f"quality must be scalar: {shape_text(np.shape(quality))}")
        _check_channels(image)
        _check_quality(int(quality))
        return _scalar(jpeg.write(image, Writing(quality=int(quality))))

    return run


def _check_image(image: Any) -> None:
    if image.ndim != 3:
        raise invalid(f"image must be 3-dimensional{shape_text(image.shape)}")


def _check_channels(image: Any) -> None:
    if image.shape[2] not in (1, 3):
        raise invalid(f"image must have 1 or 3 channels, got {shape_text(image.shape)}")


def _check_quality(quality: int) -> None:
    if not 0 <= quality <= 100:
        raise invalid(f"quality must be in [0,100], got {quality}")


def _scalar(file: bytes) -> Any:
    result = np.empty((), object)
    result[()] = file
    return result


@kernel("EncodePng", host_inputs=("image",), host_outputs=("contents",))
def encode_png(node: KernelNode, xp: Any) -> Callable[..., Any]:
    level = node.attr("compression")
    if not -1 <= level <= 9:
        raise invalid(f"compression should be in [-1,9], got {level}")

    def run(image: Any) -> Any:
        if image.ndim < 3:
            raise invalid(f"images must be at least rank 3{shape_text(image.shape)}")
        *batch, height, width, channels = image.shape
        if channels not in (1, 2, 3, 4):
            raise invalid(f"image must have 1, 2, 3, or 4 channels, got {channels}")
        count = math.prod(batch)
        result = np.empty(count, object)
        if count and not height * width:
            indices = ",".join(map(str, range(count)))
            raise InternalError(
                None,
                None,
                f"PNG encoding failed at the following flattened batch indices: {indices}",
            )
        for number, each in enumerate(image.reshape(count, height, width, channels)):
            look()
            result[number] = png_writing.write(each, level)
        return result.reshape(batch)

    return run
