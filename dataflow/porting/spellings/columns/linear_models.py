"""tensorflow.python.feature_column.feature_column_v2: the linear model as a model of tf.keras."""

from __future__ import annotations

from typing import Any

from dataflow import keras
from dataflow.feature_columns.inputs import CategoricalColumn, DenseColumn, Inputs, checked_columns
from dataflow.feature_columns.models import weighted_sums
from dataflow.graph.variable_scope_object import AUTO_REUSE
from dataflow.keras import ops
from dataflow.keras.engine.base_layer import Layer
from dataflow.keras.layers.features import taken_in
from dataflow.variables.scope import get_variable, variable_scope


class _LinearModelLayer(Layer):
    """A weight for each number and each category, added up, with a bias."""

    def __init__(
        self,
        feature_columns: Any,
        units: int = 1,
        sparse_combiner: str = "sum",
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, trainable=trainable, **kwargs)
        wanted = "DenseColumn or CategoricalColumn"
        kinds = (DenseColumn, CategoricalColumn)
        self._feature_columns = checked_columns(feature_columns, kinds, wanted)
        self._units, self._sparse_combiner = units, sparse_combiner
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        """The first call makes the variables."""
        self.built = True

    def call(self, features: Any) -> Any:
        """The sums of a batch.

        Raises:
          ValueError: It is no dictionary, or a feature is missing.
        """
        if not isinstance(features, dict):
            raise ValueError(f"We expected a dictionary here. Instead we got: {features}")

        def variable(name: str, shape: list[int]) -> Any:
            return get_variable(
                name,
                shape=shape,
                dtype="float32",
                initializer=keras.initializers.Zeros(),
                trainable=self.trainable,
                use_resource=True,
            )

        with (
            taken_in(self),
            variable_scope(self.name, reuse=AUTO_REUSE, auxiliary_name_scope=False),
            ops.name_scope(self.name),
        ):
            sums = weighted_sums(
                Inputs(features),
                self._feature_columns,
                self._units,
                self._sparse_combiner,
                lambda name: variable_scope(name, reuse=AUTO_REUSE),
                variable,
                self.trainable,
            )
            bias = variable("bias_weights", [self._units])
            total = ops.add_n(sums, name="weighted_sum_no_bias")
            outputs = ops.bias_add(total, bias, name="weighted_sum")
        self.bias = bias
        return outputs


class LinearModel(keras.Model):
    """A weight for each number and each category of columns, added up, with a bias.

    Args:
      feature_columns: Columns of categories or numbers.
      units: How many outputs there are.
      sparse_combiner: How weights of an example's categories are combined: "mean", "sqrtn" or
        "sum".
      trainable: Whether the weights are trained.
      name: Name of the model, and of the scope of its variables.
      **kwargs: See `Layer`.

    Raises:
      ValueError: A column is another, or two have one name.
    """

    def __init__(
        self,
        feature_columns: Any,
        units: int = 1,
        sparse_combiner: str = "sum",
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.layer = _LinearModelLayer(
            feature_columns, units, sparse_combiner, trainable, name=self.name, **kwargs
        )

    def call(self, features: Any) -> Any:  # type: ignore[override]
        """The sums of a batch."""
        return self.layer(features)

    @property
    def bias(self) -> Any:
        """The variable that is added; None before the first call."""
        return self.layer.bias
