"""What nets are made of by Keras' names: activations, convolutions, losses, noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dataflow.keras import ops
from dataflow.keras.backend.settings import epsilon, floatx, format_of
from dataflow.keras.backend.state import variable
from dataflow.keras.backend.tensors import int_shape, ndim, repeat_elements
from dataflow.values import dtypes


def relu(x: Any, alpha: Any = 0.0, max_value: Any = None, threshold: Any = 0) -> Any:
    """Zero below a threshold, or a slope there; no more than a greatest value."""
    x = ops.convert_to_tensor(x)
    if isinstance(alpha, (int, float)) and alpha == 0:
        below = None
    else:
        if max_value is None and threshold == 0:
            return ops.leaky_relu(x, alpha=alpha)
        below = ops.relu(threshold - x) if threshold != 0 else ops.relu(-x)
    clips = max_value is not None
    if threshold != 0:
        x = x * ops.cast(ops.greater(x, threshold), x.dtype.base_dtype)
    elif max_value == 6:
        x, clips = ops.relu6(x), False
    else:
        x = ops.relu(x)
    if clips:
        x = ops.clip_by_value(x, ops.cast(0, x.dtype), ops.cast(max_value, x.dtype))
    return x if below is None else x - alpha * below


def elu(x: Any, alpha: float = 1.0) -> Any:
    """`alpha * (exp(x) - 1)` below zero."""
    result = ops.elu(x)
    return result if alpha == 1 else ops.where(x > 0, result, alpha * result)


def softmax(x: Any, axis: int = -1) -> Any:
    """Exponentials over their sum along a dimension."""
    return ops.softmax(x, axis=axis)


def hard_sigmoid(x: Any) -> Any:
    """`0.2 * x + 0.5`, between 0 and 1."""
    return ops.clip_by_value(0.2 * x + 0.5, 0.0, 1.0)


def _logits_of(output: Any, op_type: str) -> Any:
    """What an activation was computed from, if the tensor is one's result, else None."""
    if isinstance(output, ops.Variable):
        return None
    op = output.op
    while op.type == "Identity" and op.inputs[0].op.type in ("Identity", op_type):
        op = op.inputs[0].op
    return op.inputs[0] if op.type == op_type else None


def _scaled(output: Any, axis: int) -> Any:
    output = output / ops.reduce_sum(output, axis, True)
    bound = ops.constant(epsilon(), dtype=output.dtype.base_dtype)
    return ops.clip_by_value(output, bound, 1.0 - bound)


def categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> Any:
    """The cross entropy of distributions."""
    if not from_logits:
        logits = _logits_of(output, "Softmax") if axis in (-1, (ndim(output) or 0) - 1) else None
        if logits is None:
            return -ops.reduce_sum(target * ops.log(_scaled(output, axis)), axis)
        output = logits
    return ops.softmax_cross_entropy_with_logits_v2(labels=target, logits=output, axis=axis)


def sparse_categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> Any:
    """The cross entropy of distributions and the numbers of classes."""
    if not from_logits:
        logits = _logits_of(output, "Softmax")
        if logits is None:
            bound = ops.constant(epsilon(), dtype=output.dtype.base_dtype)
            logits = ops.log(ops.clip_by_value(output, bound, 1 - bound))
        output = logits
    rank = ndim(output)
    if rank is not None and axis % rank != rank - 1:
        order = [each for each in range(rank) if each != axis % rank]
        output = ops.transpose(output, perm=[*order, axis % rank])
    shape = ops.shape(output)
    classes = (int_shape(output) or (None,))[-1]
    labels = ops.cast(ops.reshape(target, [-1]), "int64")
    flat = ops.reshape(output, [-1, shape[-1] if classes is None else classes])
    losses = ops.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=flat)
    if rank is None or rank >= 3:
        return ops.reshape(losses, shape[:-1])
    return losses


def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    """The cross entropy of each probability with what is true."""
    if not from_logits:
        logits = _logits_of(output, "Sigmoid")
        if logits is None:
            bound = ops.constant(epsilon(), dtype=output.dtype.base_dtype)
            output = ops.clip_by_value(output, bound, 1.0 - bound)
            happens = target * ops.log(output + epsilon())
            return -(happens + (1 - target) * ops.log(1 - output + epsilon()))
        output = logits
    return ops.sigmoid_cross_entropy_with_logits(labels=target, logits=output)


