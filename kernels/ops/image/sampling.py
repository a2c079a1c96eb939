"""Kernels that draw parts of images, on the host: seeded ones draw TensorFlow's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from dataflow.errors import FailedPreconditionError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.images.sampling import Box, Wanted, Word, draw
from dataflow.kernels.random.keys import stream_of_seed
from dataflow.kernels.random.philox import GuardedPhilox, Philox

_AHEAD: Final = 64
"""Words that are made together: more than most calls need."""
_LARGEST: Final = 1 << 31
_OUTPUTS = ("begin", "size", "bboxes")


@kernel(
    "SampleDistortedBoundingBox",
    host_inputs=("image_size", "bounding_boxes"),
    host_outputs=_OUTPUTS,
)
def sample(node: KernelNode, xp: Any) -> Callable[..., Any]:
    covered = np.float32(node.attr("min_object_covered"))
    _check_covered(covered)
    part, words = _sampler(node), _words(node, node.attr("max_attempts"))
    return lambda size, boxes: part(size, boxes, covered, words())


@kernel(
    "SampleDistortedBoundingBoxV2",
    host_inputs=("image_size", "bounding_boxes", "min_object_covered"),
    host_outputs=_OUTPUTS,
)
def sample_v2(node: KernelNode, xp: Any) -> Callable[..., Any]:
    part, words = _sampler(node), _words(node, node.attr("max_attempts"))

    def run(size: Any, boxes: Any, covered: Any) -> Any:
        _check_covered(covered)
        return part(size, boxes, covered, words())

    return run


@kernel(
    "StatelessSampleDistortedBoundingBox",
    host_inputs=("image_size", "bounding_boxes", "min_object_covered", "seed"),
    host_outputs=_OUTPUTS,
)
def sample_of_seed(node: KernelNode, xp: Any) -> Callable[..., Any]:
    part = _sampler(node)

    def run(size: Any, boxes: Any, covered: Any, seed: Any) -> Any:
        _check_covered(covered)
        return part(size, boxes, covered, _words_of(stream_of_seed(seed)))

    return run


@kernel("RandomCrop", host_inputs=("size",))
def crop(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """A part that begins where the call's words say, the one for the width first."""
    words = _words(node, 1)

    def run(image: Any, size: Any) -> Any:
        if image.ndim != 3:
            raise invalid(f"input must be 3-dimensional{shape_text(image.shape)}")
        if np.ndim(size) != 1:
            raise invalid(f"shape_t must be 1-dimensional{shape_text(np.shape(size))}")
        if len(size) != 2:
            raise invalid(f"shape_t must have two elements{shape_text(np.shape(size))}")
        height, width = map(int, size)
        if height < 0 or width < 0:
            raise invalid(f"Expected shape dimensions to be non-negative, got {min(size)}")
        sides = (image.shape[1], width), (image.shape[0], height)
        for side, (whole, part) in zip(("width", "height"), sides, strict=True):
            if whole < part:
                raise FailedPreconditionError(
                    None,
                    None,
                    f"{side} must be >= target_{side}: {side} = {whole}, target_{side} = {part}",
                )
        next_word = words()
        left, top = (
            next_word() % (whole - part + 1) if whole > part else 0 for whole, part in sides
        )
        return image[top : top + height, left : left + width]

    return run


def _check_covered(covered: Any) -> None:
    if np.ndim(covered):
        raise invalid(f"min_object_covered must be 0-D, got shape {shape_text(np.shape(covered))}")
    if not covered >= 0:
        raise invalid(f"Min object covered must be non-negative: {covered:g}")


def _range(node: KernelNode, name: str, text: str, most: float) -> list[Any]:
    values = list(node.attr(name))
    if len(values) != 2:
        raise invalid(f"{text} range field must specify 2 dimensions")
    shown = ", ".join(f"{value:g}" for value in values)
    if not (values[0] > 0 and values[1] > 0):
        raise invalid(f"{text} range must be non-negative: [{shown}]")
    if max(values) > most:
        raise invalid(f"{text} range must be less then or equal to {most:.1f}: [{shown}]")
    return values


