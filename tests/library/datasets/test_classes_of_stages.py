"""Classes of datasets by TensorFlow 1.15's names, specs of iterators, options that contradict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.porting.spellings.data import iterators, snapshots
from dataflow.porting.spellings.data import stages as classes


def _elements(dataset: Any) -> list[Any]:
    following = tf.data.make_one_shot_iterator(dataset).get_next()
    found = []
    with tf.Session() as session:
        while True:
            try:
                found.append(np.asarray(session.run(following)).tolist())
            except tf.errors.OutOfRangeError:
                return found


@pytest.mark.parametrize(
    ("name", "options", "elements"),
    [
        ("MapDataset", [lambda x: x * 2], [0, 2, 4, 6, 8]),
        ("ParallelMapDataset", [lambda x: x + 1, 2], [1, 2, 3, 4, 5]),
        ("FilterDataset", [lambda x: x > 2], [3, 4]),
        ("FlatMapDataset", [lambda x: tf.data.Dataset.range(x)], [0, 0, 1, 0, 1, 2, 0, 1, 2, 3]),
        (
            "InterleaveDataset",
            [lambda x: tf.data.Dataset.range(x), 2, 1],
            [0, 0, 1, 0, 1, 0, 2, 1, 2, 3],
        ),
        ("BatchDataset", [2, True], [[0, 1], [2, 3]]),
        ("PaddedBatchDataset", [2, [], None, False], [[0, 1], [2, 3], [4]]),
        ("RepeatDataset", [2], [0, 1, 2, 3, 4] * 2),
        ("ShuffleDataset", [1], [0, 1, 2, 3, 4]),
        ("TakeDataset", [2], [0, 1]),
        ("SkipDataset", [3], [3, 4]),
        ("ShardDataset", [2, 1], [1, 3]),
        ("PrefetchDataset", [2], [0, 1, 2, 3, 4]),
    ],
)
def test_a_class_makes_its_stage(name: str, options: list[Any], elements: list[Any]) -> None:
    """The elements are those that 1.15 printed."""
    with tf.Graph().as_default():
        kind = getattr(classes, name)
        source = classes.RangeDataset(5)  # type: ignore[attr-defined]
        made = kind(source, *options)
        assert isinstance(made, kind)
        assert isinstance(made, tf.data.Dataset)
        assert not isinstance(source, kind)
        assert made._inputs() == [source]
        assert _elements(made) == elements


def test_legacy_functions_and_sources() -> None:
    with tf.Graph().as_default():
        source = classes.TensorSliceDataset([4, 5])  # type: ignore[attr-defined]
        doubled = classes.MapDataset(  # type: ignore[attr-defined]
            source, lambda x: x * 2, use_legacy_function=True
        )
        assert _elements(doubled) == [8, 10]
        large = classes.FilterDataset(  # type: ignore[attr-defined]
            source, lambda x: x > 4, use_legacy_function=True
        )
        assert _elements(large) == [5]
        spec = tf.TensorSpec([], tf.int32)
        again = classes._VariantDataset(source._variant_tensor, spec)  # type: ignore[attr-defined]
        assert _elements(again) == [4, 5]


class _FirstTwo(classes.UnaryUnchangedStructureDataset):
    def __init__(self, dataset: Any) -> None:
        super().__init__(dataset, dataset.take(2)._variant_tensor)


class _Source(classes.DatasetSource):
    def __init__(self) -> None:
        super().__init__(tf.data.Dataset.range(2)._variant_tensor)

    @property
    def element_spec(self) -> Any:
        return tf.TensorSpec([], tf.int64)


class _Words(classes.UnaryDataset):
    def __init__(self, dataset: Any) -> None:
        super().__init__(dataset, dataset.map(tf.as_string)._variant_tensor)

    @property
    def element_spec(self) -> Any:
        return tf.TensorSpec([], tf.string)


def test_classes_of_the_user() -> None:
    with tf.Graph().as_default():
        source = _Source()
        first = _FirstTwo(tf.data.Dataset.range(5))
        words = _Words(first)
        assert _elements(source.repeat(2)) == [0, 1, 0, 1]
        assert _elements(first.map(lambda x: x + 1)) == [1, 2]
        assert _elements(words) == [b"0", b"1"]
        assert words._inputs() == [first]
        assert words.output_types == tf.string


def test_spec_of_an_iterator() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        spec = iterators.IteratorSpec(tf.TensorSpec([], tf.int64))
        assert repr(spec) == "IteratorSpec(TensorSpec(shape=(), dtype=tf.int64, name=None),)"
        assert spec == iterators.IteratorSpec(tf.TensorSpec([], tf.int64))
        assert spec != iterators.IteratorSpec(tf.TensorSpec([2], tf.int64))
        iterator = tf.data.make_one_shot_iterator(tf.data.Dataset.range(3))
        again = spec._from_tensor_list(spec._to_tensor_list(iterator))
        assert isinstance(again, spec.value_type)
        assert [session.run(each.get_next()) for each in (iterator, again)] == [0, 1]


def _deterministic(value: bool) -> Any:
    options = tf.data.Options()
    options.experimental_deterministic = value
    return options


def test_options_that_contradict_each_other() -> None:
    """1.15's words; it builds datasets of such, and refuses what asks for their options."""
    text = r"Cannot merge incompatible values \(True and False\) of option: "
    with tf.Graph().as_default():
        yes = tf.data.Dataset.range(3).with_options(_deterministic(True))
        no = tf.data.Dataset.range(3).with_options(_deterministic(False))
        with pytest.raises(ValueError, match=text + "experimental_deterministic$"):
            yes.with_options(_deterministic(False))
        with pytest.raises(ValueError, match=text):
            _deterministic(True).merge(_deterministic(False))
        both = tf.data.Dataset.zip((yes, no)).map(lambda a, b: a + b)
        with pytest.raises(ValueError, match=text):
            both.options()
        with pytest.raises(ValueError, match=text):
            tf.data.make_one_shot_iterator(both)
        first, second = tf.data.Options(), tf.data.Options()
        first.experimental_optimization.map_fusion = True
        second.experimental_optimization.map_fusion = False
        with pytest.raises(ValueError, match=text + "map_fusion$"):
            first.merge(second)
        assert yes.with_options(_deterministic(True)).options().experimental_deterministic is True


def test_snapshots_are_read_again(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        kept = tf.data.Dataset.range(4).apply(snapshots.snapshot(str(tmp_path), "GZIP"))
        assert sorted(_elements(kept)) == [0, 1, 2, 3]
        assert sorted(_elements(kept)) == [0, 1, 2, 3]
    assert any(tmp_path.iterdir())
