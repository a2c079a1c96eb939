"""tf.contrib.losses.metric_learning: losses of embeddings that are to lie near their like.

`labels` are integers of shape [batch], embeddings floats of shape [batch, size].
"""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.transpose as array_transpose
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.linalg.diag import matrix_set_diag
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.math.division import truediv
from dataflow.ops.nn.losses import softmax_cross_entropy_with_logits_v2
from dataflow.ops.sparse.dense import sparse_to_dense
from dataflow.values import dtypes


def pairwise_distance(feature: Any, squared: bool = False) -> Tensor:
    """Distances between all rows: [rows, rows] of [rows, size].

    Args:
      feature: The rows.
      squared: Whether the squares are wanted. The root has no gradient where a distance is 0.
    """
    feature = convert_to_tensor(feature)
    squares: Any = reductions.reduce_sum(math_unary.square(feature), 1, keepdims=True)
    products: Any = matmul(feature, feature, transpose_b=True)
    found: Any = squares + array_transpose.transpose(squares) - 2.0 * products
    found = math_binary.maximum(found, 0.0)
    is_zero: Any = math_compare.less_equal(found, 0.0)
    if not squared:
        found = math_unary.sqrt(found + cast(is_zero, dtypes.float32) * 1e-16)
    found = found * cast(math_compare.logical_not(is_zero), dtypes.float32)
    return _without_diagonal(found)


def masked_maximum(data: Any, mask: Any, dim: int = 1) -> Tensor:
    """The largest of the chosen elements along a dimension, which keeps size 1.

    Args:
      data: Floats of shape [n, m].
      mask: 1 at those that are chosen, 0 at others, of the same type and shape.
      dim: The dimension. Where none is chosen the result is the least of all.
    """
    return _masked(data, mask, dim, reductions.reduce_max, reductions.reduce_min)


def masked_minimum(data: Any, mask: Any, dim: int = 1) -> Tensor:
    """The smallest of the chosen elements along a dimension, which keeps size 1.

    Args:
      data: Floats of shape [n, m].
      mask: 1 at those that are chosen, 0 at others, of the same type and shape.
      dim: The dimension. Where none is chosen the result is the largest of all.
    """
    return _masked(data, mask, dim, reductions.reduce_min, reductions.reduce_max)


def _masked(data: Any, mask: Any, dim: int, extreme: Any, opposite: Any) -> Tensor:
    """An extreme of the chosen elements: others stand at the opposite one."""
    end: Any = opposite(data, dim, keepdims=True)
    found: Any = extreme((data - end) * mask, dim, keepdims=True)
    total: Tensor = found + end
    return total


def contrastive_loss(
    labels: Any, embeddings_anchor: Any, embeddings_positive: Any, margin: float = 1.0
) -> Tensor:
    """Pairs of a kind are drawn together, others pushed apart up to a margin.

    Hadsell, Chopra, LeCun, Dimensionality reduction by learning an invariant mapping, 2006.

    Args:
      labels: 1 for pairs of a kind, 0 for others.
      embeddings_anchor: One of each pair.
      embeddings_positive: The other.
      margin: How far apart others are to be.
    """
    squares = math_binary.squared_difference(embeddings_anchor, embeddings_positive)
    distances = math_unary.sqrt(reductions.reduce_sum(squares, 1))
    alike: Any = cast(labels, distances.dtype)
    apart: Any = math_unary.square(math_binary.maximum(margin - distances, 0.0))
    return reductions.reduce_mean(
        alike * math_unary.square(distances) + (1.0 - alike) * apart, name="contrastive_loss"
    )


def triplet_semihard_loss(labels: Any, embeddings: Any, margin: float = 1.0) -> Tensor:
    """What is alike is nearer than the nearest other that is not nearer, by a margin.

    Where no other is farther away the farthest is taken. Schroff, Kalenichenko, Philbin, FaceNet,
    2015.

    Args:
      labels: Classes.
      embeddings: Of length 1.
      margin: By how much.
    """
    distances: Any = pairwise_distance(embeddings, squared=True)
    alike, others = _alike(labels)
    positive, negative = (
        array_shape.expand_dims(distances, 2),
        array_shape.expand_dims(distances, 1),
    )
    # Of anchor, positive and negative: whether the last is farther away than the second.
    farther: Any = math_compare.greater(negative, positive)
    is_semihard: Any = math_compare.logical_and(array_shape.expand_dims(others, 1), farther)
    weight = cast(is_semihard, dtypes.float32)
    farthest: Any = reductions.reduce_max(distances, 1, keepdims=True)
    lifted: Any = negative - array_shape.expand_dims(farthest, 2)
    nearest: Any = reductions.reduce_min(lifted * weight, 2) + farthest
    inside = masked_maximum(distances, cast(others, dtypes.float32))
    chosen: Any = array_select.where(
        reductions.reduce_any(is_semihard, 2), nearest, array_fill.zeros_like(nearest) + inside
    )
    pairs: Any = _without_diagonal(cast(alike, dtypes.float32))
    losses = math_binary.maximum((margin + distances - chosen) * pairs, 0.0)
    return truediv(
        reductions.reduce_sum(losses), reductions.reduce_sum(pairs), name="triplet_semihard_loss"
    )


