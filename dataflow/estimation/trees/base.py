"""What estimators of boosted trees share: what they tell of the trees."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from dataflow.estimation.estimator import Estimator
from dataflow.estimation.trees.columns import count_features, names_of_features, sorted_columns
from dataflow.estimation.trees.explaining import (
    PATHS,
    explained,
    explaining_model_fn,
    feature_importances,
    sum_by_name,
)
from dataflow.estimation.trees.model import NAME, bt_model_fn
from dataflow.estimation.trees.options import TreeHParams
from dataflow.estimation.trees.training import Derivatives
from dataflow.ops.basic.identity import identity
from dataflow.proto.boosted_trees_pb2 import TreeEnsemble
from dataflow.saving.reading import load_checkpoint
from dataflow.training.hooks.session_run_hook import SessionRunHook
from dataflow.variables.variable import enable_resource_variables


class BoostedTreesBase(Estimator):
    """An estimator of boosted trees.

    From the first one on, variables of the program are behind handles where nothing else is said:
    trees are grown in functions, which change the global step.
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        n_batches_per_layer: int,
        head: Any,
        options: TreeHParams,
        model_dir: Any,
        config: Any,
        is_classification: bool,
        closed_form: Derivatives | None = None,
        weight_column: Any = None,
        train_in_memory: bool = False,
    ) -> None:
        """Makes an estimator.

        Args:
          feature_columns: Columns of numbers, of buckets and of indicators.
          n_batches_per_layer: How many batches make a layer.
          head: Makes loss and predictions of logits.
          options: How trees grow.
          model_dir: Folder of checkpoints and summaries.
          config: How to run.
          is_classification: Whether the head is one of classes.
          closed_form: Gives gradients and hessians; they are derivatives of the loss if None.
          weight_column: The feature with the weights of examples in quantiles, or its column.
          train_in_memory: Whether each batch is all the data.

        Raises:
          ValueError: A column is of another kind.
        """
        enable_resource_variables()
        columns = sorted_columns(feature_columns)

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
            return bt_model_fn(
                features,
                labels,
                mode,
                head,
                columns,
                options,
                n_batches_per_layer,
                config,
                closed_form,
                weight_column=weight_column,
                train_in_memory=train_in_memory,
            )

        super().__init__(model_fn, model_dir, config)
        self._sorted_feature_columns = columns
        self._head = head
        self._n_features = count_features(columns)
        self._feature_col_names = names_of_features(columns)
        self._center_bias = options.center_bias
        self._is_classification = is_classification
        self._quantile_sketch_epsilon = options.quantile_sketch_epsilon

    def experimental_feature_importances(self, normalize: bool = False) -> OrderedDict[str, Any]:
        """The sums of the gains of splits by the names of columns, the greatest first.

        Args:
          normalize: Whether they are to sum up to 1.

        Raises:
          ValueError: Nothing was trained.
          AssertionError: To normalize, one is negative, or no tree has splits.
        """
        serialized = load_checkpoint(self._model_dir).get_tensor(f"{NAME}:0_serialized")
        if not serialized:
            raise ValueError(
                "Found empty serialized string for TreeEnsemble.You should only call this method "
                "after training."
            )
        ensemble = TreeEnsemble.FromString(serialized)
        found = feature_importances(ensemble, self._n_features, normalize)
        return sum_by_name(self._feature_col_names, found)

    def experimental_predict_with_explanations(
        self,
        input_fn: Callable[..., Any],
        predict_keys: Iterable[str] | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        checkpoint_path: str | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Gives predictions, and what each column has added to them.

        Args:
          input_fn: Gives features.
          predict_keys: Which predictions; all if None.
          hooks: Are called in the loop.
          checkpoint_path: A checkpoint; the newest if None.

        Yields:
          Predictions by name, among them "bias", the prediction of the first node, and "dfc", by
          the names of columns what is added to it, the farthest from zero first.

        Raises:
          ValueError: Bias is not centered, or predictions of numbers are not the logits.
        """
        if not self._center_bias:
            raise ValueError(
                "center_bias must be enabled during estimator instantiation when using "
                "experimental_predict_with_explanations."
            )
        link = getattr(self._head, "_inverse_link_fn", None)
        if not self._is_classification and link not in (None, identity):
            raise ValueError(
                "For now only identity inverse_link_fn in regression_head is supported for "
                "experimental_predict_with_explanations."
            )

        def model_fn(features: Any, labels: Any, mode: str) -> Any:
            return explaining_model_fn(
                features, self._head, self._sorted_feature_columns, self._quantile_sketch_epsilon
            )

        asked = Estimator(model_fn, self.model_dir, self.config).predict(
            input_fn,
            predict_keys=None if predict_keys is None else {*predict_keys, PATHS},
            hooks=hooks,
            checkpoint_path=checkpoint_path,
        )
        for prediction in asked:
            path = prediction.pop(PATHS)
            bias, added = explained(path, self._feature_col_names, self._is_classification)
            yield {**prediction, "bias": bias, "dfc": added}
