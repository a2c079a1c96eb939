"""Kernels that move blocks of space into the batch or the channels, and back."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.element_types import ANY, REAL
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text


@kernel(
    "SpaceToBatchND",
    dtypes={"T": REAL},
    host_inputs=("block_shape", "paddings"),
)
def space_to_batch_nd(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(value: Any, block_shape: Any, paddings: Any) -> Any:
        blocks, borders = _checked(value, block_shape, paddings, "paddings")
        return _to_batch(xp, value, blocks, borders)

    return run


@kernel("SpaceToBatch", dtypes={"T": REAL}, host_inputs=("paddings",))
def space_to_batch(node: KernelNode, xp: Any) -> Callable[..., Any]:
    block: int = node.attr("block_size")

    def run(value: Any, paddings: Any) -> Any:
        _check_image(value)
        return _to_batch(xp, value, [block, block], _borders(paddings, 2, "paddings"))

    return run


@kernel("BatchToSpaceND", dtypes={"T": REAL}, host_inputs=("block_shape", "crops"))
def batch_to_space_nd(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(value: Any, block_shape: Any, crops: Any) -> Any:
        blocks, borders = _checked(value, block_shape, crops, "crops")
        return _to_space(value, blocks, borders)

    return run


@kernel("BatchToSpace", dtypes={"T": REAL}, host_inputs=("crops",))
def batch_to_space(node: KernelNode, xp: Any) -> Callable[..., Any]:
    block: int = node.attr("block_size")

    def run(value: Any, crops: Any) -> Any:
        _check_image(value)
        return _to_space(value, [block, block], _borders(crops, 2, "crops"))

    return run


def _check_image(value: Any) -> None:
    if value.ndim != 4:
        raise invalid(f"Input rank should be: 4 instead of: {value.ndim}")


def _checked(
    value: Any, block_shape: Any, borders: Any, name: str
) -> tuple[list[int], list[list[int]]]:
    if block_shape.ndim != 1:
        raise invalid(f"block_shape rank should be 1 instead of {block_shape.ndim}")
    blocks: list[int] = block_shape.tolist()
    if value.ndim <= len(blocks):
        raise invalid(f"input rank should be >= {len(blocks) + 1} instead of {value.ndim}")
    for block in blocks:
        if block < 1:
            raise invalid(
                "All values in block_shape must be positive, got value, "
                f"{block} at index {blocks.index(block)}."
            )
    return blocks, _borders(borders, len(blocks), name)


def _borders(borders: Any, count: int, name: str) -> list[list[int]]:
    if borders.shape != (count, 2):
        raise invalid(
            f"{name} should have shape [{count}, 2] instead of {shape_text(borders.shape)}"
        )
    if (borders < 0).any():
        raise invalid(f"{name.capitalize()} must be non-negative")
    widths: list[list[int]] = borders.tolist()
    return widths


def _to_batch(xp: Any, value: Any, blocks: list[int], paddings: list[list[int]]) -> Any:
    count = len(blocks)
    rest = value.shape[count + 1 :]
    sizes = [n + a + b for n, (a, b) in zip(value.shape[1:], paddings, strict=False)]
    for i, (n, block) in enumerate(zip(sizes, blocks, strict=True)):
        if n % block:
            raise invalid(f"padded_shape[{i}]={n} is not divisible by block_shape[{i}]={block}")
    padded = value
    if any(a or b for a, b in paddings):
        padded = xp.zeros((value.shape[0], *sizes, *rest), value.dtype)
        inside = [slice(a, a + n) for n, (a, _) in zip(value.shape[1:], paddings, strict=False)]
        padded[(slice(None), *inside)] = value
    pairs = [n for size, block in zip(sizes, blocks, strict=True) for n in (size // block, block)]
    split = padded.reshape((value.shape[0], *pairs, *rest))
    inner = [2 * i + 2 for i in range(count)]
    outer = [2 * i + 1 for i in range(count)]
    tail = range(2 * count + 1, split.ndim)
    moved = split.transpose([*inner, 0, *outer, *tail])
    batch = value.shape[0] * math.prod(blocks)
    space = [size // block for size, block in zip(sizes, blocks, strict=True)]
    return moved.reshape((batch, *space, *rest))


def _to_space(value: Any, blocks: list[int], crops: list[list[int]]) -> Any:
    count = len(blocks)
    places = math.prod(blocks)
    if value.shape[0] % places:
        raise invalid(
            f"Input batch dimension ({value.shape[0]}) is not divisible by product of block sizes "
            f"({places})"
        )
    batch = value.shape[0] // places
    space, rest = value.shape[1 : count + 1], value.shape[count + 1 :]
    split = value.reshape((*blocks, batch, *space, *rest))
    pairs = [axis for i in range(count) for axis in (count + 1 + i, i)]
    tail = range(2 * count + 1, split.ndim)
    moved = split.transpose([count, *pairs, *tail])
    sizes = [n * block for n, block in zip(space, blocks, strict=True)]
    whole = moved.reshape((batch, *sizes, *rest))
    index = [slice(None)]
    for i, (n, (a, b)) in enumerate(zip(sizes, crops, strict=True)):
        if a + b > n:
            raise invalid(f"cropped_shape[{i}]={n - a - b} must be non-negative")
        index.append(slice(a, n - b))
    return whole[tuple(index)]


@kernel("SpaceToDepth", dtypes={"T": ANY})
def space_to_depth(node: KernelNode, xp: Any) -> Callable[..., Any]:
    block: int = node.attr("block_size")
    channels_last = _channels_last(node)

    def run(value: Any) -> Any:
        if value.ndim != 4:
            raise invalid(f"Input rank should be 4 instead of {value.ndim}")
        image = value if channels_last else value.transpose(0, 2, 3, 1)
        n, height, width, depth = image.shape
        if height % block or width % block:
            raise invalid(
                f"Image width {width} and height {height} should be divisible by block_size: "
                f"{block}"
            )
        split = image.reshape(n, height // block, block, width // block, block, depth)
        moved = split.transpose(0, 1, 3, 2, 4, 5)
        result = moved.reshape(n, height // block, width // block, block * block * depth)
        return result if channels_last else result.transpose(0, 3, 1, 2)

    return run


@kernel("DepthToSpace", dtypes={"T": ANY})
def depth_to_space(node: KernelNode, xp: Any) -> Callable[..., Any]:
    block: int = node.attr("block_size")
    channels_last = _channels_last(node)

    def run(value: Any) -> Any:
        if value.ndim != 4:
            raise invalid(f"Input rank should be: 4 instead of: {value.ndim}")
        image = value if channels_last else value.transpose(0, 2, 3, 1)
        n, height, width, depth = image.shape
        if depth % (block * block):
            raise invalid(f"Input depth dimension {depth} should be divisible by: {block * block}")
        split = image.reshape(n, height, width, block, block, depth // (block * block))
        moved = split.transpose(0, 1, 3, 2, 4, 5)
        result = moved.reshape(n, height * block, width * block, depth // (block * block))
        return result if channels_last else result.transpose(0, 3, 1, 2)

    return run


def _channels_last(node: KernelNode) -> bool:
    layout = node.attr("data_format")
    if layout == b"NCHW_VECT_C":
        raise invalid("data_format NCHW_VECT_C is not supported; use NHWC or NCHW.")
    return bool(layout == b"NHWC")
