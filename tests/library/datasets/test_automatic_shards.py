"""Pipelines of files that are divided among workers, against TensorFlow's."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tensorflow.python.data.experimental.ops import distribute as oracle_distribute

import dataflow.compat.v1 as tf
from dataflow.porting.spellings.data import stages_of_tests
from tests.oracle import oracle

AUTO, FILE, DATA, HINT, OFF = 0, 1, 2, 3, -1
Make = Callable[[Any, list[str]], Any]


def _lines(library: Any, names: Any) -> Any:
    return names.flat_map(library.data.TextLineDataset)


def _names(library: Any, files: list[str]) -> Any:
    return library.data.Dataset.from_tensor_slices(files)


PIPELINES: dict[str, Make] = {
    "reader": lambda t, f: t.data.TextLineDataset(f),
    "fixed": lambda t, f: t.data.FixedLengthRecordDataset(f, 3),
    "taken": lambda t, f: t.data.TextLineDataset(f).take(4),
    "one file": lambda t, f: t.data.TextLineDataset(f[:1]),
    "files at a time": lambda t, f: _names(t, f).interleave(t.data.TextLineDataset, cycle_length=2),
    "files at once": lambda t, f: _names(t, f).interleave(
        t.data.TextLineDataset, cycle_length=2, num_parallel_calls=2
    ),
    "names": lambda t, f: _lines(t, _names(t, f)).prefetch(2),
    "skipped names": lambda t, f: _lines(t, _names(t, f).skip(1)),
    "shuffled names": lambda t, f: _lines(t, _names(t, f).shuffle(6, seed=1)),
    "shuffled, again": lambda t, f: _lines(t, _names(t, f).shuffle(6, seed=1).repeat(2)),
    "again, shuffled": lambda t, f: _lines(t, _names(t, f).repeat(2).shuffle(6, seed=1)),
    "shuffled, taken": lambda t, f: _lines(t, _names(t, f).shuffle(9, seed=2).take(4)),
    "batches of names": lambda t, f: _lines(t, _names(t, f).batch(2)),
    "datasets of names": lambda t, f: (
        _names(t, f).map(t.data.TextLineDataset).flat_map(lambda lines: lines)
    ),
    "a function's function": lambda t, f: t.data.Dataset.range(2).flat_map(
        lambda _: _lines(t, _names(t, f))
    ),
    "concatenated": lambda t, f: _lines(t, _names(t, f)).concatenate(t.data.TextLineDataset(f)),
    "batches": lambda t, f: t.data.TextLineDataset(f).map(lambda x: x + "!").batch(2),
    "no files": lambda t, f: t.data.Dataset.range(5).map(t.as_string),
    "names only": lambda t, f: _names(t, f).map(t.io.read_file),
    "with others": lambda t, f: (
        t.data.Dataset.range(4).map(t.as_string).concatenate(t.data.TextLineDataset(f))
    ),
    "chosen": lambda t, f: t.data.experimental.choose_from_datasets(
        [t.data.TextLineDataset(f[:2]), t.data.TextLineDataset(f[2:])],
        t.data.Dataset.range(4).map(lambda i: i % 2),
    ),
    "hint": lambda t, f: t.data.TextLineDataset(f).shard(-1, -1).take(5),
    "hint in a function": lambda t, f: t.data.Dataset.range(2).flat_map(
        lambda _: t.data.TextLineDataset(f).shard(-1, -1)
    ),
}


WORDS = (
    "Found an unshardable source dataset: ",
    "Did not find a shardable source, walked to a node which is not a dataset: ",
    "`num_replicas` is 0, but expected to be >= 1.",
    "`tf.data.Dataset.shard(SHARD_HINT, ...)` can only be used in "
    "`tf.distribute.Strategy.experimental_distribute_dataset()` with "
    "`tf.data.experimental.AutoShardPolicy.HINT` policy",
)
"""What errors say."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Six files of three lines each."""
    folder = tmp_path_factory.mktemp("files")
    paths: list[Path] = [folder / f"{name}.txt" for name in range(6)]
    for path in paths:
        path.write_text("".join(f"{path.stem}{line}\n" for line in "abc"), encoding="utf-8")
    return [str(path) for path in paths]


def _elements(library: Any, make: Callable[[], Any]) -> list[Any]:
    """What a pipeline gives, or the class and the words of its error."""
    with library.Graph().as_default():
        iterator = library.data.make_initializable_iterator(make())
        following = iterator.get_next()
        found: list[Any] = []
        with library.Session(config=library.ConfigProto()) as session:
            try:
                session.run(iterator.initializer)
                while True:
                    value = session.run(following)
                    found.append(value.tolist() if getattr(value, "ndim", 0) else value)
            except library.errors.OutOfRangeError:
                return found
            except library.errors.OpError as error:
                return [type(error).__name__, *(each for each in WORDS if each in error.message)]


