"""Kernels of the pooling ops and of their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from dataflow.errors import UnimplementedError
from dataflow.kernels.contract.element_types import FLOATS, REAL, SIGNED
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.precision import widened
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.convolution.windows import Window, outputs
from dataflow.kernels.pooling import pooling
from dataflow.kernels.pooling.geometry import PoolGeometry, bound_geometry, given_geometry
from dataflow.values import dtypes

_MAX_TYPES: Final = (*FLOATS, *SIGNED, dtypes.uint8, dtypes.uint16)
_VOLUME_TYPES: Final = (dtypes.bfloat16, dtypes.float32)
_VOLUME_PAIRS: Final = {"T": _VOLUME_TYPES, "TInput": _VOLUME_TYPES}

Geometry = Callable[[tuple[Any, ...]], PoolGeometry]
"""Gives the geometry from the inputs that carry it: sizes and strides, or none."""


def rank_of(node: KernelNode) -> int:
    """Axes that the window moves along."""
    return 3 if "3D" in node.op else 2


def geometry_by(node: KernelNode) -> Geometry:
    """The function that gives a node's geometry."""
    rank = rank_of(node)
    if not node.op.endswith("V2"):
        bound = bound_geometry(node, rank)
        return lambda inputs: bound

    def from_inputs(inputs: tuple[Any, ...]) -> PoolGeometry:
        ksize, strides = (tuple(value.reshape(-1).tolist()) for value in inputs)
        return given_geometry(node, rank, ksize, strides)

    return from_inputs


@kernel("MaxPool", "MaxPoolV2", dtypes={"T": _MAX_TYPES}, host_inputs=("ksize", "strides"))
@kernel("MaxPool3D", dtypes={"T": _VOLUME_TYPES})
def max_pool(node: KernelNode, xp: Any) -> Callable[..., Any]:
    rank, geometry_of = rank_of(node), geometry_by(node)

    def run(x: Any, *sizes: Any) -> Any:
        geometry = geometry_of(sizes)
        check_rank("tensor_in", x, rank)
        moves = geometry.sliding
        x = moves.channels_last(xp, x)
        if geometry.depth == 1:
            result = pooling.max_pool(xp, x, geometry.windows(x.shape))
        elif x.shape[-1] % geometry.depth:
            raise UnimplementedError(
                None,
                None,
                "Depthwise max pooling requires the depth window to evenly divide the input depth",
            )
        else:
            result = pooling.depth_pool(xp, x, geometry.depth)
        return moves.as_given(xp, result)

    return run


@kernel("AvgPool", dtypes={"T": FLOATS})
@kernel("AvgPool3D", dtypes={"T": _VOLUME_TYPES})
def avg_pool(node: KernelNode, xp: Any) -> Callable[..., Any]:
    rank, geometry = rank_of(node), geometry_by(node)(())
    moves = geometry.sliding

    def run(x: Any) -> Any:
        check_rank("tensor_in", x, rank)
        x = moves.channels_last(xp, x)
        return moves.as_given(xp, pooling.avg_pool(xp, x, geometry.windows(x.shape)))

    return widened(run, node.input_dtypes[0])


@kernel("AvgPoolGrad", dtypes={"T": FLOATS}, host_inputs=("orig_input_shape",))
@kernel("AvgPool3DGrad", dtypes={"T": _VOLUME_TYPES}, host_inputs=("orig_input_shape",))
def avg_pool_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    rank, geometry = rank_of(node), geometry_by(node)(())
    moves = geometry.sliding

    def spread(grad: Any, shape: tuple[int, ...]) -> Any:
        grad = moves.channels_last(xp, grad)
        windows = geometry.windows(shape)
        _check_shape("grad", grad.shape, (shape[0], *outputs(windows), shape[-1]))
        return moves.as_given(xp, pooling.avg_pool_gradient(xp, grad, windows))

    def run(orig_input_shape: Any, grad: Any) -> Any:
        if orig_input_shape.shape != (rank + 2,):
            raise invalid(f"orig_input_shape must be 1-dimensional and {rank + 2} elements")
        check_rank("out_backprop", grad, rank)
        shape = moves.shape_channels_last(orig_input_shape.tolist())
        return widened(lambda g: spread(g, shape), node.input_dtypes[1])(grad)

    return run


@kernel("MaxPoolGrad", "MaxPoolGradV2", dtypes={"T": REAL}, host_inputs=("ksize", "strides"))
@kernel("MaxPool3DGrad", dtypes=_VOLUME_PAIRS)
def max_pool_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    geometry_of, gradient = geometry_by(node), max_gradient_by(node, xp)
    return lambda x, y, grad, *sizes: gradient(geometry_of(sizes), x, y, grad, None)


