"""The numbers of feature columns as the first layer of a model: of examples, or of sequences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from dataflow.feature_columns.inputs import DenseColumn, checked_columns
from dataflow.feature_columns.models import side_by_side
from dataflow.feature_columns.sequences import SequenceDenseColumn, steps_side_by_side
from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.graph.variable_scope_object import AUTO_REUSE
from dataflow.keras import backend
from dataflow.keras.engine.base_layer import Layer
from dataflow.values.shapes import TensorShape
from dataflow.variables.scope import variable_scope


@contextmanager
def taken_in(layer: Any) -> Iterator[None]:
    """The variables that are made within become those of a layer."""
    before = {id(each) for each in scopes.get_collection(GraphKeys.GLOBAL_VARIABLES)}
    yield
    for variable in scopes.get_collection(GraphKeys.GLOBAL_VARIABLES):
        if id(variable) not in before:
            backend.track_variable(variable)
            trained, fixed = layer._trainable_weights, layer._non_trainable_weights
            (trained if variable.trainable else fixed).append(variable)


class _Features(Layer):
    """The numbers of columns side by side, in the order of the columns' names."""

    _kind: ClassVar[type]

    def __init__(
        self, feature_columns: Any, trainable: bool = True, name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(trainable=trainable, name=name, **kwargs)
        self._feature_columns = checked_columns(feature_columns, self._kind, self._kind.__name__)

    def build(self, input_shape: Any) -> None:
        """The first call makes the variables."""
        self.built = True

    def _made(self, features: Any, make: Callable[[Callable[[Any], Any]], Any]) -> Any:
        """What `make` makes with a function that opens the scope of a column's variables."""
        if not isinstance(features, dict):
            raise ValueError("We expected a dictionary here. Instead we got: ", features)
        with (
            taken_in(self),
            variable_scope(self.name, reuse=AUTO_REUSE, auxiliary_name_scope=False),
        ):
            return make(lambda column: variable_scope(column.scope_name, reuse=AUTO_REUSE))

    def _width(self) -> int:
        shapes = [TensorShape(each.variable_shape) for each in self._feature_columns]
        return sum(int(shape.num_elements() or 0) for shape in shapes)


class DenseFeatures(_Features):
    """The numbers of columns side by side, in the order of the columns' names.

    Args:
      feature_columns: Dense columns of `tf.feature_column`.
      trainable: Whether their variables are trained.
      name: See `Layer`.
      **kwargs: See `Layer`.

    Raises:
      ValueError: A column is not dense, or two have one name.
    """

    _kind = DenseColumn

    def call(self, features: Any, cols_to_output_tensors: dict[Any, Any] | None = None) -> Any:
        """The numbers of a batch.

        Args:
          features: Tensors by name.
          cols_to_output_tensors: Is given for each column its numbers.

        Raises:
          ValueError: They are no dictionary, or one is missing.
        """
        return self._made(
            features,
            lambda scope: side_by_side(
                features,
                self._feature_columns,
                scope,
                trainable=self.trainable,
                cols_to_output_tensors=cols_to_output_tensors,
            ),
        )

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """(batch, numbers of all columns)."""
        batch = next(iter(input_shape.values()))[0] if isinstance(input_shape, dict) else None
        return TensorShape([batch, self._width()])


class SequenceFeatures(_Features):
    """As `DenseFeatures`, for each step of sequences, with their lengths.

    Args:
      feature_columns: Columns of sequences of numbers.
      trainable: Whether their variables are trained.
      name: See `Layer`.
      **kwargs: See `Layer`.

    Raises:
      ValueError: A column is another, or two have one name.
    """

    _kind = SequenceDenseColumn

    def call(self, features: Any) -> Any:
        """The numbers of a batch, `[batch, steps, all columns]`, and the lengths of the sequences.

        Args:
          features: Tensors by name.

        Raises:
          ValueError: They are no dictionary, or one is missing.
        """
        return self._made(
            features,
            lambda scope: steps_side_by_side(
                features, self._feature_columns, scope, trainable=self.trainable
            ),
        )

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """(batch, steps, numbers of all columns)."""
        return TensorShape([input_shape[0], input_shape[1], self._width()])
