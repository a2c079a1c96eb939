"""DenseFeatures: the numbers of feature columns as the first layer of a model."""

from __future__ import annotations

from typing import Any

from dataflow.feature_columns.inputs import DenseColumn, checked_columns
from dataflow.feature_columns.models import side_by_side
from dataflow.graph.variable_scope_object import AUTO_REUSE
from dataflow.keras import backend
from dataflow.keras.engine.base_layer import Layer
from dataflow.values.shapes import TensorShape
from dataflow.variables.scope import variable_scope


class DenseFeatures(Layer):
    """The numbers of columns side by side, in the order of the columns' names.

    Args:
      feature_columns: Dense columns of `tf.feature_column`.
      trainable: Whether their variables are trained.
      name: See `Layer`.
      **kwargs: See `Layer`.

    Raises:
      ValueError: A column is not dense, or two have one name.
    """

    def __init__(
        self, feature_columns: Any, trainable: bool = True, name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(trainable=trainable, name=name, **kwargs)
        self._feature_columns = checked_columns(feature_columns, (DenseColumn,), "DenseColumn")

    def build(self, input_shape: Any) -> None:
        """The first call makes the variables."""
        self.built = True

    def call(self, features: Any, cols_to_output_tensors: dict[Any, Any] | None = None) -> Any:
        """The numbers of a batch.

        Args:
          features: Tensors by name.
          cols_to_output_tensors: Is given for each column its numbers.

        Raises:
          ValueError: They are no dictionary, or one is missing.
        """
        if not isinstance(features, dict):
            raise ValueError(
                "We expected a dictionary here. Instead we got: ",
                features,
            )
        made: dict[Any, list[Any]] = {}
        with variable_scope(self.name, reuse=AUTO_REUSE, auxiliary_name_scope=False):
            output = side_by_side(
                features,
                self._feature_columns,
                lambda column: variable_scope(column.scope_name, reuse=AUTO_REUSE),
                trainable=self.trainable,
                cols_to_vars=made,
                cols_to_output_tensors=cols_to_output_tensors,
            )
        for variable in [each for variables in made.values() for each in variables]:
            backend.track_variable(variable)
            kept = self._trainable_weights if variable.trainable else self._non_trainable_weights
            kept.append(variable)
        return output

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """(batch, numbers of all columns)."""
        sizes = [TensorShape(each.variable_shape).num_elements() for each in self._feature_columns]
        batch = next(iter(input_shape.values()))[0] if isinstance(input_shape, dict) else None
        return TensorShape([batch, sum(sizes)])
