"""Stages that tests of TensorFlow ask for: rests, batches cut for replicas, the fastest one."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

import dataflow as tf
from dataflow.porting.spellings.data import sources_of_tests, stages_of_tests, structures


def test_each_element_comes_after_a_rest() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        rested = tf.data.Dataset.range(3).apply(stages_of_tests.sleep(20_000))
        following = tf.data.make_one_shot_iterator(rested).get_next()
        began = time.perf_counter()
        assert [session.run(following) for _ in range(3)] == [0, 1, 2]
        assert time.perf_counter() - began >= 0.06
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(following)


def test_a_rest_ends_with_the_step() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        rested = tf.data.Dataset.range(3).apply(stages_of_tests.sleep(600_000_000))
        following = tf.data.make_one_shot_iterator(rested).get_next()
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(following, options=tf.RunOptions(timeout_in_ms=50))


def test_a_rest_on_another_thread_ends_with_the_session() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        dataset = tf.data.Dataset.range(3).apply(stages_of_tests.sleep(600_000_000)).prefetch(1)
        following = tf.data.make_one_shot_iterator(dataset).get_next()
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(following, options=tf.RunOptions(timeout_in_ms=50))


def test_stages_that_change_nothing() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        dataset = tf.data.Dataset.range(3).apply(stages_of_tests.optimize(["noop_elimination"]))
        dataset = dataset.apply(stages_of_tests.model()).apply(stages_of_tests.optimize())
        dataset = dataset.apply(stages_of_tests.non_serializable())
        following = tf.data.make_initializable_iterator(dataset)
        element = following.get_next()
        session.run(following.initializer)
        assert [session.run(element) for _ in range(3)] == [0, 1, 2]
        made = [op.type for op in graph.get_operations() if op.type.endswith("Dataset")]
    kinds = ["Range", "Optimize", "Model", "Optimize", "NonSerializable"]
    assert made == [f"{kind}Dataset" for kind in kinds]


def test_rests_below_zero_are_refused() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        rested = tf.data.Dataset.range(3).apply(stages_of_tests.sleep(-1))
        following = tf.data.make_one_shot_iterator(rested).get_next()
        with pytest.raises(tf.errors.InvalidArgumentError) as refused:
            session.run(following)
    assert refused.value.message.startswith("`sleep_microseconds` must be >= 0")


def test_batches_are_cut_for_replicas() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        cut = stages_of_tests._RebatchDataset(tf.data.Dataset.range(7).batch(3), 2)
        assert tf.data.get_output_shapes(cut).as_list() == [None]
        following = tf.data.make_one_shot_iterator(cut).get_next()
        found = [session.run(following).tolist() for _ in range(5)]
        assert found == [[0, 1], [2], [3, 4], [5], [6]]
        whole = tf.data.Dataset.range(8).batch(4, drop_remainder=True)
        halves = stages_of_tests._RebatchDataset(whole, 2)
        assert tf.data.get_output_shapes(halves).as_list() == [2]
        with pytest.raises(ValueError, match="at least one dimension"):
            stages_of_tests._RebatchDataset(tf.data.Dataset.range(3), 2)


@pytest.mark.parametrize(
    ("other", "text"),
    [
        (
            lambda d: d.map(lambda x: tf.cast(x, tf.int64)),
            "the same output types. Input 1 has output types: int64. Expected: int32.",
        ),
        (
            lambda d: d.batch(1),
            "compatible output shapes. Component 0 of input 1 has shape: [?]. Expected to be "
            "compatible with shape: [].",
        ),
        (
            lambda d: tf.data.Dataset.zip((d, d)),
            "the same output types. Input 1 has output types: int32, int32. Expected: int32.",
        ),
        (
            lambda d: d.repeat(3),
            "compatible cardinalities. Input 1 has cardinality: 9, while all prior inputs have "
            "cardinality: 3.",
        ),
    ],
)
def test_the_fastest_of_other_elements_is_refused_as_by_1_15(other: Any, text: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        source = tf.data.Dataset.from_tensor_slices([0, 1, 2])
        chosen = stages_of_tests._ChooseFastestDataset([source, other(source)])
        following = tf.data.make_one_shot_iterator(chosen).get_next()
        with pytest.raises(tf.errors.InvalidArgumentError) as refused:
            session.run(following)
    assert refused.value.message.startswith(f"All inputs to ChooseFastestDataset must have {text}")


def test_the_fastest_of_equal_datasets() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        source = tf.data.Dataset.from_tensor_slices([0, 1, 2])
        alike = [source, source.filter(lambda x: x >= 0), source.map(lambda x: x)]
        following = tf.data.make_one_shot_iterator(
            stages_of_tests._ChooseFastestDataset(alike)
        ).get_next()
        assert [session.run(following) for _ in range(3)] == [0, 1, 2]


def test_names_of_files(tmp_path: Path) -> None:
    for name in "bca":
        (tmp_path / name).touch()
    with tf.Graph().as_default(), tf.Session() as session:
        names = sources_of_tests.MatchingFilesDataset([f"{tmp_path}/a", f"{tmp_path}/[bc]"])
        following = tf.data.make_one_shot_iterator(names).get_next()
        assert [session.run(following)[-1:] for _ in range(3)] == [b"a", b"b", b"c"]


def test_batches_of_records(tmp_path: Path) -> None:
    path = str(tmp_path / "records")
    with tf.io.TFRecordWriter(path) as writer:
        for number in range(5):
            writer.write(b"r%d" % number)
    make = sources_of_tests.make_tf_record_dataset
    with tf.Graph().as_default(), tf.Session() as session:
        once = make(path, 2, shuffle=False, num_epochs=1)
        cut = make(
            path,
            2,
            lambda record: tf.strings.substr(record, 1, 1),
            num_epochs=2,
            shuffle=False,
            drop_final_batch=True,
            prefetch_buffer_size=0,
        )
        for dataset, wanted in (
            (once, [[b"r0", b"r1"], [b"r2", b"r3"], [b"r4"]]),
            (cut, [[b"0", b"1"], [b"2", b"3"], [b"4", b"0"], [b"1", b"2"], [b"3", b"4"]]),
        ):
            following = tf.data.make_one_shot_iterator(dataset).get_next()
            assert [session.run(following).tolist() for _ in wanted] == wanted
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(following)
        endless = make(path, 2, shuffle_buffer_size=3, shuffle_seed=1)
        assert tf.data.get_output_shapes(endless).as_list() == [2]
        following = tf.data.make_one_shot_iterator(endless).get_next()
        found = [word for _ in range(5) for word in session.run(following)]
        assert sorted(found) == sorted(2 * [b"r%d" % number for number in range(5)])


def test_ops_of_a_dataset_are_found_as_by_1_15() -> None:
    with tf.Graph().as_default():
        source = tf.data.Dataset.range(3)
        two = tf.data.Dataset.zip((source, source.repeat()))
        found = sources_of_tests.obtain_all_variant_tensor_ops(two.batch(2))
        assert [op.type for op in found] == [
            "BatchDatasetV2",
            "ZipDataset",
            "RangeDataset",
            "RepeatDataset",
        ]


def test_tensors_of_elements_are_described_as_by_1_15() -> None:
    with tf.Graph().as_default():
        sparse = tf.SparseTensor([[0]], [1], [1])
        element = {"a": 1, "b": (1.0, sparse), "c": tf.ragged.constant([[1]])}
        spec = tf.data.Dataset.from_tensors(element).element_spec
    found = [(each.dtype, each.shape.rank) for each in structures.get_flat_tensor_specs(spec)]
    assert found == [(tf.int32, 0), (tf.float32, 0), (tf.variant, None), (tf.variant, None)]
