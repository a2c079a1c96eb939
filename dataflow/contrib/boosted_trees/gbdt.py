"""A model of trees on gradients: what it predicts, and how it grows."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, Final

from dataflow.contrib.boosted_trees import calls, learner
from dataflow.contrib.boosted_trees.features import extract_features
from dataflow.contrib.boosted_trees.growing import Growing
from dataflow.contrib.boosted_trees.training_state import GBDTTrainingState
from dataflow.contrib.learn.model_fn import ModeKeys
from dataflow.control_flow.cond import cond
from dataflow.graph import scopes
from dataflow.library.losses.weighted import Reduction
from dataflow.ops.array.fill import zeros
from dataflow.ops.basic.identity import identity, no_op
from dataflow.ops.math.compare import not_equal
from dataflow.proto.learner_pb2 import LearnerConfig
from dataflow.values import dtypes
from dataflow.variables.variable import Variable

_logger = logging.getLogger(__name__)

ENSEMBLE_STAMP: Final = "ensemble_stamp"
PREDICTIONS: Final = "predictions"
PARTITION_IDS: Final = "partition_ids"
NUM_LAYERS_ATTEMPTED: Final = "num_layers"
NUM_TREES_ATTEMPTED: Final = "num_trees"
NUM_USED_HANDLERS: Final = "num_used_handlers"
USED_HANDLERS_MASK: Final = "used_handlers_mask"
LEAF_INDEX: Final = "leaf_index"
_MODES: Final = (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.INFER)


class GradientBoostedDecisionTreeModel:
    """A model whose trees are fitted to gradients and hessians of a loss.

    A tree grows by a layer whenever enough examples have come since the last one.
    """

    def __init__(
        self,
        is_chief: bool,
        num_ps_replicas: int,
        ensemble_handle: Any,
        center_bias: bool,
        examples_per_layer: Any,
        learner_config: LearnerConfig,
        features: Any,
        logits_dimension: int,
        loss_reduction: str = Reduction.SUM_OVER_NONZERO_WEIGHTS,
        feature_columns: Any = None,
        use_core_columns: bool = False,
        output_leaf_index: bool = False,
        output_leaf_index_modes: Sequence[str] | None = None,
        num_quantiles: int = 100,
    ) -> None:
        """Makes a model of a batch.

        Args:
          is_chief: Whether it grows the trees, and does not only add statistics.
          num_ps_replicas: How many parameter servers there are.
          ensemble_handle: The ensemble.
          center_bias: Whether a bias is fitted before the first tree.
          examples_per_layer: After how many examples a layer is added; or a function that tells it
            for the depth of the layer.
          learner_config: How trees are grown; what it leaves open is filled in.
          features: Tensors by name.
          logits_dimension: How many logits there are.
          loss_reduction: Whether the loss is the mean (`SUM_OVER_NONZERO_WEIGHTS`) or the sum.
          feature_columns: What makes features of the tensors.
          use_core_columns: Whether the columns are those of `tf.feature_column`.
          output_leaf_index: Whether predictions tell the leaves at which examples arrive.
          output_leaf_index_modes: In which modes they do; when it infers if None.
          num_quantiles: How many buckets of numbers there are.

        Raises:
          ValueError: An argument is missing, or they contradict each other.
        """
        if ensemble_handle is None:
            raise ValueError("ensemble_handle must be specified.")
        if learner_config is None:
            raise ValueError("learner_config must be specified.")
        if learner_config.num_classes < 2:
            raise ValueError("Number of classes must be >=2")
        if loss_reduction not in (Reduction.SUM, Reduction.SUM_OVER_NONZERO_WEIGHTS):
            raise ValueError(f"Invalid loss reduction is provided: {loss_reduction}.")
        self._logits_dimension = logits_dimension
        self._is_chief = is_chief
        self._num_ps_replicas = num_ps_replicas
        self._ensemble_handle = ensemble_handle
        self._center_bias = center_bias
        self._examples_per_layer = examples_per_layer
        self._loss_reduction = loss_reduction
        learner.complete(learner_config, logits_dimension)
        self._shapes = learner.statistics_shapes(learner_config, logits_dimension)
        if center_bias and self._shapes[0].rank:
            raise ValueError("Center bias should be False for multiclass.")
        self._learner_config = learner_config
        self._serialized = learner_config.SerializeToString()
        self._num_quantiles = num_quantiles
        self._max_tree_depth = Variable(initial_value=learner_config.constraints.max_tree_depth)
        self._attempted_trees, self._finalized_trees = (
            Variable(initial_value=zeros([], dtypes.int64), trainable=False, name=name)
            for name in ("attempted_trees", "finalized_trees")
        )
        names, *parts = extract_features(features, feature_columns, use_core_columns)
        if learner.is_oblivious(learner_config) and parts[1]:
            raise ValueError("Oblivious trees don't handle sparse float features yet.")
        _logger.info("Active Feature Columns: %s", names)
        _logger.info("Learner config: %s", learner_config)
        self._names, self._features = names, parts
        self._reduce_dim = (
            learner_config.multi_class_strategy == LearnerConfig.TREE_PER_CLASS
            and learner_config.num_classes == 2
        )
        modes = [ModeKeys.INFER] if output_leaf_index_modes is None else output_leaf_index_modes
        if not all(mode in _MODES for mode in modes):
            raise ValueError("output_leaf_index_modes should only contain ModeKeys.")
        self._leaf_modes = list(modes) if output_leaf_index else []

    @property
    def _inputs(self) -> list[Any]:
        """Tensors that say where examples are."""
        dense, sparse_indices, _, _, category_indices, _, _ = self._features
        return [*dense, *sparse_indices, *category_indices]

    def predict(self, mode: str) -> dict[str, Any]:
        """What the trees say of the batch.

        Args:
          mode: One of `tf.contrib.learn.ModeKeys`.

        Returns:
          By name the logits, the stamp of the ensemble that they are of, the node of the growing
          tree at which each example is, and how far the ensemble has grown.

        Raises:
          ValueError: There are no features.
        """
        if not self._inputs:
            raise ValueError("No input tensors for prediction.")
        handle = self._ensemble_handle
        stamp = calls.tree_ensemble_stamp_token(handle)
        if handle.device == self._inputs[0].device:
            with scopes.device(handle.device or None):
                return self._predicted(handle, stamp, mode)
        # The examples are elsewhere: so is a copy of the ensemble, which follows it.
        with scopes.name_scope("local_ensemble", "TreeEnsembleVariable"):
            local = calls.decision_tree_ensemble_resource_handle_op(
                container="", shared_name=f"{handle.op.name}/local_ensemble"
            )
            created = calls.create_tree_ensemble_variable(
                local, stamp_token=-1, tree_ensemble_config=""
            )
            with scopes.control_dependencies([created]):
                local_stamp = calls.tree_ensemble_stamp_token(local)

        def refreshed() -> Any:
            with scopes.control_dependencies([self._inputs[0]]):
                newest, message = calls.tree_ensemble_serialize(handle)
            with scopes.control_dependencies([created]):
                return calls.tree_ensemble_deserialize(local, newest, message), newest

        with scopes.device(local.device or None):
            here = identity(stamp)
            followed, stamp = cond(not_equal(here, local_stamp), refreshed, lambda: (no_op(), here))
            with scopes.control_dependencies([followed]):
                return self._predicted(local, stamp, mode)

    def _predicted(self, handle: Any, stamp: Any, mode: str) -> dict[str, Any]:
        stats = calls.tree_ensemble_stats(handle, stamp)
        used = calls.tree_ensemble_used_handlers(handle, stamp, num_all_handlers=len(self._names))
        trains = mode == ModeKeys.TRAIN
        tells_leaves = mode in self._leaf_modes
        call = (
            calls.gradient_trees_prediction_verbose
            if tells_leaves
            else calls.gradient_trees_prediction
        )
        # What dropout leaves out follows from the seed.
        with scopes.control_dependencies(list(stats)):
            predictions = call(
                handle,
                stats.attempted_trees if trains else -1,
                *self._features,
                learner_config=self._serialized,
                apply_dropout=trains,
                apply_averaging=not trains,
                use_locking=True,
                center_bias=self._center_bias,
                reduce_dim=self._reduce_dim,
            )
            nodes = calls.gradient_trees_partition_examples(
                handle, *self._features, use_locking=True
            )
        found = {
            ENSEMBLE_STAMP: stamp,
            PREDICTIONS: predictions.predictions,
            PARTITION_IDS: nodes,
            NUM_LAYERS_ATTEMPTED: stats.attempted_layers,
            NUM_TREES_ATTEMPTED: stats.attempted_trees,
            NUM_USED_HANDLERS: used.num_used_handlers,
            USED_HANDLERS_MASK: used.used_handlers_mask,
        }
        return found | ({LEAF_INDEX: predictions.leaf_index} if tells_leaves else {})

    def _growing(self, predictions_dict: dict[str, Any]) -> Growing:
        return Growing(
            config=self._learner_config,
            serialized=self._serialized,
            ensemble_handle=self._ensemble_handle,
            center_bias=self._center_bias,
            logits_dimension=self._logits_dimension,
            shapes=self._shapes,
            uses_sum=self._loss_reduction == Reduction.SUM,
            num_quantiles=self._num_quantiles,
            names=self._names,
            features=self._features,
            num_ps_replicas=self._num_ps_replicas,
            max_tree_depth=self._max_tree_depth,
            counts=(self._finalized_trees, self._attempted_trees),
            stamp=predictions_dict[ENSEMBLE_STAMP],
            predictions=predictions_dict[PREDICTIONS],
            nodes=predictions_dict[PARTITION_IDS],
            layers_attempted=predictions_dict[NUM_LAYERS_ATTEMPTED],
            trees_attempted=predictions_dict[NUM_TREES_ATTEMPTED],
            used=(predictions_dict[NUM_USED_HANDLERS], predictions_dict[USED_HANDLERS_MASK]),
        )

    def update_stats(
        self,
        loss: Any,
        predictions_dict: dict[str, Any],
        gradients: Any = None,
        hessians: Any = None,
    ) -> tuple[list[Any], Any, GBDTTrainingState]:
        """Adds the statistics of the batch.

        Args:
          loss: The loss, a scalar.
          predictions_dict: What `predict` gave.
          gradients: Those of the loss by the logits, if they are known.
          hessians: Those of the loss, if they are known; only where there is one logit.

        Returns:
          Operations that add statistics; one that begins anew without trees; and the state of the
          training.

        Raises:
          ValueError: Hessians are given though there are several logits.
        """
        growing = self._growing(predictions_dict)
        state, updates = growing.statistics(loss, gradients, hessians)
        reset = growing.reset(state) if self._is_chief else no_op()
        return updates, reset, state

    def increment_step_counter_and_maybe_update_ensemble(
        self, predictions_dict: dict[str, Any], training_state: GBDTTrainingState
    ) -> Any:
        """An operation that counts the batch, and adds a layer if enough examples have come.

        Args:
          predictions_dict: What `predict` gave.
          training_state: What `update_stats` gave.
        """
        growing = self._growing(predictions_dict)
        return growing.counted(training_state, self._examples_per_layer, self._is_chief)

    def make_update_ensemble_fn(
        self,
        ensemble_stamp: Any,
        training_state: GBDTTrainingState,
        dropout_seed: Any,
        class_id: Any,
    ) -> Any:
        """A function that makes the operation which adds a layer.

        Args:
          ensemble_stamp: The stamp of the ensemble.
          training_state: What `update_stats` gave.
          dropout_seed: From which it follows which trees were left out.
          class_id: The class of which the tree is; -1 if it is of all.

        Raises:
          ValueError: The learning rate is to be searched for.
        """
        given = dict.fromkeys(
            (
                PREDICTIONS,
                PARTITION_IDS,
                NUM_LAYERS_ATTEMPTED,
                NUM_USED_HANDLERS,
                USED_HANDLERS_MASK,
            )
        )
        growing = self._growing(
            {**given, ENSEMBLE_STAMP: ensemble_stamp, NUM_TREES_ATTEMPTED: dropout_seed}
        )
        return growing.layer_function(training_state, class_id)

    def get_number_of_trees_tensor(self) -> tuple[Any, Any]:
        """How many trees are done, and how many were tried."""
        return self._finalized_trees, self._attempted_trees

    def get_max_tree_depth(self) -> Any:
        """How many layers a tree may have, a variable."""
        return self._max_tree_depth

    def train(
        self,
        loss: Any,
        predictions_dict: dict[str, Any],
        labels: Any,
        gradients: Any = None,
        hessians: Any = None,
    ) -> Any:
        """An operation that adds the batch's statistics, and a layer if enough examples have come.

        Args:
          loss: The loss, a scalar.
          predictions_dict: What `predict` gave.
          labels: Not used.
          gradients: See `update_stats`.
          hessians: See `update_stats`.

        Raises:
          ValueError: See `update_stats`; or the learning rate is to be searched for.
        """
        updates, _, state = self.update_stats(loss, predictions_dict, gradients, hessians)
        with scopes.control_dependencies(updates):
            return self.increment_step_counter_and_maybe_update_ensemble(predictions_dict, state)
