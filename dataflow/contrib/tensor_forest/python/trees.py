"""The graphs of a tree."""

from __future__ import annotations

from typing import Any, NamedTuple

from dataflow.contrib.tensor_forest.python.ops import model_ops, stats_ops
from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import control_dependencies, get_collection
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.shape import reshape


def get_epoch_variable() -> Any:
    """The epoch of the input, which `limit_epochs` counts, as a vector; [0] if nobody counts."""
    for variable in get_collection(GraphKeys.LOCAL_VARIABLES):
        if "limit_epochs/epoch" in variable.op.name:
            return reshape(variable, [1])
    return [0]


class _Inputs(NamedTuple):
    """What ops of trees take of features; empty vectors for what is not there."""

    dense: Any
    indices: Any
    values: Any
    shape: Any


def _inputs(dense: Any, sparse: Any) -> _Inputs:
    dense = [] if dense is None else dense
    if sparse is None:
        return _Inputs(dense, [], [], [])
    return _Inputs(dense, sparse.indices, sparse.values, sparse.dense_shape)


class RandomTreeGraphs:
    """The graphs of a tree of a forest."""

    def __init__(self, variables: Any, params: Any, tree_num: int) -> None:
        """Takes a tree.

        Args:
          variables: Its `TreeVariables`.
          params: Hyperparameters of the forest.
          tree_num: Its number.
        """
        self.variables = variables
        self.params = params
        self.tree_num = tree_num

    def training_graph(
        self,
        input_data: Any,
        input_labels: Any,
        random_seed: int,
        data_spec: Any,
        sparse_features: Any = None,
        input_weights: Any = None,
    ) -> Any:
        """An operation that trains the tree with a batch.

        Args:
          input_data: Dense features, or None.
          input_labels: Labels, float32.
          random_seed: Of the features that candidates test; 0 draws other ones in each step.
          data_spec: A `TensorForestDataSpec`.
          sparse_features: A sparse matrix of features.
          input_weights: A weight for each example.
        """
        weights = [] if input_weights is None else input_weights
        inputs = _inputs(input_data, sparse_features)
        spec, params = data_spec.SerializeToString(), self.params.serialized_params_proto
        tree, stats = self.variables.tree, self.variables.stats
        leaf_ids = model_ops.traverse_tree_v4(tree, *inputs, input_spec=spec, params=params)
        updated = model_ops.update_model_v4(tree, leaf_ids, input_labels, weights, params=params)
        finished = stats_ops.process_input_v4(
            tree,
            stats,
            *inputs,
            input_labels,
            weights,
            leaf_ids,
            input_spec=spec,
            random_seed=random_seed,
            params=params,
        )
        with control_dependencies([updated]):
            return stats_ops.grow_tree_v4(tree, stats, finished, params=params)

    def inference_graph(
        self, input_data: Any, data_spec: Any, sparse_features: Any = None
    ) -> tuple[Tensor, Tensor]:
        """What the tree predicts, as rows, and the nodes on the way there.

        Args:
          input_data: Dense features, or None.
          data_spec: A `TensorForestDataSpec`.
          sparse_features: A sparse matrix of features.
        """
        predictions, paths = model_ops.tree_predictions_v4(
            self.variables.tree,
            *_inputs(input_data, sparse_features),
            input_spec=data_spec.SerializeToString(),
            params=self.params.serialized_params_proto,
        )
        return predictions, paths

    def size(self) -> Tensor:
        """How many nodes there are: an int32 scalar."""
        made: Tensor = model_ops.tree_size(self.variables.tree)
        return made

    def feature_usage_counts(self) -> Tensor:
        """How many nodes look at each feature: an int32 vector."""
        params = self.params.serialized_params_proto
        made: Tensor = model_ops.feature_usage_counts(self.variables.tree, params=params)
        return made