def _part(library: Any, name: str, files: list[str], policy: int, count: int, place: int) -> Any:
    """One worker's elements."""

    def divided() -> Any:
        made = PIPELINES[name](library, files)
        variant = library.raw_ops.AutoShardDataset(
            input_dataset=made._variant_tensor,
            num_workers=count,
            index=place,
            auto_shard_policy=policy,
            output_types=[made.element_spec.dtype],
            output_shapes=[made.element_spec.shape],
        )
        return library.data.experimental.from_variant(variant, made.element_spec)

    return _elements(library, divided)


@pytest.mark.parametrize(
    ("arguments", "policy", "count", "place", "replicas", "last"),
    [
        (([3, 1], False), DATA, 2, 1, 2, ""),
        (([3, 1], False), DATA, 2, 1, 0, ""),
        (([2, 1], True), AUTO, 2, 0, 2, ""),
        (([3, 1], False), AUTO, 1, 0, 2, ""),
        (([3, 1], False), FILE, 1, 0, 2, ""),
        (([2, 1], False), DATA, 2, 0, 3, ""),
        (([3, 1], False), DATA, 2, 1, 2, "prefetch"),
        (([3, 1], False), DATA, 2, 1, 0, "map"),
    ],
)
def test_cut_batches_are_cut_evenly(
    arguments: Any, policy: int, count: int, place: int, replicas: int, last: str
) -> None:
    def part(library: Any) -> Any:
        spec = {"output_types": [library.int64], "output_shapes": [[None]]}
        sizes, drops = arguments
        cut = library.raw_ops.RebatchDatasetV2(
            input_dataset=library.data.Dataset.range(16).batch(4)._variant_tensor,
            batch_sizes=np.array(sizes, np.int64),
            drop_remainder=drops,
            **spec,
        )
        made = library.data.experimental.from_variant(cut, library.TensorSpec([None], "int64"))
        if last:
            made = made.prefetch(1) if last == "prefetch" else made.map(lambda x: x + 1)
        variant = library.raw_ops.AutoShardDataset(
            input_dataset=made._variant_tensor,
            num_workers=count,
            index=place,
            auto_shard_policy=policy,
            num_replicas=replicas,
            **spec,
        )
        return library.data.experimental.from_variant(variant, made.element_spec)

    ours, theirs = (
        _elements(library, functools.partial(part, library)) for library in (tf, oracle)
    )
    assert ours == theirs


@pytest.mark.parametrize("name", PIPELINES)
def test_a_worker_has_its_part(name: str, files: list[str]) -> None:
    for policy in (HINT, DATA) if "hint" in name else (AUTO, FILE):
        ours, theirs = (_part(library, name, files, policy, 2, 1) for library in (tf, oracle))
        assert ours == theirs, policy


def test_what_the_undivided_pipeline_has_kept_is_not_a_worker_s(files: list[str]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        whole = tf.data.TextLineDataset(files).cache()
        variant = tf.raw_ops.AutoShardDataset(
            input_dataset=whole._variant_tensor,
            num_workers=6,
            index=4,
            output_types=[tf.string],
            output_shapes=[[]],
        )
        part = tf.data.experimental.from_variant(variant, whole.element_spec)
        iterators = [tf.data.make_initializable_iterator(each) for each in (whole, part.repeat(2))]
        session.run([each.initializer for each in iterators])
        found = []
        for following in [each.get_next() for each in iterators]:
            with pytest.raises(tf.errors.OutOfRangeError):
                while True:
                    found.append(session.run(following))
    assert len(found) == 18 + 2 * 3
    assert found[18:] == 2 * [b"4a", b"4b", b"4c"]


def test_workers_have_all_files_among_them(files: list[str]) -> None:
    """Each shuffles by itself, and none takes a file of another."""
    parts = [_part(tf, "shuffled names", files, FILE, 4, place) for place in range(4)]
    assert sorted(itertools.chain.from_iterable(parts)) == [
        f"{file}{line}".encode() for file in range(6) for line in "abc"
    ]
    assert [len(part) for part in parts] == [6, 6, 3, 3]


@pytest.mark.filterwarnings("ignore:To make it possible to preserve tf.data options")
def test_the_policy_is_in_the_options() -> None:
    def parts(library: Any, distribute: Any) -> list[Any]:
        policies = library.data.experimental.AutoShardPolicy
        found = []
        for policy in (policies.OFF, policies.DATA, policies.AUTO, policies.FILE):
            options = library.data.Options()
            options.experimental_distribute.auto_shard_policy = policy
            made = functools.partial(
                lambda options: distribute._AutoShardDataset(
                    library.data.Dataset.range(5).with_options(options), 2, 1
                ),
                options,
            )
            found.append(_elements(library, made))
        return found

    ours = parts(tf, stages_of_tests)
    assert ours == parts(oracle, oracle_distribute)
    assert ours[1] == [1, 3]
