"""Losses over logits: cross entropies of softmax and sigmoid, and the Poisson likelihood."""

from __future__ import annotations

import math
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.slice as array_slice
import dataflow.ops.array.transpose as array_transpose
import dataflow.ops.basic.range as range_ops
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.unary as math_unary
import dataflow.ops.nn.activation as nn_activation
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import binary
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.graph.tracebacks import shortened
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import stop_gradient
from dataflow.ops.flow.assertion import assert_equal_integers
from dataflow.values import dtypes
from dataflow.values.deprecated_args import renamed


@shortened
def softmax_cross_entropy_with_logits(
    labels: Any = None,
    logits: Any = None,
    dim: int = -1,
    name: str | None = None,
    axis: int | None = None,
) -> Tensor:
    """The cross entropy between label distributions and softmax(logits); constant in the labels.

    Args:
      labels: Probabilities of the classes along `dim`, of the shape of `logits`.
      logits: Unscaled log probabilities.
      dim: Axis of the classes.
      name: Name of the operation.
      axis: Other name of `dim`.

    Returns:
      The losses: the shape of `logits` without the axis of the classes.

    Raises:
      ValueError: Labels or logits are missing.
    """
    dim = renamed("axis", axis, "dim", dim)
    _require(labels, logits)
    with name_scope(name, "softmax_cross_entropy_with_logits_sg", [logits, labels]) as scope:
        labels = stop_gradient(labels, name="labels_stop_gradient")
    return softmax_cross_entropy_with_logits_v2(labels, logits, axis=dim, name=scope)


