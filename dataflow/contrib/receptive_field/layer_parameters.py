"""Windows, steps and paddings of the nodes of nets of images."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from dataflow.values import logging
from dataflow.values.tensor_proto import make_ndarray

_POINTWISE: Final = frozenset(
    {
        *("Add", "AddV2", "BiasAdd", "Cast", "Ceil", "ConcatV2", "Const", "Floor"),
        *("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", "GreaterEqual", "Identity"),
        *("LRN", "Log", "Mul", "Pow", "RealDiv", "Relu", "Relu6", "Round", "Rsqrt", "Softplus"),
        *("Sub", "VariableV2"),
    }
)
_CONVOLUTIONS: Final = ("Conv2D", "DepthwiseConv2dNative")
_POOLS: Final = ("MaxPool", "MaxPoolV2", "AvgPool")
_HEIGHT, _WIDTH = 1, 2
"""Where the two directions are in windows and steps."""


def get_layer_params(
    node: Any,
    name_to_node: Mapping[str, Any],
    input_resolution: Sequence[int] | None = None,
    force: bool = False,
) -> tuple[Any, ...]:
    """What a node does to receptive fields.

    Args:
      node: A NodeDef: a convolution, a pooling, a Pad, or an op that works point by point.
      name_to_node: The nodes of its graph by name.
      input_resolution: Height and width of its input; None if they are not known.
      force: Whether all is None for another op.

    Returns:
      Sizes of windows, steps, paddings in front, and paddings on both sides: of each first the
      horizontal one, then the vertical one. Paddings are None where they depend on an input whose
      resolution is not known.

    Raises:
      ValueError: The op is another one, or what it needs is no constant of the graph.
    """
    if node.op in _POINTWISE:
        return 1, 1, 1, 1, 0, 0, 0, 0
    if node.op == "Pad":
        (top, bottom), (left, right) = _explicit_paddings(node, name_to_node)
        return 1, 1, 1, 1, left, top, left + right, top + bottom
    if node.op in (*_CONVOLUTIONS, *_POOLS):
        window = _filter_size if node.op in _CONVOLUTIONS else _pool_size
        kernel_y, kernel_x = window(node, name_to_node)
        stride_y, stride_x = _strides(node, name_to_node)
        height, width = input_resolution or (None, None)
        total_x, padding_x = _padding(node, kernel_x, stride_x, width)
        total_y, padding_y = _padding(node, kernel_y, stride_y, height)
        return kernel_x, kernel_y, stride_x, stride_y, padding_x, padding_y, total_x, total_y
    if force:
        return (None,) * 8
    raise ValueError(f"Unknown layer for operation '{node.name}': {node.op}")


def _constant(name: str, ending: str, what: str, name_to_node: Mapping[str, Any]) -> Any:
    if not name.endswith(ending):
        raise ValueError(f"{what} name does not end with '{ending}'")
    return name_to_node[name]


def _strides(node: Any, name_to_node: Mapping[str, Any]) -> tuple[int, int]:
    if node.op == "MaxPoolV2":
        source = _constant(node.input[2], "/strides", "Strides", name_to_node)
        strides = make_ndarray(source.attr["value"].tensor)
    else:
        strides = node.attr["strides"].list.i
    return strides[_HEIGHT], strides[_WIDTH]


def _filter_size(node: Any, name_to_node: Mapping[str, Any]) -> tuple[int, int]:
    read = node.input[1]
    if not read.endswith("/read"):
        raise ValueError("Weight layer's name input to conv layer does not end with '/read'")
    name = read.removesuffix("/read")
    weights = name_to_node[name]
    if weights.op == "VariableV2":
        dims = weights.attr["shape"].shape.dim
    elif weights.op == "Const":
        dims = weights.attr["value"].tensor.tensor_shape.dim
    else:
        raise ValueError(f"Weight layer {name} is not of type VariableV2 or Const: {weights.op}")
    if len(dims) != 4:
        raise ValueError(f"Weight layer {name} does not have rank 4. Instead, it has: {len(dims)}")
    return dims[0].size, dims[1].size


def _pool_size(node: Any, name_to_node: Mapping[str, Any]) -> tuple[int, int]:
    if node.op == "MaxPoolV2":
        source = _constant(node.input[1], "/ksize", "Kernel size", name_to_node)
        sizes = make_ndarray(source.attr["value"].tensor)
    else:
        sizes = node.attr["ksize"].list.i
    for place, which in ((0, "first"), (3, "last")):
        if sizes[place] != 1:
            raise ValueError(f"pool ksize for {which} dim is not 1")
    return sizes[_HEIGHT], sizes[_WIDTH]


def _explicit_paddings(node: Any, name_to_node: Mapping[str, Any]) -> Any:
    source = _constant(node.input[1], "/paddings", "Padding layer", name_to_node)
    if source.op != "Const":
        raise ValueError("Padding op is not Const")
    paddings = make_ndarray(source.attr["value"].tensor)
    for place, which in ((0, "first"), (3, "last")):
        if np.any(paddings[place]):
            raise ValueError(f"padding is not zero for {which} tensor dim")
    return paddings[_HEIGHT : _WIDTH + 1].tolist()


def _padding(
    node: Any, kernel: int, stride: int, resolution: int | None
) -> tuple[int | None, int | None]:
    """The padding of both sides together, and that in front; None where it is not known."""
    kind = node.attr["padding"].s
    if kind == b"VALID":
        return 0, 0
    if kind != b"SAME":
        raise ValueError(f"Invalid padding operation {kind}")
    if resolution is not None:
        total = max(kernel - (resolution % stride or stride), 0)
        return total, total // 2
    if kernel == 1:
        return 0, 0
    if stride == 1:
        return kernel - 1, (kernel - 1) // 2
    if stride == 2 and kernel % 2 == 0:
        # One more at the end or not: what is in front is the same.
        return None, math.floor((kernel - 1) / 2)
    logging.warning(
        "Padding depends on input size, which means that the effective padding may be different "
        "depending on the input image dimensionality. In this case, alignment check will be "
        "skipped. If you know the input resolution, please set it."
    )
    return None, None
