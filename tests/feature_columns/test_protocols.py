"""Columns by the names of both generations of TensorFlow's: what TensorFlow 1.15 gave there."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import dataflow as tf
from dataflow.feature_columns import configs, inputs, shared, vectors
from tests.conftest import SessionFactory

columns = tf.feature_column


def table(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
    return [[1.0, 2.0], [3.0, 5.0], [7.0, 11.0]]


class Doubled(inputs.DenseColumn):
    """A column of a program, by the newer names."""

    def __init__(self) -> None:
        self.calls = 0

    name = "doubled"
    parse_example_spec: ClassVar[dict[str, Any]] = {}
    variable_shape = tf.TensorShape([1])

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        self.calls += 1
        return transformation_cache.get("a", state_manager) * 2.0

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
        return transformation_cache.get(self, state_manager)


class OlderDoubled(inputs.DenseColumn):
    """The same by the older names."""

    name = "older"
    _parse_example_spec: ClassVar[dict[str, Any]] = {}
    _variable_shape = tf.TensorShape([1])

    def _transform_feature(self, inputs: Any) -> Any:
        return inputs.get("a") * 2.0

    def _get_dense_tensor(self, inputs: Any, weight_collections: Any, trainable: Any) -> Any:
        return inputs.get(self)


class OlderIds(inputs.CategoricalColumn):
    """Ids of a program, by the older names."""

    name = "ids"
    _parse_example_spec: ClassVar[dict[str, Any]] = {}
    _num_buckets = 5

    def _transform_feature(self, inputs: Any) -> Any:
        return inputs.get("a")

    def _get_sparse_tensors(self, inputs: Any, *_: Any) -> Any:
        ids = tf.SparseTensor([[0, 0], [1, 0]], tf.constant([0, 1], tf.int64), [2, 1])
        return self.IdWeightPair(ids, None)


def test_columns_of_programs(session_factory: SessionFactory) -> None:
    with tf.Graph().as_default(), session_factory() as session:
        newer = Doubled()
        layer = columns.input_layer({"a": [[2.0], [3.0]]}, [newer, OlderDoubled()])
        assert session.run(layer).tolist() == [[4.0, 4.0], [6.0, 6.0]]
        assert newer.calls == 1
        sums = columns.linear_model({"a": [[2.0], [3.0]]}, [OlderDoubled(), OlderIds()])
        session.run(tf.global_variables_initializer())
        weights = {each.op.name: each for each in tf.global_variables()}
        session.run(weights["linear_model/ids/weights"].assign([[1.0], [2.0], [0.0], [0], [0]]))
        session.run(weights["linear_model/older/weights"].assign([[10.0]]))
        assert session.run(sums).tolist() == [[41.0], [62.0]]
        assert newer._is_v2_column and not OlderDoubled()._is_v2_column


class BothDoubled(Doubled, OlderDoubled):
    """By both names, of which the newer need a manager of variables, as those of libraries do."""

    name = "both"

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
        return state_manager.scale * transformation_cache.get(self, state_manager)


class BothIds(OlderIds):
    """Ids by both names."""

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> Any:
        ids = tf.SparseTensor([[0, 0]], [state_manager.scale], [2, 1])
        return self.IdWeightPair(ids, None)


def test_the_older_names_are_called_without_a_manager(session_factory: SessionFactory) -> None:
    class Manager:
        scale: ClassVar[int] = 4

    features = {"a": [[2.0], [3.0]]}
    with tf.Graph().as_default(), session_factory() as session:
        column, ids = BothDoubled(), BothIds()
        assert session.run(columns.input_layer(features, [column])).tolist() == [[4.0], [6.0]]
        columns.linear_model(features, [column, ids])
        assert column.calls == 0
        managed = inputs.Inputs(features, Manager())
        assert session.run(column.dense(managed, True, None)).tolist() == [[16.0], [24.0]]
        assert column.calls == 1
        found = [
            each.ids_and_weights(inputs.Inputs(features, m))[0]
            for m in (None, Manager())
            for each in [ids]
        ]
        assert [len(session.run(each).values) for each in found] == [2, 1]


def test_a_cache_makes_each_column_once_and_tells_what_it_cannot_make() -> None:
    class Nothing(Doubled):
        name = "nothing"

        def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
            return None

    with tf.Graph().as_default(), tf.Session() as session:
        cache = inputs.Inputs(
            {"a": [[1.0]], "s": tf.SparseTensor(np.zeros([0, 1], np.int64), np.zeros([0]), [0])}
        )
        column = Doubled()
        assert cache.get(column, None) is cache.get(column, None)
        assert column.calls == 1
        assert session.run(cache.get("s")).dense_shape.tolist() == [0, 1]
        with pytest.raises(ValueError, match="Column nothing is not supported"):
            cache.get(Nothing(), None)
        with pytest.raises(TypeError, match='must be either a "str" or "FeatureColumn"'):
            cache.get(object(), None)


def test_ids_and_numbers_by_both_names() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        price = columns.numeric_column("price", shape=[2])
        ranges = columns.bucketized_column(price, [0, 2, 4, 6])
        cache = inputs.Inputs({"price": [[-1.0, 1.0], [5.0, 6.0]]})
        ids, weights = ranges.get_sparse_tensors(cache, None)
        assert weights is None
        assert session.run(ids).values.tolist() == [0, 6, 3, 9]
        assert ranges._get_sparse_tensors(cache).id_tensor.values.shape.rank == 1
        dense = session.run(ranges.get_dense_tensor(cache, None))
        assert dense[0].tolist() == [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0]]
        assert ranges.variable_shape.as_list() == [2, 5]
        assert (ranges._num_buckets, ranges.parents) == (10, [price])
        kinds = columns.indicator_column(columns.categorical_column_with_identity("k", 4))
        assert kinds.variable_shape.as_list() == [1, 4]


def test_tables_of_state_managers() -> None:
    class Manager:
        held: ClassVar[dict[str, Any]] = {}

        def create_variable(self, feature_column: Any, name: str, **options: Any) -> None:
            self.held[name] = tf.get_variable(name, **options)

        def get_variable(self, feature_column: Any, name: str) -> Any:
            return self.held[name]

    with tf.Graph().as_default(), tf.Session() as session:
        ids = columns.categorical_column_with_identity("k", 3)
        column = columns.embedding_column(ids, 2, initializer=table)
        manager = Manager()
        column.create_state(manager)
        cache = inputs.Inputs({"k": [[2, -1], [0, 1]]})
        vectors_of = column.get_dense_tensor(cache, manager)
        assert [each.name for each in tf.global_variables()] == ["embedding_weights:0"]
        session.run(tf.global_variables_initializer())
        assert session.run(vectors_of).tolist() == [[7.0, 11.0], [2.0, 3.5]]


def test_defaults_of_numbers() -> None:
    numbers = columns.numeric_column
    assert numbers("a", [1, 2], [[3, 2.0]]).default_value == ((3, 2.0),)
    assert numbers("a", [2, 3], 2.0).default_value == ((2.0, 2.0, 2.0), (2.0, 2.0, 2.0))
    assert numbers("a", [1, 2], np.array([[3.0, 2.0]])).default_value == ((3.0, 2.0),)
    with pytest.raises(ValueError, match="The shape of default_value must be equal to given"):
        numbers("a", [3, 1], [[2, 3], [1, 2], [2, 3.0]])
    for value, dtype in (([1, 2.0], tf.int32), (["x", "y"], tf.float32), (0.5, tf.int32)):
        with pytest.raises(TypeError, match="default_value must be compatible with dtype"):
            numbers("a", [2], value, dtype)
    with pytest.raises(ValueError, match="key must be a string"):
        numbers(("a",))


def test_what_does_not_fit_is_refused() -> None:
    words = columns.categorical_column_with_hash_bucket("w", 10)
    ids = columns.categorical_column_with_identity("k", 3)
    weighted = columns.weighted_categorical_column(ids, "v")
    cases: list[tuple[Any, str]] = [
        (
            lambda: words.transformed(inputs.Inputs({"w": [[1.5]]})),
            "column_name: w input_tensor dtype must be string or integer",
        ),
        (
            lambda: words.transformed(inputs.Inputs({"w": [[1]]})),
            "Column dtype and SparseTensors dtype must be compatible. key: w",
        ),
        (
            lambda: weighted.transformed(inputs.Inputs({"k": [[0]], "v": [[1]]})),
            "Bad dtype, expected <dtype: 'float32'>, but got <dtype: 'int32'>",
        ),
        (
            lambda: columns.weighted_categorical_column(ids, "k").parse_example_spec,
            "Parse config .* already exists for k",
        ),
        (
            lambda: columns.categorical_column_with_vocabulary_list("w", (1, 2.5)),
            "column_name: w vocabulary dtype must be string or integer",
        ),
        (
            lambda: columns.shared_embedding_columns([ids, words], 2),
            "all categorical_columns must have the same type",
        ),
        (
            lambda: columns.input_layer(
                {"a": [[1.0], [2.0], [3.0]], "b": [[1.0]]},
                [columns.numeric_column("a"), columns.numeric_column("b")],
            ),
            r"Batch size of columns \(a, b\): \(3, 1\)",
        ),
        (
            lambda: columns.input_layer({"k": [[0]]}, [ids]),
            "must be a _DenseColumn. You can wrap a categorical column",
        ),
    ]
    with tf.Graph().as_default():
        for call, text in cases:
            with pytest.raises(ValueError, match=text):
                call()


def test_weights_that_are_none_are_left_out() -> None:
    weighted = columns.weighted_categorical_column(
        columns.categorical_column_with_identity("k", 3), "v"
    )
    with tf.Graph().as_default(), tf.Session() as session:
        cache = inputs.Inputs({"k": [[0, -1], [1, 0]], "v": [[0.5, 0.0], [1.0, 0.25]]})
        ids, weights = session.run(tuple(weighted.get_sparse_tensors(cache, None)))
        assert (ids.values.tolist(), weights.values.tolist()) == ([0, 1, 0], [0.5, 1.0, 0.25])


def test_a_table_that_columns_share_has_each_graph_once() -> None:
    ids = [columns.categorical_column_with_identity(key, 3) for key in ("a", "b")]
    pair = shared.shared_embeddings(ids, 2, initializer=table)
    for _ in range(2):
        with tf.Graph().as_default(), tf.Session() as session:
            layer = columns.input_layer({"a": [[2, 0]], "b": [[1, -1]]}, pair)
            names = [each.name for each in tf.global_variables()]
            assert len(names) == 1
            assert names[0].endswith("a_b_shared_embedding:0")
            session.run(tf.global_variables_initializer())
            assert session.run(layer).tolist() == [[4.0, 6.5, 3.0, 5.0]]


def test_columns_are_made_again_of_what_they_tell(tmp_path: Path) -> None:
    (tmp_path / "words").write_text("x\ny\nz\n")
    price = columns.numeric_column("price", [2], normalizer_fn=doubled)
    ranges = columns.bucketized_column(price, [0, 1])
    ids = columns.categorical_column_with_identity("k", 3)
    made = [
        price,
        ranges,
        columns.crossed_column(["c", ids], 7, hash_key=3),
        columns.indicator_column(columns.sequence_categorical_column_with_identity("s", 4)),
        columns.weighted_categorical_column(ids, "v"),
        columns.categorical_column_with_vocabulary_list("w", ["a", "b"], num_oov_buckets=2),
        columns.categorical_column_with_vocabulary_file("f", str(tmp_path / "words")),
        columns.categorical_column_with_hash_bucket("h", 4, tf.int32),
    ]
    told = configs.serialize_feature_columns(made)
    assert told[0] == {
        "class_name": "NumericColumn",
        "config": {
            "key": "price",
            "shape": (2,),
            "default_value": None,
            "dtype": "float32",
            "normalizer_fn": "doubled",
        },
    }
    assert told[5]["class_name"] == "VocabularyListCategoricalColumn"
    again = configs.deserialize_feature_columns(told, {"doubled": doubled})
    assert again == made
    assert again[0] is again[1].source_column
    assert again[6].num_buckets == 3
    table_of = columns.embedding_column(ids, 2)
    config = table_of._get_config()
    assert config["initializer"]["class_name"] == "TruncatedNormal"
    assert vectors.EmbeddingColumn._from_config(config)._get_config() == config
    for config, text in (
        ({}, "Improper config format: {}"),
        ({"class_name": "Other", "config": {}}, "Unknown feature_column_v2: Other"),
        ({"class_name": "NumericColumn", "config": {}}, "Invalid config: {}, expected keys"),
    ):
        with pytest.raises(ValueError, match=text):
            configs.deserialize_feature_column(config)
    with pytest.raises(ValueError, match="is not a FeatureColumn"):
        configs.serialize_feature_column(3)


def doubled(x: Any) -> Any:
    return x * 2