def _sampler(node: KernelNode) -> Callable[..., Any]:
    proportions = _range(node, "aspect_ratio_range", "Aspect ratio", float("inf"))
    areas = _range(node, "area_range", "Area", 1)
    attempts = node.attr("max_attempts")
    if attempts <= 0:
        raise invalid(f"Max attempts must be non-negative: {attempts}")
    takes_image = bool(node.attr("use_image_if_no_bounding_boxes"))
    dtype = node.output_dtypes[0].as_numpy_dtype

    def run(size: Any, boxes: Any, covered: Any, word: Word) -> Any:
        height, width = _sizes(size)
        objects = _objects(boxes, height, width, takes_image)
        wanted = Wanted(covered, proportions, areas, attempts)
        part = draw(width, height, objects, wanted, word)
        high, wide = part.bottom - part.top, part.right - part.left
        scale = np.array([height, width, height, width], np.float32)
        corners = np.array([part.top, part.left, part.bottom, part.right], np.float32)
        with np.errstate(divide="ignore", invalid="ignore"):
            box = (corners / scale).reshape(1, 1, 4)
        begin = np.array([part.top, part.left, 0]).astype(dtype)
        return begin, np.array([high, wide, -1]).astype(dtype), box

    return run


def _words(node: KernelNode, blocks: int) -> Callable[[], Word]:
    """Gives each call its own words: four in each of so many blocks are set apart for it."""
    seeds = node.attr("seed"), node.attr("seed2")
    if seeds == (0, 0):
        free = np.random.Generator(np.random.SFC64())
        return lambda: lambda: int(free.integers(0, 1 << 32, dtype=np.uint64))
    generator = GuardedPhilox(*seeds)

    return lambda: _words_of(generator.reserve(blocks))


def _words_of(stream: Philox) -> Word:
    """Gives the words of a stream, one with each call."""

    def each() -> Iterator[int]:
        count = 0
        while True:
            made = stream.at(count // 4).words(_AHEAD)
            count += _AHEAD
            yield from (int(word) for word in made)

    return each().__next__


def _sizes(size: Any) -> tuple[int, int]:
    if np.ndim(size) != 1:
        raise invalid(f"image_size must be 1-dimensional{shape_text(np.shape(size))}")
    if len(size) != 3:
        raise invalid(f"image_size must contain 3 elements{shape_text(np.shape(size))}")
    height, width = int(size[0]), int(size[1])
    if not (0 <= height < _LARGEST and 0 <= width < _LARGEST):
        raise invalid(f"Image sizes must be non-negative 32-bit integers, got {height}, {width}")
    return height, width


def _objects(boxes: Any, height: int, width: int, takes_image: bool) -> list[Box]:
    if boxes.ndim != 3:
        raise invalid(
            f"input boxes must be 3-dimensional [batch, num_boxes, coords]: "
            f"{shape_text(boxes.shape)}"
        )
    if boxes.size and boxes.shape[2] != 4:
        raise invalid(
            f"bounding boxes must have shape [4] or [*, 4], got {shape_text(boxes.shape)}"
        )
    if not boxes.size:
        if not takes_image:
            raise invalid(
                "No bounding boxes provided as input. One must enable "
                "use_image_if_no_bounding_boxes if you wish to not provide any bounding boxes."
            )
        return [Box(0, 0, width, height)]
    corners = boxes.reshape(-1, 4)
    wrong = corners[~((corners >= 0) & (corners <= 1))]
    if wrong.size:
        raise invalid(f"All bounding box coordinates must be in [0.0, 1.0]: {wrong[0]:g}")
    scale = np.array([height, width, height, width], np.float32)
    places = (corners * scale).astype(np.int64).tolist()
    return [Box(left, top, right, bottom) for top, left, bottom, right in places]
