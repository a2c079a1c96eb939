"""The dual coordinate ascent that tf.estimator's linear models are given as their optimizer."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.linear_optimizer.optimizer import each_once
from dataflow.contrib.linear_optimizer.sdca_model import SdcaModel
from dataflow.estimation.canned.dual_ascent import DualAscent
from dataflow.feature_columns.inputs import CategoricalColumn, DenseColumn, Inputs
from dataflow.graph.operation import Operation
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.ops.array.fill import ones
from dataflow.ops.array.shape import reshape, shape
from dataflow.ops.basic.cast import cast
from dataflow.values import dtypes


class _Model(SdcaModel):
    _slot_suffix = "_unshrunk"


class LinearSDCA(DualAscent):
    """Trains a `LinearClassifier` of two classes or a `LinearRegressor` of one number.

    Features must hold an id of each example, a string.
    """

    def __init__(
        self,
        example_id_column: str,
        num_loss_partitions: int = 1,
        num_table_shards: int | None = None,
        symmetric_l1_regularization: float = 0.0,
        symmetric_l2_regularization: float = 1.0,
        adaptive: bool = False,
    ) -> None:
        """Takes options.

        Args:
          example_id_column: The feature that holds the ids.
          num_loss_partitions: Over how many steps at once the loss is divided: as many as there
            are workers.
          num_table_shards: Into how many tables the examples' states are cut; one if None.
          symmetric_l1_regularization: How much the weights' L1 norm is held down.
          symmetric_l2_regularization: How much their L2 norm is; the solver takes 1 for less.
          adaptive: Takes examples by how much they may change.
        """
        self._example_id_column = example_id_column
        self._options = {
            "symmetric_l1_regularization": symmetric_l1_regularization,
            "symmetric_l2_regularization": symmetric_l2_regularization,
            "adaptive": adaptive,
            "num_loss_partitions": num_loss_partitions,
            "num_table_shards": num_table_shards,
        }

    def get_train_step(
        self,
        state_manager: Any,
        weight_column_name: Any,
        loss_type: str,
        feature_columns: Any,
        features: Any,
        targets: Any,
        bias_var: Any,
        global_step: Any,
    ) -> tuple[SdcaModel, Operation]:
        """See `DualAscent`.

        Raises:
          ValueError: A column is of another kind, or gives more than a vector, or the ids are no
            feature.
        """
        if self._example_id_column not in features:
            raise ValueError(
                f"LinearSDCA wants the ids of examples as the feature {self._example_id_column!r}; "
                f"there are {sorted(features)}."
            )
        inputs = Inputs(features)
        dense, dense_weights, sparse, sparse_weights = [], [], [], []
        for column in sorted(feature_columns, key=lambda each: each.name):
            if isinstance(column, CategoricalColumn):
                ids, weights = column.ids_and_weights(inputs)
                values = cast(ids.values, dtypes.int64)
                counts = ones([shape(ids.indices)[0]]) if weights is None else weights.values
                ids = SparseTensor(ids.indices, values, ids.dense_shape)
                sparse.append(each_once(ids, reshape(counts, [-1])))
                sparse_weights.append(state_manager.get_variable(column, "weights"))
            elif isinstance(column, DenseColumn):
                rank = len(column.variable_shape)
                if rank != 1:
                    raise ValueError(
                        f"Column {type(column).__name__} has rank {rank}, larger than 1."
                    )
                dense.append(column.dense(inputs, True, None))
                dense_weights.append(state_manager.get_variable(column, "weights"))
            else:
                raise ValueError(
                    f"LinearSDCA does not support column type {type(column).__name__}."
                )
        batch: Any = shape(targets)[0]
        dense.append(ones([batch, 1]))
        dense_weights.append(bias_var)
        counts = (
            reshape(features[weight_column_name], [-1]) if weight_column_name else ones([batch])
        )
        model = _Model(
            {
                "sparse_features": sparse,
                "dense_features": dense,
                "example_labels": cast(reshape(targets, shape=[-1]), dtypes.float32),
                "example_weights": counts,
                "example_ids": features[self._example_id_column],
            },
            {"sparse_features_weights": sparse_weights, "dense_features_weights": dense_weights},
            {**self._options, "loss_type": loss_type},
        )
        return model, model.minimize(global_step=global_step)