def max_gradient_by(node: KernelNode, xp: Any) -> Callable[[PoolGeometry, Any, Any, Any, Any], Any]:
    """`f(geometry, x, y, grad, places)`: the gradient; places are those of the maxima, or None."""
    rank = rank_of(node)

    def gradient(geometry: PoolGeometry, x: Any, y: Any, grad: Any, places: Any) -> Any:
        x, y, grad = _channels_last(xp, geometry, rank, x, y, grad)
        windows = _checked_windows(geometry, x, y, grad)
        spread = pooling.max_volume_gradient if rank == 3 else pooling.max_pool_gradient
        result = spread(xp, x, grad, windows, places)
        return geometry.sliding.as_given(xp, result)

    return gradient


@kernel(
    "MaxPoolGradGrad",
    "MaxPoolGradGradV2",
    dtypes={"T": REAL},
    host_inputs=("ksize", "strides"),
)
@kernel("MaxPool3DGradGrad", dtypes={"T": _VOLUME_TYPES})
def max_pool_grad_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    rank, geometry_of = rank_of(node), geometry_by(node)

    def run(x: Any, y: Any, grad: Any, *sizes: Any) -> Any:
        geometry = geometry_of(sizes)
        x, y, grad = _channels_last(xp, geometry, rank, x, y, grad)
        windows = _checked_windows(geometry, x, y, None)
        _check_shape("grad", grad.shape, x.shape)
        return geometry.sliding.as_given(xp, pooling.gather_at_max(xp, x, y, grad, windows))

    return run


@kernel("MaxPoolWithArgmax", dtypes={"T": REAL})
def max_pool_with_argmax(node: KernelNode, xp: Any) -> Callable[..., Any]:
    geometry = geometry_by(node)(())
    with_batch = node.attr("include_batch_in_index")
    result = node.output_dtypes[1].as_numpy_dtype

    def run(x: Any) -> Any:
        check_rank("tensor_in", x, 2)
        if not x.size:
            raise invalid("tensor_in must not be empty (2)")
        windows = geometry.windows(x.shape)
        best, index = pooling.arg_max(xp, x, windows)
        flat = pooling.flat_positions(xp, index, windows, x.shape[-1])
        if with_batch:
            images = xp.arange(x.shape[0]).reshape(-1, 1, 1, 1)
            flat = flat + images * (x.shape[1] * x.shape[2] * x.shape[3])
        return best, flat.astype(result)

    return run


@kernel("MaxPoolGradWithArgmax", dtypes={"T": REAL})
def max_pool_grad_with_argmax(node: KernelNode, xp: Any) -> Callable[..., Any]:
    geometry = geometry_by(node)(())
    with_batch = node.attr("include_batch_in_index")

    def run(x: Any, grad: Any, argmax: Any) -> Any:
        check_rank("tensor_in", x, 2)
        windows = geometry.windows(x.shape)
        expected = (x.shape[0], *outputs(windows), x.shape[-1])
        _check_shape("grad", grad.shape, expected)
        _check_shape("argmax", argmax.shape, expected)
        places = argmax.reshape(argmax.shape[0], -1)
        if not with_batch:
            image = x.shape[1] * x.shape[2] * x.shape[3]
            _check_places(places, image)
            places = places + image * xp.arange(x.shape[0])[:, None]
        _check_places(places, x.size)
        result = xp.zeros(x.size, dtype=grad.dtype)
        xp.add.at(result, places.reshape(-1), grad.reshape(-1))
        return result.reshape(x.shape)

    return run


def _channels_last(
    xp: Any, geometry: PoolGeometry, rank: int, x: Any, y: Any, grad: Any
) -> tuple[Any, Any, Any]:
    for name, array in (("tensor_in", x), ("tensor_out", y), ("out_backprop", grad)):
        check_rank(name, array, rank)
    moves = geometry.sliding
    return (
        moves.channels_last(xp, x),
        moves.channels_last(xp, y),
        moves.channels_last(xp, grad),
    )


def _checked_windows(geometry: PoolGeometry, x: Any, y: Any, grad: Any) -> tuple[Window, ...]:
    windows = geometry.windows(x.shape)
    expected = (x.shape[0], *outputs(windows), x.shape[-1])
    _check_shape("orig_output", y.shape, expected)
    if grad is not None:
        _check_shape("grad", grad.shape, expected)
    return windows


def check_rank(name: str, array: Any, rank: int) -> None:
    if array.ndim != rank + 2:
        raise invalid(f"{name} must be {rank + 2}-dimensional")


def _check_shape(name: str, shape: Sequence[int], expected: Sequence[int]) -> None:
    if tuple(shape) != tuple(expected):
        raise invalid(
            f"Expected {name} shape to be {shape_text(expected)}, but got {shape_text(shape)}"
        )


def _check_places(places: Any, size: int) -> None:
    if places.size and not (int(places.min()) >= 0 and int(places.max()) < size):
        raise invalid(
            f"argmax must be in [0, {size}), but has values from {places.min()} to {places.max()}"
        )
