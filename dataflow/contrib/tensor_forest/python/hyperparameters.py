"""How forests grow: hyperparameters as programs set them, and as trees take them."""

from __future__ import annotations

import math
import numbers
import random
from pathlib import Path
from typing import Any, Final

from google.protobuf import text_format

from dataflow.proto import tensor_forest_params_pb2 as _params
from dataflow.proto.generic_tree_model_pb2 import InequalityTest
from dataflow.values import logging

CLASSIFICATION_LEAF_MODEL_TYPES: Final = {
    "all_dense": (_params.MODEL_DENSE_CLASSIFICATION, _params.STATS_DENSE_GINI),
    "all_sparse": (_params.MODEL_SPARSE_CLASSIFICATION, _params.STATS_SPARSE_GINI),
    "sparse_then_dense": (
        _params.MODEL_SPARSE_OR_DENSE_CLASSIFICATION,
        _params.STATS_SPARSE_THEN_DENSE_GINI,
    ),
}
"""Model name -> what leaves hold, and what they count."""
REGRESSION_MODEL_TYPE: Final = (
    _params.MODEL_REGRESSION,
    _params.STATS_LEAST_SQUARES_REGRESSION,
    _params.COLLECTION_BASIC,
)
FINISH_TYPES: Final = {
    "basic": _params.SPLIT_FINISH_BASIC,
    "hoeffding": _params.SPLIT_FINISH_DOMINATE_HOEFFDING,
    "bootstrap": _params.SPLIT_FINISH_DOMINATE_BOOTSTRAP,
}
PRUNING_TYPES: Final = {
    "none": _params.SPLIT_PRUNE_NONE,
    "half": _params.SPLIT_PRUNE_HALF,
    "quarter": _params.SPLIT_PRUNE_QUARTER,
    "10_percent": _params.SPLIT_PRUNE_10_PERCENT,
    "hoeffding": _params.SPLIT_PRUNE_HOEFFDING,
}
SPLIT_TYPES: Final = {
    "less_or_equal": InequalityTest.LESS_OR_EQUAL,
    "less": InequalityTest.LESS_THAN,
}


def parse_number_or_string_to_proto(proto: Any, param: Any) -> None:
    """Sets a parameter that may depend on a node's depth.

    Args:
      proto: Its DepthDependentParam message.
      param: A number, or the message as text.
    """
    if isinstance(param, numbers.Number):
        proto.constant_value = param
    elif param.isdigit():
        proto.constant_value = int(param)
    else:
        text_format.Merge(param, proto)


def build_params_proto(params: Any) -> Any:
    """The TensorForestParams message of hyperparameters.

    Args:
      params: Hyperparameters that were filled. What their `param_file` says goes before the others.
    """
    proto = _params.TensorForestParams(
        num_trees=params.num_trees,
        max_nodes=params.max_nodes,
        is_regression=params.regression,
        num_outputs=params.num_classes,
        num_features=params.num_features,
        leaf_type=params.leaf_model_type,
        stats_type=params.stats_model_type,
        collection_type=_params.COLLECTION_BASIC,
        inequality_test_type=params.split_type,
        drop_final_class=False,
        collate_examples=params.collate_examples,
        checkpoint_stats=params.checkpoint_stats,
        use_running_stats_method=params.use_running_stats_method,
        initialize_average_splits=params.initialize_average_splits,
        inference_tree_paths=params.inference_tree_paths,
    )
    proto.pruning_type.type = params.pruning_type
    proto.finish_type.type = params.finish_type
    for message, value in (
        (proto.pruning_type.prune_every_samples, params.prune_every_samples),
        (proto.finish_type.check_every_steps, params.early_finish_check_every_samples),
        (proto.split_after_samples, params.split_after_samples),
        (proto.num_splits_to_consider, params.num_splits_to_consider),
    ):
        parse_number_or_string_to_proto(message, value)
    proto.dominate_fraction.constant_value = params.dominate_fraction
    if params.param_file:
        text_format.Merge(Path(params.param_file).read_text(), proto)
    return proto


