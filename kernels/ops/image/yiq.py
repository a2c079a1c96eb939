"""Kernel of colors that change in YIQ space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.images import colors
from dataflow.values import dtypes

_TO_YIQ: Final = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]])
_FROM_YIQ: Final = np.linalg.inv(_TO_YIQ)


@kernel("AdjustHsvInYiq", device="CPU", dtypes={"T": (dtypes.float32,)})
def adjust(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(images: Any, turn: Any, saturation: Any, value: Any) -> Any:
        shape = np.shape(images)
        if len(shape) < 3:
            raise invalid(f"input must be at least 3-D, got shape{shape_text(shape)}")
        for name, number in (("delta_h", turn), ("scale_s", saturation), ("scale_v", value)):
            if np.ndim(number):
                raise invalid(f"{name} must be scalar: {shape_text(np.shape(number))}")
        if shape[-1] != 3:
            raise invalid(f"input must have 3 channels but instead has {shape[-1]} channels.")
        change = _change(float(turn), float(saturation), float(value))
        return colors.by_pixels(images, lambda pixels: pixels @ change)

    return run


def _change(turn: float, saturation: float, value: float) -> Any:
    """What rows of red, green and blue are multiplied by."""
    across, along = saturation * np.sin(turn), saturation * np.cos(turn)
    in_yiq = value * np.array([[1, 0, 0], [0, along, -across], [0, across, along]])
    return (_FROM_YIQ @ in_yiq @ _TO_YIQ).T.astype(np.float32)
