"""Feature columns against TensorFlow's: outputs, gradients, names of variables; refusals."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf1

import dataflow as tf
from tests.oracle import open_session

tf1.disable_v2_behavior()

pytestmark = pytest.mark.filterwarnings("ignore:`layer.*is deprecated:UserWarning")

NUMBERS = np.array([[1.0, -3.0], [0.5, 7.0], [2.0, 0.0]], np.float32)
WORDS = np.array([["a", "b"], ["c", ""], ["a", "zz"]])
IDS = np.array([[0, 3], [2, -1], [1, 1]])


def features(lib: Any) -> dict[str, Any]:
    return {
        "n": lib.constant(NUMBERS),
        "m": lib.constant(NUMBERS[:, 0]),
        "w": lib.constant(WORDS),
        "v": lib.constant(WORDS[:, ::-1].copy()),
        "i": lib.constant(IDS),
        "k": lib.constant(IDS[:, 0]),
        "s": lib.SparseTensor([[0, 0], [0, 1], [2, 0]], lib.constant(["a", "b", "c"]), [3, 2]),
        "sw": lib.SparseTensor([[0, 0], [0, 1], [2, 0]], lib.constant([0.5, 2.0, 3.0]), [3, 2]),
    }


def table(lib: Any) -> Any:
    """An initializer of values that are known, whatever the shape."""
    return lambda shape, *_, **__: lib.reshape(
        lib.sin(lib.range(float(np.prod([int(size) for size in shape]))) * 0.7), shape
    )


def words(fc: Any, key: str = "w", **options: Any) -> Any:
    return fc.categorical_column_with_vocabulary_list(key, ["a", "b", "c"], **options)


CASES: dict[str, Callable[[Any, Any], list[Any]]] = {
    "numbers": lambda fc, lib: [fc.numeric_column("n", shape=2), fc.numeric_column("m")],
    "normalized": lambda fc, lib: [
        fc.numeric_column("n", (2,), normalizer_fn=lambda x: (x - 1.0) / 2.0)
    ],
    "integers as numbers": lambda fc, lib: [fc.numeric_column("k", dtype=lib.int64)],
    "buckets": lambda fc, lib: [
        fc.bucketized_column(fc.numeric_column("n", shape=2), [-1.0, 0.0, 2.0]),
        fc.bucketized_column(fc.numeric_column("m"), [1.0]),
    ],
    "identity": lambda fc, lib: [
        fc.indicator_column(fc.categorical_column_with_identity("k", 4)),
        fc.indicator_column(fc.categorical_column_with_identity("i", 3, default_value=0)),
    ],
    "vocabulary": lambda fc, lib: [fc.indicator_column(words(fc))],
    "vocabulary with others": lambda fc, lib: [
        fc.indicator_column(words(fc, num_oov_buckets=2)),
        fc.indicator_column(words(fc, "s", default_value=1)),
    ],
    "vocabulary of integers": lambda fc, lib: [
        fc.indicator_column(fc.categorical_column_with_vocabulary_list("i", [3, 1]))
    ],
    "hashes": lambda fc, lib: [
        fc.indicator_column(fc.categorical_column_with_hash_bucket("w", 5)),
        fc.indicator_column(fc.categorical_column_with_hash_bucket("i", 4, dtype=lib.int64)),
    ],
    "weighted": lambda fc, lib: [
        fc.indicator_column(fc.weighted_categorical_column(words(fc, "s"), "sw"))
    ],
    "embeddings": lambda fc, lib: [
        fc.embedding_column(words(fc), 2, initializer=table(lib)),
        fc.embedding_column(words(fc, "s"), 3, "sum", table(lib), max_norm=1.0),
        fc.embedding_column(
            fc.weighted_categorical_column(words(fc, "s"), "sw"), 2, "sqrtn", table(lib)
        ),
        fc.numeric_column("m"),
    ],
    "shared embeddings": lambda fc, lib: fc.shared_embedding_columns(
        [words(fc, "w"), words(fc, "v")], 2, initializer=table(lib)
    ),
}

LINEAR: dict[str, Callable[[Any, Any], list[Any]]] = {
    "numbers": CASES["numbers"],
    "buckets": CASES["buckets"],
    "crossed": lambda fc, lib: [
        fc.crossed_column(["w", "i"], 7),
        fc.crossed_column([fc.crossed_column(["w", words(fc, "s")], 5), "k"], 11, hash_key=9),
        fc.crossed_column([fc.bucketized_column(fc.numeric_column("n", shape=2), [0.0]), "w"], 6),
    ],
    "embeddings": lambda fc, lib: [fc.embedding_column(words(fc), 2, initializer=table(lib))],
    "categories": lambda fc, lib: [
        words(fc),
        fc.categorical_column_with_identity("k", 4),
        fc.weighted_categorical_column(words(fc, "s"), "sw"),
    ],
}


def outcome(lib: Any, make: Any, columns: Any, **options: Any) -> Any:
    with lib.Graph().as_default():
        told: dict[Any, Any] = {}
        fc = lib.feature_column
        found = make(fc)(features(lib), columns(fc, lib), cols_to_vars=told, **options)
        variables = lib.trainable_variables()
        grads = lib.gradients(lib.reduce_sum(found * found * 0.5 + found), variables)
        with open_session(lib) as session:
            session.run([lib.global_variables_initializer(), lib.tables_initializer()])
            grads = [lib.convert_to_tensor(grad) for grad in grads]
            return (
                [each.op.name for each in variables],
                found.shape.as_list(),
                sorted(
                    (getattr(column, "name", column), [each.op.name for each in found_variables])
                    for column, found_variables in told.items()
                ),
                session.run([found, *grads]),
            )


@pytest.mark.parametrize("case", CASES)
def test_input_layers(case: str) -> None:
    mine, other = (outcome(lib, lambda fc: fc.input_layer, CASES[case]) for lib in (tf, tf1))
    assert (mine[0], mine[2]) == (other[0], other[2])
    # Of weighted categories TensorFlow does not know how many examples there are.
    assert tf.TensorShape(mine[1]).is_compatible_with(other[1])
    for ours, theirs in zip(mine[3], other[3], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("case", LINEAR)
@pytest.mark.parametrize("options", [{}, {"units": 3, "sparse_combiner": "mean"}])
def test_linear_models(case: str, options: dict[str, Any]) -> None:
    mine, other = (
        outcome(lib, lambda fc: fc.linear_model, LINEAR[case], **options) for lib in (tf, tf1)
    )
    assert mine[0] == other[0]
    for ours, theirs in zip(mine[3], other[3], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("model", ["input_layer", "linear_model"])
def test_variables_of_columns_that_are_used_again(model: str) -> None:
    found: list[Any] = []
    for lib in (tf, tf1):
        fc = lib.feature_column
        ids = fc.categorical_column_with_identity("k", 4)
        column = fc.embedding_column(ids, 2) if model == "input_layer" else ids
        with lib.Graph().as_default():
            for _ in range(2):
                told: dict[Any, Any] = {}
                with lib.variable_scope("whole", reuse=lib.AUTO_REUSE):
                    getattr(fc, model)(features(lib), [column], cols_to_vars=told)
                found.append([v.op.name for v in told[column]])
    assert found[:2] == found[2:]
    assert found[0] == found[1] and len(found[0]) == 1


def test_collections_of_variables() -> None:
    """As TensorFlow, with what the program named; a shared table is in one of its own, alone."""
    found: list[Any] = []
    for lib in (tf, tf1):
        fc, keys = lib.feature_column, lib.GraphKeys
        with lib.Graph().as_default() as graph:
            inputs = {"a": lib.constant([[1]]), "b": lib.constant([[2]])}
            ids = [fc.categorical_column_with_identity(name, 4) for name in ("a", "b")]
            columns = fc.shared_embedding_columns(ids, 2, shared_embedding_collection_name="ours")
            fc.input_layer(inputs, columns, ["mine", keys.GLOBAL_VARIABLES])
            fc.linear_model(inputs, [*ids, columns[0]], weight_collections=["mine"])
            names = ("mine", "ours", keys.GLOBAL_VARIABLES, keys.MODEL_VARIABLES)
            found.append([sorted(v.name for v in graph.get_collection(name)) for name in names])
            other = fc.shared_embedding_columns(ids, 3, shared_embedding_collection_name="ours")
            with pytest.raises(
                ValueError, match=r"of unexpected shape \(4, 2\)\. Expected shape is"
            ):
                fc.input_layer(inputs, other)
            graph.add_to_collection("ours", lib.Variable(1.0))
            with pytest.raises(ValueError, match="can only contain one variable"):
                fc.input_layer(inputs, columns)
    assert found[0] == found[1]
    assert len(found[0][1]) == 1


def test_vocabularies_in_files(tmp_path: Path) -> None:
    path = tmp_path / "words"
    path.write_text("b\na\n")
    for options in ({}, {"vocabulary_size": 1, "default_value": 0}, {"num_oov_buckets": 1}):
        found = []
        for lib in (tf, tf1):
            with lib.Graph().as_default(), open_session(lib) as session:
                fc = lib.feature_column
                column = fc.categorical_column_with_vocabulary_file("w", str(path), **options)
                layer = fc.input_layer(features(lib), [fc.indicator_column(column)])
                session.run(lib.tables_initializer())
                found.append(session.run(layer))
        np.testing.assert_array_equal(*found)


def test_ids_out_of_range_fail() -> None:
    fc = tf.feature_column
    with tf.Graph().as_default(), tf.Session() as session:
        column = fc.indicator_column(fc.categorical_column_with_identity("i", 3))
        layer = fc.input_layer({"i": tf.constant(IDS)}, column)
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match="exceeds number of buckets",
        ):
            session.run(layer)


def test_refusals() -> None:
    fc = tf.feature_column
    number = fc.numeric_column("n")
    category = fc.categorical_column_with_identity("k", 4)
    hashed = fc.categorical_column_with_hash_bucket("h", 4)
    with tf.Graph().as_default():
        inputs = features(tf)
        cases: list[tuple[type[Exception], str, Callable[[], Any]]] = [
            (ValueError, "must be greater than 0", lambda: fc.numeric_column("n", 0)),
            (TypeError, "must be integer", lambda: fc.numeric_column("n", 1.5)),
            (ValueError, "convertible to float", lambda: fc.numeric_column("n", dtype=tf.string)),
            (TypeError, "must be a callable", lambda: fc.numeric_column("n", normalizer_fn=1)),
            (ValueError, "must be a sorted list", lambda: fc.bucketized_column(number, [2, 1])),
            (ValueError, "must not be empty", lambda: fc.bucketized_column(number, [])),
            (ValueError, "generated with numeric", lambda: fc.bucketized_column(category, [1])),
            (ValueError, "< 1, column", lambda: fc.categorical_column_with_identity("k", 0)),
            (ValueError, "not in range", lambda: fc.categorical_column_with_identity("k", 2, 2)),
            (ValueError, "at least 1", lambda: fc.categorical_column_with_hash_bucket("k", 0)),
            (ValueError, "non-empty", lambda: fc.categorical_column_with_vocabulary_list("k", [])),
            (ValueError, "Duplicate keys", lambda: _list("k", ["a", "a"])),
            (ValueError, "Can't specify both", lambda: _list("k", ["a"], None, 0, 1)),
            (ValueError, "do not match", lambda: _list("k", ["a"], tf.int64)),
            (ValueError, "Invalid dimension 0", lambda: fc.embedding_column(category, 0)),
            (
                ValueError,
                "Must specify both",
                lambda: fc.embedding_column(category, 1, "sum", None, "x"),
            ),
            (
                ValueError,
                "same number of buckets",
                lambda: fc.shared_embedding_columns(
                    [category, fc.categorical_column_with_identity("i", 5)], 1
                ),
            ),
            (ValueError, "must be a _DenseColumn", lambda: fc.input_layer(inputs, [category])),
            (ValueError, "must not be empty", lambda: fc.input_layer(inputs, [])),
            (ValueError, "Duplicate feature column", lambda: fc.input_layer(inputs, [number] * 2)),
            (
                ValueError,
                "is not in features dictionary",
                lambda: fc.input_layer(inputs, fc.numeric_column("none")),
            ),
            (
                ValueError,
                "SparseTensor is not supported",
                lambda: fc.input_layer(inputs, fc.numeric_column("s")),
            ),
            (
                ValueError,
                "cannot have rank 0",
                lambda: fc.input_layer({"n": tf.constant(1.0)}, number),
            ),
            (ValueError, "length > 1", lambda: fc.crossed_column(["a"], 3)),
            (ValueError, "must be > 1", lambda: fc.crossed_column(["a", "b"], 0)),
            (ValueError, "Unsupported key type", lambda: fc.crossed_column(["a", number], 3)),
            (ValueError, "not supported for crossing", lambda: fc.crossed_column(["a", hashed], 3)),
            (ValueError, "_FeatureColumn instances", lambda: fc.make_parse_example_spec([1])),
        ]
        for error, text, make in cases:
            with pytest.raises(error, match=text):
                make()


def _list(*arguments: Any) -> Any:
    return tf.feature_column.categorical_column_with_vocabulary_list(*arguments)


def test_what_is_parsed() -> None:
    fc = tf.feature_column
    columns = [
        fc.numeric_column("n", shape=2, default_value=0.5),
        fc.embedding_column(words(fc), 2),
        fc.weighted_categorical_column(words(fc, "s"), "sw"),
        fc.crossed_column(["a", fc.categorical_column_with_identity("k", 4)], 3),
        fc.bucketized_column(fc.numeric_column("m"), [1.0]),
    ]
    assert fc.make_parse_example_spec(columns) == {
        "n": tf.FixedLenFeature((2,), tf.float32, (0.5, 0.5)),
        "w": tf.VarLenFeature(tf.string),
        "s": tf.VarLenFeature(tf.string),
        "sw": tf.VarLenFeature(tf.float32),
        "a": tf.VarLenFeature(tf.string),
        "k": tf.VarLenFeature(tf.int64),
        "m": tf.FixedLenFeature((1,), tf.float32, None),
    }
    with pytest.raises(ValueError, match="contain different parse_spec for key n"):
        fc.make_parse_example_spec([columns[0], fc.numeric_column("n")])
