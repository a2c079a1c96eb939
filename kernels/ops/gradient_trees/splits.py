"""Kernels that find the best split of each node by one feature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.gradient_trees import layers, splits
from dataflow.kernels.gradient_trees.gains import Leaves, Limits, Sums
from dataflow.kernels.gradient_trees.layers import BestOfLayer
from dataflow.kernels.gradient_trees.splits import Best, starts_of
from dataflow.kernels.ops.gradient_trees.arguments import element, number
from dataflow.proto.learner_pb2 import LearnerConfig
from dataflow.proto.split_info_pb2 import ObliviousSplitInfo, SplitInfo
from dataflow.proto.tree_config_pb2 import Leaf

_NOTHING = np.zeros(0, np.int32), np.zeros(0, np.float32), np.zeros(0, object)


class _Rows:
    """Sums by node and bucket, and by what they are multiplied."""

    def __init__(self, minibatches: Any, partitions: Any, features: Any, *sums: Any) -> None:
        count = number(minibatches, "num_minibatches")
        with np.errstate(all="ignore"):
            self.ratio = np.float32(1) / np.float32(count)
        if np.ndim(partitions) != 1:
            raise invalid("partition_ids must be a vector")
        if np.ndim(features) != 2 or np.shape(features)[1] != 2:
            raise invalid(
                "Buckets and dimensions must be a matrix of two columns, got shape "
                f"{shape_text(np.shape(features))}"
            )
        size = len(partitions)
        for name, values in zip(("gradients", "hessians"), sums, strict=True):
            if np.ndim(values) < 1 or len(values) < size or len(features) < size:
                raise invalid(f"{name} and ids must have a row for each of {size} partition ids")
        self.partitions, self.features = partitions, features[:size]
        self.sums = Sums(sums[0][:size], sums[1][:size])

    @property
    def has_values(self) -> bool:
        """Whether there is a node with more than its first row."""
        return bool((np.diff(starts_of(self.partitions)) >= 2).any())


def _limits(l1: Any, l2: Any, complexity: Any, weight: Any, strategy: Any) -> Limits:
    kind = number(strategy, "multiclass_strategy")
    if kind not in LearnerConfig.MultiClassStrategy.values():
        raise invalid("Wrong multiclass strategy passed.")
    return Limits(
        element(l1, "l1_regularization"),
        element(l2, "l2_regularization"),
        element(complexity, "tree_complexity_regularization"),
        element(weight, "min_node_weight"),
        kind,
    )


def _is_oblivious(learner: Any) -> bool:
    return number(learner, "weak_learner_type") == LearnerConfig.OBLIVIOUS_DECISION_TREE


def _fill(leaf: Leaf, leaves: Leaves, place: int, class_id: int) -> None:
    """Writes a leaf; one that does not exist stays empty."""
    leaf.SetInParent()
    weights = leaves.weights[place].tolist() if leaves.exist[place] else []
    if class_id == -1:
        leaf.vector.value.extend(weights)
        if not weights:
            leaf.ClearField("vector")
    elif len(weights) == 1:
        leaf.sparse_vector.index.append(class_id)
        leaf.sparse_vector.value.extend(weights)
    else:
        raise invalid(f"A tree of one class must have leaves of one weight, got {len(weights)}")


def _made(best: Best, class_id: int, write: Callable[[Any, int, bool], None]) -> Any:
    """The outputs: nodes, gains and messages; `write` writes a split of a row of sums."""
    serialized = np.empty(len(best.partitions), object)
    for place in range(len(serialized)):
        info = SplitInfo()
        write(info.split_node, int(best.rows[place]), bool(best.goes_right[place]))
        _fill(info.left_child, best.left, place, class_id)
        _fill(info.right_child, best.right, place, class_id)
        serialized[place] = info.SerializeToString()
    return best.partitions.astype(np.int32), best.gains.astype(np.float32), serialized


def _made_of_layer(
    best: BestOfLayer, class_id: int, write: Callable[[Any, int], None]
) -> tuple[Any, Any, Any]:
    """The outputs of one split for all nodes."""
    info = ObliviousSplitInfo()
    write(info.split_node, best.feature)
    for place, node in enumerate(best.partitions.tolist()):
        for leaves in (best.left, best.right):
            _fill(info.children.add(), leaves, place, class_id)
        info.children_parent_id.append(node)
    serialized = np.empty(1, object)
    serialized[0] = info.SerializeToString()
    return best.partitions.astype(np.int32), np.array([best.gain], np.float32), serialized


def _boundary(boundaries: Any, bucket: int) -> float:
    if not 0 <= bucket < len(boundaries):
        raise invalid(f"Bucket {bucket} is not in [0, {len(boundaries)}), the boundaries' range")
    return float(boundaries[bucket])


@kernel("BuildDenseInequalitySplits", device="CPU")
def dense(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(*inputs: Any) -> Any:
        rows, boundaries = _Rows(*inputs[:5]), inputs[5]
        starts_of(rows.partitions)
        if not len(rows.partitions) or not np.size(boundaries):
            return _NOTHING
        class_id, column = number(inputs[6], "class_id"), number(inputs[7], "feature_column")
        limits, ids = _limits(*inputs[8:13]), rows.features[:, 0]
        if _is_oblivious(inputs[13]):
            best = layers.dense(rows.partitions, ids, rows.sums, rows.ratio, limits)

            def write_layer(made: Any, bucket: int) -> None:
                split = made.oblivious_dense_float_binary_split
                split.feature_column = column
                split.threshold = _boundary(boundaries, bucket)

            return _made_of_layer(best, class_id, write_layer)

        def write(made: Any, row: int, _: bool) -> None:
            split = made.dense_float_binary_split
            split.feature_column = column
            split.threshold = _boundary(boundaries, int(ids[row]))

        found = splits.dense(rows.partitions, rows.sums, rows.ratio, limits)
        return _made(found, class_id, write)

    return run


@kernel("BuildSparseInequalitySplits", device="CPU")
def sparse(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(*inputs: Any) -> Any:
        rows, boundaries = _Rows(*inputs[:5]), inputs[5]
        if not rows.has_values:
            return _NOTHING
        class_id, column = number(inputs[6], "class_id"), number(inputs[7], "feature_column")
        bias, limits = number(inputs[8], "bias_feature_id"), _limits(*inputs[9:14])
        found = splits.sparse(rows.partitions, rows.features, rows.sums, rows.ratio, limits, bias)

        def write(made: Any, row: int, goes_right: bool) -> None:
            kinds = ("left", "right")
            split = getattr(made, f"sparse_float_binary_split_default_{kinds[goes_right]}").split
            split.feature_column = column
            split.dimension_id = int(rows.features[row, 1])
            split.threshold = _boundary(boundaries, int(rows.features[row, 0]))

        return _made(found, class_id, write)

    return run


@kernel("BuildCategoricalEqualitySplits", device="CPU")
def categorical(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(*inputs: Any) -> Any:
        rows = _Rows(*inputs[:5])
        if not rows.has_values:
            return _NOTHING
        class_id, column = number(inputs[5], "class_id"), number(inputs[6], "feature_column")
        bias, limits = number(inputs[7], "bias_feature_id"), _limits(*inputs[8:13])
        if _is_oblivious(inputs[13]):
            best = layers.categorical(
                rows.partitions, rows.features[:, 0], rows.sums, rows.ratio, limits, bias
            )

            def write_layer(made: Any, category: int) -> None:
                split = made.oblivious_categorical_id_binary_split
                split.feature_column, split.feature_id = column, category

            return _made_of_layer(best, class_id, write_layer)
        found = splits.categorical(
            rows.partitions, rows.features, rows.sums, rows.ratio, limits, bias
        )

        def write(made: Any, row: int, _: bool) -> None:
            split = made.categorical_id_binary_split
            split.feature_column, split.feature_id = column, int(rows.features[row, 0])

        return _made(found, class_id, write)

    return run
