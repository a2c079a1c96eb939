"""The numbers of feature columns as the first layer of a model: of examples, or of sequences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, ClassVar

from dataflow.feature_columns.configs import (
    deserialize_feature_columns,
    serialize_feature_columns,
)
from dataflow.feature_columns.inputs import DenseColumn, checked_columns
from dataflow.feature_columns.models import side_by_side
from dataflow.feature_columns.sequences import SequenceDenseColumn, steps_side_by_side
from dataflow.feature_columns.vectors import CollectedEmbeddingColumn
from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.graph.variable_scope_object import AUTO_REUSE
from dataflow.keras import backend
from dataflow.keras.engine.base_layer import Layer
from dataflow.keras.layers.column_state import LayerState
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


class _BaseFeaturesLayer(Layer):
    """The numbers of columns side by side, in the order of the columns' names.

    Args:
      feature_columns: The columns.
      expected_column_type: Their class.
      trainable: Whether their variables are trained.
      name: See `Layer`.
      **kwargs: See `Layer`.

    Raises:
      ValueError: A column is another, or two have one name.
    """

    _state: ClassVar[type[LayerState]] = LayerState

    def __init__(
        self,
        feature_columns: Any,
        expected_column_type: Any,
        trainable: bool,
        name: str | None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, **kwargs)
        self._feature_columns = checked_columns(
            feature_columns, expected_column_type, f"a {expected_column_type}"
        )
        self._state_manager = self._state(self, self.trainable)

    def build(self, input_shape: Any) -> None:
        """Has the columns make their variables."""
        for column in self._feature_columns:
            with self._opened(), self._opened_for(column):
                column.create_state(self._state_manager)
        self.built = True

    def _opened(self) -> Any:
        return variable_scope(self.name, reuse=AUTO_REUSE, auxiliary_name_scope=False)

    def _opened_for(self, column: Any) -> Any:
        return variable_scope(column.scope_name, reuse=AUTO_REUSE)

    def _made(self, features: Any, make: Callable[[Callable[[Any], Any]], Any]) -> Any:
        """What `make` makes with a function that opens the scope of a column's variables."""
        if not isinstance(features, dict):
            raise ValueError("We expected a dictionary here. Instead we got: ", features)
        with taken_in(self):
            return make(self._in_call)

    @contextmanager
    def _in_call(self, column: Any) -> Iterator[None]:
        """The name scope of a column; the variables of a shared table are only made here."""
        with ExitStack() as stack:
            if isinstance(column, CollectedEmbeddingColumn):
                stack.enter_context(self._opened())
                stack.enter_context(self._opened_for(column))
            else:
                stack.enter_context(scopes.name_scope(column.name))
            yield

    def compute_output_shape(self, input_shape: Any) -> Any:
        """That of the input, with the numbers of all columns."""
        shapes = [TensorShape(each.variable_shape) for each in self._feature_columns]
        width = sum(int(shape.num_elements() or 0) for shape in shapes)
        return self._target_shape(input_shape, width)

    def _target_shape(self, input_shape: Any, num_elements: int) -> Any:
        raise NotImplementedError("Calling an abstract method.")

    def get_config(self) -> dict[str, Any]:
        """See `Layer`."""
        told = {"feature_columns": serialize_feature_columns(self._feature_columns)}
        return super().get_config() | told

    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any:
        """See `Layer`."""
        columns = deserialize_feature_columns(config["feature_columns"], custom_objects)
        return cls(**{**config, "feature_columns": columns})


class DenseFeatures(_BaseFeaturesLayer):
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
        super().__init__(feature_columns, DenseColumn, trainable, name, **kwargs)

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
                state_manager=self._state_manager,
            ),
        )

    @property
    def _is_feature_layer(self) -> bool:
        return True

    def _target_shape(self, input_shape: Any, num_elements: int) -> Any:
        one = next(iter(input_shape.values())) if isinstance(input_shape, dict) else input_shape
        return (one[0], num_elements)


class SequenceFeatures(_BaseFeaturesLayer):
    """As `DenseFeatures`, for each step of sequences, with their lengths.

    Args:
      feature_columns: Columns of sequences of numbers.
      trainable: Whether their variables are trained.
      name: See `Layer`.
      **kwargs: See `Layer`.

    Raises:
      ValueError: A column is another, or two have one name.
    """

    def __init__(
        self, feature_columns: Any, trainable: bool = True, name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(feature_columns, SequenceDenseColumn, trainable, name, **kwargs)

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
                features,
                self._feature_columns,
                scope,
                trainable=self.trainable,
                state_manager=self._state_manager,
            ),
        )

    def _target_shape(self, input_shape: Any, num_elements: int) -> Any:
        return (input_shape[0], input_shape[1], num_elements)
