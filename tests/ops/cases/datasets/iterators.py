"""Rows for iterators, and for what takes elements out of datasets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.cases.datasets.pulling import alike, numbers, pulled
from tests.ops.program import Inputs, Program, Step, fails, infers, run

ONE = ("float32",)
END = "OutOfRangeError"
REFUSED = "InvalidArgumentError"


def _again(tf: Any, v: Inputs) -> Iterator[Step]:
    """An iterator that is made anew before its end, with other datasets."""
    iterator = tf.raw_ops.IteratorV2(shared_name="", container="", **alike(tf))
    following = tf.raw_ops.IteratorGetNext(iterator=iterator, **alike(tf))
    synchronous = tf.raw_ops.IteratorGetNextSync(iterator=iterator, **alike(tf))
    yield infers(*following)
    yield fails("FailedPreconditionError", "has not been initialized", *following)
    for stop in (3, 2):
        begin = tf.raw_ops.MakeIterator(dataset=numbers(tf, stop), iterator=iterator)
        yield run(begin)
        yield run(*following)
        yield run(*synchronous)
    yield fails(END, "End of sequence", *following)
    pairs = tf.raw_ops.ZipDataset(
        input_datasets=[numbers(tf, 3)] * 2,
        output_types=[tf.int64, tf.int64],
        output_shapes=[[], []],
    )
    yield fails(
        REFUSED,
        "Number of components does not match: expected 1 types but got 2",
        tf.raw_ops.MakeIterator(dataset=pairs, iterator=iterator),
    )


def _shared(tf: Any, v: Inputs) -> Iterator[Step]:
    """Two nodes that name one iterator."""
    attrs = {"shared_name": "rows_of_iterators", "container": "", **alike(tf)}
    first, second = tf.raw_ops.IteratorV2(**attrs), tf.raw_ops.Iterator(**attrs)
    yield run(tf.raw_ops.MakeIterator(dataset=numbers(tf, 3), iterator=first))
    for iterator in (first, second, first):
        yield run(*tf.raw_ops.IteratorGetNext(iterator=iterator, **alike(tf)))
    yield fails(END, "", *tf.raw_ops.IteratorGetNext(iterator=second, **alike(tf)))


def _once(tf: Any, v: Inputs) -> Iterator[Step]:
    following = tf.data.make_one_shot_iterator(tf.data.Dataset.range(2)).get_next()
    yield run(following)
    yield run(following)
    yield fails(END, "End of sequence", following)


def _by_string(tf: Any, v: Inputs) -> Iterator[Step]:
    """A string that stands for an iterator within the same step."""
    iterator = tf.raw_ops.IteratorV2(shared_name="", container="", **alike(tf))
    yield run(tf.raw_ops.MakeIterator(dataset=numbers(tf, 2), iterator=iterator))
    handle = tf.raw_ops.IteratorToStringHandle(resource_handle=iterator)
    for op in (tf.raw_ops.IteratorFromStringHandleV2, tf.raw_ops.IteratorFromStringHandle):
        found = op(string_handle=handle, **alike(tf))
        yield run(*tf.raw_ops.IteratorGetNext(iterator=found, **alike(tf)))
    wrong = tf.raw_ops.IteratorFromStringHandleV2(
        string_handle=handle, output_types=[tf.float32], output_shapes=[[]]
    )
    taken = tf.raw_ops.IteratorGetNext(
        iterator=wrong, output_types=[tf.float32], output_shapes=[[]]
    )
    yield fails(REFUSED, "Data type mismatch at component 0", *taken)


def _devices(tf: Any, v: Inputs) -> Iterator[Step]:
    iterator = tf.raw_ops.IteratorV2(shared_name="", container="", **alike(tf))
    for op in (tf.raw_ops.IteratorGetDevice, tf.raw_ops.ExperimentalIteratorGetDevice):
        yield infers(op(resource=iterator))
        yield run(tf.size(op(resource=iterator)))


def _optional(tf: Any, v: Inputs) -> Iterator[Step]:
    iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(2))
    yield run(iterator.initializer)
    for _ in range(2):
        optional = tf.data.experimental.get_next_as_optional(iterator)
        yield run(optional.has_value(), optional.get_value())
    optional = tf.data.experimental.get_next_as_optional(iterator)
    yield run(optional.has_value())


def _single(tf: Any, v: Inputs) -> Iterator[Step]:
    def only(stop: int) -> Any:
        return tf.raw_ops.DatasetToSingleElement(dataset=numbers(tf, stop), **alike(tf))

    yield run(*only(1))
    yield fails(REFUSED, "Dataset was empty", *only(0))
    yield fails(REFUSED, "Dataset had more than one element", *only(2))


def _reduced(tf: Any, v: Inputs) -> Iterator[Step]:
    factor = v.known(3, np.int64)
    source = tf.data.Dataset.range(5)
    yield run(source.reduce(np.int64(1), lambda state, x: state + x * factor))
    found = source.reduce((np.int64(0), v.known(0.5)), lambda state, x: (state[0] + x, state[1]))
    yield run(*found)


def _saved(tf: Any, v: Inputs) -> Iterator[Step]:
    """What an iterator says of itself leaves it where it is."""
    iterator = tf.raw_ops.IteratorV2(shared_name="", container="", **alike(tf))
    following = tf.raw_ops.IteratorGetNext(iterator=iterator, **alike(tf))
    state = tf.raw_ops.SerializeIterator(resource_handle=iterator)
    yield infers(state)
    restored = tf.raw_ops.DeserializeIterator(resource_handle=iterator, serialized=state)
    yield fails("FailedPreconditionError", "the iterator has not been initialized", restored)
    yield run(tf.raw_ops.MakeIterator(dataset=numbers(tf, 4), iterator=iterator))
    for _ in range(2):
        yield run(*following)
        yield run(restored)
        yield run(*following)
    yield fails(END, "End of sequence", *following)


def _counted(tf: Any, v: Inputs) -> Iterator[Step]:
    for op in (tf.raw_ops.DatasetCardinality, tf.raw_ops.ExperimentalDatasetCardinality):
        yield run(op(input_dataset=numbers(tf, 5)))
    yield from pulled(tf, numbers(tf, 1), 1)


PROGRAMS = [
    Program("IteratorV2 MakeIterator IteratorGetNext IteratorGetNextSync", _again, ONE),
    Program("Iterator", _shared, ONE),
    Program("SerializeIterator DeserializeIterator", _saved, ONE),
    Program("OneShotIterator", _once, ONE),
    Program(
        "IteratorToStringHandle IteratorFromStringHandle IteratorFromStringHandleV2",
        _by_string,
        ONE,
    ),
    Program("IteratorGetDevice ExperimentalIteratorGetDevice", _devices, ONE),
    Program("IteratorGetNextAsOptional", _optional, ONE),
    Program("DatasetToSingleElement", _single, ONE),
    Program("ReduceDataset", _reduced, ONE),
    Program("ExperimentalDatasetCardinality", _counted, ONE),
]
