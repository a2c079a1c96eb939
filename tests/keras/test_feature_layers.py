"""Layers of feature columns: where their variables are, what they tell of themselves, columns of
programs; names and values are TensorFlow 1.15's."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

import dataflow as tf
from dataflow.feature_columns.inputs import DenseColumn
from dataflow.feature_columns.shared import shared_embeddings
from dataflow.keras.layers import features, newer_features
from dataflow.keras.layers.column_state import LayerState
from dataflow.porting.spellings.columns.older import InputLayer, _LinearModel

columns = tf.feature_column
KINDS = [features.DenseFeatures, newer_features.DenseFeatures]


def table(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
    return [[1.0, 2.0], [3.0, 5.0], [7.0, 11.0]]


def vectors(key: str = "k", **options: Any) -> Any:
    ids = columns.categorical_column_with_identity(key, 3)
    return columns.embedding_column(ids, 2, initializer=table, **options)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("trainable", [True, False])
def test_variables(kind: Any, trainable: bool) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        layer = kind([vectors(trainable=trainable)])
        first = layer({"k": [[2, 0]]})
        second = layer({"k": [[1, -1]]})
        (variable,) = tf.global_variables()
        assert variable.name == "dense_features/k_embedding/embedding_weights:0"
        assert type(variable).__name__ == "ResourceVariable"
        assert len(layer.variables) == 1
        assert len(layer.trainable_weights) == len(tf.trainable_variables()) == int(trainable)
        session.run(tf.global_variables_initializer())
        assert session.run([first, second])[0].tolist() == [[4.0, 6.5]]
        assert session.run(second).tolist() == [[3.0, 5.0]]


def test_the_newer_layer_does_not_look_at_variable_scopes() -> None:
    with tf.Graph().as_default(), tf.variable_scope("scope", partitioner=lambda **_: [2, 1]):
        ids = columns.categorical_column_with_identity("k", 3)
        older, newer = (kind([columns.embedding_column(ids, 2)]) for kind in KINDS)
        for layer in (older, newer):
            layer({"k": [[1]]})
        assert [len(each.variables) for each in (older, newer)] == [2, 1]
        assert isinstance(newer, features.DenseFeatures)


def test_shared_tables() -> None:
    ids = [columns.categorical_column_with_identity(key, 3) for key in ("a", "b")]
    with tf.Graph().as_default(), tf.Session() as session:
        layer = features.DenseFeatures(shared_embeddings(ids, 2, initializer=table))
        numbers = layer({"a": [[2, 0]], "b": [[1, 1]]})
        assert [each.name for each in tf.global_variables()] == ["a_b_shared_embedding:0"]
        session.run(tf.global_variables_initializer())
        assert session.run(numbers).tolist() == [[4.0, 6.5, 3.0, 5.0]]


def test_a_column_of_a_program_has_variables() -> None:
    class Scaled(DenseColumn):
        name = "scaled"
        parse_example_spec: ClassVar[dict[str, Any]] = {}
        variable_shape = tf.TensorShape([1])

        def create_state(self, state_manager: Any) -> None:
            state_manager.create_variable(self, "scale", [1], initializer=tf.ones_initializer())

        def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
            return transformation_cache.get("a", state_manager)

        def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
            scale = state_manager.get_variable(self, "scale")
            return transformation_cache.get(self, state_manager) * scale

    with tf.Graph().as_default(), tf.Session() as session:
        layer = features.DenseFeatures([Scaled()])
        numbers = layer({"a": [[2.0], [3.0]]})
        assert [each.name for each in layer.variables] == ["dense_features/scaled/scale:0"]
        session.run(layer.variables[0].initializer)
        assert session.run(numbers).tolist() == [[2.0], [3.0]]


def test_layers_are_made_again_of_what_they_tell() -> None:
    price = columns.numeric_column("price")
    given = [price, columns.bucketized_column(price, [1])]
    layer = features.DenseFeatures(given, name="n")
    assert sorted(layer.get_config()) == ["dtype", "feature_columns", "name", "trainable"]
    again = features.DenseFeatures.from_config(layer.get_config())
    assert (again.name, again._feature_columns) == ("n", layer._feature_columns)
    assert layer.compute_output_shape((None, 4)) == (None, 3)
    steps = columns.indicator_column(columns.sequence_categorical_column_with_identity("s", 3))
    assert features.SequenceFeatures([steps]).compute_output_shape((1, 2)) == (1, 2, 3)


def test_refusals() -> None:
    ids = columns.categorical_column_with_identity("k", 3)
    with pytest.raises(ValueError, match=r"must be a .*DenseColumn'>\. You can wrap"):
        features.DenseFeatures(ids)
    with pytest.raises(ValueError, match=r"must be a FeatureColumn\. Given"):
        features.DenseFeatures(["k"])
    state = LayerState(None, True)
    with pytest.raises(ValueError, match="Variable does not exist"):
        state.get_variable(ids, "x")
    with pytest.raises(ValueError, match="Resource does not exist"):
        state.get_resource(ids, "x")


def test_layers_of_columns_as_objects_share_their_variables() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        layer = InputLayer([vectors()])
        pair = [layer({"k": [[each]]}) for each in (1, 2)]
        name = "feature_column_input_layer/k_embedding/embedding_weights:0"
        assert [each.name for each in layer.variables] == [name]
        assert (len(layer.trainable_weights), len(layer.non_trainable_variables)) == (1, 0)
        model = _LinearModel([columns.numeric_column("p")], name="linear_model")
        sums = [model({"p": [[each]]}) for each in (1.0, 5.0)]
        made = model.cols_to_vars()
        assert [each.name for each in made["bias"]] == ["linear_model/bias_weights:0"]
        names = ["linear_model/p/weights:0", "linear_model/bias_weights:0"]
        assert sorted(each.name for each in model.variables) == sorted(names)
        session.run(tf.global_variables_initializer())
        session.run(made[model._feature_columns[0]][0].assign([[10.0]]))
        assert [each.tolist() for each in session.run(sums)] == [[[10.0]], [[50.0]]]
        assert session.run(pair)[1].tolist() == [[7.0, 11.0]]