@shortened
def softmax_cross_entropy_with_logits_v2(
    labels: Any, logits: Any, axis: Any = None, name: str | None = None, dim: Any = None
) -> Tensor:
    """The cross entropy between label distributions and softmax(logits), with both gradients.

    Args:
      labels: Probabilities of the classes along `axis`, of the shape of `logits`.
      logits: Unscaled log probabilities.
      axis: Axis of the classes, the last one by default.
      name: Name of the operation.
      dim: Former name of `axis`.

    Returns:
      The losses: the shape of `logits` without the axis of the classes.
    """
    axis = renamed("axis", axis, "dim", dim)
    axis = -1 if axis is None else axis
    with name_scope(name, "softmax_cross_entropy_with_logits", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        is_narrow = logits.dtype in (dtypes.half, dtypes.bfloat16)
        precise = cast(logits, dtypes.float32) if is_narrow else logits
        labels = cast(labels, precise.dtype)
        rank = array_shape.rank(precise)
        shape = logits.shape
        if axis != -1:
            precise = _with_axis_last(precise, axis, rank)
            labels = _with_axis_last(labels, axis, rank)
        input_shape = array_shape.shape(precise)
        rows, label_rows = _as_matrix(precise), _as_matrix(labels)
        cost, _ = apply_op("SoftmaxCrossEntropyWithLogits", rows, label_rows, name=scope)
        output_shape = array_slice.slice(input_shape, [0], [math_binary.subtract(rank, 1)])
        cost = array_shape.reshape(cost, output_shape)
        if shape.rank is not None:
            sizes = shape.as_list()
            del sizes[axis]
            cost.set_shape(sizes)
        return cast(cost, logits.dtype) if is_narrow else cost


def _with_axis_last(tensor: Tensor, axis: Any, rank: Tensor) -> Tensor:
    order = array_concat.concat([range_ops.range(axis), range_ops.range(axis + 1, rank), [axis]], 0)
    return array_transpose.transpose(tensor, order)


def _as_matrix(tensor: Tensor) -> Tensor:
    """All axes but the last one made one."""
    rank = array_shape.rank(tensor)
    columns = array_slice.slice(array_shape.shape(tensor), [math_binary.subtract(rank, 1)], [1])
    matrix = array_shape.reshape(tensor, array_concat.concat([[-1], columns], 0))
    dims = tensor.shape.dims_tuple
    if dims is not None and None not in dims[:-1]:
        matrix.set_shape([math.prod(d or 0 for d in dims[:-1]), dims[-1]])
    return matrix


@shortened
def sparse_softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """The cross entropy between one class each and softmax(logits) along the last axis.

    Args:
      labels: Classes, int32 or int64, of the shape of `logits` without its last axis.
      logits: Unscaled log probabilities.
      name: Name of the operation.

    Returns:
      The losses, of the shape of `labels`.

    Raises:
      ValueError: Labels or logits are missing, or their shapes do not fit.

    >>> loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=[[0.0, 0.0]])
    >>> with tf.Session() as session:
    ...     print(np.round(session.run(loss), 3))
    [0.693]
    """
    _require(labels, logits)
    with name_scope(name, "SparseSoftmaxCrossEntropyWithLogits", [labels, logits]):
        labels = convert_to_tensor(labels)
        logits = convert_to_tensor(logits)
        precise = logits
        if logits.dtype == dtypes.half:
            precise = cast(logits, dtypes.float32)
        static = labels.shape
        labels_shape = array_shape.shape(labels)
        known = _check_sparse_shapes(labels, logits)
        if logits.shape.rank == 2:
            return _in_type(_sparse_rows(precise, labels, name), logits)
        checks = []
        if not known:
            rows = array_shape.shape(labels)
            logits_shape: Any = array_shape.shape(logits)
            checks.append(assert_equal_integers(rows, logits_shape[:-1]))
        with control_dependencies(checks):
            sizes: Any = array_shape.shape(logits)
            rank: Any = array_shape.rank(logits)
            classes = sizes[rank - 1]
            precise = array_shape.reshape(precise, [-1, classes])
            labels = array_shape.reshape(labels, [-1])
            cost = array_shape.reshape(_sparse_rows(precise, labels, name), labels_shape)
            cost.set_shape(static)
            return _in_type(cost, logits)


def _sparse_rows(logits: Tensor, labels: Tensor, name: str | None) -> Tensor:
    loss: Tensor
    loss, _ = apply_op("SparseSoftmaxCrossEntropyWithLogits", logits, labels, name=name)
    return loss


def _in_type(loss: Tensor, logits: Tensor) -> Tensor:
    """The loss in the type of the logits; of float16 ones it was computed in float32."""
    result: Tensor = loss
    if logits.dtype == dtypes.half:
        result = cast(loss, dtypes.half)
    return result


def _check_sparse_shapes(labels: Tensor, logits: Tensor) -> bool:
    """Refuses shapes that cannot fit; True if they are known to fit."""
    have, want = labels.shape, logits.shape
    if want.rank == 0:
        raise ValueError(f"Logits cannot be scalars - received shape {want}.")
    if want.rank is not None and have.rank is not None and have.rank != want.rank - 1:
        raise ValueError(
            f"Rank mismatch: Rank of labels (received {have.rank}) should equal rank of logits "
            f"minus 1 (received {want.rank})."
        )
    known = have.is_fully_defined() and want.rank is not None and want[:-1].is_fully_defined()
    if known and have != want[:-1]:
        raise ValueError(
            f"Shape mismatch: The shape of labels (received {have}) should equal the shape of "
            f"logits except for the last dimension (received {want})."
        )
    return known


@binary
def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """The cross entropy between labels and sigmoid(logits), each class for itself.

    Computed as max(x, 0) - x z + log(1 + exp(-|x|)), which does not overflow.

    Args:
      labels: Probabilities, of the type and shape of `logits`.
      logits: Log odds.
      name: Name of the operation.

    Raises:
      ValueError: Labels or logits are missing, or their shapes differ.
    """
    _require(labels, logits)
    with name_scope(name, "logistic_loss", [logits, labels]) as scope:
        x: Any = convert_to_tensor(logits, name="logits")
        z: Any = convert_to_tensor(labels, name="labels")
        _require_same_shape("logits", x, "labels", z)
        zeros = array_fill.zeros_like(x, dtype=x.dtype)
        positive = x >= zeros
        relu = array_select.where(positive, x, zeros)
        less_than_zero = array_select.where(positive, -x, x)
        return math_binary.add(
            relu - x * z, math_unary.log1p(math_unary.exp(less_than_zero)), name=scope
        )


def weighted_cross_entropy_with_logits(
    labels: Any = None,
    logits: Any = None,
    pos_weight: Any = None,
    name: str | None = None,
    targets: Any = None,
) -> Tensor:
    """sigmoid_cross_entropy_with_logits with another weight on positive labels.

    Args:
      labels: Probabilities, of the type and shape of `logits`.
      logits: Log odds.
      pos_weight: Factor on the loss of positive labels.
      name: Name of the operation.
      targets: Former name of `labels`.

    Raises:
      ValueError: The shapes differ.
    """
    labels = renamed("labels", labels, "targets", targets)
    with name_scope(name, "logistic_loss", [logits, labels]) as scope:
        x: Any = convert_to_tensor(logits, name="logits")
        z: Any = convert_to_tensor(labels, name="labels")
        _require_same_shape("logits", x, "labels", z)
        weight = 1 + (pos_weight - 1) * z
        positive_part = (1 - z) * x
        modulus: Any = math_unary.abs(x)
        negative_part: Any = math_unary.log1p(math_unary.exp(-modulus))
        negative_part += nn_activation.relu(-x)
        return math_binary.add(positive_part, weight * negative_part, name=scope)


def log_poisson_loss(
    targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None
) -> Tensor:
    """exp(log_input) - log_input * targets: the Poisson loss up to a constant in `log_input`.

    Args:
      targets: Counts, of the type and shape of `log_input`.
      log_input: Logarithm of the prediction.
      compute_full_loss: Adds the constant, log(targets!), by Stirling's approximation.
      name: Name scope of the operations.

    Raises:
      ValueError: The shapes differ.
    """
    with name_scope(name, "log_poisson_loss", [log_input, targets]):
        x: Any = convert_to_tensor(log_input, name="log_input")
        z: Any = convert_to_tensor(targets, name="targets")
        _require_same_shape("log_input", x, "targets", z)
        result: Any = math_unary.exp(x)
        result -= x * z
        if compute_full_loss:
            half: Any = constant(0.5, dtype=z.dtype)
            two_pi: Any = constant(2 * math.pi, dtype=z.dtype)
            stirling = z * math_unary.log(z) - z + half * math_unary.log(two_pi * z)
            zeros = array_fill.zeros_like(z, dtype=z.dtype)
            ones = array_fill.ones_like(z, dtype=z.dtype)
            small = math_compare.logical_and(z >= zeros, z <= ones)
            result += array_select.where(small, zeros, stirling)
        loss: Tensor = result
        return loss


def _require(labels: Any, logits: Any) -> None:
    if labels is None or logits is None:
        raise ValueError("Both labels and logits must be provided.")


def _require_same_shape(first: str, x: Tensor, second: str, z: Tensor) -> None:
    if not z.shape.is_compatible_with(x.shape):
        raise ValueError(f"{first} and {second} must have the same shape ({x.shape} vs {z.shape})")