def lifted_struct_loss(labels: Any, embeddings: Any, margin: float = 1.0) -> Tensor:
    """Pairs of a kind against all others of both, by a soft maximum.

    Oh Song and others, Deep metric learning via lifted structured feature embedding, 2016.

    Args:
      labels: Classes.
      embeddings: Need not be of length 1.
      margin: How far apart others are to be.
    """
    distances: Any = pairwise_distance(embeddings, squared=False)
    alike, others = _alike(labels)
    mask: Any = cast(others, dtypes.float32)
    near: Any = margin - distances
    least: Any = reductions.reduce_min(near, 1, keepdims=True)
    most: Any = reductions.reduce_max((near - least) * mask, 1, keepdims=True) + least
    largest: Any = math_binary.maximum(most, array_transpose.transpose(most))
    # Of anchor, its like and another: how near the other is to the anchor.
    shifted: Any = array_shape.expand_dims(near, 1) - array_shape.expand_dims(largest, 2)
    sums: Any = reductions.reduce_sum(math_unary.exp(shifted) * array_shape.expand_dims(mask, 1), 2)
    losses: Any = largest + math_unary.log(sums + array_transpose.transpose(sums)) + distances
    pairs: Any = _without_diagonal(cast(alike, dtypes.float32))
    squares = math_unary.square(math_binary.maximum(losses * pairs, 0.0))
    return truediv(
        0.25 * reductions.reduce_sum(squares),
        reductions.reduce_sum(pairs) / 2.0,
        name="liftedstruct_loss",
    )


def npairs_loss(
    labels: Any,
    embeddings_anchor: Any,
    embeddings_positive: Any,
    reg_lambda: float = 0.002,
    print_losses: bool = False,
) -> Tensor:
    """Pairs against the pairs of all other classes, by a softmax of their products.

    Sohn, Improved deep metric learning with multi-class N-pair loss objective, 2016.

    Args:
      labels: The class of each pair.
      embeddings_anchor: One of each pair.
      embeddings_positive: The other.
      reg_lambda: Weight of the squares of the embeddings.
      print_losses: Not offered: False.
    """
    alike, _ = _alike(labels)
    return _npairs(cast(alike, dtypes.float32), embeddings_anchor, embeddings_positive, reg_lambda)


def npairs_loss_multilabel(
    sparse_labels: Any,
    embeddings_anchor: Any,
    embeddings_positive: Any,
    reg_lambda: float = 0.002,
    print_losses: bool = False,
) -> Tensor:
    """As `npairs_loss`, for pairs with sets of classes: how many two have in common counts.

    Args:
      sparse_labels: For each pair a SparseTensor of shape [classes], true where it has the class.
      embeddings_anchor: One of each pair.
      embeddings_positive: The other.
      reg_lambda: Weight of the squares of the embeddings.
      print_losses: Not offered: False.

    Raises:
      TypeError: A label is no SparseTensor.
    """
    if not all(isinstance(each, SparseTensor) for each in sparse_labels):
        raise TypeError(f"sparse_labels must be a list of SparseTensors, but got {sparse_labels}")
    with name_scope(None, "NpairsLossMultiLabel"):
        rows = [
            cast(
                sparse_to_dense(each.indices, each.dense_shape, cast(each.values, dtypes.int32)),
                dtypes.float32,
            )
            for each in sparse_labels
        ]
        labels = array_concat.stack(rows)
        common = matmul(labels, labels, transpose_b=True)
        return _npairs(common, embeddings_anchor, embeddings_positive, reg_lambda)


def _npairs(weights: Any, anchor: Any, positive: Any, reg_lambda: float) -> Tensor:
    squares: Any = [
        reductions.reduce_mean(reductions.reduce_sum(math_unary.square(each), 1))
        for each in (anchor, positive)
    ]
    l2_loss: Any = math_binary.multiply(0.25 * reg_lambda, squares[0] + squares[1], name="l2loss")
    products = matmul(anchor, positive, transpose_b=True)
    weights = weights / reductions.reduce_sum(weights, 1, keepdims=True)
    entropy = softmax_cross_entropy_with_logits_v2(labels=weights, logits=products)
    found: Tensor = l2_loss + reductions.reduce_mean(entropy, name="xentropy")
    return found


def _alike(labels: Any) -> tuple[Tensor, Tensor]:
    """Which pairs are of a class, and which are not."""
    labels = convert_to_tensor(labels)
    assert labels.shape.rank == 1
    column = array_shape.reshape(labels, [-1, 1])
    alike = math_compare.equal(column, array_transpose.transpose(column))
    return alike, math_compare.logical_not(alike)


def _without_diagonal(matrix: Any) -> Tensor:
    return matrix_set_diag(matrix, array_fill.zeros_like(matrix[:, 0]))
