"""Tables that datasets fill, and what tf.data.experimental refuses, as TensorFlow does."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow
from tests.library.datasets.file_pipelines import named_table
from tests.library.datasets.streams import open_session, stream
from tests.oracle import oracle
from tests.words import as_in_tensorflow_1


def _words(tf: Any) -> Any:
    return tf.data.Dataset.from_tensor_slices(["a", "b", "c"])


def _pairs(tf: Any) -> Any:
    return tf.data.Dataset.zip((_words(tf), tf.data.Dataset.range(3, 6)))


def _looked_up(tf: Any) -> list[Any]:
    experimental = tf.data.experimental
    with tf.Graph().as_default(), tf.Session() as session:
        tables = [
            experimental.table_from_dataset(_pairs(tf), vocab_size=2),
            experimental.table_from_dataset(_pairs(tf), default_value=-7),
            experimental.index_table_from_dataset(_words(tf), num_oov_buckets=4),
        ]
        squares = experimental.index_table_from_dataset(
            tf.data.Dataset.range(5).map(lambda n: n * n), key_dtype=tf.int64
        )
        found = [table.lookup(tf.constant(["b", "c", "other"])) for table in tables]
        found += [squares.lookup(tf.constant([4, 5, 16], tf.int64)), *(t.size() for t in tables)]
        session.run(tf.tables_initializer())
        return [value.tolist() for value in session.run(found)]


def test_tables_of_datasets() -> None:
    assert _looked_up(dataflow) == _looked_up(oracle)


def _too_few(tf: Any) -> None:
    tf.data.experimental.table_from_dataset(_pairs(tf), vocab_size=5)
    with tf.Session() as session:
        session.run(tf.tables_initializer())


def _numbers(tf: Any) -> Any:
    return tf.data.Dataset.range(3)


def _small(tf: Any) -> Any:
    return _numbers(tf).map(lambda x: tf.cast(x, tf.int32))


def _pair(tf: Any) -> Any:
    return tf.data.Dataset.from_tensors((np.zeros(2), np.zeros(3)))


def _reduced(tf: Any) -> Any:
    other = tf.constant(1, tf.int64)
    reducer = tf.data.experimental.Reducer(
        lambda x: tf.constant(1), lambda x, y: tf.cast(other, tf.int64), lambda x: x
    )
    return _numbers(tf).apply(tf.data.experimental.group_by_reducer(lambda x: x, reducer))


def _elsewhere(tf: Any) -> Any:
    dataset = _numbers(tf)
    with tf.Graph().as_default():
        return tf.data.make_one_shot_iterator(dataset)


REFUSED: dict[str, Callable[[Any], Any]] = {
    "too few pairs": _too_few,
    "three parts": lambda tf: tf.data.experimental.table_from_dataset(
        tf.data.Dataset.zip((_numbers(tf),) * 3)
    ),
    "rows as keys": lambda tf: tf.data.experimental.table_from_dataset(
        _pairs(tf).batch(2), default_value=0
    ),
    "no default": lambda tf: tf.data.experimental.table_from_dataset(
        tf.data.Dataset.zip((_words(tf), _words(tf)))
    ),
    "buckets": lambda tf: tf.data.experimental.table_from_dataset(_pairs(tf), num_oov_buckets=-1),
    "size": lambda tf: tf.data.experimental.table_from_dataset(_pairs(tf), vocab_size=0),
    "key type": lambda tf: tf.data.experimental.table_from_dataset(
        _pairs(tf), key_dtype=tf.float32
    ),
    "no features": lambda tf: tf.data.experimental.parse_example_dataset(None),
    "no strings": lambda tf: _numbers(tf).apply(
        tf.data.experimental.parse_example_dataset({"a": tf.io.VarLenFeature(tf.int64)})
    ),
    "no label": lambda tf: tf.data.experimental.make_batched_features_dataset(
        "nowhere", 2, {"a": tf.io.VarLenFeature(tf.int64)}, label_key="b"
    ),
    "a queue's reader": lambda tf: tf.data.experimental.make_batched_features_dataset(
        "nowhere", 2, {"a": tf.io.VarLenFeature(tf.int64)}, reader=tf.TFRecordReader
    ),
    "no compression": lambda tf: tf.data.experimental.make_csv_dataset(
        __file__, 2, compression_type="BAD"
    ),
    "empty list": lambda tf: tf.data.experimental.from_list([]),
    "no list": lambda tf: tf.data.experimental.from_list((1, 2)),
    "no dictionary": lambda tf: _numbers(tf).apply(tf.data.experimental.pad_to_cardinality(5)),
    "no dataset": lambda tf: tf.data.experimental.TFRecordWriter("file").write(3),
    "numbers": lambda tf: tf.data.experimental.TFRecordWriter("file").write(_numbers(tf)),
    "a state of another type": lambda tf: _numbers(tf).reduce(
        np.int64(1), lambda s, x: tf.constant(1)
    ),
    "a reducer's state of another type": _reduced,
    "no truth": lambda tf: _numbers(tf).filter(lambda x: x),
    "padding of another type": lambda tf: _small(tf).padded_batch(2, [], 1.5),
    "rows of padding": lambda tf: _small(tf).padded_batch(2, [], [1, 2]),
    "no rows": lambda tf: _numbers(tf).unbatch(),
    "rows of two lengths": lambda tf: _pair(tf).unbatch(),
    "too many weights": lambda tf: tf.data.experimental.sample_from_datasets(
        [_numbers(tf)], [0.5, 0.5]
    ),
    "datasets of two types": lambda tf: tf.data.experimental.sample_from_datasets(
        [_numbers(tf), _small(tf)]
    ),
    "no choices": lambda tf: tf.data.experimental.choose_from_datasets([_numbers(tf)] * 2, [0]),
    "pairs in sparse batches": lambda tf: _pair(tf).apply(
        tf.data.experimental.dense_to_sparse_batch(2, [3])
    ),
    "another type than the iterator's": lambda tf: tf.data.Iterator.from_structure(
        tf.int32
    ).make_initializer(_numbers(tf)),
    "a dataset of another graph": _elsewhere,
}


@pytest.mark.parametrize("build", REFUSED.values(), ids=REFUSED)
def test_refused(build: Callable[[Any], Any]) -> None:
    errors = []
    for tf in (oracle, dataflow):
        with tf.Graph().as_default(), pytest.raises(Exception) as caught:
            build(tf)
        errors.append(caught.value)
    theirs, ours = errors
    assert type(ours).__name__ == type(theirs).__name__
    assert _words_of(ours) == _words_of(theirs)


def _interleaved(*arguments: int, **options: int) -> Callable[[Any], Any]:
    return lambda tf: _numbers(tf).apply(
        tf.data.experimental.parallel_interleave(
            tf.data.Dataset.from_tensors, *arguments, **options
        )
    )


def _in_parallel(**options: int) -> Callable[[Any], Any]:
    return lambda tf: _numbers(tf).interleave(tf.data.Dataset.from_tensors, **options)


def _unknown(tf: Any, *values: Any) -> Any:
    tensors = tuple(tf.placeholder_with_default(value, None) for value in values)
    return tf.data.Dataset.from_tensors(tensors)


def _pooled(tf: Any, threads: int) -> Any:
    kinds: dict[str, Any] = {"output_types": [tf.int64], "output_shapes": [[]]}
    counts = [
        tf.raw_ops.DatasetCardinality(input_dataset=pooled)
        for pooled in (
            tf.raw_ops.PrivateThreadPoolDataset(
                input_dataset=_numbers(tf)._variant_tensor,
                num_threads=tf.constant(threads, tf.int64),
                **kinds,
            ),
            tf.raw_ops.ThreadPoolDataset(
                input_dataset=_numbers(tf)._variant_tensor,
                thread_pool=tf.raw_ops.ThreadPoolHandle(num_threads=threads, display_name="pool"),
                **kinds,
            ),
        )
    ]
    return tf.data.Dataset.from_tensors(tuple(counts))


NUMBERS: dict[str, Callable[[Any], Any]] = {
    "no cycle": _interleaved(0, 1),
    "a cycle of any length": _interleaved(-1, 1),
    "no block": _interleaved(1, 0),
    "nothing ahead": _interleaved(1, 1, buffer_output_elements=0),
    "fewer than none prefetched": _interleaved(1, 1, prefetch_input_elements=-1),
    "no calls": _in_parallel(cycle_length=2, num_parallel_calls=0),
    "more calls than datasets": _in_parallel(cycle_length=1, num_parallel_calls=2),
    "calls and no cycle": _in_parallel(cycle_length=0, num_parallel_calls=1),
    "calls and no block": _in_parallel(cycle_length=1, block_length=0, num_parallel_calls=1),
    "no batch": lambda tf: _numbers(tf).apply(
        tf.data.experimental.map_and_batch(lambda x: x, 0, num_parallel_calls=1)
    ),
    "all shuffled": lambda tf: _numbers(tf).shuffle(-2, seed=1),
    "an endless buffer": lambda tf: _numbers(tf).shuffle(-1, seed=1),
    "too few elements": lambda tf: _numbers(tf).apply(tf.data.experimental.assert_cardinality(5)),
    "rows of other lengths": lambda tf: _unknown(tf, [1, 2], [1, 2, 3]).unbatch(),
    "a scalar without rows": lambda tf: _unknown(tf, 3).unbatch(),
    "slices of other lengths": lambda tf: tf.data.Dataset.from_tensor_slices(
        tuple(tf.placeholder_with_default(value, None) for value in ([1, 2], [1, 2, 3]))
    ),
    "a scalar without slices": lambda tf: tf.data.Dataset.from_tensor_slices(
        tf.placeholder_with_default(3, None)
    ),
    "fewer threads than none": lambda tf: _pooled(tf, -1),
    "a good number of threads": lambda tf: _pooled(tf, 0),
    "a size below -1": lambda tf: tf.data.Dataset.from_tensors([1]).padded_batch(
        3, tf.constant([-2], tf.int64)
    ),
}


@pytest.mark.parametrize("build", NUMBERS.values(), ids=NUMBERS)
def test_numbers_out_of_range(build: Callable[[Any], Any]) -> None:
    *theirs, end = stream(oracle, build)[1:]
    words = [as_in_tensorflow_1(text) for text in end] if isinstance(end, list) else end
    assert stream(dataflow, build)[1:] == [*theirs, words]


def test_how_much_is_made_ahead_stands_in_the_graph() -> None:
    found = []
    for tf in (oracle, dataflow):
        with tf.Graph().as_default() as graph:
            made = _interleaved(3, 2)(tf)
            inputs = made._variant_tensor.op.inputs[1:]
            with open_session(tf, graph, "") as session:
                found.append(session.run(list(inputs)))
    assert found[0] == found[1] == [3, 2, 4, 6]


def _words_of(error: Any) -> str:
    """What an error says, but for names of classes and where it was raised."""
    if isinstance(error, (oracle.errors.OpError, dataflow.errors.OpError)):
        return ""
    text = as_in_tensorflow_1(str(error))
    text = re.sub(r"<[\w.]+ object at 0x\w+>", "<graph>", text)
    return text.split("<class")[0].split("Tensor")[0].split("`features` keys")[0]


def test_kernels_refuse_elements_of_other_types(target: str) -> None:
    """Where TensorFlow ends the process."""
    tf = dataflow
    with tf.Graph().as_default(), tf.Session(target) as session:
        numbers = _numbers(tf)._variant_tensor
        table = tf.raw_ops.HashTableV2(key_dtype=tf.int64, value_dtype=tf.int64)
        for made, text in (
            (
                tf.raw_ops.DatasetToTFRecord(
                    input_dataset=numbers, filename="file", compression_type=""
                ),
                "must be strings",
            ),
            (
                tf.raw_ops.InitializeTableFromDataset(table_handle=table, dataset=numbers),
                "two output types",
            ),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                session.run(made)
            assert text in caught.value.message


def test_rows_of_tables_are_ordered() -> None:
    """Whoever prints or indexes the types of a table's columns finds the order of the file."""
    told = []
    for tf in (dataflow, oracle):
        with tf.Graph().as_default():
            types = tf.data.get_output_types(named_table(tf))
        told.append([(type(part).__name__, str(part)) for part in types])
    assert told[0] == told[1]


@pytest.mark.parametrize("epochs", [1, 2, None])
def test_tables_are_shuffled_and_repeated_by_two_nodes(epochs: int | None, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("a,b\n" + "".join(f"{n},{n * n}\n" for n in range(9)))

    def made(tf: Any) -> Any:
        with tf.Graph().as_default() as graph:
            rows = tf.data.experimental.make_csv_dataset(
                str(table), 4, num_epochs=epochs, shuffle_seed=11, shuffle_buffer_size=5
            )
            following = tf.data.make_one_shot_iterator(rows).get_next()
            with tf.Session() as session:
                found = [session.run(following)["a"].tolist() for _ in range(2)]
            nodes = [node.name for node in graph.as_graph_def().node if "Dataset" in node.op]
        return found, nodes

    assert made(dataflow) == made(oracle)