def l2_normalize(x: Any, axis: Any = None) -> Any:
    """Vectors of the length 1."""
    return ops.l2_normalize(x, axis=axis)


def in_top_k(predictions: Any, targets: Any, k: int) -> Any:
    """Whether a class is among the k most likely ones."""
    return ops.in_top_k(predictions, targets, k)


def normalize_batch_in_training(
    x: Any, gamma: Any, beta: Any, reduction_axes: Any, epsilon: float = 1e-3
) -> Any:
    """The batch normalized by its mean and variance, and these."""
    mean, variance = ops.moments(x, list(reduction_axes))
    rank = ndim(x)
    assert rank is not None
    sizes = ops.shape(x)
    wide = ops.stack([1 if axis in reduction_axes else sizes[axis] for axis in range(rank)])
    mean_, variance_, beta_, gamma_ = (
        None if each is None else ops.reshape(each, wide) for each in (mean, variance, beta, gamma)
    )
    return ops.batch_normalization(x, mean_, variance_, beta_, gamma_, epsilon), mean, variance


def batch_normalization(
    x: Any, mean: Any, var: Any, beta: Any, gamma: Any, axis: int = -1, epsilon: float = 1e-3
) -> Any:
    """The tensor normalized by a mean and a variance."""
    rank = ndim(x)
    assert rank is not None
    if axis % rank != rank - 1:
        wide = [1] * rank
        wide[axis % rank] = -1
        mean, var, beta, gamma = (
            each if each is None or ndim(each) == rank else ops.reshape(each, wide)
            for each in (mean, var, beta, gamma)
        )
    return ops.batch_normalization(x, mean, var, beta, gamma, epsilon)


def dropout(x: Any, level: Any, noise_shape: Any = None, seed: Any = None) -> Any:
    """The tensor with a share of its elements set to zero, the others scaled up."""
    seed = np.random.randint(10_000_000) if seed is None else seed
    return ops.dropout(x, rate=level, noise_shape=noise_shape, seed=seed)


def _order(data_format: str | None, spatial: str) -> str:
    return f"NC{spatial}" if format_of(data_format) == "channels_first" else f"N{spatial}C"


def _convolved(
    x: Any, kernel: Any, strides: Any, padding: str, data_format: str | None, dilation: Any, n: int
) -> Any:
    def per_axis(value: Any) -> list[int]:
        return [value] * n if isinstance(value, int) else list(value)

    steps, rate = per_axis(strides), per_axis(dilation)
    if padding == "causal":
        front = rate[0] * (kernel.shape.as_list()[0] - 1)
        x, padding = ops.pad(x, [[0, 0], [front, 0], [0, 0]]), "valid"
    if padding.lower() not in ("same", "valid"):
        raise ValueError(f"Invalid padding: {padding}")
    return ops.convolution(
        x,
        kernel,
        padding=padding.upper(),
        strides=steps,
        dilation_rate=rate,
        data_format=_order(data_format, {1: "W", 2: "HW", 3: "DHW"}[n]),
    )


