"""The attrs of ops that slide a window: strides, dilations, padding and data format, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dataflow.errors import UnimplementedError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode
from dataflow.kernels.convolution.windows import Window, make_window


@dataclass(frozen=True, slots=True)
class Sliding:
    """How an op's window moves over the spatial axes."""

    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    padding: bytes
    explicit: tuple[tuple[int, int], ...]
    channels_first: bool

    def windows(self, spatial: Sequence[int], taps: Sequence[int]) -> tuple[Window, ...]:
        """The windows over an input with these spatial sizes, of a filter with these taps.

        Raises:
          InvalidArgumentError: A window is larger than the padded input.
        """
        return tuple(
            make_window(size, count, stride, dilation, self.padding, explicit)
            for size, count, stride, dilation, explicit in zip(
                spatial, taps, self.strides, self.dilations, self.explicit, strict=True
            )
        )

    def channels_last(self, xp: Any, array: Any) -> Any:
        """A view of an input with its channels last."""
        return xp.moveaxis(array, 1, -1) if self.channels_first else array

    def as_given(self, xp: Any, array: Any) -> Any:
        """A result, that has its channels last, in the data format of the op."""
        if not self.channels_first:
            return array
        return xp.ascontiguousarray(xp.moveaxis(array, -1, 1))

    def shape_channels_last(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of an input with its channels last."""
        if self.channels_first:
            return (shape[0], *shape[2:], shape[1])
        return tuple(shape)


def sliding(node: KernelNode, rank: int) -> Sliding:
    """Reads the attrs of an op that moves only over its `rank` spatial axes.

    Raises:
      InvalidArgumentError: A stride or a rate is not positive, or one is missing; it is spread
        along the batch or the channels, or is a gradient that moves along them.
      UnimplementedError: It moves along the batch or the channels.
    """
    channels_first = attr_or(node, "data_format", b"NHWC").startswith(b"NC")
    strides = _spatial(node, "strides", rank, channels_first)
    dilations = _spatial(node, "dilations", rank, channels_first)
    pads = _explicit_paddings(node, rank)
    first = 4 if channels_first else 2
    spatial_pads = pads[first : first + 2 * rank] if pads else (0,) * (2 * rank)
    return Sliding(
        strides=strides,
        dilations=dilations,
        padding=node.attr("padding"),
        explicit=tuple(zip(spatial_pads[::2], spatial_pads[1::2], strict=True)),
        channels_first=channels_first,
    )


def _explicit_paddings(node: KernelNode, rank: int) -> tuple[int, ...]:
    pads: tuple[int, ...] = attr_or(node, "explicit_paddings", ())
    if node.attr("padding") != b"EXPLICIT":
        if pads:
            raise invalid(
                "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT"
            )
        return ()
    if len(pads) != 2 * (rank + 2):
        raise invalid(
            f"explicit_paddings attribute must contain {2 * (rank + 2)} values, but got: "
            f"{len(pads)}"
        )
    if min(pads) < 0:
        raise invalid("All elements of explicit_paddings must be nonnegative")
    return pads


def _spatial(node: KernelNode, name: str, rank: int, channels_first: bool) -> tuple[int, ...]:
    values: tuple[int, ...] = attr_or(node, name, (1,) * (rank + 2))
    if len(values) != rank + 2:
        raise invalid(f"{node.op} requires {name} to have {rank + 2} values, but got {len(values)}")
    moving = values[2:] if channels_first else values[1:-1]
    still = values[:2] if channels_first else (values[0], values[-1])
    if any(value != 1 for value in still):
        what = f"{name} rates" if name == "dilations" and rank == 3 else name
        text = (
            f"Current implementation does not yet support {what} in the batch and depth dimensions."
        )
        if name == "strides" and "Backprop" not in node.op:
            raise UnimplementedError(None, None, text)
        raise invalid(text)
    if any(value <= 0 for value in moving):
        raise invalid(f"All {name} along the spatial dimensions must be > 0, got {list(values)}")
    return moving


def attr_or(node: KernelNode, name: str, default: Any) -> Any:
    """An attr, or a default where the op has none of this name."""
    try:
        return node.attr(name)
    except KeyError:
        return default
