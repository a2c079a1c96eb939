"""How a pooling op's window lies: its size, strides, padding and data format, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dataflow.errors import UnimplementedError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode
from dataflow.kernels.convolution.sliding import Sliding, attr_or
from dataflow.kernels.convolution.windows import Window


@dataclass(frozen=True, slots=True)
class PoolGeometry:
    """The window of a pooling op, over spatial axes or over channels."""

    sliding: Sliding
    sizes: tuple[int, ...]
    """Of the window, along the spatial axes."""
    depth: int
    """Channels pooled into one; more than 1 only where the window is 1 otherwise."""

    def windows(self, shape: Sequence[int]) -> tuple[Window, ...]:
        """The windows over an input of this shape, channels last."""
        return self.sliding.windows(shape[1:-1], self.sizes)


def bound_geometry(node: KernelNode, rank: int) -> PoolGeometry:
    """The geometry of an op that has it in its attrs.

    Raises:
      InvalidArgumentError: A size or stride is not positive, or padding is as large as the window.
      UnimplementedError: The window covers several images, or channels and space.
    """
    return given_geometry(node, rank, node.attr("ksize"), node.attr("strides"))


def given_geometry(
    node: KernelNode, rank: int, ksize: Sequence[int], strides: Sequence[int]
) -> PoolGeometry:
    """The geometry of an op that gets sizes and strides as inputs; see `bound_geometry`."""
    for what, values in (("ksize", ksize), ("stride", strides)):
        if len(values) != rank + 2:
            raise invalid(f"Sliding window {what} field must specify {rank + 2} dimensions")
    if min(ksize) <= 0:
        shown = ",".join(map(str, ksize))
        raise invalid(
            "Sliding window ksize must be positive. The specified or inferred ksize is: " + shown
        )
    if min(strides) <= 0:
        raise invalid(f"Stride must be > 0, but got {min(strides)}")
    channels_first = attr_or(node, "data_format", b"NHWC").startswith(b"NC")
    order = (0, *range(2, rank + 2), 1) if channels_first else tuple(range(rank + 2))
    batch_size, *sizes, depth = (ksize[i] for i in order)
    batch_stride, *moves, depth_stride = (strides[i] for i in order)
    if batch_size != 1 or batch_stride != 1:
        raise _unimplemented("Pooling is not yet supported on the batch dimension.")
    if depth != 1 or depth_stride != 1:
        _check_depth(node, rank, sizes, depth, depth_stride)
    return PoolGeometry(
        sliding=Sliding(
            strides=tuple(moves),
            dilations=(1,) * rank,
            padding=node.attr("padding"),
            explicit=_explicit(node, rank, channels_first, sizes),
            channels_first=channels_first,
        ),
        sizes=tuple(sizes),
        depth=depth,
    )


def _check_depth(
    node: KernelNode, rank: int, sizes: Sequence[int], depth: int, stride: int
) -> None:
    if rank == 3:
        raise _unimplemented("Pooling is not yet supported on the depth dimension.")
    if node.op not in ("MaxPool", "MaxPoolV2"):
        raise _unimplemented("Non-spatial pooling is not yet supported.")
    if any(size != 1 for size in sizes):
        raise _unimplemented(
            "MaxPooling supports exactly one of pooling across depth or pooling across "
            "width/height."
        )
    if depth != stride:
        raise _unimplemented(
            "Depthwise max pooling requires the depth window to equal the depth stride"
        )


def _explicit(
    node: KernelNode, rank: int, channels_first: bool, sizes: Sequence[int]
) -> tuple[tuple[int, int], ...]:
    pads = attr_or(node, "explicit_paddings", ())
    if not pads:
        return ((0, 0),) * rank
    if len(pads) != 2 * (rank + 2):
        raise invalid(
            f"explicit_paddings attribute must contain {2 * (rank + 2)} values, but got: "
            f"{len(pads)}"
        )
    first = 4 if channels_first else 2
    spatial = pads[first : first + 2 * rank]
    for place, size in enumerate(spatial):
        if size >= sizes[place // 2]:
            side = ("Top", "Bottom", "Left", "Right")[place]
            raise invalid(
                f"{side} padding {size} needs to be smaller than the window size "
                f"{sizes[place // 2]}"
            )
    return tuple(zip(spatial[::2], spatial[1::2], strict=True))


def _unimplemented(text: str) -> UnimplementedError:
    return UnimplementedError(None, None, text)