class ForestHParams:
    """Hyperparameters of a forest: what is given, and, once filled, good values for the rest.

    ```python
    hparams = ForestHParams(num_classes=2, num_features=40).fill()
    ```
    """

    num_classes: Any
    num_features: Any

    def __init__(
        self,
        num_trees: int = 100,
        max_nodes: int = 10000,
        bagging_fraction: float = 1.0,
        num_splits_to_consider: Any = 0,
        feature_bagging_fraction: float = 1.0,
        max_fertile_nodes: int = 0,
        split_after_samples: Any = 250,
        valid_leaf_threshold: int = 1,
        dominate_method: str = "bootstrap",
        dominate_fraction: float = 0.99,
        model_name: str = "all_dense",
        split_finish_name: str = "basic",
        split_pruning_name: str = "none",
        prune_every_samples: Any = 0,
        early_finish_check_every_samples: Any = 0,
        collate_examples: bool = False,
        checkpoint_stats: bool = False,
        use_running_stats_method: bool = False,
        initialize_average_splits: bool = False,
        inference_tree_paths: bool = False,
        param_file: Any = None,
        split_name: str = "less_or_equal",
        **kwargs: Any,
    ) -> None:
        """Takes hyperparameters.

        Args:
          num_trees: How many trees there are.
          max_nodes: With how many nodes a tree stops growing.
          bagging_fraction: Which part of each batch a tree is trained with.
          num_splits_to_consider: How many candidates a leaf has; a number, or a
            DepthDependentParam message as text.
          feature_bagging_fraction: Which part of the features a tree sees.
          max_fertile_nodes: Not used.
          split_after_samples: How many examples a leaf sees before it splits; see
            `num_splits_to_consider`.
          valid_leaf_threshold: Not used.
          dominate_method: Not used.
          dominate_fraction: How sure an early finish must be.
          model_name: A key of `CLASSIFICATION_LEAF_MODEL_TYPES`.
          split_finish_name: A key of `FINISH_TYPES`. TensorFlow's wait for `min_split_samples`,
            which `param_file` must set.
          split_pruning_name: A key of `PRUNING_TYPES`.
          prune_every_samples: After how many examples candidates are pruned.
          early_finish_check_every_samples: After how many the best are compared.
          collate_examples: Whether leaves take the examples of a batch together.
          checkpoint_stats: Whether checkpoints hold what leaves have counted.
          use_running_stats_method: Whether sums of squares are kept rather than computed.
          initialize_average_splits: Whether thresholds lie between two examples of two classes.
          inference_tree_paths: Whether predictions tell the nodes that examples pass.
          param_file: A TensorForestParams message as text, which goes before all of this.
          split_name: A key of `SPLIT_TYPES`.
          **kwargs: `num_classes` (of regression: how many targets) and `num_features`, which must
            be given before the rest is filled; `regression`; `base_random_seed`.
        """
        self.num_trees = num_trees
        self.max_nodes = max_nodes
        self.bagging_fraction = bagging_fraction
        self.feature_bagging_fraction = feature_bagging_fraction
        self.num_splits_to_consider = num_splits_to_consider
        self.max_fertile_nodes = max_fertile_nodes
        self.split_after_samples = split_after_samples
        self.valid_leaf_threshold = valid_leaf_threshold
        self.dominate_method = dominate_method
        self.dominate_fraction = dominate_fraction
        self.model_name = model_name
        self.split_finish_name = split_finish_name
        self.split_pruning_name = split_pruning_name
        self.collate_examples = collate_examples
        self.checkpoint_stats = checkpoint_stats
        self.use_running_stats_method = use_running_stats_method
        self.initialize_average_splits = initialize_average_splits
        self.inference_tree_paths = inference_tree_paths
        self.param_file = param_file
        self.split_name = split_name
        self.early_finish_check_every_samples = early_finish_check_every_samples
        self.prune_every_samples = prune_every_samples
        for name, value in kwargs.items():
            setattr(self, name, value)

    def values(self) -> dict[str, Any]:
        """All hyperparameters by name."""
        return self.__dict__

    def fill(self) -> ForestHParams:
        """Sets what was not given, and gives the object itself.

        Raises:
          AttributeError: `num_classes` or `num_features` was not given.
          KeyError: A name is not known.
        """
        for needed in ("num_classes", "num_features"):
            getattr(self, needed)
        self.bagged_num_features = int(self.feature_bagging_fraction * self.num_features)
        self.bagged_features: Any = None
        if self.feature_bagging_fraction < 1.0:
            self.bagged_features = [
                random.sample(range(self.num_features), self.bagged_num_features)
                for _ in range(self.num_trees)
            ]
        self.regression = getattr(self, "regression", False)
        self.num_outputs = self.num_classes if self.regression else 1
        self.num_output_columns = self.num_classes + 1
        root = math.floor(math.sqrt(self.num_features))
        self.num_splits_to_consider = self.num_splits_to_consider or min(max(10, root), 1000)
        self.base_random_seed = getattr(self, "base_random_seed", 0)
        of_classes = (0, 0) if self.regression else CLASSIFICATION_LEAF_MODEL_TYPES[self.model_name]
        model = REGRESSION_MODEL_TYPE[:2] if self.regression else of_classes
        self.leaf_model_type, self.stats_model_type = model
        self.finish_type = (
            _params.SPLIT_FINISH_BASIC if self.regression else FINISH_TYPES[self.split_finish_name]
        )
        self.pruning_type = PRUNING_TYPES[self.split_pruning_name]
        if self.pruning_type == _params.SPLIT_PRUNE_NONE:
            self.prune_every_samples = 0
        else:
            self.prune_every_samples = self._part(self.prune_every_samples, 2)
        if self.finish_type == _params.SPLIT_FINISH_BASIC:
            self.early_finish_check_every_samples = 0
        else:
            every = self._part(self.early_finish_check_every_samples, 4)
            self.early_finish_check_every_samples = every
        self.split_type = SPLIT_TYPES[self.split_name]
        return self

    def _part(self, given: Any, parts: int) -> Any:
        """What was given, or a part of the examples that a leaf sees before it splits."""
        if given:
            return given
        after = self.split_after_samples
        if not isinstance(after, numbers.Number) and not after.isdigit():
            logging.error(
                "Must specify prune_every_samples if using a depth-dependent split_after_samples"
            )
        return int(after) / parts
