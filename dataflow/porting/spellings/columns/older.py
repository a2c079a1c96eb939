"""tensorflow.python.feature_column: layers of columns as objects, and columns one by one."""

from __future__ import annotations

from typing import Any

from dataflow import keras
from dataflow.feature_columns.inputs import DenseColumn, FeatureColumn, Inputs, checked_columns
from dataflow.feature_columns.models import chosen_collections, side_by_side, weighted_total
from dataflow.graph.scopes import name_scope
from dataflow.variables.scope import variable_scope
from dataflow.variables.template import make_template


class _LazyBuilder(Inputs):
    """Features by name, and what columns have made of them."""

    _kind = "_FeatureColumn"


def _internal_input_layer(
    features: Any,
    feature_columns: Any,
    weight_collections: Any = None,
    trainable: bool = True,
    cols_to_vars: dict[Any, Any] | None = None,
    scope: Any = None,
    cols_to_output_tensors: dict[Any, Any] | None = None,
    from_template: bool = False,
) -> Any:
    """As `tf.feature_column.input_layer`, in a scope of a program's or of a template."""

    def numbers() -> Any:
        return side_by_side(
            features,
            checked_columns(feature_columns, (DenseColumn,), "a _DenseColumn"),
            lambda column: variable_scope(None, default_name=column.scope_name),
            trainable,
            chosen_collections(weight_collections),
            cols_to_vars,
            cols_to_output_tensors,
        )

    if from_template:
        return numbers()
    with variable_scope(scope, default_name="input_layer", values=list(features.values())):
        return numbers()


class InputLayer:
    """`tf.feature_column.input_layer`, whose calls share their variables.

    Args:
      feature_columns: Dense columns.
      weight_collections: Where variables are put.
      trainable: Whether optimizers train them.
      cols_to_vars: Not used.
      name: Name of the scope.
      create_scope_now: Whether the scope is made before the first call.
    """

    def __init__(
        self,
        feature_columns: Any,
        weight_collections: Any = None,
        trainable: bool = True,
        cols_to_vars: dict[Any, Any] | None = None,
        name: str = "feature_column_input_layer",
        create_scope_now: bool = True,
    ) -> None:
        self._feature_columns, self._weight_collections = feature_columns, weight_collections
        self._trainable, self._cols_to_vars, self.name = trainable, cols_to_vars, name
        self._input_layer_template = make_template(
            name, _internal_input_layer, create_scope_now_=create_scope_now
        )
        self._scope = self._input_layer_template.variable_scope

    def __call__(self, features: Any) -> Any:
        """The numbers of all columns side by side."""
        return self._input_layer_template(
            features=features,
            feature_columns=self._feature_columns,
            weight_collections=self._weight_collections,
            trainable=self._trainable,
            from_template=True,
        )

    def __getattr__(self, name: str) -> Any:
        kinds = ("variables", "weights")
        if name.removeprefix("non_").removeprefix("trainable_") not in kinds:
            raise AttributeError(f"'InputLayer' object has no attribute {name!r}")
        return getattr(self._input_layer_template, name)


class _LinearModel(keras.Model):
    """`tf.feature_column.linear_model`, whose calls share their variables."""

    def __init__(
        self,
        feature_columns: Any,
        units: int = 1,
        sparse_combiner: str = "sum",
        weight_collections: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self._feature_columns = checked_columns(feature_columns, FeatureColumn, "a _FeatureColumn")
        self._options = (units, sparse_combiner, weight_collections, trainable)
        self._cols_to_vars: dict[Any, Any] = {}
        self._made = False

    def cols_to_vars(self) -> dict[Any, Any]:
        """For each column its variables, and those of "bias"."""
        return self._cols_to_vars

    def call(self, features: Any) -> Any:  # type: ignore[override]
        """The sums of a batch."""
        found: dict[Any, Any] = {}
        with variable_scope(self.name, reuse=self._made or None):
            total = weighted_total(
                features, self._feature_columns, *self._options, cols_to_vars=found
            )
        if not self._made:
            self._made, self._cols_to_vars = True, found
            for variables in found.values():
                for each in variables:
                    self._trainable_weights.append(each)
        return total


def _transform_features(features: Any, feature_columns: Any) -> dict[Any, Any]:
    """What each column makes of features."""
    columns = checked_columns(feature_columns, FeatureColumn, "a _FeatureColumn")
    return _transformed(_LazyBuilder(features), features, columns)


def _transform_features_v2(
    features: Any, feature_columns: Any, state_manager: Any
) -> dict[Any, Any]:
    """What each column makes of features, with the variables of a state manager."""
    columns = checked_columns(feature_columns, FeatureColumn, "a FeatureColumn")
    return _transformed(Inputs(features, state_manager), features, columns)


def _transformed(inputs: Inputs, features: Any, columns: list[Any]) -> dict[Any, Any]:
    made = {}
    with name_scope(None, "transform_features", list(features.values())):
        for column in columns:
            with name_scope(None, column.name):
                made[column] = inputs.get(column)
    return made


def _normalize_feature_columns(feature_columns: Any) -> list[Any]:
    """Columns as a list by name."""
    return checked_columns(feature_columns, FeatureColumn, "a FeatureColumn")
