"""Linear models and nets that estimators are composed of, each with its own training step."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from dataflow.contrib.framework.checkpoints import list_variables, load_variable
from dataflow.contrib.layers.feature_column_ops import (
    check_feature_columns,
    input_from_feature_columns,
    joint_weighted_sum_from_feature_columns,
    weighted_sum_from_feature_columns,
)
from dataflow.contrib.layers.linear import fully_connected
from dataflow.contrib.layers.optimizers import OPTIMIZER_CLS_NAMES
from dataflow.contrib.layers.plain import dropout
from dataflow.differentiation.gradients import gradients
from dataflow.estimation.canned.optimizers import linear_rate
from dataflow.graph.scopes import get_collection
from dataflow.library.clipping import clip_by_global_norm
from dataflow.library.sparsity import zero_fraction
from dataflow.library.summaries.values import histogram, scalar
from dataflow.ops.nn.activation import relu
from dataflow.variables.partitioned import min_max_variable_partitioner
from dataflow.variables.scope import variable_scope

_LEAST_BYTES: Final = 64 << 20
"""Of a part of linear weights, or of a table of embeddings."""
_MOST_RATE: Final = 0.2
_DEEP_RATE: Final = 0.05


class ComposableModel(ABC):
    """A part of a model: gives logits of features, and trains its own variables."""

    _default_optimizer: ClassVar[str]
    """The name of the optimizer that is taken if there is none."""

    def __init__(
        self,
        num_label_columns: int,
        optimizer: Any,
        gradient_clip_norm: float | None,
        num_ps_replicas: int,
        scope: str,
        trainable: bool = True,
    ) -> None:
        """Takes what all have.

        Args:
          num_label_columns: How many logits an example has.
          optimizer: An optimizer, its name, what gives one, or None.
          gradient_clip_norm: The most that the norm of the gradients may be.
          num_ps_replicas: Into how many parts variables may be cut.
          scope: The variable scope, and the collection of the variables.
          trainable: Whether the variables are trained.
        """
        self._num_label_columns = num_label_columns
        self._optimizer = optimizer
        self._gradient_clip_norm = gradient_clip_norm
        self._num_ps_replicas = num_ps_replicas
        self._scope = scope
        self._trainable = trainable
        self._feature_columns: Any = None

    def get_scope_name(self) -> str:
        """The variable scope, and the collection of the variables."""
        return self._scope

    @abstractmethod
    def build_model(
        self, features: Mapping[Any, Any], feature_columns: Any, is_training: bool
    ) -> Any:
        """The logits, floats `[batch_size, num_label_columns]`.

        Args:
          features: Tensors by name or column.
          feature_columns: Columns of tf.contrib.layers.
          is_training: Whether numbers are left out.
        """

    def get_train_step(self, loss: Any) -> list[Any]:
        """A list of the operation that trains by a loss; empty for a model without columns.

        Raises:
          ValueError: The loss does not depend on the model, or a column is none.
        """
        if not self._columns():
            return []
        variables = get_collection(self._scope)
        found: Any = gradients(loss, variables)
        if self._gradient_clip_norm:
            found, _ = clip_by_global_norm(found, self._gradient_clip_norm)
        pairs = zip(found, variables, strict=True)
        return [self._get_optimizer().apply_gradients(pairs)]

    def _columns(self) -> list[Any]:
        """Each column once, sorted."""
        if not self._feature_columns:
            return []
        check_feature_columns(self._feature_columns)
        return sorted(set(self._feature_columns), key=lambda column: column.key)

    def _get_optimizer(self) -> Any:
        given = self._optimizer
        if given is None or isinstance(given, str):
            make = OPTIMIZER_CLS_NAMES[given or self._default_optimizer]
            return make(learning_rate=self._learning_rate())
        return given() if callable(given) else given

    @abstractmethod
    def _learning_rate(self) -> float:
        """That of an optimizer of which only the name is known."""

    def _cuts(self, least_bytes: int | None = None) -> Any:
        given = {} if least_bytes is None else {"min_slice_size": least_bytes}
        return min_max_variable_partitioner(max_partitions=self._num_ps_replicas, **given)


class LinearComposableModel(ComposableModel):
    """A linear model."""

    _default_optimizer = "Ftrl"

    def __init__(
        self,
        num_label_columns: int,
        optimizer: Any = None,
        _joint_weights: bool = False,
        gradient_clip_norm: float | None = None,
        num_ps_replicas: int = 0,
        scope: str | None = None,
        trainable: bool = True,
    ) -> None:
        """Makes a model; see `ComposableModel`.

        Args:
          num_label_columns: See there.
          optimizer: Ftrl if None.
          _joint_weights: Whether all weights lie in one variable, for columns of categories only.
          gradient_clip_norm: See there.
          num_ps_replicas: See there.
          scope: "linear" if None.
          trainable: See there.
        """
        super().__init__(
            num_label_columns,
            optimizer,
            gradient_clip_norm,
            num_ps_replicas,
            scope or "linear",
            trainable,
        )
        self._joint_weights = _joint_weights

    def get_weights(self, model_dir: str) -> Any:
        """The weights in the newest checkpoint of a folder: an array, or several by name."""
        inside, bias = f"{self._scope}/", f"{self._scope}/bias_weight"
        of_optimizer = re.compile(rf".*/{self._get_optimizer().get_name()}(_\d)?$")
        found = {
            name: load_variable(model_dir, name)
            for name, _ in list_variables(model_dir)
            if name.startswith(inside) and name != bias and not of_optimizer.match(name)
        }
        return next(iter(found.values())) if len(found) == 1 else found

    def get_bias(self, model_dir: str) -> Any:
        """The bias in the newest checkpoint of a folder."""
        return load_variable(model_dir, f"{self._scope}/bias_weight")

    def build_model(
        self, features: Mapping[Any, Any], feature_columns: Any, is_training: bool
    ) -> Any:
        """See `ComposableModel`; training makes no difference."""
        self._feature_columns = feature_columns
        make: Any = weighted_sum_from_feature_columns
        if self._joint_weights:
            make = joint_weighted_sum_from_feature_columns
        cuts = self._cuts(_LEAST_BYTES)
        values = tuple(features.values())
        with variable_scope(self._scope, values=values, partitioner=cuts) as scope:
            logits, _, _ = make(
                columns_to_tensors=features,
                feature_columns=self._columns(),
                num_outputs=self._num_label_columns,
                weight_collections=[self._scope],
                trainable=self._trainable,
                scope=scope,
            )
        return logits

    def _learning_rate(self) -> float:
        return linear_rate(_MOST_RATE, len(self._columns()))


class DNNComposableModel(ComposableModel):
    """A net."""

    _default_optimizer = "Adagrad"

    def __init__(
        self,
        num_label_columns: int,
        hidden_units: Sequence[int],
        optimizer: Any = None,
        activation_fn: Any = relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        num_ps_replicas: int = 0,
        scope: str | None = None,
        trainable: bool = True,
    ) -> None:
        """Makes a model; see `ComposableModel`.

        Args:
          num_label_columns: See there.
          hidden_units: How many numbers each hidden layer gives.
          optimizer: Adagrad if None.
          activation_fn: Of hidden layers; none if None.
          dropout: Which share of a hidden layer's numbers training leaves out.
          gradient_clip_norm: See there.
          num_ps_replicas: See there.
          scope: "dnn" if None.
          trainable: See there.
        """
        super().__init__(
            num_label_columns,
            optimizer,
            gradient_clip_norm,
            num_ps_replicas,
            scope or "dnn",
            trainable,
        )
        self._hidden_units = hidden_units
        self._activation_fn = activation_fn
        self._dropout = dropout

    def get_weights(self, model_dir: str) -> list[Any]:
        """The weights of each layer in the newest checkpoint of a folder."""
        return [load_variable(model_dir, f"{scope}/weights") for scope in self._layers()]

    def get_bias(self, model_dir: str) -> list[Any]:
        """The biases of each layer in the newest checkpoint of a folder."""
        return [load_variable(model_dir, f"{scope}/biases") for scope in self._layers()]

    def _layers(self) -> list[str]:
        hidden = [f"hiddenlayer_{number}" for number in range(len(self._hidden_units))]
        return [f"{self._scope}/{name}" for name in (*hidden, "logits")]

    def build_model(
        self, features: Mapping[Any, Any], feature_columns: Any, is_training: bool
    ) -> Any:
        """See `ComposableModel`."""
        self._feature_columns = feature_columns
        cuts = self._cuts(_LEAST_BYTES)
        scope_of_inputs = f"{self._scope}/input_from_feature_columns"
        values = tuple(features.values())
        with variable_scope(scope_of_inputs, values=values, partitioner=cuts) as scope:
            net = input_from_feature_columns(
                features,
                self._columns(),
                weight_collections=[self._scope],
                trainable=self._trainable,
                scope=scope,
            )
        *hidden, last = self._layers()
        for name, size in zip(hidden, self._hidden_units, strict=True):
            with variable_scope(name, values=[net], partitioner=self._cuts()) as scope:
                net = self._layer(net, size, self._activation_fn, scope)
                if self._dropout is not None and is_training:
                    net = dropout(net, keep_prob=1.0 - self._dropout)
            _summarize(net, scope.name)
        with variable_scope(last, values=[net], partitioner=self._cuts()) as scope:
            logits = self._layer(net, self._num_label_columns, None, scope)
        _summarize(logits, "logits")
        return logits

    def _layer(self, net: Any, size: int, activation: Any, scope: Any) -> Any:
        return fully_connected(
            net,
            size,
            activation_fn=activation,
            variables_collections=[self._scope],
            trainable=self._trainable,
            scope=scope,
        )

    def _learning_rate(self) -> float:
        return _DEEP_RATE


def _summarize(value: Any, tag: str) -> None:
    scalar(f"{tag}/fraction_of_zero_values", zero_fraction(value))
    histogram(f"{tag}/activation", value)
