"""DenseFeatures of tf.compat.v2: its columns' variables lie in no variable scope."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from dataflow.keras import ops
from dataflow.keras.layers.column_state import NewerLayerState
from dataflow.keras.layers.features import DenseFeatures as OlderDenseFeatures


class DenseFeatures(OlderDenseFeatures):
    """The numbers of columns side by side, in the order of the columns' names.

    Args:
      feature_columns: Dense columns of `tf.feature_column`.
      trainable: Whether their variables are trained.
      name: See `Layer`.
      **kwargs: See `Layer`.

    Raises:
      ValueError: A column is not dense, or two have one name.
    """

    _state = NewerLayerState

    def build(self, input_shape: Any) -> None:
        """Has the columns make their variables."""
        for column in self._feature_columns:
            with ops.name_scope(column.name):
                column.create_state(self._state_manager)
        self.built = True

    def _opened(self) -> Any:
        return nullcontext()

    def _opened_for(self, column: Any) -> Any:
        return ops.name_scope(column.name)