def conv1d(
    x: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Any:
    """A convolution of steps."""
    return _convolved(x, kernel, strides, padding, data_format, dilation_rate, 1)


def conv2d(
    x: Any,
    kernel: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Any:
    """A convolution of images."""
    return _convolved(x, kernel, strides, padding, data_format, dilation_rate, 2)


def conv3d(
    x: Any,
    kernel: Any,
    strides: Any = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1, 1),
) -> Any:
    """A convolution of volumes."""
    return _convolved(x, kernel, strides, padding, data_format, dilation_rate, 3)


def _steps(strides: Any, data_format: str | None) -> list[int]:
    one = list(strides)
    return [1, 1, *one] if format_of(data_format) == "channels_first" else [1, *one, 1]


def conv2d_transpose(
    x: Any,
    kernel: Any,
    output_shape: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Any:
    """A transposed convolution of images."""
    if isinstance(output_shape, (tuple, list)):
        sizes = [ops.shape(x)[0] if output_shape[0] is None else output_shape[0]]
        output_shape = ops.stack([*sizes, *output_shape[1:]])
    if tuple(dilation_rate) != (1, 1):
        return _dilated_transpose(x, kernel, output_shape, padding, data_format, dilation_rate)
    return ops.conv2d_transpose(
        x,
        kernel,
        output_shape,
        _steps(strides, data_format),
        padding=padding.upper(),
        data_format=_order(data_format, "HW"),
    )


def _dilated_transpose(
    x: Any, kernel: Any, output_shape: Any, padding: str, data_format: str | None, rates: Any
) -> Any:
    if rates[0] != rates[1]:
        raise ValueError(f"Both dilation rates of a transposed convolution are one: {rates}")
    first = format_of(data_format) == "channels_first"
    if first:
        x, output_shape = ops.transpose(x, [0, 2, 3, 1]), ops.gather(output_shape, [0, 2, 3, 1])
    found = ops.atrous_conv2d_transpose(x, kernel, output_shape, rates[0], padding.upper())
    return ops.transpose(found, [0, 3, 1, 2]) if first else found


def separable_conv2d(
    x: Any,
    depthwise_kernel: Any,
    pointwise_kernel: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Any:
    """A convolution of each channel, then sums over channels."""
    return ops.separable_conv2d(
        x,
        depthwise_kernel,
        pointwise_kernel,
        _steps(strides, data_format),
        padding.upper(),
        rate=list(dilation_rate),
        data_format=_order(data_format, "HW"),
    )


def depthwise_conv2d(
    x: Any,
    depthwise_kernel: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Any:
    """A convolution of each channel."""
    return ops.depthwise_conv2d(
        x,
        depthwise_kernel,
        _steps(strides, data_format),
        padding.upper(),
        rate=list(dilation_rate),
        data_format=_order(data_format, "HW"),
    )


def pool2d(
    x: Any,
    pool_size: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> Any:
    """The greatest or the mean of windows of images."""
    kinds = {"max": ops.max_pool, "avg": ops.avg_pool}
    return _pool(kinds, x, pool_size, strides, padding, data_format, pool_mode, "HW")


def pool3d(
    x: Any,
    pool_size: Any,
    strides: Any = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> Any:
    """The greatest or the mean of windows of volumes."""
    kinds = {"max": ops.max_pool3d, "avg": ops.avg_pool3d}
    return _pool(kinds, x, pool_size, strides, padding, data_format, pool_mode, "DHW")


def _pool(
    kinds: Mapping[str, Any],
    x: Any,
    pool_size: Any,
    strides: Any,
    padding: str,
    data_format: str | None,
    pool_mode: str,
    axes: str,
) -> Any:
    for name, sizes in (("pool_size", pool_size), ("strides", strides)):
        if axes == "HW" and len(sizes) != 2:
            raise ValueError(f"`{name}` must be a tuple of 2 integers.")
    if pool_mode not in kinds:
        raise ValueError(f"Invalid pooling mode: {pool_mode}")
    return kinds[pool_mode](
        x,
        _steps(pool_size, data_format),
        _steps(strides, data_format),
        padding.upper(),
        data_format=_order(data_format, axes),
    )


def local_conv(
    inputs: Any,
    kernel: Any,
    kernel_size: Any,
    strides: Any,
    output_shape: Any,
    data_format: str | None = None,
) -> Any:
    """A convolution with a kernel of its own for each window."""
    first = format_of(data_format) == "channels_first"
    filters, features = kernel.shape.as_list()[-1], kernel.shape.as_list()[-2]
    windows = []
    for place in np.ndindex(*output_shape):
        cut: list[Any] = [
            slice(at * step, at * step + size)
            for at, step, size in zip(place, strides, kernel_size, strict=True)
        ]
        everything = slice(None)
        index = [everything, everything, *cut] if first else [everything, *cut, everything]
        windows.append(ops.reshape(inputs[tuple(index)], [1, -1, features]))
    products = ops.matmul(ops.concat(windows, axis=0), kernel)
    result = ops.reshape(products, [*output_shape, -1, filters])
    rank = len(output_shape)
    spatial = list(range(rank))
    return ops.transpose(
        result, [rank, rank + 1, *spatial] if first else [rank, *spatial, rank + 1]
    )


def local_conv1d(
    inputs: Any, kernel: Any, kernel_size: Any, strides: Any, data_format: str | None = None
) -> Any:
    """A convolution of steps with a kernel of its own for each window."""
    return local_conv(
        inputs, kernel, kernel_size, strides, (kernel.shape.as_list()[0],), data_format
    )


def local_conv2d(
    inputs: Any,
    kernel: Any,
    kernel_size: Any,
    strides: Any,
    output_shape: Any,
    data_format: str | None = None,
) -> Any:
    """A convolution of images with a kernel of its own for each window."""
    return local_conv(inputs, kernel, kernel_size, strides, output_shape, data_format)


def bias_add(x: Any, bias: Any, data_format: str | None = None) -> Any:
    """Adds a bias: a vector, or an array of all dimensions but the batch."""
    first = format_of(data_format) == "channels_first"
    rank, sizes = ndim(x), bias.shape.as_list()
    assert rank is not None
    if len(sizes) not in (1, rank - 1):
        raise ValueError(
            f"Unexpected bias dimensions {len(sizes)}, expect to be 1 or {rank} dimensions"
        )
    if len(sizes) == 1:
        if first and rank > 2:
            return x + ops.reshape(bias, [1, sizes[0], *[1] * (rank - 2)])
        return ops.bias_add(x, bias)
    return x + ops.reshape(bias, [1, sizes[-1], *sizes[:-1]] if first else [1, *sizes])


def resize_images(
    x: Any,
    height_factor: int,
    width_factor: int,
    data_format: str | None,
    interpolation: str = "nearest",
) -> Any:
    """Images several times as large."""
    if interpolation not in ("nearest", "bilinear"):
        raise ValueError('interpolation should be one of "nearest" or "bilinear".')
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Invalid `data_format` argument: {data_format}")
    first = data_format == "channels_first"
    if first:
        x = ops.transpose(x, [0, 2, 3, 1])
    _, rows, columns, _ = int_shape(x) or (None,) * 4
    factors = np.array([height_factor, width_factor], np.int32)
    resize = ops.resize_nearest_neighbor if interpolation == "nearest" else ops.resize_bilinear
    result = resize(x, ops.shape(x)[1:3] * factors, half_pixel_centers=True)
    result.set_shape(
        [
            None,
            None if rows is None else rows * height_factor,
            None if columns is None else columns * width_factor,
            None,
        ]
    )
    return ops.transpose(result, [0, 3, 1, 2]) if first else result


def resize_volumes(
    x: Any, depth_factor: int, height_factor: int, width_factor: int, data_format: str | None
) -> Any:
    """Volumes several times as large."""
    first = 2 if format_of(data_format) == "channels_first" else 1
    for axis, factor in enumerate((depth_factor, height_factor, width_factor), start=first):
        x = repeat_elements(x, factor, axis)
    return x


def random_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Numbers of a normal distribution."""
    return _drawn(ops.random_normal, shape, mean, stddev, dtype, seed)


def random_uniform(
    shape: Any, minval: Any = 0.0, maxval: Any = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Numbers of a uniform distribution."""
    return _drawn(ops.random_uniform, shape, minval, maxval, dtype, seed)


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Numbers of a normal distribution within two deviations."""
    return _drawn(ops.truncated_normal, shape, mean, stddev, dtype, seed)


def random_binomial(shape: Any, p: float = 0.0, dtype: Any = None, seed: Any = None) -> Any:
    """Ones with a probability, zeros otherwise."""
    dtype = dtype or floatx()
    drawn = random_uniform(shape, dtype=dtype, seed=seed)
    return ops.where(drawn <= p, ops.ones(shape, dtype=dtype), ops.zeros(shape, dtype=dtype))


def _drawn(draw: Any, shape: Any, first: Any, second: Any, dtype: Any, seed: Any) -> Any:
    seed = np.random.randint(10_000_000) if seed is None else seed
    return draw(shape, first, second, dtype=dtypes.as_dtype(dtype or floatx()), seed=seed)


def random_uniform_variable(
    shape: Any, low: Any, high: Any, dtype: Any = None, name: Any = None, seed: Any = None
) -> Any:
    """A variable of numbers of a uniform distribution."""
    return variable(random_uniform(shape, low, high, dtype, seed), dtype, name)


def random_normal_variable(
    shape: Any, mean: Any, scale: Any, dtype: Any = None, name: Any = None, seed: Any = None
) -> Any:
    """A variable of numbers of a normal distribution."""
    return variable(random_normal(shape, mean, scale, dtype, seed), dtype, name)
