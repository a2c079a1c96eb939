"""What stands between a model of time series and an estimator: its inputs, outputs and metrics."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.timeseries.feature_checks import (
    check_predict_features,
    check_train_eval_features,
)
from dataflow.contrib.timeseries.feature_keys import (
    STATE_TUPLE,
    TIMES,
    VALUES,
    SavedModelLabels,
    State,
)
from dataflow.contrib.timeseries.model import ModelOutputs, TimeSeriesModel
from dataflow.contrib.timeseries.state_management import PassthroughStateManager
from dataflow.contrib.timeseries.statistics import InputStatisticsFromMiniBatch
from dataflow.estimation.export_outputs import PredictOutput
from dataflow.estimation.heads.measures import MetricKeys
from dataflow.estimation.model_spec import EstimatorSpec, ModeKeys
from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import convert_to_tensor_or_sparse_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.metrics.means import mean
from dataflow.library.summaries.values import scalar
from dataflow.ops.array.fill import zeros
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import group
from dataflow.ops.state.reference import assign
from dataflow.proto.meta_graph_pb2 import SignatureDef
from dataflow.training.global_step import get_global_step
from dataflow.values import dtypes, nest
from dataflow.variables.scope import variable_scope
from dataflow.variables.variable import Variable


class _NoStatePredictOutput(PredictOutput):
    """Predictions of a signature that takes no state."""

    def as_signature_def(self, receiver_tensors: Mapping[str, Tensor]) -> SignatureDef:
        """See `ExportOutput`."""
        return super().as_signature_def(
            {
                key: value
                for key, value in receiver_tensors.items()
                if not key.startswith(State.STATE_PREFIX)
            }
        )


class TimeSeriesRegressionHead:
    """Makes the EstimatorSpecs of a model."""

    def __init__(
        self,
        model: TimeSeriesModel,
        state_manager: PassthroughStateManager,
        optimizer: Any,
        input_statistics_generator: InputStatisticsFromMiniBatch | None = None,
        name: str | None = None,
    ) -> None:
        """Takes a model, and what trains it.

        Args:
          model: The model.
          state_manager: What gives it the state that windows begin with.
          optimizer: What trains it.
          input_statistics_generator: What gathers statistics, by which values are scaled.
          name: Ends the names of summaries.
        """
        self.model = model
        self.state_manager = state_manager
        self.optimizer = optimizer
        self.input_statistics_generator = input_statistics_generator
        self._name = name

    @property
    def name(self) -> str | None:
        """What was given."""
        return self._name

    @property
    def logits_dimension(self) -> int:
        """One."""
        return 1

    def create_loss(
        self, features: dict[str, Any], mode: str, logits: Any = None, labels: Any = None
    ) -> ModelOutputs:
        """What the model makes of windows, with a summary of the loss."""
        outputs = self.state_manager.define_loss(self.model, features, mode)
        name = MetricKeys.LOSS if self._name is None else f"{MetricKeys.LOSS}/{self._name}"
        scalar(name, outputs.loss)
        return outputs

    def _train_ops(self, features: dict[str, Any]) -> EstimatorSpec:
        with variable_scope("model", use_resource=True):
            outputs = self.create_loss(features, ModeKeys.TRAIN)
        return EstimatorSpec(
            loss=outputs.loss,
            mode=ModeKeys.TRAIN,
            train_op=self.optimizer.minimize(outputs.loss, global_step=get_global_step()),
        )

    def _evaluate_ops(self, features: dict[str, Any]) -> EstimatorSpec:
        with variable_scope("model", use_resource=True):
            outputs = self.create_loss(features, ModeKeys.EVAL)
        metrics = {key: _last_value(key, value) for key, value in outputs.predictions.items()}
        metrics[TIMES] = _last_value(TIMES, outputs.prediction_times)
        metrics[STATE_TUPLE] = _last_structure(STATE_TUPLE, outputs.end_state)
        metrics[MetricKeys.LOSS_MEAN] = mean(outputs.loss, name="average_loss")
        return EstimatorSpec(
            loss=outputs.loss,
            mode=ModeKeys.EVAL,
            eval_metric_ops=metrics,
            predictions=outputs.predictions,
        )

    def _predict_ops(self, features: dict[str, Any]) -> EstimatorSpec:
        with variable_scope("model", use_resource=True):
            prediction = self.model.predict(features=features)
        prediction[TIMES] = features[TIMES]
        return EstimatorSpec(predictions=prediction, mode=ModeKeys.PREDICT)

    def _serving_ops(self, features: dict[str, Any]) -> EstimatorSpec:
        with variable_scope("model", use_resource=True):
            predictions = self.model.predict(features=features)
        with variable_scope("model", reuse=True):
            filtered = self.create_loss(features, ModeKeys.EVAL)
        with variable_scope("model", reuse=True):
            cold = self.model.define_loss(
                features={
                    key: value
                    for key, value in features.items()
                    if not key.startswith(State.STATE_PREFIX)
                },
                mode=ModeKeys.EVAL,
            )
        return EstimatorSpec(
            mode=ModeKeys.PREDICT,
            export_outputs={
                SavedModelLabels.PREDICT: PredictOutput(predictions),
                SavedModelLabels.FILTER: PredictOutput(state_to_dictionary(filtered.end_state)),
                SavedModelLabels.COLD_START_FILTER: _NoStatePredictOutput(
                    state_to_dictionary(cold.end_state)
                ),
            },
            predictions={},
        )

    def _convert_feature_to_tensor(self, name: str, value: Any) -> Any:
        """A feature in the type that its name asks for."""
        if name == TIMES:
            return cast(value, dtypes.int64)
        if name == VALUES:
            return cast(value, self.model.dtype)
        if name == STATE_TUPLE:
            return value
        return convert_to_tensor_or_sparse_tensor(value)

    def _gather_state(self, features: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        """Features whose state is one structure, and whether it came in single tensors."""
        numbered = []
        for key, tensor in features.items():
            found = re.search(rf"^{State.STATE_PREFIX}_(\d+)$", key)
            if found:
                numbered.append((int(found[1]), key, tensor))
        if not numbered:
            return features, False
        features = dict(features)
        for _, key, _ in numbered:
            del features[key]
        numbered.sort(key=lambda each: each[0])
        features[STATE_TUPLE] = nest.pack_sequence_as(
            self.model.get_start_state(), [tensor for _, _, tensor in numbered]
        )
        return features, True

    def _check_predict_features(self, features: Mapping[str, Any]) -> None:
        check_predict_features(features)

    def create_estimator_spec(
        self, features: Mapping[str, Any], mode: str, labels: Any = None
    ) -> EstimatorSpec:
        """The function of an estimator.

        Args:
          features: Times, values and others by name.
          mode: One of `ModeKeys`.
          labels: None or an empty dictionary.

        Raises:
          ValueError: There are labels, or features are missing or of other shapes.
        """
        with name_scope(self._name, "head"):
            if labels is not None and labels != {}:
                raise ValueError(
                    "The model received a `labels`, which is not supported. Pass "
                    f"'{TIMES}' and '{VALUES}' as features."
                )
            converted = {
                name: self._convert_feature_to_tensor(name=name, value=value)
                for name, value in features.items()
            }
            statistics = None
            if self.input_statistics_generator is not None:
                statistics = self.input_statistics_generator.initialize_graph(
                    converted, update_statistics=mode == ModeKeys.TRAIN
                )
            self.model.initialize_graph(input_statistics=statistics)
            converted, had_flat_state = self._gather_state(converted)
            if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
                check_train_eval_features(converted, self.model.num_features)
            elif mode == ModeKeys.PREDICT:
                self._check_predict_features(converted)
            else:
                raise ValueError(f"Unknown mode '{mode}' passed to model_fn.")
            self.state_manager.initialize_graph(model=self.model, input_statistics=statistics)
            if mode == ModeKeys.TRAIN:
                return self._train_ops(converted)
            if mode == ModeKeys.EVAL:
                return self._evaluate_ops(converted)
            # Only placeholders of an exported model have a state in single tensors.
            return self._serving_ops(converted) if had_flat_state else self._predict_ops(converted)


class OneShotPredictionHead(TimeSeriesRegressionHead):
    """Exports one signature without state: values and times, of which more are to be predicted."""

    def _check_predict_features(self, features: Mapping[str, Any]) -> None:
        check_predict_features(features, required=[VALUES])

    def _evaluate_ops(self, features: dict[str, Any]) -> EstimatorSpec:
        spec = super()._evaluate_ops(features)
        del spec.eval_metric_ops[STATE_TUPLE]
        return spec

    def _serving_ops(self, features: dict[str, Any]) -> EstimatorSpec:
        with variable_scope("model", use_resource=True):
            sizes: Any = array_shape.shape(features[VALUES])
            length = sizes[1]
            before, after = {VALUES: features[VALUES]}, {}
            for key, value in features.items():
                if key not in (STATE_TUPLE, VALUES):
                    before[key] = value[:, :length]
                    after[key] = value[:, length:]
            cold = self.model.define_loss(features=before, mode=ModeKeys.EVAL)
            after[STATE_TUPLE] = cold.end_state
        with variable_scope("model", reuse=True):
            predictions = self.model.predict(features=after)
        return EstimatorSpec(
            mode=ModeKeys.PREDICT,
            export_outputs={SavedModelLabels.PREDICT: _NoStatePredictOutput(predictions)},
            predictions={},
        )


def _last_value(name: str, value: Any) -> tuple[Any, Any]:
    """A metric that is what was seen last, so that all metrics are of the same batch."""
    variable = Variable(
        zeros([], dtype=value.dtype),
        name=f"{name}_identity_metric",
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES],
        validate_shape=False,
    )
    update = assign(variable, value, validate_shape=False)
    variable.set_shape(value.shape)
    return variable.value(), update


def _last_structure(name: str, values: Any) -> tuple[Any, Any]:
    pairs = [
        _last_value(f"{name}_{number}", value) for number, value in enumerate(nest.flatten(values))
    ]
    read = nest.pack_sequence_as(values, [value for value, _ in pairs])
    return read, group(*(update for _, update in pairs))


def state_to_dictionary(state: Any) -> dict[str, Any]:
    """The tensors of a state by the names that signatures have for them."""
    return {
        f"{State.STATE_PREFIX}_{number:02d}": value
        for number, value in enumerate(nest.flatten(state))
    }
