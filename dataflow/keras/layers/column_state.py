"""What has the variables of feature columns: of a layer."""

from __future__ import annotations

from typing import Any

from dataflow.keras import backend
from dataflow.variables.scope import get_variable


class StateManager:
    """What has the variables of columns; a program's own has all of these."""

    def create_variable(
        self,
        feature_column: Any,
        name: str,
        shape: Any,
        dtype: Any = None,
        trainable: bool = True,
        use_resource: bool = True,
        initializer: Any = None,
    ) -> Any:
        """A new variable of a column."""
        raise NotImplementedError("StateManager.create_variable")

    def add_variable(self, feature_column: Any, var: Any) -> Any:
        """Takes in a variable of a column."""
        raise NotImplementedError("StateManager.add_variable")

    def get_variable(self, feature_column: Any, name: str) -> Any:
        """A variable of a column that is there."""
        raise NotImplementedError("StateManager.get_var")

    def add_resource(self, feature_column: Any, name: str, resource: Any) -> Any:
        """Takes in something else of a column, such as a table."""
        raise NotImplementedError("StateManager.add_resource")

    def get_resource(self, feature_column: Any, name: str) -> Any:
        """What `add_resource` has taken in."""
        raise NotImplementedError("StateManager.get_resource")


class LayerState(StateManager):
    """The variables of a layer's columns.

    Args:
      layer: The layer, whose variables they become; None if no variable is made.
      trainable: Whether optimizers train them.
    """

    def __init__(self, layer: Any, trainable: bool) -> None:
        self._layer, self._trainable = layer, trainable
        self._cols_to_vars_map: dict[Any, dict[str, Any]] = {}
        self._cols_to_resources_map: dict[Any, dict[str, Any]] = {}

    def create_variable(
        self,
        feature_column: Any,
        name: str,
        shape: Any,
        dtype: Any = None,
        trainable: bool = True,
        use_resource: bool = True,
        initializer: Any = None,
    ) -> Any:
        """See `StateManager`.

        Raises:
          ValueError: The column has one of this name.
        """
        held = self._cols_to_vars_map.setdefault(feature_column, {})
        if name in held:
            raise ValueError("Variable already exists.")
        trained = self._trainable and trainable
        held[name] = self._made(name, shape, dtype, trained, use_resource, initializer)
        return held[name]

    def _made(
        self,
        name: str,
        shape: Any,
        dtype: Any,
        trainable: bool,
        use_resource: bool,
        initializer: Any,
    ) -> Any:
        variable = get_variable(
            name,
            shape=shape,
            dtype=dtype or "float32",
            initializer=initializer,
            trainable=trainable,
            use_resource=use_resource,
        )
        layer = self._layer
        for each in [variable] if hasattr(variable, "op") else list(variable):
            backend.track_variable(each)
            (layer._trainable_weights if trainable else layer._non_trainable_weights).append(each)
        return variable

    def get_variable(self, feature_column: Any, name: str) -> Any:
        """See `StateManager`.

        Raises:
          ValueError: The column has none of this name.
        """
        held = self._cols_to_vars_map.get(feature_column, {})
        if name not in held:
            raise ValueError("Variable does not exist.")
        return held[name]

    def add_resource(self, feature_column: Any, name: str, resource: Any) -> None:
        """See `StateManager`."""
        self._cols_to_resources_map.setdefault(feature_column, {})[name] = resource

    def get_resource(self, feature_column: Any, name: str) -> Any:
        """See `StateManager`.

        Raises:
          ValueError: The column has none of this name.
        """
        held = self._cols_to_resources_map.get(feature_column, {})
        if name not in held:
            raise ValueError("Resource does not exist.")
        return held[name]


class NewerLayerState(LayerState):
    """The variables of a layer's columns, which lie in no variable scope."""

    def _made(
        self,
        name: str,
        shape: Any,
        dtype: Any,
        trainable: bool,
        use_resource: bool,
        initializer: Any,
    ) -> Any:
        return self._layer.add_weight(
            name=name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            trainable=trainable,
            use_resource=use_resource,
        )


_StateManagerImpl = LayerState
_StateManagerImplV2 = NewerLayerState
